/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Made-up times of gather and scatter, of which the answer is known.
 */

#ifndef NAPCOLL_TESTS_INCAST_MADE_H
#define NAPCOLL_TESTS_INCAST_MADE_H

#include <math.h>

#include "cmocka_setup.h"

#include "close.h"
#include "common/napcoll_incast.h"
#include "util/napcoll_mix.h"

enum { OTHERS = 15, TURNS = 20, MOST_SAMPLES = 8192 };

/* The made-up platform: at the root 50 us and 8 ns per byte, which is its port of 1 Gbit/s; at the
 * others 60 us and 12 ns per byte with the link. */
static const napcoll_incast_model_t platform = {.others = OTHERS,
                                                .root_delay = 50e-6,
                                                .root_per_byte = 8e-9,
                                                .far_delay = 60e-6,
                                                .far_per_byte = 12e-9,
                                                .kappa1 = 14e-9,
                                                .kappa2 = -9e-9};
static const napcoll_line_t message = {.intercept = 110e-6, .slope = 20e-9, .points = 9};
static const double timeout = 0.2;

/* All that is measured of one collective. */
struct samples {
    napcoll_incast_sample_t sample[MOST_SAMPLES];
    size_t count;
    uint64_t random;
};

static struct samples made;

static inline int begin(void **state)
{
    (void) state;
    made.count = 0;
    made.random = 7;
    return 0;
}

/* From 0 to below 1. */
static inline double dice(struct samples *s)
{
    return (double) (napcoll_mix_next(&s->random) >> 11) * 0x1p-53;
}

static inline void add(struct samples *s, size_t bytes, double seconds)
{
    assert_true(s->count < MOST_SAMPLES);
    s->sample[s->count++] = (napcoll_incast_sample_t){.bytes = bytes, .seconds = seconds};
}

static inline double far_end(double bytes)
{
    return platform.far_delay + platform.far_per_byte * bytes;
}

static inline double gather_line(double bytes)
{
    return OTHERS * (platform.root_delay + platform.root_per_byte * bytes) + far_end(bytes)
           + platform.kappa1 * bytes;
}

static inline double gather_large(double bytes)
{
    return OTHERS * (platform.root_delay + platform.root_per_byte * bytes) + OTHERS * far_end(bytes)
           + platform.kappa2 * bytes;
}

static inline double scatter_line(double bytes, bool large)
{
    return platform.root_delay + OTHERS * platform.root_per_byte * bytes
           + (large ? OTHERS : 1) * far_end(bytes);
}

/* The index-th size of a scan, three to an octave from 256 bytes; 31 of them reach 256 KB. */
static inline size_t size_at(int index)
{
    return (size_t) (256 * pow(2, index / 3.0) + 0.5);
}

enum { SIZES = 31 };

/* How the made-up gathers go wrong. */
struct trouble {
    /* Where calls may escalate; m2 0: nowhere */
    size_t m1, m2;
    /* That one does */
    double probability;
    /* That it does so twice */
    double second;
    /* Up to this share of the time is added */
    double noise;
    /* Share of calls, at all sizes, that take up to 20 ms longer */
    double outliers;
    /* Whether sizes above m2 are on the line of large ones */
    bool large;
};

static inline void make_gather(const struct trouble *t)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < SIZES; i++) {
            const size_t bytes = size_at(i);
            double seconds = t->large && bytes > t->m2 ? gather_large((double) bytes)
                                                       : gather_line((double) bytes);

            seconds *= 1 + t->noise * dice(&made);
            if (bytes >= t->m1 && bytes <= t->m2 && dice(&made) < t->probability) {
                seconds += timeout * (dice(&made) < t->second ? 2 : 1);
            }
            if (dice(&made) < t->outliers) {
                seconds += 0.02 * dice(&made);
            }
            add(&made, bytes, seconds);
        }
    }
}

static inline napcoll_incast_gather_t fitted(void)
{
    napcoll_incast_gather_t g;

    assert_int_equal(napcoll_incast_gather(made.sample, made.count, OTHERS, &message, &g),
                     NAPCOLL_INCAST_OK);
    return g;
}

static inline void make_scatter(size_t s, double noise)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < SIZES; i++) {
            const size_t bytes = size_at(i);

            add(&made, bytes, scatter_line((double) bytes, bytes >= s) * (1 + noise * dice(&made)));
        }
    }
}

static inline napcoll_incast_scatter_t fitted_scatter(void)
{
    napcoll_incast_scatter_t s;

    assert_int_equal(napcoll_incast_scatter(made.sample, made.count, &s), NAPCOLL_INCAST_OK);
    return s;
}

#endif
