/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans: the arithmetic that builders share, what freezing lays out and what it refuses. And faults
 * that are planted in plans of real algorithms, which the simulator must find: a test of the tests.
 */
#include "simulator.h"

#include <stdlib.h>
#include <string.h>

/* ---- arithmetic ---- */

/* Parts follow each other without gaps, cover all, and differ by one element at most. */
static void parts(void **state)
{
    unit_random_t random = unit_stream(0);

    (void) state;
    for (uint32_t i = 0; i < unit_repeat(20000); ++i) {
        uint32_t element = 1 + unit_below(&random, 24), count = 1 + unit_below(&random, 40);
        uint64_t elements = unit_random(&random) >> (24 + unit_below(&random, 40));
        mca_coll_pschedule_range_t whole = {.offset = 8, .bytes = elements * element};
        uint64_t end = whole.offset;

        for (uint32_t k = 0; k < count; ++k) {
            mca_coll_pschedule_range_t part
                = mca_coll_pschedule_part(whole, k, count, element);

            assert_true(end == part.offset);
            assert_true(0 == part.bytes % element);
            assert_true(part.bytes / element == elements / count
                        || part.bytes / element == elements / count + 1);
            end += part.bytes;
        }
        assert_true(end == whole.offset + whole.bytes);
    }
}

/* Chunks are as few as can be, and none is larger than it may be. */
static void chunks(void **state)
{
    unit_random_t random = unit_stream(1);

    (void) state;
    assert_int_equal(0, mca_coll_pschedule_chunks(0, 100, 8));
    assert_int_equal(3, mca_coll_pschedule_chunks(24, 1, 8)); /* an element at least */
    for (uint32_t i = 0; i < unit_repeat(20000); ++i) {
        uint32_t element = 1 + unit_below(&random, 24);
        uint64_t chunk = element + unit_below(&random, 1000);
        uint64_t elements = unit_below(&random, 5000);
        mca_coll_pschedule_range_t whole = {.bytes = elements * element};
        uint32_t count = mca_coll_pschedule_chunks(whole.bytes, chunk, element);

        for (uint32_t k = 0; k < count; ++k) {
            assert_true(mca_coll_pschedule_part(whole, k, count, element).bytes <= chunk);
        }
        assert_true(0 == count || (count - 1) * (chunk / element * element) < whole.bytes);
    }
}

/* Pieces cover a contribution, and none spans two partitions. */
static void pieces(void **state)
{
    unit_random_t random = unit_stream(2);

    (void) state;
    for (uint32_t i = 0; i < unit_repeat(5000); ++i) {
        uint32_t partitions = 1 + unit_below(&random, 9), last = 0;
        uint64_t each = unit_below(&random, 300), end = 0, chunk = 1 + unit_below(&random, 200);
        mca_coll_pschedule_cut_t cut = {.bytes = each * partitions, .partitions = partitions};

        for (uint32_t k = 0; k < mca_coll_pschedule_pieces(&cut, chunk); ++k) {
            mca_coll_pschedule_range_t piece = mca_coll_pschedule_piece(&cut, chunk, k, &last);

            assert_true(end == piece.offset && 0 < piece.bytes && piece.bytes <= chunk);
            assert_int_equal(last, piece.offset / each);
            assert_int_equal(last, (piece.offset + piece.bytes - 1) / each);
            end += piece.bytes;
        }
        assert_true(end == cut.bytes);
    }
}

/* The pieces of a partition have keys, however large it is, and whatever its elements. */
static void least_chunk(void **state)
{
    unit_random_t random = unit_stream(3);

    (void) state;
    for (uint32_t i = 0; i < unit_repeat(20000); ++i) {
        uint32_t element = 1 + unit_below(&random, 1 << unit_below(&random, 24));
        uint32_t partitions = 1 + unit_below(&random, 100);
        uint64_t each = (unit_random(&random) >> (10 + unit_below(&random, 40))) / element
                        * element;
        mca_coll_pschedule_problem_t problem = {.element = element,
                                                .uniform = true,
                                                .common_bytes = each * partitions,
                                                .common_partitions = partitions};
        uint64_t chunk = mca_coll_pschedule_least_chunk(&problem);
        uint64_t elements = each / element, most = chunk < element ? 1 : chunk / element;

        /* In 64 bits, which the number of chunks has not. */
        assert_true(elements / most + (0 != elements % most) <= COLL_PSCHEDULE_KEY_PIECES);
        /* One rank may have all in one partition. */
        problem.uniform = false;
        assert_true(mca_coll_pschedule_least_chunk(&problem) >= chunk);
        problem.common_partitions = 1;
        assert_true(mca_coll_pschedule_least_chunk(&problem)
                    == problem.common_bytes / (COLL_PSCHEDULE_KEY_PIECES / 2) + 1);
    }
}

