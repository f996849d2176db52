/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The escalation of gather. The comments name the steps of napcoll_incast.h.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune/napcoll_incast.h"
#include "tune/napcoll_incast_scan.h"
#include "common/napcoll_memory.h"

enum {
    /* Steps 2 and 3: sizes with which the small line starts, and of the large regime, at least. */
    START = 4,
    LEAST_TAIL = 3,
    /* Step 4: samples of a size that escalates, such sizes from M1 to M2, and how far apart they
     * are at most. */
    ONSET_SAMPLES = 2,
    LEAST_ESCALATING = 2,
    NEAR = 2,
    /* Steps 5 and 6. */
    LEVEL_SAMPLES = 2,
    LEAST_NORMAL = 3,
    MOST_ROUNDS = 8
};

/* Step 2: the limit above a line. */
static const double times_line = 2.0, times_noise = 3.0;

/* Step 3: how close sizes are to the large line, and its most intercept and slope. */
static const double tail_share = 0.3, times_serial = 2.0;

/* Step 4: shares and chances. */
static const double onset_share = 0.1, size_chance = 0.05, times_chance = 3;
static const double least_chance = 1e-6, outside_chance = 1e-4;

/* Step 5: the gap between two levels, and their share of the escalated samples. */
static const double level_gap = 0.15, level_share = 0.02;

/* Step 6: the limit above the line, the share of the main level, and the samples of a size on the
 * line. */
static const double line_share = 0.25, main_share = 0.25, normal_share = 0.25;

/* The state of the fit. */
struct fit {
    napcoll_incast_scan_t scan;
    /* Through lower quartiles; the large line has the sizes from index large_from on, num_sizes for
     * none. */
    napcoll_line_t small, large;
    int large_from;
    /* The least lower quartile: no line says less. */
    double least;
    /* Half of the main level in seconds; 0 before levels are known. */
    double half_level;
    /* [num_sizes] samples that escalated */
    size_t *left;
    /* Indices of M1 and M2; m1 = -1 without. */
    int m1, m2;
};

static double bytes_at(const struct fit *f, int i)
{
    return (double) f->scan.size[i].bytes;
}

/* The time that a line gives a size. */
static double line_at(const struct fit *f, const napcoll_line_t *line, int i)
{
    return fmax(napcoll_robust_at(line, bytes_at(f, i)), f->least);
}

/* A sample above this limit has left the line: steps 4 and 6. */
static double limit_of(const struct fit *f, double line)
{
    const double noise = times_noise * f->scan.noise;

    if (f->half_level > 0) {
        return line + fmax(noise, fmax(f->half_level, line_share * line));
    }
    return times_line * line + noise;
}

/* The time that the line of its regime gives a size. */
static double regime_at(const struct fit *f, int i)
{
    return line_at(f, i >= f->large_from ? &f->large : &f->small, i);
}

/* How many of a size's samples are above a limit. */
static size_t count_above(const struct fit *f, int i, double limit)
{
    const double *seconds = f->scan.seconds + f->scan.first[i];
    const size_t samples = f->scan.size[i].samples;
    size_t above = 0;

    while (above < samples && seconds[samples - 1 - above] > limit) {
        above++;
    }
    return above;
}

static void count_escalated(struct fit *f)
{
    for (int i = 0; i < f->scan.num_sizes; i++) {
        napcoll_incast_size_t *size = &f->scan.size[i];

        f->left[i] = count_above(f, i, limit_of(f, regime_at(f, i)));
        size->escalated = (double) f->left[i] / (double) size->samples;
    }
}

/* ---- the two regimes ---- */

/* Step 2. */
static void grow_small(struct fit *f)
{
    napcoll_point_t *points = napcoll_allocate((size_t) f->scan.num_sizes, sizeof(*points));
    int count = 0;

    for (int i = 0; i < f->scan.num_sizes; i++) {
        const double low = f->scan.size[i].low;

        if (i < START || low <= limit_of(f, line_at(f, &f->small, i))) {
            points[count++] = (napcoll_point_t){bytes_at(f, i), low};
            f->small = napcoll_incast_fit(points, count, START);
            f->small.slope = fmax(f->small.slope, 0);
        }
    }
    free(points);
}

/* Whether the sizes from `from` on are a large regime; f->large is their line. */
static bool is_large(const struct fit *f, int from, int others, const napcoll_line_t *message)
{
    const double noise = times_noise * f->scan.noise, serial = times_serial * others;

    for (int i = from; i < f->scan.num_sizes; i++) {
        const double line = napcoll_robust_at(&f->large, bytes_at(f, i));

        if (!(fabs(f->scan.size[i].low - line) <= tail_share * line + noise)) {
            return false;
        }
    }
    return f->large.intercept
               <= serial * message->intercept + noise + times_noise * f->large.intercept_error
           && f->large.slope <= serial * message->slope;
}

