/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The way of calls whose plans are in the layout of personalized blocks (see the header):
 *
 *     decision and plan -> the user's blocks -> engine, where ranks need not agree on sizes
 *     the user's blocks -> agree -> decision and plan -> engine, where they must
 *
 * where ranks rely on what they agreed on before, once more from the blocks on if the engine has heard that it does not
 * hold; of a gather what is larger goes straight after the others.
 */

#include "coll_napcoll_blocks.h"

#include "algo/gather/gather.h"

/* The block for, or from, a rank; extent is that of the side's datatype, if all blocks have the same. */
static inline void fill_block(const mca_coll_napcoll_side_t *side, ptrdiff_t extent, int rank,
                              napcoll_block_t *block)
{
    ptrdiff_t at = 0;

    block->count = NULL == side->counts ? side->count : napcoll_compat_count(*side->counts, rank);
    block->type = NULL == side->types ? side->type : side->types[rank];
    if (NULL != side->types) {
        at = napcoll_compat_displ(*side->displs, rank);
    } else if (!side->single) {
        at = NULL == side->displs ? (ptrdiff_t) ((size_t) rank * side->count)
                                  : napcoll_compat_displ(*side->displs, rank);
        at *= extent;
    }
    block->at = napcoll_offset(side->buffer, at);
}

/* The blocks of a side: that of the rank at a place of the node order first, then those of the ranks behind it, or,
 * where turn is -1, before it. */
static void fill_side(const mca_coll_napcoll_side_t *side, const napcoll_node_map_t *map, int place,
                      int turn, napcoll_block_t *block, int blocks)
{
    ptrdiff_t lb, extent = 0;

    if (blocks > 0 && NULL == side->types) { /* else its type need not be one */
        ompi_datatype_get_extent(side->type, &lb, &extent);
    }
    for (int i = 0; i < blocks; i++) {
        fill_block(side, extent, napcoll_node_map_at(map, place), &block[i]);
        place += turn;
        place = place == map->size ? 0 : place < 0 ? map->size - 1 : place;
    }
}

/* Whether the user gives one buffer for both sides, so that what comes may overwrite what is sent.
 * A rooted call whose root's own block is at its place is only in place. */
static bool is_one_buffer(const mca_coll_napcoll_exchange_t *exchange,
                          const napcoll_personalized_t *personalized)
{
    const mca_coll_napcoll_side_t *send = exchange->send, *recv = exchange->recv;
    const napcoll_goal_t goal = mca_coll_napcoll_collectives[exchange->call.coll]->goal;

    if (OPAL_LIKELY(NULL == send || NULL == recv || send == recv || send->buffer != recv->buffer)
        || NULL == send->buffer) {
        return false;
    }
    return !napcoll_goal_is_rooted(goal)
           || napcoll_personalized_block(personalized, NAPCOLL_BUFFER_SEND, 0)->at
                  != napcoll_personalized_block(personalized, NAPCOLL_BUFFER_RECV, 0)->at;
}

/* The blocks of a call, in the order of the layout. */
static int fill_blocks(const mca_coll_napcoll_module_t *napcoll,
                       mca_coll_napcoll_exchange_t *exchange, napcoll_personalized_t *personalized)
{
    const napcoll_node_map_t *map = napcoll->map;
    const napcoll_goal_t goal = mca_coll_napcoll_collectives[exchange->call.coll]->goal;
    const int rank = ompi_comm_rank(napcoll->comm), root = exchange->call.root;
    const int size = map->size, place = napcoll_node_map_place(map, rank);
    napcoll_block_range_t held[NAPCOLL_BUFFER_TEMP];
    int rc;

    napcoll_goal_buffers(goal, NAPCOLL_LAYOUT_PERSONALIZED, size,
                         napcoll_goal_place(goal, map, root, rank),
                         napcoll_goal_takes(goal, root, rank), held);
    rc = napcoll_personalized_hold(personalized, held);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    fill_side(exchange->recv, map, (place + held[NAPCOLL_BUFFER_RECV].first) % size, 1,
              personalized->block[NAPCOLL_BUFFER_RECV], held[NAPCOLL_BUFFER_RECV].count);
    if (NULL != exchange->send) {
        fill_side(exchange->send, map, (place + size - held[NAPCOLL_BUFFER_SEND].first) % size, -1,
                  personalized->block[NAPCOLL_BUFFER_SEND], held[NAPCOLL_BUFFER_SEND].count);
    }
    personalized->in_place = NULL == exchange->send && held[NAPCOLL_BUFFER_SEND].count > 0;
    napcoll_personalized_measure(personalized);
    return is_one_buffer(exchange, personalized)
               ? napcoll_personalized_keep_sent(personalized, &exchange->kept)
               : OMPI_SUCCESS;
}

