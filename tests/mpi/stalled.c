/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that wait for one process, until a report names it (coll_napcoll_stall_seconds). Each stall
 * has a random collective, mode, missing process, and cause:
 *
 *     sleep      the process sleeps before the call
 *     stop       it is stopped by SIGSTOP, and goes on by SIGCONT
 *     elsewhere  it is in a barrier with a process outside of the communicator
 *
 *     stalled --log FILE [--stalls N] [--seed S] [--cause CAUSE] [--signal]
 *
 * FILE gets what the processes write on stderr. The communicator of stall 7 has the name "stall 7",
 * so that reports are known by it. Rank 0 prints "# expect COMMUNICATOR RANK" for each stall. With
 * --signal all other processes of the communicator get SIGUSR2, again and again until the rank is
 * named. The last process of the world is outside of the communicator; it reads FILE.
 *
 * Where Open MPI has events of MPI_T (from 6.0 on), each report is one, too, with the same numbers.
 */
#include "counters.h"
#include "modes.h"

#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Longer than any report takes, on any machine. */
enum { PATIENCE_S = 90, PAUSE_MS = 50, TAG = 7, PATH = 500 };

extern char **environ;

enum cause { SLEEP, STOP, ELSEWHERE, CAUSES };

static const char *const cause_name[CAUSES] = {"sleep", "stop", "elsewhere"};

/* Collectives in which some rank waits for any rank. */
enum coll { BARRIER, ALLREDUCE, ALLGATHER, ALLTOALL, BCAST, REDUCE, COLLS };

static const char *const coll_name[COLLS] = {"barrier",  "allreduce", "allgather",
                                             "alltoall", "bcast",     "reduce"};

struct stall {
    int number;
    enum coll coll;
    enum mode mode;
    enum cause cause;
    /* in the communicator */
    int missing;
    int bytes;
};

/* What all stalls have. */
struct test {
    /* The world without its last process; MPI_COMM_NULL on that one */
    MPI_Comm comm;
    /* In the world */
    int rank, size;
    const char *log;
    bool signals;
    /* Causes: one, or CAUSES for all */
    int cause;
    unsigned long long random;
    /* [size of the world] */
    long *pid;
    char *send, *recv;
};

enum { MOST_BYTES = 3000 };

static int draw(struct test *t, int below)
{
    t->random = t->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int) ((t->random >> 33) % (unsigned) below);
}

/* The same on all processes. */
static struct stall draw_stall(struct test *t, int number)
{
    struct stall s = {.number = number};

    s.coll = (enum coll) draw(t, COLLS);
    s.mode = (enum mode) draw(t, NUM_MODES);
    s.cause = (enum cause) draw(t, CAUSES);
    s.missing = draw(t, t->size - 1);
    s.bytes = 1 + draw(t, 0 == draw(t, 2) ? 16 : MOST_BYTES);
    if (CAUSES != t->cause) {
        s.cause = (enum cause) t->cause;
    }
    return s;
}

static void pause_ms(int milliseconds)
{
    const struct timespec time = {.tv_sec = milliseconds / 1000,
                                  .tv_nsec = milliseconds % 1000 * 1000000L};

    (void) nanosleep(&time, NULL);
}

/* ---- the call ---- */

static int make_barrier(MPI_Comm comm, enum mode mode, MPI_Request *request)
{
    if (BLOCKING == mode) {
        return MPI_Barrier(comm);
    }
    return NONBLOCKING == mode ? MPI_Ibarrier(comm, request)
                               : NAPCOLL_PERSISTENT_INIT(Barrier, comm, MPI_INFO_NULL, request);
}

static int make_call(const struct test *t, const struct stall *s, MPI_Request *request)
{
    const int size = t->size - 1, root = BCAST == s->coll ? s->missing : (s->missing + 1) % size;

    switch (s->coll) {
    case BARRIER:
        return make_barrier(t->comm, s->mode, request);
    case ALLREDUCE:
        return MAKE(s->mode, request, Allreduce, allreduce, t->send, t->recv, s->bytes, MPI_BYTE,
                    MPI_BXOR, t->comm);
    case ALLGATHER:
        return MAKE(s->mode, request, Allgather, allgather, t->send, s->bytes, MPI_BYTE, t->recv,
                    s->bytes, MPI_BYTE, t->comm);
    case ALLTOALL:
        return MAKE(s->mode, request, Alltoall, alltoall, t->send, s->bytes, MPI_BYTE, t->recv,
                    s->bytes, MPI_BYTE, t->comm);
    case BCAST:
        return MAKE(s->mode, request, Bcast, bcast, t->send, s->bytes, MPI_BYTE, root, t->comm);
    default:
        return MAKE(s->mode, request, Reduce, reduce, t->send, t->recv, s->bytes, MPI_BYTE,
                    MPI_BXOR, root, t->comm);
    }
}

