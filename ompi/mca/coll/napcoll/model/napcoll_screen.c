/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The screen (see the header).
 */

#include "model/napcoll_screen.h"

#include <math.h>

/* A variant is kept up to this factor over the least rough estimate. */
static const double margin = 1.25;

/* This many are kept, if they are in the margin; more where estimates are equal. */
enum { KEPT = 4 };

void napcoll_screen_begin(napcoll_screen_t *screen)
{
    screen->rough = true;
    screen->count = screen->next = 0;
    screen->least_us = INFINITY;
}

double napcoll_screen_most_us(const napcoll_screen_t *screen)
{
    return margin * screen->least_us;
}

void napcoll_screen_add(napcoll_screen_t *screen, double cost_us)
{
    if (screen->count < NAPCOLL_SCREEN_MOST) {
        screen->cost_us[screen->count++] = cost_us;
        screen->least_us = cost_us < screen->least_us ? cost_us : screen->least_us;
    }
}

void napcoll_screen_end(napcoll_screen_t *screen)
{
    const double margin_us = napcoll_screen_most_us(screen);
    double best[KEPT + 1];
    int known = 0;

    for (int i = 0; i < screen->count; i++) {
        int at = known < KEPT ? known++ : KEPT;

        for (; at > 0 && best[at - 1] > screen->cost_us[i]; at--) {
            best[at] = best[at - 1];
        }
        best[at] = screen->cost_us[i];
    }
    screen->rough = false;
    screen->limit_us = KEPT == known && best[KEPT - 1] < margin_us ? best[KEPT - 1] : margin_us;
}

bool napcoll_screen_drops(napcoll_screen_t *screen, double *cost_us)
{
    const int i = screen->next++;

    if (i >= screen->count || screen->cost_us[i] <= screen->limit_us) {
        return false;
    }
    *cost_us = screen->cost_us[i];
    return true;
}