/* It is no more than needed: the usual chunk stays for what is below 30 GiB. Where the user wants
 * more pieces than 32 bits count there are fewer. */
static void usual_chunk(void **state)
{
    const mca_coll_pschedule_cut_t cut = {.bytes = UINT64_C(1) << 32, .partitions = 1 << 14};
    mca_coll_pschedule_problem_t problem = {.element = 8,
                                            .uniform = true,
                                            .common_bytes = (UINT64_C(30) << 30) - 8,
                                            .common_partitions = 1};

    (void) state;
    assert_true(mca_coll_pschedule_least_chunk(&problem) <= 61440);
    problem.common_bytes *= 1000;
    problem.common_partitions *= 1000;
    assert_true(mca_coll_pschedule_least_chunk(&problem) <= 61440);
    problem.common_bytes = cut.bytes;
    problem.common_partitions = cut.partitions;
    problem.chunk = 1;
    mca_coll_pschedule_fit_chunk(&problem);
    assert_true(mca_coll_pschedule_pieces(&cut, problem.chunk) * problem.chunk >= cut.bytes);
}

/* Reductions over a network are cut finer than the user wants, but never below 16 KiB; nothing else
 * is, and nothing is cut in more pieces than there are keys. */
static void fitted_chunk(void **state)
{
    const struct {
        mca_coll_pschedule_collective_t collective;
        uint64_t bytes;
        bool one_host;
        uint64_t chunk;
    } expected[] = {{COLL_PSCHEDULE_ALLREDUCE, 128 << 10, false, 16384},
                    {COLL_PSCHEDULE_ALLREDUCE, 512 << 10, false, 32768},
                    {COLL_PSCHEDULE_EXSCAN, 64 << 20, false, 65536},
                    {COLL_PSCHEDULE_REDUCE, 1 << 20, true, 65536},
                    {COLL_PSCHEDULE_BCAST, 1 << 20, false, 65536},
                    {COLL_PSCHEDULE_ALLTOALLW, UINT64_C(64) << 30, false, 131073}};

    (void) state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        mca_coll_pschedule_problem_t problem = {.collective = expected[i].collective,
                                                .size = 4,
                                                .chunk = 65536,
                                                .common_bytes = expected[i].bytes,
                                                .common_partitions = 1,
                                                .uniform = true,
                                                .one_host = expected[i].one_host};

        mca_coll_pschedule_fit_chunk(&problem);
        assert_int_equal(expected[i].chunk, problem.chunk);
    }
}

/* ---- freezing ---- */

static const mca_coll_pschedule_block_t block = {.cut = {.bytes = 64, .partitions = 4}};
static const mca_coll_pschedule_place_t send_buffer = {.space = COLL_PSCHEDULE_SPACE_SEND};
static const mca_coll_pschedule_place_t receive_buffer = {.space = COLL_PSCHEDULE_SPACE_RECV};

static mca_coll_pschedule_plan_t *new_plan(void)
{
    mca_coll_pschedule_problem_t problem = {.rank = 1,
                                            .size = 4,
                                            .element = 8,
                                            .send_blocks = 1,
                                            .recv_blocks = 1,
                                            .send = &block,
                                            .recv = &block};

    return mca_coll_pschedule_plan_new(&problem);
}

