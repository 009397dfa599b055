/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulation with time against what can be calculated by hand: rings and chains to the last
 * picosecond, paths that ranks share, hosts that send to one, processors that take turns.
 */
#include "plan_of.h"
#include "timing.h"
#include "unit.h"

#include <stdlib.h>

/* Odd numbers, so that nothing comes out by chance: picoseconds. */
static const timing_machine_t plain
    = {.paths = 1, .wire = 1009, .latency = 1500007, .overhead = 300017};

typedef struct shape_t {
    const mca_coll_pschedule_algorithm_t *row;
    mca_coll_pschedule_collective_t collective;
    uint32_t hosts, per_host;
    bool round_robin;
    uint64_t bytes, chunk;
} shape_t;

static timing_result_t run(const timing_machine_t *machine, shape_t shape)
{
    uint32_t ranks = shape.hosts * shape.per_host;
    mca_coll_pschedule_plan_t **plan = unit_allocate(ranks * sizeof(*plan));
    uint64_t *number = unit_allocate(ranks * sizeof(*number));
    mca_coll_pschedule_cut_t cut = {.bytes = shape.bytes, .partitions = 1};
    mca_coll_pschedule_problem_t problem
        = plan_problem(shape.collective, ranks, cut, shape.chunk);
    mca_coll_pschedule_hosts_t hosts;
    timing_result_t result;
    const char *fault;

    for (uint32_t i = 0; i < ranks; ++i) {
        number[i] = shape.round_robin ? i % shape.hosts : i / shape.per_host;
    }
    assert_true(mca_coll_pschedule_hosts_make(&hosts, number, ranks));
    problem.hosts = &hosts;
    for (uint32_t i = 0; i < ranks; ++i) {
        plan[i] = plan_of(shape.row, problem, cut, i);
    }
    UNIT_CHECK(timing_run(machine, &hosts, plan, ranks, &result, &fault), "%s", fault);
    for (uint32_t i = 0; i < ranks; ++i) {
        mca_coll_pschedule_plan_free(plan[i]);
    }
    mca_coll_pschedule_hosts_free(&hosts);
    free(plan);
    free(number);
    return result;
}

static shape_t shape_of(const mca_coll_pschedule_algorithm_t *row, uint32_t hosts,
                        uint32_t per_host, uint64_t bytes)
{
    return (shape_t) {.row = row, .collective = row->collective, .hosts = hosts,
                      .per_host = per_host, .bytes = bytes, .chunk = UINT64_C(1) << 40};
}

/* A message alone: out, over, in. */
static timing_t hop(const timing_machine_t *machine, uint64_t bytes)
{
    return 2 * (machine->overhead + bytes * machine->handle) + machine->latency
           + (bytes + machine->header) * machine->wire;
}

static void ring(void **state)
{
    timing_machine_t machine = plain;

    (void) state;
    for (uint32_t hosts = 2; hosts <= 17; ++hosts) {
        timing_result_t result
            = run(&machine, shape_of(&mca_coll_pschedule_allgather_ring, hosts, 1, 1000));

        assert_int_equal(result.end, (hosts - 1) * hop(&machine, 1000));
        assert_int_equal(result.network, (uint64_t) hosts * (hosts - 1));
        assert_int_equal(result.host_bytes, (hosts - 1) * 1000);
    }
    machine.handle = 101;
    machine.header = 77;
    assert_int_equal(
        run(&machine, shape_of(&mca_coll_pschedule_allgather_ring, 5, 1, 1000)).end,
        4 * hop(&machine, 1000));
}

/* Pieces follow each other down the chain, each one transfer behind the last. */
static void chain(void **state)
{
    shape_t shape = shape_of(&mca_coll_pschedule_bcast_chain, 6, 1, 64000);

    (void) state;
    shape.chunk = 4000; /* what the row leaves as it is */
    assert_int_equal(run(&plain, shape).end, 5 * hop(&plain, 4000) + 15 * 4000 * plain.wire);
}

