/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The machine that auto estimates with: the keys of machine files as MCA parameters. Numbers that
 * users do not set are a fabric's or an Ethernet's, by the adapters of process 0's node.
 * Every process looks at its own node first, because ompi_info has no job, and then takes over what
 * process 0 published.
 */

#include "coll_napcoll.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/mca/base/mca_base_var.h"

static const char prefix[] = "coll_napcoll_";

/* The text from which the MCA read a variable; NULL if it came from a file, of which the MCA keeps
 * no text. mpirun turns its command line into environment variables. */
static const char *text_of(int variable, const char *key)
{
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
    const char *text = NULL;
    char *name = NULL;

    if (OPAL_SUCCESS != mca_base_var_get_value(variable, NULL, &source, NULL)
        || (MCA_BASE_VAR_SOURCE_ENV != source && MCA_BASE_VAR_SOURCE_COMMAND_LINE != source)) {
        return NULL;
    }
    if (OPAL_SUCCESS == mca_base_var_env_name(key, &name)) {
        text = getenv(name);
    }
    free(name);
    return text;
}

/* A number of the machine. The MCA takes a text that is none for 0, and what looks like a number at
 * its beginning for one, so the text is read anew where there is one. */
static int register_number(int index, napcoll_machine_t *machine)
{
    const char *key = napcoll_machine_key(index), *text;
    double *number = napcoll_machine_number(machine, index);
    napcoll_machine_error_t error;
    char given[64], initial[64];
    int variable, rc;

    napcoll_machine_number_text(machine, index, initial, sizeof(initial));
    variable = mca_base_component_var_register(
        &mca_coll_napcoll_component.super.collm_version, key + strlen(prefix),
        napcoll_machine_key_help(index), MCA_BASE_VAR_TYPE_DOUBLE, NULL, 0, 0, OPAL_INFO_LVL_7,
        MCA_BASE_VAR_SCOPE_READONLY, number);
    if (variable < 0) {
        return variable;
    }
    if (NULL != napcoll_machine_old_key(index)) {
        (void) mca_base_var_register_synonym(variable, "ompi", "coll", "napcoll",
                                             napcoll_machine_old_key(index) + strlen(prefix),
                                             MCA_BASE_VAR_SYN_FLAG_INTERNAL);
    }
    text = text_of(variable, key);
    rc = NULL == text ? napcoll_machine_check_number(index, *number, &error)
                      : napcoll_machine_read_number(index, text, number, &error);
    if (0 != rc) {
        (void) snprintf(given, sizeof(given), "%g", *number);
        mca_coll_napcoll_reject(key + strlen(prefix), NULL == text ? given : text);
        if (mca_coll_napcoll_reports()) {
            napcoll_compat_show_help("bad machine number", key, NULL == text ? given : text,
                                     error.text, initial);
        }
        (void) napcoll_machine_read_number(index, initial, number, &error);
    }
    return OPAL_SUCCESS;
}

/* Check that the numbers are consistent; else the network supplies all numbers. */
static void complete(mca_coll_napcoll_component_t *component)
{
    napcoll_machine_error_t error;

    if (0 != napcoll_machine_complete(&component->machine, &error)) {
        if (mca_coll_napcoll_reports()) {
            napcoll_compat_show_help("bad machine", error.text);
        }
        component->machine = *napcoll_network_machine(component->network);
    }
}

/* Register the keys of machine files. Numbers have a decimal point in any locale. */
int mca_coll_napcoll_register_machine(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t) 0);
    const locale_t users = (locale_t) 0 == plain ? (locale_t) 0 : uselocale(plain);
    int rc = OPAL_SUCCESS;

    component->network = NAPCOLL_NETWORK_AUTO == component->asked_network
                             ? napcoll_network_find(component->network_classes)
                             : (napcoll_network_t) component->asked_network;
    component->machine = *napcoll_network_machine(component->network);
    for (int i = 0; NULL != napcoll_machine_key(i) && OPAL_SUCCESS == rc; i++) {
        rc = register_number(i, &component->machine);
    }
    complete(component);
    if ((locale_t) 0 != plain) {
        (void) uselocale(users);
        freelocale(plain);
    }
    return rc;
}

/* Whether users have set the number of a key. */
static bool is_set(int index)
{
    const int variable = mca_base_var_find("ompi", "coll", "napcoll",
                                           napcoll_machine_key(index) + strlen(prefix));
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;

    return variable >= 0 && OPAL_SUCCESS == mca_base_var_get_value(variable, NULL, &source, NULL)
           && MCA_BASE_VAR_SOURCE_DEFAULT != source;
}

void mca_coll_napcoll_set_network(napcoll_network_t network)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    napcoll_machine_t machine = *napcoll_network_machine(network);

    if (network == component->network) {
        return;
    }
    component->network = network;
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        if (!is_set(i)) {
            *napcoll_machine_number(&component->machine, i) = *napcoll_machine_number(&machine, i);
        }
    }
    complete(component);
}

int mca_coll_napcoll_not_measured(void)
{
    int numbers = 0;

    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        numbers += !is_set(i) && !napcoll_machine_is_optional(i);
    }
    return numbers;
}

bool mca_coll_napcoll_is_measured(void)
{
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        if (is_set(i)) {
            return true;
        }
    }
    return false;
}
