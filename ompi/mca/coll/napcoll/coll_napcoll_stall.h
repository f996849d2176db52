/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Calls that wait for long: who looks, when, and what is reported.
 *
 *     begin -> settle -> end        of a call (coll_napcoll_stats.h calls these)
 *              | number and record  the record in node memory tells the node mates
 *     opal_progress -> look         at the clock and at the signal's flag, while anything waits
 *                      -> report    one line: the call, its peers, and mates that are not in it
 *
 * All waiting in Open MPI and in napcoll runs opal_progress(). So one function that is registered
 * there sees every call, also one that waits inside the PML or inside another component. Where
 * neither stall_seconds nor stall_signal is set, nothing is registered, and calls take the branches
 * that they take without.
 */

#ifndef MCA_COLL_NAPCOLL_STALL_H
#define MCA_COLL_NAPCOLL_STALL_H

#include "coll_napcoll_run.h"
#include "select/napcoll_stall.h"

/* ---- coll_napcoll_stall.c ---- */

/** When the component opens and closes: begin to look, where the parameters ask for it. */
int mca_coll_napcoll_stall_open(void);
void mca_coll_napcoll_stall_close(void);

/** A call begins, has its place in the order of calls, and ends; a call that was not begun may end.
 * Only where component->watched. */
void mca_coll_napcoll_stall_begin(mca_coll_napcoll_run_t *run);
void mca_coll_napcoll_stall_settle(mca_coll_napcoll_run_t *run);
void mca_coll_napcoll_stall_end(mca_coll_napcoll_run_t *run);

/** A call that has begun was copied to its request. */
void mca_coll_napcoll_stall_move(mca_coll_napcoll_run_t *from, mca_coll_napcoll_run_t *to);

/** The set-up of a communicator waits for a message of a rank; -1: it has come. */
void mca_coll_napcoll_stall_awaits(const mca_coll_napcoll_module_t *module, int rank);

/** The rank for which a call's set-up waits, or -1. */
int mca_coll_napcoll_stall_awaited(const mca_coll_napcoll_run_t *run);

/** A communicator has its node memory now: write this process's record. */
void mca_coll_napcoll_stall_share(mca_coll_napcoll_module_t *module);

/** A communicator ends. */
void mca_coll_napcoll_stall_forget(mca_coll_napcoll_module_t *module);

/* ---- coll_napcoll_stall_report.c ---- */

/** CLOCK_MONOTONIC. */
uint64_t mca_coll_napcoll_stall_milliseconds(void);

/** Write this process's record of a communicator that has node memory. */
void mca_coll_napcoll_stall_record(const mca_coll_napcoll_module_t *module, uint32_t stage);

/** The stage at which a call is, from 1 on; 0: it has none. */
uint32_t mca_coll_napcoll_stall_stage(const mca_coll_napcoll_run_t *run);

/** Report on a call that has begun, as of now. `modules`: communicators in which the mates may have
 * been meanwhile. */
void mca_coll_napcoll_stall_report_run(const mca_coll_napcoll_run_t *run,
                                       const mca_coll_napcoll_module_t *modules, uint64_t now,
                                       napcoll_stall_report_t *report);

/** Report on a process that is in no call; `module` is the communicator of its latest one. */
void mca_coll_napcoll_stall_report_module(const mca_coll_napcoll_module_t *module, uint64_t now,
                                          napcoll_stall_report_t *report);

/* ---- coll_napcoll_stall_event.c ---- */

/** When the parameters are registered: make the event of MPI_T, where this Open MPI has events. */
int mca_coll_napcoll_stall_register(void);

/** Raise the event for a call under way. A tool's function may run. */
void mca_coll_napcoll_stall_raise(const napcoll_stall_report_t *report);

#endif /* MCA_COLL_NAPCOLL_STALL_H */
