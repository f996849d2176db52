/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The rules: process 0 of the job reads the file that the parameter rules_file names, and publishes
 * its text with the settings. So only its node needs the file, and all ranks have the same rules.
 */

#include "coll_napcoll_files.h"

#include <stdlib.h>
#include <string.h>

#include "util/napcoll_file.h"

/* Report a file with an error: the job goes on without rules. */
static void complain(const char *path, const napcoll_rules_error_t *error)
{
    char place[64] = "", *places = mca_coll_napcoll_places("rules_file", path);

    if (error->line > 0) {
        (void) snprintf(place, sizeof(place), ", line %d, column %d", error->line, error->column);
    }
    napcoll_compat_show_help("bad rules file", NULL == places ? path : places, place,
                             napcoll_compat_hostname(), error->text);
    free(places);
}

/* The contents of the file, or NULL with *error set. */
static char *read_file(const char *path, napcoll_rules_error_t *error)
{
    napcoll_rules_t *rules = NULL;
    char *text = NULL;
    napcoll_file_error_t why;
    size_t length;
    FILE *in = napcoll_file_open(path, NAPCOLL_MOST_RULES_BYTES, &why);

    if (NULL == in) {
        *error = (napcoll_rules_error_t){.line = 0};
        (void) snprintf(error->text, sizeof(error->text), "it %s", why.text);
        return NULL;
    }
    if (0 == napcoll_rules_load(in, &text, &length, error)
        && 0 != napcoll_rules_parse(text, length, &rules, error)) {
        free(text);
        text = NULL;
    }
    (void) fclose(in);
    napcoll_rules_free(rules);
    return text;
}

char *mca_coll_napcoll_read_rules(void)
{
    const char *path = mca_coll_napcoll_component.rules_file;
    napcoll_rules_error_t error;
    char *text;

    if (NULL == path || '\0' == path[0]) {
        return strdup("");
    }
    text = read_file(path, &error);
    if (NULL == text) {
        complain(path, &error);
        return strdup("");
    }
    return text;
}

int mca_coll_napcoll_set_rules(const char *text, size_t length)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    napcoll_rules_error_t error;

    if (0 == length) {
        return OMPI_SUCCESS;
    }
    /* process 0 has read the same text without an error: memory ran out */
    if (0 != napcoll_rules_parse(text, length, &component->rules, &error)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    component->rules_tell_requests = napcoll_rules_tell_requests(component->rules);
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        component->settings[coll].rules = component->rules;
    }
    return OMPI_SUCCESS;
}

void mca_coll_napcoll_free_rules(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        component->settings[coll].rules = NULL;
    }
    napcoll_rules_free(component->rules);
    component->rules = NULL;
    component->rules_tell_requests = false;
}

napcoll_rules_scope_t mca_coll_napcoll_rules_scope(mca_coll_napcoll_module_t *module,
                                                   const napcoll_call_t *call)
{
    const mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const napcoll_call_t like = {.collective = mca_coll_napcoll_collectives[call->coll],
                                 .map = module->map,
                                 .request = call->request};
    const napcoll_rule_t *rule;
    int *scope = &module->rules_scope[call->coll][call->request];

    if (NAPCOLL_FORCE_AUTO != mca_coll_napcoll_force(module, call->coll)
        || NULL == component->rules) {
        return NAPCOLL_RULES_SILENT;
    }
    if (*scope < 0) {
        *scope = (int) napcoll_rules_scope(component->rules, &like, component->reproducible, &rule);
    }
    return (napcoll_rules_scope_t) *scope;
}
