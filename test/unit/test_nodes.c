/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the plans of rows that know hosts send over the network, counted, against what is the least
 * possible; which row is chosen there; and rounds, in which a rank serves all others.
 *
 * MPIX_NODES_TABLE=1 prints what was counted.
 */
#include "simulator.h"

#include "algorithms/coll_pschedule_select.h"
#include "patterns/coll_pschedule_rounds.h"
#include "patterns/coll_pschedule_tree.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* Hosts of ranks, a digit or letter for each. */
typedef struct map_t {
    const char *name;
    const char *host;
} map_t;

enum { BLOCK, ROUND_ROBIN, UNEVEN, TWO, MIXED, WIDE, TALL, MAPS };

static const map_t maps[MAPS]
    = {{"4 x 4, block", "0000111122223333"},
       {"4 x 4, round-robin", "0123012301230123"},
       {"3 + 4 + 4 + 5", "0001111222233333"},
       {"2 x 8", "0000000011111111"},
       {"1 + 4 + 7 + 4, mixed", "1232123212320232"},
       {"8 x 8", "0000000011111111222222223333333344444444555555556666666677777777"},
       {"32 x 2", "0123456789abcdefghijklmnopqrstuv0123456789abcdefghijklmnopqrstuv"}};

static void hosts_of(const char *host, mca_coll_pschedule_hosts_t *hosts)
{
    uint64_t number[MOST];
    uint32_t ranks = (uint32_t) strlen(host);

    for (uint32_t i = 0; i < ranks; ++i) {
        number[i] = (uint64_t) host[i];
    }
    assert_true(mca_coll_pschedule_hosts_make(hosts, number, ranks));
}

static const mca_coll_pschedule_algorithm_t *row_of(mca_coll_pschedule_collective_t collective,
                                                    const char *name)
{
    for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
        const mca_coll_pschedule_algorithm_t *row = mca_coll_pschedule_algorithms[i];

        if (mca_coll_pschedule_serves(row, collective) && 0 == strcmp(row->name, name)) {
            return row;
        }
    }
    fail_msg("no row %s", name);
    return NULL;
}

/* ---- what is sent between hosts ---- */

/* In blocks: all that a rank contributes, or gets, from one other, is one block in one piece. */
typedef struct traffic_t {
    uint32_t host_blocks;    /* that the busiest host sends to others */
    uint32_t rank_blocks;    /* and the busiest rank, to others on other hosts */
    uint32_t host_neighbors; /* pairs of ranks over which the busiest host sends them */
    uint32_t rank_neighbors; /* ranks to which the busiest rank does */
    uint32_t moved;          /* blocks that the busiest rank sends anywhere */
} traffic_t;

static void keep_most(uint32_t *most, uint32_t value)
{
    *most = value > *most ? value : *most;
}

/* Grants and other notes carry nothing. */
static uint32_t blocks_on(const mca_coll_pschedule_plan_t *plan,
                          const mca_coll_pschedule_link_t *link)
{
    uint32_t blocks = 0;

    for (uint32_t i = link->first; i < link->first + link->count; ++i) {
        blocks += 0 != plan->transfer[i].bytes;
    }
    return blocks;
}

static void count_rank(const sim_world_t *world, uint32_t rank, traffic_t *host, traffic_t *most)
{
    const mca_coll_pschedule_plan_t *plan = world->rank[rank].plan;
    traffic_t own = {0};

    for (uint32_t i = 0; i < plan->links; ++i) {
        const mca_coll_pschedule_link_t *link = &plan->link[i];
        bool away = world->hosts.host[rank] != world->hosts.host[link->peer];

        own.moved += link->is_send ? blocks_on(plan, link) : 0;
        own.rank_blocks += link->is_send && away ? blocks_on(plan, link) : 0;
        own.rank_neighbors += link->is_send && away;
    }
    host->host_blocks += own.rank_blocks;
    host->host_neighbors += own.rank_neighbors;
    keep_most(&most->rank_blocks, own.rank_blocks);
    keep_most(&most->rank_neighbors, own.rank_neighbors);
    keep_most(&most->moved, own.moved);
}