static void call(const struct test *t, const struct stall *s)
{
    MPI_Request request = MPI_REQUEST_NULL;

    mpi_check(make_call(t, s, &request), coll_name[s->coll]);
    if (PERSISTENT == s->mode) {
        mpi_check(MPI_Start(&request), "MPI_Start");
    }
    mpi_check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    if (PERSISTENT == s->mode) {
        mpi_check(MPI_Request_free(&request), "MPI_Request_free");
    }
}

/* ---- events ---- */

/* The data of the event. */
enum {
    RANK,
    RANKS,
    COMMUNICATOR,
    FUNCTION,
    CALL,
    MILLISECONDS,
    STAGE,
    AWAITED,
    PEER,
    ABSENTS,
    ABSENT,
    ELEMENTS
};

/* Of this process, since the stall began. */
struct events {
    int number;
    int latest[ELEMENTS];
};

#ifdef MPI_T_EVENT_REGISTRATION_NULL

static MPI_T_event_registration registration = MPI_T_EVENT_REGISTRATION_NULL;
static MPI_T_enum functions;
static struct events events;

static void note_event(MPI_T_event_instance event, MPI_T_event_registration handle,
                       MPI_T_cb_safety safety, void *data)
{
    struct events *to = data;

    (void) handle;
    (void) safety;
    if (MPI_SUCCESS == MPI_T_event_copy(event, to->latest)) {
        ++to->number;
    }
}

static void open_events(void)
{
    int index, elements = 0, verbosity, bind;
    MPI_Info info;

    mpi_check(MPI_T_event_get_index("ompi.coll_napcoll_stall", &index), "MPI_T_event_get_index");
    mpi_check(MPI_T_event_get_info(index, NULL, NULL, &verbosity, NULL, NULL, &elements, &functions,
                                   &info, NULL, NULL, &bind),
              "MPI_T_event_get_info");
    mpi_check(ELEMENTS == elements ? MPI_SUCCESS : MPI_ERR_OTHER, "elements of the event");
    if (MPI_INFO_NULL != info) {
        mpi_check(MPI_Info_free(&info), "MPI_Info_free");
    }
    mpi_check(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration),
              "MPI_T_event_handle_alloc");
    mpi_check(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL,
                                            &events, note_event),
              "MPI_T_event_register_callback");
}

static void close_events(void)
{
    mpi_check(MPI_T_event_handle_free(registration, NULL, NULL), "MPI_T_event_handle_free");
}

static bool is_function(int value, const struct stall *s)
{
    char expected[FUNCTION_NAME], name[FUNCTION_NAME];
    int items, item = -1, length = sizeof(name);

    mpi_check(MPI_T_enum_get_info(functions, &items, NULL, NULL), "MPI_T_enum_get_info");
    for (int i = 0; i < items && item != value; ++i) {
        length = sizeof(name);
        mpi_check(MPI_T_enum_get_item(functions, i, &item, name, &length), "MPI_T_enum_get_item");
    }
    return item == value && 0 == strcmp(name, function_name(coll_name[s->coll], s->mode, expected));
}

/* Whether what this process was told is right; the missing one was in other calls meanwhile. *told:
 * it was told of the missing process. */
static bool check_events(const struct test *t, const struct stall *s, int *told)
{
    const int *latest = events.latest;
    const bool good = 0 == events.number || t->rank == s->missing
                      || (t->rank == latest[RANK] && t->size - 1 == latest[RANKS]
                          && is_function(latest[FUNCTION], s) && latest[CALL] > 0
                          && (t->signals || latest[MILLISECONDS] >= 1000)
                          && (latest[AWAITED] > 0) == (latest[PEER] >= 0)
                          && (latest[ABSENTS] > 0) == (latest[ABSENT] >= 0));

    *told = events.number > 0 && (s->missing == latest[PEER] || s->missing == latest[ABSENT]);
    if (!good) {
        fprintf(stderr, "# rank %d: event of rank %d of %d, function %d, call %d, %d ms\n", t->rank,
                latest[RANK], latest[RANKS], latest[FUNCTION], latest[CALL], latest[MILLISECONDS]);
    }
    events.number = 0;
    return good;
}

static const bool has_events = true;

#else

static void open_events(void)
{
}

static void close_events(void)
{
}

