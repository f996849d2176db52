/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The memory that a communicator's processes on a node share (exec/napcoll_mailbox.h). They make it
 * after the communicator's first few blocking calls:
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
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi/mca/pml/pml.h"
#include "opal/mca/shmem/base/base.h"
#include "opal/util/output.h"
#include "opal/util/path.h"

_Static_assert((int) NAPCOLL_RING_MOST == (int) NAPCOLL_MACHINE_NODE_MEMORY_MOST,
               "the model knows the limit");

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

struct mca_coll_napcoll_node_memory {
    napcoll_node_t node;
    opal_shmem_ds_t segment;
    /** attached, or NULL */
    void *memory;
    /** the leader's file, while others attach; else -1 */
    int file;
    size_t bytes;
    /** nonblocking and persistent operations that have had a channel */
    unsigned nonblocking, persistent;
};

/* ---- the segment ---- */

/* A segment has more bytes than its region: Open MPI 4.1 begins it with a few bytes of its own. */
static size_t segment_bytes(size_t region)
{
    return region + (size_t) 2 * NAPCOLL_CACHE_PAIR;
}

/* The region in an attached segment: the same offset in all processes. */
static void *region_in(void *segment)
{
    const uintptr_t at = (uintptr_t) segment, unit = NAPCOLL_CACHE_PAIR;

    return (void *) ((at + unit - 1) / unit * unit);
}

/* Whether this process may map a communicator's memory; then its bytes count as mapped. */
static bool may_map(const mca_coll_napcoll_node_memory_t *memory)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    if (atomic_fetch_add(&component->node_memory_mapped, memory->bytes) + memory->bytes
        <= component->node_memory_bytes) {
        return true;
    }
    atomic_fetch_sub(&component->node_memory_mapped, memory->bytes);
    return false;
}

/* Attach a segment, after may_map; whether that went well. */
static bool attach(mca_coll_napcoll_node_memory_t *memory)
{
    memory->memory = opal_shmem_segment_attach(&memory->segment);
    return NULL != memory->memory;
}

/* Undo may_map, and attach. */
static void unmap(mca_coll_napcoll_node_memory_t *memory)
{
    if (NULL != memory->memory) {
        (void) opal_shmem_segment_detach(&memory->segment);
        memory->memory = NULL;
    }
    atomic_fetch_sub(&mca_coll_napcoll_component.node_memory_mapped, memory->bytes);
}

static void close_file(mca_coll_napcoll_node_memory_t *memory)
{
    if (memory->file >= 0) {
        (void) close(memory->file);
        memory->file = -1;
    }
}

static void free_memory(mca_coll_napcoll_node_memory_t *memory)
{
    if (NULL != memory) {
        napcoll_region_close(&memory->node.region);
        close_file(memory);
        if (NULL != memory->memory) {
            unmap(memory);
        }
        free(memory);
    }
}

/* Whether the file system has room; Open MPI would complain where it has not. */
static bool has_room(size_t bytes)
{
    uint64_t room = 0;

    return 0 == access(folder, W_OK) && OPAL_SUCCESS == opal_path_df(folder, &room)
           && room >= 2 * bytes;
}

/* Describe a new segment to the others, by the leader's file. All its pages are taken now: later,
 * where the file system is full, a write to one would end the process. */
static bool describe(mca_coll_napcoll_node_memory_t *memory, offer_t *offer)
{
    struct stat status;

    memory->file = open(memory->segment.seg_name, O_RDWR | O_CLOEXEC);
    if (memory->file < 0 || 0 != fstat(memory->file, &status)
        || 0 != posix_fallocate(memory->file, 0, status.st_size)) {
        return false;
    }
    offer->segment = memory->segment;
    offer->device = status.st_dev;
    offer->inode = status.st_ino;
    (void) snprintf(offer->segment.seg_name, sizeof(offer->segment.seg_name), "/proc/%ld/fd/%d",
                    (long) getpid(), memory->file);
    return true;
}

/* On the leader: make the segment. */
static bool make_segment(mca_coll_napcoll_node_memory_t *memory, offer_t *offer)
{
    static _Atomic unsigned segments;
    const size_t bytes = segment_bytes(memory->bytes);
    opal_shmem_ds_t *segment = &memory->segment;
    bool made = false;
    char name[128];

    if (!has_room(bytes) || !may_map(memory)) {
        return false;
    }
    (void) snprintf(name, sizeof(name), "%s/napcoll-%lx-%lx-%lx-%x", folder,
                    (unsigned long) getuid(), (unsigned long) OPAL_PROC_MY_NAME.jobid,
                    (unsigned long) getpid(), atomic_fetch_add(&segments, 1));
    if (OPAL_SUCCESS == opal_shmem_segment_create(segment, name, bytes)) {
        made = attach(memory) && describe(memory, offer);
        (void) opal_shmem_unlink(segment);
    }
    if (!made) {
        unmap(memory);
    }
    return made;
}

/* Whether a name leads to the leader's file: the process may have another /proc. */
static bool is_offered(const offer_t *offer)
{
    struct stat status;

    return 0 == stat(offer->segment.seg_name, &status) && offer->device == status.st_dev
           && offer->inode == status.st_ino && 0 == access(offer->segment.seg_name, R_OK | W_OK);
}