/* Whether auto does without sizes, because ranks would have to agree on them and that would not pay. */
static int goes_unsized(mca_coll_napcoll_module_t *napcoll,
                        const mca_coll_napcoll_exchange_t *exchange, bool *unsized)
{
    const napcoll_coll_t coll = exchange->call.coll;
    const napcoll_agreement_t *agreement = NULL;
    const bool by_auto = exchange->uneven && 0 == exchange->told_bytes
                         && NAPCOLL_FORCE_AUTO == mca_coll_napcoll_force_any_size(napcoll, coll)
                         && napcoll->map->nodes > 1;
    const bool straight = mca_coll_napcoll_collectives[coll]->straight;
    int rc = OMPI_SUCCESS;

    if (by_auto && !straight) {
        rc = mca_coll_napcoll_agreement(napcoll, coll, &agreement);
    }
    *unsized = by_auto && (straight || (NULL != agreement && !agreement->pays));
    return rc;
}

/* Whether ranks must agree on sizes: for auto, unless it does without, for rules that depend on them, for a bound on what
 * is in transit, and for the pieces into which blocks are cut. */
static bool must_agree(mca_coll_napcoll_module_t *napcoll,
                       const mca_coll_napcoll_exchange_t *exchange)
{
    const napcoll_coll_t coll = exchange->call.coll;
    const int force = mca_coll_napcoll_force_any_size(napcoll, coll);
    const bool leaves = NAPCOLL_FORCE_FALLBACK == force
                        || (NAPCOLL_FORCE_AUTO == force && napcoll->map->nodes < 2);
    const int row = force - NAPCOLL_FORCE_FIRST;
    const napcoll_algorithm_t *algorithm = mca_coll_napcoll_collectives[coll]->algorithm;

    return !leaves && !exchange->call.unsized && 0 == exchange->told_bytes
           && (row < 0 || algorithm[row].cut
               || (mca_coll_napcoll_component.transit_bytes > 0 && algorithm[row].detours));
}

/* What the sizes of a call rest on. */
typedef enum {
    BASIS_KNOWN,   /* all ranks know them, or need none */
    BASIS_AGREED,  /* they have agreed on them in this call */
    BASIS_TRUSTED, /* they were so when they last agreed; messages say where they are not any more */
    BASIS_SPARED, /* as before, but none says so: of a gather, whose larger blocks are left out and go straight */
} basis_t;

/* Rely on the sizes on which ranks agreed last. */
static void rely(const mca_coll_napcoll_agreed_t *last, napcoll_call_t *call)
{
    const int root = call->root;

    *call = last->call;
    call->root = root;
}

/* What ranks agree on, as far as this one knows it: the bytes that it sends, in how many blocks, and the largest of these;
 * of a scatter without the root's own. */
typedef struct {
    size_t bytes;
    int blocks;
    size_t largest;
} share_t;

static share_t share_of(const napcoll_personalized_t *personalized, napcoll_coll_t coll)
{
    const int first = napcoll_goal_is_rooted(mca_coll_napcoll_collectives[coll]->goal) ? 1 : 0;
    const int blocks = personalized->range[NAPCOLL_BUFFER_SEND].count - first;
    share_t share = {.blocks = blocks > 0 ? blocks : 0};

    napcoll_personalized_sum(personalized, NAPCOLL_BUFFER_SEND, first, &share.bytes,
                             &share.largest);
    return share;
}

/* What this process has to say of its blocks, where ranks rely on the sizes on which they agreed last. Rules are to
 * decide by the very mean that they name: where they do, they are asked again once it is another. */