static bool check_events(const struct test *t, const struct stall *s, int *told)
{
    (void) t;
    (void) s;
    *told = 0;
    return true;
}

static const bool has_events = false;

#endif

/* ---- the missing process ---- */

/* The file that ends a stall. */
static void name_end(const struct test *t, const struct stall *s, char path[PATH])
{
    (void) snprintf(path, PATH, "%s.end%d", t->log, s->number);
}

/* Stop, until a shell that sees the end of the stall lets the process go on. */
static void stop(const char *path)
{
    char script[2 * PATH], *arguments[] = {"sh", "-c", script, NULL};
    pid_t shell;
    int status;

    (void) snprintf(script, sizeof(script),
                    "until [ -e '%s' ]; do sleep 0.1; done; until kill -CONT %ld; do :; done", path,
                    (long) getpid());
    if (0 != posix_spawnp(&shell, "sh", NULL, NULL, arguments, environ)) {
        fprintf(stderr, "# cannot start a shell\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    (void) raise(SIGSTOP);
    (void) waitpid(shell, &status, 0);
}

/* A communicator of the missing process and the last one. */
static MPI_Comm make_pair(const struct test *t, const struct stall *s)
{
    const int ranks[] = {s->missing, t->size - 1};
    MPI_Group world, group;
    MPI_Comm pair;

    mpi_check(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
    mpi_check(MPI_Group_incl(world, 2, ranks, &group), "MPI_Group_incl");
    mpi_check(MPI_Comm_create_group(MPI_COMM_WORLD, group, TAG, &pair), "MPI_Comm_create_group");
    mpi_check(MPI_Group_free(&group), "MPI_Group_free");
    mpi_check(MPI_Group_free(&world), "MPI_Group_free");
    return pair;
}

static void end_pair(MPI_Comm pair)
{
    mpi_check(MPI_Barrier(pair), "MPI_Barrier");
    mpi_check(MPI_Comm_free(&pair), "MPI_Comm_free");
}

/* Until the last process has seen the report. */
static void stay_away(const struct test *t, const struct stall *s)
{
    char path[PATH];

    name_end(t, s, path);
    if (ELSEWHERE == s->cause) {
        end_pair(make_pair(t, s));
    } else if (STOP == s->cause) {
        stop(path);
    } else {
        while (0 != access(path, F_OK)) {
            pause_ms(PAUSE_MS);
        }
    }
}

/* ---- the last process ---- */

/* Whether a report on the stall in the log, behind an offset, names the missing rank. *end: where
 * the log ends. */
static bool is_named(const struct test *t, const struct stall *s, long from, long *end)
{
    FILE *log = fopen(t->log, "r");
    char name[64], rank[64], *line = NULL;
    bool named = false;
    size_t room = 0;

    (void) snprintf(name, sizeof(name), " (stall %d, ", s->number);
    (void) snprintf(rank, sizeof(rank), " rank %d on ", s->missing);
    if (NULL == log || 0 != fseek(log, from, SEEK_SET)) {
        fprintf(stderr, "# cannot read %s\n", t->log);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    while (getline(&line, &room, log) >= 0) {
        const char *at = strstr(line, name), *what = NULL == at ? NULL : strstr(at, "): ");

        named = named || (NULL != what && NULL != strstr(what, rank));
    }
    *end = ftell(log);
    free(line);
    (void) fclose(log);
    return named;
}

/* Wait until the missing rank is named, and the reports of the others have come. */
static bool await_reports(const struct test *t, const struct stall *s, long from)
{
    enum { QUIET = 10 };
    bool named = false;
    long end = from, before = -1;
    int quiet = 0;

    for (int i = 0; i < PATIENCE_S * 1000 / PAUSE_MS && (!named || quiet < QUIET); ++i) {
        named = is_named(t, s, from, &end);
        quiet = end == before ? quiet + 1 : 0;
        before = end;
        for (int rank = 0; t->signals && !named && 0 == i % QUIET && rank < t->size - 1; ++rank) {
            if (rank != s->missing) {
                (void) kill((pid_t) t->pid[rank], SIGUSR2);
            }
        }
        pause_ms(PAUSE_MS);
    }
    return named;
}

static bool observe(const struct test *t, const struct stall *s, long *from)
{
    MPI_Comm pair = ELSEWHERE == s->cause ? make_pair(t, s) : MPI_COMM_NULL;
    const bool named = await_reports(t, s, *from);
    char path[PATH];
    FILE *file;

    name_end(t, s, path);
    file = fopen(path, "w");
    if (NULL == file || 0 != fclose(file)) {
        fprintf(stderr, "# cannot write %s\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (MPI_COMM_NULL != pair) {
        end_pair(pair);
    }
    (void) is_named(t, s, *from, from);
    return named;
}

/* ---- the test ---- */

/* What was found in the stalls. */
struct found {
    /* The missing process was named, on stderr and in an event */
    int named, told;
    /* All data of events was right */
    bool right;
};

/* The same on all processes. */
static void run_stall(struct test *t, const struct tap *tap, int number, long *from,
                      struct found *found)
{
    const struct stall s = draw_stall(t, number);
    char name[64], path[PATH];
    int named = 0, told[2] = {0};

    if (0 == t->rank) {
        printf("# expect %d %d %s %s %s\n", number, s.missing, cause_name[s.cause],
               mode_name(s.mode), coll_name[s.coll]);
        fflush(stdout);
    }
    if (t->size - 1 == t->rank) {
        named = observe(t, &s, from);
    } else {
        (void) snprintf(name, sizeof(name), "stall %d", number);
        mpi_check(MPI_Comm_set_name(t->comm, name), "MPI_Comm_set_name");
        if (t->rank == s.missing) {
            stay_away(t, &s);
        }
        call(t, &s);
        told[1] = !check_events(t, &s, &told[0]);
    }
    mpi_check(MPI_Bcast(&named, 1, MPI_INT, t->size - 1, tap->comm), "MPI_Bcast");
    mpi_check(MPI_Allreduce(MPI_IN_PLACE, told, 2, MPI_INT, MPI_MAX, tap->comm), "MPI_Allreduce");
    if (t->size - 1 == t->rank) {
        name_end(t, &s, path);
        (void) remove(path);
    }
    if (0 == named && 0 == t->rank) {
        printf("# stall %d: the missing rank was not named within %d s\n", number, PATIENCE_S);
    }
    found->named += named;
    found->told += told[0];
    found->right = found->right && 0 == told[1];
}

static void open_test(struct test *t, int argc, char **argv)
{
    const char *cause = tap_option(argc, argv, "--cause", "any");
    const long own = (long) getpid();
    MPI_Comm part;

    mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &t->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(MPI_COMM_WORLD, &t->size), "MPI_Comm_size");
    t->log = tap_option(argc, argv, "--log", NULL);
    t->random = (unsigned long long) tap_option_number(argc, argv, "--seed", 1);
    t->cause = 0;
    while (t->cause < CAUSES && 0 != strcmp(cause, cause_name[t->cause])) {
        ++t->cause;
    }
    for (int i = 1; i < argc; ++i) {
        t->signals = t->signals || 0 == strcmp(argv[i], "--signal");
    }
    if (NULL == t->log || t->size < 3) {
        fprintf(stderr, "# --log FILE is missing, or there are fewer than 3 processes\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    t->pid = tap_alloc((size_t) t->size * sizeof(*t->pid));
    t->send = tap_alloc((size_t) t->size * MOST_BYTES);
    t->recv = tap_alloc((size_t) t->size * MOST_BYTES);
    mpi_check(MPI_Allgather(&own, 1, MPI_LONG, t->pid, 1, MPI_LONG, MPI_COMM_WORLD),
              "MPI_Allgather");
    mpi_check(
        MPI_Comm_split(MPI_COMM_WORLD, t->rank == t->size - 1 ? MPI_UNDEFINED : 0, t->rank, &part),
        "MPI_Comm_split");
    t->comm = part;
}

int main(int argc, char **argv)
{
    struct test t = {.rank = 0};
    struct found found = {.right = true};
    struct tap tap;
    int stalls, status;
    long from = 0;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    open_test(&t, argc, argv);
    open_events();
    stalls = (int) tap_option_number(argc, argv, "--stalls", 1);
    for (int i = 1; i <= stalls; ++i) {
        run_stall(&t, &tap, i, &from, &found);
    }
    tap_ok(&tap, found.named == stalls, "missing_rank_is_named_in_%d_of_%d_stalls", found.named,
           stalls);
    if (has_events) {
        tap_ok(&tap, found.right, "events_tell_what_the_reports_do");
        tap_ok(&tap, found.told > 0, "missing_rank_is_in_events_of_%d_of_%d_stalls", found.told,
               stalls);
    } else {
        tap_skip(&tap, "events", "this Open MPI has no events of MPI_T");
    }
    close_events();
    free(t.pid);
    free(t.send);
    free(t.recv);
    if (MPI_COMM_NULL != t.comm) {
        mpi_check(MPI_Comm_free(&t.comm), "MPI_Comm_free");
    }
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
