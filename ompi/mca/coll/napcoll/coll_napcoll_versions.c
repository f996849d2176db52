/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether all processes of a communicator have napcoll, in the same version. A process without it
 * would wait in the functions of another component for processes that run napcoll's plans. Each
 * process with napcoll publishes its version (PMIx); one without it publishes nothing, and takes
 * part in nothing.
 *
 * The ranks are a tree of radix 4. A rank looks up the versions of its parent and its children
 * alone, and sends a message only to those that have its own version. Messages go up with what a
 * subtree knows, and down with what the root knows:
 *
 *          0                       rank 2 has no napcoll
 *       /  |  \  \                 0 sees that a child lacks it, and tells 1, 3, 4 and by these
 *      1   2*  3  4                all below them; 9 to 12 see that their parent lacks it
 *     5-8 9-12 ...
 *
 * Without the edges to ranks that differ, the tree falls into parts. Each part has such an edge, so
 * all its ranks hear of it, and come to the same result as the ranks of other parts, without any
 * help of processes that lack napcoll.
 */

#include "coll_napcoll.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/group/group.h"
#include "ompi/mca/pml/pml.h"
#include "opal/util/output.h"

enum { RADIX = 4, TAG = MCA_COLL_BASE_TAG_ALLREDUCE };

static const char key[] = "napcoll.version";

/* What DIFFER of a message has. */
enum { VERSIONS_DIFFER = 1, SETTINGS_DIFFER = 2 };

/* The words of a message. */
enum { DIFFER, FINGERPRINT, NODES, LEAST, MOST, WORDS };

static const char *own_version(void)
{
    const char *fake = mca_coll_napcoll_component.fake_version;

    return NULL != fake && '\0' != fake[0] ? fake
                                           : NAPCOLL_VERSION
               ", plan revision " NAPCOLL_TEXT_OF(NAPCOLL_PLAN_REVISION);
}

int mca_coll_napcoll_publish_version(void)
{
    return napcoll_compat_publish(key, own_version());
}

static opal_process_name_t name_of(ompi_communicator_t *comm, int rank)
{
    return ompi_group_get_proc_name(comm->c_local_group, rank);
}

/* The version of a process, to be freed; *version is NULL where it has no napcoll. */
static int look_up(const opal_process_name_t *process, char **version)
{
    const int rc = napcoll_compat_lookup(process, key, version);

    if (OMPI_SUCCESS != rc) {
        *version = NULL;
    }
    return OMPI_ERR_NOT_FOUND == rc ? OMPI_SUCCESS : rc;
}

int mca_coll_napcoll_has_own_version(const opal_process_name_t *process, bool *same)
{
    char *version;
    const int rc = look_up(process, &version);

    *same = NULL != version && 0 == strcmp(version, own_version());
    free(version);
    return rc;
}

static inline uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Add what a child knows. */
static void merge(uint64_t *known, const uint64_t *child)
{
    known[DIFFER] |= child[DIFFER];
    if (child[FINGERPRINT] != known[FINGERPRINT]) {
        known[DIFFER] |= SETTINGS_DIFFER;
    }
    known[NODES] += child[NODES];
    known[LEAST] = least_of(known[LEAST], child[LEAST]);
    known[MOST] = known[MOST] > child[MOST] ? known[MOST] : child[MOST];
}

/* Find out which neighbours in the tree have the version of this process: same[0] is the parent,
 * same[1 + c] child c. The root counts as its own parent. */
static int find_neighbours(ompi_communicator_t *comm, uint64_t *differ, bool *same)
{
    const int rank = ompi_comm_rank(comm), size = ompi_comm_size(comm);
    int rc = OMPI_SUCCESS;

    for (int i = 0; i <= RADIX && OMPI_SUCCESS == rc; i++) {
        const int peer = 0 == i ? (rank - 1) / RADIX : RADIX * rank + i;

        same[i] = 0 == i && 0 == rank;
        if (!same[i] && peer < size) {
            const opal_process_name_t name = name_of(comm, peer);

            rc = mca_coll_napcoll_has_own_version(&name, &same[i]);
            *differ |= same[i] ? 0 : VERSIONS_DIFFER;
        }
    }
    return rc;
}

static int send_to(ompi_communicator_t *comm, int peer, uint64_t *known)
{
    return MCA_PML_CALL(
        send(known, WORDS, MPI_UINT64_T, peer, TAG, MCA_PML_BASE_SEND_STANDARD, comm));
}

static int receive_from(ompi_communicator_t *comm, int peer, uint64_t *known)
{
    return MCA_PML_CALL(recv(known, WORDS, MPI_UINT64_T, peer, TAG, comm, MPI_STATUS_IGNORE));
}

/* Up the tree and down again. After an error the messages go on, so that no rank waits for ever. */
static int exchange(ompi_communicator_t *comm, const bool *same, uint64_t *known)
{
    const int rank = ompi_comm_rank(comm), parent = (rank - 1) / RADIX;
    int rc = OMPI_SUCCESS, error;
    uint64_t child[WORDS];

    for (int i = 1; i <= RADIX; i++) {
        if (same[i]) {
            error = receive_from(comm, RADIX * rank + i, child);
            if (OMPI_SUCCESS == error) {
                merge(known, child);
            }
            rc = OMPI_SUCCESS == rc ? error : rc;
        }
    }
    if (rank > 0 && same[0]) {
        error = send_to(comm, parent, known);
        if (OMPI_SUCCESS == error) {
            error = receive_from(comm, parent, known);
        }
        rc = OMPI_SUCCESS == rc ? error : rc;
    }
    for (int i = 1; i <= RADIX; i++) {
        if (same[i]) {
            error = send_to(comm, RADIX * rank + i, known);
            rc = OMPI_SUCCESS == rc ? error : rc;
        }
    }
    return rc;
}

