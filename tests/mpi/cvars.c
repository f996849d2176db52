/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A control variable that is written through the MPI tool interface, alike on all processes: it
 * holds for the communicators that are made from then on, and for none made before, used by then or
 * not. To be run with coll_napcoll_allreduce_algorithm set to nap.
 */
#include "counters.h"

static const char variable[] = "coll_napcoll_allreduce_algorithm";

/* The variable, and the values that it has names for. */
struct control {
    MPI_T_cvar_handle handle;
    MPI_T_enum values;
};

static void open_control(struct control *control)
{
    char name[128], text[8];
    int index, name_len = (int) sizeof(name), text_len = (int) sizeof(text);
    int verbosity, bind, scope, elements;
    MPI_Datatype type;

    mpi_check(napcoll_counters_init(), "MPI_T_init_thread");
    mpi_check(MPI_T_cvar_get_index(variable, &index), "MPI_T_cvar_get_index");
    mpi_check(MPI_T_cvar_get_info(index, name, &name_len, &verbosity, &type, &control->values, text,
                                  &text_len, &bind, &scope),
              "MPI_T_cvar_get_info");
    mpi_check(MPI_T_cvar_handle_alloc(index, NULL, &control->handle, &elements),
              "MPI_T_cvar_handle_alloc");
}

static void close_control(struct control *control)
{
    mpi_check(MPI_T_cvar_handle_free(&control->handle), "MPI_T_cvar_handle_free");
    mpi_check(MPI_T_finalize(), "MPI_T_finalize");
}

/* The value of a name. */
static int value_of(const struct control *control, const char *wanted)
{
    char name[128];
    int num, value, length;

    mpi_check(MPI_T_enum_get_info(control->values, &num, NULL, NULL), "MPI_T_enum_get_info");
    for (int i = 0; i < num; ++i) {
        length = (int) sizeof(name);
        mpi_check(MPI_T_enum_get_item(control->values, i, &value, name, &length),
                  "MPI_T_enum_get_item");
        if (0 == strcmp(wanted, name)) {
            return value;
        }
    }
    fprintf(stderr, "# %s: %s has no such value\n", wanted, variable);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return -1;
}

static void set(const struct control *control, const char *name)
{
    int value = value_of(control, name);

    mpi_check(MPI_T_cvar_write(control->handle, &value), "MPI_T_cvar_write");
}

static bool is_set(const struct control *control, const char *name)
{
    int value = -1;

    mpi_check(MPI_T_cvar_read(control->handle, &value), "MPI_T_cvar_read");
    return value == value_of(control, name);
}

/* Whether an allreduce is right, and done as the words of counters.h say. */
static bool does(struct tap *tap, struct napcoll_counters *counters, MPI_Comm comm,
                 const char *words)
{
    struct expectation expectation;
    int mine = tap->rank + 1, sum = 0;

    expect_begin(&expectation, counters);
    mpi_check(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    return expect_met(tap, &expectation, words) && tap->size * (tap->size + 1) / 2 == sum;
}

static void run_cvars(struct tap *tap, struct control *control, struct napcoll_counters *counters)
{
    MPI_Comm used = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    MPI_Comm unused = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    MPI_Comm later, named, last;
    int none = 12345;

    tap_ok(tap, is_set(control, "nap") && does(tap, counters, used, "runs:nap"),
           "variable_is_what_the_job_was_started_with");
    set(control, "recursive_doubling");
    later = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    named = tap_dup(MPI_COMM_WORLD, "napcoll", "napcoll_allreduce_algorithm", "tree");
    tap_ok(tap, does(tap, counters, later, "runs:recursive_doubling"),
           "variable_holds_for_a_communicator_made_later");
    tap_ok(tap, does(tap, counters, named, "runs:tree"), "info_key_overrides_the_variable");
    tap_ok(tap, does(tap, counters, used, "runs:nap"),
           "variable_leaves_a_communicator_in_use_alone");
    tap_ok(tap, does(tap, counters, unused, "runs:nap"), "variable_leaves_one_made_before_alone");
    set(control, "fallback");
    last = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    tap_ok(tap, does(tap, counters, last, "fallback:forced"), "variable_can_leave_calls_to_others");
    tap_ok(tap, does(tap, counters, later, "runs:recursive_doubling"),
           "variable_is_read_when_a_communicator_is_made");
    tap_ok(tap,
           MPI_SUCCESS != MPI_T_cvar_write(control->handle, &none) && is_set(control, "fallback"),
           "variable_takes_no_number_without_a_name");
    mpi_check(MPI_Comm_free(&used), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&unused), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&later), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&named), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&last), "MPI_Comm_free");
}

int main(int argc, char **argv)
{
    static struct napcoll_counters counters;
    struct control control;
    struct tap tap;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    open_control(&control);
    mpi_check(napcoll_counters_open(&counters, "allreduce"), "MPI_T_init_thread");
    run_cvars(&tap, &control, &counters);
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    close_control(&control);
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
