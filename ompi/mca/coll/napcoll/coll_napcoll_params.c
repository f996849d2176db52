/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MCA parameters: registration, the check of ranges, and the list of values that processes compare.
 * coll_napcoll_param_table.c describes the component's, the collectives' tables describe those for
 * algorithms; the machine's are in coll_napcoll_machine.c.
 */

#include "coll_napcoll_params.h"
#include "coll_napcoll_stall.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal/util/argv.h"

#include "algo/file/napcoll_file_rows.h"
#include "util/napcoll_file.h"

/* ---- values that processes compare, and values that cannot be used ---- */

/* Remember a setting for the comparison with the other processes, if its scope asks for that. */
__attribute__((format(printf, 2, 3))) static void remember(mca_base_var_scope_t scope,
                                                           const char *format, ...)
{
    char text[512];
    va_list args;

    if (MCA_BASE_VAR_SCOPE_READONLY != scope) {
        return;
    }
    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    (void) opal_argv_append_nosize(&mca_coll_napcoll_component.compared, text);
}

void mca_coll_napcoll_reject(const char *name, const char *value)
{
    remember(MCA_BASE_VAR_SCOPE_READONLY, "refused:%s=%s", name, value);
}

/* Whether a number can be used; else it is reported and remembered for the comparison of the
 * settings. */
static bool check_number(const char *name, unsigned long long magnitude, bool negative,
                         long long least, long long most, long long initial)
{
    const long long value = magnitude > LLONG_MAX ? LLONG_MAX : (long long) magnitude;
    const long long number = negative ? -value : value;
    char given[32];

    /* a default of 0 means that the model chooses */
    if ((number >= least && number <= most) || (0 == number && 0 == initial)) {
        return true;
    }
    (void) snprintf(given, sizeof(given), "%s%llu", negative ? "-" : "", magnitude);
    mca_coll_napcoll_reject(name, given);
    if (mca_coll_napcoll_reports()) {
        napcoll_compat_show_help("bad number", name, given, least, most,
                                 0 == initial && least > 0 ? ", or 0" : "", initial);
    }
    return false;
}

/* Open MPI's conversion of a text to an enumerated value, which reports nothing. */
static mca_base_var_enum_vfs_fn_t plain_value_from_string;

/* The value of file:NAME, plans of a file that is read later; false: the parameter is no algorithm,
 * or the text no such name. */
static bool value_of_file(const mca_base_var_enum_t *self, const char *text, int *value)
{
    char name[96];

    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];

        (void) snprintf(name, sizeof(name), "coll_napcoll_%s_algorithm", collective->name);
        if (0 == strcmp(name, self->enum_name)) {
            *value = NAPCOLL_FORCE_FIRST + napcoll_file_rows_make(collective, text, strlen(text));
            return *value >= NAPCOLL_FORCE_FIRST;
        }
    }
    return false;
}

/* Open MPI's conversion of an enumerated value to its text. */
static mca_base_var_enum_sfv_fn_t plain_string_from_value;

/* The same, for file:NAME as well. */
static int string_from_value(mca_base_var_enum_t *self, const int value, char **text)
{
    const int row = value - NAPCOLL_FORCE_FIRST;

    for (int coll = 0; coll < NAPCOLL_COLLS && row >= NAPCOLL_MAX_ALGORITHMS; coll++) {
        const napcoll_algorithm_t *algorithm = napcoll_algorithm_at(
            mca_coll_napcoll_collectives[coll], row);

        if (NULL != algorithm) {
            if (NULL != text) {
                *text = strdup(algorithm->name);
            }
            return NULL != text && NULL == *text ? OPAL_ERR_OUT_OF_RESOURCE : OPAL_SUCCESS;
        }
    }
    return plain_string_from_value(self, value, text);
}

/* As value_from_string. A text that is not valid is reported, and becomes the first value, the
 * default. "previous" is the old name of "fallback". */
