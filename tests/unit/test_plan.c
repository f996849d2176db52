/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans: the builder, the printer, and packing.
 */

#include "cmocka_setup.h"

#include "plan/napcoll_plan_print.h"
#include "plan/napcoll_builder.h"

static const napcoll_span_t sendbuf = {.buffer = NAPCOLL_BUFFER_SEND, .count = 1};
static const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};

static void builder_posts_receives_before_sends_before_work(void **state)
{
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", 0, 1);
    napcoll_span_t t = napcoll_builder_temp(b, 0, 1);
    napcoll_plan_t *plan;

    (void) state;
    napcoll_builder_reduce(b, t, sendbuf, t);
    napcoll_builder_send(b, sendbuf, 1);
    napcoll_builder_recv(b, t, 1);
    napcoll_builder_next_stage(b);
    napcoll_builder_next_stage(b);
    napcoll_builder_copy(b, recvbuf, t);
    plan = napcoll_builder_finish(b);
    assert_non_null(plan);
    assert_int_equal(plan->stages, 2);
    assert_int_equal(plan->max_messages, 2);
    assert_int_equal(plan->stage[0].messages, 2);
    assert_int_equal(plan->stage[0].work, 1);
    assert_int_equal(plan->step[0].kind, NAPCOLL_STEP_RECV);
    assert_int_equal(plan->step[1].kind, NAPCOLL_STEP_SEND);
    assert_int_equal(plan->step[2].kind, NAPCOLL_STEP_REDUCE);
    assert_int_equal(plan->stage[1].first, 3);
    napcoll_plan_free(plan);
}

static void builder_reuses_released_temporaries_from_the_next_stage_on(void **state)
{
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", 0, 1);
    napcoll_span_t first = napcoll_builder_temp(b, 0, 1), second, third, fourth;
    napcoll_plan_t *plan;

    (void) state;
    napcoll_builder_recv(b, first, 1);
    napcoll_builder_release(b, first);
    napcoll_builder_release(b, first);
    napcoll_builder_release(b, recvbuf);
    second = napcoll_builder_temp(b, 0, 1);
    assert_int_not_equal(second.buffer, first.buffer);
    napcoll_builder_next_stage(b);
    third = napcoll_builder_temp(b, 0, 1);
    assert_int_equal(third.buffer, first.buffer);
    fourth = napcoll_builder_rows(b, 3, 0, 1);
    assert_int_equal(fourth.buffer, NAPCOLL_BUFFER_TEMP + 2);
    plan = napcoll_builder_finish(b);
    assert_non_null(plan);
    assert_int_equal(plan->temps, 5);
    napcoll_plan_free(plan);
}

static void builder_uses_a_lent_receive_buffer_first(void **state)
{
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", 0, 2);
    napcoll_span_t span;
    napcoll_plan_t *plan;

    (void) state;
    napcoll_builder_lend_recvbuf(b);
    span = napcoll_builder_temp(b, 0, 1);
    assert_int_equal(span.buffer, NAPCOLL_BUFFER_TEMP);
    span = napcoll_builder_temp(b, 0, 2);
    assert_int_equal(span.buffer, NAPCOLL_BUFFER_RECV);
    napcoll_builder_copy(b, span, (napcoll_span_t){NAPCOLL_BUFFER_SEND, 0, 2});
    napcoll_builder_release(b, span);
    span = napcoll_builder_temp(b, 0, 2);
    assert_int_equal(span.buffer, NAPCOLL_BUFFER_TEMP + 1);
    napcoll_builder_next_stage(b);
    span = napcoll_builder_temp(b, 0, 2);
    assert_int_equal(span.buffer, NAPCOLL_BUFFER_RECV);
    plan = napcoll_builder_finish(b);
    assert_non_null(plan);
    napcoll_plan_free(plan);
}

static void temporaries_of_other_shapes_are_not_reused(void **state)
{
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", 0, 4);
    napcoll_span_t half = napcoll_builder_temp(b, 0, 2), other;
    napcoll_plan_t *plan;

    (void) state;
    napcoll_builder_release(b, half);
    napcoll_builder_next_stage(b);
    other = napcoll_builder_temp(b, 2, 2);
    assert_int_not_equal(other.buffer, half.buffer);
    plan = napcoll_builder_finish(b);
    assert_non_null(plan);
    assert_int_equal(plan->temp[1].first, 2);
    napcoll_plan_free(plan);
}

