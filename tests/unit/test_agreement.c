/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether it pays to agree on the sizes of an uneven all-to-all, gather or scatter, and what is
 * done where not.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include <math.h>

#include "algo/napcoll_generators.h"
#include "select/napcoll_agreement.h"

static napcoll_agreement_t agreement_of(const napcoll_collective_t *collective,
                                        const napcoll_machine_t *machine, const char *ppn, int size)
{
    const napcoll_collective_t *by = napcoll_agreement_by(collective);
    napcoll_settings_t settings = napcoll_select_defaults(collective);
    napcoll_settings_t telling = napcoll_select_defaults(by);
    napcoll_node_map_t *map = placement(ppn, "block", size);
    napcoll_agreement_t agreement;

    settings.machine = telling.machine = machine;
    assert_int_equal(napcoll_agreement(collective, &settings, &telling, map, &agreement), 0);
    napcoll_node_map_free(map);
    return agreement;
}

static napcoll_agreement_t agreement_on(const napcoll_machine_t *machine, const char *ppn, int size)
{
    return agreement_of(&napcoll_alltoallv, machine, ppn, size);
}

static void many_ranks_agree_and_few_do_not(void **state)
{
    const napcoll_agreement_t few = agreement_on(&napcoll_machine_default, "4", 8);
    const napcoll_agreement_t many = agreement_on(&napcoll_machine_default, "8", 128);

    (void) state;
    assert_false(few.pays);
    assert_true(few.cost_us > few.direct_us / NAPCOLL_AGREEMENT_PART);
    assert_true(many.pays);
    assert_true(many.cost_us <= many.direct_us / NAPCOLL_AGREEMENT_PART);
    assert_true(many.cheapest_us + many.cost_us < many.direct_us);
}

/* Where messages cost nothing but their latency, blocks that go straight are the fastest. */
static void an_agreement_without_gain_does_not_pay(void **state)
{
    napcoll_machine_t machine = napcoll_machine_default;
    napcoll_agreement_t agreement;

    (void) state;
    machine.process_gap_us = machine.process_overhead_us = machine.node_gap_us = 0;
    agreement = agreement_on(&machine, "8", 128);
    assert_false(agreement.pays);
    assert_true(agreement.cheapest_us <= agreement.direct_us);
}

static void a_dear_message_makes_fewer_ranks_agree(void **state)
{
    napcoll_machine_t machine = napcoll_machine_default;

    (void) state;
    assert_false(agreement_on(&machine, "4", 8).pays);
    machine.process_gap_us = 20;
    machine.node_gap_us = 20;
    assert_true(agreement_on(&machine, "4", 8).pays);
}

/* The fallback component takes the allreduce of ranks that share no nodes. */
static void ranks_alone_on_their_nodes_estimate_doubling(void **state)
{
    const napcoll_agreement_t agreement = agreement_on(&napcoll_machine_default, "1", 512);

    (void) state;
    assert_true(agreement.cost_us > 0 && agreement.cost_us < INFINITY);
    assert_true(agreement.pays);
}

/* Where no rank can send directly, there is nothing to lose. */
static void very_many_ranks_agree(void **state)
{
    const napcoll_agreement_t agreement = agreement_on(&napcoll_machine_default, "16", 2048);

    (void) state;
    assert_true(isinf(agreement.direct_us));
    assert_true(agreement.pays);
}

/* The root's broadcast is cheaper than an allreduce; but blocks that come from all ranks to one
 * gain less, too. */
static void roots_announce_where_that_pays(void **state)
{
    static const napcoll_collective_t *const collectives[] = {&napcoll_gatherv, &napcoll_scatterv};

    (void) state;
    for (int c = 0; c < 2; c++) {
        const napcoll_agreement_t few = agreement_of(collectives[c], &napcoll_machine_default, "4",
                                                     8);
        const napcoll_agreement_t many = agreement_of(collectives[c], &napcoll_machine_default,
                                                      "16", 2048);

        assert_ptr_equal(napcoll_agreement_by(collectives[c]), &napcoll_bcast);
        assert_false(few.pays);
        assert_true(few.cost_us > few.direct_us / NAPCOLL_AGREEMENT_PART);
        assert_true(isinf(many.direct_us) && many.cheapest_us > 0 && many.cheapest_us < INFINITY);
        assert_true(many.pays);
    }
}

