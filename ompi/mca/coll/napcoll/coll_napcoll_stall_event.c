/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reports on stalled calls as an event of MPI_T, for tools that watch a job from within. It has the
 * numbers of the line on stderr.
 */

#include "coll_napcoll_stall.h"

#include <limits.h>
#include <string.h>

/* The data of the event; its description has the order. */
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

_Static_assert((int) ELEMENTS <= (int) NAPCOLL_EVENT_ELEMENTS, "too much data");

static const char description[] =
    "A call has waited for stall_seconds, or the signal of stall_signal has come while it "
    "waits. Integers: rank of the process, size and number of the communicator, function (see "
    "the enumeration), number of the call on the communicator, milliseconds since it began, "
    "stage of its plan (0: not known), number of ranks for whose messages it waits and the "
    "first of them, number of processes of the node that are not in the call and the first of "
    "them (-1: none)";

enum { FUNCTIONS = NAPCOLL_KINDS * NAPCOLL_COLLS };

static struct napcoll_event *event;
static char function_name[FUNCTIONS][NAPCOLL_FUNCTION_NAME];

int mca_coll_napcoll_stall_register(void)
{
    mca_base_var_enum_value_t values[FUNCTIONS + 1];
    mca_base_var_enum_t *enumerator;
    int rc;

    for (int i = 0; i < FUNCTIONS; i++) {
        napcoll_function_name(mca_coll_napcoll_collectives[i % NAPCOLL_COLLS],
                              (napcoll_kind_t) (i / NAPCOLL_COLLS), function_name[i]);
        values[i] = (mca_base_var_enum_value_t){.value = i, .string = function_name[i]};
    }
    values[FUNCTIONS] = (mca_base_var_enum_value_t){.string = NULL};
    rc = mca_base_var_enum_create("coll_napcoll_functions", values, &enumerator);
    if (OPAL_SUCCESS == rc) {
        event = napcoll_compat_event(&mca_coll_napcoll_component.super.collm_version, "stall",
                                     description, enumerator, ELEMENTS);
        OBJ_RELEASE(enumerator);
    }
    return rc;
}

static int function_of(const char *name)
{
    int i = 0;

    while (i < FUNCTIONS && 0 != strcmp(name, function_name[i])) {
        i++;
    }
    return i;
}

/* As an int; there may be more. */
static int limited(double value)
{
    return value < INT_MAX ? (int) value : INT_MAX;
}

void mca_coll_napcoll_stall_raise(const napcoll_stall_report_t *report)
{
    const napcoll_stall_call_t *call = &report->call;

    if (call->under_way) {
        napcoll_compat_event_raise(
            event, (const int[ELEMENTS]){
                       [RANK] = report->who.rank,
                       [RANKS] = report->size,
                       [COMMUNICATOR] = limited(report->communicator),
                       [FUNCTION] = function_of(call->function),
                       [CALL] = limited(call->number),
                       [MILLISECONDS] = limited(1000 * call->seconds),
                       [STAGE] = call->stage,
                       [AWAITED] = report->peers,
                       [PEER] = report->peers > 0 ? report->peer[0].rank : -1,
                       [ABSENTS] = report->absents,
                       [ABSENT] = report->absents > 0 ? report->absent[0].who.rank : -1,
                   });
    }
}