static void temporaries_that_no_step_names_have_no_blocks(void **state)
{
    napcoll_builder_t *b = napcoll_builder_new("reduce_scatter", "test", 0, 4);
    napcoll_span_t unnamed = napcoll_builder_temp(b, 0, 4), named = napcoll_builder_temp(b, 1, 2);
    napcoll_span_t listed = napcoll_builder_temp(b, 2, 2), rows = napcoll_builder_rows(b, 2, 0, 3);
    napcoll_span_t list = napcoll_builder_list(b), one = {.buffer = named.buffer, 2, 1};
    napcoll_plan_t *plan;

    (void) state;
    napcoll_builder_list_add(b, &list, one);
    napcoll_builder_list_add(b, &list, listed);
    napcoll_builder_send_blocks(b, napcoll_builder_list_end(b, list), 1, false);
    napcoll_builder_phase(b, NAPCOLL_SCOPE_NODE, NAPCOLL_PHASE_ALLGATHER, 0, rows, sendbuf);
    plan = napcoll_builder_finish(b);
    assert_non_null(plan);
    assert_int_equal(plan->temps, 5);
    assert_int_equal(plan->temp[unnamed.buffer - NAPCOLL_BUFFER_TEMP].count, 0);
    assert_int_equal(plan->temp[named.buffer - NAPCOLL_BUFFER_TEMP].count, 2);
    assert_int_equal(plan->temp[listed.buffer - NAPCOLL_BUFFER_TEMP].count, 2);
    assert_int_equal(plan->temp[rows.buffer - NAPCOLL_BUFFER_TEMP].count, 3);
    assert_int_equal(plan->temp[rows.buffer + 1 - NAPCOLL_BUFFER_TEMP].count, 3);
    napcoll_plan_free(plan);
}

static void builder_that_failed_returns_no_plan(void **state)
{
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", 0, 1);

    (void) state;
    napcoll_builder_copy(b, recvbuf, sendbuf);
    napcoll_builder_fail(b);
    napcoll_builder_copy(b, recvbuf, sendbuf);
    assert_null(napcoll_builder_finish(b));
    napcoll_builder_discard(NULL);
}

/* Receive blocks, and in the same stage dst = left op right. */
static napcoll_builder_t *receive_and_reduce(napcoll_span_t blocks, napcoll_span_t dst,
                                             napcoll_span_t left, napcoll_span_t right)
{
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", 0, 2);

    (void) napcoll_builder_rows(b, 2, 0, 2);
    napcoll_builder_recv(b, blocks, 1);
    napcoll_builder_reduce(b, dst, left, right);
    napcoll_builder_next_stage(b);
    return b;
}

/* Whether the first message of a plan is read once; frees the builder. */
static bool is_read_once(napcoll_builder_t *b)
{
    napcoll_plan_t *plan = napcoll_builder_finish(b);
    bool is;

    assert_non_null(plan);
    napcoll_plan_mark_read_once(plan);
    is = plan->step[0].read_once;
    napcoll_plan_free(plan);
    return is;
}

