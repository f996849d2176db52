/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The memory that a communicator's processes on a node share (exec/napcoll_mailbox.h). They make it
 * after the communicator's first few blocking calls. In every 16th blocking call, whatever it is,
 * the leader tells, on the region's board, whether it has seen a few calls with vectors that need
 * large rings; in the 16th after that they make these, a segment of their own. To make a segment:
 *
 *     leader                                      others
 *     makes a segment, and removes its name
 *                                 --descriptor-->  attach
 *                                 <--yes or no---
 *                                 --all have it?->
 *
 * If one of them cannot have it, none of this node uses it, and their messages go by the PML; other
 * nodes need not know. The others find the segment, which has no name any more, through the
 * leader's open file in /proc: so nothing remains when processes are killed, whenever that is.
 */

#include "coll_napcoll_node_memory.h"
#include "coll_napcoll_stall.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi/mca/pml/pml.h"
#include "opal/mca/shmem/base/base.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"
#include "opal/util/path.h"

_Static_assert((int) NAPCOLL_RING_MOST == (int) NAPCOLL_MACHINE_NODE_MEMORY_MOST
                   && (int) NAPCOLL_LARGE_RING_MOST == 2 * (int) NAPCOLL_MACHINE_LARGE_RING_MOST
                   && (int) NAPCOLL_LARGE_RINGS == 2 * (int) NAPCOLL_MACHINE_LARGE_RINGS
                   && (int) NAPCOLL_LARGE_RING_LEAST == 2 * (int) NAPCOLL_MACHINE_LARGE_RING_LEAST,
               "the model knows the limits");

static const char folder[] = "/dev/shm";

/* Blocking calls follow each other in one channel. Nonblocking ones take the next of theirs, since
 * all ranks start them in the same order. Ranks may start persistent ones in different orders: each
 * of the first few has its own, which all ranks made in the same order. */
enum {
    BLOCKING = 0,
    NONBLOCKING = 1,
    NONBLOCKING_CHANNELS = 8,
    PERSISTENT = NONBLOCKING + NONBLOCKING_CHANNELS,
    PERSISTENT_CHANNELS = 8,
    CHANNELS = PERSISTENT + PERSISTENT_CHANNELS
};

/* What a leader tells the others. */
typedef struct {
    bool made;
    bool sleeps;
    opal_shmem_ds_t segment;
    /** of its file */
    dev_t device;
    ino_t inode;
} offer_t;

typedef struct {
    /** attached, or NULL */
    void *memory;
    /** what Open MPI must know to detach it, as short as its name lets it be */
    opal_shmem_ds_t *shared;
    /** the leader's file, while others attach; else -1 */
    int file;
    size_t bytes;
} segment_t;

struct mca_coll_napcoll_node_memory {
    napcoll_node_t node;
    /** of the region, and of its large rings */
    segment_t segment, large;
    /** nonblocking and persistent operations that have had a channel */
    unsigned nonblocking, persistent;
};

/* A segment that the processes of a node may share. */
typedef struct {
    const char *what;
    int lanes;
    /* whose segment it is */
    mca_coll_napcoll_node_memory_t *memory;
    /* NULL: this process has no memory for it */
    segment_t *segment;
    /* makes use of the segment, attached; false when memory ran out */
    bool (*open)(mca_coll_napcoll_node_memory_t *memory, int lane, bool sleeps);
} proposal_t;

/* ---- the segment ---- */

static segment_t segment_of(size_t bytes)
{
    return (segment_t){.file = -1, .bytes = bytes};
}

/* A segment has more bytes than what is in it: Open MPI 4.1 begins it with a few of its own. */
static size_t segment_bytes(const segment_t *segment)
{
    return segment->bytes + (size_t) 2 * NAPCOLL_CACHE_PAIR;
}

/* What is in an attached segment: at the same offset in all processes. */
static void *memory_in(const segment_t *segment)
{
    const uintptr_t at = (uintptr_t) segment->memory, unit = NAPCOLL_CACHE_PAIR;

    return (void *) ((at + unit - 1) / unit * unit);
}

