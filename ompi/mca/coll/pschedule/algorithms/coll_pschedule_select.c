/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The choice of an algorithm (see coll_pschedule_select.h).
 */
#include "algorithms/coll_pschedule_select.h"

#include <stddef.h>

/* What the processor does with data, adding up or carrying through memory, is several times faster
 * than moving them. */
#define PASSES_PER_TRANSFER UINT64_C(8)

/* So many messages to other hosts, of all ranks of a host together, take it as long as a round.
 * Measured on shared processors (2 to 8 hosts with 2 to 8 ranks, 64 to 2048 bytes): an allgather
 * through one rank of each host takes 0.6 to 1.0 of the time of one along lanes, with 3 to 10 times
 * as many messages; a linear one with 12 per host takes 1.5 times as long as lanes with 6. */
#define MESSAGES_PER_ROUND 12u

/* And of a rank that is alone on its host each one does. Rows tell where that counts.
 * Measured on shared processors, 64 to 1024 bytes: with 8 hosts, 3 messages of each rank take 0.6
 * to 0.7 of the time of 7; with 6, 3 messages 0.75 of the time of 5; with 4, 2 messages 0.9 of the
 * time of 3. */
static uint64_t messages_time(const mca_coll_pschedule_problem_t *problem,
                              const mca_coll_pschedule_rates_t *rates,
                              const mca_coll_pschedule_cost_t *cost)
{
    if (mca_coll_pschedule_hosts_nested(problem->hosts)) {
        return cost->messages * rates->latency / MESSAGES_PER_ROUND;
    }
    return problem->one_host ? 0 : cost->messages * rates->latency;
}

/* What crosses the network of the busiest host, with the share of it that counts once more: what
 * comes from several ranks at the same time fills queues of the network until something is lost.
 * 8 hosts with TCP over four paths took 2.2 to 2.8 times as long for an allgather that way as
 * around a ring. What a row that does not know hosts sends may all go to other hosts. */
static uint64_t network_bytes(const mca_coll_pschedule_problem_t *problem,
                              const mca_coll_pschedule_cost_t *cost)
{
    uint64_t sixteenths = 0 == cost->bytes ? 0 : 16 * cost->crowded / cost->bytes;

    if (0 == cost->hosts) {
        return (cost->bytes + cost->crowded) * problem->hosts->most;
    }
    return cost->hosts + cost->hosts / 16 * sixteenths;
}

/* What the busiest rank moves itself. Between ranks of a host bytes are copied. */
static uint64_t rank_time(const mca_coll_pschedule_rates_t *rates,
                          const mca_coll_pschedule_cost_t *cost)
{
    uint64_t copying = 0 == rates->copy_bandwidth ? PASSES_PER_TRANSFER * rates->bandwidth
                                                  : rates->copy_bandwidth;

    return (cost->bytes - cost->near + cost->crowded) / rates->bandwidth + cost->near / copying;
}

/* Bytes that pass the network of the busiest host take `bandwidth` of all its ranks together. */
static uint64_t network_time(const mca_coll_pschedule_problem_t *problem,
                             const mca_coll_pschedule_rates_t *rates,
                             const mca_coll_pschedule_cost_t *cost)
{
    uint64_t bandwidth = 0 != rates->host_bandwidth ? rates->host_bandwidth : rates->bandwidth;
    uint64_t busiest = network_bytes(problem, cost) / bandwidth;
    uint64_t own = rank_time(rates, cost);

    return busiest > own ? busiest : own;
}

/* Bytes that the processor adds up or carries through memory, in bytes of the network that take as
 * long. */
static uint64_t passes_of(const mca_coll_pschedule_rates_t *rates,
                          const mca_coll_pschedule_cost_t *cost)
{
    uint64_t bytes = cost->reduced + cost->relayed;

    return 0 == rates->copy_bandwidth ? bytes / PASSES_PER_TRANSFER
                                      : bytes / rates->copy_bandwidth * rates->bandwidth;
}

