/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The switch tree. Process 0 of the job reads the file that the parameter topology_file
 * names, and publishes the tree with its settings. So only one node needs the file, and all ranks
 * know the same tree.
 */

#include "coll_napcoll_files.h"

#include <stdlib.h>
#include <string.h>

#include "util/napcoll_file.h"

/* Report an error in the file: the job goes on without it. */
static void report_error(const char *path, const napcoll_switch_error_t *error)
{
    char place[64] = "", *places = mca_coll_napcoll_places("topology_file", path);

    if (error->line > 0 && error->column > 0) {
        (void) snprintf(place, sizeof(place), ", line %d, column %d", error->line, error->column);
    } else if (error->line > 0) {
        (void) snprintf(place, sizeof(place), ", line %d", error->line);
    }
    napcoll_compat_show_help("bad topology file", NULL == places ? path : places, place,
                             napcoll_compat_hostname(), error->text);
    free(places);
}

char *mca_coll_napcoll_read_topology(void)
{
    const char *path = mca_coll_napcoll_component.topology_file;
    napcoll_switch_tree_t *tree = NULL;
    napcoll_switch_error_t error = {0};
    napcoll_file_error_t why;
    char *text;
    FILE *in;

    if (NULL == path || '\0' == path[0]) {
        return strdup("");
    }
    in = napcoll_file_open(path, NAPCOLL_MOST_SWITCH_BYTES, &why);
    if (NULL == in) {
        (void) snprintf(error.text, sizeof(error.text), "It %s.", why.text);
        report_error(path, &error);
        return strdup("");
    }
    if (0 != napcoll_switch_tree_read(in, &tree, &error)) {
        report_error(path, &error);
    }
    (void) fclose(in);
    text = NULL == tree ? strdup("") : napcoll_switch_tree_text(tree);
    napcoll_switch_tree_free(tree);
    return text;
}

int mca_coll_napcoll_set_topology(const char *text)
{
    napcoll_job_t *job = &mca_coll_napcoll_component.job;
    napcoll_switch_error_t error;

    if ('\0' == text[0]) {
        return OMPI_SUCCESS;
    }
    job->tree_file = NULL == mca_coll_napcoll_component.topology_file
                         ? "(see process 0)"
                         : mca_coll_napcoll_component.topology_file;
    /* process 0 wrote this text, so only memory can be missing */
    return 0 == napcoll_switch_tree_parse(text, strlen(text), &job->tree, &error)
               ? OMPI_SUCCESS
               : OMPI_ERR_OUT_OF_RESOURCE;
}
