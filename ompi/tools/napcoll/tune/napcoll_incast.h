/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * HeteroMPI's model of many-to-one and one-to-many communication, fitted to measured times. Pure:
 * no MPI.
 *
 *     seconds                                        many-to-one, blocks of M bytes to one root
 *        |        : .::  . :.:.     level 2
 *        |        :                                  M1 to M2: some calls take a level longer,
 *        |        :::.:: .:::::     level 1          each level with a probability; the others stay
 *        |        :           :         _--          on the line
 *        |        :           :     _---
 *        |        :           : _---                 above M2: another line
 *        |_____------------------
 *        +--------+-----------+------------- M
 *                 M1          M2
 *
 * One-to-many has two lines with a leap between them at S. The cause is a queue at the root's port
 * that overflows. TCP sends the lost data again after a timeout, which is constant and much longer
 * than the call: so times come in levels. Calls that lose nothing stay on the line. Therefore the
 * fit looks at shares of samples, not at means.
 *
 * Source of the model: A. Lastovetsky, M. O'Flynn, V. Rychkov: "Optimization of Collective
 * Communications in HeteroMPI", 2007, sections 3 and 4. The paper does not say how to fit it.
 *
 * All times are in seconds, all sizes in bytes of one process's block.
 */

#ifndef NAPCOLL_INCAST_H
#define NAPCOLL_INCAST_H

#include <stdbool.h>
#include <stddef.h>

#include "common/napcoll_robust.h"

/** One measured call. */
typedef struct napcoll_incast_sample {
    size_t bytes;
    double seconds;
} napcoll_incast_sample_t;

enum {
    /** A fit needs this many sizes. */
    NAPCOLL_INCAST_LEAST_SIZES = 8,
    /** Sizes with fewer samples are ignored. */
    NAPCOLL_INCAST_LEAST_SAMPLES = 5,
    NAPCOLL_INCAST_MOST_LEVELS = 8
};

typedef enum {
    NAPCOLL_INCAST_OK,
    /** Fewer than LEAST_SIZES sizes with LEAST_SAMPLES samples. */
    NAPCOLL_INCAST_TOO_FEW,
    /** A time is negative or not a number. */
    NAPCOLL_INCAST_BAD_TIME
} napcoll_incast_result_t;

/** What went wrong, in words, for a message. Static. */
const char *napcoll_incast_result_text(napcoll_incast_result_t result);

/** A level of escalation. */
typedef struct napcoll_incast_level {
    /** Median of the time above the line. */
    double seconds;
    /** Share of the samples from M1 to M2. */
    double probability;
    size_t samples;
} napcoll_incast_level_t;

/** The samples of one size. */
typedef struct napcoll_incast_size {
    size_t bytes;
    size_t samples;
    /** Lower quartile, median and 90th percentile. */
    double low, median, high;
    /** Share of the samples above the line. */
    double escalated;
    /** Share at each level of a gather; 0 for sizes outside M1 to M2. */
    double level[NAPCOLL_INCAST_MOST_LEVELS];
} napcoll_incast_size_t;

/** Many-to-one. */
typedef struct napcoll_incast_gather {
    /** Whether there are M1 and M2; without them m1, m2 and their neighbours are 0. */
    bool escalates;
    /** The least and the greatest size that escalate. */
    size_t m1, m2;
    /** The measured sizes next to M1 and M2; 0: there is none. */
    size_t below_m1, above_m2;
    /** The least size on the line of large sizes; 0: there is no such line. */
    size_t large_from;
    /** Share of escalated samples from M1 to M2, and of the samples of all other sizes. */
    double escalated, elsewhere;
    /** Scatter of the samples in the quietest sizes. */
    double noise;
    /** Line through the medians below M1, or of all sizes of the small regime without M1. */
    napcoll_line_t small;
    /** Line through the medians above M2, or of the large regime without M1. */
    napcoll_line_t large;
    napcoll_incast_level_t level[NAPCOLL_INCAST_MOST_LEVELS];
    int num_levels;
    /** [num_sizes], ascending */
    napcoll_incast_size_t *size;
    int num_sizes;
} napcoll_incast_gather_t;

/** One-to-many. */
typedef struct napcoll_incast_scatter {
    /** Whether there is an S; without it s, below_s and leap are 0. */
    bool leaps;
    /** The least size behind the leap, and the next measured size below it. */
    size_t s, below_s;
    /** How far the two lines are apart at S, and the error of that. */
    double leap, leap_error;
    /** Lines through the medians below S (of all sizes without S), and from S on. */
    napcoll_line_t small, large;
    /** [num_sizes], ascending */
    napcoll_incast_size_t *size;
    int num_sizes;
} napcoll_incast_scatter_t;

/** Fit a line to the medians of samples[count], for instance of half round trips. No line after an
 * error. */
napcoll_incast_result_t napcoll_incast_line(const napcoll_incast_sample_t *samples, size_t count,
                                            napcoll_line_t *line);

