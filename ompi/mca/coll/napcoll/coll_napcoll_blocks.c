/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-alls, gathers, scatters and neighbourhood collectives: calls whose plans are in the layout
 * of personalized blocks or of edges (exec/napcoll_personalized.h):
 *
 *     decision and plan -> blocks of the user -> operation
 *
 * Uneven ones are decided by what ranks said in the calls before (select/napcoll_uneven.h). Block j
 * of an all-to-all's plan is the one for the rank j places before this one in the node order, or
 * the one from the rank j places after it.
 */

#include "coll_napcoll_files.h"
#include "coll_napcoll_neighbors.h"
#include "coll_napcoll_run.h"

#include <string.h>

#include "algo/napcoll_generators.h"

/* One of the user's buffers. */
typedef struct {
    const void *buffer;
    /* it has one block only, at its beginning */
    bool single;
    /* counts and displs are valid; else each block has `count` elements, one block after the
     * other */
    bool uneven;
    size_t count;
    napcoll_compat_counts_t counts;
    /* in elements, or, where there are types, in bytes */
    napcoll_compat_displs_t displs;
    /* in place of these: in bytes */
    napcoll_compat_offsets_t offsets;
    ompi_datatype_t *type;
    ompi_datatype_t *const *types;
} side_t;

/* The buffer from which a rank sends, or in which it receives; false where it has none. In place
 * the root of a gather sends from its receive buffer, and the root of a scatter receives in its
 * send buffer. */
static bool find_side(const napcoll_binding_t *binding, napcoll_coll_t coll, bool sends,
                      side_t *side)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    const bool rooted = napcoll_goal_is_rooted(collective->goal);
    const bool gather = NAPCOLL_GOAL_GATHER == collective->goal;

    if (rooted && ompi_comm_rank(binding->comm) != binding->root && gather != sends) {
        return false;
    }
    if (MPI_IN_PLACE == (sends ? binding->sendbuf : binding->recvbuf)) {
        if (!rooted) {
            return false;
        }
        sends = !sends;
    }
    *side = (side_t){.single = (rooted && gather == sends)
                               || (NAPCOLL_GOAL_NEIGHBOR_ALLGATHER == collective->goal && sends)};
    side->uneven = collective->uneven && !side->single;
    if (sends) {
        side->buffer = binding->sendbuf;
        side->count = binding->send_count;
        side->counts = binding->send_counts;
        side->displs = binding->send_displs;
        side->offsets = binding->send_offsets;
        side->type = binding->send_type;
        side->types = binding->send_types;
    } else {
        side->buffer = binding->recvbuf;
        side->count = binding->count;
        side->counts = binding->counts;
        side->displs = binding->displs;
        side->offsets = binding->offsets;
        side->type = binding->datatype;
        side->types = binding->types;
    }
    return true;
}

/* The block for, or from, a rank; extent belongs to the side's datatype, if all blocks have it. */
static inline void fill_block(const side_t *side, ptrdiff_t extent, int rank,
                              napcoll_block_t *block)
{
    ptrdiff_t at = 0;

    block->rank = rank;
    block->count = side->uneven ? napcoll_compat_count(side->counts, rank) : side->count;
    block->type = NULL == side->types ? side->type : side->types[rank];
    if (napcoll_compat_has_offsets(side->offsets)) {
        at = napcoll_compat_offset(side->offsets, rank);
    } else if (NULL != side->types) {
        at = napcoll_compat_displ(side->displs, rank);
    } else if (side->uneven) {
        at = napcoll_compat_displ(side->displs, rank) * extent;
    } else if (!side->single) {
        at = (ptrdiff_t) ((size_t) rank * side->count) * extent;
    }
    block->at = napcoll_offset(side->buffer, at);
}

/* The blocks of a side: first the block of the rank at a place of the node order, then the blocks
 * of the ranks after it, or, where turn is -1, before it. */
