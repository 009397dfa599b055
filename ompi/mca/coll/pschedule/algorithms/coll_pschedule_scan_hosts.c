/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Scan and exscan by hosts, whose ranks follow each other, for small vectors. The first rank of
 * each host leads:
 *
 *   GIVE     it gets what the other ranks of its host contribute, and makes the prefix sums of the
 *            host, each in the slot of the rank that it ends with;
 *            the last of these goes through an exscan of the leaders (coll_pschedule_prefix.h),
 *   RESULT   whose result is put before the prefix sums, and each rank gets its own.
 *
 *   ranks      a b c | d e f | ...         before f: (a b c)
 *   prefixes   a ab abc | d de def         scan: (a b c) def      exscan: (a b c) de
 *
 * So the network carries the vector log2 h times per host, and a rank that does not lead waits for
 * one message. The order of ranks is kept.
 *
 * Memory: contributions are only read. Each rank of a host has two slots at its leader; what goes
 * to other leaders is a copy of the host's sum. The first rank's contribution has no slot: where
 * something has to be put before it, it is copied, to the receive buffer for scan, for exscan to a
 * slot. In place, the receive buffer is overwritten when the copies were made and all prefix sums.
 *
 * No deadlock: a chunk waits for contributions of its own, for sums of its own on hosts before, and
 * for slots of chunks before it.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_prefix.h"
#include "patterns/coll_pschedule_tree.h"

#include <stdlib.h>

/* Slots of a rank at its leader. */
#define SLOTS_OF_A_RANK 2u

/* Phases of keys. */
enum { PREFIX, GIVE, RESULT };

typedef struct member_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    const mca_coll_pschedule_hosts_t *hosts;
    uint32_t host; /* of this rank */
    uint32_t on;   /* ranks on it */
    /* Of the leader, and of the partition that is built: */
    mca_coll_pschedule_slots_t *from;       /* per rank of the host but the first */
    mca_coll_pschedule_slots_t copy;        /* of the host's sum, for other leaders */
    mca_coll_pschedule_slots_t before;      /* the sum of the hosts before */
    mca_coll_pschedule_slots_t first;       /* exscan: of the first rank's contribution */
    mca_coll_pschedule_slots_t come;        /* what comes from other leaders */
    mca_coll_pschedule_prefix_t prefix;
} member_t;

static int32_t rank_of(const member_t *at, uint32_t index)
{
    return mca_coll_pschedule_hosts_rank(at->hosts, at->host, index);
}

/* Is there a host behind? */
static bool is_followed(const member_t *at)
{
    return at->host + 1 < at->hosts->count;
}

/* ---- a leader ---- */

static mca_coll_pschedule_slots_t make_slots(const member_t *at, uint32_t count, uint64_t levels)
{
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(at->problem);

    return mca_coll_pschedule_slots_many(at->plan, count, levels * chunks.count, chunks.largest);
}

static void begin_partition(member_t *at)
{
    uint32_t levels = mca_coll_pschedule_prefix_levels(at->host);

    for (uint32_t i = 1; i < at->on; ++i) {
        at->from[i] = make_slots(at, SLOTS_OF_A_RANK, 1);
    }
    at->copy = make_slots(at, COLL_PSCHEDULE_REDUCTION_SLOTS, is_followed(at));
    at->before = make_slots(at, COLL_PSCHEDULE_REDUCTION_SLOTS, 0 < at->host);
    at->first = make_slots(at, COLL_PSCHEDULE_REDUCTION_SLOTS,
                           0 < at->host && 1 < at->on && mca_coll_pschedule_excludes(at->problem));
    at->come = make_slots(at, COLL_PSCHEDULE_REDUCTION_SLOTS, levels);
    at->prefix.slots = &at->come;
    mca_coll_pschedule_prefix_begin(&at->prefix);
}

/* Where the prefix sum is that ends with the rank of an index, when all of the host are there. */
static mca_coll_pschedule_partial_t prefix_of(const member_t *at,
                                              const mca_coll_pschedule_bit_t *bit, uint32_t index,
                                              mca_coll_pschedule_node_t all)
{
    return 0 == index ? bit->own
                      : (mca_coll_pschedule_partial_t) {
                            .place = at->from[index].place[bit->index % SLOTS_OF_A_RANK],
                            .node = all};
}

/* Make the prefix sums of the host; the last one is returned. */
static mca_coll_pschedule_partial_t make_prefixes(member_t *at, const mca_coll_pschedule_bit_t *bit)
{
    mca_coll_pschedule_partial_t sum = bit->own;

    for (uint32_t i = 1; i < at->on; ++i) {
        mca_coll_pschedule_partial_t its = mca_coll_pschedule_slots_receive(
            &at->from[i], bit->index, rank_of(at, i), mca_coll_pschedule_bit_key(bit, GIVE),
            bit->range.bytes);

        sum = mca_coll_pschedule_join(at->plan, sum, its, bit->range.bytes);
    }
    return sum;
}