/* Where ranks take turns: a round takes as long as copying so many bytes, about 1 us, and what is
 * added up takes half as long as what is copied. Measured on one host with 3, 4, 6, 8 and 16 ranks
 * on two processors, allreduces of 8 bytes to 1 MiB. */
#define TURN_NS         1000u
#define COPIED_PER_TURN 10000u

/*
 * An allreduce on one host whose ranks outnumber its processors: they take turns, and what counts
 * is how much there is to do for all. In a row in which all do alike each round takes a turn of
 * every rank, and so do its bytes. In the other one the busiest rank goes through its own, while
 * others have two turns, one to give and one to get.
 */
static uint64_t shared_time(const mca_coll_pschedule_problem_t *problem,
                            const mca_coll_pschedule_cost_t *cost)
{
    uint64_t ranks = (uint64_t) problem->size, processors = problem->hosts->processors;
    uint64_t rounds = cost->rounds > cost->serving ? cost->rounds : cost->serving;
    uint64_t copied = cost->bytes + cost->crowded + (cost->reduced + cost->relayed) / 2;
    uint64_t sixteenths = 0 == cost->bytes ? 0 : 16 * cost->all / cost->bytes;
    bool alike = 0 == cost->all;
    uint64_t by_all = alike ? copied * ranks : copied * sixteenths / 16;
    uint64_t turns = alike ? rounds * ranks : rounds * processors + 2 * ranks;

    by_all /= processors;
    return turns * TURN_NS / processors
           + (by_all > copied ? by_all : copied) / (COPIED_PER_TURN / TURN_NS);
}

static bool takes_turns(const mca_coll_pschedule_problem_t *problem)
{
    return problem->one_host && COLL_PSCHEDULE_ALLREDUCE == problem->collective
           && mca_coll_pschedule_hosts_are_crowded(problem->hosts);
}

/* Integers only, so that all processes calculate the same. */
uint64_t mca_coll_pschedule_time(const mca_coll_pschedule_algorithm_t *algorithm,
                                 const mca_coll_pschedule_problem_t *problem,
                                 const mca_coll_pschedule_rates_t *rates)
{
    mca_coll_pschedule_cost_t cost = {0};
    uint64_t rounds, passes;

    algorithm->cost(problem, &cost);
    if (takes_turns(problem)) {
        return shared_time(problem, &cost);
    }
    passes = passes_of(rates, &cost);
    if (!mca_coll_pschedule_hosts_nested(problem->hosts)) {
        rounds = cost.rounds > cost.serving ? cost.rounds : cost.serving;
        return (rounds * rates->latency + messages_time(problem, rates, &cost)) * 1000
               + (cost.bytes + cost.crowded + passes) / rates->bandwidth * 1000;
    }
    rounds = cost.rounds - cost.local > cost.serving ? cost.rounds - cost.local : cost.serving;
    return (rounds * rates->latency + cost.local * rates->local_latency
            + messages_time(problem, rates, &cost)
            + network_time(problem, rates, &cost) + passes / rates->bandwidth)
           * 1000;
}

const mca_coll_pschedule_algorithm_t *
mca_coll_pschedule_select(const mca_coll_pschedule_problem_t *problem, int forced,
                          const mca_coll_pschedule_rates_t *rates, const char **why)
{
    const mca_coll_pschedule_algorithm_t *const *rows = mca_coll_pschedule_algorithms;
    const mca_coll_pschedule_algorithm_t *best = NULL;
    uint64_t least = UINT64_MAX;

    if (forced > 0 && mca_coll_pschedule_allows(rows[forced - 1], problem)) {
        *why = "forced";
        return rows[forced - 1];
    }
    *why = forced > 0 ? "the forced one cannot serve this call" : "least time by the model";
    for (; NULL != *rows; ++rows) {
        uint64_t time;

        if (!mca_coll_pschedule_allows(*rows, problem)) {
            continue;
        }
        time = mca_coll_pschedule_time(*rows, problem, rates);
        if (time < least) {
            least = time;
            best = *rows;
        }
    }
    return best;
}
