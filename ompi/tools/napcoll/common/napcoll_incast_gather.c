/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The escalation of gather; see napcoll_incast.h, whose steps these are.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_incast.h"
#include "common/napcoll_incast_scan.h"

/* A sample that has left its line takes more than so many times the line and so many times the noise. */
static const double times_line = 2.0, times_noise = 3.0;

/* Once levels are known: this share of the line, at least. And the line goes through sizes of whose samples
 * so many are on it, at least; it is gone through so often, at most. */
static const double line_share = 0.25, normal_share = 0.25;
enum { LEAST_NORMAL = 3, MOST_ROUNDS = 8 };

/* Of a size's samples, so many have left the line where a size escalates. */
static const double onset_share = 0.1;
enum { ONSET_SAMPLES = 2 };

/* A size that escalates by itself belongs to M1 to M2 where it is so many sizes away at most; and there are
 * so many sizes that may escalate. */
enum { NEAR = 2, LEAST_ESCALATING = 2 };

/* Chance that a size escalates by itself; and that a stretch does, at the rate of the least sizes and at that
 * of all sizes outside, of which some may escalate. */
static const double size_chance = 0.05, least_chance = 1e-6, outside_chance = 1e-4;

/* The rate of a stretch is more than so many times that by chance. */
static const double times_chance = 3;

/* The line of small sizes begins with so many; that of large ones has as many as LEAST_TAIL. */
enum { START = 4, LEAST_TAIL = 3 };

/* A size of the large regime lies so near its line, relative to it. */
static const double tail_share = 0.3;

/* The large regime has so many times what one message after another would have, at most. */
static const double times_serial = 2.0;

/* A level ends where the next time lies this share of it above; and it has this share of the samples. */
static const double level_gap = 0.15, level_share = 0.02;
enum { LEVEL_SAMPLES = 2 };

/* The main level has this share of the escalated samples. */
static const double main_share = 0.25;

/* What the steps hand on. */
struct fit {
    napcoll_incast_scan_t scan;
    napcoll_line_t small; /* through lower quartiles */
    napcoll_line_t large; /* of the large regime, if there is one */
    int large_from;       /* index of its first size, or num_sizes */
    double least;         /* of all lower quartiles: no line says less */
    double half_level;    /* half of the main level, in seconds; 0 before levels are known */
    double by_chance;     /* rate at which samples leave their line where nothing escalates */
    int m1, m2;           /* indices; m1 = -1 without */
};

static double bytes_at(const struct fit *f, int i)
{
    return (double) f->scan.size[i].bytes;
}

/* What a regime's line says of a size. */
static double line_at(const struct fit *f, const napcoll_line_t *line, int i)
{
    const double seconds = napcoll_robust_at(line, bytes_at(f, i));

    return seconds > f->least ? seconds : f->least;
}

/* Above this, a sample has left the line: step 4, and step 7 once levels are known. */
static double band(const struct fit *f, double line)
{
    const double noise = times_noise * f->scan.noise;
    double above = f->half_level > 0 ? line_share * line : (times_line - 1) * line + noise;

    if (f->half_level > 0) {
        above = f->half_level > above ? f->half_level : above;
        above = noise > above ? noise : above;
    }
    return line + above;
}

/* What the line of its regime says of a size. */
static double regime_at(const struct fit *f, int i)
{
    return line_at(f, i >= f->large_from ? &f->large : &f->small, i);
}

/* How many of a size's samples lie above a limit. */
static size_t count_above(const struct fit *f, int i, double limit)
{
    const double *seconds = f->scan.seconds + f->scan.first[i];
    size_t above = 0;

    while (above < f->scan.size[i].samples
           && seconds[f->scan.size[i].samples - 1 - above] > limit) {
        above++;
    }
    return above;
}

/* ---- the two regimes ---- */