static void fill_side(const side_t *side, const napcoll_node_map_t *map, int place, int turn,
                      napcoll_block_t *block, int blocks)
{
    ptrdiff_t lb, extent = 0;

    if (blocks > 0 && NULL == side->types) { /* without blocks the type may be invalid */
        ompi_datatype_get_extent(side->type, &lb, &extent);
    }
    for (int i = 0; i < blocks; i++) {
        fill_block(side, extent, napcoll_node_map_at(map, place), &block[i]);
        place = (place + turn + map->size) % map->size;
    }
}

/* The blocks of a side along edges. */
static void fill_edges(const side_t *side, const napcoll_plan_edge_t *edge, napcoll_block_t *block,
                       int blocks)
{
    ptrdiff_t lb, extent = 0;

    if (blocks > 0 && NULL == side->types) {
        ompi_datatype_get_extent(side->type, &lb, &extent);
    }
    for (int i = 0; i < blocks; i++) {
        if (edge[i].peer >= 0) {
            fill_block(side, extent, i, &block[i]);
        } else {
            block[i] = (napcoll_block_t){.type = MPI_BYTE};
        }
        block[i].rank = edge[i].peer;
    }
}

/* Whether the user gives one buffer for both sides, so that what arrives may overwrite what is to
 * be sent. The root of a gather or scatter may do so if its own block is at its place: that is in
 * place. */
static bool is_one_buffer(const napcoll_binding_t *binding, napcoll_goal_t goal,
                          const napcoll_personalized_t *personalized)
{
    if (OPAL_LIKELY(binding->sendbuf != binding->recvbuf) || NULL == binding->sendbuf) {
        return false;
    }
    return !napcoll_goal_is_rooted(goal)
           || (ompi_comm_rank(binding->comm) == binding->root
               && napcoll_personalized_block(personalized, NAPCOLL_BUFFER_SEND, 0)->at
                      != napcoll_personalized_block(personalized, NAPCOLL_BUFFER_RECV, 0)->at);
}

/* The blocks of a neighbourhood call. */
static int fill_neighbors(const mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll,
                          const napcoll_binding_t *binding, napcoll_personalized_t *personalized)
{
    const napcoll_neighborhood_t *n = napcoll->neighborhood;
    const napcoll_goal_t goal = mca_coll_napcoll_collectives[coll]->goal;
    const napcoll_block_range_t held[NAPCOLL_BUFFER_TEMP] = {{.count = n->out}, {.count = n->in}};
    const int rc = napcoll_personalized_make_room(personalized, held);
    side_t side;

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    personalized->in_place = false;
    personalized->turn = n->turn;
    personalized->turns = n->turns;
    (void) find_side(binding, coll, true, &side);
    fill_edges(&side, n->edge, personalized->block[NAPCOLL_BUFFER_SEND], n->out);
    (void) find_side(binding, coll, false, &side);
    fill_edges(&side, n->edge + n->out, personalized->block[NAPCOLL_BUFFER_RECV], n->in);
    napcoll_personalized_measure(personalized);
    return is_one_buffer(binding, goal, personalized) ? napcoll_personalized_keep_sent(personalized)
                                                      : OMPI_SUCCESS;
}