/* Whether this process may map a segment; then its bytes count as mapped. */
static bool may_map(const segment_t *segment)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    if (atomic_fetch_add(&component->node_memory_mapped, segment->bytes) + segment->bytes
        <= component->node_memory_bytes) {
        return true;
    }
    atomic_fetch_sub(&component->node_memory_mapped, segment->bytes);
    return false;
}

/* Attach a segment, after may_map; whether that went well. */
static bool attach(segment_t *segment, opal_shmem_ds_t *shared)
{
    const size_t bytes = opal_shmem_sizeof_shmem_ds(shared);

    segment->shared = malloc(bytes);
    if (NULL == segment->shared) {
        return false;
    }
    segment->memory = opal_shmem_segment_attach(shared);
    memcpy(segment->shared, shared, bytes);
    return NULL != segment->memory;
}

/* Undo may_map, and attach. */
static void unmap(segment_t *segment)
{
    if (NULL != segment->memory) {
        /* Open MPI resets all of it */
        opal_shmem_ds_t shared;

        memcpy(&shared, segment->shared, opal_shmem_sizeof_shmem_ds(segment->shared));
        (void) opal_shmem_segment_detach(&shared);
        segment->memory = NULL;
    }
    free(segment->shared);
    segment->shared = NULL;
    atomic_fetch_sub(&mca_coll_napcoll_component.node_memory_mapped, segment->bytes);
}

static void close_file(segment_t *segment)
{
    if (segment->file >= 0) {
        (void) close(segment->file);
        segment->file = -1;
    }
}

/* Let a segment go, if there is one. */
static void release(segment_t *segment)
{
    close_file(segment);
    if (NULL != segment->memory) {
        unmap(segment);
    }
}

/* Whether the file system has room; Open MPI would complain where it has not. */
static bool has_room(size_t bytes)
{
    uint64_t room = 0;

    return 0 == access(folder, W_OK) && OPAL_SUCCESS == opal_path_df(folder, &room)
           && room >= 2 * bytes;
}

/* Open the leader's file, for the others. All its pages are taken now: later, where the file system
 * is full, a write to one would end the process. */
static bool open_file(segment_t *segment, offer_t *offer)
{
    struct stat status;

    segment->file = open(offer->segment.seg_name, O_RDWR | O_CLOEXEC);
    if (segment->file < 0 || 0 != fstat(segment->file, &status)
        || 0 != posix_fallocate(segment->file, 0, status.st_size)) {
        return false;
    }
    offer->device = status.st_dev;
    offer->inode = status.st_ino;
    return true;
}

/* On the leader: make the segment. */
static bool make_segment(segment_t *segment, offer_t *offer)
{
    static _Atomic unsigned segments;
    const size_t bytes = segment_bytes(segment);
    opal_shmem_ds_t *shared = &offer->segment;
    bool made = false;
    char name[128];

    if (!has_room(bytes) || !may_map(segment)) {
        return false;
    }
    (void) snprintf(name, sizeof(name), "%s/napcoll-%lx-%lx-%lx-%x", folder,
                    (unsigned long) getuid(), (unsigned long) OPAL_PROC_MY_NAME.jobid,
                    (unsigned long) getpid(), atomic_fetch_add(&segments, 1));
    if (OPAL_SUCCESS == opal_shmem_segment_create(shared, name, bytes)) {
        made = attach(segment, shared) && open_file(segment, offer);
        (void) opal_shmem_unlink(shared);
    }
    if (!made) {
        unmap(segment);
        return false;
    }
    (void) snprintf(shared->seg_name, sizeof(shared->seg_name), "/proc/%ld/fd/%d", (long) getpid(),
                    segment->file);
    return true;
}

/* Whether a name leads to the leader's file: the process may have another /proc. */
static bool is_offered(const offer_t *offer)
{
    struct stat status;

    return 0 == stat(offer->segment.seg_name, &status) && offer->device == status.st_dev
           && offer->inode == status.st_ino && 0 == access(offer->segment.seg_name, R_OK | W_OK);
}