/* Links are sorted by rank, receiving before sending, and by key; nodes know their transfers. */
static void layout(void **state)
{
    mca_coll_pschedule_plan_t *plan = new_plan();
    mca_coll_pschedule_node_t node[4];

    (void) state;
    node[0] = mca_coll_pschedule_plan_send(plan, 3, 7, send_buffer, 8, COLL_PSCHEDULE_NONE);
    node[1] = mca_coll_pschedule_plan_send(plan, 3, 2, send_buffer, 16,
                                           mca_coll_pschedule_plan_ready(plan, 2));
    node[2] = mca_coll_pschedule_plan_receive(plan, 3, 7, receive_buffer, 24);
    node[3] = mca_coll_pschedule_plan_receive(plan, 0, 1, receive_buffer, 8);
    mca_coll_pschedule_plan_depend(plan, mca_coll_pschedule_plan_result(plan, 3), node[3]);
    mca_coll_pschedule_plan_depend(plan, COLL_PSCHEDULE_NONE, node[3]);
    mca_coll_pschedule_plan_depend(plan, node[0], COLL_PSCHEDULE_NONE);
    assert_true(mca_coll_pschedule_plan_freeze(plan));
    assert_int_equal(3, plan->links);
    assert_true(0 == plan->link[0].peer && !plan->link[0].is_send && 1 == plan->link[0].count);
    assert_true(3 == plan->link[1].peer && !plan->link[1].is_send && 1 == plan->link[1].count);
    assert_true(3 == plan->link[2].peer && plan->link[2].is_send && 2 == plan->link[2].count);
    assert_int_equal(2, plan->transfer[plan->link[2].first].key);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(node[i], plan->transfer[plan->vertex[node[i]].item].node);
    }
    /* node[0] and the results 0 to 2 wait for nothing; result 3 does. */
    assert_int_equal(4, plan->starters);
    assert_int_equal(2, plan->edges);
    assert_int_equal(1, plan->vertex[plan->send_partitions + 3].dependencies);
    /* All but READY 2 and the arrival of node[3] are ends. */
    assert_int_equal(plan->nodes - 2, plan->leaves);
    mca_coll_pschedule_plan_free(plan);
}

static void twice_the_same_key(mca_coll_pschedule_plan_t *plan)
{
    (void) mca_coll_pschedule_plan_receive(plan, 2, 5, receive_buffer, 8);
    (void) mca_coll_pschedule_plan_receive(plan, 2, 5, receive_buffer, 16);
}

static void behind_the_end(mca_coll_pschedule_plan_t *plan)
{
    (void) mca_coll_pschedule_plan_send(plan, 2, 5, mca_coll_pschedule_at(send_buffer, 60), 8,
                                        COLL_PSCHEDULE_NONE);
}

static void operand_behind_the_end(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_place_t scratch = mca_coll_pschedule_plan_scratch(plan, 64);

    (void) mca_coll_pschedule_plan_reduce(plan, mca_coll_pschedule_at(scratch, 8), receive_buffer,
                                          64, COLL_PSCHEDULE_NONE);
}

static void circle(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_node_t copy
        = mca_coll_pschedule_plan_copy(plan, send_buffer, receive_buffer, 8, COLL_PSCHEDULE_NONE);
    mca_coll_pschedule_node_t send
        = mca_coll_pschedule_plan_send(plan, 2, 5, receive_buffer, 8, copy);

    mca_coll_pschedule_plan_depend(plan, copy, send);
}

static void before_an_event(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_plan_depend(plan,
                                   mca_coll_pschedule_plan_receive(plan, 2, 5, receive_buffer, 8),
                                   mca_coll_pschedule_plan_ready(plan, 0));
}

static void to_itself(mca_coll_pschedule_plan_t *plan)
{
    (void) mca_coll_pschedule_plan_receive(plan, 1, 5, receive_buffer, 8);
}

static void to_nobody(mca_coll_pschedule_plan_t *plan)
{
    (void) mca_coll_pschedule_plan_receive(plan, 4, 5, receive_buffer, 8);
}

static void part_of_an_element(mca_coll_pschedule_plan_t *plan)
{
    (void) mca_coll_pschedule_plan_reduce(plan, send_buffer, receive_buffer, 12,
                                          COLL_PSCHEDULE_NONE);
}

static void no_such_contribution(mca_coll_pschedule_plan_t *plan)
{
    (void) mca_coll_pschedule_plan_ready(plan, 4);
}

