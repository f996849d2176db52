/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Comparison of the settings. Decisions depend on them, so a parameter file that differs on
 * one node would make ranks choose different algorithms and wait for each other for ever. Process
 * 0 of the job publishes its settings before the processes exchange their addresses, and every
 * process compares its own with them, once. The same text carries what others take from process 0:
 * whether the summary is of the job, its number of the job, its kind of network, whether its
 * machine was measured, its processors, and the plans, the rules and the switch tree, whose files
 * it alone reads:
 *
 *     SUMMARY JOB newline
 *     SETTINGS newline
 *     NETWORK MEASURED PROCESSORS BYTES-OF-PLANS BYTES-OF-RULES newline PLANS RULES TREE
 *
 * Jobs that join compare a fingerprint of all but the first line.
 */

#include "coll_napcoll_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal/util/argv.h"
#include "opal/util/proc.h"
#include "util/napcoll_mix.h"

static const char key[] = "napcoll.settings";

/* A hash of a text behind its first line. */
static uint64_t fingerprint(const char *text)
{
    uint64_t hash = 0;

    for (text = strchr(text, '\n'); '\0' != *text; text++) {
        hash = napcoll_mix(hash + (unsigned char) *text);
    }
    return hash;
}

__attribute__((format(printf, 2, 3))) static int append(char ***list, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return opal_argv_append_nosize(list, text);
}

/* The parameters of the machine; equal numbers give equal texts. */
static int append_machine(char ***list, const napcoll_machine_t *machine)
{
    int rc = OPAL_SUCCESS;

    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        char number[64];

        napcoll_machine_number_text(machine, i, number, sizeof(number));
        rc |= append(list, "%s=%s", napcoll_machine_key(i) + strlen("coll_napcoll_"), number);
    }
    return rc;
}

/* All settings that decisions depend on, "name=value" each; NULL when memory ran out. */
static char *settings_text(const mca_coll_napcoll_component_t *component)
{
    char **list = opal_argv_copy(component->compared), *text;
    int rc = NULL == list && NULL != component->compared ? OPAL_ERR_OUT_OF_RESOURCE : OPAL_SUCCESS;

    rc |= append(&list, "pmix_base_collect_data=%d", napcoll_compat_collects());
    rc |= append_machine(&list, &component->machine);
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
        const int force = component->settings[coll].force, row = force - NAPCOLL_FORCE_FIRST;

        rc |= append(&list, "%s_algorithm=%d%s%s", collective->name, force,
                     row < NAPCOLL_MAX_ALGORITHMS ? "" : ":",
                     row < NAPCOLL_MAX_ALGORITHMS ? ""
                                                  : napcoll_algorithm_at(collective, row)->name);
    }
    text = OPAL_SUCCESS == rc ? opal_argv_join(list, ' ') : NULL;
    opal_argv_free(list);
    return text;
}

/* The settings of a text that are not in another one; NULL when memory ran out. */
static char *difference(const char *text, const char *other)
{
    char **settings = opal_argv_split(text, ' '), **others = opal_argv_split(other, ' ');
    char **left = NULL, *joined = NULL;
    int rc = NULL == settings || NULL == others ? OPAL_ERR_OUT_OF_RESOURCE : OPAL_SUCCESS;

    for (int i = 0; OPAL_SUCCESS == rc && NULL != settings[i]; i++) {
        int j = 0;

        while (NULL != others[j] && 0 != strcmp(settings[i], others[j])) {
            j++;
        }
        if (NULL == others[j]) {
            rc = opal_argv_append_nosize(&left, settings[i]);
        }
    }
    if (OPAL_SUCCESS == rc) {
        joined = opal_argv_join(left, ' ');
    }
    opal_argv_free(settings);
    opal_argv_free(others);
    opal_argv_free(left);
    return joined;
}

/* What differs or, where memory ran out, all settings. */
static const char *or_all(const char *different, const char *all)
{
    return NULL == different ? all : different;
}

static void show_difference(const char *mine, const char *theirs)
{
    char *only_here = difference(mine, theirs), *only_there = difference(theirs, mine);

    napcoll_compat_await_end();
    napcoll_compat_show_help("different settings", napcoll_compat_hostname(),
                             (unsigned) OPAL_PROC_MY_NAME.vpid, or_all(only_here, mine),
                             or_all(only_there, theirs));
    free(only_here);
    free(only_there);
}

int mca_coll_napcoll_publish_settings(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    char *mine, *plans, *rules, *tree, *text = NULL;
    int rc = OMPI_ERR_OUT_OF_RESOURCE;

    if (0 != OPAL_PROC_MY_NAME.vpid) {
        return OMPI_SUCCESS;
    }
    mine = settings_text(component);
    plans = mca_coll_napcoll_read_plans();
    /* rules may name plans */
    rules = NULL != plans && OMPI_SUCCESS == mca_coll_napcoll_set_plans(plans, strlen(plans))
                ? mca_coll_napcoll_read_rules()
                : NULL;
    tree = mca_coll_napcoll_read_topology();
    component->measured = mca_coll_napcoll_is_measured();
    component->processors = (int) sysconf(_SC_NPROCESSORS_ONLN);
    if (NULL != mine && NULL != rules && NULL != tree
        && asprintf(&text, "%d %s\n%s\n%d %d %d %zu %zu\n%s%s%s", component->summary,
                    component->job_id, mine, (int) component->network, component->measured,
                    component->processors, strlen(plans), strlen(rules), plans, rules, tree)
               >= 0) {
        component->fingerprint = fingerprint(text);
        rc = napcoll_compat_publish(key, text);
        free(text);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_set_rules(rules, strlen(rules));
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_set_topology(tree);
    }
    free(mine);
    free(plans);
    free(rules);
    free(tree);
    return rc;
}