/* The blocks of a call, in the order of the layout; nothing is heard yet. */
static int fill_blocks(const mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll,
                       const napcoll_binding_t *binding, napcoll_personalized_t *personalized)
{
    const napcoll_node_map_t *map = napcoll->map;
    const napcoll_goal_t goal = mca_coll_napcoll_collectives[coll]->goal;
    const int rank = ompi_comm_rank(napcoll->comm), root = binding->root;
    const int size = map->size, place = napcoll_node_map_place(map, rank);
    napcoll_block_range_t held[NAPCOLL_BUFFER_TEMP];
    const napcoll_block_range_t *send = &held[NAPCOLL_BUFFER_SEND];
    const napcoll_block_range_t *recv = &held[NAPCOLL_BUFFER_RECV];
    side_t side;
    int rc;

    personalized->self = rank;
    personalized->turn = NULL;
    memset(personalized->heard, 0, sizeof(personalized->heard));
    if (napcoll_goal_is_neighbor(goal)) {
        return fill_neighbors(napcoll, coll, binding, personalized);
    }
    napcoll_goal_buffers(goal, NAPCOLL_LAYOUT_PERSONALIZED, size,
                         napcoll_goal_place(goal, map, root, rank),
                         napcoll_goal_takes(goal, root, rank), held);
    rc = napcoll_personalized_make_room(personalized, held);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (find_side(binding, coll, false, &side)) {
        fill_side(&side, map, (place + recv->first) % size, 1,
                  personalized->block[NAPCOLL_BUFFER_RECV], recv->count);
    }
    personalized->in_place = !find_side(binding, coll, true, &side) && send->count > 0;
    if (!personalized->in_place && send->count > 0) {
        fill_side(&side, map, (place + size - send->first) % size, -1,
                  personalized->block[NAPCOLL_BUFFER_SEND], send->count);
    }
    napcoll_personalized_measure(personalized);
    return is_one_buffer(binding, goal, personalized) ? napcoll_personalized_keep_sent(personalized)
                                                      : OMPI_SUCCESS;
}

/* ---- uneven calls ---- */

/* What this rank has to say about the blocks that it sends. In a scatter only the root speaks, and
 * in a gather nobody does, since nobody would hear it. */
static unsigned say(mca_coll_napcoll_module_t *napcoll, const napcoll_call_t *call,
                    const napcoll_personalized_t *personalized, size_t few)
{
    const napcoll_goal_t goal = mca_coll_napcoll_collectives[call->coll]->goal;
    const bool by_rules = NAPCOLL_RULES_BY_SIZE == mca_coll_napcoll_rules_scope(napcoll, call);
    const napcoll_block_range_t range = personalized->range[NAPCOLL_BUFFER_SEND];
    const size_t inline_bytes = personalized->inline_bytes;
    size_t blocks = 0, bytes = 0;

    if (napcoll_goal_is_rooted(goal)
        && (NAPCOLL_GOAL_GATHER == goal || ompi_comm_rank(napcoll->comm) != call->root)) {
        return 0;
    }
    for (int i = 0; i < range.count; i++) {
        const napcoll_block_t *block = &personalized->block[NAPCOLL_BUFFER_SEND][i];
        const bool goes_inline = block->bytes <= inline_bytes;

        if (range.first + i > 0) {
            blocks += goes_inline && block->bytes > 0;
            bytes += goes_inline || by_rules ? block->bytes : 0;
        }
    }
    return napcoll_uneven_say(blocks, bytes, (size_t) napcoll->map->size - 1, few);
}

/* What all ranks have said in an operation that has ended. */
static const int *heard_in(napcoll_operation_t *operation)
{
    napcoll_personalized_t *personalized = &operation->personalized;

    personalized->heard[personalized->said]++;
    return personalized->heard;
}

void mca_coll_napcoll_blocks_learn(const mca_coll_napcoll_run_t *run)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[run->call.coll];
    napcoll_uneven_t *uneven = &run->napcoll->uneven[run->call.coll];
    const int row = NULL == run->entry ? -1 : run->entry->decided->decision.algorithm;

    if (!collective->uneven || napcoll_uneven_is_mute(collective)
        || napcoll_goal_is_neighbor(collective->goal)) {
        return;
    }
    if (row < 0
        || !napcoll_algorithm_announces(collective, napcoll_algorithm_at(collective, row))) {
        napcoll_uneven_deaf(uneven);
    } else if (NULL != run->operation) {
        napcoll_uneven_hear(uneven, heard_in(run->operation));
    }
}

static inline size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Prepare a call in rounds: which blocks go through them, so that all slots fit the memory that is
 * allowed, and what this rank has to say. */
