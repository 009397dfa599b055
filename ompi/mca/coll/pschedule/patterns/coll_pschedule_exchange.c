/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall through gates of hosts (see coll_pschedule_exchange.h).
 */
#include "patterns/coll_pschedule_exchange.h"

#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_rounds.h"
#include "patterns/coll_pschedule_tree.h"

typedef mca_coll_pschedule_hosts_t hosts_t;
typedef mca_coll_pschedule_gates_t gates_t;

/* The ranks that a block goes through: from the first to the last. */
typedef struct way_t {
    int32_t stop[4];
    uint32_t stops;
} way_t;

/* What a rank does. */
typedef struct exchange_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    const hosts_t *hosts;
    gates_t gates;
} exchange_t;

/* Two leaders tell as many flows apart as there are pairs of ranks of their hosts. With too many
 * ranks for that each rank is a gate of its own. */
static gates_t possible(const hosts_t *hosts, gates_t gates)
{
    if (COLL_PSCHEDULE_GATE_PAIR == gates.out
        && (uint64_t) hosts->most * hosts->most > COLL_PSCHEDULE_FLOW_STEPS) {
        gates.out = COLL_PSCHEDULE_GATE_SELF;
    }
    return gates;
}

/* ---- ways ---- */

static int32_t gate(const hosts_t *hosts, mca_coll_pschedule_gate_t kind, int32_t end,
                    int32_t other)
{
    uint32_t host = hosts->host[end];

    switch (kind) {
    case COLL_PSCHEDULE_GATE_LANE:
        return mca_coll_pschedule_lane(hosts, host, hosts->index[other]);
    case COLL_PSCHEDULE_GATE_PAIR:
        return mca_coll_pschedule_lane(
            hosts, host, mca_coll_pschedule_host_distance(hosts, host, hosts->host[other]) - 1);
    default:
        return end;
    }
}

static void visit(way_t *way, int32_t rank)
{
    if (0 == way->stops || way->stop[way->stops - 1] != rank) {
        way->stop[way->stops++] = rank;
    }
}

static way_t way_of(const exchange_t *exchange, int32_t from, int32_t to)
{
    const hosts_t *hosts = exchange->hosts;
    way_t way = {.stops = 0};

    visit(&way, from);
    if (hosts->host[from] != hosts->host[to]) {
        visit(&way, gate(hosts, exchange->gates.out, from, to));
        visit(&way, gate(hosts, exchange->gates.in, to, from));
    }
    visit(&way, to);
    return way;
}

/*
 * Steps tell the blocks on one link apart. On a host, a link carries blocks on their way out, from
 * its first rank; blocks that came in, for its second rank; and the block of one for the other.
 * Between hosts, where an end of all blocks of a link is the end of the link, the other end tells
 * them apart; else both do.
 */
static uint32_t step_of(const exchange_t *exchange, const way_t *way, uint32_t at)
{
    const hosts_t *hosts = exchange->hosts;
    int32_t first = way->stop[0], last = way->stop[way->stops - 1];
    uint32_t out = hosts->ring[last];
    uint32_t in = (uint32_t) exchange->problem->size + hosts->ring[first];
    bool inside = hosts->host[way->stop[at]] == hosts->host[way->stop[at + 1]];

    if (inside) {
        return hosts->host[way->stop[at]] == hosts->host[first] ? out : in;
    }
    if (COLL_PSCHEDULE_GATE_SELF == exchange->gates.out) {
        return out;
    }
    return COLL_PSCHEDULE_GATE_SELF == exchange->gates.in
               ? in
               : hosts->index[first] * mca_coll_pschedule_hosts_on(hosts, hosts->host[last])
                     + hosts->index[last];
}

/* The hop from a stop to the next one, seen from the former. */
static mca_coll_pschedule_hop_t hop_to(const exchange_t *exchange, const way_t *way, uint32_t at)
{
    return (mca_coll_pschedule_hop_t) {.rank = way->stop[at + 1],
                                       .step = step_of(exchange, way, at),
                                       .relays = at + 2 < way->stops};
}

/* And from the latter. */
static mca_coll_pschedule_hop_t hop_from(const exchange_t *exchange, const way_t *way, uint32_t at)
{
    return (mca_coll_pschedule_hop_t) {.rank = way->stop[at],
                                       .step = step_of(exchange, way, at)};
}

/* ---- what a rank does ---- */

