/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The plans of all ranks beside each other: do they fit together, and what do they cost? (See
 * simulator.h.)
 */
#include "simulator.h"

#include <stdlib.h>
#include <string.h>

/* ---- links ---- */

static const mca_coll_pschedule_link_t *find_link(const sim_rank_t *rank, int32_t peer,
                                                  bool is_send)
{
    for (uint32_t i = 0; i < rank->plan->links; ++i) {
        const mca_coll_pschedule_link_t *link = &rank->plan->link[i];

        if (link->peer == peer && link->is_send == is_send) {
            return link;
        }
    }
    return NULL;
}

static bool match_link(sim_world_t *world, sim_rank_t *rank, const mca_coll_pschedule_link_t *link)
{
    const sim_rank_t *other = &world->rank[link->peer];
    const mca_coll_pschedule_link_t *end = find_link(other, rank->problem.rank, !link->is_send);

    if (NULL == end || end->count != link->count) {
        sim_fail(world, "rank %d has %u transfers %s rank %d, which has %u for it",
                 (int) rank->problem.rank, link->count, link->is_send ? "to" : "from",
                 (int) link->peer, NULL == end ? 0 : end->count);
        return false;
    }
    for (uint32_t i = 0; i < link->count; ++i) {
        const mca_coll_pschedule_transfer_t *mine = &rank->plan->transfer[link->first + i];
        const mca_coll_pschedule_transfer_t *its = &other->plan->transfer[end->first + i];

        if (mine->key != its->key || mine->bytes != its->bytes) {
            sim_fail(world, "transfer %u %s rank %d of rank %d has key %llx and %llu bytes there, "
                     "%llx and %llu here", i, link->is_send ? "to" : "from", (int) link->peer,
                     (int) rank->problem.rank, (unsigned long long) its->key,
                     (unsigned long long) its->bytes, (unsigned long long) mine->key,
                     (unsigned long long) mine->bytes);
            return false;
        }
        rank->partner[link->first + i] = end->first + i;
    }
    return true;
}

/* What is wrong with a plan whatever the others do. */
static void check_alone(sim_world_t *world, const sim_rank_t *rank)
{
    const mca_coll_pschedule_plan_t *plan = rank->plan;
    uint64_t most = rank->problem.chunk > rank->problem.element ? rank->problem.chunk
                                                                : rank->problem.element;

    for (uint32_t i = 0; i < plan->transfers; ++i) {
        const mca_coll_pschedule_transfer_t *transfer = &plan->transfer[i];

        if (transfer->bytes > most) {
            sim_fail(world, "rank %d: a transfer of %llu bytes is larger than a chunk",
                     (int) rank->problem.rank, (unsigned long long) transfer->bytes);
        }
        if (!plan->link[transfer->link].is_send && 0 != transfer->bytes
            && COLL_PSCHEDULE_SPACE_SEND == transfer->place.space) {
            sim_fail(world, "rank %d receives into its send buffer", (int) rank->problem.rank);
        }
    }
    for (uint32_t i = 0; i < plan->operations; ++i) {
        if (COLL_PSCHEDULE_SPACE_SEND == plan->operation[i].to.space) {
            sim_fail(world, "rank %d works into its send buffer", (int) rank->problem.rank);
        }
    }
}

bool sim_match(sim_world_t *world)
{
    bool good = true;

    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        world->rank[i].partner
            = calloc(world->rank[i].plan->transfers + 1, sizeof(*world->rank[i].partner));
        check_alone(world, &world->rank[i]);
    }
    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        sim_rank_t *rank = &world->rank[i];

        for (uint32_t k = 0; k < rank->plan->links && good; ++k) {
            good = match_link(world, rank, &rank->plan->link[k]);
        }
    }
    return !atomic_load(&world->failed);
}

/* ---- the longest chain of transfers ---- */

typedef struct chain_t {
    sim_world_t *world;
    uint32_t *first;   /* per rank: number of its first node among all */
    uint32_t *missing; /* per node of all */
    uint32_t *length;
    uint32_t *list;
    uint32_t listed;
    uint32_t longest;
} chain_t;

