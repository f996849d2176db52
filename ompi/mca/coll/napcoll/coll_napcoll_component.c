/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The component, which the MCA loads, opens and closes.
 */

#include "coll_napcoll_files.h"
#include "coll_napcoll_stall.h"
#include "coll_napcoll_stats.h"

#include "algo/file/napcoll_file_rows.h"
#include "exec/napcoll_buffer_pool.h"
#include "opal/util/argv.h"
#include "opal/util/error.h"
#include "opal/util/output.h"
#include "opal/util/proc.h"

/** Public string for ompi_info and the loader. */
const char *mca_coll_napcoll_component_version_string = "Open MPI napcoll collective MCA component";

#define TABLE(ENUM, name, PREFIX) &napcoll_##name,
const napcoll_collective_t *const mca_coll_napcoll_collectives[NAPCOLL_COLLS] = {
    NAPCOLL_FOR_EACH_COLLECTIVE(TABLE)};

static int napcoll_open(void);
static int napcoll_close(void);

mca_coll_napcoll_component_t mca_coll_napcoll_component = {
    .super =
        {
            .collm_version =
                {
                    NAPCOLL_COMPAT_COLL_VERSION,
                    .mca_component_name = "napcoll",
                    MCA_BASE_MAKE_VERSION(component, NAPCOLL_MAJOR_VERSION, NAPCOLL_MINOR_VERSION,
                                          NAPCOLL_RELEASE_VERSION),
                    .mca_open_component = napcoll_open,
                    .mca_close_component = napcoll_close,
                    .mca_register_component_params = mca_coll_napcoll_register,
                },
            .collm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
            .collm_init_query = mca_coll_napcoll_init_query,
            .collm_comm_query = mca_coll_napcoll_comm_query,
        },
    .output = -1,
};
NAPCOLL_COMPAT_COMPONENT_INIT

/* Set the nodes of the parameters fake_...; an error in these is reported, and the real nodes are
 * used. */
static int set_fake_nodes(mca_coll_napcoll_component_t *component)
{
    const char *order = NULL == component->fake_map ? "block" : component->fake_map;
    const char *wrong;
    size_t where;
    int rc;

    if (NULL == component->fake_ppn || '\0' == component->fake_ppn[0]) {
        return OMPI_SUCCESS;
    }
    rc = napcoll_job_fake(&component->job, component->fake_ppn, order, &wrong, &where);
    if (OMPI_ERR_BAD_PARAM == rc) {
        if (mca_coll_napcoll_reports()) {
            napcoll_compat_show_help(wrong == order ? "bad fake_map" : "bad fake_ppn", wrong,
                                     (int) where + 1);
        }
        return OMPI_SUCCESS;
    }
    return rc;
}

/* On process 0 of the job: log that the machine has not been measured. */
static void log_machine(const mca_coll_napcoll_component_t *component)
{
    int numbers;

    if (0 != OPAL_PROC_MY_NAME.vpid || opal_output_get_verbosity(component->output) < 1) {
        return;
    }
    numbers = mca_coll_napcoll_not_measured();
    if (numbers > 0) {
        opal_output_verbose(
            1, component->output,
            "coll:napcoll: %d parameters coll_napcoll_machine_* are not set; their values are "
            "typical of %s (coll_napcoll_network); napcoll-tune measures them",
            numbers, NAPCOLL_NETWORK_ETHERNET == component->network ? "Ethernet" : "a fabric");
    }
}

void mca_coll_napcoll_no_memory(const char *what)
{
    napcoll_compat_show_help("no memory", what, napcoll_compat_hostname());
    napcoll_compat_abort();
}

/* On process 0: log the version and the shape of MPI_COMM_WORLD, on which all have it. */
static void log_version(const mca_coll_napcoll_component_t *component,
                        const mca_coll_napcoll_common_t *common)
{
    const bool has_revision = '\0' != NAPCOLL_GIT_REVISION[0], several = common->nodes > 1;
    char ppn[64];

    if (0 != OPAL_PROC_MY_NAME.vpid || opal_output_get_verbosity(component->output) < 1) {
        return;
    }
    (void) snprintf(ppn, sizeof(ppn), common->min_ppn == common->max_ppn ? "%d" : "%d to %d",
                    common->min_ppn, common->max_ppn);
    opal_output_verbose(1, component->output,
                        "coll:napcoll: version %s%s%s, on %s%d node%s%s; MPI_COMM_WORLD: %u "
                        "processes, %s on %s node",
                        NAPCOLL_VERSION, has_revision ? ", git " : "", NAPCOLL_GIT_REVISION,
                        several ? "all " : "", common->nodes, several ? "s" : "",
                        component->job.fake ? " (made up by fake_ppn)" : "", component->job.size,
                        ppn, several ? "each" : "the");
}

