/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The kinds of calls in the list of contestants: COMPONENT[:ALGORITHM]@KIND. A contestant that
 * names no kind stands for one of each kind of --kind. Blocking calls have no @KIND in the end, so
 * that they are called as in runs that have no other kind.
 */

#include "bench.h"

static const char *kind_name_at(const void *context, int i)
{
    (void) context;
    return napcoll_kind_name(i);
}

napcoll_names_t kind_names(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = kind_name_at};
}

int kind_of(const char *contestant, size_t *length)
{
    const napcoll_names_t names = kind_names(NULL);
    const char *at = strchr(contestant, '@');

    *length = NULL == at ? strlen(contestant) : (size_t) (at - contestant);
    return NULL == at ? NAPCOLL_KINDS : napcoll_name_find(&names, at + 1, strlen(at + 1));
}

static bool add(struct options *opt, const char *contestant, size_t length, napcoll_kind_t kind,
                char message[BENCH_TEXT])
{
    char *name = opt->contestant[opt->num_contestants];
    const char *suffix = NAPCOLL_KIND_BLOCKING == kind ? "" : napcoll_kind_name((int) kind);

    if (NAPCOLL_MOST_CONTESTANTS == opt->num_contestants) {
        snprintf(message, BENCH_TEXT,
                 "--kind: the contestants, each of every kind, are more than %d; take fewer kinds "
                 "or contestants",
                 NAPCOLL_MOST_CONTESTANTS);
        return false;
    }
    if (snprintf(name, BENCH_NAME, "%.*s%s%s", (int) length, contestant,
                 '\0' == suffix[0] ? "" : "@", suffix)
        >= BENCH_NAME) {
        snprintf(message, BENCH_TEXT, "--contestants: %.*s@%s: expected at most %d characters",
                 (int) length, contestant, suffix, BENCH_NAME - 1);
        return false;
    }
    for (int i = 0; i < opt->num_contestants; i++) {
        if (0 == strcmp(opt->contestant[i], name)) {
            snprintf(message, BENCH_TEXT,
                     "--contestants: %s would be measured twice; list it once, with @KIND or "
                     "without",
                     name);
            return false;
        }
    }
    opt->num_contestants++;
    return true;
}

bool kinds_apply(struct options *opt, char message[BENCH_TEXT])
{
    char listed[NAPCOLL_MOST_CONTESTANTS][BENCH_NAME];
    const int num = opt->num_contestants;

    memcpy(listed, opt->contestant, sizeof(listed));
    opt->num_contestants = 0;
    for (int i = 0; i < num; i++) {
        size_t length;
        const int own = kind_of(listed[i], &length);

        for (int k = 0; k < (NAPCOLL_KINDS == own ? opt->num_kinds : 1); k++) {
            const napcoll_kind_t kind = NAPCOLL_KINDS == own ? opt->kind[k] : (napcoll_kind_t) own;

            if (!add(opt, listed[i], length, kind, message)) {
                return false;
            }
        }
    }
    return true;
}