static uint64_t judge(mca_coll_napcoll_module_t *napcoll, const mca_coll_napcoll_agreed_t *last,
                      const napcoll_personalized_t *personalized)
{
    const napcoll_coll_t coll = last->call.coll;
    const bool by_rules = NAPCOLL_FORCE_BY_SIZE == mca_coll_napcoll_force_any_size(napcoll, coll);
    const share_t now = share_of(personalized, coll);

    if (0 == now.blocks) {
        return 0;
    }
    if (now.largest > last->call.largest) {
        return NAPCOLL_SAID_BREAK;
    }
    return (by_rules && now.bytes != last->sent)
                   || napcoll_trust_doubts(last->sent, now.bytes, now.blocks)
               ? NAPCOLL_SAID_DOUBT
               : 0;
}

/* Whether ranks do without agreeing in this call, because an earlier one has shown that they need no sizes; counts it.
 * Waiting for the slowest rank, or for the root, before any has sent something mostly costs more than one more call by what
 * was decided for that one, by auto or by rules. */
static bool is_spared(mca_coll_napcoll_module_t *napcoll, const napcoll_call_t *call)
{
    const int force = mca_coll_napcoll_force_any_size(napcoll, call->coll);
    mca_coll_napcoll_agreed_t *last = &napcoll->agreed[call->coll];
    const bool suits = last->leaves_out
                           ? call->root == last->call.root
                           : NAPCOLL_FORCE_AUTO == force || NAPCOLL_FORCE_BY_SIZE == force;

    return suits && napcoll_patience_spares(&last->patience);
}

/* Have the sizes by which an uneven call is decided on which ranks must agree, the same on all of them. Without agreeing
 * they are those of the last call in which they did: where that spares this one, and where messages tell whether they hold,
 * which of a scatter are its root's. What is sent in place is overwritten, and could not be sent again. */
static int know_sizes(mca_coll_napcoll_module_t *napcoll, mca_coll_napcoll_exchange_t *exchange,
                      bool anew, basis_t *basis)
{
    napcoll_call_t *call = &exchange->call;
    mca_coll_napcoll_agreed_t *last = &napcoll->agreed[call->coll];
    napcoll_personalized_t *personalized = napcoll->engine.personalized;

    *basis = BASIS_KNOWN;
    if (!anew && is_spared(napcoll, call)) {
        rely(last, call);
        *basis = last->leaves_out ? BASIS_SPARED : BASIS_KNOWN;
        return OMPI_SUCCESS;
    }
    if (!anew && last->trust.holds && call->root == last->call.root && !personalized->in_place) {
        rely(last, call);
        personalized->said = judge(napcoll, last, personalized);
        *basis = BASIS_TRUSTED;
        return OMPI_SUCCESS;
    }
    *basis = BASIS_AGREED;
    return exchange->agree(napcoll, personalized, call);
}

/* Whether ranks have agreed that blocks had better go straight, whatever their sizes. */
static inline bool goes_straight(const napcoll_call_t *call)
{
    return call->unsized || call->sparse;
}

static void forget_sizes(napcoll_call_t *call)
{
    call->bytes = call->largest = 0;
    call->bounded = false;
}

/* The next calls go straight, without agreeing: what ranks have agreed on says so, or holds too
 * shortly. */
static void back_off(mca_coll_napcoll_agreed_t *last, const napcoll_call_t *call)
{
    last->call = *call;
    last->call.unsized = !call->sparse;
    forget_sizes(&last->call);
    last->leaves_out = false;
    last->trust.holds = false;
    napcoll_patience_back_off(&last->patience);
}

/* Keep what ranks have agreed on, and see how long they can do with it; before the call is run.
 * `mean` is that of the sizes; `broken`: those before did not hold. One leap may be a change for good:
 * only after two in a row calls go straight for a while. */
static void learn(mca_coll_napcoll_module_t *napcoll, const napcoll_call_t *call, size_t mean,
                  bool broken, bool by_napcoll)
{
    mca_coll_napcoll_agreed_t *last = &napcoll->agreed[call->coll];
    const bool leaps = last->known && (broken || napcoll_patience_leaps(last->mean, mean));
    const bool gather = NAPCOLL_GOAL_GATHER == mca_coll_napcoll_collectives[call->coll]->goal;
    const bool along = mca_coll_napcoll_component.trust
                       && mca_coll_napcoll_went_along(napcoll, call->coll, by_napcoll);

    const bool again = leaps && last->leapt;

    last->known = true;
    last->leapt = leaps;
    last->mean = mean;
    if (goes_straight(call)
        || (again && NAPCOLL_FORCE_AUTO == mca_coll_napcoll_force_any_size(napcoll, call->coll))) {
        back_off(last, call);
        return;
    }
    last->leaves_out = gather && along;
    napcoll_patience_learn(&last->patience,
                           last->leaves_out
                               || mca_coll_napcoll_went_straight(napcoll, call->coll, by_napcoll),
                           !napcoll_trust_doubts(last->call.bytes, call->bytes, 1));
    last->call = *call;
    napcoll_trust_learn(&last->trust, along && !gather);
    if (last->trust.holds) {
        last->sent = share_of(napcoll->engine.personalized, call->coll).bytes;
    }
}