/* Find out whether all processes have this version: of MPI_COMM_WORLD; without MPI_Init whether
 * process 0 of the job has it, and each communicator finds out about the others. */
static int compare_versions(mca_coll_napcoll_component_t *component, ompi_communicator_t *comm)
{
    const opal_process_name_t first = {.jobid = OPAL_PROC_MY_NAME.jobid, .vpid = 0};
    mca_coll_napcoll_common_t common;
    bool same;
    int rc;

    if (MPI_COMM_WORLD == comm) {
        rc = mca_coll_napcoll_find_common(comm, 0, &common);
        same = !common.versions_differ;
        component->on_all_processes = OMPI_SUCCESS == rc && same;
    } else {
        rc = mca_coll_napcoll_has_own_version(&first, &same);
    }
    if (OMPI_SUCCESS != rc) {
        opal_output(0, "coll:napcoll: process %u cannot compare its version with others: %s",
                    (unsigned) OPAL_PROC_MY_NAME.vpid, opal_strerror(rc));
        return rc;
    }
    component->versions_differ = !same;
    if (component->on_all_processes) {
        component->nodes = common.nodes;
        component->min_ppn = common.min_ppn;
        component->max_ppn = common.max_ppn;
        component->job.published = common.nodes <= NAPCOLL_JOB_QUESTIONS;
    }
    if (!same) {
        rc = mca_coll_napcoll_report_versions(comm, "this job");
    }
    if (OMPI_SUCCESS == rc && component->on_all_processes) {
        log_version(component, &common);
    }
    return rc;
}

int mca_coll_napcoll_set_up_job(ompi_communicator_t *comm)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const bool known = component->job_known;
    int rc = OMPI_SUCCESS;

    /* after a session some processes know their job in MPI_Init, others do not */
    if (known && MPI_COMM_WORLD != comm) {
        return OMPI_SUCCESS;
    }
    component->job_known = true;
    if (!known) {
        rc = set_fake_nodes(component);
    }
    if (OMPI_SUCCESS == rc) {
        rc = compare_versions(component, comm);
    }
    if (OMPI_SUCCESS == rc && !known && !component->versions_differ) {
        rc = mca_coll_napcoll_compare_settings();
        if (OMPI_SUCCESS == rc) {
            log_machine(component);
        }
    }
    if (OMPI_SUCCESS == rc && component->on_all_processes) {
        rc = mca_coll_napcoll_summarize_at_end();
    }
    return rc;
}

/* Publish what other processes need. A process whose priority is negative is one without
 * napcoll. */
static int publish(const mca_coll_napcoll_component_t *component)
{
    int rc;

    if (component->priority < 0) {
        return OMPI_SUCCESS;
    }
    rc = mca_coll_napcoll_publish_version();
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_publish_settings();
    }
    return OMPI_SUCCESS == rc ? napcoll_job_publish(&component->job) : rc;
}

static int napcoll_open(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    int rc;

    component->output = opal_output_open(NULL);
    opal_output_set_verbosity(component->output, component->verbose);
    napcoll_job_construct(&component->job, napcoll_compat_job_size());
    component->job_known = false;
    component->on_all_processes = false;
    component->versions_differ = false;
    component->versions_reported = false;
    component->unused[0] = '\0';
    component->nodes = component->min_ppn = component->max_ppn = 0;
    mca_coll_napcoll_summary_open();
    mca_coll_napcoll_shared_open();
    rc = mca_coll_napcoll_stall_open();
    mca_coll_napcoll_stats_open();
    napcoll_buffer_pool_limit(component->kept_bytes);
    mca_coll_napcoll_requests_open();
    if (OMPI_SUCCESS == rc) {
        rc = publish(component);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_require_components();
    }
    if (OMPI_ERR_OUT_OF_RESOURCE == rc) {
        mca_coll_napcoll_no_memory("the component");
    }
    return rc;
}

static int napcoll_close(void)
{
    mca_coll_napcoll_requests_close();
    mca_coll_napcoll_summary_close();
    mca_coll_napcoll_stats_close();
    mca_coll_napcoll_stall_close();
    mca_coll_napcoll_shared_close();
    napcoll_buffer_pool_limit(0);
    napcoll_job_destruct(&mca_coll_napcoll_component.job);
    mca_coll_napcoll_free_rules();
    napcoll_file_rows_clear(false);
    opal_argv_free(mca_coll_napcoll_component.compared);
    mca_coll_napcoll_component.compared = NULL;
    opal_output_close(mca_coll_napcoll_component.output);
    mca_coll_napcoll_component.output = -1;
    return OMPI_SUCCESS;
}