/* On another process: attach the leader's segment. */
static bool attach_segment(segment_t *segment, const offer_t *offer)
{
    opal_shmem_ds_t shared;

    if (!is_offered(offer) || !may_map(segment)) {
        return false;
    }
    shared = offer->segment;
    /* in its own PID namespace the leader may have this process's number */
    shared.seg_cpid = 0;
    if (!attach(segment, &shared)) {
        unmap(segment);
        return false;
    }
    return true;
}

/* ---- the agreement ---- */

enum { TAG = MCA_COLL_BASE_TAG_ALLREDUCE };

static int send_bytes(const mca_coll_napcoll_module_t *module, int rank, void *bytes, size_t count)
{
    return MCA_PML_CALL(
        send(bytes, count, MPI_BYTE, rank, TAG, MCA_PML_BASE_SEND_STANDARD, module->comm));
}

static int receive_bytes(const mca_coll_napcoll_module_t *module, int rank, void *bytes,
                         size_t count)
{
    int rc;

    mca_coll_napcoll_stall_awaits(module, rank);
    rc = MCA_PML_CALL(recv(bytes, count, MPI_BYTE, rank, TAG, module->comm, MPI_STATUS_IGNORE));
    mca_coll_napcoll_stall_awaits(module, -1);
    return rc;
}

/* The rank of a lane of this node. */
static int rank_of(const mca_coll_napcoll_module_t *module, int lane)
{
    const int node = napcoll_node_map_node(module->map, ompi_comm_rank(module->comm));

    return napcoll_node_map_rank(module->map, node, lane);
}

/* Whether the node has more processes of the job than processors. */
static int is_oversubscribed(bool *is)
{
    int processes, rc;
    bool first;

    rc = napcoll_job_own_node(&mca_coll_napcoll_component.job, &first, &processes);
    *is = OMPI_SUCCESS == rc && processes > sysconf(_SC_NPROCESSORS_ONLN);
    return rc;
}

/* The leader's side. After an error the messages go on, so that no process waits for ever. */
static int offer_segment(const mca_coll_napcoll_module_t *module, const proposal_t *proposal,
                         bool *agreed)
{
    offer_t offer = {.made = false};
    int error, rc = is_oversubscribed(&offer.sleeps);

    offer.made = NULL != proposal->segment && OMPI_SUCCESS == rc
                 && make_segment(proposal->segment, &offer);
    *agreed = offer.made && proposal->open(proposal->memory, 0, offer.sleeps);
    for (int lane = 1; lane < proposal->lanes; lane++) {
        error = send_bytes(module, rank_of(module, lane), &offer, sizeof(offer));
        rc = OMPI_SUCCESS == rc ? error : rc;
    }
    for (int lane = 1; lane < proposal->lanes; lane++) {
        bool has = false;

        error = receive_bytes(module, rank_of(module, lane), &has, sizeof(has));
        rc = OMPI_SUCCESS == rc ? error : rc;
        *agreed = *agreed && has;
    }
    for (int lane = 1; lane < proposal->lanes; lane++) {
        error = send_bytes(module, rank_of(module, lane), agreed, sizeof(*agreed));
        rc = OMPI_SUCCESS == rc ? error : rc;
    }
    return rc;
}

/* The side of another lane. */
static int take_offer(const mca_coll_napcoll_module_t *module, const proposal_t *proposal,
                      bool *agreed)
{
    const int leader = rank_of(module, 0);
    const int lane = napcoll_node_map_lane(module->map, ompi_comm_rank(module->comm));
    offer_t offer;
    bool has;
    int rc = receive_bytes(module, leader, &offer, sizeof(offer));

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    has = NULL != proposal->segment && offer.made && attach_segment(proposal->segment, &offer)
          && proposal->open(proposal->memory, lane, offer.sleeps);
    rc = send_bytes(module, leader, &has, sizeof(has));
    return OMPI_SUCCESS == rc ? receive_bytes(module, leader, agreed, sizeof(*agreed)) : rc;
}

