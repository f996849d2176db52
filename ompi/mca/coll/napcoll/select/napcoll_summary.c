/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The summary of calls as JSON lines (see the header).
 */

#include "select/napcoll_summary.h"

#include <stdint.h>

#include "util/napcoll_json.h"

static void write_text(FILE *out, const char *key, const char *text)
{
    (void) fprintf(out, ",\"%s\":", key);
    napcoll_json_string(out, text);
}

static void write_us(FILE *out, const char *key, double us)
{
    (void) fprintf(out, ",\"%s\":", key);
    napcoll_json_us(out, us);
}

/* A number; null where `known` is false. */
static void write_number(FILE *out, const char *key, unsigned long long number, bool known)
{
    (void) fprintf(out, ",\"%s\":", key);
    if (known) {
        (void) fprintf(out, "%llu", number);
    } else {
        (void) fputs("null", out);
    }
}

/* NULL for an empty text. */
static const char *or_null(const char *text)
{
    return '\0' == text[0] ? NULL : text;
}

/* The begin of each line. */
static void begin_line(FILE *out, const char *kind, const napcoll_summary_head_t *head)
{
    (void) fprintf(out, "{\"kind\":\"%s\"", kind);
    write_text(out, "job", head->job);
    (void) fprintf(out, ",\"launch\":\"%lu\"", head->launch);
    write_number(out, "process", (unsigned long long) head->process, head->process >= 0);
}

void napcoll_summary_write_head(FILE *out, const napcoll_summary_head_t *head)
{
    const bool known = head->nodes > 0;

    begin_line(out, "summary", head);
    write_text(out, "host", head->host);
    write_text(out, "ended", head->ended);
    write_text(out, "napcoll", head->napcoll);
    write_text(out, "git", or_null(head->git));
    write_text(out, "openmpi", head->openmpi);
    write_number(out, "processes", (unsigned long long) head->processes, true);
    write_number(out, "counted", (unsigned long long) head->counted, true);
    write_number(out, "nodes", (unsigned long long) head->nodes, known);
    write_number(out, "min_ppn", (unsigned long long) head->min_ppn, known);
    write_number(out, "max_ppn", (unsigned long long) head->max_ppn, known);
    write_text(out, "not_used", or_null(head->not_used));
    write_number(out, "lost_calls", head->lost, true);
    (void) fputs("}\n", out);
}

/* What rows of processes and of jobs have. */
static void begin_row(FILE *out, const napcoll_summary_head_t *head,
                      const napcoll_call_stats_row_t *row)
{
    const napcoll_outcome_t *o = &row->outcome;
    const bool by_fallback = o->algorithm < 0, sized = o->most < SIZE_MAX;
    char name[NAPCOLL_FUNCTION_NAME];

    napcoll_function_name(o->collective, o->kind, name);
    begin_line(out, "calls", head);
    write_text(out, "collective", name);
    write_number(out, "from_bytes", o->least, sized);
    write_number(out, "to_bytes", o->most, sized);
    write_text(out, "algorithm",
               by_fallback ? NULL : napcoll_algorithm_at(o->collective, o->algorithm)->name);
    write_text(out, "fallback", by_fallback ? napcoll_reason_name(o->reason) : NULL);
    write_number(out, "calls", row->calls, true);
    write_number(out, "bytes", row->bytes, true);
    write_us(out, "total_us", row->us);
    write_us(out, "mean_us", row->us / (double) row->calls);
    write_us(out, "min_us", row->least_us);
    write_us(out, "max_us", row->most_us);
}

void napcoll_summary_write_row(FILE *out, const napcoll_summary_head_t *head,
                               const napcoll_call_stats_row_t *row)
{
    begin_row(out, head, row);
    write_us(out, "setup_us", row->setup_us);
    (void) fputs("}\n", out);
}

void napcoll_summary_write_job_row(FILE *out, const napcoll_summary_head_t *head,
                                   const napcoll_job_stats_row_t *row)
{
    begin_row(out, head, &row->all);
    write_number(out, "processes", (unsigned long long) row->processes, true);
    write_us(out, "min_total_us", row->least_total_us);
    write_us(out, "median_total_us", row->median_total_us);
    write_us(out, "max_total_us", row->most_total_us);
    write_us(out, "max_setup_us", row->all.setup_us);
    (void) fputs("}\n", out);
}