/* Whether a size from `from` on is above the small line. */
static bool is_above_small(const struct fit *f, int from)
{
    for (int i = from; i < f->scan.num_sizes; i++) {
        if (f->scan.size[i].low > limit_of(f, line_at(f, &f->small, i))) {
            return true;
        }
    }
    return false;
}

/* Step 3. */
static void find_large(struct fit *f, int others, const napcoll_line_t *message)
{
    const int num = f->scan.num_sizes;
    napcoll_point_t *points = napcoll_allocate((size_t) num, sizeof(*points));
    int from = num;

    f->large_from = num;
    for (; from > 0; from--) {
        const napcoll_incast_size_t *size = &f->scan.size[from - 1];
        const size_t above = count_above(f, from - 1, limit_of(f, size->low));

        if ((double) above >= onset_share * (double) size->samples) {
            break;
        }
        points[from - 1] = (napcoll_point_t){bytes_at(f, from - 1), size->low};
    }
    for (; from + LEAST_TAIL <= num; from++) {
        f->large = napcoll_incast_fit(points + from, num - from, LEAST_TAIL);
        if (is_large(f, from, others, message)) {
            f->large_from = is_above_small(f, from) ? from : num;
            break;
        }
    }
    free(points);
}

/* ---- M1 and M2 ---- */

/* The probability of `least` or more of `count`, each with probability p. */
static double chance_of(size_t least, size_t count, double p)
{
    const double n = (double) count;
    double chance = 0;

    for (size_t i = least; i <= count; i++) {
        const double k = (double) i;

        chance += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p)
                      + (n - k) * log1p(-p));
    }
    return chance;
}

/* Samples of some sizes: how many have escalated, and how many there are. */
struct count {
    size_t left, all;
};

static struct count count_sizes(const struct fit *f, int from, int to)
{
    struct count c = {.left = 0};

    for (int i = from; i < to; i++) {
        c.left += f->left[i];
        c.all += f->scan.size[i].samples;
    }
    return c;
}

/* Laplace's estimate of a rate: with few samples it is never 0. */
static double rate_of(struct count c)
{
    return ((double) c.left + 1) / ((double) c.all + 2);
}

/* Whether enough of a size's samples have escalated. */
static bool may_escalate(const struct fit *f, int i)
{
    return f->left[i] >= ONSET_SAMPLES
           && (double) f->left[i] >= onset_share * (double) f->scan.size[i].samples;
}

/* The logarithm of how much likelier the stretch is with a rate of its own than with another
 * rate. */
static double likelihood_of(struct count inside, double rate)
{
    const double k = (double) inside.left, n = (double) inside.all, p = k / n;

    if (p <= rate) {
        return 0;
    }
    return k * log(p / rate) + (k < n ? (n - k) * log((1 - p) / (1 - rate)) : 0);
}

/* Whether a stretch escalates more often than by chance, which has a probability of less than
 * `most`. */
static bool is_no_chance(struct count inside, double by_chance, double most)
{
    const double rate = (double) inside.left / (double) inside.all;

    return rate >= onset_share && rate > times_chance * by_chance
           && chance_of(inside.left, inside.all, by_chance) < most;
}

/* The stretch with the greatest likelihood, from m1 to m2; m1 = -1 without. Returns its samples. */
static struct count find_stretch(struct fit *f, double rate_of_least)
{
    struct count found = {.left = 0};
    double most = 0;

    f->m1 = -1;
    for (int from = 0; from < f->scan.num_sizes; from++) {
        struct count inside = {.left = 0};

        for (int to = from, sizes = 0; to < f->scan.num_sizes; to++) {
            double likelihood;

            inside.left += f->left[to];
            inside.all += f->scan.size[to].samples;
            sizes += may_escalate(f, to);
            likelihood = likelihood_of(inside, rate_of_least);
            if (sizes >= LEAST_ESCALATING && likelihood > most) {
                most = likelihood;
                found = inside;
                f->m1 = from;
                f->m2 = to;
            }
        }
    }
    return found;
}

/* Extend an end to the side (1 or -1) while the next size or the next but one escalates; returns
 * the new end. */
static int extended(const struct fit *f, int end, int side, double by_chance)
{
    for (int away = 1; away <= NEAR; away++) {
        const int i = end + side * away;

        if (i >= 0 && i < f->scan.num_sizes && may_escalate(f, i)
            && chance_of(f->left[i], f->scan.size[i].samples, by_chance) < size_chance) {
            end = i;
            away = 0;
        }
    }
    return end;
}