static int prepare_rounds(mca_coll_napcoll_module_t *napcoll, const napcoll_call_t *call,
                          const napcoll_decided_t *decided, napcoll_personalized_t *personalized)
{
    const size_t limit = mca_coll_napcoll_component.transit_bytes;
    const size_t slots = decided->slots > 0 ? (size_t) decided->slots : 1;
    const bool edges = mca_coll_napcoll_is_neighbor(call->coll);
    const bool by_model = decided->decision.by_model && !edges;
    const napcoll_limits_t named = {.few = 0}, *limits = &named;
    size_t most = decided->decision.inline_bytes;

    if (by_model) {
        const int rc = mca_coll_napcoll_limits(napcoll, call->coll, &limits);

        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        if (0 == most) {
            most = least_of(limits->inline_bytes, NAPCOLL_INLINE_SLOTS_BYTES / slots);
        }
    }
    most = least_of(most, limit > 0 ? limit / slots : SIZE_MAX);
    personalized->inline_bytes = most;
    personalized->said = edges ? 0 : say(napcoll, call, personalized, limits->few);
    return OMPI_SUCCESS;
}

/* ---- all calls ---- */

void mca_coll_napcoll_blocks_look(mca_coll_napcoll_run_t *run)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[run->call.coll];
    napcoll_uneven_t *uneven = &run->napcoll->uneven[run->call.coll], as_it_is;

    if (napcoll_uneven_is_mute(collective)
        || (collective->uneven && napcoll_goal_is_neighbor(collective->goal))) {
        /* neighbours agree on sizes when they know each other */
        run->call.bytes = NAPCOLL_UNEVEN_FIRST_BYTES;
    } else if (collective->uneven) {
        if (NAPCOLL_KIND_BLOCKING != run->kind) {
            /* ranks may end it in another order than other calls, and would not learn alike */
            as_it_is = *uneven;
            uneven = &as_it_is;
        }
        napcoll_uneven_begin(uneven, &run->call);
        if (collective->few_blocks && NAPCOLL_KIND_NONBLOCKING == run->kind
            && !napcoll_uneven_needs_rounds(uneven)) {
            run->call.straight = true;
        }
    }
}

/* ---- uneven calls along edges ---- */

/* Whether a decision on a call may depend on sizes: some edge leads to another node, which has
 * other processes, and users or rules name no algorithm. The same on all ranks. */
static bool sizes_matter(mca_coll_napcoll_module_t *napcoll, const napcoll_call_t *call)
{
    const napcoll_neighbor_load_t *load = napcoll_neighbor_loads(
        mca_coll_napcoll_collectives[call->coll], napcoll->neighborhood);

    return NAPCOLL_FORCE_AUTO == mca_coll_napcoll_force(napcoll, call->coll)
           && load[NAPCOLL_NEIGHBOR_DIRECT].messages > 0 && napcoll->map->max_ppn > 1
           && NAPCOLL_RULES_ONE != mca_coll_napcoll_rules_scope(napcoll, call);
}

/* The sizes along the edges of one side; blocks up to `most` bytes may be forwarded. */
static napcoll_neighbor_sizes_t sizes_of(const side_t *side, const napcoll_node_map_t *map,
                                         const napcoll_plan_edge_t *edge, int edges, int self,
                                         size_t most)
{
    napcoll_neighbor_sizes_t sizes = {0};

    for (int i = 0; i < edges; i++) {
        const int peer = edge[i].peer;
        napcoll_block_t block;
        size_t element;
        int64_t bytes;

        if (peer < 0 || peer == self) {
            continue;
        }
        fill_block(side, 0, i, &block);
        ompi_datatype_type_size(block.type, &element);
        bytes = (int64_t) (element * block.count);
        if (napcoll_node_map_node(map, peer) == napcoll_node_map_node(map, self)) {
            sizes.local_bytes += bytes;
        } else if (element * block.count <= most) {
            sizes.bytes += bytes;
        } else {
            sizes.large_blocks++;
            sizes.large_bytes += bytes;
        }
    }
    return sizes;
}

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The sizes of this process's blocks, the larger of both sides. Where rules decide by the mean
 * block, all of them count. */
