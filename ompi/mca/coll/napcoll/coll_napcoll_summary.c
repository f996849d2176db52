/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The summary of calls: of a process or of the job, to the log and, as JSON lines, to a file. An
 * error concerns the file alone, never the program.
 *
 * The first thing that MPI_Finalize does is to delete the attributes of MPI_COMM_SELF. That is when
 * the summary is written: all communicators and the runtime still work. Programs without MPI_Init
 * write it when the component closes.
 */

#include "coll_napcoll_stats.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opal/util/output.h"
#include "select/napcoll_summary.h"
#include "util/napcoll_file_name.h"

/* ---- what processes know of their job ---- */

/* The job's number by the scheduler, else by Open MPI: a word without slashes. */
static void find_job_id(char *id, size_t room)
{
    static const char *const variables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID",
                                            "JOB_ID"};
    const char *value = NULL;

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && NULL == value; i++) {
        value = getenv(variables[i]);
        value = NULL == value || '\0' == value[0] ? NULL : value;
    }
    if (NULL == value) {
        (void) snprintf(id, room, "%lu", (unsigned long) OPAL_PROC_MY_NAME.jobid);
    } else {
        (void) snprintf(id, room, "%s", value);
    }
    for (; '\0' != *id; id++) {
        *id = isgraph((unsigned char) *id) && '/' != *id ? *id : '_';
    }
}

/* The name of the file; NULL without one, or with *wrong as napcoll_file_name sets it. */
static char *file_name(const mca_coll_napcoll_component_t *component, size_t *wrong)
{
    char process[32];
    const napcoll_file_pattern_t pattern[] = {
        {'h', napcoll_compat_hostname()}, {'p', process}, {'j', component->job_id}, {'\0', NULL}};

    *wrong = 0;
    if (NULL == component->summary_name) {
        return NULL;
    }
    (void) snprintf(process, sizeof(process), "%u", (unsigned) OPAL_PROC_MY_NAME.vpid);
    return napcoll_file_name(component->summary_name, pattern, wrong);
}

void mca_coll_napcoll_summary_open(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    size_t wrong;

    find_job_id(component->job_id, sizeof(component->job_id));
    component->summary_written = false;
    component->summary_name = NULL;
    if (NULL != component->summary_file && '\0' != component->summary_file[0]) {
        component->summary_name = strdup(component->summary_file);
        if (NULL == component->summary_name) {
            mca_coll_napcoll_no_memory("a file name");
        }
    }
    free(file_name(component, &wrong));
    if (wrong > 0 && mca_coll_napcoll_reports()) {
        napcoll_compat_show_help("bad summary_file", component->summary_name, (int) wrong);
    }
}

void mca_coll_napcoll_take_summary(int summary, const char *job_id)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    if (NAPCOLL_SUMMARY_JOB == summary || NAPCOLL_SUMMARY_JOB == component->summary) {
        component->summary = summary;
        mca_coll_napcoll_stats_decide();
    }
    (void) snprintf(component->job_id, sizeof(component->job_id), "%s", job_id);
}

/* ---- the file ---- */

/* Append to a file, by one write if it takes all; 0 or errno. The open does not wait for a FIFO's
 * reader. */
static int append_unguarded(const char *name, const char *text, size_t length)
{
    const int file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                          0666);
    int error = 0;

    if (file < 0) {
        return errno;
    }
    while (length > 0 && 0 == error) {
        const ssize_t written = write(file, text, length);

        if (written >= 0) {
            text += written;
            length -= (size_t) written;
        } else if (EINTR != errno) {
            error = errno;
        }
    }
    if (0 != close(file) && 0 == error) {
        error = errno;
    }
    return error;
}

