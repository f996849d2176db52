/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of the component's MCA parameters. A new parameter is one row and one field of the
 * component.
 */

#ifndef MCA_COLL_NAPCOLL_PARAMS_H
#define MCA_COLL_NAPCOLL_PARAMS_H

#include "coll_napcoll.h"
#include "opal/mca/base/mca_base_var.h"

/** The type of a parameter and, behind it, of its field in the component. */
typedef enum {
    PARAM_INT,    /* int */
    PARAM_CHOICE, /* int: one of `values` */
    PARAM_SIZE,   /* size_t: bytes */
    PARAM_BOOL,   /* bool */
    PARAM_TEXT,   /* char * */
    PARAM_FILE    /* char *: a relative path is of the folder of the file that sets it, if it has
                     such a file */
} mca_coll_napcoll_param_type_t;

/** An MCA parameter of the component. */
typedef struct {
    const char *name;
    mca_coll_napcoll_param_type_t type;
    /* of the field in mca_coll_napcoll_component_t */
    size_t offset;
    /* the default; without a text it is NULL */
    long long initial;
    const char *initial_text;
    /* the range of an int or a size */
    long long least;
    long long most;
    /* of a choice; the first is the default */
    const mca_base_var_enum_value_t *values;
    /* whether all processes of a job must have the same value */
    bool must_agree;
    mca_base_var_info_lvl_t level;
    const char *help;
} mca_coll_napcoll_param_t;

/** The table; an entry without a name ends it. */
extern const mca_coll_napcoll_param_t mca_coll_napcoll_params[];

#endif /* MCA_COLL_NAPCOLL_PARAMS_H */
