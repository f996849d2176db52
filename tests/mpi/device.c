/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Device memory, of the accelerator that accelerator_fake.c makes up: every collective by every
 * algorithm, with the two sides of a call on the device or on the host, on all ranks alike or not.
 * The results must equal the host buffers'.
 *
 *     device [--only COLL] [--without PART_OF_NAME] [--others-first]
 *
 * With --others-first napcoll has its place among Open MPI's components, of which some copy device
 * buffers to the host before a collective that is below them.
 */
#include <stdint.h>

#include "calls.h"

/* Which sides of which ranks are on the device. */
enum mix { BOTH, SENDS, RECEIVES, RANKS_DIFFER, ODD_RANKS, MIXES };

static bool is_on_device(enum mix mix, int rank, bool sends)
{
    switch (mix) {
    case BOTH:
        return true;
    case SENDS:
        return sends;
    case RECEIVES:
        return !sends;
    case RANKS_DIFFER:
        return 1 == (sends ? rank : rank / 2) % 2;
    default:
        return 1 == rank % 2;
    }
}

/* What a call moves. */
static const struct shape {
    const char *name;
    enum calls_kind kind;
    int count;
    bool gaps;
} shapes[] = {
    {"a few ints", CALLS_INTS, 3, false},
    {"many ints", CALLS_INTS, 20000, true},
    {"a few structs", CALLS_PAIRS, 2, true},
    {"structs", CALLS_PAIRS, 700, false},
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

/* The device, as this process sees it. */
struct device {
    unsigned long long window, shadow, bytes;
    MPI_T_cvar_handle copies;
};

struct run {
    struct tap tap;
    struct device device;
    bool others_first;
    MPI_Comm reference;
    struct napcoll_counters counters;
    struct calls calls[SHAPES];
    /* What a call leaves in the receive buffer; [1] in place */
    char *wanted[SHAPES][2];
};

static bool read_number(const char *name, MPI_T_cvar_handle *handle, unsigned long long *number)
{
    int index, count;

    return MPI_SUCCESS == MPI_T_cvar_get_index(name, &index)
           && MPI_SUCCESS == MPI_T_cvar_handle_alloc(index, NULL, handle, &count)
           && MPI_SUCCESS == MPI_T_cvar_read(*handle, number);
}

static bool device_open(struct device *device)
{
    MPI_T_cvar_handle handle;
    unsigned long long copies;

    mpi_check(napcoll_counters_init(), "MPI_T_init_thread");
    return read_number("accelerator_fake_window", &handle, &device->window)
           && read_number("accelerator_fake_shadow", &handle, &device->shadow)
           && read_number("accelerator_fake_bytes", &handle, &device->bytes)
           && read_number("accelerator_fake_copies", &device->copies, &copies)
           && 0 != device->window;
}

static unsigned long long device_copies(const struct device *device)
{
    unsigned long long copies = 0;

    mpi_check(MPI_T_cvar_read(device->copies, &copies), "MPI_T_cvar_read");
    return copies;
}

/* A buffer: what MPI gets, and where the test reaches it. */
struct buffer {
    char *user;
    char *reach;
};

static struct buffer buffer_open(const struct run *run, bool on_device, bool sends, size_t bytes)
{
    const unsigned long long at = sends ? 0 : run->device.bytes / 4;
    struct buffer buffer;

    if (!on_device) {
        buffer.user = buffer.reach = tap_alloc(bytes);
        return buffer;
    }
    buffer.user = (char *) (uintptr_t) (run->device.window + at);
    buffer.reach = (char *) (uintptr_t) (run->device.shadow + at);
    return buffer;
}

static void buffer_close(struct buffer *buffer)
{
    if (buffer->user == buffer->reach) {
        free(buffer->user);
    }
}

/* One call with its buffers where the mix says; *copies: how many that took. */
static bool one_call(struct run *run, MPI_Comm comm, int shape, bool in_place, enum mix mix,
                     unsigned long long *copies)
{
    struct calls *c = &run->calls[shape];
    const size_t bytes = calls_room(c) * c->extent;
    struct buffer sends = buffer_open(run, is_on_device(mix, c->rank, true), true, bytes);
    struct buffer recvs = buffer_open(run, is_on_device(mix, c->rank, false), false, bytes);
    char what[TAP_TEXT];
    bool good;

    calls_fill(c, 1, sends.reach);
    calls_fill(c, 2, recvs.reach);
    *copies = device_copies(&run->device);
    mpi_check(calls_make(c, comm, sends.user, recvs.user), c->coll);
    *copies = device_copies(&run->device) - *copies;
    snprintf(what, sizeof(what), "%s, mix %d%s", shapes[shape].name, mix,
             in_place ? ", in place" : "");
    good = calls_equal(&run->tap, c, recvs.reach, run->wanted[shape][in_place], what);
    buffer_close(&sends);
    buffer_close(&recvs);
    return good;
}

/* Every shape and mix on one communicator; *most: the copies of a small call with both sides on
 * the device, of the rank that has most. */
static bool all_calls(struct run *run, MPI_Comm comm, const char *coll, unsigned long long *most)
{
    unsigned long long copies;
    bool good = true;

    *most = 0;
    for (int shape = 0; shape < SHAPES; ++shape) {
        for (int in_place = 0; in_place < 2; ++in_place) {
            calls_choose(&run->calls[shape], coll, shapes[shape].count, 1 == in_place,
                         shapes[shape].gaps);
            for (int mix = 0; mix < MIXES; ++mix) {
                good = one_call(run, comm, shape, 1 == in_place, (enum mix) mix, &copies) && good;
                if (0 == shape && BOTH == mix) {
                    *most = copies > *most ? copies : *most;
                }
            }
        }
    }
    mpi_check(MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, run->tap.comm),
              "MPI_Allreduce");
    return good;
}