static traffic_t count_world(const sim_world_t *world)
{
    traffic_t most = {0};

    for (uint32_t i = 0; i < world->hosts.count; ++i) {
        traffic_t host = {0};

        for (uint32_t k = world->hosts.first[i]; k < world->hosts.first[i + 1]; ++k) {
            count_rank(world, (uint32_t) world->hosts.rank[k], &host, &most);
        }
        keep_most(&most.host_blocks, host.host_blocks);
        keep_most(&most.host_neighbors, host.host_neighbors);
    }
    return most;
}

static traffic_t count(mca_coll_pschedule_collective_t collective, const char *name,
                       const map_t *map)
{
    sim_params_t params = {.row = row_of(collective, name),
                           .collective = collective,
                           .ranks = (uint32_t) strlen(map->host),
                           .partitions = 1,
                           .count = 1,
                           .element = 8,
                           .chunk = 1 << 20,
                           .epochs = 1,
                           .threads = 1};
    sim_world_t *world = sim_new(&params);
    traffic_t traffic;

    mca_coll_pschedule_hosts_free(&world->hosts);
    hosts_of(map->host, &world->hosts);
    for (uint32_t i = 0; i < params.ranks; ++i) {
        assert_true(sim_build(world, i));
    }
    assert_true(sim_match(world) && sim_costs(world));
    traffic = count_world(world);
    sim_free(world);
    if (NULL != getenv("MPIX_NODES_TABLE")) {
        print_message("| %s %s | %s | %u | %u | %u | %u | %u |\n", sim_collective(collective),
                      name, map->name, traffic.host_blocks, traffic.host_neighbors,
                      traffic.rank_blocks, traffic.rank_neighbors, traffic.moved);
    }
    return traffic;
}

/* Ranks of the largest and the smallest host, and of all. */
typedef struct sizes_t {
    uint32_t hosts, least, most, all;
} sizes_t;

static sizes_t sizes_of(const map_t *map)
{
    mca_coll_pschedule_hosts_t hosts;
    sizes_t sizes;

    hosts_of(map->host, &hosts);
    sizes = (sizes_t) {.hosts = hosts.count,
                       .least = hosts.fewest,
                       .most = hosts.most,
                       .all = (uint32_t) strlen(map->host)};
    mca_coll_pschedule_hosts_free(&hosts);
    return sizes;
}

/* Blocks for ranks of other hosts pass the network once, whatever the way. */
static void exchanged_once(void **state)
{
    static const char *const rows[]
        = {"pairwise", "linear", "turns", "distribute", "aggregate", "leader"};

    (void) state;
    for (int i = 0; i < MAPS; ++i) {
        sizes_t sizes = sizes_of(&maps[i]);

        for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); ++k) {
            traffic_t traffic = count(COLL_PSCHEDULE_ALLTOALL, rows[k], &maps[i]);

            assert_int_equal(traffic.host_blocks, sizes.most * (sizes.all - sizes.most));
        }
    }
}

/* With gates, ranks have one neighbour per host, and with leaders hosts have. */
static void few_neighbors(void **state)
{
    (void) state;
    for (int i = 0; i < MAPS; ++i) {
        uint32_t others = sizes_of(&maps[i]).hosts - 1, most = sizes_of(&maps[i]).most;
        traffic_t distribute = count(COLL_PSCHEDULE_ALLTOALL, "distribute", &maps[i]);
        traffic_t aggregate = count(COLL_PSCHEDULE_ALLTOALL, "aggregate", &maps[i]);
        traffic_t leader = count(COLL_PSCHEDULE_ALLTOALL, "leader", &maps[i]);

        assert_int_equal(distribute.rank_neighbors, others);
        assert_int_equal(distribute.host_neighbors, others * most);
        assert_int_equal(leader.host_neighbors, others);
        assert_int_equal(leader.rank_neighbors, (others + sizes_of(&maps[i]).least - 1)
                                                    / sizes_of(&maps[i]).least);
        /* A host with fewer ranks than others has several for some of its ranks. */
        assert_true(i == UNEVEN || i == MIXED || aggregate.rank_neighbors == others);
        assert_true(aggregate.host_neighbors <= others * most);
    }
}

