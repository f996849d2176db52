/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Node memory: which messages go through it, that none gets lost or changed at the sizes where they
 * take another way, that a communicator has it after the right number of calls, and that it is
 * limited and given back.
 *
 *     node_memory --expect used|unused|some [--large made|none] [--calls N] [--communicators N]
 *                 [--limit BYTES]
 *     node_memory --mismatch COUNT
 *
 * used: every rank sends through it. unused: none does. some: some do. --large: whether it has
 * large rings where it is used. --calls: blocking collectives of a communicator without it.
 * --limit: of coll_napcoll_node_memory_bytes. --mismatch: broadcasts, by bcast flat, whose
 * receivers expect more or less than the root sends, COUNT times.
 */
#include <unistd.h>

#include "counters.h"

/* More than a large ring takes at once; and what fits into one, while its pieces for 20 ranks are
 * too large for the ring. */
enum { MOST_BYTES = 600000, LARGE_BYTES = 400000, BURST = 40, MOST_COMMUNICATORS = 1000 };

/* ---- napcoll's variables ---- */

struct variable {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
};

static struct variable messages, mapped;

static void open_variable(struct variable *variable, const char *name, int class)
{
    int index, elements;

    mpi_check(MPI_T_pvar_get_index(name, class, &index), name);
    mpi_check(MPI_T_pvar_session_create(&variable->session), "MPI_T_pvar_session_create");
    mpi_check(MPI_T_pvar_handle_alloc(variable->session, index, NULL, &variable->handle, &elements),
              "MPI_T_pvar_handle_alloc");
}

static unsigned long long value_of(const struct variable *variable)
{
    unsigned long long value;

    mpi_check(MPI_T_pvar_read(variable->session, variable->handle, &value), "MPI_T_pvar_read");
    return value;
}

static void close_variable(struct variable *variable)
{
    mpi_check(MPI_T_pvar_handle_free(variable->session, &variable->handle),
              "MPI_T_pvar_handle_free");
    mpi_check(MPI_T_pvar_session_free(&variable->session), "MPI_T_pvar_session_free");
}

/* ---- calls with known results ---- */

static unsigned char byte_of(int rank, int call, size_t at)
{
    return (unsigned char) (31 * rank + 7 * call + (int) (at % 253));
}

/* A broadcast; whether what came is right. */
static bool broadcast(const struct tap *tap, MPI_Comm comm, int bytes, int call)
{
    static unsigned char buffer[MOST_BYTES];
    const int root = call % tap->size;

    for (int i = 0; i < bytes; i++) {
        buffer[i] = tap->rank == root ? byte_of(root, call, (size_t) i) : 0;
    }
    mpi_check(MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm), "MPI_Bcast");
    for (int i = 0; i < bytes; i++) {
        if (buffer[i] != byte_of(root, call, (size_t) i)) {
            return false;
        }
    }
    return true;
}

/* An allreduce of many numbers; whether their sums are right. */
static bool add_many(const struct tap *tap, MPI_Comm comm, int bytes, int call)
{
    static int from[MOST_BYTES / sizeof(int)], to[MOST_BYTES / sizeof(int)];
    const int count = bytes / (int) sizeof(int), size = tap->size;

    for (int i = 0; i < count; i++) {
        from[i] = tap->rank + i + call;
    }
    mpi_check(MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    for (int i = 0; i < count; i++) {
        if (to[i] != size * (size - 1) / 2 + size * (i + call)) {
            return false;
        }
    }
    return true;
}

/* An all-to-all of blocks of some bytes. */
static bool exchange(const struct tap *tap, MPI_Comm comm, int bytes, int call)
{
    const size_t all = (size_t) bytes * (size_t) tap->size;
    unsigned char *from = tap_alloc(all), *to = tap_alloc(all);
    bool good = true;

    for (size_t i = 0; i < all; i++) {
        from[i] = byte_of(tap->rank, call, i);
    }
    mpi_check(MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm), "MPI_Alltoall");
    for (int rank = 0; rank < tap->size; rank++) {
        for (int i = 0; i < bytes; i++) {
            const size_t sent = (size_t) tap->rank * (size_t) bytes + (size_t) i;

            good = good
                   && to[(size_t) rank * (size_t) bytes + (size_t) i] == byte_of(rank, call, sent);
        }
    }
    free(from);
    free(to);
    return good;
}

static bool add(const struct tap *tap, MPI_Comm comm, int call)
{
    const long long mine = tap->rank + 1000LL * call;
    long long sum;

    mpi_check(MPI_Allreduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm), "MPI_Allreduce");
    return sum == (long long) tap->size * (tap->size - 1) / 2 + 1000LL * call * tap->size;
}