/* A copy of the host's sum goes through the exscan of the leaders. When `*copied` is done, all sums
 * of the host are made, and the copy. Returns what comes of it: nothing on the first host. */
static mca_coll_pschedule_partial_t pass_hosts(member_t *at, const mca_coll_pschedule_bit_t *bit,
                                               mca_coll_pschedule_partial_t sum,
                                               mca_coll_pschedule_node_t *copied)
{
    uint32_t slot = bit->index % COLL_PSCHEDULE_REDUCTION_SLOTS;
    bool again = bit->index >= COLL_PSCHEDULE_REDUCTION_SLOTS;
    mca_coll_pschedule_prefix_bit_t chunk = {
        .partition = bit->partition,
        .index = bit->index,
        .range = bit->range,
        .sum = sum,
        .result = {.place = at->before.place[slot], .node = COLL_PSCHEDULE_NONE},
        .free = again && 0 < at->host ? at->before.used[slot][0] : COLL_PSCHEDULE_NONE,
        .sent = COLL_PSCHEDULE_NONE};

    if (is_followed(at)) {
        chunk.sum
            = mca_coll_pschedule_slots_copy(&at->copy, bit->index, sum, bit->range.bytes);
        mca_coll_pschedule_prefix_left(&at->prefix, bit->index, 0, chunk.sum.node);
    }
    *copied = chunk.sum.node;
    mca_coll_pschedule_prefix_chunk(&at->prefix, &chunk);
    return chunk.result;
}

/* Put the sum of the hosts before in front of a prefix sum that may change; `after` is done. */
static mca_coll_pschedule_partial_t put_before(const member_t *at,
                                               mca_coll_pschedule_partial_t before,
                                               mca_coll_pschedule_partial_t prefix,
                                               mca_coll_pschedule_node_t after, uint64_t bytes)
{
    prefix = mca_coll_pschedule_join(at->plan, before, prefix, bytes);
    mca_coll_pschedule_plan_depend(at->plan, prefix.node, after);
    return prefix;
}

/* The result of another rank of the host. `*last` is the last use of what is before. */
static void send_result(member_t *at, const mca_coll_pschedule_bit_t *bit, uint32_t index,
                        mca_coll_pschedule_partial_t before, mca_coll_pschedule_node_t copied,
                        mca_coll_pschedule_node_t *last)
{
    uint32_t ends = mca_coll_pschedule_excludes(at->problem) ? index - 1 : index;
    mca_coll_pschedule_partial_t result = prefix_of(at, bit, ends, copied);
    uint64_t bytes = bit->range.bytes;
    mca_coll_pschedule_node_t sent;

    if (0 < at->host) {
        if (0 == ends) {
            result = mca_coll_pschedule_slots_copy(&at->first, bit->index, result, bytes);
        }
        result = put_before(at, before, result, *last, bytes);
        *last = result.node;
    }
    sent = mca_coll_pschedule_plan_send(at->plan, rank_of(at, index),
                                        mca_coll_pschedule_bit_key(bit, RESULT), result.place,
                                        bytes, result.node);
    /* In place it overwrites the contribution, which is not in what it gets of exscan. */
    mca_coll_pschedule_plan_depend(at->plan, sent, copied);
    mca_coll_pschedule_slots_used(0 == ends ? &at->first : &at->from[ends], bit->index, sent,
                                  copied);
}

/* The result of the leader, when all others have been made. */
static mca_coll_pschedule_node_t settle_own(const member_t *at, const mca_coll_pschedule_bit_t *bit,
                                            mca_coll_pschedule_partial_t before,
                                            mca_coll_pschedule_node_t last)
{
    mca_coll_pschedule_partial_t result = bit->own;
    uint64_t bytes = bit->range.bytes;

    if (0 == at->host) {
        return mca_coll_pschedule_excludes(at->problem) ? COLL_PSCHEDULE_NONE
                            : mca_coll_pschedule_settle(at->plan, result, bit->target, bytes,
                                                        bit->partition);
    }
    if (!mca_coll_pschedule_excludes(at->problem)) {
        if (!at->problem->in_place) {
            result.node = mca_coll_pschedule_plan_copy(at->plan, result.place, bit->target, bytes,
                                                       result.node);
            result.place = bit->target;
        }
        before = put_before(at, before, result, last, bytes);
    }
    return mca_coll_pschedule_settle(at->plan, before, bit->target, bytes, bit->partition);
}

static void lead(member_t *at, const mca_coll_pschedule_bit_t *bit)
{
    mca_coll_pschedule_node_t copied, last, own;
    mca_coll_pschedule_partial_t before
        = pass_hosts(at, bit, make_prefixes(at, bit), &copied);

    last = copied;
    for (uint32_t i = 1; i < at->on; ++i) {
        send_result(at, bit, i, before, copied, &last);
    }
    /* Nobody gets the whole sum of the host. */
    if (mca_coll_pschedule_excludes(at->problem) && 1 < at->on) {
        mca_coll_pschedule_slots_used(&at->from[at->on - 1], bit->index, copied,
                                      COLL_PSCHEDULE_NONE);
    }
    own = settle_own(at, bit, before, last);
    if (0 < at->host) {
        mca_coll_pschedule_plan_depend(at->plan, own, last);
        mca_coll_pschedule_slots_used(&at->before, bit->index, own, COLL_PSCHEDULE_NONE);
    }
}