static int value_from_string(mca_base_var_enum_t *self, const char *text, int *value)
{
    char **names = NULL, *valid;

    if (OPAL_SUCCESS == plain_value_from_string(self, text, value)
        || (0 == strcmp(text, "previous")
            && OPAL_SUCCESS == plain_value_from_string(self, "fallback", value))
        || value_of_file(self, text, value)) {
        return OPAL_SUCCESS;
    }
    mca_coll_napcoll_reject(self->enum_name, text);
    *value = self->enum_values[0].value;
    if (!mca_coll_napcoll_reports()) {
        return OPAL_SUCCESS;
    }
    for (int i = 0; i < self->enum_value_count; i++) {
        (void) opal_argv_append_nosize(&names, self->enum_values[i].string);
    }
    valid = opal_argv_join(names, ' ');
    opal_argv_free(names);
    napcoll_compat_show_help("bad value", self->enum_name, text, NULL == valid ? "" : valid,
                             self->enum_values[0].string);
    free(valid);
    return OPAL_SUCCESS;
}

/* ---- registration ---- */

static int register_enum(const char *name, const char *help, mca_base_var_info_lvl_t level,
                         mca_base_var_scope_t scope, const mca_base_var_enum_value_t *values,
                         int *storage)
{
    const mca_base_component_t *version = &mca_coll_napcoll_component.super.collm_version;
    mca_base_var_enum_t *enumerator;
    char full_name[128];
    int flags = MCA_BASE_VAR_SCOPE_ALL_EQ == scope ? MCA_BASE_VAR_FLAG_SETTABLE : 0;
    int rc;

    (void) snprintf(full_name, sizeof(full_name), "coll_napcoll_%s", name);
    rc = mca_base_var_enum_create(full_name, values, &enumerator);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    plain_value_from_string = enumerator->value_from_string;
    enumerator->value_from_string = value_from_string;
    plain_string_from_value = enumerator->string_from_value;
    enumerator->string_from_value = string_from_value;
    rc = mca_base_component_var_register(version, name, help, MCA_BASE_VAR_TYPE_INT, enumerator, 0,
                                         flags, level, scope, storage);
    OBJ_RELEASE(enumerator);
    remember(scope, "%s=%d", name, *storage);
    return rc < 0 ? rc : OPAL_SUCCESS;
}

/* A plain variable; `storage` has its default. */
static int register_variable(const char *name, const char *help, mca_base_var_type_t type,
                             mca_base_var_info_lvl_t level, mca_base_var_scope_t scope,
                             void *storage)
{
    int rc = mca_base_component_var_register(&mca_coll_napcoll_component.super.collm_version, name,
                                             help, type, NULL, 0, 0, level, scope, storage);

    return rc < 0 ? rc : OPAL_SUCCESS;
}

/* An int with a range, which is added to the help text. */
static int register_int(const char *name, const char *help, mca_base_var_info_lvl_t level,
                        mca_base_var_scope_t scope, long long least, long long most, int *storage)
{
    const int initial = *storage;
    char text[2048];
    int rc;

    (void) snprintf(text, sizeof(text), "%s. Range: %lld to %lld%s", help, least, most,
                    0 == initial && least > 0 ? ", or 0" : "");
    rc = register_variable(name, text, MCA_BASE_VAR_TYPE_INT, level, scope, storage);
    if (OPAL_SUCCESS == rc
        && !check_number(name, (unsigned long long) llabs(*storage), *storage < 0, least, most,
                         initial)) {
        *storage = initial;
    }
    remember(scope, "%s=%d", name, *storage);
    return rc;
}

static int register_size(const mca_coll_napcoll_param_t *param, mca_base_var_scope_t scope,
                         size_t *storage)
{
    int rc = register_variable(param->name, param->help, MCA_BASE_VAR_TYPE_SIZE_T, param->level,
                               scope, storage);
    const bool negative = *storage > SIZE_MAX / 2;

    if (OPAL_SUCCESS == rc
        && !check_number(param->name, negative ? -*storage : *storage, negative, param->least,
                         param->most, param->initial)) {
        *storage = (size_t) param->initial;
    }
    remember(scope, "%s=%zu", param->name, *storage);
    return rc;
}

char *mca_coll_napcoll_places(const char *name, const char *path)
{
    char *setter, *places;

    if (0 == access(path, F_OK)) {
        return strdup(path);
    }
    setter = napcoll_compat_setter(name, path);
    places = napcoll_file_places(path, setter);
    free(setter);
    return places;
}