/* Share a segment with the other processes of this node, or find that there is none. */
static int share(mca_coll_napcoll_module_t *module, const proposal_t *proposal, bool *agreed)
{
    const bool leads = ompi_comm_rank(module->comm) == rank_of(module, 0);
    int rc;

    *agreed = false;
    rc = leads ? offer_segment(module, proposal, agreed) : take_offer(module, proposal, agreed);
    *agreed = *agreed && OMPI_SUCCESS == rc;
    if (*agreed) {
        close_file(proposal->segment);
    }
    opal_output_verbose(10, mca_coll_napcoll_component.output,
                        "coll:napcoll: communicator %u: %s of %d processes: %s",
                        napcoll_compat_comm_id(module->comm), proposal->what, proposal->lanes,
                        *agreed ? "shared" : "not to be had, their messages go by the PML");
    return rc;
}

/* ---- the region, and its large rings ---- */

static bool open_region(mca_coll_napcoll_node_memory_t *memory, int lane, bool sleeps)
{
    const napcoll_node_t *node = &memory->node;

    return napcoll_region_open(&memory->node.region, memory_in(&memory->segment),
                               napcoll_node_map_ppn(node->map, node->number), lane, CHANNELS,
                               sleeps);
}

static bool open_large_rings(mca_coll_napcoll_node_memory_t *memory, int lane, bool sleeps)
{
    (void) lane;
    (void) sleeps;
    return napcoll_large_rings_open(&memory->node.region, memory_in(&memory->large));
}

static void free_large_rings(mca_coll_napcoll_node_memory_t *memory)
{
    napcoll_large_rings_close(&memory->node.region);
    release(&memory->large);
}

static void free_memory(mca_coll_napcoll_node_memory_t *memory)
{
    if (NULL != memory) {
        napcoll_region_close(&memory->node.region);
        release(&memory->segment);
        free_large_rings(memory);
        free(memory);
    }
}

static int share_region(mca_coll_napcoll_module_t *module)
{
    const int node = napcoll_node_map_node(module->map, ompi_comm_rank(module->comm));
    const int lanes = napcoll_node_map_ppn(module->map, node);
    mca_coll_napcoll_node_memory_t *memory = lanes < 2 ? NULL : calloc(1, sizeof(*memory));
    bool agreed;
    int rc;

    if (lanes < 2) {
        return OMPI_SUCCESS;
    }
    if (NULL != memory) {
        memory->node = (napcoll_node_t){.map = module->map, .number = node};
        memory->segment = segment_of(napcoll_region_bytes(lanes, CHANNELS));
        memory->large = segment_of(napcoll_large_rings_bytes(lanes));
    }
    rc = share(module,
               &(proposal_t){"node memory", lanes, memory, NULL == memory ? NULL : &memory->segment,
                             open_region},
               &agreed);
    if (!agreed) {
        free_memory(memory);
        return rc;
    }
    module->node_memory = memory;
    if (mca_coll_napcoll_component.watched) {
        mca_coll_napcoll_stall_share(module);
    }
    return rc;
}

static int share_large_rings(mca_coll_napcoll_module_t *module)
{
    mca_coll_napcoll_node_memory_t *memory = module->node_memory;
    bool agreed;
    int rc;

    rc = share(module,
               &(proposal_t){"large rings of node memory", memory->node.region.lanes, memory,
                             &memory->large, open_large_rings},
               &agreed);
    if (!agreed) {
        free_large_rings(memory);
    }
    return rc;
}

/* Wait for the leader's answer to a question. */
static int wait_for_answer(const mca_coll_napcoll_module_t *module, uint32_t question)
{
    const napcoll_region_t *region = &module->node_memory->node.region;
    int rc = OMPI_SUCCESS;

    if (OPAL_LIKELY(napcoll_board_has_answer(region, question))) {
        return OMPI_SUCCESS;
    }
    mca_coll_napcoll_stall_awaits(module, rank_of(module, 0));
    while (OMPI_SUCCESS == rc && !napcoll_board_has_answer(region, question)) {
        opal_progress();
        rc = napcoll_compat_failure(module->comm, OMPI_SUCCESS);
    }
    mca_coll_napcoll_stall_awaits(module, -1);
    return rc;
}