static void reach(chain_t *chain, uint32_t node, uint32_t length)
{
    if (chain->length[node] < length) {
        chain->length[node] = length;
    }
    if (chain->longest < length) {
        chain->longest = length;
    }
    if (0 == --chain->missing[node]) {
        chain->list[chain->listed++] = node;
    }
}

/* A node is done: so are the things that it was the last to hold up. */
static void pass(chain_t *chain, uint32_t index, uint32_t node)
{
    const sim_rank_t *rank = &chain->world->rank[index];
    const mca_coll_pschedule_plan_t *plan = rank->plan;
    const mca_coll_pschedule_vertex_t *vertex = &plan->vertex[node];
    uint32_t length = chain->length[chain->first[index] + node];

    for (uint32_t i = vertex->first; i < vertex[1].first; ++i) {
        reach(chain, chain->first[index] + plan->edge[i], length);
    }
    if (COLL_PSCHEDULE_NODE_SEND == vertex->kind) {
        const mca_coll_pschedule_transfer_t *transfer = &plan->transfer[vertex->item];
        uint32_t peer = (uint32_t) plan->link[transfer->link].peer;
        const mca_coll_pschedule_plan_t *its = chain->world->rank[peer].plan;

        /* Grants keep memory small; they are no part of the way that data take. */
        reach(chain, chain->first[peer] + its->transfer[rank->partner[vertex->item]].node,
              0 == transfer->bytes ? 0 : length + 1);
    }
}

static uint32_t owner(const chain_t *chain, uint32_t node)
{
    uint32_t rank = 0;

    while (rank + 1 < chain->world->params.ranks && chain->first[rank + 1] <= node) {
        ++rank;
    }
    return rank;
}

static void prepare(chain_t *chain)
{
    for (uint32_t i = 0; i < chain->world->params.ranks; ++i) {
        const mca_coll_pschedule_plan_t *plan = chain->world->rank[i].plan;

        for (uint32_t k = 0; k < plan->nodes; ++k) {
            uint32_t node = chain->first[i] + k;

            chain->missing[node] = plan->vertex[k].dependencies
                                   + (COLL_PSCHEDULE_NODE_ARRIVE == plan->vertex[k].kind);
            if (0 == chain->missing[node]) {
                chain->list[chain->listed++] = node;
            }
        }
    }
}

/* Also finds plans that wait for each other whatever happens. */
static uint32_t longest_chain(sim_world_t *world)
{
    chain_t chain = {.world = world};
    uint32_t nodes = 0;

    chain.first = calloc(world->params.ranks + 1, sizeof(*chain.first));
    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        chain.first[i] = nodes;
        nodes += world->rank[i].plan->nodes;
    }
    chain.missing = calloc(nodes + 1, sizeof(*chain.missing));
    chain.length = calloc(nodes + 1, sizeof(*chain.length));
    chain.list = calloc(nodes + 1, sizeof(*chain.list));
    prepare(&chain);
    for (uint32_t i = 0; i < chain.listed; ++i) {
        uint32_t rank = owner(&chain, chain.list[i]);

        pass(&chain, rank, chain.list[i] - chain.first[rank]);
    }
    if (chain.listed < nodes) {
        sim_fail(world, "deadlock: the plans of several ranks wait for each other in a circle");
    }
    free(chain.first);
    free(chain.missing);
    free(chain.length);
    free(chain.list);
    return chain.longest;
}

/* ---- costs ---- */

void sim_rank_cost(const sim_rank_t *rank, mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_plan_t *plan = rank->plan;
    uint64_t moved[2] = {0, 0};

    *cost = (mca_coll_pschedule_cost_t) {.scratch = plan->scratch};
    for (uint32_t i = 0; i < plan->transfers; ++i) {
        moved[plan->link[plan->transfer[i].link].is_send] += plan->transfer[i].bytes;
    }
    cost->bytes = moved[0] > moved[1] ? moved[0] : moved[1];
    for (uint32_t i = 0; i < plan->nodes; ++i) {
        if (COLL_PSCHEDULE_NODE_REDUCE == plan->vertex[i].kind) {
            cost->reduced += plan->operation[plan->vertex[i].item].bytes;
        }
    }
}