/* Decide on a call whose sizes ranks know, or that goes without, before any block is looked at: it may be the previous
 * function's. */
static int decide(mca_coll_napcoll_module_t *napcoll, mca_coll_napcoll_exchange_t *exchange,
                  const napcoll_plan_t **plan)
{
    napcoll_call_t *call = &exchange->call;

    if (exchange->uneven) {
        call->bytes = exchange->told_bytes;
    } else {
        call->largest = call->bytes;
    }
    return mca_coll_napcoll_plan_for(napcoll, call, plan);
}

/* Agree on sizes, or rely on those on which ranks agreed before, and decide by them. */
static int agree_and_decide(mca_coll_napcoll_module_t *napcoll,
                            mca_coll_napcoll_exchange_t *exchange, bool anew, basis_t *basis,
                            const napcoll_plan_t **plan)
{
    napcoll_call_t *call = &exchange->call;
    int rc = know_sizes(napcoll, exchange, anew, basis);
    const size_t mean = call->bytes;

    if (OMPI_SUCCESS == rc && BASIS_AGREED == *basis && goes_straight(call)) {
        forget_sizes(call);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_plan_for(napcoll, call, plan);
    }
    if (OMPI_SUCCESS == rc && BASIS_AGREED == *basis) {
        learn(napcoll, call, mean, anew, NULL != *plan);
    }
    return rc;
}

/* Run what a gather has left out, straight: its rank and the root know which blocks are larger than what all rely on. */
static int run_left_out(mca_coll_napcoll_module_t *napcoll, mca_coll_napcoll_exchange_t *exchange,
                        bool doubtful)
{
    const napcoll_call_t *call = &exchange->call;
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[call->coll];
    const napcoll_plan_args_t request = {.collective = collective,
                                         .algorithm = &collective->algorithm[NAPCOLL_GATHER_LINEAR],
                                         .map = napcoll->map,
                                         .rank = ompi_comm_rank(napcoll->comm),
                                         .params = {.root = call->root}};
    napcoll_personalized_t *personalized = napcoll->engine.personalized;
    napcoll_plan_t *plan = napcoll_gather_linear(&request);
    int rc = NULL == plan ? OMPI_ERR_OUT_OF_RESOURCE
                          : napcoll_engine_prepare(&napcoll->engine, plan);

    if (OMPI_SUCCESS == rc) {
        rc = fill_blocks(napcoll, exchange, personalized);
    }
    if (OMPI_SUCCESS == rc) {
        (void) napcoll_personalized_leave_out(personalized, call->largest, false);
        personalized->doubtful = doubtful;
        rc = napcoll_engine_run_personalized(&napcoll->engine, plan, napcoll->comm, exchange->tag);
    }
    napcoll_plan_free(plan);
    return rc;
}

/* Whether a rank of a gather has a block that is larger than the root has announced, in a plan whose
 * messages have no room for it: it is an error, and the block is left out. */
static bool exceeds(const mca_coll_napcoll_exchange_t *exchange, const napcoll_plan_t *plan,
                    napcoll_personalized_t *personalized)
{
    size_t bytes, largest;

    napcoll_personalized_sum(personalized, NAPCOLL_BUFFER_SEND, 0, &bytes, &largest);
    if (OPAL_LIKELY(largest <= exchange->call.largest) || NULL != exchange->recv) {
        return false;
    }
    for (int i = 0; i < plan->steps; i++) {
        if (plan->step[i].headed) {
            return napcoll_personalized_leave_out(personalized, exchange->call.largest, true) > 0;
        }
    }
    return false;
}