static void no_such_result(mca_coll_pschedule_plan_t *plan)
{
    (void) mca_coll_pschedule_plan_result(plan, 4);
}

static void order_with_too_many(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_plan_order(plan, 2, 2);
    mca_coll_pschedule_plan_order(plan, 0, 3);
}

static void order_with_too_few(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_plan_order(plan, 2, 2);
}

static void order_with_one_twice(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_plan_order(plan, 1, 3);
    mca_coll_pschedule_plan_order(plan, 1, 1);
}

/* Wrong plans are refused, with a reason. */
static void refused(void **state)
{
    static void (*const build[])(mca_coll_pschedule_plan_t *plan)
        = {twice_the_same_key, behind_the_end,     operand_behind_the_end, circle,
           before_an_event,    to_itself,          to_nobody,              part_of_an_element,
           no_such_contribution, no_such_result,   order_with_too_many,    order_with_too_few,
           order_with_one_twice};

    (void) state;
    for (size_t i = 0; i < sizeof(build) / sizeof(build[0]); ++i) {
        mca_coll_pschedule_plan_t *plan = new_plan();

        build[i](plan);
        assert_false(mca_coll_pschedule_plan_freeze(plan));
        assert_non_null(plan->fault);
        mca_coll_pschedule_plan_free(plan);
    }
}

/* ---- planted faults ---- */

/* The row whose plans are spoiled, and how. */
static const mca_coll_pschedule_algorithm_t *spoiled_row;
static void (*spoil)(mca_coll_pschedule_plan_t *plan);
static uint32_t forgotten;

static void build_spoiled(mca_coll_pschedule_plan_t *plan,
                          const mca_coll_pschedule_problem_t *problem)
{
    spoiled_row->build(plan, problem);
    if (1 == problem->rank) {
        spoil(plan);
    }
}

static uint8_t kind_of(const mca_coll_pschedule_plan_t *plan, uint32_t node)
{
    return plan->vertex[node].kind;
}

/* Forget every dependency of a kind of node on another; grants are arrivals of no bytes. */
static void forget(mca_coll_pschedule_plan_t *plan, uint8_t before, uint8_t node, bool grants)
{
    mca_coll_pschedule_arc_t *arc = plan->build->arc;

    for (uint32_t i = plan->edges; i-- > 0;) {
        bool empty = COLL_PSCHEDULE_NODE_ARRIVE == kind_of(plan, arc[i].before)
                     && 0 == plan->build->draft[plan->vertex[arc[i].before].item].transfer.bytes;

        if (kind_of(plan, arc[i].before) == before && kind_of(plan, arc[i].node) == node
            && empty == grants) {
            arc[i] = arc[--plan->edges];
            ++forgotten;
        }
    }
}

static void without_ready(mca_coll_pschedule_plan_t *plan)
{
    forget(plan, COLL_PSCHEDULE_NODE_READY, COLL_PSCHEDULE_NODE_SEND, false);
}

static void without_reduction(mca_coll_pschedule_plan_t *plan)
{
    forget(plan, COLL_PSCHEDULE_NODE_REDUCE, COLL_PSCHEDULE_NODE_SEND, false);
}

static void without_arrival(mca_coll_pschedule_plan_t *plan)
{
    forget(plan, COLL_PSCHEDULE_NODE_ARRIVE, COLL_PSCHEDULE_NODE_REDUCE, false);
}

static void without_departure(mca_coll_pschedule_plan_t *plan)
{
    forget(plan, COLL_PSCHEDULE_NODE_SEND, COLL_PSCHEDULE_NODE_REDUCE, false);
}

static void without_grant(mca_coll_pschedule_plan_t *plan)
{
    forget(plan, COLL_PSCHEDULE_NODE_ARRIVE, COLL_PSCHEDULE_NODE_SEND, true);
}

static void without_result(mca_coll_pschedule_plan_t *plan)
{
    forget(plan, COLL_PSCHEDULE_NODE_ARRIVE, COLL_PSCHEDULE_NODE_RESULT, false);
}

static void with_wrong_key(mca_coll_pschedule_plan_t *plan)
{
    plan->build->draft[0].transfer.key ^= UINT64_C(1) << 44;
}

