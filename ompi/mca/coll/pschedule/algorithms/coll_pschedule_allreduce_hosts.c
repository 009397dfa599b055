/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce by hosts, for vectors so small that rounds count and not bytes. A partition has
 * a leader on each host:
 *
 *   LOCAL    it adds up what all ranks of the host contribute (coll_pschedule_host_sum.h),
 *            leaders exchange sums by recursive doubling (coll_pschedule_doubling.h),
 *   SPREAD   and each gives the result to the other ranks of its host.
 *
 * So the network carries the vector log2 h times per host, whatever ranks it has, and a rank that
 * does not lead waits for one message. Where there is one host, and its ranks outnumber its
 * processors, that is what counts: all ranks together have 2 (N - 1) messages to wait for.
 *
 * Partitions that are worth a message of their own have different leaders, others the same. Where
 * order counts, the first rank of a host leads.
 *
 * No deadlock: a chunk waits for contributions of its own, for rounds of its own, and for slots of
 * chunks before it. A slot of a leader's host sum is free when the sum has left it.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_doubling.h"
#include "patterns/coll_pschedule_host_sum.h"
#include "patterns/coll_pschedule_messages.h"

/* Phases of keys. */
enum { LOCAL = COLL_PSCHEDULE_DOUBLING_PHASES, SPREAD };

typedef struct member_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    /* Of the partition that is built: */
    mca_coll_pschedule_host_sum_t sum;
    mca_coll_pschedule_doubling_t doubling;
} member_t;

static void begin_partition(member_t *at, uint32_t partition)
{
    const mca_coll_pschedule_problem_t *problem = at->problem;
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);
    uint32_t lane = mca_coll_pschedule_leads(problem, partition);

    at->sum = mca_coll_pschedule_host_sum(
        at->plan, problem, mca_coll_pschedule_lane(hosts, hosts->host[problem->rank], lane),
        chunks.count, chunks.largest);
    if (at->sum.owner == problem->rank) {
        mca_coll_pschedule_doubling(&at->doubling, at->plan, problem, lane);
    }
}

static void lead(member_t *at, const mca_coll_pschedule_bit_t *bit)
{
    uint64_t bytes = bit->range.bytes;
    mca_coll_pschedule_doubled_t begin = {.slots = 1 < at->sum.on ? &at->sum.slots : NULL};
    mca_coll_pschedule_node_t there;

    begin.sum = mca_coll_pschedule_host_sum_take(&at->sum, bit->own,
                                                 mca_coll_pschedule_bit_key(bit, LOCAL), bytes);
    begin.number = at->sum.last; /* after that */
    there = mca_coll_pschedule_doubling_chunk(&at->doubling, bit, begin);

    mca_coll_pschedule_host_sum_spread(&at->sum, bit->target,
                                       mca_coll_pschedule_bit_key(bit, SPREAD), bytes, there);
}

static void follow(member_t *at, const mca_coll_pschedule_bit_t *bit)
{
    (void) mca_coll_pschedule_host_sum_give(
        &at->sum, bit->own, mca_coll_pschedule_bit_key(bit, LOCAL), bit->range.bytes);
    (void) mca_coll_pschedule_deliver(at->sum.plan, at->sum.owner,
                                      mca_coll_pschedule_bit_key(bit, SPREAD), bit->target,
                                      bit->range.bytes, bit->partition);
}

static void build_chunk(void *of, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *bit)
{
    member_t *at = of;

    (void) slots; /* host sums and stages have their own */
    if (0 == bit->index) {
        begin_partition(at, bit->partition);
    }
    (at->sum.owner == at->problem->rank ? lead : follow)(at, bit);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    member_t at = {.plan = plan, .problem = problem};

    mca_coll_pschedule_build_bits(plan, problem, problem->chunk, 0, build_chunk, &at);
}

/* ---- costs ---- */

/* What the rank of a host does that leads most partitions there: `led` of all. */
static void cost_on(const mca_coll_pschedule_problem_t *problem, uint32_t host,
                    mca_coll_pschedule_cost_t *cost)
{
    uint32_t on = mca_coll_pschedule_hosts_on(problem->hosts, host);
    uint64_t all = problem->common_partitions, bytes = problem->common_bytes;
    uint64_t led = mca_coll_pschedule_led(problem, on);
    uint64_t stages = mca_coll_pschedule_doubling_stages(problem->hosts->count, host);
    uint64_t moved = (led * (stages + on - 1) + all - led) * (bytes / all);
    uint64_t sums = mca_coll_pschedule_doubling_sums(problem->hosts->count, host) + on - 1;
    uint64_t reduced = led * sums * (bytes / all);

    cost->bytes = moved > cost->bytes ? moved : cost->bytes;
    cost->reduced = reduced > cost->reduced ? reduced : cost->reduced;
    cost->hosts = stages * bytes > cost->hosts ? stages * bytes : cost->hosts;
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);
    /* Where some hosts have one rank, hardly ever both ends of the longest way are on others. */
    uint64_t local = (1 < hosts->fewest ? 2 : 1)
                     * mca_coll_pschedule_star_rounds((int32_t) hosts->most);

    *cost = mca_coll_pschedule_doubling_cost(problem, hosts->count);
    cost->messages = mca_coll_pschedule_allreduce_messages(
        problem, 0, cost->rounds * mca_coll_pschedule_vector_messages(problem->common_bytes), 1);
    cost->rounds += local;
    cost->local = local;
    cost->bytes = cost->reduced = 0;
    cost->scratch +=
        problem->common_partitions
        * mca_coll_pschedule_host_sum_scratch(hosts->most, chunks.count, chunks.largest);
    for (uint32_t i = 0; i < hosts->count; ++i) {
        cost_on(problem, i, cost);
    }
    cost->all = 1 == hosts->count ? 2 * (hosts->most - 1) * problem->common_bytes : 0;
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_hosts = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "hosts",
    .description = "each host adds up, leaders exchange sums by doubling; for small vectors",
    .memory = "two chunks per partition and neighbour, four per partition and level",
    .limits = COLL_PSCHEDULE_CROWDED | COLL_PSCHEDULE_CONTIGUOUS,
    .build = build,
    .cost = cost};
