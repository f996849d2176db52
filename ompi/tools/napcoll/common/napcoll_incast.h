/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where gather and scatter leave the linear model: HeteroMPI's model of many-to-one and one-to-many
 * communication, fitted to measured times. Pure: no MPI in here.
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
 * One-to-many has two lines with a leap between them at S. The cause is a queue at the root's port that
 * overflows: what is lost is sent again after a timeout of TCP's, which is much longer than the call and
 * always the same, so that times come in levels. The least times of a size stay on the line as long as some
 * calls lose nothing; therefore all looks at shares of the samples, and not at means.
 *
 * A. Lastovetsky, M. O'Flynn, V. Rychkov: "Optimization of Collective Communications in HeteroMPI", 2007,
 * sections 3 and 4. What is fitted and how is this file's own: the paper leaves it out.
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
    NAPCOLL_INCAST_LEAST_SIZES = 8,   /**< fewer sizes show no line that something could leave */
    NAPCOLL_INCAST_LEAST_SAMPLES = 5, /**< sizes with fewer samples are left out */
    NAPCOLL_INCAST_MOST_LEVELS = 8
};

typedef enum {
    NAPCOLL_INCAST_OK,
    NAPCOLL_INCAST_TOO_FEW,  /**< fewer than LEAST_SIZES sizes with LEAST_SAMPLES samples */
    NAPCOLL_INCAST_BAD_TIME, /**< a time is below 0 or no number */
    NAPCOLL_INCAST_NO_MEMORY,
} napcoll_incast_result_t;

/** What went wrong, in words, for a message. Static. */
const char *napcoll_incast_result_text(napcoll_incast_result_t result);

/** A level of escalation. */
typedef struct napcoll_incast_level {
    double seconds;     /**< how much longer than the line, the median */
    double probability; /**< share of the samples from M1 to M2 */
    size_t samples;     /**< how many */
} napcoll_incast_level_t;

/** The samples of one size. */
typedef struct napcoll_incast_size {
    size_t bytes;
    size_t samples;
    double low; /**< their lower quartile */
    double median;
    double high;      /**< their 90th percentile */
    double escalated; /**< share that has left the line */

    /** Share at each level of the gather; 0 for sizes outside of M1 and M2. */
    double level[NAPCOLL_INCAST_MOST_LEVELS];
} napcoll_incast_size_t;

/** Many-to-one. */
typedef struct napcoll_incast_gather {
    bool escalates;    /**< whether there is an M1 and an M2 */
    size_t m1;         /**< M1: the least size that escalates; 0 without */
    size_t m2;         /**< M2: the greatest; 0 without */
    size_t below_m1;   /**< the next size that was measured below M1; 0: M1 is the least of all */
    size_t above_m2;   /**< the next above M2; 0: M2 is the greatest of all */
    size_t large_from; /**< the least size that belongs to the line of large ones; 0 without it */
    double escalated;  /**< share of the samples from M1 to M2 that is at some level */
    double elsewhere;  /**< share of the others that lies as far from their line */
    double noise;      /**< how far samples scatter where they scatter least; see below */
    napcoll_line_t small; /**< medians below M1; of all sizes of the small regime without M1 */
    napcoll_line_t large; /**< medians above M2; without M1, of a second regime if there is one */
    napcoll_incast_level_t level[NAPCOLL_INCAST_MOST_LEVELS];
    int num_levels;
    napcoll_incast_size_t *size; /**< [num_sizes], ascending */
    int num_sizes;
} napcoll_incast_gather_t;

/** One-to-many. */
typedef struct napcoll_incast_scatter {
    bool leaps;                  /**< whether there is an S */
    size_t s;                    /**< S: the least size behind the leap; 0 without */
    size_t below_s;              /**< the next size that was measured below it; 0 without */
    double leap;                 /**< how much longer S takes than the small sizes' line says */
    double leap_error;           /**< of the leap */
    napcoll_line_t small;        /**< medians below S; of all sizes without S */
    napcoll_line_t large;        /**< medians from S on */
    napcoll_incast_size_t *size; /**< [num_sizes], ascending */
    int num_sizes;
} napcoll_incast_scatter_t;

/**
 * Lay a line through the medians of each size's times: of half round trips, for instance.
 *
 * @param[in]  samples [count] in any order
 * @param[out] line    no line after an error
 */
napcoll_incast_result_t napcoll_incast_line(const napcoll_incast_sample_t *samples, size_t count,
                                            napcoll_line_t *line);