/* ---- checks ---- */

static int calls;

/* A communicator of napcoll's that has had the calls after which it has node memory. */
static MPI_Comm make(const struct tap *tap, bool *good)
{
    MPI_Comm comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);

    for (int call = 0; call <= calls; call++) {
        *good = add(tap, comm, call) && *good;
    }
    return comm;
}

static void check_use(struct tap *tap, const char *expect)
{
    const unsigned long long before = value_of(&messages);
    bool good = true, as_expected = true;
    unsigned long long during;
    MPI_Comm comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    int some;

    for (int call = 0; call < calls; call++) {
        good = add(tap, comm, call) && good;
    }
    tap_ok(tap, value_of(&messages) == before, "the_first_calls_use_no_node_memory");
    for (int call = 0; call < BURST; call++) {
        good = add(tap, comm, call) && good;
    }
    during = value_of(&messages) - before;
    some = during > 0;
    mpi_check(MPI_Allreduce(MPI_IN_PLACE, &some, 1, MPI_INT, MPI_SUM, tap->comm), "MPI_Allreduce");
    if (0 == strcmp(expect, "some")) {
        as_expected = some > 0 && some < tap->size;
    } else {
        as_expected = (0 == strcmp(expect, "used")) == (during > 0);
    }
    if (!as_expected) {
        tap_note(tap, "%llu messages through node memory", during);
    }
    tap_ok(tap, as_expected, "node_memory_is_%s", expect);
    tap_ok(tap, good, "sums_are_right");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* Messages at the sizes where they go another way, in bursts in which the root runs ahead. */
static void check_sizes(struct tap *tap)
{
    static const int sizes[] = {1,     8,     47,    48,    49,     64,     65,     1000,
                                16383, 16384, 16385, 32768, 131072, 524288, 524289, MOST_BYTES};
    bool good = true, sums = true, blocks = true;
    MPI_Comm comm = make(tap, &good);

    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (int call = 0; call < (sizes[s] > LARGE_BYTES ? BURST / 4 : BURST); call++) {
            good = broadcast(tap, comm, sizes[s], call) && good;
            sums = add_many(tap, comm, sizes[s], call) && sums;
        }
        blocks = exchange(tap, comm, sizes[s] < 33000 ? sizes[s] : 33000, (int) s) && blocks;
    }
    tap_ok(tap, good, "broadcasts_of_all_sizes_are_right");
    tap_ok(tap, sums, "sums_of_all_sizes_are_right");
    tap_ok(tap, blocks, "all_to_alls_of_all_sizes_are_right");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* The leader says in every 16th call whether it has had as many calls with large vectors as node
 * memory takes calls; large rings come in the 16th after that, and bring messages that the PML
 * brought before. */
static void check_large_rings(struct tap *tap, bool expected)
{
    bool good = true;
    MPI_Comm comm = make(tap, &good);
    const unsigned long long before = value_of(&mapped);
    unsigned long long first, last;
    bool early = false;
    int number = calls + 1, large = 0, said = 0;

    do {
        early = early || value_of(&mapped) != before;
        good = add_many(tap, comm, LARGE_BYTES, large++) && good;
        said += 0 == ++number % 16 && (said > 0 || large >= calls);
    } while (said < 2);
    tap_ok(tap, !early, "the_first_large_calls_take_no_more_memory");
    tap_ok(tap, (value_of(&mapped) > before) == expected, "large_rings_are_%s",
           expected ? "made" : "not_made");
    first = value_of(&messages);
    good = add_many(tap, comm, LARGE_BYTES, 0) && good;
    last = value_of(&messages);
    tap_ok(tap, (last > first) == expected, "large_messages_go_%s",
           expected ? "through_them" : "by_the_PML");
    tap_ok(tap, good, "large_sums_are_right");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* More operations under way than there are channels, which end in any order. */
static void check_requests(struct tap *tap)
{
    enum { UNDER_WAY = 60 };
    static long long in[UNDER_WAY], out[UNDER_WAY];
    MPI_Request request[UNDER_WAY];
    bool good = true;
    MPI_Comm comm = make(tap, &good);

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < UNDER_WAY; i++) {
            in[i] = tap->rank + i;
            mpi_check(MPI_Iallreduce(&in[i], &out[i], 1, MPI_LONG_LONG, MPI_SUM, comm, &request[i]),
                      "MPI_Iallreduce");
            if (0 == i % 7) {
                good = add(tap, comm, i) && good;
            }
        }
        for (int i = UNDER_WAY - 1; i >= 0; i--) {
            mpi_check(MPI_Wait(&request[i], MPI_STATUS_IGNORE), "MPI_Wait");
            good = good
                   && out[i]
                          == (long long) tap->size * (tap->size - 1) / 2
                                 + (long long) i * tap->size;
        }
    }
    tap_ok(tap, good, "many_operations_under_way_share_the_channels");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* Broadcasts whose sizes differ, each the other way to go: the receivers see it, the root does not,
 * and the communicator works after it. So large rings are made while ranks have seen different
 * numbers of large calls. */
static void check_mismatch(struct tap *tap, int times)
{
    static const int size[] = {8, 1000, 100000};
    static char buffer[100000];
    bool seen = true, good = true;
    MPI_Comm comm = make(tap, &good);

    mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    for (int i = 0; i < 9 * times; i++) {
        const int sent = size[i % 3], expected = size[i / 3 % 3];
        int rc = MPI_Bcast(buffer, 0 == tap->rank ? sent : expected, MPI_BYTE, 0, comm);

        if (MPI_SUCCESS != rc) {
            mpi_check(MPI_Error_class(rc, &rc), "MPI_Error_class");
        }
        if (rc != (0 == tap->rank || sent == expected ? MPI_SUCCESS : MPI_ERR_TRUNCATE)) {
            tap_note(tap, "%d bytes for %d: %d", sent, expected, rc);
            seen = false;
        }
        good = add(tap, comm, i) && good;
    }
    tap_ok(tap, seen, "receivers_see_other_sizes_than_they_expect");
    tap_ok(tap, good, "the_communicator_works_after_each");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* Files of node memory that this process has mapped and that can still be opened by their names. */
static int files(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    int found = 0;

    mpi_check(NULL == maps ? MPI_ERR_OTHER : MPI_SUCCESS, "fopen /proc/self/maps");
    while (NULL != fgets(line, sizeof(line), maps)) {
        found += NULL != strstr(line, "/napcoll-") && NULL == strstr(line, " (deleted)");
    }
    (void) fclose(maps);
    return found;
}

/* Many communicators that live together: their memory stays below its limit, and goes with them,
 * whatever their order. */
static void check_limit(struct tap *tap, int num, unsigned long long limit)
{
    static MPI_Comm comm[MOST_COMMUNICATORS];
    const unsigned long long before = value_of(&mapped);
    bool good = true, below = true;

    for (int i = 0; i < num; i++) {
        comm[i] = make(tap, &good);
        below = below && value_of(&mapped) <= limit;
    }
    for (int i = 0; i < num; i++) {
        good = add(tap, comm[i], i) && good;
    }
    if (0 == tap->rank) {
        printf("# %d communicators: %llu bytes mapped by process 0\n", num,
               value_of(&mapped) - before);
    }
    tap_ok(tap, 0 == files(), "no_files_remain_while_communicators_live");
    for (int i = 0; i < num; i++) {
        mpi_check(MPI_Comm_free(&comm[i % 2 ? num - 1 - i / 2 : i / 2]), "MPI_Comm_free");
    }
    tap_ok(tap, below, "memory_stays_below_its_limit");
    tap_ok(tap, good, "calls_with_and_without_memory_are_right");
    tap_ok(tap, value_of(&mapped) == before, "memory_goes_with_its_communicators");
}

int main(int argc, char **argv)
{
    const char *expect = tap_option(argc, argv, "--expect", NULL);
    struct tap tap;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    open_variable(&messages, "coll_napcoll_node_messages", MPI_T_PVAR_CLASS_COUNTER);
    open_variable(&mapped, "coll_napcoll_node_memory_mapped", MPI_T_PVAR_CLASS_LEVEL);
    calls = atoi(tap_option(argc, argv, "--calls", "0"));
    if (NULL == expect) {
        check_mismatch(&tap, (int) tap_option_number(argc, argv, "--mismatch", 1));
    } else {
        check_use(&tap, expect);
        if (0 != strcmp(expect, "some")) {
            check_large_rings(&tap, 0 == strcmp(tap_option(argc, argv, "--large", "made"), "made")
                                        && 0 == strcmp(expect, "used"));
        }
        check_sizes(&tap);
        check_requests(&tap);
        check_limit(&tap, (int) tap_option_number(argc, argv, "--communicators", 20),
                    (unsigned long long) tap_option_number(argc, argv, "--limit", 64LL << 20));
    }
    close_variable(&messages);
    close_variable(&mapped);
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