/* A message enters every host once; the root's host sends it to as many hosts as the row says, and
 * no rank of it to more than its share. */
static void endpoints(void **state)
{
    (void) state;
    for (int i = 0; i < MAPS; ++i) {
        sizes_t sizes = sizes_of(&maps[i]);
        traffic_t flat = count(COLL_PSCHEDULE_BCAST, "endpoints", &maps[i]);
        traffic_t tree = count(COLL_PSCHEDULE_BCAST, "endpoints_knomial", &maps[i]);

        assert_int_equal(flat.host_blocks, sizes.hosts - 1);
        assert_int_equal(flat.host_neighbors, sizes.hosts - 1);
        assert_true(flat.rank_blocks <= (sizes.hosts - 1 + sizes.least - 1) / sizes.least);
        assert_true(tree.host_blocks <= flat.host_blocks);
        assert_true(tree.rank_neighbors <= flat.rank_neighbors);
    }
}

/* One rank per host talks to other hosts; what the root's host gets, or gives, is the least. */
static void gathered_by_leaders(void **state)
{
    (void) state;
    for (int i = 0; i < MAPS; ++i) {
        sizes_t sizes = sizes_of(&maps[i]);
        traffic_t gather = count(COLL_PSCHEDULE_GATHER, "hosts", &maps[i]);
        traffic_t scatter = count(COLL_PSCHEDULE_SCATTER, "hosts", &maps[i]);

        assert_int_equal(gather.host_neighbors, 1); /* up */
        assert_int_equal(scatter.rank_neighbors,
                         mca_coll_pschedule_doublings((int32_t) sizes.hosts));
        assert_true(scatter.host_blocks < sizes.all && gather.host_blocks < sizes.all);
    }
}

/* Allgather and bcast along lanes: each contribution enters each host once. */
static void lanes(void **state)
{
    (void) state;
    for (int i = 0; i < MAPS; ++i) {
        sizes_t sizes = sizes_of(&maps[i]);

        assert_int_equal(count(COLL_PSCHEDULE_ALLGATHER, "lanes_ring", &maps[i]).host_blocks,
                         sizes.all - sizes.least);
        assert_int_equal(count(COLL_PSCHEDULE_BCAST, "lanes", &maps[i]).host_blocks, 1);
    }
}

/* Allgather by hosts: one rank of each sends to others, to log2(hosts) of them. */
static void leading(void **state)
{
    (void) state;
    for (int i = 0; i < MAPS; ++i) {
        sizes_t sizes = sizes_of(&maps[i]);
        traffic_t traffic = count(COLL_PSCHEDULE_ALLGATHER, "hosts", &maps[i]);

        assert_int_equal(traffic.host_neighbors, traffic.rank_neighbors);
        assert_int_equal(traffic.rank_neighbors,
                         mca_coll_pschedule_doublings((int32_t) sizes.hosts));
    }
}

/* ---- rounds ---- */

/* Every rank serves every other one in the round that both think of. */
static void check_rounds(const mca_coll_pschedule_problem_t *problem)
{
    for (int32_t rank = 0; rank < problem->size; ++rank) {
        uint32_t served = 0;

        for (uint32_t round = 0; round < mca_coll_pschedule_rounds(problem); ++round) {
            int32_t to = mca_coll_pschedule_round_peer(problem, rank, round);

            if (COLL_PSCHEDULE_NOBODY != to) {
                assert_int_not_equal(to, rank);
                assert_int_equal(mca_coll_pschedule_round_of(problem, rank, to), round);
                ++served;
            }
        }
        assert_int_equal(served, problem->size - 1);
    }
}