/* Step 4. */
static void find_range(struct fit *f)
{
    const int num = f->scan.num_sizes, quarter = num / 4 > START ? num / 4 : START;
    const double least = rate_of(count_sizes(f, 0, quarter));
    const struct count all = count_sizes(f, 0, num), inside = find_stretch(f, least);
    const double outside = rate_of((struct count){all.left - inside.left, all.all - inside.all});

    if (f->m1 < 0) {
        return;
    }
    if (!is_no_chance(inside, least, least_chance)
        || !is_no_chance(inside, outside, outside_chance)) {
        f->m1 = -1;
        return;
    }
    f->m1 = extended(f, f->m1, -1, fmax(least, outside));
    f->m2 = extended(f, f->m2, 1, fmax(least, outside));
}

/* ---- levels ---- */

/* Part sorted times where the next one is more than `gap` and the noise higher. end[] gets the
 * number of times before each cut, as far as it has room. Returns the number of levels. */
static int part_levels(const struct fit *f, const double *late, size_t count, double gap,
                       size_t end[NAPCOLL_INCAST_MOST_LEVELS])
{
    int levels = 0;

    for (size_t i = 1; i <= count; i++) {
        if (i == count || late[i] - late[i - 1] > gap * late[i - 1] + times_noise * f->scan.noise) {
            if (levels < NAPCOLL_INCAST_MOST_LEVELS) {
                end[levels] = i;
            }
            levels++;
        }
    }
    return levels;
}

/* Levels of sorted times above the line; `samples` are all samples from M1 to M2. */
static void set_levels(const struct fit *f, const double *late, size_t count, size_t samples,
                       napcoll_incast_gather_t *gather)
{
    const double fewest = fmax(LEVEL_SAMPLES, floor(level_share * (double) count));
    size_t end[NAPCOLL_INCAST_MOST_LEVELS], from = 0;
    double gap = level_gap;
    int levels;

    while ((levels = part_levels(f, late, count, gap, end)) > NAPCOLL_INCAST_MOST_LEVELS) {
        gap *= 1.25;
    }
    for (int i = 0; i < levels; from = end[i++]) {
        const size_t inside = end[i] - from;

        if ((double) inside >= fewest) {
            gather->level[gather->num_levels++] = (napcoll_incast_level_t){
                .seconds = napcoll_robust_quantile(late + from, inside, 0.5),
                .samples = inside,
                .probability = (double) inside / (double) samples};
        }
    }
}

/* The level that is nearest to a time above the line. */
static int nearest_level(const napcoll_incast_gather_t *gather, double late)
{
    int level = 0;

    while (level + 1 < gather->num_levels
           && late > (gather->level[level].seconds + gather->level[level + 1].seconds) / 2) {
        level++;
    }
    return level;
}

/* The times of a size's escalated samples. */
static const double *late_of(const struct fit *f, int i)
{
    return f->scan.seconds + f->scan.first[i] + f->scan.size[i].samples - f->left[i];
}

/* The share of each level in each size. */
static void set_shares(const struct fit *f, const napcoll_incast_gather_t *gather)
{
    for (int i = f->m1; gather->num_levels > 0 && i <= f->m2; i++) {
        napcoll_incast_size_t *size = &f->scan.size[i];

        memset(size->level, 0, sizeof(size->level));
        for (size_t s = 0; s < f->left[i]; s++) {
            const double late = late_of(f, i)[s] - regime_at(f, i);

            size->level[nearest_level(gather, late)] += 1 / (double) size->samples;
        }
    }
}

/* Step 5. */
static void find_levels(const struct fit *f, napcoll_incast_gather_t *gather)
{
    const struct count inside = count_sizes(f, f->m1, f->m2 + 1);
    double *late = napcoll_allocate(inside.left, sizeof(*late));
    size_t used = 0;

    for (int i = f->m1; i <= f->m2; i++) {
        for (size_t s = 0; s < f->left[i]; s++) {
            late[used++] = late_of(f, i)[s] - regime_at(f, i);
        }
    }
    napcoll_robust_sort(late, used);
    memset(gather->level, 0, sizeof(gather->level));
    gather->num_levels = 0;
    gather->escalated = (double) inside.left / (double) inside.all;
    set_levels(f, late, used, inside.all, gather);
    free(late);
    set_shares(f, gather);
}

/* ---- refinement ---- */

/* Fit the small line to the medians of the samples on it, where enough sizes have enough of
 * them. */
static void refit_small(struct fit *f)
{
    napcoll_point_t *points = napcoll_allocate((size_t) f->scan.num_sizes, sizeof(*points));
    napcoll_line_t line;
    int count = 0;

    for (int i = 0; i < f->large_from; i++) {
        const size_t samples = f->scan.size[i].samples, normal = samples - f->left[i];

        if (normal >= LEAST_NORMAL && (double) normal >= normal_share * (double) samples) {
            points[count++] = (napcoll_point_t){
                bytes_at(f, i),
                napcoll_robust_quantile(f->scan.seconds + f->scan.first[i], normal, 0.5)};
        }
    }
    line = napcoll_incast_fit(points, count, START);
    free(points);
    if (line.points > 0) {
        f->small = line;
        f->small.slope = fmax(line.slope, 0);
    }
}