/* Steps of a millisecond, as an agreement takes: a seventh of what blocks take that go straight. */
static napcoll_machine_t far_machine(void)
{
    napcoll_machine_t machine = napcoll_machine_default;

    for (int protocol = 0; protocol < NAPCOLL_PROTOCOLS; protocol++) {
        machine.link[NAPCOLL_LEVEL_NETWORK][protocol].latency_us = 1000;
    }
    machine.process_gap_us = 60;
    machine.node_gap_us = 10;
    return machine;
}

/* Calls that go straight agree rarely, and it may take longer then. */
static void agreeing_may_take_longer_where_it_is_rare(void **state)
{
    napcoll_machine_t machine = far_machine();
    napcoll_agreement_t agreement = agreement_on(&machine, "8", 64);

    (void) state;
    assert_true(agreement.cost_us > agreement.direct_us / NAPCOLL_AGREEMENT_PART);
    assert_true(agreement.cost_us < agreement.direct_us - agreement.cheapest_us);
    assert_true(agreement.pays);
}

/* Straight calls spare more and more; another one ends that. */
static void large_blocks_are_believed_for_a_while(void **state)
{
    static const int spared[] = {1, 2, 4, 8, 8};
    napcoll_patience_t patience = {0};

    (void) state;
    for (size_t turn = 0; turn < sizeof(spared) / sizeof(*spared); turn++) {
        int calls = 0;

        assert_false(napcoll_patience_spares(&patience));
        napcoll_patience_learn(&patience, true, true);
        while (calls < spared[turn]) {
            assert_true(napcoll_patience_spares(&patience));
            calls++;
        }
    }
    assert_false(napcoll_patience_spares(&patience));
    napcoll_patience_learn(&patience, false, true);
    assert_false(napcoll_patience_spares(&patience));
    napcoll_patience_learn(&patience, true, true);
    assert_true(napcoll_patience_spares(&patience));
    assert_false(napcoll_patience_spares(&patience));
}

/* Other sizes may need another algorithm: ranks agree again soon. */
static void patience_begins_anew_with_other_sizes(void **state)
{
    napcoll_patience_t patience = {.turn = NAPCOLL_MOST_PATIENCE};

    (void) state;
    napcoll_patience_learn(&patience, true, false);
    assert_true(napcoll_patience_spares(&patience));
    assert_false(napcoll_patience_spares(&patience));
    napcoll_patience_learn(&patience, true, true);
    assert_true(napcoll_patience_spares(&patience));
    assert_true(napcoll_patience_spares(&patience));
    assert_false(napcoll_patience_spares(&patience));
}

/* Where agreeing turns out not to pay, calls go straight for longer each time, up to a bound. */
static void back_off_doubles(void **state)
{
    static const int spared[] = {16, 32, 64, 128, 256, 256};
    napcoll_patience_t patience = {0};

    (void) state;
    for (size_t turn = 0; turn < sizeof(spared) / sizeof(*spared); turn++) {
        napcoll_patience_back_off(&patience);
        assert_int_equal(patience.calls, spared[turn]);
        while (napcoll_patience_spares(&patience)) {
        }
    }
    for (int turn = 0; turn < 8; turn++) {
        napcoll_patience_learn(&patience, false, true);
        assert_int_equal(patience.calls, 0);
    }
    napcoll_patience_back_off(&patience);
    assert_int_equal(patience.calls, NAPCOLL_LEAST_BACK_OFF);
}

static void leaps_are_large(void **state)
{
    (void) state;
    assert_true(napcoll_patience_leaps(8, 32768));
    assert_true(napcoll_patience_leaps(32768, 8));
    assert_true(napcoll_patience_leaps(0, 1025));
    /* both small */
    assert_false(napcoll_patience_leaps(8, 1024));
    assert_false(napcoll_patience_leaps(32768, 8192));
    assert_false(napcoll_patience_leaps(5, 5));
}

static void few_blocks_are_found(void **state)
{
    (void) state;
    assert_true(napcoll_agreement_finds_few(0, 240, 16));
    /* a ring */
    assert_true(napcoll_agreement_finds_few(16, 240, 16));
    assert_true(napcoll_agreement_finds_few(32, 240, 16));
    assert_false(napcoll_agreement_finds_few(33, 240, 16));
    /* a third of them */
    assert_false(napcoll_agreement_finds_few(4, 12, 4));
    assert_true(napcoll_agreement_finds_few(1, 3, 1));
    assert_false(napcoll_agreement_finds_few(2, 3, 1));
    assert_true(napcoll_agreement_finds_few(8, 1023, 1));
    assert_false(napcoll_agreement_finds_few(9, 1023, 1));
}