static bool is_neighbor(mca_coll_pschedule_collective_t collective)
{
    return COLL_PSCHEDULE_NEIGHBOR_ALLGATHER <= collective;
}

/* What the first piece needs to come through a pipeline is part of a forecast of bytes. */
static uint64_t pipeline(const sim_world_t *world, const mca_coll_pschedule_cost_t *forecast)
{
    const mca_coll_pschedule_problem_t *problem = &world->rank[0].problem;
    uint64_t piece = problem->common_bytes / problem->common_partitions;
    uint64_t chunk = problem->chunk < problem->element ? problem->element : problem->chunk;

    return forecast->rounds * (piece < chunk ? piece : chunk);
}

/* Is a forecast right, but for a quarter and something small? Where ranks contribute differently,
 * it looks at the largest contribution only, and is too high. */
static void compare(sim_world_t *world, const char *what, uint64_t forecast, uint64_t real,
                    uint64_t small, uint64_t more)
{
    const sim_params_t *params = &world->params;
    bool typical = 0 == params->uneven && params->count >= params->ranks;

    if (real > forecast + forecast / 4 + small
        || (typical && forecast > real + real / 4 + small + more)) {
        sim_fail(world, "cost: %s are %llu, the row says %llu", what, (unsigned long long) real,
                 (unsigned long long) forecast);
    }
}

uint64_t sim_host_bytes(const sim_world_t *world)
{
    const mca_coll_pschedule_hosts_t *hosts = &world->hosts;
    uint64_t most = 0;

    for (uint32_t i = 0; i < hosts->count; ++i) {
        uint64_t moved[2] = {0, 0};

        for (uint32_t k = hosts->first[i]; k < hosts->first[i + 1]; ++k) {
            const mca_coll_pschedule_plan_t *plan = world->rank[hosts->rank[k]].plan;

            for (uint32_t t = 0; t < plan->transfers; ++t) {
                const mca_coll_pschedule_link_t *link = &plan->link[plan->transfer[t].link];

                moved[link->is_send] += hosts->host[link->peer] == i ? 0 : plan->transfer[t].bytes;
            }
        }
        most = moved[0] > most ? moved[0] : most;
        most = moved[1] > most ? moved[1] : most;
    }
    return most;
}

bool sim_costs(sim_world_t *world)
{
    const sim_params_t *params = &world->params;
    const mca_coll_pschedule_problem_t *problem = &world->rank[0].problem;
    mca_coll_pschedule_cost_t forecast = {0}, most = {0};
    uint64_t small = 4 * (uint64_t) params->ranks * params->partitions * problem->element + 256;

    most.rounds = longest_chain(world);
    params->row->cost(problem, &forecast);
    for (uint32_t i = 0; i < params->ranks; ++i) {
        mca_coll_pschedule_cost_t cost;

        sim_rank_cost(&world->rank[i], &cost);
        most.bytes = cost.bytes > most.bytes ? cost.bytes : most.bytes;
        most.reduced = cost.reduced > most.reduced ? cost.reduced : most.reduced;
        most.scratch = cost.scratch > most.scratch ? cost.scratch : most.scratch;
    }
    if (most.scratch > forecast.scratch) {
        sim_fail(world, "cost: scratch is %llu, the row says %llu",
                 (unsigned long long) most.scratch, (unsigned long long) forecast.scratch);
    }
    if (!is_neighbor(params->collective)) { /* nobody knows the whole graph */
        compare(world, "rounds", forecast.rounds, most.rounds, 2, 0);
    }
    if (!is_neighbor(params->collective)) {
        compare(world, "bytes of the busiest rank", forecast.bytes, most.bytes, small,
                pipeline(world, &forecast));
        compare(world, "bytes reduced", forecast.reduced, most.reduced, small, 0);
        if (0 != forecast.hosts) {
            compare(world, "bytes of the busiest host", forecast.hosts, sim_host_bytes(world),
                    small, pipeline(world, &forecast));
        }
    }
    return !atomic_load(&world->failed);
}
