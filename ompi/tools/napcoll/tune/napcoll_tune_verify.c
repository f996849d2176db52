/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether the order of algorithms is what the machine says: collectives of some sizes, each as auto would do it on the
 * machine that was found, by every algorithm that is not hopeless, and as Open MPI did it before napcoll; in turns, once
 * all of them, then once more as far as time allows. Where another one is beyond noise faster than what auto would take, a
 * rule corrects it. Rank 0 alone.
 */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <string.h>

#include "napcoll_tune.h"
#include "napcoll_tune_schedule.h"
#include "select/napcoll_agreement.h"
#include "common/napcoll_rule_range.h"
#include "select/napcoll_select.h"

/* This part of the time is over after the first look at all cases, or more where so many turns take longer. */
static const double first_look = 0.5;

/* Whether napcoll is there to be asked for algorithms: its parameters are, and it is not off. */
static bool has_napcoll(void)
{
    int level, provided, index, count, priority = -1;
    MPI_T_cvar_handle handle;

    if (MPI_SUCCESS != MPI_Query_thread(&level)
        || MPI_SUCCESS != MPI_T_init_thread(level, &provided)) {
        return false;
    }
    if (MPI_SUCCESS == MPI_T_cvar_get_index("coll_napcoll_priority", &index)
        && MPI_SUCCESS == MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) {
        if (MPI_SUCCESS != MPI_T_cvar_read(handle, &priority)) {
            priority = -1;
        }
        (void) MPI_T_cvar_handle_free(&handle);
    }
    (void) MPI_T_finalize();
    return priority >= 0;
}

/* ---- all cases ---- */

/* The settings with which auto decides. */
static napcoll_settings_t settings_of(const napcoll_collective_t *collective,
                                      const napcoll_machine_t *machine)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);

    settings.machine = machine;
    return settings;
}

/* Whether auto looks at the sizes of a collective at all: where not all processes know those of all blocks, it has them
 * agree, or the root announce them, where the machine says that this pays. */
static bool looks_at_sizes(const tune_subject_t *subject, const napcoll_settings_t *settings,
                           const napcoll_node_map_t *map)
{
    const napcoll_collective_t *collective = subject->collective;
    const napcoll_settings_t telling = settings_of(napcoll_agreement_by(collective),
                                                   settings->machine);
    napcoll_agreement_t agreement;

    if (!subject->untold) {
        return true;
    }
    if (0 != napcoll_agreement(collective, settings, &telling, map, &agreement)) {
        tune_out_of_memory();
    }
    return agreement.pays;
}

/* What auto estimates a call of a case to take, microseconds; 0 where it takes no algorithm. Contestants take about
 * as long, as they have to send about as much. */
static double need_of(const napcoll_settings_t *settings, const tune_case_t *c,
                      const napcoll_node_map_t *map)
{
    const napcoll_call_t call = {
        .collective = tune_subject(c->subject)->collective, .map = map, .bytes = c->bytes};
    napcoll_decision_t decision;

    if (0 != napcoll_select(settings, &call, &decision)) {
        tune_out_of_memory();
    }
    return decision.algorithm < 0 ? 0 : decision.cost_us;
}

static napcoll_settings_t settings_of_case(const tune_t *t, const tune_case_t *c)
{
    napcoll_settings_t settings = settings_of(tune_subject(c->subject)->collective,
                                              &t->machine->fit.machine);

    settings.thresholds = t->machine->thresholds;
    return settings;
}

/* List all cases in the order in which they are tried. Returns how many. */
static int list_cases(const tune_t *t, const napcoll_node_map_t *map, tune_case_t *list)
{
    int cases = 0;

    for (int subject = 0; subject < TUNE_SUBJECTS; subject++) {
        const int sizes = tune_subject_sizes(t, subject);

        for (int size = 0; size < sizes; size++) {
            tune_case_t *c = &list[cases];
            napcoll_settings_t settings;

            if (t->options.tried[subject][size]) {
                *c = (tune_case_t){
                    .subject = subject, .size = size, .bytes = tune_subject(subject)->bytes[size]};
                settings = settings_of_case(t, c);
                c->need = need_of(&settings, c, map);
                cases++;
            }
        }
    }
    tune_order(list, cases);
    return cases;
}

