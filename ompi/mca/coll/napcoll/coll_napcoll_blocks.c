/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-alls, gathers and scatters (see the header):
 *
 *     without an agreement    decision and plan -> blocks of the user -> operation
 *     with an agreement       blocks of the user -> agreement -> decision and plan -> operation
 *
 * A call that relied on an earlier agreement is run again, with a new one, where messages say
 * that the sizes no longer hold. Block j of an all-to-all's plan is the one for the rank j places
 * before this one in the node order, or the one from the rank j places after it.
 */

#include "coll_napcoll_blocks.h"

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
    *side = (side_t){.single = rooted && gather == sends};
    side->uneven = collective->uneven && !side->single;
    if (sends) {
        side->buffer = binding->sendbuf;
        side->count = binding->send_count;
        side->counts = binding->send_counts;
        side->displs = binding->send_displs;
        side->type = binding->send_type;
        side->types = binding->send_types;
    } else {
        side->buffer = binding->recvbuf;
        side->count = binding->count;
        side->counts = binding->counts;
        side->displs = binding->displs;
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

    block->count = side->uneven ? napcoll_compat_count(side->counts, rank) : side->count;
    block->type = NULL == side->types ? side->type : side->types[rank];
    if (NULL != side->types) {
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

/* The blocks of a call, in the order of the layout. */
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
    return is_one_buffer(binding, goal, personalized)
               ? napcoll_personalized_keep_sent(personalized)
               : OMPI_SUCCESS;
}

/* The arguments of an operation on blocks. */
static int run_operation(const mca_coll_napcoll_blocks_t *b, napcoll_plan_t *plan)
{
    const napcoll_binding_t binding = {.datatype = &ompi_mpi_byte.dt,
                                       .comm = b->binding->comm,
                                       .tag = b->binding->tag};

    return napcoll_operation_run(b->operation, &napcoll_buffers_personalized, plan, &binding);
}

/* Send the larger blocks of a gather that the plan did not send: their ranks and the root know
 * which ones these are. */
static int run_larger_blocks(const mca_coll_napcoll_blocks_t *b, bool doubtful)
{
    const napcoll_call_t *call = b->call;
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[call->coll];
    const napcoll_plan_args_t args = {.collective = collective,
                                      .algorithm = &collective->algorithm[NAPCOLL_GATHER_LINEAR],
                                      .map = b->napcoll->map,
                                      .rank = ompi_comm_rank(b->napcoll->comm),
                                      .params = {.root = call->root}};
    napcoll_personalized_t *personalized = &b->operation->personalized;
    napcoll_plan_t *plan = napcoll_gather_linear(&args);
    int rc = NULL == plan ? OMPI_ERR_OUT_OF_RESOURCE
                          : fill_blocks(b->napcoll, call->coll, b->binding, personalized);

    if (OMPI_SUCCESS == rc) {
        (void) napcoll_personalized_leave_out(personalized, call->largest, false);
        personalized->doubtful = doubtful;
        rc = run_operation(b, plan);
    }
    napcoll_plan_free(plan);
    return rc;
}

/* Whether a rank of a gather has a larger block than the root announced in this call, and the
 * plan's messages have no room for it. That is an error, and the block is not sent. */
static bool exceeds_announced(const napcoll_call_t *call, const napcoll_plan_t *plan,
                              napcoll_personalized_t *personalized)
{
    size_t bytes, largest;

    napcoll_personalized_sum(personalized, NAPCOLL_BUFFER_SEND, 0, &bytes, &largest);
    if (OPAL_LIKELY(largest <= call->largest) || plan->rank == call->root) {
        return false;
    }
    for (int i = 0; i < plan->steps; i++) {
        if (plan->step[i].headed) {
            return napcoll_personalized_leave_out(personalized, call->largest, true) > 0;
        }
    }
    return false;
}

/* Run a plan. Where a block was larger than its receiver expected, the other blocks have
 * arrived. */
static int run_plan(const mca_coll_napcoll_blocks_t *b)
{
    const napcoll_call_t *call = b->call;
    napcoll_personalized_t *personalized = &b->operation->personalized;
    const bool uneven = mca_coll_napcoll_is_uneven(call->coll);
    const bool gather = uneven
                        && NAPCOLL_GOAL_GATHER == mca_coll_napcoll_collectives[call->coll]->goal;
    int rc, after = OMPI_SUCCESS, larger = 0;

    if (NAPCOLL_SIZES_REUSED == b->sizes) {
        larger = napcoll_personalized_leave_out(personalized, call->largest, true);
    }
    if (gather && NAPCOLL_SIZES_AGREED == b->sizes
        && exceeds_announced(call, b->plan, personalized)) {
        after = MPI_ERR_TRUNCATE;
    }
    personalized->doubtful = false;
    personalized->complete = gather;
    personalized->even = !uneven;
    personalized->bytes = call->bytes;
    personalized->largest = call->largest;
    rc = run_operation(b, b->plan);
    if (larger > 0 && (OMPI_SUCCESS == rc || MPI_ERR_TRUNCATE == rc)) {
        after = run_larger_blocks(b, OMPI_SUCCESS != rc);
    }
    return OMPI_SUCCESS == rc ? after : rc;
}

/* Run a call once. *broken: the sizes of an earlier agreement no longer hold and blocks have not
 * been sent, so the call is to be run again; the same on all ranks. */
static int run_once(mca_coll_napcoll_blocks_t *b, bool again, bool *done, bool *broken)
{
    napcoll_call_t *call = b->call;
    napcoll_personalized_t *personalized = &b->operation->personalized;
    const bool agree = mca_coll_napcoll_must_agree(b->napcoll, call);
    int rc;

    *broken = false;
    *done = true;
    if (!agree) {
        rc = mca_coll_napcoll_decide(b);
        if (OMPI_SUCCESS != rc || NULL == b->plan) {
            *done = OMPI_SUCCESS != rc;
            return rc;
        }
    }
    rc = fill_blocks(b->napcoll, call->coll, b->binding, personalized);
    personalized->said = 0;
    if (OMPI_SUCCESS == rc && agree) {
        rc = mca_coll_napcoll_agree_and_decide(b, again);
        *done = OMPI_SUCCESS != rc || NULL != b->plan;
    }
    if (OMPI_SUCCESS != rc || !*done) {
        return rc;
    }
    rc = run_plan(b);
    if ((OMPI_SUCCESS == rc || MPI_ERR_TRUNCATE == rc) && NAPCOLL_SIZES_TRUSTED == b->sizes) {
        *broken = 0 != (personalized->said & NAPCOLL_SAID_BREAK);
        napcoll_trust_hear(&b->napcoll->agreed[call->coll].trust,
                           0 != (personalized->said & NAPCOLL_SAID_DOUBT), *broken);
    }
    return rc;
}

int mca_coll_napcoll_run_blocks(mca_coll_napcoll_module_t *napcoll, napcoll_call_t *call,
                                const napcoll_binding_t *binding,
                                mca_coll_napcoll_call_stats_t *stats, bool *done)
{
    mca_coll_napcoll_blocks_t b = {
        .napcoll = napcoll, .binding = binding, .stats = stats, .call = call};
    bool broken;
    int rc = mca_coll_napcoll_find_nodes(napcoll, done);

    if (OMPI_SUCCESS != rc || !*done) {
        return rc;
    }
    rc = mca_coll_napcoll_set_unsized(napcoll, call);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    b.operation = mca_coll_napcoll_take_operation(napcoll);
    if (NULL == b.operation) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = run_once(&b, false, done, &broken);
    if (broken) {
        mca_coll_napcoll_uncount(napcoll, b.entry, call);
        rc = run_once(&b, true, done, &broken);
    }
    mca_coll_napcoll_give_operation(napcoll, b.operation);
    return rc;
}