/* The name of a file. Open MPI owns the text in storage, and frees it. */
static int register_file(const mca_coll_napcoll_param_t *param, mca_base_var_scope_t scope,
                         char **storage)
{
    const int rc = register_variable(param->name, param->help, MCA_BASE_VAR_TYPE_STRING,
                                     param->level, scope, storage);
    char *setter, *found;

    if (OPAL_SUCCESS != rc || NULL == *storage || '\0' == (*storage)[0] || '/' == (*storage)[0]) {
        return rc;
    }
    setter = napcoll_compat_setter(param->name, *storage);
    found = napcoll_file_find(*storage, setter);
    free(setter);
    if (NULL == found) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    free(*storage);
    *storage = found;
    return OPAL_SUCCESS;
}

static int register_param(const mca_coll_napcoll_param_t *param)
{
    void *field = (char *) &mca_coll_napcoll_component + param->offset;
    const mca_base_var_scope_t scope = param->must_agree ? MCA_BASE_VAR_SCOPE_READONLY
                                                         : MCA_BASE_VAR_SCOPE_LOCAL;
    const char *text;
    int rc;

    switch (param->type) {
    case PARAM_INT:
        *(int *) field = (int) param->initial;
        return register_int(param->name, param->help, param->level, scope, param->least,
                            param->most, field);
    case PARAM_CHOICE:
        *(int *) field = param->values[0].value;
        return register_enum(param->name, param->help, param->level, scope, param->values, field);
    case PARAM_SIZE:
        *(size_t *) field = (size_t) param->initial;
        return register_size(param, scope, field);
    case PARAM_BOOL:
        *(bool *) field = 0 != param->initial;
        rc = register_variable(param->name, param->help, MCA_BASE_VAR_TYPE_BOOL, param->level,
                               scope, field);
        remember(scope, "%s=%d", param->name, *(bool *) field);
        return rc;
    case PARAM_TEXT:
        *(const char **) field = param->initial_text;
        rc = register_variable(param->name, param->help, MCA_BASE_VAR_TYPE_STRING, param->level,
                               scope, field);
        text = *(const char **) field;
        remember(scope, "%s=%s", param->name, NULL == text ? "" : text);
        return rc;
    case PARAM_FILE:
        *(char **) field = NULL;
        return register_file(param, scope, field);
    }
    return OPAL_ERR_BAD_PARAM;
}

/* ---- parameters of algorithms ---- */

/* A tunable whose values have names; 0: the model chooses. */
static int register_choice(const char *name, const napcoll_tunable_t *tunable, int *storage)
{
    mca_base_var_enum_value_t values[NAPCOLL_MAX_ALGORITHMS + 2] = {{0, "auto"}};

    for (int v = 0; NULL != tunable->names[v]; v++) {
        values[v + 1].value = v + 1;
        values[v + 1].string = tunable->names[v];
    }
    return register_enum(name, tunable->help, OPAL_INFO_LVL_6, MCA_BASE_VAR_SCOPE_READONLY, values,
                         storage);
}

/* Add to a text of limited room. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t room,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    (void) vsnprintf(text + used, room - used, format, args);
    va_end(args);
}

/* COLL_algorithm: auto, fallback and the rows of the table. */
static int register_algorithm(const napcoll_collective_t *collective, napcoll_settings_t *settings)
{
    mca_base_var_enum_value_t values[NAPCOLL_FORCE_FIRST + NAPCOLL_MAX_ALGORITHMS + 1] = {
        {NAPCOLL_FORCE_AUTO, "auto"}, {NAPCOLL_FORCE_FALLBACK, "fallback"}};
    char name[64], key[MPI_MAX_INFO_KEY + 1], help[2048];

    napcoll_collective_info_key(collective, key, MPI_MAX_INFO_KEY);
    (void) snprintf(name, sizeof(name), "%s_algorithm", collective->name);
    (void) snprintf(
        help, sizeof(help),
        "Algorithm of %s. auto: the one that the rules file names (see rules_file), else the one "
        "with the least estimated time on the model of the machine; fallback: the function of the "
        "component with the next lower priority",
        collective->name);
    for (int row = 0; row < collective->algorithms; row++) {
        values[NAPCOLL_FORCE_FIRST + row].value = NAPCOLL_FORCE_FIRST + row;
        values[NAPCOLL_FORCE_FIRST + row].string = collective->algorithm[row].name;
        append(help, sizeof(help), "; %s: %s", collective->algorithm[row].name,
               collective->algorithm[row].help);
    }
    if (!napcoll_goal_is_neighbor(collective->goal)) {
        append(help, sizeof(help), "; file:NAME: plans of the plans file (see plans_file)");
    }
    append(
        help, sizeof(help),
        ". A communicator's info key %s overrides it. Calls that the algorithm cannot do go to the "
        "fallback component. A value set at run time (MPI_T), alike on all processes, holds for "
        "communicators made from then on",
        key);
    return register_enum(name, help, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_ALL_EQ, values,
                         &settings->force);
}

