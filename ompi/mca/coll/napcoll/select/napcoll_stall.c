/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reports of stalled calls (see the header).
 */

#include "select/napcoll_stall.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text of limited room. */
typedef struct {
    char *at;
    size_t room;
    size_t used;
} text_t;

/* Add to a text; what does not fit is cut off. */
__attribute__((format(printf, 2, 3))) static void add(text_t *text, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(text->at + text->used, text->room - text->used, format, args);
    va_end(args);
    if (length > 0) {
        text->used += (size_t) length;
        text->used = text->used < text->room ? text->used : text->room - 1;
    }
}

void napcoll_stall_clean(const char *name, char clean[NAPCOLL_STALL_NAME])
{
    size_t i;

    for (i = 0; '\0' != name[i] && i + 1 < NAPCOLL_STALL_NAME; i++) {
        const unsigned char c = (unsigned char) name[i];

        clean[i] = (char) (isalnum(c) || NULL != strchr("_-.:+/ ", c) ? c : '?');
    }
    clean[i] = '\0';
}

/* "in allreduce, call 17, stage 2, for 3.0 s" or "last allreduce, call 17, ended 3.0 s ago" */
static void add_call(text_t *text, const napcoll_stall_call_t *call)
{
    if (0 == call->number) {
        add(text, "no call yet");
        return;
    }
    add(text, "%s %s, call %u", call->under_way ? "in" : "last", call->function, call->number);
    if (call->under_way && call->stage > 0) {
        add(text, ", stage %d", call->stage);
    }
    add(text, call->under_way ? ", for %.1f s" : ", ended %.1f s ago", call->seconds);
}

static void add_rank(text_t *text, const napcoll_stall_rank_t *who)
{
    add(text, "rank %d on %s", who->rank, who->node);
}

static const char *state_words(char state)
{
    switch (state) {
    case 'X':
    case 'Z':
        return "has ended";
    case 'T':
    case 't':
        return "is stopped";
    case 'R':
        return "runs";
    case 'D':
        return "waits for a device";
    default:
        return "sleeps";
    }
}

static void add_absent(text_t *text, const napcoll_stall_absent_t *absent)
{
    add_rank(text, &absent->who);
    add(text, " (");
    add_call(text, &absent->last);
    if (absent->other.number > 0) {
        add(text, "; ");
        add_call(text, &absent->other);
        add(text, " on communicator %u", absent->other_communicator);
    }
    if (absent->pid > 0 && '\0' != absent->state) {
        add(text, "; pid %ld %s", absent->pid, state_words(absent->state));
    }
    add(text, ")");
}

/* The list of peers, or of absents: as many as fit, and the number of the others. */
static void add_list(text_t *line, const napcoll_stall_report_t *report, bool absent, size_t most)
{
    const int all = absent ? report->absents : report->peers;
    char memory[512];
    int i;

    for (i = 0; i < all && i < NAPCOLL_STALL_NAMED; i++) {
        text_t one = {.at = memory, .room = sizeof(memory)};

        memory[0] = '\0';
        if (absent) {
            add_absent(&one, &report->absent[i]);
        } else {
            add_rank(&one, &report->peer[i]);
        }
        if (line->used + one.used + 2 > most) {
            break;
        }
        add(line, "%s%s", 0 == i ? "" : ", ", memory);
    }
    if (i < all) {
        add(line, "%s%d more", 0 == i ? "" : " and ", all - i);
    }
}

static void add_head(text_t *line, const napcoll_stall_report_t *report)
{
    add(line, "%s", NAPCOLL_STALL_PREFIX);
    add_rank(line, &report->who);
    add(line, " of communicator %u (%s, %d ranks, rank 0 is process %u): ", report->communicator,
        report->name, report->size, report->first);
}

/* Where the call is. */
static void add_place(text_t *line, const napcoll_stall_report_t *report)
{
    if (NAPCOLL_STALL_SETUP == report->doing) {
        add(line, ", in its set-up");
    } else if (NAPCOLL_STALL_FALLBACK == report->doing) {
        add(line, ", by the fallback component");
    } else if (NULL != report->algorithm) {
        add(line, ", by %s", report->algorithm);
    }
    if (NAPCOLL_STALL_QUEUED == report->doing) {
        add(line, ", behind an earlier call of this process");
    }
    if (report->call.stage > 0) {
        add(line, ", stage %d of %d", report->call.stage, report->stages);
    }
    if (report->pieces > 1) {
        add(line, ", segment %d of %d", report->piece, report->pieces);
    }
    if (NAPCOLL_STALL_PHASE == report->doing) {
        add(line, ", in a phase of another component");
    }
}

void napcoll_stall_words(const napcoll_stall_report_t *report, char line[NAPCOLL_STALL_LINE])
{
    const size_t more = sizeof(" and 2147483647 more");
    text_t text = {.at = line, .room = NAPCOLL_STALL_LINE};

    line[0] = '\0';
    if (0 == report->size) {
        add(&text, "%sprocess %d on %s: in no call; no call yet", NAPCOLL_STALL_PREFIX,
            report->who.rank, report->who.node);
        return;
    }
    add_head(&text, report);
    if (NAPCOLL_STALL_NONE == report->doing) {
        add(&text, "in no call; ");
        add_call(&text, &report->call);
        return;
    }
    add(&text, "%.1f s in %s, call %u", report->call.seconds, report->call.function,
        report->call.number);
    add_place(&text, report);
    if (report->peers > 0) {
        add(&text, "; waits for ");
        add_list(&text, report, false, NAPCOLL_STALL_LINE / 2 - more);
    }
    if (report->absents > 0) {
        add(&text, "; not in the call: ");
        add_list(&text, report, true, NAPCOLL_STALL_LINE - more);
    }
}