/* Run a plan; where a block did not fit what its receiver says, the others have come all the same. */
static int run_plan(mca_coll_napcoll_module_t *napcoll, mca_coll_napcoll_exchange_t *exchange,
                    basis_t basis, const napcoll_plan_t *plan)
{
    napcoll_personalized_t *personalized = napcoll->engine.personalized;
    const napcoll_call_t *call = &exchange->call;
    const bool gather = exchange->uneven
                        && NAPCOLL_GOAL_GATHER == mca_coll_napcoll_collectives[call->coll]->goal;
    const int left = BASIS_SPARED == basis
                         ? napcoll_personalized_leave_out(personalized, call->largest, true)
                         : 0;
    const bool wrong = gather && BASIS_AGREED == basis && exceeds(exchange, plan, personalized);
    int rc, rest = wrong ? MPI_ERR_TRUNCATE : OMPI_SUCCESS;

    personalized->doubtful = false;
    personalized->complete = gather;
    personalized->even = !exchange->uneven;
    personalized->bytes = call->bytes;
    personalized->largest = call->largest;
    rc = napcoll_engine_run_personalized(&napcoll->engine, plan, napcoll->comm, exchange->tag);
    if (left > 0 && (OMPI_SUCCESS == rc || MPI_ERR_TRUNCATE == rc)) {
        rest = run_left_out(napcoll, exchange, OMPI_SUCCESS != rc);
    }
    return OMPI_SUCCESS == rc ? rest : rc;
}

/* Run a call by the sizes that ranks know, or agree on, which they do where `anew`. *broken: what they relied on holds no
 * longer, blocks have been left behind, and it is to be run anew; the same on all ranks. */
static int run(mca_coll_napcoll_module_t *napcoll, mca_coll_napcoll_exchange_t *exchange, bool anew,
               bool *done, bool *broken)
{
    napcoll_call_t *call = &exchange->call;
    const bool agree = exchange->uneven && must_agree(napcoll, exchange);
    const napcoll_plan_t *plan = NULL;
    napcoll_personalized_t *personalized;
    basis_t basis = BASIS_KNOWN;
    int rc = OMPI_SUCCESS;

    *broken = false;
    *done = true;
    if (!agree) {
        rc = decide(napcoll, exchange, &plan);
        *done = OMPI_SUCCESS != rc || NULL != plan;
    }
    if (OMPI_SUCCESS != rc || !*done) {
        return rc;
    }
    personalized = napcoll_engine_personalized(&napcoll->engine);
    rc = NULL == personalized ? OMPI_ERR_OUT_OF_RESOURCE
                              : fill_blocks(napcoll, exchange, personalized);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    personalized->said = 0;
    if (agree) {
        rc = agree_and_decide(napcoll, exchange, anew, &basis, &plan);
        *done = OMPI_SUCCESS != rc || NULL != plan;
    }
    if (OMPI_SUCCESS != rc || !*done) {
        return rc;
    }
    rc = run_plan(napcoll, exchange, basis, plan);
    if ((OMPI_SUCCESS == rc || MPI_ERR_TRUNCATE == rc) && BASIS_TRUSTED == basis) {
        *broken = 0 != (personalized->said & NAPCOLL_SAID_BREAK);
        napcoll_trust_hear(&napcoll->agreed[call->coll].trust,
                           0 != (personalized->said & NAPCOLL_SAID_DOUBT), *broken);
    }
    return rc;
}

int mca_coll_napcoll_run_exchange(mca_coll_napcoll_module_t *napcoll,
                                  mca_coll_napcoll_exchange_t *exchange, bool *done)
{
    bool broken;
    int rc = mca_coll_napcoll_know_nodes(napcoll, done);

    if (OMPI_SUCCESS != rc || !*done) {
        return rc;
    }
    if (NAPCOLL_COMPAT_HETEROGENEOUS) {
        *done = false; /* bytes are packed */
        return OMPI_SUCCESS;
    }
    rc = goes_unsized(napcoll, exchange, &exchange->call.unsized);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = run(napcoll, exchange, false, done, &broken);
    if (broken) {
        mca_coll_napcoll_take_back(napcoll, &exchange->call);
        rc = run(napcoll, exchange, true, done, &broken);
    }
    napcoll_buffer_give(&exchange->kept);
    return rc;
}
