/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce by hosts, for vectors so small that rounds count and not bytes. A rank of each host leads,
 * on the root's host the root. It adds up what all ranks of its host contribute
 * (coll_pschedule_host_sum.h), and sums go up a binomial tree of leaders
 * (coll_pschedule_binomial.h). So a host sends the vector once, whatever ranks it has.
 *
 * Partitions that are worth a message of their own have different leaders, others the same. Where
 * order counts, the first rank of a host leads.
 *
 * No deadlock: a chunk waits for contributions of its own and for its children, and for slots of
 * chunks before it.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_binomial.h"
#include "patterns/coll_pschedule_host_sum.h"
#include "patterns/coll_pschedule_tree.h"

/* A phase of keys. */
enum { LOCAL = COLL_PSCHEDULE_ROOTED_DELIVER + 1 };

typedef struct member_t {
    mca_coll_pschedule_rooted_t at; /* of the partition that is built, as the next two */
    mca_coll_pschedule_host_sum_t sum;
    mca_coll_pschedule_slots_t slots;
} member_t;

static void begin_partition(member_t *member, uint32_t partition)
{
    mca_coll_pschedule_rooted_t *at = &member->at;
    const mca_coll_pschedule_problem_t *problem = at->problem;
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);
    int32_t leader;

    at->lane = mca_coll_pschedule_leads(problem, partition);
    leader = mca_coll_pschedule_rooted_rank(at, at->position);
    member->sum
        = mca_coll_pschedule_host_sum(at->plan, problem, leader, chunks.count, chunks.largest);
    member->slots = mca_coll_pschedule_slots(
        at->plan,
        leader == problem->rank ? (uint64_t) chunks.count * mca_coll_pschedule_binomial_slotted(at)
                                : 0,
        chunks.largest);
}

static void build_chunk(const mca_coll_pschedule_rooted_t *at, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *bit)
{
    member_t *member = (member_t *) at; /* it is the first in it */
    uint64_t key = mca_coll_pschedule_bit_key(bit, LOCAL);
    mca_coll_pschedule_partial_t sum;

    (void) slots; /* there are none: only leaders need some */
    if (0 == bit->index) {
        begin_partition(member, bit->partition);
    }
    if (member->sum.owner != at->problem->rank) {
        (void) mca_coll_pschedule_host_sum_give(&member->sum, bit->own, key, bit->range.bytes);
        return;
    }
    sum = mca_coll_pschedule_host_sum_take(&member->sum, bit->own, key, bit->range.bytes);
    mca_coll_pschedule_host_sum_used(
        &member->sum, mca_coll_pschedule_binomial_chunk(at, &member->slots, bit, sum));
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    member_t member = {.at = mca_coll_pschedule_rooted_hosts(plan, problem, 0)};

    mca_coll_pschedule_rooted_build(&member.at, problem->chunk, 0, build_chunk);
}

/* ---- costs ---- */

/* What the leader of a host does that leads most partitions there. */
static void cost_on(const mca_coll_pschedule_problem_t *problem, uint32_t host,
                    mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t first = problem->ordered ? 0 : hosts->host[problem->root];
    uint32_t position = mca_coll_pschedule_host_distance(hosts, first, host);
    uint64_t on = mca_coll_pschedule_hosts_on(hosts, host);
    uint64_t led = mca_coll_pschedule_led(problem, 0 == position ? 1 : (uint32_t) on);
    uint64_t joined = mca_coll_pschedule_binomial_children(position, hosts->count) + on - 1;
    uint64_t bytes = led * joined * (problem->common_bytes / problem->common_partitions);

    cost->reduced = bytes > cost->reduced ? bytes : cost->reduced;
    /* A root that leads and is not at position 0 gets the result besides. */
    if (0 < position && problem->root == mca_coll_pschedule_hosts_rank(hosts, host, 0)) {
        bytes += problem->common_bytes;
    }
    cost->bytes = bytes > cost->bytes ? bytes : cost->bytes;
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint64_t levels = mca_coll_pschedule_doublings((int32_t) hosts->count);
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);

    *cost = (mca_coll_pschedule_cost_t) {
        .local = mca_coll_pschedule_star_rounds((int32_t) hosts->most),
        .bytes = problem->common_bytes,
        .hosts = levels * problem->common_bytes,
        .crowded = 1 < levels ? levels * problem->common_bytes : 0,
        .scratch = problem->common_partitions
                   * (mca_coll_pschedule_host_sum_scratch(hosts->most, chunks.count, chunks.largest)
                      + mca_coll_pschedule_slots_scratch(levels * chunks.count, chunks.largest))};
    cost->rounds = cost->local + levels;
    mca_coll_pschedule_rooted_cost(problem, cost);
    for (uint32_t i = 0; i < hosts->count; ++i) {
        cost_on(problem, i, cost);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_hosts = {
    .collective = COLL_PSCHEDULE_REDUCE,
    .last = COLL_PSCHEDULE_REDUCE,
    .name = "hosts",
    .description = "each host adds up, leaders send up a binomial tree; for small partitions",
    .memory = "two chunks per partition and neighbour, and four more",
    .limits = COLL_PSCHEDULE_NESTED | COLL_PSCHEDULE_CONTIGUOUS,
    .build = build,
    .cost = cost};