static napcoll_neighbor_sizes_t measure_edges(const mca_coll_napcoll_run_t *run)
{
    mca_coll_napcoll_module_t *napcoll = run->napcoll;
    const napcoll_neighborhood_t *n = napcoll->neighborhood;
    const napcoll_coll_t coll = run->call.coll;
    const napcoll_settings_t settings = mca_coll_napcoll_settings(napcoll, coll);
    const bool by_rules = NAPCOLL_RULES_BY_SIZE
                          == mca_coll_napcoll_rules_scope(napcoll, &run->call);
    const size_t most = by_rules ? SIZE_MAX : napcoll_uneven_edges_inline(&settings);
    napcoll_neighbor_sizes_t sent, received;
    side_t side;

    (void) find_side(&run->binding, coll, true, &side);
    sent = sizes_of(&side, napcoll->map, n->edge, n->out, n->rank, most);
    (void) find_side(&run->binding, coll, false, &side);
    received = sizes_of(&side, napcoll->map, n->edge + n->out, n->in, n->rank, most);
    return (napcoll_neighbor_sizes_t){
        .bytes = larger(sent.bytes, received.bytes),
        .large_blocks = larger(sent.large_blocks, received.large_blocks),
        .large_bytes = larger(sent.large_bytes, received.large_bytes),
        .local_bytes = larger(sent.local_bytes, received.local_bytes)};
}

/* A persistent call, whose blocks stay the same, has an agreement of its own when it is made;
 * nonblocking ones have the latest: ranks may end them in another order than other calls. */
int mca_coll_napcoll_blocks_agree(mca_coll_napcoll_run_t *run)
{
    const napcoll_coll_t coll = run->call.coll;
    napcoll_uneven_t *uneven = &run->napcoll->uneven[coll], own;
    napcoll_neighbor_sizes_t sizes;
    int rc = OMPI_SUCCESS;

    if (!mca_coll_napcoll_collectives[coll]->uneven || !sizes_matter(run->napcoll, &run->call)) {
        return OMPI_SUCCESS;
    }
    if (NAPCOLL_KIND_BLOCKING != run->kind) {
        own = *uneven;
        own.calls = NAPCOLL_KIND_PERSISTENT == run->kind ? 0 : 1;
        uneven = &own;
    }
    if (napcoll_uneven_begin_edges(uneven)) {
        sizes = measure_edges(run);
        rc = mca_coll_napcoll_agree_on_sizes(run->napcoll, coll, &sizes, uneven);
    }
    napcoll_uneven_look(uneven, &run->call);
    return rc;
}

/* The tag of the rounds of uneven calls; direct blocks have the binding's. */
static int round_tag(const mca_coll_napcoll_run_t *run)
{
    if (NAPCOLL_KIND_BLOCKING != run->kind) {
        return run->binding.tag - 1;
    }
    switch (mca_coll_napcoll_collectives[run->call.coll]->goal) {
    case NAPCOLL_GOAL_GATHER:
        return MCA_COLL_BASE_TAG_GATHER;
    case NAPCOLL_GOAL_SCATTER:
        return MCA_COLL_BASE_TAG_SCATTER;
    case NAPCOLL_GOAL_NEIGHBOR_ALLGATHER:
    case NAPCOLL_GOAL_NEIGHBOR_ALLTOALL:
        return MCA_COLL_BASE_TAG_NEIGHBOR_BASE - 1;
    default:
        return MCA_COLL_BASE_TAG_ALLTOALL;
    }
}

/* Whether the second start of a persistent call is decided anew. Ranks may start calls in any
 * order, and decisions for one root may rest on those for others. */