/* All ranks of a host send to the next one at once: the path is the host's. */
static void shared_path(void **state)
{
    shape_t shape = shape_of(&mca_coll_pschedule_allgather_ring, 2, 4, 1000);
    timing_result_t apart, together;

    (void) state;
    shape.row = &mca_coll_pschedule_alltoall_pairwise;
    shape.collective = COLL_PSCHEDULE_ALLTOALL;
    shape.bytes = 50000;
    together = run(&plain, shape);
    assert_int_equal(together.host_bytes, 16 * 50000);
    assert_true(together.end >= 16 * 50000 * plain.wire);
    shape.round_robin = true;
    apart = run(&plain, shape);
    assert_int_equal(apart.host_bytes, together.host_bytes);
    assert_true(apart.end >= 16 * 50000 * plain.wire);
    assert_true(apart.end < 16 * 50000 * plain.wire + 20 * hop(&plain, 0) + 50000 * plain.wire);
}

/* Twice the paths, half the time, where there are enough messages. */
static void more_paths(void **state)
{
    timing_machine_t machine = plain;
    shape_t shape = shape_of(&mca_coll_pschedule_bcast_chain, 2, 1, 6400000);
    timing_t one;

    (void) state;
    shape.chunk = 64000;
    one = run(&machine, shape).end;
    assert_int_equal(one, hop(&machine, 64000) + 99 * 64000 * machine.wire);
    machine.paths = 4;
    assert_true(run(&machine, shape).end < one / 4 + 2 * hop(&machine, 64000));
    assert_true(run(&machine, shape).end > one / 4 - hop(&machine, 64000));
}

/* Who receives from all does so at the rate of its path. */
static void many_to_one(void **state)
{
    shape_t shape = shape_of(&mca_coll_pschedule_gather_linear, 9, 1, 100000);

    (void) state;
    assert_int_equal(run(&plain, shape).end, hop(&plain, 100000) + 7 * 100000 * plain.wire);
}

/* Within a host: the receiver copies, and all share the memory. */
static void memory(void **state)
{
    timing_machine_t machine = plain;
    shape_t shape = shape_of(&mca_coll_pschedule_allgather_ring, 1, 4, 1000);
    timing_t step;

    (void) state;
    machine.local_latency = 300003; /* a rank has copied its own contribution by then */
    machine.copy = 211;
    step = 2 * machine.overhead + machine.local_latency;
    assert_int_equal(run(&machine, shape).end, 3 * (step + 1000 * machine.copy));
    assert_int_equal(run(&machine, shape).local, 4 * 3);
    machine.memory = machine.copy; /* one copies at a time, and all want at the same time */
    assert_true(run(&machine, shape).end >= 4 * 4 * 1000 * machine.memory);
    assert_true(run(&machine, shape).end <= 3 * step + 4 * 4 * 1000 * machine.memory);
}

/* A receiver that has to say that it has started is one message later. */
static void ready(void **state)
{
    timing_machine_t machine = plain;
    shape_t shape = shape_of(&mca_coll_pschedule_bcast_chain, 2, 1, 1000);

    (void) state;
    machine.ready = true;
    assert_int_equal(run(&machine, shape).end, hop(&machine, 0) + hop(&machine, 1000));
    assert_int_equal(run(&machine, shape).network, 2);
}

/* Rounds overlap where a rank is done early: the first of a chain sends what comes next. */
static void rounds(void **state)
{
    timing_machine_t machine = plain;
    shape_t shape = shape_of(&mca_coll_pschedule_bcast_chain, 5, 1, 64000);
    timing_t one, ten;

    (void) state;
    machine.ready = true;
    shape.chunk = 4000;
    one = run(&machine, shape).end;
    machine.rounds = 10;
    ten = run(&machine, shape).end;
    assert_true(ten >= 10 * 64000 * machine.wire);
    assert_true(ten < 10 * one - 9 * hop(&machine, 4000));
    shape.row = &mca_coll_pschedule_allgather_ring; /* everybody is done last */
    shape.collective = COLL_PSCHEDULE_ALLGATHER;
    shape.chunk = 64000;
    ten = run(&machine, shape).end;
    machine.rounds = 1;
    one = run(&machine, shape).end;
    assert_true(ten >= 10 * (one - hop(&machine, 0)) && ten <= 10 * (one + machine.overhead));
    assert_int_equal(run(&machine, shape).network, 5 * (4 + 1));
}