/* Step 2: `use` is scratch. */
static napcoll_incast_result_t grow_small(struct fit *f, bool *use)
{
    napcoll_incast_result_t result = NAPCOLL_INCAST_OK;

    for (int i = 0; NAPCOLL_INCAST_OK == result && i < f->scan.num_sizes; i++) {
        use[i] = i < START || f->scan.size[i].low <= band(f, line_at(f, &f->small, i));
        if (use[i] && i + 1 >= START) {
            result = napcoll_incast_scan_line(&f->scan, use, 0, i + 1, NAPCOLL_INCAST_LOW,
                                              &f->small);
            f->small.slope = f->small.slope > 0 ? f->small.slope : 0;
        }
    }
    return result;
}

/* Whether all sizes from `from` on lie on a line of their own. */
static bool on_large(const struct fit *f, int from)
{
    for (int i = from; i < f->scan.num_sizes; i++) {
        const double line = napcoll_robust_at(&f->large, bytes_at(f, i));

        if (!(fabs(f->scan.size[i].low - line)
              <= tail_share * line + times_noise * f->scan.noise)) {
            return false;
        }
    }
    return true;
}

/* Whether some of the sizes from `from` on lie above the small sizes' line. */
static bool above_small(const struct fit *f, int from)
{
    for (int i = from; i < f->scan.num_sizes; i++) {
        if (f->scan.size[i].low > band(f, line_at(f, &f->small, i))) {
            return true;
        }
    }
    return false;
}

/* Whether messages one after another might be on the line of large sizes. */
static bool is_serial(const struct fit *f, int others, const napcoll_line_t *message)
{
    const double doubt = times_noise * (f->scan.noise + f->large.intercept_error);

    return f->large.intercept <= times_serial * others * message->intercept + doubt
           && f->large.slope <= times_serial * others * message->slope;
}

/* Step 3. */
static napcoll_incast_result_t find_large(struct fit *f, int others, const napcoll_line_t *message)
{
    int from = f->scan.num_sizes;

    f->large_from = f->scan.num_sizes;
    while (from > 0) {
        const napcoll_incast_size_t *size = &f->scan.size[from - 1];

        if ((double) count_above(f, from - 1, band(f, size->low))
            >= onset_share * (double) size->samples) {
            break;
        }
        from--;
    }
    for (; from + LEAST_TAIL <= f->scan.num_sizes; from++) {
        napcoll_incast_result_t result = napcoll_incast_scan_line(
            &f->scan, NULL, from, f->scan.num_sizes, NAPCOLL_INCAST_LOW, &f->large);

        if (NAPCOLL_INCAST_OK != result) {
            return result;
        }
        if (on_large(f, from) && is_serial(f, others, message)) {
            f->large_from = above_small(f, from) ? from : f->scan.num_sizes;
            break;
        }
    }
    return NAPCOLL_INCAST_OK;
}

/* ---- who escalates ---- */

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

static size_t escalated_at(const struct fit *f, int i)
{
    return count_above(f, i, band(f, regime_at(f, i)));
}

/* Whether a size has the samples for it. */
static bool may_escalate(const struct fit *f, int i)
{
    const size_t left = escalated_at(f, i);

    return left >= ONSET_SAMPLES && (double) left >= onset_share * (double) f->scan.size[i].samples;
}

static bool size_escalates(const struct fit *f, int i)
{
    return may_escalate(f, i)
           && chance_of(escalated_at(f, i), f->scan.size[i].samples, f->by_chance) < size_chance;
}

/* How many samples of the sizes from `from` to before `to` have escalated, and how many there are. */
struct count {
    size_t left, all;
};

static struct count count_sizes(const struct fit *f, int from, int to)
{
    struct count c = {.left = 0};

    for (int i = from; i < to; i++) {
        c.left += escalated_at(f, i);
        c.all += f->scan.size[i].samples;
    }
    return c;
}

/* A rate, never quite none (Laplace's estimate): there are few samples. */
static double rate_of(size_t left, size_t all)
{
    return ((double) left + 1) / ((double) all + 2);
}

/* How much likelier it is that the stretch has a rate of its own than that of the least sizes: a logarithm.
 * */