static void with_wrong_bytes(mca_coll_pschedule_plan_t *plan)
{
    plan->build->draft[plan->transfers - 1].transfer.bytes -= 8;
}

static void with_wrong_order(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_operation_t *operation = &plan->operation[0];

    operation->from.offset += 8; /* of another element */
}

/* The first send waits for the last arrival, which waits for it: on other ranks. */
static void with_circle(mca_coll_pschedule_plan_t *plan)
{
    uint32_t send = COLL_PSCHEDULE_NONE, arrival = COLL_PSCHEDULE_NONE;

    for (uint32_t i = 0; i < plan->nodes; ++i) {
        if (COLL_PSCHEDULE_NODE_SEND == kind_of(plan, i) && COLL_PSCHEDULE_NONE == send) {
            send = i;
        }
        arrival = COLL_PSCHEDULE_NODE_ARRIVE == kind_of(plan, i) ? i : arrival;
    }
    mca_coll_pschedule_plan_depend(plan, send, arrival);
}

/* One partition waits for another. */
static void with_needless_wait(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_plan_depend(plan, mca_coll_pschedule_plan_result(plan, 0),
                                   mca_coll_pschedule_plan_ready(plan, 1));
}

/* Turns do not end before their blocks are there. */
static void with_long_turns(mca_coll_pschedule_plan_t *plan)
{
    for (uint32_t i = 0; i < plan->nodes; ++i) {
        if (COLL_PSCHEDULE_NODE_TURN == kind_of(plan, i)) {
            plan->vertex[i].kind = COLL_PSCHEDULE_NODE_POINT;
        }
    }
}

static void find(const char *line, void (*how)(mca_coll_pschedule_plan_t *plan))
{
    mca_coll_pschedule_algorithm_t row;
    sim_params_t params;
    const char *fault = NULL;

    assert_true(sim_parse(line, &params));
    for (params.seed = 0; params.seed < 5; ++params.seed) { /* there is nothing to find yet */
        assert_null(sim_run(&params));
    }
    spoiled_row = params.row;
    spoil = how;
    row = *params.row;
    row.build = build_spoiled;
    params.row = &row;
    for (params.seed = 0; params.seed < 50 && NULL == fault; ++params.seed) {
        fault = sim_run(&params);
    }
    UNIT_CHECK(NULL != fault, "a planted fault was not found: %s", line);
}

static void find_forgotten(const char *line, void (*how)(mca_coll_pschedule_plan_t *plan))
{
    forgotten = 0;
    find(line, how);
    assert_true(0 < forgotten); /* else there was no fault */
}

static void planted(void **state)
{
    static const char ring[] = "allreduce/ring ranks=4 partitions=2 count=9 chunk=16";
    static const char in_place[]
        = "allreduce/ring ranks=4 partitions=2 count=30 chunk=16 in_place=1";
    static const char doubling[]
        = "allreduce/recursive_doubling ranks=4 partitions=2 count=15 chunk=16 ordered=1";

    (void) state;
    find_forgotten(ring, without_ready);
    find_forgotten(ring, without_reduction);
    find_forgotten(ring, without_arrival);
    find_forgotten(ring, without_result);
    find_forgotten(in_place, without_grant);
    find_forgotten(doubling, without_grant);
    find_forgotten("allreduce/recursive_doubling ranks=4 partitions=2 count=15 chunk=16 in_place=1",
                   without_departure);
    find(ring, with_wrong_key);
    find(ring, with_wrong_bytes);
    find(ring, with_wrong_order);
    find(ring, with_circle);
    find("allreduce/ring ranks=4 partitions=2 count=9 chunk=16 strict=1", with_needless_wait);
    find("alltoall/turns ranks=4 partitions=2 count=9 chunk=16 strict=1", with_long_turns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),   cmocka_unit_test(chunks),  cmocka_unit_test(pieces),
        cmocka_unit_test(least_chunk), cmocka_unit_test(usual_chunk),
        cmocka_unit_test(fitted_chunk),
        cmocka_unit_test(layout),  cmocka_unit_test(refused), cmocka_unit_test(planted),
    };

    return UNIT_RUN(tests);
}