/* Processes without a processor of their own do their work one after the other. */
static void cores(void **state)
{
    timing_machine_t machine = plain;
    shape_t shape = shape_of(&mca_coll_pschedule_allgather_linear, 1, 8, 1000000);
    timing_t own, two, one;

    (void) state;
    machine.copy = 307;
    own = run(&machine, shape).end;
    machine.cores = 2;
    two = run(&machine, shape).end;
    machine.cores = 1;
    one = run(&machine, shape).end;
    assert_true(own >= 7 * 1000000 * machine.copy);
    assert_true(two >= 4 * 7 * 1000000 * machine.copy && two < 5 * own);
    assert_true(one >= 8 * 7 * 1000000 * machine.copy && one < 9 * own);
}

/* What a path saves while it has nothing to do lets small messages pass without waiting. */
static void burst(void **state)
{
    timing_machine_t machine = plain;
    shape_t shape = shape_of(&mca_coll_pschedule_allgather_ring, 4, 1, 1000);

    (void) state;
    machine.burst = 1000000;
    /* At the very beginning nothing has been saved. */
    assert_true(run(&machine, shape).end < run(&plain, shape).end);
    assert_true(run(&machine, shape).end >= 3 * hop(&machine, 0));
}

/* Small transfers of a link that are there together leave as one message. */
static void bundles(void **state)
{
    timing_machine_t machine = plain;
    shape_t shape = shape_of(&mca_coll_pschedule_bcast_chain, 2, 1, 6400);
    timing_result_t single, together;

    (void) state;
    shape.chunk = 100;
    machine.window = 1;
    single = run(&machine, shape);
    machine.bundle = 1600;
    together = run(&machine, shape);
    assert_int_equal(single.network, 64);
    assert_true(together.network <= 8);
    assert_true(together.end < single.end);
    assert_int_equal(together.host_bytes, single.host_bytes);
}

/* Every row ends, whatever the machine, and moves what its plans say. */
static void all_rows(void **state)
{
    (void) state;
    for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
        const mca_coll_pschedule_algorithm_t *row = mca_coll_pschedule_algorithms[i];
        timing_machine_t machine = plain;
        shape_t shape = shape_of(row, 3, 4, 9600);
        timing_result_t first, again;

        if (row->collective >= COLL_PSCHEDULE_NEIGHBOR_ALLGATHER
            || 0 != (row->limits & COLL_PSCHEDULE_SHARES)) {
            continue;
        }
        shape.chunk = 800;
        first = run(&machine, shape);
        machine.paths = 3;
        machine.cores = 2;
        machine.one_machine = machine.ready = true;
        machine.window = 1000;
        machine.bundle = 2000;
        machine.wake = 500;
        again = run(&machine, shape);
        UNIT_CHECK(first.end > 0 && again.end > 0, "%s takes no time", row->name);
        UNIT_CHECK(first.host_bytes == again.host_bytes, "%s moves %llu, then %llu bytes",
                   row->name, (unsigned long long) first.host_bytes,
                   (unsigned long long) again.host_bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[]
        = {cmocka_unit_test(ring),        cmocka_unit_test(chain),
           cmocka_unit_test(shared_path), cmocka_unit_test(more_paths),
           cmocka_unit_test(many_to_one), cmocka_unit_test(memory),
           cmocka_unit_test(ready),       cmocka_unit_test(rounds),
           cmocka_unit_test(cores),
           cmocka_unit_test(burst),       cmocka_unit_test(bundles),
           cmocka_unit_test(all_rows)};

    return UNIT_RUN(tests);
}