static void one_reduction_reads_a_message_once(void **state)
{
    const napcoll_span_t send = {NAPCOLL_BUFFER_SEND, 0, 2}, recv = {NAPCOLL_BUFFER_RECV, 0, 2};
    const napcoll_span_t t = {NAPCOLL_BUFFER_TEMP, 0, 2}, u = {NAPCOLL_BUFFER_TEMP + 1, 0, 2};
    const napcoll_span_t half = {NAPCOLL_BUFFER_TEMP, 1, 1};
    napcoll_builder_t *b;

    (void) state;
    /* either operand; the result takes its place, or stands elsewhere */
    assert_true(is_read_once(receive_and_reduce(t, t, send, t)));
    assert_true(is_read_once(receive_and_reduce(t, recv, t, send)));
    assert_true(is_read_once(receive_and_reduce(recv, recv, send, recv)));
    /* the user would read it */
    assert_false(is_read_once(receive_and_reduce(recv, t, recv, send)));
    /* another operand, a part, both operands */
    assert_false(is_read_once(receive_and_reduce(t, recv, send, u)));
    assert_false(
        is_read_once(receive_and_reduce(t, recv, (napcoll_span_t){recv.buffer, 1, 1}, half)));
    assert_false(is_read_once(receive_and_reduce(t, recv, t, t)));
    /* it is sent on, or copied, also in part */
    b = receive_and_reduce(t, recv, t, send);
    napcoll_builder_send(b, half, 1);
    assert_false(is_read_once(b));
    b = receive_and_reduce(t, recv, t, send);
    napcoll_builder_copy(b, u, t);
    assert_false(is_read_once(b));
    b = receive_and_reduce(t, recv, t, send);
    napcoll_builder_phase(b, NAPCOLL_SCOPE_NODE, NAPCOLL_PHASE_BCAST, 0, t, t);
    assert_false(is_read_once(b));
    /* after it was overwritten, wholly or in part */
    b = receive_and_reduce(t, recv, t, send);
    napcoll_builder_recv(b, t, 1);
    napcoll_builder_next_stage(b);
    napcoll_builder_copy(b, u, t);
    assert_true(is_read_once(b));
    b = receive_and_reduce(t, recv, t, send);
    napcoll_builder_recv(b, half, 1);
    napcoll_builder_next_stage(b);
    napcoll_builder_copy(b, u, t);
    assert_false(is_read_once(b));
}

