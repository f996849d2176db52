/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Names as users type them; see napcoll_names.h.
 */

#include "common/napcoll_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer names are similar to none. */
enum { MOST_LENGTH = 64 };

/* ---- lists ---- */

const char *napcoll_name_in_array(const void *context, int i)
{
    return ((const char *const *) context)[i];
}

const char *napcoll_collective_name_at(const void *context, int i)
{
    (void) context;
    return NULL == napcoll_collective_at(i) ? NULL : napcoll_collective_at(i)->name;
}

const char *napcoll_algorithm_name_at(const void *context, int i)
{
    const napcoll_collective_t *collective = context;

    return i < collective->algorithms ? collective->algorithm[i].name : NULL;
}

int napcoll_name_find(const napcoll_names_t *names, const char *name, size_t length)
{
    const char *at;

    for (int i = 0; NULL != (at = names->at(names->context, i)); i++) {
        if (strlen(at) == length && 0 == strncmp(at, name, length)) {
            return i;
        }
    }
    return -1;
}

const napcoll_collective_t *napcoll_collective_find(const char *name)
{
    const napcoll_names_t names = {.at = napcoll_collective_name_at};
    const int at = napcoll_name_find(&names, name, strlen(name));

    return at < 0 ? NULL : napcoll_collective_at(at);
}

int napcoll_algorithm_find(const napcoll_collective_t *collective, const char *name)
{
    const napcoll_names_t names = {.at = napcoll_algorithm_name_at, .context = collective};

    return napcoll_name_find(&names, name, strlen(name));
}

/* ---- the nearest name ---- */

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

/* How many characters to insert, delete, replace or exchange with their neighbour make one text of
 * the other (optimal string alignment). */
static int distance(const char *a, int a_length, const char *b, int b_length)
{
    int cost[MOST_LENGTH + 1][MOST_LENGTH + 1];

    for (int i = 0; i <= a_length; i++) {
        cost[i][0] = i;
    }
    for (int j = 0; j <= b_length; j++) {
        cost[0][j] = j;
    }
    for (int i = 1; i <= a_length; i++) {
        for (int j = 1; j <= b_length; j++) {
            const int replaced = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];

            cost[i][j] = least_of(replaced, 1 + least_of(cost[i - 1][j], cost[i][j - 1]));
            if (exchanged) {
                cost[i][j] = least_of(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a_length][b_length];
}

const char *napcoll_name_nearest(const napcoll_names_t *names, const char *wrong, size_t length)
{
    const char *name, *nearest = NULL;
    /* a name of which a third is wrong is similar no more */
    int least = (int) length / 3 + 1;

    if (length > MOST_LENGTH) {
        return NULL;
    }
    for (int i = 0; NULL != (name = names->at(names->context, i)); i++) {
        const size_t its_length = strlen(name);
        int apart;

        if (its_length > MOST_LENGTH) {
            continue;
        }
        apart = distance(wrong, (int) length, name, (int) its_length);
        /* the beginning of a name, such as "sim", is near to it */
        if (length > 1 && 0 == strncmp(wrong, name, length)) {
            apart = least_of(apart, 1);
        }
        if (apart < least || (apart == least && NULL == nearest)) {
            least = apart;
            nearest = name;
        }
    }
    return nearest;
}

/* ---- what to say ---- */

/* Append to a text; false where it does not fit. */
static bool append(char *text, size_t room, const char *before, const char *name)
{
    const size_t used = strlen(text);

    if (used + strlen(before) + strlen(name) >= room) {
        return false;
    }
    (void) snprintf(text + used, room - used, "%s%s", before, name);
    return true;
}

void napcoll_name_expected(char *text, size_t room, const napcoll_names_t *names, const char *wrong,
                           size_t length)
{
    static const char cut[] = ", ...";
    const char *nearest = napcoll_name_nearest(names, wrong, length);
    char question[2 * MOST_LENGTH] = "";
    size_t kept;
    const char *name;

    if (NULL != nearest) {
        (void) snprintf(question, sizeof(question), " (did you mean %s?)", nearest);
    }
    kept = room - strlen(question) - sizeof(cut);
    text[0] = '\0';
    for (int i = 0; NULL != (name = names->at(names->context, i)); i++) {
        const bool last = NULL == names->at(names->context, i + 1);
        const char *before = last ? " or " : ", ";

        if (!append(text, kept, 0 == i ? "expected " : before, name)) {
            strcat(text, cut);
            break;
        }
    }
    strcat(text, question);
}