/* ---- the others ---- */

static void follow(const member_t *at, const mca_coll_pschedule_bit_t *bit)
{
    int32_t leader = rank_of(at, 0);

    (void) mca_coll_pschedule_slots_send_many(at->plan, SLOTS_OF_A_RANK, bit->index, leader,
                                              mca_coll_pschedule_bit_key(bit, GIVE), bit->own,
                                              bit->range.bytes);
    (void) mca_coll_pschedule_deliver(at->plan, leader, mca_coll_pschedule_bit_key(bit, RESULT),
                                      bit->target, bit->range.bytes, bit->partition);
}

/* ---- all ---- */

static void build_chunk(void *of, mca_coll_pschedule_slots_t *slots,
                        const mca_coll_pschedule_bit_t *bit)
{
    member_t *at = of;

    (void) slots; /* only leaders need some */
    if (NULL == at->from) {
        follow(at, bit);
        return;
    }
    if (0 == bit->index) {
        begin_partition(at);
    }
    lead(at, bit);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t host = hosts->host[problem->rank];
    member_t at = {.plan = plan,
                   .problem = problem,
                   .hosts = hosts,
                   .host = host,
                   .on = mca_coll_pschedule_hosts_on(hosts, host),
                   .prefix = {.plan = plan,
                              .hosts = hosts,
                              .members = hosts->count,
                              .member = host,
                              .excludes = true}};

    if (0 == hosts->index[problem->rank]) {
        at.from = calloc(at.on, sizeof(*at.from));
        if (NULL == at.from) {
            plan->fault = mca_coll_pschedule_no_memory;
            return;
        }
    }
    mca_coll_pschedule_build_bits(plan, problem, problem->chunk, 0, build_chunk, &at);
    free(at.from);
}

/* ---- costs ---- */

/* How often the leader of a host reduces each byte. */
static uint64_t joins_on(const mca_coll_pschedule_problem_t *problem, uint32_t host)
{
    uint64_t on = mca_coll_pschedule_hosts_on(problem->hosts, host);
    uint64_t results = mca_coll_pschedule_excludes(problem) ? on - 1 : on;

    return on - 1 + (0 < host ? results : 0)
           + mca_coll_pschedule_prefix_joins(problem->hosts->count, host, true);
}

/* How often the vector comes to it from other hosts, or leaves it, whichever is more. */
static uint64_t comes_to(const mca_coll_pschedule_problem_t *problem, uint32_t host)
{
    uint64_t come = mca_coll_pschedule_prefix_levels(host), leave = 0;

    while (mca_coll_pschedule_prefix_sends(problem->hosts->count, host, (uint32_t) leave)) {
        ++leave;
    }
    return come > leave ? come : leave;
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint64_t levels = mca_coll_pschedule_doublings((int32_t) hosts->count);
    uint64_t bytes = problem->common_bytes;
    mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);
    uint64_t local = chunks.count < SLOTS_OF_A_RANK ? chunks.count : SLOTS_OF_A_RANK;

    *cost = (mca_coll_pschedule_cost_t) {
        .local = 2 * mca_coll_pschedule_star_rounds((int32_t) hosts->most),
        .hosts = levels * bytes,
        .scratch = problem->common_partitions
                   * ((hosts->most - 1) * local * mca_coll_pschedule_padded(chunks.largest)
                      + 3 * mca_coll_pschedule_slots_scratch(chunks.count, chunks.largest)
                      + mca_coll_pschedule_slots_scratch(levels * chunks.count, chunks.largest))};
    cost->rounds = cost->local + levels;
    for (uint32_t i = 0; i < hosts->count; ++i) {
        uint64_t moved
            = (comes_to(problem, i) + mca_coll_pschedule_hosts_on(hosts, i) - 1) * bytes;
        uint64_t joined = joins_on(problem, i) * bytes;

        cost->bytes = moved > cost->bytes ? moved : cost->bytes;
        cost->reduced = joined > cost->reduced ? joined : cost->reduced;
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_scan_hosts = {
    .collective = COLL_PSCHEDULE_SCAN,
    .last = COLL_PSCHEDULE_EXSCAN,
    .name = "hosts",
    .description = "leaders make the prefix sums of their hosts, and pass on sums by doubling",
    .memory = "two chunks per partition and neighbour, and up to sixteen more",
    .limits = COLL_PSCHEDULE_NESTED | COLL_PSCHEDULE_FOLLOWING,
    .build = build,
    .cost = cost};