/* Have a case's contestants, and the sizes for which it stands. False where there is nothing to try. */
static bool prepare_case(const tune_t *t, tune_case_t *c, const napcoll_node_map_t *map)
{
    const tune_subject_t *about = tune_subject(c->subject);
    const napcoll_settings_t settings = settings_of_case(t, c);

    c->blind = !looks_at_sizes(about, &settings, map);
    if (!tune_choose_contestants(c, &settings, map)) {
        return false;
    }
    if (0
        != napcoll_rule_range_find(about->collective, &settings, map, about->bytes, about->sizes,
                                   c->size, &c->range)) {
        tune_out_of_memory();
    }
    return true;
}

/* By when a case has to be over if it is to have all its contestants; it has them all where rules are corrected, as these may
 * name whoever there was no time for. */
static double late_of(const tune_t *t, const tune_watch_t *watch, int i, int cases, double begin)
{
    return TUNE_CORRECT == t->options.command
               ? INFINITY
               : tune_late(t->machine->tried, i, cases, begin, MPI_Wtime(), watch->end);
}

/* Look at all cases, and keep in the list whose algorithms were tried. */
static void look(tune_t *t, tune_watch_t *watch, const napcoll_node_map_t *map)
{
    tune_machine_t *m = t->machine;
    const int cases = list_cases(t, map, m->tried);
    const double begin = MPI_Wtime(), end = begin + first_look * (watch->end - begin);

    m->not_reached = cases;
    for (int i = 0; i < cases && MPI_Wtime() < watch->end; i++) {
        const double deadline = tune_deadline(m->tried, i, cases, begin, end);
        const double late = late_of(t, watch, i, cases, begin);

        m->tried[m->num_tried] = m->tried[i];
        if (prepare_case(t, &m->tried[m->num_tried], map)) {
            tune_look(t, &m->tried[m->num_tried], deadline, late, watch->end);
            m->num_tried++;
        }
        m->not_reached--;
        tune_tell(watch, "algorithms", i + 1, cases);
    }
    tune_tell_end(watch);
}

/* Look at them again as long as there is time. */
static void look_again(tune_t *t, tune_watch_t *watch)
{
    tune_machine_t *m = t->machine;
    const int cases = m->num_tried;
    const double begin = MPI_Wtime();

    for (int i = 0; i < cases && MPI_Wtime() < watch->end; i++) {
        const double deadline = tune_deadline(m->tried, i, cases, begin, watch->end);

        tune_look_again(t, &m->tried[i], deadline, watch->end);
        tune_tell(watch, "algorithms again", i + 1, cases);
    }
    tune_tell_end(watch);
}

void tune_verify(tune_t *t, tune_watch_t *watch)
{
    tune_machine_t *m = t->machine;
    napcoll_node_map_t *map;

    if (!t->options.verify) {
        snprintf(m->no_cases, TUNE_TEXT, "left out by --no-verify");
    } else if (!has_napcoll()) {
        snprintf(m->no_cases, TUNE_TEXT, "component napcoll is not there, or off");
    } else if (MPI_Wtime() >= watch->end) {
        snprintf(m->no_cases, TUNE_TEXT, "no time was left");
    }
    if ('\0' != m->no_cases[0]) {
        return;
    }
    if (0 != napcoll_node_map_create(t->node.node_of, t->ranks, &map)) {
        tune_out_of_memory();
    }
    look(t, watch, map);
    look_again(t, watch);
    for (int i = 0; i < m->num_tried; i++) {
        const napcoll_settings_t settings = settings_of_case(t, &m->tried[i]);

        tune_judge_case(&m->tried[i], &settings, map);
    }
    tune_judge_untold(t, map);
    napcoll_node_map_free(map);
}