static void leave(const exchange_t *exchange, int32_t to)
{
    const mca_coll_pschedule_block_t *block = &exchange->problem->send[to];
    way_t way = way_of(exchange, exchange->problem->rank, to);
    mca_coll_pschedule_hop_t next = hop_to(exchange, &way, 0);
    mca_coll_pschedule_flow_t flow
        = mca_coll_pschedule_flow(exchange->plan, exchange->problem, block->cut, block, NULL);

    mca_coll_pschedule_flow_order(&flow);
    mca_coll_pschedule_flow_leave(&flow, &next, 1);
}

static void take(const exchange_t *exchange, int32_t from)
{
    way_t way = way_of(exchange, from, exchange->problem->rank);
    mca_coll_pschedule_flow_t flow
        = mca_coll_pschedule_flow(exchange->plan, exchange->problem,
                                  exchange->problem->contribution[from], NULL,
                                  &exchange->problem->recv[from]);

    mca_coll_pschedule_flow_pass(&flow, hop_from(exchange, &way, way.stops - 2), NULL, 0);
}

/* How a block is cut, one of whose ends is on this rank's host. */
static mca_coll_pschedule_cut_t cut_of(const exchange_t *exchange, int32_t from, int32_t to)
{
    const mca_coll_pschedule_problem_t *problem = exchange->problem;
    const hosts_t *hosts = exchange->hosts;
    size_t ranks = (size_t) problem->size;

    if (problem->uniform) {
        return problem->contribution[0];
    }
    return hosts->host[from] == hosts->host[problem->rank]
               ? problem->relay_cuts[2 * hosts->index[from] * ranks + (size_t) to]
               : problem->relay_cuts[(2 * hosts->index[to] + 1) * ranks + (size_t) from];
}

/* The block of two others, if this rank is between them. */
static void relay(const exchange_t *exchange, int32_t from, int32_t to)
{
    const mca_coll_pschedule_problem_t *problem = exchange->problem;
    way_t way = way_of(exchange, from, to);

    for (uint32_t at = 1; at + 1 < way.stops; ++at) {
        if (way.stop[at] == problem->rank) {
            mca_coll_pschedule_flow_t flow = mca_coll_pschedule_flow(
                exchange->plan, problem, cut_of(exchange, from, to), NULL, NULL);

            mca_coll_pschedule_flow_relay(&flow, hop_from(exchange, &way, at - 1),
                                          hop_to(exchange, &way, at));
        }
    }
}

/* The blocks between a rank of another host and one of this host, in one direction: nothing, if
 * they are no such ranks. */
static void relay_pair(const exchange_t *exchange, int32_t other, int32_t neighbor, bool out)
{
    const uint32_t *host = exchange->hosts->host;
    int32_t rank = exchange->problem->rank;

    if (host[other] != host[rank] && neighbor != rank) {
        relay(exchange, out ? neighbor : other, out ? other : neighbor);
    }
}

/* Slots follow each other in the order of these calls: those of blocks that go to one rank next are
 * beside each other. */
static void relay_all(const exchange_t *exchange)
{
    const hosts_t *hosts = exchange->hosts;
    uint32_t host = hosts->host[exchange->problem->rank];
    uint32_t first = hosts->first[host], end = hosts->first[host + 1];
    uint32_t ranks = (uint32_t) exchange->problem->size;

    for (uint32_t i = 0; i < ranks; ++i) {
        for (uint32_t k = first; k < end; ++k) {
            relay_pair(exchange, hosts->rank[i], hosts->rank[k], true);
        }
    }
    for (uint32_t k = first; k < end; ++k) {
        for (uint32_t i = 0; i < ranks; ++i) {
            relay_pair(exchange, hosts->rank[i], hosts->rank[k], false);
        }
    }
}

void mca_coll_pschedule_exchange_build(mca_coll_pschedule_plan_t *plan,
                                       const mca_coll_pschedule_problem_t *problem,
                                       gates_t gates)
{
    exchange_t exchange = {.plan = plan,
                           .problem = problem,
                           .hosts = problem->hosts,
                           .gates = possible(problem->hosts, gates)};
    int32_t rank = problem->rank;
    mca_coll_pschedule_flow_t own = mca_coll_pschedule_flow(
        plan, problem, problem->send[rank].cut, &problem->send[rank], &problem->recv[rank]);

    for (uint32_t round = 0; round < mca_coll_pschedule_rounds(problem); ++round) {
        int32_t other = mca_coll_pschedule_round_peer(problem, rank, round);

        if (COLL_PSCHEDULE_NOBODY == other) {
            continue;
        }
        leave(&exchange, other);
        take(&exchange, other);
    }
    relay_all(&exchange);
    mca_coll_pschedule_flow_order(&own);
    mca_coll_pschedule_flow_keep(&own);
}

