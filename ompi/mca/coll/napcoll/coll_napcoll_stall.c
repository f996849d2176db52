/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Calls that wait for long (see the header): the list of calls under way, the clock, the signal.
 *
 * The lock is held while a call begins, gets its number or ends, and while a report is made, so
 * that no call ends under the report's eyes. Other threads may carry the call on meanwhile: the
 * report only reads.
 */

#include "coll_napcoll_stall.h"

#include <signal.h>
#include <string.h>

#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"

static opal_mutex_t lock;
/* Under the lock: the calls under way, and the communicators that have had calls, the ones with the
 * latest first call in front. */
static mca_coll_napcoll_run_t *calls;
static mca_coll_napcoll_module_t *modules;
/* How often the signal has come; a call has a report for each. */
static unsigned rounds;
/* Calls in the list. */
static _Atomic unsigned under_way;
/* The signal has come. */
static _Atomic bool asked;
static int signal_number;
/* The latest set-up of this process that waits for a message, and the rank that sends it, or -1. */
static const mca_coll_napcoll_module_t *_Atomic set_up;
static _Atomic int awaited = -1;

/* ---- calls ---- */

void mca_coll_napcoll_stall_begin(mca_coll_napcoll_run_t *run)
{
    mca_coll_napcoll_stall_t *stall = &run->stall;

    if (run->napcoll->fallback_depth > 0 || NULL != stall->at) {
        /* a part of a call that is watched */
        return;
    }
    opal_mutex_lock(&lock);
    *stall = (mca_coll_napcoll_stall_t){.next = calls,
                                        .at = &calls,
                                        .began = mca_coll_napcoll_stall_milliseconds(),
                                        .rounds = rounds};
    if (NULL != calls) {
        calls->stall.at = &stall->next;
    }
    calls = run;
    atomic_fetch_add_explicit(&under_way, 1, memory_order_relaxed);
    opal_mutex_unlock(&lock);
}

void mca_coll_napcoll_stall_settle(mca_coll_napcoll_run_t *run)
{
    mca_coll_napcoll_module_t *module = run->napcoll;
    mca_coll_napcoll_history_t *history = &module->history;

    if (NULL == run->stall.at) {
        return;
    }
    opal_mutex_lock(&lock);
    if (NULL == history->at) {
        history->next = modules;
        history->at = &modules;
        if (NULL != modules) {
            modules->history.at = &history->next;
        }
        modules = module;
    }
    run->stall.number = ++history->number[NAPCOLL_KIND_PERSISTENT == run->kind];
    run->stall.settled = true;
    history->coll = run->call.coll;
    history->kind = run->kind;
    history->under_way++;
    history->milliseconds = run->stall.began;
    mca_coll_napcoll_stall_record(module, 0);
    opal_mutex_unlock(&lock);
}

void mca_coll_napcoll_stall_end(mca_coll_napcoll_run_t *run)
{
    mca_coll_napcoll_stall_t *stall = &run->stall;
    mca_coll_napcoll_history_t *history = &run->napcoll->history;

    if (NULL == stall->at) {
        return;
    }
    opal_mutex_lock(&lock);
    *stall->at = stall->next;
    if (NULL != stall->next) {
        stall->next->stall.at = stall->at;
    }
    stall->at = NULL;
    atomic_fetch_sub_explicit(&under_way, 1, memory_order_relaxed);
    if (stall->settled) {
        history->under_way--;
        if (0 == history->under_way) {
            history->milliseconds = mca_coll_napcoll_stall_milliseconds();
        }
        mca_coll_napcoll_stall_record(run->napcoll, 0);
    }
    opal_mutex_unlock(&lock);
}

void mca_coll_napcoll_stall_move(mca_coll_napcoll_run_t *from, mca_coll_napcoll_run_t *to)
{
    opal_mutex_lock(&lock);
    to->stall = from->stall;
    *to->stall.at = to;
    if (NULL != to->stall.next) {
        to->stall.next->stall.at = &to->stall.next;
    }
    from->stall.at = NULL;
    opal_mutex_unlock(&lock);
}

void mca_coll_napcoll_stall_awaits(const mca_coll_napcoll_module_t *module, int rank)
{
    atomic_store_explicit(&set_up, module, memory_order_relaxed);
    atomic_store_explicit(&awaited, rank, memory_order_relaxed);
}

int mca_coll_napcoll_stall_awaited(const mca_coll_napcoll_run_t *run)
{
    return run->napcoll == atomic_load_explicit(&set_up, memory_order_relaxed)
               ? atomic_load_explicit(&awaited, memory_order_relaxed)
               : -1;
}

void mca_coll_napcoll_stall_share(mca_coll_napcoll_module_t *module)
{
    opal_mutex_lock(&lock);
    mca_coll_napcoll_stall_record(module, 0);
    opal_mutex_unlock(&lock);
}

void mca_coll_napcoll_stall_forget(mca_coll_napcoll_module_t *module)
{
    mca_coll_napcoll_history_t *history = &module->history;

    if (NULL == history->at) {
        return;
    }
    opal_mutex_lock(&lock);
    *history->at = history->next;
    if (NULL != history->next) {
        history->next->history.at = history->at;
    }
    history->at = NULL;
    opal_mutex_unlock(&lock);
}