static void rounds(void **state)
{
    unit_random_t random = unit_stream(7);

    (void) state;
    for (uint32_t i = 0; i < unit_repeat(2000); ++i) {
        uint32_t ranks = 1 + unit_below(&random, 32), most = 1 + unit_below(&random, ranks);
        mca_coll_pschedule_problem_t problem = {.size = (int32_t) ranks};
        mca_coll_pschedule_hosts_t hosts;
        char map[MOST + 1] = "";

        for (uint32_t k = 0; k < ranks; ++k) {
            map[k] = (char) ('0' + unit_below(&random, most));
        }
        hosts_of(map, &hosts);
        check_rounds(&problem);
        problem.hosts = &hosts;
        check_rounds(&problem);
        mca_coll_pschedule_hosts_free(&hosts);
    }
}

/* Hosts with as many ranks: in a round every rank is served once, so no host more than others. */
static void turns_share(void **state)
{
    (void) state;
    for (int i = 0; i < MAPS; ++i) {
        mca_coll_pschedule_hosts_t hosts;
        mca_coll_pschedule_problem_t problem = {.size = (int32_t) strlen(maps[i].host),
                                                .hosts = &hosts};

        hosts_of(maps[i].host, &hosts);
        for (uint32_t round = 0; round < mca_coll_pschedule_rounds(&problem); ++round) {
            bool served[MOST] = {false};

            for (int32_t rank = 0; rank < problem.size && hosts.fewest == hosts.most; ++rank) {
                int32_t to = mca_coll_pschedule_round_peer(&problem, rank, round);

                assert_true(COLL_PSCHEDULE_NOBODY == to || !served[to]);
                served[COLL_PSCHEDULE_NOBODY == to ? rank : to] = true;
            }
        }
        mca_coll_pschedule_hosts_free(&hosts);
    }
}

/* One rank on each host: the order of before. */
static void turns_of_lone_ranks(void **state)
{
    mca_coll_pschedule_hosts_t hosts;
    mca_coll_pschedule_problem_t problem = {.size = 5, .hosts = &hosts};

    (void) state;
    hosts_of("01234", &hosts);
    assert_int_equal(mca_coll_pschedule_rounds(&problem), 4);
    assert_int_equal(mca_coll_pschedule_round_peer(&problem, 3, 0), 4);
    assert_int_equal(mca_coll_pschedule_round_peer(&problem, 3, 2), 1);
    mca_coll_pschedule_hosts_free(&hosts);
}

/* Who marks all blocks of an alltoall at once begins with another host, which is not the one that
 * its neighbours begin with; its own host, and its own block, come last. */
static void turns_of_marks(void **state)
{
    static const uint32_t first[] = {1, 6, 11}; /* of ranks 0, 4 and 8, which are on host 0 */
    sim_params_t params = {.row = row_of(COLL_PSCHEDULE_ALLTOALL, "pairwise"),
                           .collective = COLL_PSCHEDULE_ALLTOALL,
                           .ranks = 16,
                           .partitions = 2,
                           .count = 1,
                           .chunk = 1 << 20,
                           .hosts = 4,
                           .placement = SIM_ROUND_ROBIN};
    sim_world_t *world = sim_new(&params);

    (void) state;
    for (uint32_t i = 0; i < 3; ++i) {
        const mca_coll_pschedule_plan_t *plan;

        assert_true(sim_build(world, 4 * i));
        plan = world->rank[4 * i].plan;
        assert_int_equal(plan->ordered, 32);
        assert_int_equal(plan->order[0], 2 * first[i]);
        assert_int_equal(plan->order[1], 2 * first[i] + 1);
        assert_int_equal(plan->order[31], 2 * 4 * i + 1);
    }
    sim_free(world);
}

/* ---- choice ---- */

static const mca_coll_pschedule_rates_t usual
    = {.latency = 40, .local_latency = 10, .bandwidth = 1000};

static const char *choice(mca_coll_pschedule_collective_t collective, const map_t *map,
                          uint64_t bytes)
{
    mca_coll_pschedule_hosts_t hosts;
    mca_coll_pschedule_problem_t problem = {.collective = collective,
                                            .size = (int32_t) strlen(map->host),
                                            .element = 1,
                                            .chunk = 1 << 16,
                                            .common_bytes = bytes,
                                            .common_partitions = 1,
                                            .uniform = true,
                                            .hosts = &hosts};
    const char *name, *why;

    hosts_of(map->host, &hosts);
    name = mca_coll_pschedule_select(&problem, 0, &usual, &why)->name;
    mca_coll_pschedule_hosts_free(&hosts);
    return name;
}