static bool learns(const mca_coll_napcoll_run_t *run)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[run->call.coll];
    const napcoll_decision_t *decision = &run->entry->decided->decision;

    return NAPCOLL_KIND_PERSISTENT == run->kind && !run->started
           && !napcoll_goal_is_rooted(collective->goal)
           && napcoll_algorithm_announces(collective,
                                          napcoll_algorithm_at(collective, decision->algorithm))
           && decision->by_model && !mca_coll_napcoll_plans_take_messages();
}

int mca_coll_napcoll_blocks_bind(mca_coll_napcoll_run_t *run)
{
    const napcoll_call_t *call = &run->call;
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[call->coll];
    const napcoll_decided_t *decided = run->entry->decided;
    const bool rounds =
        collective->uneven
        && napcoll_algorithm_at(collective, decided->decision.algorithm)->store_and_forward;
    const napcoll_binding_t blocks = {.datatype = &ompi_mpi_byte.dt,
                                      .comm = run->binding.comm,
                                      .tag = rounds ? round_tag(run) : run->binding.tag};
    napcoll_personalized_t *personalized = &run->operation->personalized;
    int rc = fill_blocks(run->napcoll, call->coll, &run->binding, personalized);

    personalized->even = !collective->uneven;
    personalized->bytes = call->bytes;
    personalized->inline_bytes = SIZE_MAX;
    personalized->direct_tag = run->binding.tag;
    personalized->said = 0;
    run->learns = learns(run);
    if (OMPI_SUCCESS == rc && rounds) {
        rc = prepare_rounds(run->napcoll, call, decided, personalized);
    }
    return OMPI_SUCCESS == rc
               ? napcoll_operation_init(run->operation, &napcoll_buffers_personalized,
                                        decided->plan[call->in_place], &blocks)
               : rc;
}

/* Bind the user's blocks to the plan that the operation has. */
static int bind_again(mca_coll_napcoll_run_t *run)
{
    napcoll_operation_t *operation = run->operation;
    const napcoll_binding_t blocks = operation->binding;
    const int rc = fill_blocks(run->napcoll, run->call.coll, &run->binding,
                               &operation->personalized);

    return OMPI_SUCCESS == rc
               ? napcoll_operation_init(operation, operation->buffers, operation->plan, &blocks)
               : rc;
}

/* Decide on a persistent call by what its first start told, and bind it to the new plan. Without an
 * algorithm for such blocks the call goes on as it began. */
static int decide_anew(mca_coll_napcoll_run_t *run)
{
    napcoll_uneven_t uneven = {.bytes = 0};
    const int *heard = heard_in(run->operation);
    napcoll_cached_t entry = {.decided = NULL};
    napcoll_outcome_t outcome;
    int rc;

    for (int i = 0; i < NAPCOLL_UNEVEN_PATIENCE; i++) { /* all starts have the same blocks */
        napcoll_uneven_hear(&uneven, heard);
    }
    napcoll_uneven_begin(&uneven, &run->call);
    rc = mca_coll_napcoll_decide_apart(run->napcoll, &run->call, &entry.decided);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    outcome = mca_coll_napcoll_outcome(&entry, NAPCOLL_REASON_NONE, &run->call, run->kind);
    if (outcome.algorithm < 0) {
        rc = bind_again(run);
    } else {
        napcoll_plan_free(run->plan);
        run->plan = entry.decided->plan[run->call.in_place];
        napcoll_plan_retain(run->plan);
        run->entry = &entry;
        run->outcome = outcome;
        rc = mca_coll_napcoll_blocks_bind(run);
        run->entry = NULL;
    }
    mca_coll_napcoll_release_decided(entry.decided);
    return rc;
}

int mca_coll_napcoll_blocks_rebind(mca_coll_napcoll_run_t *run)
{
    const bool anew = run->learns && run->started;

    run->started = true;
    if (anew) {
        run->learns = false;
        return decide_anew(run);
    }
    return bind_again(run);
}
