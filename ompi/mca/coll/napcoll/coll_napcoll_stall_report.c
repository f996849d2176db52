/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a report on a stalled call says, and the records by which the processes of a node know of
 * each other (exec/napcoll_mailbox.h).
 */

#include "coll_napcoll_node_memory.h"
#include "coll_napcoll_stall.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

uint64_t mca_coll_napcoll_stall_milliseconds(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

static double seconds_between(uint64_t from, uint64_t to)
{
    return to > from ? (double) (to - from) / 1000 : 0;
}

/* ---- records ---- */

/* A number of the PID namespace of this process; 0: not known. */
static uint64_t own_namespace(void)
{
    static _Atomic uint64_t known;
    struct stat status;

    if (0 == known && 0 == stat("/proc/self/ns/pid", &status)) {
        known = (uint64_t) status.st_ino;
    }
    return known;
}

/* The latest call in one word: its number, its function, and how many are under way. */
static uint64_t pack_call(const mca_coll_napcoll_history_t *history)
{
    const uint64_t function = (uint64_t) history->kind * NAPCOLL_COLLS + (uint64_t) history->coll;
    const uint64_t under_way = history->under_way > UINT16_MAX ? UINT16_MAX : history->under_way;

    return (uint64_t) history->number[0] << 32 | function << 16 | under_way;
}

void mca_coll_napcoll_stall_record(const mca_coll_napcoll_module_t *module, uint32_t stage)
{
    napcoll_region_t *region = mca_coll_napcoll_region(module);
    const mca_coll_napcoll_history_t *history = &module->history;
    napcoll_record_t *record;

    if (NULL == region) {
        return;
    }
    record = &region->bell[region->lane].record;
    atomic_store_explicit(&record->pid_namespace, own_namespace(), memory_order_relaxed);
    atomic_store_explicit(&record->pid, (uint32_t) getpid(), memory_order_relaxed);
    atomic_store_explicit(&record->stage, stage, memory_order_relaxed);
    atomic_store_explicit(&record->milliseconds, history->milliseconds, memory_order_relaxed);
    atomic_store_explicit(&record->persistent, history->number[1], memory_order_relaxed);
    atomic_store_explicit(&record->call, pack_call(history), memory_order_relaxed);
}

/* A call of a function, kind * NAPCOLL_COLLS + coll. */
static void name_function(unsigned function, char name[NAPCOLL_FUNCTION_NAME])
{
    const unsigned colls = NAPCOLL_COLLS;

    if (function < NAPCOLL_KINDS * colls) {
        napcoll_function_name(mca_coll_napcoll_collectives[function % colls],
                              (napcoll_kind_t) (function / colls), name);
    } else {
        name[0] = '\0';
    }
}

static unsigned function_of(const napcoll_record_t *record)
{
    return (unsigned) (atomic_load_explicit(&record->call, memory_order_relaxed) >> 16)
           & UINT16_MAX;
}

/* The latest call that a record tells of. */
static napcoll_stall_call_t read_call(const napcoll_record_t *record, uint64_t now)
{
    const uint64_t word = atomic_load_explicit(&record->call, memory_order_relaxed);
    const unsigned function = function_of(record);
    const bool persistent = function / NAPCOLL_COLLS == NAPCOLL_KIND_PERSISTENT;
    napcoll_stall_call_t call = {
        .number = persistent
                      ? (uint32_t) atomic_load_explicit(&record->persistent, memory_order_relaxed)
                      : (uint32_t) (word >> 32),
        .under_way = 0 != (word & UINT16_MAX),
        .stage = (int) atomic_load_explicit(&record->stage, memory_order_relaxed),
        .seconds = seconds_between(
            atomic_load_explicit(&record->milliseconds, memory_order_relaxed), now)};

    name_function(function, call.function);
    return call;
}

/* The state of a process of this node, as a letter of proc(5); 'X': it is gone. 0: not known. */
static char state_of(const napcoll_record_t *record)
{
    const long pid = (long) atomic_load_explicit(&record->pid, memory_order_relaxed);
    const uint64_t its = atomic_load_explicit(&record->pid_namespace, memory_order_relaxed);
    char path[64], text[512], *end;
    size_t read;
    FILE *file;

    if (0 == its || its != own_namespace()) {
        return '\0';
    }
    (void) snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (NULL == file) {
        return 0 != kill((pid_t) pid, 0) && ESRCH == errno ? 'X' : '\0';
    }
    read = fread(text, 1, sizeof(text) - 1, file);
    (void) fclose(file);
    text[read] = '\0';
    /* "4711 (name) S": the name may have any characters */
    end = strrchr(text, ')');
    return NULL != end && ' ' == end[1] ? end[2] : '\0';
}

/* ---- names ---- */

/* The name of a rank's node, from the launcher; the number of a node that is made up. */
static void name_rank(const mca_coll_napcoll_module_t *module, int rank, napcoll_stall_rank_t *to)
{
    const opal_process_name_t process = ompi_group_get_proc_name(module->comm->c_local_group, rank);
    char *host = mca_coll_napcoll_component.job.fake ? NULL : napcoll_compat_host_of(&process);

    to->rank = rank;
    if (NULL != host) {
        napcoll_stall_clean(host, to->node);
    } else if (NULL != module->map) {
        (void) snprintf(to->node, sizeof(to->node), "node %d",
                        napcoll_node_map_node(module->map, rank));
    } else {
        napcoll_stall_clean(rank == ompi_comm_rank(module->comm) ? napcoll_compat_hostname()
                                                                 : "another node",
                            to->node);
    }
    free(host);
}

static void name_communicator(const mca_coll_napcoll_module_t *module,
                              napcoll_stall_report_t *report)
{
    const opal_process_name_t first = ompi_group_get_proc_name(module->comm->c_local_group, 0);

    name_rank(module, ompi_comm_rank(module->comm), &report->who);
    report->communicator = napcoll_compat_comm_id(module->comm);
    report->size = ompi_comm_size(module->comm);
    report->first = (unsigned) first.vpid;
    napcoll_stall_clean(module->comm->c_name, report->name);
}

/* ---- mates that are not in the call ---- */

/* Whether a mate has not entered a call, or has entered another one in its place. */
static bool is_absent(const mca_coll_napcoll_run_t *run, uint32_t number,
                      const napcoll_record_t *record)
{
    const uint64_t call = atomic_load_explicit(&record->call, memory_order_relaxed);
    const uint32_t its = (uint32_t) (call >> 32);
    const unsigned function = (unsigned) run->kind * NAPCOLL_COLLS + (unsigned) run->call.coll;

    if (0 == atomic_load_explicit(&record->pid, memory_order_relaxed)) {
        return false;
    }
    if (NAPCOLL_KIND_PERSISTENT == run->kind) {
        return (uint32_t) atomic_load_explicit(&record->persistent, memory_order_relaxed) < number;
    }
    return its < number
           || (its == number && function_of(record) != function
               && function_of(record) / NAPCOLL_COLLS != NAPCOLL_KIND_PERSISTENT);
}

/* A mate's latest call on the other communicators that it shares with this process. */
static void find_other(const mca_coll_napcoll_module_t *modules,
                       const mca_coll_napcoll_module_t *own, const napcoll_record_t *record,
                       uint64_t now, napcoll_stall_absent_t *absent)
{
    const uint32_t pid = atomic_load_explicit(&record->pid, memory_order_relaxed);
    uint64_t latest = atomic_load_explicit(&record->milliseconds, memory_order_relaxed);

    for (const mca_coll_napcoll_module_t *m = modules; NULL != m; m = m->history.next) {
        const napcoll_region_t *region = m == own ? NULL : mca_coll_napcoll_region(m);

        for (int lane = 0; NULL != region && lane < region->lanes; lane++) {
            const napcoll_record_t *its = &region->bell[lane].record;
            const uint64_t when = atomic_load_explicit(&its->milliseconds, memory_order_relaxed);

            if (pid == atomic_load_explicit(&its->pid, memory_order_relaxed) && when > latest) {
                latest = when;
                absent->other = read_call(its, now);
                absent->other_communicator = napcoll_compat_comm_id(m->comm);
            }
        }
    }
}

static void add_absents(const mca_coll_napcoll_run_t *run, const mca_coll_napcoll_module_t *modules,
                        uint64_t now, napcoll_stall_report_t *report)
{
    const mca_coll_napcoll_module_t *module = run->napcoll;
    const napcoll_region_t *region = mca_coll_napcoll_region(module);
    const int node = NULL == region
                         ? 0
                         : napcoll_node_map_node(module->map, ompi_comm_rank(module->comm));

    for (int lane = 0; NULL != region && lane < region->lanes; lane++) {
        const napcoll_record_t *record = &region->bell[lane].record;
        napcoll_stall_absent_t *absent = &report->absent[report->absents];

        if (lane == region->lane || !is_absent(run, report->call.number, record)
            || report->absents++ >= NAPCOLL_STALL_NAMED) {
            continue;
        }
        *absent = (napcoll_stall_absent_t){
            .last = read_call(record, now), .pid = (long) record->pid, .state = state_of(record)};
        name_rank(module, napcoll_node_map_rank(module->map, node, lane), &absent->who);
        find_other(modules, module, record, now, absent);
    }
}

/* ---- the report ---- */

uint32_t mca_coll_napcoll_stall_stage(const mca_coll_napcoll_run_t *run)
{
    const napcoll_operation_t *operation = run->operation;

    if (NULL == operation || operation->done || operation->stage >= operation->plan->stages) {
        return 0;
    }
    return (uint32_t) operation->stage + 1;
}

/* The place of the operation in its plan, and its peers. */
static void add_operation(const mca_coll_napcoll_module_t *module,
                          const napcoll_operation_t *operation, napcoll_stall_report_t *report)
{
    static const napcoll_stall_doing_t doing[] = {
        [NAPCOLL_AWAITS_TURN] = NAPCOLL_STALL_QUEUED,
        [NAPCOLL_AWAITS_MESSAGES] = NAPCOLL_STALL_MESSAGES,
        [NAPCOLL_AWAITS_PHASE] = NAPCOLL_STALL_PHASE};
    bool *is_peer = calloc((size_t) report->size, sizeof(*is_peer));

    report->algorithm = operation->plan->algorithm;
    report->stages = operation->plan->stages;
    report->piece = operation->piece + 1;
    report->pieces = operation->plan->pieces;
    report->doing = NAPCOLL_STALL_MESSAGES;
    if (NULL == is_peer) {
        /* without peers */
        return;
    }
    report->doing = doing[napcoll_operation_awaits(operation, is_peer)];
    for (int rank = 0; rank < report->size; rank++) {
        if (is_peer[rank] && report->peers++ < NAPCOLL_STALL_NAMED) {
            name_rank(module, rank, &report->peer[report->peers - 1]);
        }
    }
    free(is_peer);
}

void mca_coll_napcoll_stall_report_run(const mca_coll_napcoll_run_t *run,
                                       const mca_coll_napcoll_module_t *modules, uint64_t now,
                                       napcoll_stall_report_t *report)
{
    const mca_coll_napcoll_stall_t *stall = &run->stall;
    const mca_coll_napcoll_module_t *module = run->napcoll;
    const uint32_t next = module->history.number[NAPCOLL_KIND_PERSISTENT == run->kind] + 1;
    const napcoll_operation_t *operation = run->operation;
    const int awaited = mca_coll_napcoll_stall_awaited(run);

    memset(report, 0, sizeof(*report));
    name_communicator(module, report);
    report->call = (napcoll_stall_call_t){.number = stall->settled ? stall->number : next,
                                          .under_way = true,
                                          .stage = (int) mca_coll_napcoll_stall_stage(run),
                                          .seconds = seconds_between(stall->began, now)};
    napcoll_function_name(mca_coll_napcoll_collectives[run->call.coll], run->kind,
                          report->call.function);
    if (!stall->settled) {
        report->doing = NAPCOLL_STALL_SETUP;
        if (awaited >= 0) {
            report->peers = 1;
            name_rank(module, awaited, &report->peer[0]);
        }
    } else if (NULL == operation) {
        report->doing = NAPCOLL_STALL_FALLBACK;
    } else if (!operation->done) {
        add_operation(module, operation, report);
    }
    add_absents(run, modules, now, report);
}

void mca_coll_napcoll_stall_report_module(const mca_coll_napcoll_module_t *module, uint64_t now,
                                          napcoll_stall_report_t *report)
{
    const mca_coll_napcoll_history_t *history = NULL == module ? NULL : &module->history;

    memset(report, 0, sizeof(*report));
    report->doing = NAPCOLL_STALL_NONE;
    if (NULL == module) {
        napcoll_stall_clean(napcoll_compat_hostname(), report->who.node);
        report->who.rank = (int) OPAL_PROC_MY_NAME.vpid;
        return;
    }
    name_communicator(module, report);
    report->call = (napcoll_stall_call_t){
        .number = history->number[NAPCOLL_KIND_PERSISTENT == history->kind],
        .seconds = seconds_between(history->milliseconds, now)};
    napcoll_function_name(mca_coll_napcoll_collectives[history->coll], history->kind,
                          report->call.function);
}