/**
 * Find M1, M2, the levels of escalation, and both lines of gather.
 *
 * 1. The noise is how far the 90th percentile of a size lies above its lower quartile, where that is least:
 *    in the quietest of all stretches of four sizes, the median of their four.
 * 2. The line of small sizes begins with the four least sizes, which are taken to be free of escalation in
 *    most calls, and takes in size by size those whose lower quartile is near it: at most twice the line and
 *    three times the noise above. The sizes that it cannot take in either escalate in most calls or belong to
 *    the large regime.
 * 3. The greatest sizes are the large regime where they are on a line of their own, with few samples off it,
 *    whose intercept and slope are at most twice those of n messages one after another: the model's sum for
 *    large messages. What a timeout has made of all calls is a line, too, but begins higher.
 * 4. A sample has escalated when it lies above its regime's line by more than the line itself and three times
 *    the noise. A size may escalate when a tenth of its samples have, two at least. Of all stretches of
 *    neighbouring sizes with two that may, that is taken whose share of escalated samples is the likeliest to
 *    be another than that of the least quarter of the sizes (a likelihood ratio, as in M. Kulldorff: "A
 *    Spatial Scan Statistic", 1997). That share has to be a tenth and three times what chance gives, at a
 *    probability below one in a million where chance is the rate of the least sizes, and below one in ten
 *    thousand where it is that of all sizes outside of the stretch: one size by itself is something else that
 *    ran on the machine, and so are slow calls at all sizes.
 * 5. The stretch is extended on either side to sizes that may escalate, do so by chance in less than one of
 *    twenty cases, and are the next or the next but one. Its ends are M1 and M2.
 * 6. Levels: escalated samples, less their line, ascending, are parted where the next lies 15 percent and
 *    three times the noise above. Fewer than two samples, or fewer than one in fifty, are no level; beyond
 *    eight levels the nearest become one.
 * 7. With levels known, the least that has a quarter of the escalated samples, or else the most probable one,
 *    parts better than step 4: a sample has escalated when it lies above its line by half that level, by
 *    three times the noise and by a quarter of the line. The line of small sizes is laid anew, through the
 *    medians of the samples that have not, and steps 3 to 6 are repeated until nothing changes, eight times
 *    at most.
 *
 * @param[in]  samples [count] in any order
 * @param[in]  count   samples
 * @param[in]  others  n: processes without the root, at least 1
 * @param[in]  message half a round trip between the root and another
 * @param[out] gather  to be closed with napcoll_incast_gather_close, also after an error
 */
napcoll_incast_result_t napcoll_incast_gather(const napcoll_incast_sample_t *samples, size_t count,
                                              int others, const napcoll_line_t *message,
                                              napcoll_incast_gather_t *gather);

/** What escalation costs a call from M1 to M2 on average, over what it takes without, at their geometric mean; 0 without M1. */
double napcoll_incast_gather_loss(const napcoll_incast_gather_t *gather);

/** Release what gather holds. */
void napcoll_incast_gather_close(napcoll_incast_gather_t *gather);

/**
 * Find S and both lines of scatter. Of all ways to part the sizes' medians in two, with three on each side at
 * least, that is taken whose two lines leave the least, relative to the times. S is the first size from which
 * on all medians lie above the small sizes' line by three tenths of it and the noise (see
 * napcoll_incast_gather); there has to be such a size with two above it, and two lines have to leave less
 * than seven tenths of what one leaves. The small sizes' line does not fall, and the leap is more than twice its
 * error.
 *
 * @param[in]  samples [count] in any order
 * @param[in]  count   samples
 * @param[out] scatter to be closed with napcoll_incast_scatter_close, also after an error
 */
napcoll_incast_result_t napcoll_incast_scatter(const napcoll_incast_sample_t *samples, size_t count,
                                               napcoll_incast_scatter_t *scatter);

/** Release what scatter holds. */
void napcoll_incast_scatter_close(napcoll_incast_scatter_t *scatter);

/**
 * The models of section 3 with their numbers. Processors other than the root are taken to be alike, and so
 * are their links: the maximum over them is any of them, the sum n of them. t_i and 1 / beta_0i occur in the
 * models as their sum only.
 */
typedef struct napcoll_incast_model {
    int others;           /**< n: processes without the root */
    double root_delay;    /**< C_0: of a message, at the root */
    double root_per_byte; /**< t_0 */
    double far_delay; /**< C_i: of a message, at the others, with what the link takes by itself */
    double far_per_byte; /**< t_i + 1 / beta_0i */
    double kappa1; /**< what gather's small line has over the model's slope; 0 without that line */
    double kappa2; /**< what its large line has; 0 without that line */
    size_t large_from; /**< from where on gather is on the line of large sizes; 0: nowhere */
    size_t s;          /**< from where on scatter is; 0: nowhere */
} napcoll_incast_model_t;

/**
 * The models' numbers, from lines that were fitted.
 *
 * A message between the root and another takes C_0 + C_i + (t_0 + t_i + 1 / beta) M. A scatter below S has
 * the slope n t_0 + t_i + 1 / beta, a gather below M1 begins at n C_0 + C_i: what these have over the message
 * is n - 1 times t_0 and C_0. Both are kept between 0 and what the message has. Without one of the lines, or
 * with n = 1, half of the message is the root's.
 *
 * @param[in] message half a round trip between the root and another
 * @param[in] gather  fitted
 * @param[in] scatter fitted
 * @param[in] others  n, at least 1
 */
napcoll_incast_model_t napcoll_incast_model(const napcoll_line_t *message,
                                            const napcoll_incast_gather_t *gather,
                                            const napcoll_incast_scatter_t *scatter, int others);

/**
 * The many-to-one model's time for blocks of M bytes:
 *
 *     n (C_0 + t_0 M) + C_i + t_i M + M / beta_0i + kappa1 M           where nothing escalates
 *     n (C_0 + t_0 M) + n (C_i + t_i M + M / beta_0i) + kappa2 M       M >= model->large_from
 *
 * From M1 to M2 a level comes on top of the first, with its probability.
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
 * The size between two, by their ratio, at which measuring narrows down a threshold that lies between them: a
 * multiple of 64 bytes where there is one.
 *
 * @param[in] below below the threshold
 * @param[in] above at or above it
 *
 * @return the size; 0 where the two are as near as an eighth, or below is 0
 */
size_t napcoll_incast_between(size_t below, size_t above);

#endif /* NAPCOLL_INCAST_H */