/* ---- costs ---- */

/* What the busiest rank of a host does. */
typedef struct load_t {
    uint64_t relayed; /* blocks that go through it */
    uint64_t peers;   /* that it sends to, once for each purpose */
} load_t;

/* Ranks of other hosts on the lane of this host's first rank: the busiest one. */
static uint64_t on_first_lane(const hosts_t *hosts, uint32_t host)
{
    uint32_t on = mca_coll_pschedule_hosts_on(hosts, host);
    uint64_t ranks = 0;

    for (uint32_t i = 0; i < hosts->count; ++i) {
        ranks += i == host ? 0 : (mca_coll_pschedule_hosts_on(hosts, i) + on - 1) / on;
    }
    return ranks;
}

/* Ranks of the hosts whose leader here is the one for which these are most. */
static uint64_t of_busiest_leader(const hosts_t *hosts, uint32_t host)
{
    uint32_t on = mca_coll_pschedule_hosts_on(hosts, host);
    uint64_t most = 0;

    for (uint32_t leader = 0; leader < on; ++leader) {
        uint64_t ranks = 0;

        for (uint32_t distance = leader + 1; distance < hosts->count; distance += on) {
            ranks += mca_coll_pschedule_hosts_on(
                hosts, mca_coll_pschedule_host_after(hosts, host, distance));
        }
        most = ranks > most ? ranks : most;
    }
    return most;
}

static void add_load(const hosts_t *hosts, uint32_t host, mca_coll_pschedule_gate_t kind,
                     load_t *load)
{
    uint32_t on = mca_coll_pschedule_hosts_on(hosts, host);
    uint64_t peers = hosts->count - 1, others = 0;

    if (COLL_PSCHEDULE_GATE_LANE == kind) {
        others = peers = on_first_lane(hosts, host);
    } else if (COLL_PSCHEDULE_GATE_PAIR == kind) {
        others = of_busiest_leader(hosts, host);
        peers = (peers + on - 1) / on;
    }
    load->relayed += others * (on - 1);
    load->peers = peers > load->peers ? peers : load->peers;
}

/* Over all hosts; one that has as many ranks as the one before it has the same lanes. */
static load_t largest_load(const hosts_t *hosts, gates_t gates)
{
    bool leaders = COLL_PSCHEDULE_GATE_PAIR == gates.out && hosts->fewest != hosts->most;
    load_t most = {0};
    uint32_t before = 0;

    for (uint32_t i = 0; i < hosts->count; ++i) {
        uint32_t on = mca_coll_pschedule_hosts_on(hosts, i);
        load_t load = {0};

        if (on == before && !leaders) {
            continue;
        }
        before = on;
        add_load(hosts, i, gates.out, &load);
        add_load(hosts, i, gates.in, &load);
        /* As a leader it hands on what comes, and hands its own blocks to the other leaders. */
        load.peers += (uint64_t) (on - 1) * (COLL_PSCHEDULE_GATE_PAIR == gates.out ? 2 : 1);
        most.relayed = load.relayed > most.relayed ? load.relayed : most.relayed;
        most.peers = load.peers > most.peers ? load.peers : most.peers;
    }
    return most;
}

mca_coll_pschedule_cost_t
mca_coll_pschedule_exchange_cost(const mca_coll_pschedule_problem_t *problem, gates_t wanted)
{
    gates_t gates = possible(problem->hosts, wanted);
    load_t load = largest_load(problem->hosts, gates);
    uint32_t local = (COLL_PSCHEDULE_GATE_SELF != gates.out)
                     + (COLL_PSCHEDULE_GATE_SELF != gates.in);
    uint64_t bytes = ((uint64_t) problem->size - 1 + load.relayed) * problem->common_bytes;

    return (mca_coll_pschedule_cost_t) {
        .rounds = 1 + local,
        .local = local,
        .bytes = bytes,
        .hosts = mca_coll_pschedule_hosts_exchanged(problem->hosts) * problem->common_bytes,
        .crowded = bytes,
        .relayed = load.relayed * problem->common_bytes,
        .scratch = load.relayed * mca_coll_pschedule_flow_scratch(problem),
        .serving = mca_coll_pschedule_mesh_rounds((int32_t) load.peers + 1)};
}