static double likelihood_of(struct count inside, double rate_of_least)
{
    const double k = (double) inside.left, n = (double) inside.all, p = k / n;

    if (p <= rate_of_least) {
        return 0;
    }
    return k * log(p / rate_of_least)
           + (inside.left < inside.all ? (n - k) * log((1 - p) / (1 - rate_of_least)) : 0);
}

/* Whether the stretch's rate is much more than by chance, and no chance at all. */
static bool is_no_chance(struct count inside, double by_chance, double most)
{
    const double rate = (double) inside.left / (double) inside.all;

    return rate >= onset_share && rate > times_chance * by_chance
           && chance_of(inside.left, inside.all, by_chance) < most;
}

/* Step 4. */
static void find_stretch(struct fit *f)
{
    const int num = f->scan.num_sizes, quarter = num / 4;
    const struct count least = count_sizes(f, 0, quarter > START ? quarter : START);
    const struct count whole = count_sizes(f, 0, num);
    const double rate_of_least = rate_of(least.left, least.all);
    struct count found = {.left = 0};
    double most = 0, outside;

    f->m1 = -1;
    for (int from = 0; from < num; from++) {
        struct count inside = {.left = 0};
        int sizes = 0;

        for (int to = from; to < num; to++) {
            double likelihood;

            inside.left += escalated_at(f, to);
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
    outside = rate_of(whole.left - found.left, whole.all - found.all);
    f->by_chance = outside > rate_of_least ? outside : rate_of_least;
    if (f->m1 >= 0
        && !(is_no_chance(found, rate_of_least, least_chance)
             && is_no_chance(found, outside, outside_chance))) {
        f->m1 = -1;
    }
}

/* Take in sizes beyond index `end`, in steps of `side` (1 or -1), as long as the next or the next but one
 * escalates by itself; returns the new end. */
static int extended(const struct fit *f, int end, int side)
{
    for (int away = 1; away <= NEAR; away++) {
        const int i = end + side * away;

        if (i >= 0 && i < f->scan.num_sizes && size_escalates(f, i)) {
            end = i;
            away = 0;
        }
    }
    return end;
}

/* Steps 4 and 5. */
static void find_range(struct fit *f)
{
    for (int i = 0; i < f->scan.num_sizes; i++) {
        f->scan.size[i].escalated = (double) escalated_at(f, i) / (double) f->scan.size[i].samples;
    }
    find_stretch(f);
    if (f->m1 < 0) {
        return;
    }
    f->m1 = extended(f, f->m1, -1);
    f->m2 = extended(f, f->m2, 1);
}

/* ---- levels ---- */

/* Part the sorted times at gaps of at least `gap` of the time below. Cuts go to end[most], as counts of times
 * before them; returns how many levels there are, which may be more than `most`. */
static int part_levels(const struct fit *f, const double *late, size_t count, double gap,
                       size_t *end, int most)
{
    int levels = 0;

    for (size_t i = 1; i <= count; i++) {
        if (i == count || late[i] - late[i - 1] > gap * late[i - 1] + times_noise * f->scan.noise) {
            if (levels < most) {
                end[levels] = i;
            }
            levels++;
        }
    }
    return levels;
}

/* The level of a time, by the middle between levels; the levels' order is ascending. */
static int level_of(const napcoll_incast_gather_t *gather, double late)
{
    int level = 0;

    while (level + 1 < gather->num_levels
           && late > (gather->level[level].seconds + gather->level[level + 1].seconds) / 2) {
        level++;
    }
    return level;
}

/* The levels of sorted times, `samples` being all samples from M1 to M2. */
static void set_levels(const struct fit *f, const double *late, size_t count, size_t samples,
                       napcoll_incast_gather_t *gather)
{
    size_t end[NAPCOLL_INCAST_MOST_LEVELS], from = 0, fewest = LEVEL_SAMPLES;
    double gap = level_gap;
    int levels;

    while ((levels = part_levels(f, late, count, gap, end, NAPCOLL_INCAST_MOST_LEVELS))
           > NAPCOLL_INCAST_MOST_LEVELS) {
        gap *= 1.25;
    }
    if (level_share * (double) count > (double) fewest) {
        fewest = (size_t) (level_share * (double) count);
    }
    for (int i = 0; i < levels; from = end[i++]) {
        napcoll_incast_level_t *level = &gather->level[gather->num_levels];

        if (end[i] - from >= fewest) {
            level->seconds = napcoll_robust_quantile(late + from, end[i] - from, 0.5);
            level->samples = end[i] - from;
            level->probability = (double) level->samples / (double) samples;
            gather->num_levels++;
        }
    }
}

/* What share of each size is at each level: a sample that is at none counts for the nearest. */
static void set_shares(const struct fit *f, napcoll_incast_gather_t *gather)
{
    for (int i = f->m1; gather->num_levels > 0 && i <= f->m2; i++) {
        const double line = regime_at(f, i), *seconds = f->scan.seconds + f->scan.first[i];
        napcoll_incast_size_t *size = &f->scan.size[i];

        memset(size->level, 0, sizeof(size->level));
        for (size_t s = size->samples - escalated_at(f, i); s < size->samples; s++) {
            size->level[level_of(gather, seconds[s] - line)] += 1 / (double) size->samples;
        }
    }
}

/* Step 6. */
static napcoll_incast_result_t find_levels(const struct fit *f, napcoll_incast_gather_t *gather)
{
    size_t count = 0, samples = 0, used = 0;
    double *late;

    for (int i = f->m1; i <= f->m2; i++) {
        count += escalated_at(f, i);
        samples += f->scan.size[i].samples;
    }
    memset(gather->level, 0, sizeof(gather->level));
    gather->num_levels = 0;
    late = malloc(count * sizeof(*late));
    if (NULL == late) {
        return NAPCOLL_INCAST_NO_MEMORY;
    }
    for (int i = f->m1; i <= f->m2; i++) {
        const double line = regime_at(f, i), *seconds = f->scan.seconds + f->scan.first[i];
        const size_t size_samples = f->scan.size[i].samples;

        for (size_t s = size_samples - escalated_at(f, i); s < size_samples; s++) {
            late[used++] = seconds[s] - line;
        }
    }
    napcoll_robust_sort(late, count);
    gather->escalated = (double) count / (double) samples;
    set_levels(f, late, count, samples, gather);
    free(late);
    set_shares(f, gather);
    return NAPCOLL_INCAST_OK;
}

/* ---- the result ---- */

/* The lines of the result go through medians, where the regimes are known. */
static napcoll_incast_result_t final_lines(const struct fit *f, napcoll_incast_gather_t *gather)
{
    const int to = f->m1 >= 0 ? f->m1 : f->large_from, num = f->scan.num_sizes;
    const int from = f->m1 >= 0 ? f->m2 + 1 : f->large_from;
    napcoll_incast_result_t result;

    result = napcoll_incast_scan_line(&f->scan, NULL, 0, to, NAPCOLL_INCAST_MEDIAN, &gather->small);
    if (NAPCOLL_INCAST_OK == result) {
        result = napcoll_incast_scan_line(&f->scan, NULL, from, num, NAPCOLL_INCAST_MEDIAN,
                                          &gather->large);
    }
    if (gather->large.points > 0) {
        gather->large_from = f->scan.size[from].bytes;
    }
    return result;
}

static void set_range(const struct fit *f, napcoll_incast_gather_t *gather)
{
    const int num = f->scan.num_sizes;
    size_t left = 0, all = 0;

    gather->noise = f->scan.noise;
    for (int i = 0; i < num; i++) {
        if (f->m1 < 0 || i < f->m1 || i > f->m2) {
            left += escalated_at(f, i);
            all += f->scan.size[i].samples;
        }
    }
    gather->elsewhere = all > 0 ? (double) left / (double) all : 0;
    if (f->m1 >= 0) {
        gather->escalates = true;
        gather->m1 = f->scan.size[f->m1].bytes;
        gather->m2 = f->scan.size[f->m2].bytes;
        gather->below_m1 = f->m1 > 0 ? f->scan.size[f->m1 - 1].bytes : 0;
        gather->above_m2 = f->m2 + 1 < num ? f->scan.size[f->m2 + 1].bytes : 0;
    }
}

/* Lay the small sizes' line through the medians of the samples that are on it, where there are enough of
 * them. */
static napcoll_incast_result_t refit_small(struct fit *f)
{
    napcoll_incast_result_t result = NAPCOLL_INCAST_OK;
    napcoll_point_t *points = malloc((size_t) f->scan.num_sizes * sizeof(*points));
    napcoll_line_t line;
    int count = 0;

    if (NULL == points) {
        return NAPCOLL_INCAST_NO_MEMORY;
    }
    for (int i = 0; i < f->large_from; i++) {
        const size_t samples = f->scan.size[i].samples, normal = samples - escalated_at(f, i);

        if (normal >= LEAST_NORMAL && (double) normal >= normal_share * (double) samples) {
            points[count].x = bytes_at(f, i);
            points[count++].y = napcoll_robust_quantile(f->scan.seconds + f->scan.first[i], normal,
                                                        0.5);
        }
    }
    if (count >= START) {
        if (0 == napcoll_robust_line(points, count, &line)) {
            f->small = line;
            f->small.slope = line.slope > 0 ? line.slope : 0;
        } else {
            result = NAPCOLL_INCAST_NO_MEMORY; /* the sizes differ */
        }
    }
    free(points);
    return result;
}

/* The least level with its part of the escalated samples, or else the most probable one; 0 without levels. */
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

/* Step 7. */
static napcoll_incast_result_t refine(struct fit *f, int others, const napcoll_line_t *message,
                                      napcoll_incast_gather_t *gather)
{
    napcoll_incast_result_t result = NAPCOLL_INCAST_OK;

    for (int round = 0; round < MOST_ROUNDS && f->m1 >= 0; round++) {
        const struct fit before = *f;

        result = find_levels(f, gather);
        if (NAPCOLL_INCAST_OK != result) {
            return result;
        }
        f->half_level = main_level(gather) / 2;
        result = refit_small(f);
        if (NAPCOLL_INCAST_OK == result) {
            result = find_large(f, others, message);
        }
        if (NAPCOLL_INCAST_OK != result) {
            return result;
        }
        find_range(f);
        if (f->m1 == before.m1 && f->m2 == before.m2 && f->large_from == before.large_from
            && round > 0) {
            break;
        }
    }
    return f->m1 >= 0 ? find_levels(f, gather) : result;
}

static napcoll_incast_result_t fit_scan(struct fit *f, int others, const napcoll_line_t *message,
                                        napcoll_incast_gather_t *gather)
{
    napcoll_incast_result_t result = NAPCOLL_INCAST_NO_MEMORY;
    bool *use = calloc((size_t) f->scan.num_sizes, sizeof(*use));

    f->least = f->scan.size[0].low;
    for (int i = 1; i < f->scan.num_sizes; i++) {
        f->least = f->scan.size[i].low < f->least ? f->scan.size[i].low : f->least;
    }
    if (NULL != use) {
        result = grow_small(f, use);
    }
    free(use);
    if (NAPCOLL_INCAST_OK == result) {
        result = find_large(f, others, message);
    }
    if (NAPCOLL_INCAST_OK == result) {
        find_range(f);
        result = refine(f, others, message, gather);
    }
    if (NAPCOLL_INCAST_OK == result) {
        set_range(f, gather);
        result = final_lines(f, gather);
    }
    return result;
}

napcoll_incast_result_t napcoll_incast_gather(const napcoll_incast_sample_t *samples, size_t count,
                                              int others, const napcoll_line_t *message,
                                              napcoll_incast_gather_t *gather)
{
    struct fit f = {.m1 = -1};
    napcoll_incast_result_t result;

    memset(gather, 0, sizeof(*gather));
    result = napcoll_incast_scan_open(samples, count, &f.scan);
    if (NAPCOLL_INCAST_OK == result) {
        result = fit_scan(&f, others, message, gather);
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