int mca_coll_napcoll_find_common(ompi_communicator_t *comm, uint64_t fingerprint,
                                 mca_coll_napcoll_common_t *common)
{
    uint64_t known[WORDS] = {[FINGERPRINT] = fingerprint, [LEAST] = UINT64_MAX};
    bool same[RADIX + 1] = {false}, first;
    int ppn, rc = napcoll_job_own_node(&mca_coll_napcoll_component.job, &first, &ppn);

    if (OMPI_SUCCESS == rc) {
        rc = find_neighbours(comm, &known[DIFFER], same);
    }
    if (OMPI_SUCCESS == rc) {
        if (first) {
            known[NODES] = 1;
            known[LEAST] = known[MOST] = (uint64_t) ppn;
        }
        rc = exchange(comm, same, known);
    }
    *common = (mca_coll_napcoll_common_t){.versions_differ = known[DIFFER] & VERSIONS_DIFFER,
                                          .settings_differ = known[DIFFER] & SETTINGS_DIFFER,
                                          .nodes = (int) known[NODES],
                                          .min_ppn = (int) known[LEAST],
                                          .max_ppn = (int) known[MOST]};
    return rc;
}

/* ---- the message ---- */

/* Versions that the message names; further ones are counted with the last. */
enum { VERSIONS = 6 };

/* A version, and the processes that have it. */
typedef struct {
    /* NULL: without napcoll */
    char *version;
    int processes;
    /* names of nodes, the first few, each with a space before it */
    char nodes[160];
} version_t;

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = strstr(words, word); NULL != at; at = strstr(at + 1, word)) {
        if (at > words && ' ' == at[-1] && ('\0' == at[length] || ' ' == at[length])) {
            return true;
        }
    }
    return false;
}

/* Add a node's name, or "..." where the text is full. */
static void add_node(version_t *row, const char *name)
{
    const size_t used = strlen(row->nodes), room = sizeof(row->nodes) - used;
    const bool fits = strlen(name) + sizeof("  ...") <= room;

    if (!has_word(row->nodes, fits ? name : "...")) {
        (void) snprintf(row->nodes + used, room, " %s", fits ? name : "...");
    }
}

static bool is_same(const char *a, const char *b)
{
    return NULL == a || NULL == b ? a == b : 0 == strcmp(a, b);
}

/* Count a process of a version, which is taken. */
static void count(version_t *table, int *rows, char *version, const char *node)
{
    int row = 0;

    while (row < *rows && row < VERSIONS - 1 && !is_same(table[row].version, version)) {
        row++;
    }
    if (row == *rows) {
        table[(*rows)++] = (version_t){.version = version};
    } else {
        free(version);
    }
    table[row].processes++;
    add_node(&table[row], node);
}

/* The versions of all ranks, a line for each. */
static int list_versions(ompi_communicator_t *comm, char *lines, size_t room)
{
    version_t table[VERSIONS];
    int rows = 0, rc = OMPI_SUCCESS;
    size_t used = 0;

    for (int r = 0; r < ompi_comm_size(comm) && OMPI_SUCCESS == rc; r++) {
        const opal_process_name_t name = name_of(comm, r);
        char *version, *node = napcoll_compat_host_of(&name);

        rc = look_up(&name, &version);
        if (OMPI_SUCCESS == rc) {
            count(table, &rows, version, NULL == node ? "(unknown)" : node);
        }
        free(node);
    }
    lines[0] = '\0';
    for (int row = 0; row < rows; row++) {
        const version_t *v = &table[row];

        used += (size_t) snprintf(lines + used, room - used, "\n  %s%s: %d process%s on%s",
                                  NULL == v->version ? "without napcoll" : "napcoll ",
                                  NULL == v->version ? "" : v->version, v->processes,
                                  1 == v->processes ? "" : "es", v->nodes);
        used = used < room ? used : room - 1;
        free(v->version);
    }
    return rc;
}

/* Whether no lower rank has napcoll: then this process shows the message. */
static bool is_first_with_napcoll(ompi_communicator_t *comm)
{
    for (int r = 0; r < ompi_comm_rank(comm); r++) {
        const opal_process_name_t name = name_of(comm, r);
        char *version;

        if (OMPI_SUCCESS == look_up(&name, &version) && NULL != version) {
            free(version);
            return false;
        }
    }
    return true;
}

int mca_coll_napcoll_report_versions(ompi_communicator_t *comm, const char *subject)
{
    enum { SECONDS = 5 };
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const bool ends = NAPCOLL_MISMATCH_ABORT == component->mismatch;
    char lines[VERSIONS * (sizeof(version_t) + 128)];
    int rc = OMPI_SUCCESS;

    if (!component->versions_reported && is_first_with_napcoll(comm)) {
        rc = list_versions(comm, lines, sizeof(lines));
        if (OMPI_SUCCESS == rc) {
            napcoll_compat_show_help("different versions", ompi_comm_size(comm), subject, lines,
                                     ends ? "The job ends here"
                                          : "Their collectives go to the fallback components");
        }
    } else if (ends) {
        /* for the message to come first */
        (void) sleep(SECONDS);
    }
    component->versions_reported = true;
    if (ends) {
        napcoll_compat_abort();
    }
    return rc;
}