static void choices(void **state)
{
    const struct {
        mca_coll_pschedule_collective_t collective;
        int map;
        uint64_t bytes;
        const char *row;
    } expected[] = {
        {COLL_PSCHEDULE_BCAST, BLOCK, 128, "endpoints"},
        {COLL_PSCHEDULE_BCAST, ROUND_ROBIN, 128, "endpoints"},
        {COLL_PSCHEDULE_BCAST, MIXED, 1024, "endpoints"},
        {COLL_PSCHEDULE_BCAST, TALL, 128, "endpoints"},
        {COLL_PSCHEDULE_BCAST, TALL, 1 << 14, "endpoints_knomial"},
        {COLL_PSCHEDULE_BCAST, BLOCK, 1 << 19, "lanes"},
        {COLL_PSCHEDULE_ALLGATHER, BLOCK, 128, "hosts"},
        {COLL_PSCHEDULE_ALLGATHER, ROUND_ROBIN, 1024, "hosts"},
        {COLL_PSCHEDULE_ALLGATHER, BLOCK, 4096, "lanes_ring"},
        {COLL_PSCHEDULE_ALLGATHER, TWO, 1024, "hosts"},
        {COLL_PSCHEDULE_ALLGATHER, WIDE, 128, "hosts"},
        {COLL_PSCHEDULE_ALLGATHER, TALL, 1 << 14, "lanes_tree"},
        {COLL_PSCHEDULE_ALLGATHER, ROUND_ROBIN, 1 << 19, "lanes_ring"},
        {COLL_PSCHEDULE_ALLTOALL, BLOCK, 16, "distribute"}, /* not leader, as was measured */
        {COLL_PSCHEDULE_ALLTOALL, BLOCK, 512, "distribute"},
        {COLL_PSCHEDULE_ALLTOALL, BLOCK, 1 << 15, "distribute"},
        {COLL_PSCHEDULE_ALLTOALL, ROUND_ROBIN, 1 << 15, "distribute"},
        {COLL_PSCHEDULE_ALLTOALL, TWO, 4096, "distribute"},
        {COLL_PSCHEDULE_ALLTOALL, BLOCK, 1 << 18, "turns"},
        {COLL_PSCHEDULE_ALLTOALL, ROUND_ROBIN, 1 << 18, "turns"},
        {COLL_PSCHEDULE_GATHER, BLOCK, 64, "hosts"},
        {COLL_PSCHEDULE_GATHER, BLOCK, 1024, "linear"},
        {COLL_PSCHEDULE_SCATTER, BLOCK, 64, "hosts"},
        {COLL_PSCHEDULE_SCATTER, BLOCK, 4096, "linear"},
        {COLL_PSCHEDULE_GATHER, WIDE, 16, "hosts"},
        {COLL_PSCHEDULE_GATHER, WIDE, 1 << 14, "linear"},
        {COLL_PSCHEDULE_SCATTER, WIDE, 16, "hosts"},
        {COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK, BLOCK, 1024, "lanes"},
        {COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK, TWO, 1 << 15, "lanes"},
        {COLL_PSCHEDULE_SCATTER, WIDE, 1 << 14, "linear"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        const map_t *map = &maps[expected[i].map];

        assert_string_equal(choice(expected[i].collective, map, expected[i].bytes),
                            expected[i].row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanged_once),
        cmocka_unit_test(few_neighbors),
        cmocka_unit_test(endpoints),
        cmocka_unit_test(gathered_by_leaders),
        cmocka_unit_test(lanes),
        cmocka_unit_test(leading),
        cmocka_unit_test(rounds),
        cmocka_unit_test(turns_share),
        cmocka_unit_test(turns_of_lone_ranks),
        cmocka_unit_test(turns_of_marks),
        cmocka_unit_test(choices),
    };

    return UNIT_RUN(tests);
}
