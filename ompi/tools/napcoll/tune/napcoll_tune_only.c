/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Which collectives, and which of their sizes, napcoll-tune correct is to try: all, or those that --only names.
 */

#include <math.h>
#include <string.h>

#include "napcoll_tune.h"
#include "select/napcoll_agreement.h"

/* By how much two sizes differ. */
static double apart(size_t one, size_t other)
{
    return fabs(log((double) (one > 0 ? one : 1) / (double) (other > 0 ? other : 1)));
}

/* Those of a collective's sizes that are tried: which stands for so many bytes, or all. Where rules on sizes stand or fall
 * together, all, and what they agree by. */
static void want(tune_options_t *options, int subject, bool all, size_t bytes)
{
    const tune_subject_t *about = tune_subject(subject);
    int nearest = 0;

    for (int size = 0; size < about->sizes; size++) {
        if (apart(about->bytes[size], bytes) < apart(about->bytes[nearest], bytes)) {
            nearest = size;
        }
    }
    for (int size = 0; size < about->sizes; size++) {
        if (all || about->untold || nearest == size) {
            options->tried[subject][size] = true;
        }
    }
    for (int other = 0; about->untold && other < TUNE_SUBJECTS; other++) {
        if (napcoll_agreement_by(about->collective) == tune_subject(other)->collective) {
            options->tried[other][0] = true;
        }
    }
}

/* One word of a list, COLLECTIVE[:BYTES]. */
static bool parse_wanted(const char *word, size_t length, tune_options_t *options)
{
    char name[64], *colon;
    size_t bytes = 0;

    if (length >= sizeof(name)) {
        return false;
    }
    memcpy(name, word, length);
    name[length] = '\0';
    colon = strchr(name, ':');
    if (NULL != colon) {
        *colon = '\0';
        if (!tune_parse_bytes(colon + 1, &bytes)) {
            return false;
        }
    }
    for (int subject = 0; subject < TUNE_SUBJECTS; subject++) {
        if (0 == strcmp(name, tune_subject(subject)->collective->name)) {
            want(options, subject, NULL == colon, bytes);
            return true;
        }
    }
    return false;
}

bool tune_only_parse(const char *text, tune_options_t *options)
{
    size_t length;

    memset(options->tried, 0, sizeof(options->tried));
    for (;; text += length + 1) {
        length = strcspn(text, ",");
        if (!parse_wanted(text, length, options)) {
            return false;
        }
        if ('\0' == text[length]) {
            return true;
        }
    }
}