/* What basic makes of the calls, on the host. */
static void know_wanted(struct run *run, const char *coll)
{
    for (int shape = 0; shape < SHAPES; ++shape) {
        struct calls *c = &run->calls[shape];

        for (int in_place = 0; in_place < 2; ++in_place) {
            char *sends;

            calls_choose(c, coll, shapes[shape].count, 1 == in_place, shapes[shape].gaps);
            sends = tap_alloc(calls_room(c) * c->extent);
            free(run->wanted[shape][in_place]);
            run->wanted[shape][in_place] = tap_alloc(calls_room(c) * c->extent);
            calls_fill(c, 1, sends);
            calls_fill(c, 2, run->wanted[shape][in_place]);
            calls_make_reference(c, run->reference, sends, run->wanted[shape][in_place]);
            free(sends);
        }
    }
}

static MPI_Comm open_comm(const struct run *run, const char *coll, const char *algorithm)
{
    MPI_Info info;
    MPI_Comm comm;
    char key[TAP_TEXT];

    if (!run->others_first) {
        return calls_dup(MPI_COMM_WORLD, coll, algorithm);
    }
    snprintf(key, sizeof(key), "napcoll_%s", coll);
    mpi_check(MPI_Info_create(&info), "MPI_Info_create");
    mpi_check(MPI_Info_set(info, key, algorithm), "MPI_Info_set");
    mpi_check(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), "MPI_Comm_dup_with_info");
    mpi_check(MPI_Info_free(&info), "MPI_Info_free");
    return comm;
}

/* All calls by one algorithm, or as auto decides. What is reduced takes one copy of each side,
 * whatever the algorithm. */
static void by_algorithm(struct run *run, const char *coll, const char *algorithm)
{
    const bool automatic = 0 == strcmp("auto", algorithm);
    MPI_Comm comm = open_comm(run, coll, algorithm);
    unsigned long long copies;
    struct expectation e;
    char expect[TAP_TEXT];
    bool good;

    snprintf(expect, sizeof(expect), automatic ? "any" : "runs:%s", algorithm);
    expect_begin(&e, &run->counters);
    good = all_calls(run, comm, coll, &copies);
    good = expect_met(&run->tap, &e, expect) && good;
    if (0 == run->tap.rank) {
        printf("# table %-20s %-20s %4llu copies of a small call\n", coll, algorithm, copies);
    }
    if (!automatic && calls_reduces(&run->calls[0]) && (copies < 1 || copies > 2)) {
        tap_note(&run->tap, "%llu copies", copies);
        good = false;
    }
    tap_ok(&run->tap, good, "%s_%s_on_device", coll, algorithm);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

static void by_all_algorithms(struct run *run, const char *coll)
{
    memset(&run->counters, 0, sizeof(run->counters));
    mpi_check(napcoll_counters_open(&run->counters, coll), "MPI_T_pvar_handle_alloc");
    know_wanted(run, coll);
    by_algorithm(run, coll, "auto");
    for (int a = 0; a < run->counters.num_runs; ++a) {
        if (counts_algorithm(&run->counters, a)) {
            by_algorithm(run, coll, run->counters.name[a]);
        }
    }
    tap_ok(&run->tap, run->counters.num_runs > 0, "%s_has_algorithms", coll);
    mpi_check(napcoll_counters_close(&run->counters), "MPI_T_pvar_handle_free");
}

int main(int argc, char **argv)
{
    const char *only = tap_option(argc, argv, "--only", NULL), *coll;
    const char *without = tap_option(argc, argv, "--without", NULL);
    static struct run run;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&run.tap);
    for (int i = 1; i < argc; ++i) {
        run.others_first = run.others_first || 0 == strcmp("--others-first", argv[i]);
    }
    run.reference = tap_dup(MPI_COMM_WORLD, "basic,^napcoll", NULL, NULL);
    for (int shape = 0; shape < SHAPES; ++shape) {
        calls_open(&run.calls[shape], MPI_COMM_WORLD, shapes[shape].kind);
    }
    if (tap_ok(&run.tap, device_open(&run.device), "device_is_there")) {
        for (int i = 0; NULL != (coll = calls_name(i)); ++i) {
            if ((NULL == only || 0 == strcmp(only, coll))
                && (NULL == without || NULL == strstr(coll, without))) {
                by_all_algorithms(&run, coll);
            }
        }
    }
    for (int shape = 0; shape < SHAPES; ++shape) {
        calls_close(&run.calls[shape]);
        free(run.wanted[shape][0]);
        free(run.wanted[shape][1]);
    }
    mpi_check(MPI_Comm_free(&run.reference), "MPI_Comm_free");
    status = tap_close(&run.tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