/* Count a call for large rings, and make them if it is time. The question whether to make them is
 * put in calls that all ranks count alike: sizes may differ in a wrong program, and then no rank
 * must wait for one that does not know. After INT_MAX questions there are no more. */
static int count_for_large_rings(mca_coll_napcoll_module_t *module, bool large)
{
    enum { BETWEEN = 16 };
    const int least = mca_coll_napcoll_component.node_memory_calls;
    napcoll_region_t *region;
    int question, rc;

    module->large_calls += large;
    module->calls_before_large_rings = (module->calls_before_large_rings + 1) % BETWEEN;
    if (NULL == module->node_memory || 0 != module->calls_before_large_rings) {
        return OMPI_SUCCESS;
    }
    region = &module->node_memory->node.region;
    question = ++module->questions;
    if (0 == region->lane) {
        napcoll_board_answer(region, (uint32_t) question,
                             module->large_calls >= (least > 0 ? least : 1));
    }
    rc = 1 == question ? OMPI_SUCCESS : wait_for_answer(module, (uint32_t) question - 1);
    if (OMPI_SUCCESS == rc && !napcoll_board_wants(region, (uint32_t) question - 1)
        && question < INT_MAX) {
        return OMPI_SUCCESS;
    }
    module->calls_before_large_rings = -1;
    return OMPI_SUCCESS == rc && question < INT_MAX ? share_large_rings(module) : rc;
}

int mca_coll_napcoll_make_node_memory(mca_coll_napcoll_module_t *module, bool large)
{
    const mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    int rc = OMPI_SUCCESS;

    if (!component->node_memory || module->jobs_differ) {
        module->calls_before_node_memory = module->calls_before_large_rings = -1;
        return OMPI_SUCCESS;
    }
    if (module->calls_before_node_memory >= component->node_memory_calls) {
        module->calls_before_node_memory = -1;
        rc = share_region(module);
        if (NULL == module->node_memory) {
            module->calls_before_large_rings = -1;
        }
    } else if (module->calls_before_node_memory >= 0) {
        module->calls_before_node_memory++;
    }
    return OMPI_SUCCESS == rc && module->calls_before_large_rings >= 0
               ? count_for_large_rings(module, large)
               : rc;
}

/* The channel of a call, NULL: none is left. */
static napcoll_channel_t *next_channel(mca_coll_napcoll_node_memory_t *memory, napcoll_kind_t kind)
{
    napcoll_channel_t *channel = memory->node.region.channel;

    switch (kind) {
    case NAPCOLL_KIND_BLOCKING:
        return &channel[BLOCKING];
    case NAPCOLL_KIND_NONBLOCKING:
        return &channel[NONBLOCKING + memory->nonblocking++ % NONBLOCKING_CHANNELS];
    default:
        return memory->persistent < PERSISTENT_CHANNELS
                   ? &channel[PERSISTENT + memory->persistent++]
                   : NULL;
    }
}

int mca_coll_napcoll_use_node_memory(const mca_coll_napcoll_module_t *module,
                                     const napcoll_call_t *call, napcoll_kind_t kind,
                                     napcoll_operation_t *operation)
{
    napcoll_region_t *region;

    if (NULL == module->node_memory) {
        return OMPI_SUCCESS;
    }
    region = &module->node_memory->node.region;
    operation->node = &module->node_memory->node;
    operation->channel = next_channel(module->node_memory, kind);
    operation->queues = NAPCOLL_KIND_NONBLOCKING == kind;
    operation->node_messages.ring = NULL != region->large_ring.memory
                                            && mca_coll_napcoll_takes_large_rings(call)
                                        ? &region->large_ring
                                        : &region->ring;
    return NULL != operation->channel && atomic_load(&operation->channel->broken) ? OMPI_ERROR
                                                                                  : OMPI_SUCCESS;
}

napcoll_region_t *mca_coll_napcoll_region(const mca_coll_napcoll_module_t *module)
{
    return NULL == module->node_memory ? NULL : &module->node_memory->node.region;
}

void mca_coll_napcoll_release_node_memory(mca_coll_napcoll_module_t *module)
{
    free_memory(module->node_memory);
    module->node_memory = NULL;
}