/* The lowest level with its share of the escalated samples, or else the most frequent one; 0
 * without levels. */
static double main_level(const napcoll_incast_gather_t *gather)
{
    int most = 0;

    for (int i = 0; i < gather->num_levels; i++) {
        if (gather->level[i].probability >= main_share * gather->escalated) {
            return gather->level[i].seconds;
        }
        most = gather->level[i].samples > gather->level[most].samples ? i : most;
    }
    return gather->level[most].seconds;
}

/* Step 6. */
static void refine(struct fit *f, int others, const napcoll_line_t *message,
                   napcoll_incast_gather_t *gather)
{
    for (int round = 0; round < MOST_ROUNDS && f->m1 >= 0; round++) {
        const struct fit before = *f;

        find_levels(f, gather);
        f->half_level = main_level(gather) / 2;
        count_escalated(f);
        refit_small(f);
        find_large(f, others, message);
        count_escalated(f);
        find_range(f);
        if (f->m1 == before.m1 && f->m2 == before.m2 && f->large_from == before.large_from
            && round > 0) {
            break;
        }
    }
    if (f->m1 >= 0) {
        find_levels(f, gather);
    }
}

/* ---- the result ---- */

static void set_result(const struct fit *f, napcoll_incast_gather_t *gather)
{
    const int num = f->scan.num_sizes;
    const int below = f->m1 >= 0 ? f->m1 : f->large_from;
    const int above = f->m1 >= 0 ? f->m2 + 1 : f->large_from;
    const struct count all = count_sizes(f, 0, num);
    const struct count inside = f->m1 >= 0 ? count_sizes(f, f->m1, f->m2 + 1)
                                           : (struct count){.left = 0};

    gather->noise = f->scan.noise;
    gather->elsewhere = all.all > inside.all
                            ? (double) (all.left - inside.left) / (double) (all.all - inside.all)
                            : 0;
    gather->small = napcoll_incast_scan_line(&f->scan, 0, below);
    gather->large = napcoll_incast_scan_line(&f->scan, above, num);
    gather->large_from = gather->large.points > 0 ? f->scan.size[above].bytes : 0;
    if (f->m1 >= 0) {
        gather->escalates = true;
        gather->m1 = f->scan.size[f->m1].bytes;
        gather->m2 = f->scan.size[f->m2].bytes;
        gather->below_m1 = f->m1 > 0 ? f->scan.size[f->m1 - 1].bytes : 0;
        gather->above_m2 = f->m2 + 1 < num ? f->scan.size[f->m2 + 1].bytes : 0;
    }
}

static void fit_gather(struct fit *f, int others, const napcoll_line_t *message,
                       napcoll_incast_gather_t *gather)
{
    f->left = napcoll_allocate((size_t) f->scan.num_sizes, sizeof(*f->left));
    f->least = f->scan.size[0].low;
    for (int i = 1; i < f->scan.num_sizes; i++) {
        f->least = fmin(f->least, f->scan.size[i].low);
    }
    grow_small(f);
    find_large(f, others, message);
    count_escalated(f);
    find_range(f);
    refine(f, others, message, gather);
    set_result(f, gather);
    free(f->left);
}

napcoll_incast_result_t napcoll_incast_gather(const napcoll_incast_sample_t *samples, size_t count,
                                              int others, const napcoll_line_t *message,
                                              napcoll_incast_gather_t *gather)
{
    struct fit f = {.m1 = -1};
    const napcoll_incast_result_t result = napcoll_incast_scan_open(samples, count, &f.scan);

    memset(gather, 0, sizeof(*gather));
    if (NAPCOLL_INCAST_OK == result) {
        fit_gather(&f, others, message, gather);
        gather->size = f.scan.size;
        gather->num_sizes = f.scan.num_sizes;
        f.scan.size = NULL;
    }
    napcoll_incast_scan_close(&f.scan);
    return result;
}

double napcoll_incast_gather_loss(const napcoll_incast_gather_t *gather)
{
    const double middle = sqrt((double) gather->m1 * (double) gather->m2);
    double seconds = 0;

    for (int i = 0; gather->escalates && i < gather->num_levels; i++) {
        seconds += gather->level[i].probability * gather->level[i].seconds;
    }
    return seconds > 0 ? seconds / napcoll_robust_at(&gather->small, middle) : 0;
}

void napcoll_incast_gather_close(napcoll_incast_gather_t *gather)
{
    free(gather->size);
    memset(gather, 0, sizeof(*gather));
}