/* On another process: attach the leader's segment. */
static bool attach_segment(mca_coll_napcoll_node_memory_t *memory, const offer_t *offer)
{
    if (!is_offered(offer) || !may_map(memory)) {
        return false;
    }
    memory->segment = offer->segment;
    /* in its own PID namespace the leader may have this process's number */
    memory->segment.seg_cpid = 0;
    if (!attach(memory)) {
        unmap(memory);
        return false;
    }
    return true;
}

/* Look at the region in an attached segment. */
static bool open_region(mca_coll_napcoll_node_memory_t *memory, int lanes, int lane, bool sleeps)
{
    return napcoll_region_open(&memory->node.region, region_in(memory->memory), lanes, lane,
                               CHANNELS, sleeps);
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

/* The leader's side; memory is NULL where there is none for it. After an error the messages go on,
 * so that no process waits for ever. */
static int offer_memory(const mca_coll_napcoll_module_t *module,
                        mca_coll_napcoll_node_memory_t *memory, int lanes, bool *agreed)
{
    offer_t offer = {.made = false};
    int error, rc = is_oversubscribed(&offer.sleeps);

    offer.made = NULL != memory && OMPI_SUCCESS == rc && make_segment(memory, &offer);
    *agreed = offer.made && open_region(memory, lanes, 0, offer.sleeps);
    for (int lane = 1; lane < lanes; lane++) {
        error = send_bytes(module, rank_of(module, lane), &offer, sizeof(offer));
        rc = OMPI_SUCCESS == rc ? error : rc;
    }
    for (int lane = 1; lane < lanes; lane++) {
        bool has = false;

        error = receive_bytes(module, rank_of(module, lane), &has, sizeof(has));
        rc = OMPI_SUCCESS == rc ? error : rc;
        *agreed = *agreed && has;
    }
    for (int lane = 1; lane < lanes; lane++) {
        error = send_bytes(module, rank_of(module, lane), agreed, sizeof(*agreed));
        rc = OMPI_SUCCESS == rc ? error : rc;
    }
    return rc;
}

/* The side of another lane. */
static int take_offer(const mca_coll_napcoll_module_t *module,
                      mca_coll_napcoll_node_memory_t *memory, int lanes, bool *agreed)
{
    const int leader = rank_of(module, 0);
    const int lane = napcoll_node_map_lane(module->map, ompi_comm_rank(module->comm));
    offer_t offer;
    bool has;
    int rc = receive_bytes(module, leader, &offer, sizeof(offer));

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    has = NULL != memory && offer.made && attach_segment(memory, &offer)
          && open_region(memory, lanes, lane, offer.sleeps);
    rc = send_bytes(module, leader, &has, sizeof(has));
    return OMPI_SUCCESS == rc ? receive_bytes(module, leader, agreed, sizeof(*agreed)) : rc;
}

/* Make the memory of a communicator, or find that there is none. */
static int share(mca_coll_napcoll_module_t *module)
{
    const int rank = ompi_comm_rank(module->comm);
    const int node = napcoll_node_map_node(module->map, rank);
    const int lanes = napcoll_node_map_ppn(module->map, node);
    mca_coll_napcoll_node_memory_t *memory;
    bool agreed = false;
    int rc;

    if (lanes < 2) {
        return OMPI_SUCCESS;
    }
    memory = calloc(1, sizeof(*memory));
    if (NULL != memory) {
        memory->node = (napcoll_node_t){.map = module->map, .number = node};
        memory->bytes = napcoll_region_bytes(lanes, CHANNELS);
        memory->file = -1;
    }
    rc = rank == rank_of(module, 0) ? offer_memory(module, memory, lanes, &agreed)
                                    : take_offer(module, memory, lanes, &agreed);
    if (OMPI_SUCCESS == rc && agreed) {
        close_file(memory);
        module->node_memory = memory;
        if (mca_coll_napcoll_component.watched) {
            mca_coll_napcoll_stall_share(module);
        }
    } else {
        free_memory(memory);
    }
    opal_output_verbose(10, mca_coll_napcoll_component.output,
                        "coll:napcoll: communicator %u: node memory of %d processes: %s",
                        napcoll_compat_comm_id(module->comm), lanes,
                        agreed ? "shared" : "not to be had, their messages go by the PML");
    return rc;
}

int mca_coll_napcoll_make_node_memory(mca_coll_napcoll_module_t *module)
{
    const mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    const bool may = component->node_memory && !module->jobs_differ;

    if (may && module->calls_before_node_memory < component->node_memory_calls) {
        module->calls_before_node_memory++;
        return OMPI_SUCCESS;
    }
    module->calls_before_node_memory = -1;
    return may ? share(module) : OMPI_SUCCESS;
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

int mca_coll_napcoll_use_node_memory(const mca_coll_napcoll_module_t *module, napcoll_kind_t kind,
                                     napcoll_operation_t *operation)
{
    if (NULL == module->node_memory) {
        return OMPI_SUCCESS;
    }
    operation->node = &module->node_memory->node;
    operation->channel = next_channel(module->node_memory, kind);
    operation->queues = NAPCOLL_KIND_NONBLOCKING == kind;
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
