/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the commands of napcoll-plan share.
 */

#ifndef NAPCOLL_TOOLS_PLAN_H
#define NAPCOLL_TOOLS_PLAN_H

#include "algo/napcoll_algo.h"

enum { EXIT_USAGE = 2, MOST_RANKS = 1 << 20 };

typedef struct {
    const char *command;
    const char *program; /* argv[0] */
    const napcoll_collective_t *collective;
    const napcoll_algorithm_t *algorithm; /* NULL: all that the collective has */
    const char *ppn;
    const char *order;
    int nodes;
    int ranks;
    int rank; /* to show; -1: all */
    napcoll_params_t params;

    /* simulate: as given, or NULL */
    const char *node_range;
    const char *byte_range;
    const char *machine;
    const char *csv;
    bool closed_form;
} options_t;

/** Say what is wrong with the arguments and end the program. */
__attribute__((noreturn, format(printf, 1, 2))) void complain(const char *format, ...);

/** Processes on the first `nodes` nodes of a list such as "3,2,1"; nodes = 0: the list once.
 * MOST_RANKS + 1 where there are more. */
int count_ranks(const char *list, int nodes);

/** The map that the options ask for; ends the program where they ask for none. */
napcoll_node_map_t *make_map(options_t *o);

/** The command simulate; returns the exit status. */
int simulate(options_t *o);

#endif /* NAPCOLL_TOOLS_PLAN_H */
