/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What is made of a machine's times: the fits to all turns and to two halves of them, and where one more size would tell
 * more. Rank 0 alone.
 */

#include <math.h>

#include "napcoll_tune_machine.h"

napcoll_calibrate_result_t tune_fit_all(tune_machine_t *m)
{
    napcoll_calibrate_result_t result;

    m->measured.reduction = m->reduction[0]; /* borrowed */
    result = napcoll_calibrate(&m->measured, NAPCOLL_TURNS_ALL, &m->fit);
    if (NAPCOLL_CALIBRATE_OK == result) {
        result = napcoll_calibrate(&m->measured, NAPCOLL_TURNS_EVEN, &m->half[0]);
    }
    if (NAPCOLL_CALIBRATE_OK == result) {
        result = napcoll_calibrate(&m->measured, NAPCOLL_TURNS_ODD, &m->half[1]);
    }
    m->measured.reduction = (napcoll_timings_t){0};
    if (NAPCOLL_CALIBRATE_OK == result) {
        m->unsteady = 0;
        for (int i = 0; NULL != napcoll_machine_key(i); i++) {
            m->unsteady += napcoll_calibrate_apart(&m->half[0].machine, &m->half[1].machine, i)
                           > TUNE_STEADY;
        }
    }
    return result;
}

void tune_narrow_down(tune_machine_t *m)
{
    const double near = 1.03;
    const napcoll_change_t *cut = &m->fit.protocols[NAPCOLL_LEVEL_NETWORK].eager;

    if (cut->below > near * cut->after && !m->fit.limit_known) {
        tune_add_size(m, NAPCOLL_LEVEL_NETWORK, sqrt(cut->below * cut->after));
    }
}

void tune_fit_rest(tune_machine_t *m)
{
    for (int i = 0; i < m->personalized; i++) {
        if (0 != napcoll_timings_line(&m->pair_trip[i], NAPCOLL_TURNS_ALL, &m->pair[i].line)) {
            tune_out_of_memory();
        }
    }
    if (0 != napcoll_delays(m->pair, m->personalized, m->nodes, m->delay)) {
        tune_out_of_memory();
    }
    tune_fit_distances(m);
    for (int kind = 0; kind < TUNE_FOLDS; kind++) {
        napcoll_line_t line;

        if (0 != napcoll_timings_line(&m->reduction[kind], NAPCOLL_TURNS_ALL, &line)) {
            tune_out_of_memory();
        }
        m->fold_ns[kind] = line.slope > 0 ? line.slope * 1e9 : 0;
    }
}