/* The same; the signals of a write that fails do not end the program. */
static int append_to(const char *name, const char *text, size_t length)
{
    const struct timespec now = {0};
    sigset_t fatal, before;
    int error;

    (void) sigemptyset(&fatal);
    (void) sigaddset(&fatal, SIGPIPE);
    (void) sigaddset(&fatal, SIGXFSZ);
    (void) pthread_sigmask(SIG_BLOCK, &fatal, &before);
    error = append_unguarded(name, text, length);
    if (EPIPE == error || EFBIG == error) {
        (void) sigtimedwait(&fatal, NULL, &now);
    }
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* ---- the summary ---- */

/* Where the lines of a summary go. */
typedef struct {
    napcoll_summary_head_t head;
    /* the begin of each line of the log */
    char label[96];
    /* memory for the file, or NULL */
    FILE *json;
} summary_t;

static void log_line(const summary_t *summary, const char *line)
{
    opal_output_verbose(0, mca_coll_napcoll_component.output, "coll:napcoll: %s: %s",
                        summary->label, line);
}

static void write_head(const summary_t *summary, bool has_rows)
{
    const napcoll_summary_head_t *head = &summary->head;
    char line[NAPCOLL_CALL_STATS_LINE];

    if (NULL != summary->json) {
        napcoll_summary_write_head(summary->json, head);
    }
    if (!has_rows) {
        (void) snprintf(line, sizeof(line), "no calls%s%s",
                        '\0' == head->not_used[0] ? "" : ", because on MPI_COMM_WORLD ",
                        head->not_used);
        log_line(summary, line);
    }
    if (head->lost > 0) {
        (void) snprintf(line, sizeof(line), "no memory to count %llu further calls", head->lost);
        log_line(summary, line);
    }
}

static void write_process(summary_t *summary, napcoll_call_stats_t *stats)
{
    char line[NAPCOLL_CALL_STATS_LINE];

    summary->head.process = (int) OPAL_PROC_MY_NAME.vpid;
    summary->head.counted = 1;
    summary->head.lost = stats->lost;
    (void) snprintf(summary->label, sizeof(summary->label), "summary of process %d",
                    summary->head.process);
    write_head(summary, stats->rows > 0);
    napcoll_call_stats_sort(stats);
    for (int i = 0; i < stats->rows; i++) {
        napcoll_call_stats_line(&stats->row[i], line);
        log_line(summary, line);
        if (NULL != summary->json) {
            napcoll_summary_write_row(summary->json, &summary->head, &stats->row[i]);
        }
    }
}

static void write_job(summary_t *summary, napcoll_job_stats_t *job)
{
    const int all = summary->head.processes, counted = napcoll_job_stats_processes(job);
    char line[NAPCOLL_CALL_STATS_LINE], part[32] = "";
    napcoll_job_stats_row_t row;
    size_t at = 0;

    summary->head.process = -1;
    summary->head.counted = counted;
    summary->head.lost = napcoll_job_stats_lost(job);
    if (counted < all) {
        (void) snprintf(part, sizeof(part), "%d of ", counted);
    }
    (void) snprintf(summary->label, sizeof(summary->label), "summary of the job, %s%d processes",
                    part, all);
    write_head(summary, napcoll_job_stats_next(job, &at, &row));
    at = 0;
    while (napcoll_job_stats_next(job, &at, &row)) {
        napcoll_job_stats_line(&row, line);
        log_line(summary, line);
        if (NULL != summary->json) {
            napcoll_summary_write_job_row(summary->json, &summary->head, &row);
        }
    }
}

/* The time now, UTC. */
static void find_time(char *text, size_t room)
{
    const time_t now = time(NULL);
    struct tm utc;

    if (NULL == gmtime_r(&now, &utc) || 0 == strftime(text, room, "%Y-%m-%dT%H:%M:%SZ", &utc)) {
        text[0] = '\0';
    }
}

/* Write the summary to the log and, where `json` is not NULL, to it. */
static void write_to(mca_coll_napcoll_component_t *component, FILE *json)
{
    char ended[32];
    summary_t summary = {.json = json};

    find_time(ended, sizeof(ended));
    summary.head = (napcoll_summary_head_t){.job = component->job_id,
                                            .launch = (unsigned long) OPAL_PROC_MY_NAME.jobid,
                                            .host = napcoll_compat_hostname(),
                                            .ended = ended,
                                            .napcoll = NAPCOLL_VERSION,
                                            .git = NAPCOLL_GIT_REVISION,
                                            .openmpi = napcoll_compat_openmpi,
                                            .processes = (int) component->job.size,
                                            .nodes = component->nodes,
                                            .min_ppn = component->min_ppn,
                                            .max_ppn = component->max_ppn,
                                            .not_used = component->unused};
    if (NAPCOLL_SUMMARY_JOB != component->summary) {
        write_process(&summary, &component->stats);
        return;
    }
    if (0 == component->job_stats.numbers) {
        /* there was no MPI_COMM_WORLD, or napcoll was not on all of its processes */
        mca_coll_napcoll_start_job_stats();
    }
    write_job(&summary, &component->job_stats);
}

static void write_to_file(mca_coll_napcoll_component_t *component, const char *name)
{
    char *text = NULL;
    size_t length;
    FILE *json = open_memstream(&text, &length);
    int error = ENOMEM;

    write_to(component, json);
    if (NULL != json && 0 == fclose(json)) {
        error = append_to(name, text, length);
    }
    free(text);
    /* the other processes of the node have the same error */
    if (0 != error && napcoll_compat_is_first_on_node()) {
        napcoll_compat_show_help("summary not written", name, napcoll_compat_hostname(),
                                 (unsigned) OPAL_PROC_MY_NAME.vpid, strerror(error));
    }
}

static void write_summary(mca_coll_napcoll_component_t *component)
{
    size_t wrong;
    char *name = file_name(component, &wrong);

    if (NULL == name) {
        write_to(component, NULL);
    } else {
        write_to_file(component, name);
    }
    free(name);
}

/* Write the summary, once, if this process writes one. */
static void write_once(mca_coll_napcoll_component_t *component)
{
    const bool writes = NAPCOLL_SUMMARY_JOB != component->summary || 0 == OPAL_PROC_MY_NAME.vpid;

    if (component->summarized && writes && !component->summary_written) {
        write_summary(component);
    }
    component->summary_written = true;
}

/* For MPI_Finalize. */
static void summarize(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    if (NAPCOLL_SUMMARY_JOB == component->summary) {
        mca_coll_napcoll_gather_job_stats();
    }
    write_once(component);
}

int mca_coll_napcoll_summarize_at_end(void)
{
    return NAPCOLL_SUMMARY_OFF == mca_coll_napcoll_component.summary
               ? OMPI_SUCCESS
               : napcoll_compat_at_finalize(summarize);
}

void mca_coll_napcoll_summary_close(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    /* ompi_info closes the component without a job */
    if (component->job_known || '\0' != component->unused[0]) {
        write_once(component);
    }
    free(component->summary_name);
    component->summary_name = NULL;
}
