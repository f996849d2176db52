/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Agreement: decisions are functions of values that all ranks share, and the settings are among
 * them. A parameter file that differs on one node would make ranks choose different algorithms and
 * wait for each other for ever. So process 0 of the job publishes its settings before the job's
 * processes exchange their business cards, and every process compares its own, once. The rules and the switch
 * tree, which process 0 alone reads, go along: the text is the settings, a newline, how many bytes the rules have,
 * a newline, the rules, and the tree.
 */

#include "coll_napcoll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/argv.h"
#include "opal/util/proc.h"

static const char key[] = "napcoll.settings";

__attribute__((format(printf, 2, 3))) static int append(char ***list, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return opal_argv_append_nosize(list, text);
}

/* The numbers of the machine, equal ones as equal texts. */
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

/* All settings that decisions rest on, "name=value" each; NULL when memory ran out. */
static char *settings_text(const mca_coll_napcoll_component_t *component)
{
    char **list = NULL, *text;
    int rc = append(&list, "priority=%d", component->priority);

    rc |= append(&list, "local_provider=%d", component->local_provider);
    rc |= append(&list, "local_radix=%d", component->local_radix);
    rc |= append(&list, "local_shape=%d", component->local_shape);
    rc |= append(&list, "reproducible=%d", component->reproducible);
    rc |= append(&list, "compare=%d", component->compare);
    rc |= append(&list, "coll_tuned_use_dynamic_rules=%d", component->tuned_by_rules);
    rc |= append(&list, "segment_bytes=%zu", component->segment_bytes);
    rc |= append(&list, "alltoall_memory_bytes=%zu", component->transit_bytes);
    rc |= append(&list, "alltoallv_mean_bytes=%zu", component->alltoallv_mean_bytes);
    rc |= append(&list, "alltoallv_trust=%d", component->trust);
    rc |= append(&list, "alltoallv_bounded_bytes=%zu", component->bounded_bytes);
    rc |= append(&list, "gather_m1=%zu", component->thresholds.gather_m1);
    rc |= append(&list, "gather_m2=%zu", component->thresholds.gather_m2);
    rc |= append(&list, "scatter_s=%zu", component->thresholds.scatter_s);
    rc |= append(&list, "verify=%d", component->verify);
    rc |= append(&list, "online=%d", component->online);
    rc |= append(&list, "online_calls=%d", component->online_calls);
    rc |= append(&list, "fake_ppn=%s", NULL == component->fake_ppn ? "" : component->fake_ppn);
    rc |= append(&list, "fake_map=%s", NULL == component->fake_map ? "" : component->fake_map);
    rc |= append_machine(&list, &component->machine);
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
        const napcoll_settings_t *settings = &component->settings[coll];

        rc |= append(&list, "%s_algorithm=%d", collective->name, settings->force);
        for (int row = 0; row < collective->algorithms; row++) {
            const napcoll_algorithm_t *algorithm = &collective->algorithm[row];

            for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
                rc |= append(&list, "%s_%s_%s=%d", collective->name, algorithm->name,
                             algorithm->tunable[t].name, settings->tunable[row][t]);
            }
        }
    }
    text = OPAL_SUCCESS == rc ? opal_argv_join(list, ' ') : NULL;
    opal_argv_free(list);
    return text;
}

/* The settings of a text that are not in another one, of which there are tens; NULL when memory ran
 * out. */
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

static void show_difference(const char *mine, const char *theirs)
{
    char *my_own = difference(mine, theirs), *their_own = difference(theirs, mine);

    napcoll_compat_show_help("different settings", napcoll_compat_hostname(),
                             (unsigned) OPAL_PROC_MY_NAME.vpid, NULL == my_own ? mine : my_own,
                             NULL == their_own ? theirs : their_own);
    free(my_own);
    free(their_own);
}

int mca_coll_napcoll_publish_settings(void)
{
    char *mine, *rules, *tree, *text = NULL;
    int rc = OMPI_ERR_OUT_OF_RESOURCE;

    if (0 != OPAL_PROC_MY_NAME.vpid) {
        return OMPI_SUCCESS;
    }
    mine = settings_text(&mca_coll_napcoll_component);
    rules = mca_coll_napcoll_read_rules();
    tree = mca_coll_napcoll_read_topology();
    if (NULL != mine && NULL != rules && NULL != tree
        && asprintf(&text, "%s\n%zu\n%s%s", mine, strlen(rules), rules, tree) >= 0) {
        rc = napcoll_compat_publish(key, text);
        free(text);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_know_rules(rules, strlen(rules));
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_know_topology(tree);
    }
    free(mine);
    free(rules);
    free(tree);
    return rc;
}

/* What follows the settings: the rules and the tree. */
static int know_files(const char *text)
{
    char *rules = NULL;
    const size_t length = (size_t) strtoull(text, &rules, 10);
    int rc;

    if ('\n' != *rules || strlen(rules + 1) < length) {
        return OMPI_ERR_NOT_FOUND;
    }
    rules++;
    rc = mca_coll_napcoll_know_rules(rules, length);
    return OMPI_SUCCESS == rc ? mca_coll_napcoll_know_topology(rules + length) : rc;
}

int mca_coll_napcoll_compare_settings(void)
{
    opal_process_name_t first = {.jobid = OPAL_PROC_MY_NAME.jobid, .vpid = 0};
    char *theirs = NULL, *files = NULL, *mine;
    int rc = OMPI_SUCCESS;

    if (0 == OPAL_PROC_MY_NAME.vpid) {
        return OMPI_SUCCESS;
    }
    mine = settings_text(&mca_coll_napcoll_component);
    if (NULL == mine) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == napcoll_compat_lookup(&first, key, &theirs) && NULL != theirs) {
        files = strchr(theirs, '\n');
    }
    if (NULL != files) {
        *files++ = '\0';
    }
    if (NULL == files) {
        napcoll_compat_show_help("no settings of process 0", napcoll_compat_hostname());
        rc = OMPI_ERR_NOT_FOUND;
    } else if (0 != strcmp(mine, theirs)) {
        show_difference(mine, theirs);
        rc = OMPI_ERR_BAD_PARAM;
    } else {
        rc = know_files(files);
    }
    free(theirs);
    free(mine);
    return rc;
}