/* What follows the settings of process 0. */
typedef struct {
    napcoll_network_t network;
    bool measured;
    int processors;
    /* bytes of the plans and of the rules */
    size_t plans_length;
    size_t rules_length;
    /* the plans and, behind them, the rules and the tree; in the text that was read */
    char *plans;
} taken_t;

static int read_taken(char *text, taken_t *taken)
{
    const long network = strtol(text, &text, 10);
    const long measured = strtol(text, &text, 10), processors = strtol(text, &text, 10);
    char *end = NULL;

    taken->plans_length = (size_t) strtoull(text, &end, 10);
    taken->rules_length = (size_t) strtoull(end, &end, 10);
    if ('\n' != *end || strlen(end + 1) < taken->plans_length
        || strlen(end + 1) - taken->plans_length < taken->rules_length
        || (NAPCOLL_NETWORK_FABRIC != network && NAPCOLL_NETWORK_ETHERNET != network)) {
        return OMPI_ERR_NOT_FOUND;
    }
    taken->network = (napcoll_network_t) network;
    taken->measured = 0 != measured;
    taken->processors = (int) processors;
    taken->plans = end + 1;
    return OMPI_SUCCESS;
}

static int set_files(const taken_t *taken)
{
    const char *rules = taken->plans + taken->plans_length;
    int rc = mca_coll_napcoll_set_plans(taken->plans, taken->plans_length);

    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_set_rules(rules, taken->rules_length);
    }
    return OMPI_SUCCESS == rc ? mca_coll_napcoll_set_topology(rules + taken->rules_length) : rc;
}

/* Take what the first line of process 0's text says, and return what is behind it; NULL: the text
 * is another one. */
static char *take_first_line(char *text)
{
    char *job_id, *end = strchr(text, '\n');
    const long summary = strtol(text, &job_id, 10);

    if (NULL == end || ' ' != *job_id) {
        return NULL;
    }
    *end = '\0';
    mca_coll_napcoll_take_summary((int) summary, job_id + 1);
    *end = '\n';
    return end + 1;
}

/* Compare the settings of this process with process 0's. */
static int compare(const char *theirs)
{
    char *mine = settings_text(&mca_coll_napcoll_component);
    int rc = OMPI_SUCCESS;

    if (NULL == mine) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (0 != strcmp(mine, theirs)) {
        show_difference(mine, theirs);
        rc = OMPI_ERR_BAD_PARAM;
    }
    free(mine);
    return rc;
}

int mca_coll_napcoll_compare_settings(void)
{
    opal_process_name_t first = {.jobid = OPAL_PROC_MY_NAME.jobid, .vpid = 0};
    char *text = NULL, *theirs = NULL, *more = NULL;
    taken_t taken;
    int rc;

    if (0 == OPAL_PROC_MY_NAME.vpid) {
        return OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS == napcoll_compat_lookup(&first, key, &text) && NULL != text) {
        theirs = take_first_line(text);
    }
    if (NULL != theirs) {
        more = strchr(theirs, '\n');
    }
    rc = NULL == more ? OMPI_ERR_NOT_FOUND : read_taken(more + 1, &taken);
    if (OMPI_SUCCESS != rc) {
        napcoll_compat_await_end();
        napcoll_compat_show_help("no settings of process 0", napcoll_compat_hostname());
    } else {
        mca_coll_napcoll_component.fingerprint = fingerprint(text);
        mca_coll_napcoll_component.measured = taken.measured;
        mca_coll_napcoll_component.processors = taken.processors;
        *more = '\0';
        if (NAPCOLL_NETWORK_AUTO == mca_coll_napcoll_component.asked_network) {
            mca_coll_napcoll_set_network(taken.network);
        }
        rc = compare(theirs);
    }
    if (OMPI_SUCCESS == rc) {
        rc = set_files(&taken);
    }
    free(text);
    return rc;
}

int mca_coll_napcoll_compare_jobs(mca_coll_napcoll_module_t *module, bool waits)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    mca_coll_napcoll_common_t common;
    char subject[MPI_MAX_OBJECT_NAME + 32];
    int rc;

    if (component->on_all_processes && !napcoll_joins_jobs(module->comm)) {
        return OMPI_SUCCESS;
    }
    if (!waits) {
        return OMPI_ERR_WOULD_BLOCK;
    }
    rc = mca_coll_napcoll_find_common(module->comm, component->fingerprint, &common);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    module->jobs_differ = common.versions_differ || common.settings_differ;
    opal_mutex_lock(&component->job.lock);
    if (common.versions_differ) {
        (void) snprintf(subject, sizeof(subject), "the communicator \"%s\"", module->comm->c_name);
        rc = mca_coll_napcoll_report_versions(module->comm, subject);
    } else if (common.settings_differ && 0 == ompi_comm_rank(module->comm)) {
        napcoll_compat_show_help("jobs of different settings", module->comm->c_name);
    }
    opal_mutex_unlock(&component->job.lock);
    return rc;
}