/* MPI_Alltoallw goes to the fallback function, however much agreeing would gain. */
static void alltoallw_goes_to_the_fallback(void **state)
{
    napcoll_decision_t decision;

    (void) state;
    /* of MPI_Alltoallv */
    assert_true(agreement_on(&napcoll_machine_default, "8", 128).pays);
    assert_false(agreement_of(&napcoll_alltoallw, &napcoll_machine_default, "8", 128).pays);
    decision = napcoll_agreement_without();
    assert_int_equal(decision.algorithm, -1);
    assert_int_equal(decision.reason, NAPCOLL_REASON_SIZES);
    assert_int_equal(decision.most, SIZE_MAX);
}

/* Sizes are relied on once they are agreed upon, until a rank doubts. */
static void sizes_are_relied_on_until_a_rank_doubts(void **state)
{
    napcoll_trust_t trust = {0};

    (void) state;
    assert_false(trust.holds);
    /* by a plan whose messages do not tell */
    napcoll_trust_learn(&trust, false);
    assert_false(trust.holds);
    napcoll_trust_learn(&trust, true);
    for (int call = 0; call < 100; call++) {
        assert_true(trust.holds);
        napcoll_trust_hear(&trust, false, false);
    }
    napcoll_trust_hear(&trust, true, false);
    assert_false(trust.holds);
    napcoll_trust_learn(&trust, true);
    assert_true(trust.holds);
}

/* How many calls ranks agree in, the broken call included, before they rely on sizes again. */
static int agreed_after_break(napcoll_trust_t *trust)
{
    int calls = 0;

    napcoll_trust_hear(trust, false, true);
    while (!trust->holds && calls < 1000) {
        napcoll_trust_learn(trust, true);
        calls++;
    }
    return calls;
}

/* Ranks whose sizes break every other call soon agree in nearly all; sizes that hold end that. */
static void breaks_make_ranks_agree_more_often(void **state)
{
    static const int agreed[] = {2, 4, 8, 16, 32, 64, 65, 65};
    napcoll_trust_t trust = {0};

    (void) state;
    napcoll_trust_learn(&trust, true);
    for (size_t i = 0; i < sizeof(agreed) / sizeof(*agreed); i++) {
        assert_int_equal(agreed_after_break(&trust), agreed[i]);
    }
    for (int call = 0; call < NAPCOLL_MOST_CAUTION; call++) {
        napcoll_trust_hear(&trust, false, false);
    }
    assert_int_equal(agreed_after_break(&trust), agreed[0]);
}

static void a_rank_doubts_from_twice_or_half_on(void **state)
{
    const size_t most = SIZE_MAX;

    (void) state;
    assert_false(napcoll_trust_doubts(1000000, 1000000, 10));
    assert_false(napcoll_trust_doubts(1000000, 2000000, 10));
    assert_false(napcoll_trust_doubts(1000000, 500000, 10));
    assert_true(napcoll_trust_doubts(1000000, 2001000, 10));
    assert_true(napcoll_trust_doubts(1000000, 499000, 10));
    /* a few bytes are none */
    assert_false(napcoll_trust_doubts(0, 160, 10));
    assert_false(napcoll_trust_doubts(160, 0, 10));
    assert_true(napcoll_trust_doubts(0, 162, 10));
    assert_true(napcoll_trust_doubts(162, 0, 10));
    assert_false(napcoll_trust_doubts(most, most, 10));
    assert_true(napcoll_trust_doubts(most, 0, 10));
    assert_true(napcoll_trust_doubts(0, most, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_ranks_agree_and_few_do_not),
        cmocka_unit_test(an_agreement_without_gain_does_not_pay),
        cmocka_unit_test(a_dear_message_makes_fewer_ranks_agree),
        cmocka_unit_test(ranks_alone_on_their_nodes_estimate_doubling),
        cmocka_unit_test(very_many_ranks_agree),
        cmocka_unit_test(roots_announce_where_that_pays),
        cmocka_unit_test(agreeing_may_take_longer_where_it_is_rare),
        cmocka_unit_test(large_blocks_are_believed_for_a_while),
        cmocka_unit_test(patience_begins_anew_with_other_sizes),
        cmocka_unit_test(back_off_doubles),
        cmocka_unit_test(leaps_are_large),
        cmocka_unit_test(few_blocks_are_found),
        cmocka_unit_test(alltoallw_goes_to_the_fallback),
        cmocka_unit_test(sizes_are_relied_on_until_a_rank_doubts),
        cmocka_unit_test(breaks_make_ranks_agree_more_often),
        cmocka_unit_test(a_rank_doubts_from_twice_or_half_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