/**
 * Find M1, M2, the levels of escalation, and both lines of gather.
 *
 * 1. The noise is the least median, over four neighbouring sizes, of the distance from the lower
 *    quartile to the 90th percentile.
 * 2. The small line starts with the four least sizes. A further size joins it when its lower
 *    quartile is at most twice the line plus three times the noise.
 * 3. The greatest sizes are the large regime where their lower quartiles are on a line of their
 *    own, few of their samples are above it, and its intercept and slope are at most twice those
 *    of n messages one after another. A line made of timeouts starts higher.
 * 4. A sample has escalated when it takes more than twice its line plus three times the noise. A
 *    size may escalate when a tenth of its samples have, two at least. Of all stretches of sizes
 *    with two such sizes, the one is taken whose rate is most likely to differ from the rate of
 *    the least quarter of the sizes (a likelihood ratio, as in M. Kulldorff: "A Spatial Scan
 *    Statistic", 1997). Its rate is at least a tenth, and three times the rate of the least sizes
 *    and of all sizes outside; chance gives it less than once in a million at the former and once
 *    in ten thousand at the latter. At both ends it is extended to the next size or the next but
 *    one that may escalate, with less than one in twenty by chance. Its ends are M1 and M2.
 * 5. Levels: the escalated samples, less their line, are parted where the next one is 15 percent
 *    and three times the noise higher. A level has two samples and one in fifty at least.
 * 6. The lowest level with a quarter of the escalated samples, or else the most frequent one,
 *    gives a better limit than step 4: half that level, three times the noise and a quarter of
 *    the line. The small line is fitted again, to the other samples, and steps 3 to 5 are
 *    repeated until nothing changes, eight times at most.
 *
 * @param[in]  samples [count] in any order
 * @param[in]  count   samples
 * @param[in]  others  n: processes without the root, at least 1
 * @param[in]  message half a round trip between the root and another process
 * @param[out] gather  to be closed with napcoll_incast_gather_close, also after an error
 */
napcoll_incast_result_t napcoll_incast_gather(const napcoll_incast_sample_t *samples, size_t count,
                                              int others, const napcoll_line_t *message,
                                              napcoll_incast_gather_t *gather);

/** Mean cost of escalation relative to a call without, between M1 and M2; 0 without M1. */
double napcoll_incast_gather_loss(const napcoll_incast_gather_t *gather);

/** Free the sizes of gather. */
void napcoll_incast_gather_close(napcoll_incast_gather_t *gather);

/**
 * Find S and both lines of scatter. Two lines through the medians, of three sizes each at least,
 * are fitted at every cut; the best cut leaves less than seven tenths of the residuals of one line,
 * and its small line does not fall. S is the first size behind it from which on all medians are
 * above the small line by three tenths and the noise (see napcoll_incast_gather). The leap must be
 * more than twice its error.
 *
 * @param[in]  samples [count] in any order
 * @param[in]  count   samples
 * @param[out] scatter to be closed with napcoll_incast_scatter_close, also after an error
 */
napcoll_incast_result_t napcoll_incast_scatter(const napcoll_incast_sample_t *samples, size_t count,
                                               napcoll_incast_scatter_t *scatter);

/** Free the sizes of scatter. */
void napcoll_incast_scatter_close(napcoll_incast_scatter_t *scatter);

/**
 * The models of section 3 with their numbers. All processes other than the root are taken to be
 * alike, and so are their links: a maximum over them is any of them, a sum is n of them.
 */
typedef struct napcoll_incast_model {
    /** n: processes without the root */
    int others;
    /** C_0 and t_0: of a message, at the root */
    double root_delay, root_per_byte;
    /** C_i and t_i + 1 / beta_0i: at the others, with the link */
    double far_delay, far_per_byte;
    /** What gather's small and large line have above the model's slope; 0 without that line. */
    double kappa1, kappa2;
    /** The least sizes on the large lines of gather and of scatter; 0: none. */
    size_t large_from, s;
} napcoll_incast_model_t;

/**
 * Compute the models' numbers from fitted lines.
 *
 * A message takes C_0 + C_i + (t_0 + t_i + 1 / beta) M. A scatter below S has the slope n t_0 + t_i
 * + 1 / beta, a gather below M1 starts at n C_0 + C_i: their difference to the message is n - 1
 * times t_0 and C_0. Both are limited to the message's own numbers. Without one of the lines, or
 * with n = 1, the root has half.
 *
 * @param[in] message half a round trip between the root and another process
 * @param[in] gather  fitted
 * @param[in] scatter fitted
 * @param[in] others  n, at least 1
 */
napcoll_incast_model_t napcoll_incast_model(const napcoll_line_t *message,
                                            const napcoll_incast_gather_t *gather,
                                            const napcoll_incast_scatter_t *scatter, int others);

/**
 * The many-to-one model's time for blocks of M bytes, without escalation:
 *
 *     n (C_0 + t_0 M) + C_i + t_i M + M / beta_0i + kappa1 M
 *     n (C_0 + t_0 M) + n (C_i + t_i M + M / beta_0i) + kappa2 M       M >= model->large_from
 */
double napcoll_incast_gather_seconds(const napcoll_incast_model_t *model, double bytes);

/**
 * The one-to-many model's time:
 *
 *     C_0 + t_0 n M + C_i + t_i M + M / beta_0i             M < S, or without S
 *     C_0 + t_0 n M + n (C_i + t_i M + M / beta_0i)         M >= S
 */
double napcoll_incast_scatter_seconds(const napcoll_incast_model_t *model, double bytes);

/**
 * The size to measure next for a threshold between two sizes: their geometric mean, rounded down to
 * a multiple of 64 bytes where possible. 0 where the two are within an eighth, or below is 0.
 */
size_t napcoll_incast_between(size_t below, size_t above);

#endif /* NAPCOLL_INCAST_H */