static int register_tunables(const napcoll_collective_t *collective, napcoll_settings_t *settings)
{
    int rc = OPAL_SUCCESS;

    for (int row = 0; row < collective->algorithms; row++) {
        const napcoll_algorithm_t *algorithm = &collective->algorithm[row];

        for (int t = 0; NULL != algorithm->tunable[t].name && OPAL_SUCCESS == rc; t++) {
            const napcoll_tunable_t *tunable = &algorithm->tunable[t];
            int *storage = &settings->tunable[row][t];
            char name[96];

            (void) snprintf(name, sizeof(name), "%s_%s_%s", collective->name, algorithm->name,
                            tunable->name);
            rc = NULL != tunable->names ? register_choice(name, tunable, storage)
                                        : register_int(name, tunable->help, OPAL_INFO_LVL_6,
                                                       MCA_BASE_VAR_SCOPE_READONLY, tunable->least,
                                                       napcoll_tunable_most(tunable), storage);
        }
    }
    return rc;
}

static int register_collective(napcoll_coll_t coll)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    napcoll_settings_t *settings = &component->settings[coll];
    int rc;

    *settings = napcoll_select_defaults(collective);
    rc = register_algorithm(collective, settings);
    if (OPAL_SUCCESS == rc) {
        rc = register_tunables(collective, settings);
    }
    if (OPAL_SUCCESS == rc) {
        rc = mca_coll_napcoll_register_counters(coll);
    }
    settings->local_radix = component->local_radix;
    settings->inline_bytes = component->inline_bytes;
    settings->reproducible = component->reproducible;
    settings->segment_bytes = component->segment_bytes;
    settings->thresholds = component->thresholds;
    settings->machine = &component->machine;
    settings->shape = (napcoll_shape_t) component->local_shape;
    settings->provider[NAPCOLL_SCOPE_NODE] = (napcoll_provider_t) component->local_provider;
    settings->provider[NAPCOLL_SCOPE_LEADERS] = (napcoll_provider_t) component->leader_provider;
    return rc;
}

/* M1 must not be above M2; M1 = 0: there is no range. */
static void check_thresholds(napcoll_thresholds_t *thresholds)
{
    char given[64];

    if (0 == thresholds->gather_m1 || thresholds->gather_m1 <= thresholds->gather_m2) {
        return;
    }
    (void) snprintf(given, sizeof(given), "%zu,gather_m2=%zu", thresholds->gather_m1,
                    thresholds->gather_m2);
    mca_coll_napcoll_reject("gather_m1", given);
    if (mca_coll_napcoll_reports()) {
        napcoll_compat_show_help("bad thresholds", thresholds->gather_m1, thresholds->gather_m2,
                                 napcoll_thresholds_default.gather_m1,
                                 napcoll_thresholds_default.gather_m2);
    }
    thresholds->gather_m1 = napcoll_thresholds_default.gather_m1;
    thresholds->gather_m2 = napcoll_thresholds_default.gather_m2;
}

int mca_coll_napcoll_register(void)
{
    int rc = OPAL_SUCCESS;

    napcoll_compat_help_folder();
    for (int i = 0; NULL != mca_coll_napcoll_params[i].name && OPAL_SUCCESS == rc; i++) {
        rc = register_param(&mca_coll_napcoll_params[i]);
    }
    check_thresholds(&mca_coll_napcoll_component.thresholds);
    if (OPAL_SUCCESS == rc) {
        rc = mca_coll_napcoll_register_machine();
    }
    if (OPAL_SUCCESS == rc) {
        rc = mca_coll_napcoll_register_node_memory();
    }
    for (int coll = 0; coll < NAPCOLL_COLLS && OPAL_SUCCESS == rc; coll++) {
        rc = register_collective((napcoll_coll_t) coll);
    }
    if (OPAL_SUCCESS == rc) {
        rc = mca_coll_napcoll_stall_register();
    }
    if (OPAL_ERR_OUT_OF_RESOURCE == rc) {
        mca_coll_napcoll_no_memory("its parameters");
    }
    return rc;
}