/* ---- the look at the clock ---- */

/* The signal has come: all calls are due. Returns whether there is none, and a report on that. */
static bool begin_round(uint64_t now, napcoll_stall_report_t *report)
{
    const mca_coll_napcoll_module_t *latest = modules;

    rounds++;
    if (NULL != calls) {
        return false;
    }
    for (const mca_coll_napcoll_module_t *m = modules; NULL != m; m = m->history.next) {
        latest = m->history.milliseconds > latest->history.milliseconds ? m : latest;
    }
    mca_coll_napcoll_stall_report_module(latest, now, report);
    return true;
}

/* Whether a call is to be reported now; at most once by the clock, and once for each signal. */
static bool is_due(mca_coll_napcoll_stall_t *stall, uint64_t now)
{
    const uint64_t limit = 1000 * (uint64_t) mca_coll_napcoll_component.stall_seconds;

    if (stall->rounds != rounds) {
        stall->rounds = rounds;
        return true;
    }
    if (limit > 0 && !stall->reported && now - stall->began >= limit) {
        stall->reported = true;
        return true;
    }
    return false;
}

/* The next report that is due. The mates see the stage of a call as of here. */
static bool next_report(uint64_t now, napcoll_stall_report_t *report)
{
    if (atomic_exchange_explicit(&asked, false, memory_order_relaxed) && begin_round(now, report)) {
        return true;
    }
    for (mca_coll_napcoll_run_t *run = calls; NULL != run; run = run->stall.next) {
        if (run->stall.settled) {
            mca_coll_napcoll_stall_record(run->napcoll, mca_coll_napcoll_stall_stage(run));
        }
        if (is_due(&run->stall, now)) {
            mca_coll_napcoll_stall_report_run(run, modules, now, report);
            return true;
        }
    }
    return false;
}

static void print(const napcoll_stall_report_t *report)
{
    char line[NAPCOLL_STALL_LINE];

    napcoll_stall_words(report, line);
    opal_output(0, "%s", line);
    mca_coll_napcoll_stall_raise(report);
}

/* Called by opal_progress(), in any thread. */
static int look(void)
{
    napcoll_stall_report_t report;
    bool due = true;

    if (0 == atomic_load_explicit(&under_way, memory_order_relaxed)
        && !atomic_load_explicit(&asked, memory_order_relaxed)) {
        return 0;
    }
    while (due && 0 == opal_mutex_trylock(&lock)) {
        due = next_report(mca_coll_napcoll_stall_milliseconds(), &report);
        opal_mutex_unlock(&lock);
        if (due) {
            print(&report);
        }
    }
    return 0;
}

/* ---- the signal ---- */

static void note_signal(int number)
{
    (void) number;
    atomic_store_explicit(&asked, true, memory_order_relaxed);
}

/* Take the signal, unless the program has a handler for it. */
static void take_signal(int number)
{
    struct sigaction action, before;

    memset(&action, 0, sizeof(action));
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    (void) sigemptyset(&action.sa_mask);
    if (0 != sigaction(number, NULL, &before) || 0 != (before.sa_flags & SA_SIGINFO)
        || (SIG_DFL != before.sa_handler && SIG_IGN != before.sa_handler)
        || 0 != sigaction(number, &action, NULL)) {
        if (mca_coll_napcoll_reports()) {
            napcoll_compat_show_help("signal in use", SIGUSR1 == number ? "SIGUSR1" : "SIGUSR2");
        }
        return;
    }
    signal_number = number;
}

/* Give it back, unless the program has taken it meanwhile. */
static void give_signal(void)
{
    struct sigaction action;

    if (0 != signal_number && 0 == sigaction(signal_number, NULL, &action)
        && 0 == (action.sa_flags & SA_SIGINFO) && note_signal == action.sa_handler) {
        action.sa_handler = SIG_DFL;
        (void) sigaction(signal_number, &action, NULL);
    }
    signal_number = 0;
}

/* ---- the component ---- */

int mca_coll_napcoll_stall_open(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    int rc;

    OBJ_CONSTRUCT(&lock, opal_mutex_t);
    component->watched = component->stall_seconds > 0
                         || NAPCOLL_STALL_SIGNAL_NONE != component->stall_signal;
    if (!component->watched) {
        return OMPI_SUCCESS;
    }
    rc = opal_progress_register_lp(look);
    if (OPAL_SUCCESS == rc && NAPCOLL_STALL_SIGNAL_NONE != component->stall_signal) {
        take_signal(NAPCOLL_STALL_SIGNAL_USR1 == component->stall_signal ? SIGUSR1 : SIGUSR2);
    }
    return rc;
}

void mca_coll_napcoll_stall_close(void)
{
    if (mca_coll_napcoll_component.watched) {
        give_signal();
        (void) opal_progress_unregister(look);
        mca_coll_napcoll_component.watched = false;
    }
    OBJ_DESTRUCT(&lock);
}