static void printer_names_every_step(void **state)
{
    static const char expected[] = "allreduce test, rank 3: 2 blocks, 1 temporary, 3 stages\n"
                                   "  stage 0\n"
                                   "    recv   temp0[1..1] <- rank 7\n"
                                   "    send   sendbuf[0..1] -> rank 7\n"
                                   "    reduce temp0[1..1] = sendbuf[1..1] op temp0[1..1]\n"
                                   "    copy   recvbuf[1..1] = temp0[1..1]\n"
                                   "  stage 1\n"
                                   "    phase  bcast on the node, root lane 0: recvbuf[0..1] = "
                                   "recvbuf[0..1]\n"
                                   "  stage 2\n"
                                   "    phase  reduce among leaders, root node 4: temp0[1..1] = "
                                   "temp0[1..1]\n";
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", 3, 2);
    napcoll_span_t t = napcoll_builder_temp(b, 1, 1), both = {NAPCOLL_BUFFER_RECV, 0, 2};
    char text[1024] = "";
    napcoll_plan_t *plan;
    FILE *out = fmemopen(text, sizeof(text), "w");

    (void) state;
    napcoll_builder_recv(b, t, 7);
    napcoll_builder_send(b, (napcoll_span_t){NAPCOLL_BUFFER_SEND, 0, 2}, 7);
    napcoll_builder_reduce(b, t, (napcoll_span_t){NAPCOLL_BUFFER_SEND, 1, 1}, t);
    napcoll_builder_copy(b, (napcoll_span_t){NAPCOLL_BUFFER_RECV, 1, 1}, t);
    napcoll_builder_next_stage(b);
    napcoll_builder_phase(b, NAPCOLL_SCOPE_NODE, NAPCOLL_PHASE_BCAST, 0, both, both);
    napcoll_builder_phase(b, NAPCOLL_SCOPE_LEADERS, NAPCOLL_PHASE_REDUCE, 4, t, t);
    plan = napcoll_builder_finish(b);
    assert_non_null(plan);
    assert_non_null(out);
    assert_int_equal(napcoll_plan_print(plan, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    napcoll_plan_free(plan);
}

static napcoll_plan_t *plan_of_three_stages(void)
{
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", 5, 2);
    const napcoll_span_t both = {.buffer = NAPCOLL_BUFFER_SEND, .count = 2};
    const napcoll_span_t result = {.buffer = NAPCOLL_BUFFER_RECV, .count = 2};
    napcoll_span_t t = napcoll_builder_temp(b, 0, 2), half = napcoll_builder_temp(b, 1, 1);

    napcoll_builder_recv(b, t, 3);
    napcoll_builder_recv(b, half, 4);
    napcoll_builder_send(b, both, 3);
    napcoll_builder_reduce(b, t, both, t);
    napcoll_builder_phase(b, NAPCOLL_SCOPE_LEADERS, NAPCOLL_PHASE_ALLREDUCE, 1, result, t);
    napcoll_builder_copy(b, (napcoll_span_t){NAPCOLL_BUFFER_RECV, 1, 1}, half);
    return napcoll_builder_finish(b);
}

static void packed_plans_unpack_as_they_were(void **state)
{
    napcoll_plan_t *plan = plan_of_three_stages(), *again;
    int32_t numbers[256], repacked[256];
    size_t count;

    (void) state;
    assert_non_null(plan);
    count = napcoll_plan_packed_count(plan);
    assert_true(count <= sizeof(numbers) / sizeof(numbers[0]));
    napcoll_plan_pack(plan, numbers);
    again = napcoll_plan_unpack(numbers, count, plan->collective, plan->algorithm);
    assert_non_null(again);
    assert_int_equal(again->rank, 5);
    assert_int_equal(again->blocks, 2);
    assert_int_equal(again->max_messages, plan->max_messages);
    assert_int_equal(again->temps, plan->temps);
    assert_int_equal(again->stages, 3);
    assert_int_equal(again->steps, plan->steps);
    assert_int_equal(again->pieces, 1);
    assert_memory_equal(again->temp, plan->temp, (size_t) plan->temps * sizeof(*plan->temp));
    assert_memory_equal(again->stage, plan->stage, (size_t) plan->stages * sizeof(*plan->stage));
    /* steps have padding: their numbers are compared */
    for (int i = 0; i < plan->steps; i++) {
        assert_int_equal(again->step[i].kind, plan->step[i].kind);
        assert_int_equal(again->step[i].peer, plan->step[i].peer);
        assert_int_equal(again->step[i].phase, plan->step[i].phase);
        assert_int_equal(again->step[i].scope, plan->step[i].scope);
    }
    assert_int_equal(napcoll_plan_packed_count(again), count);
    napcoll_plan_pack(again, repacked);
    assert_memory_equal(repacked, numbers, count * sizeof(numbers[0]));
    napcoll_plan_free(again);
    napcoll_plan_free(plan);
}

static void other_numbers_do_not_unpack(void **state)
{
    napcoll_plan_t *plan = plan_of_three_stages();
    int32_t numbers[256];
    size_t count;

    (void) state;
    assert_non_null(plan);
    count = napcoll_plan_packed_count(plan);
    assert_true(count <= sizeof(numbers) / sizeof(numbers[0]));
    napcoll_plan_pack(plan, numbers);
    for (size_t less = 0; less < count; less++) {
        assert_null(napcoll_plan_unpack(numbers, less, "allreduce", "test"));
    }
    /* blocks, temporaries, stages, steps */
    for (int i = 1; i < 5; i++) {
        const int32_t whole = numbers[i];

        numbers[i] = -1;
        assert_null(napcoll_plan_unpack(numbers, count, "allreduce", "test"));
        numbers[i] = INT32_MAX;
        assert_true(1 == i || NULL == napcoll_plan_unpack(numbers, count, "allreduce", "test"));
        numbers[i] = whole;
    }
    napcoll_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builder_posts_receives_before_sends_before_work),
        cmocka_unit_test(builder_reuses_released_temporaries_from_the_next_stage_on),
        cmocka_unit_test(builder_uses_a_lent_receive_buffer_first),
        cmocka_unit_test(temporaries_of_other_shapes_are_not_reused),
        cmocka_unit_test(temporaries_that_no_step_names_have_no_blocks),
        cmocka_unit_test(builder_that_failed_returns_no_plan),
        cmocka_unit_test(one_reduction_reads_a_message_once),
        cmocka_unit_test(printer_names_every_step),
        cmocka_unit_test(packed_plans_unpack_as_they_were),
        cmocka_unit_test(other_numbers_do_not_unpack),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
