/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce-scatter along lanes (plan/coll_pschedule_hosts.h), in any placement. A block travels on
 * the lane of the rank that gets it. The rank of the lane on a host is the block's owner there:
 *
 *   LOCAL    it adds up what all ranks of the host contribute (coll_pschedule_host_sum.h)
 *   REDUCE   and puts it into the partial sum that comes from the owner on the host before. This
 *            begins on the host behind the block's, and ends on the block's, with its rank.
 *
 * So a block enters and leaves every host once: with h hosts and V bytes, (h-1)/h V in each
 * direction of a host, whichever ranks it has.
 *
 * Memory: partial sums come into slots of the block's partition. Where the block's own rank gets
 * them, that is the receive buffer, or in place a slot, from where the result is copied to the
 * beginning of the buffer when all contributions that it covers were used
 * (coll_pschedule_readers.h). It covers blocks up to the own one only, and these are built first.
 *
 * Slots cannot be shared by blocks: a partition of one block that nobody has marked must not hold
 * up another. So the slots of all blocks together may be as large as the contribution.
 *
 * No deadlock: a chunk waits for contributions to it and for the same chunk on the host before, and
 * these for slots of earlier chunks of its partition, here or on the next host. In place, the slot
 * on the last rank is free when the result has been copied. That waits for contributions below its
 * own end only, while the chunk that waits for the slot lies above it: positions decrease, so there
 * is no circle.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_blocks.h"
#include "patterns/coll_pschedule_host_sum.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_readers.h"
#include "patterns/coll_pschedule_tree.h"

/* Phases of keys. */
enum { LOCAL, REDUCE };

typedef struct lane_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    const mca_coll_pschedule_hosts_t *hosts;
    mca_coll_pschedule_readers_t readers;
    uint32_t host; /* of this rank */
    /* Of the partition that is built: */
    int32_t block;
    uint32_t hops;       /* hosts that a partial sum has gone through before this one */
    int32_t left, right; /* owners on the hosts before and behind */
    mca_coll_pschedule_host_sum_t sum;
    mca_coll_pschedule_slots_t ring;
} lane_t;

typedef mca_coll_pschedule_bit_t bit_t;

static uint64_t key_of(uint32_t phase, uint32_t hops, const bit_t *bit)
{
    return mca_coll_pschedule_key(phase, hops, bit->number, bit->index);
}

static bool is_last(const lane_t *lane)
{
    return lane->block == lane->problem->rank;
}

/* Does what comes right into the receive buffer of a rank need no slot there? */
static bool is_direct(const lane_t *lane, int32_t receiver)
{
    return receiver == lane->block && !lane->problem->common_in_place;
}

/* The partial sum of the hosts before comes. */
static mca_coll_pschedule_partial_t take(lane_t *lane, const bit_t *bit)
{
    return mca_coll_pschedule_slots_take(
        &lane->ring, bit->index, is_direct(lane, lane->problem->rank), bit->target, lane->left,
        key_of(REDUCE, lane->hops - 1, bit), bit->range.bytes);
}

/* It goes on, with this host's. */
static mca_coll_pschedule_node_t pass(lane_t *lane, const bit_t *bit,
                                      mca_coll_pschedule_partial_t sum)
{
    return mca_coll_pschedule_slots_send(lane->plan, is_direct(lane, lane->right) ? 0 : bit->index,
                                         lane->right, key_of(REDUCE, lane->hops, bit), sum,
                                         bit->range.bytes);
}

static mca_coll_pschedule_node_t end(lane_t *lane, const bit_t *bit,
                                     mca_coll_pschedule_partial_t sum)
{
    return mca_coll_pschedule_readers_settle(&lane->readers, sum, bit);
}

/* The owner's part. Returns the node after which its contribution is not needed. */
static mca_coll_pschedule_node_t own_chunk(lane_t *lane, const bit_t *bit)
{
    mca_coll_pschedule_partial_t here = mca_coll_pschedule_host_sum_take(
        &lane->sum, bit->own, key_of(LOCAL, lane->hops, bit), bit->range.bytes);
    mca_coll_pschedule_partial_t sum = here;
    mca_coll_pschedule_node_t used;

    if (0 == lane->hops) {
        used = pass(lane, bit, here);
    } else {
        sum = mca_coll_pschedule_join(lane->plan, here, take(lane, bit), bit->range.bytes);
        used = sum.node;
        mca_coll_pschedule_slots_used(&lane->ring, bit->index,
                                      (is_last(lane) ? end : pass)(lane, bit, sum),
                                      COLL_PSCHEDULE_NONE);
    }
    mca_coll_pschedule_host_sum_used(&lane->sum, used);
    return here.node == bit->own.node ? used : here.node;
}

static void build_chunk(void *at, const bit_t *bit)
{
    lane_t *lane = at;
    mca_coll_pschedule_node_t used;

    if (lane->sum.owner == lane->problem->rank) {
        used = own_chunk(lane, bit);
    } else {
        used = mca_coll_pschedule_host_sum_give(&lane->sum, bit->own,
                                                key_of(LOCAL, lane->hops, bit), bit->range.bytes);
    }
    mca_coll_pschedule_readers_add(&lane->readers, bit, used);
}

/* ---- partitions ---- */

/* Who is where on the lane of the block, and the slots of an owner. */
static void begin(void *at, const bit_t *bit, uint32_t chunks, uint64_t largest)
{
    lane_t *lane = at;
    const mca_coll_pschedule_hosts_t *hosts = lane->hosts;
    uint32_t number = hosts->index[bit->block], all = hosts->count;
    uint32_t way = mca_coll_pschedule_host_distance(hosts, hosts->host[bit->block], lane->host);
    uint32_t before = mca_coll_pschedule_host_after(hosts, lane->host, all - 1);
    uint32_t behind = mca_coll_pschedule_host_after(hosts, lane->host, 1);
    int32_t owner = mca_coll_pschedule_lane(hosts, lane->host, number);
    bool slotted;

    lane->block = bit->block;
    lane->hops = (way + all - 1) % all;
    lane->left = mca_coll_pschedule_lane(hosts, before, number);
    lane->right = mca_coll_pschedule_lane(hosts, behind, number);
    lane->sum = mca_coll_pschedule_host_sum(lane->plan, lane->problem, owner, chunks, largest);
    slotted = owner == lane->problem->rank && 0 < lane->hops && !is_direct(lane, owner);
    lane->ring = mca_coll_pschedule_slots(lane->plan, slotted ? chunks : 0, largest);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_scattering_t does = {.begin = begin, .build = build_chunk};
    lane_t lane = {.plan = plan,
                   .problem = problem,
                   .hosts = problem->hosts,
                   .host = problem->hosts->host[problem->rank]};

    mca_coll_pschedule_build_blocks(plan, problem, &lane.readers, &does, &lane);
}

/* ---- costs ---- */

/* How many blocks the first rank of a host with `on` ranks owns: no rank owns more. */
static uint64_t owned_by_first(const mca_coll_pschedule_problem_t *problem, uint32_t on)
{
    uint64_t owned = 0;

    for (int32_t i = 0; i < problem->size; ++i) {
        owned += 0 == problem->hosts->index[i] % on;
    }
    return owned;
}

/* Slots of an owner of these blocks on a host with `on` ranks. */
static uint64_t slots_on(const mca_coll_pschedule_problem_t *problem, uint32_t on, uint64_t owned)
{
    uint64_t most = mca_coll_pschedule_whole_chunk(problem);
    uint64_t slots = problem->common_partitions
                     * (uint64_t) (mca_coll_pschedule_host_sum_slots(on)
                                   + COLL_PSCHEDULE_REDUCTION_SLOTS);
    uint64_t bytes;

    if (problem->uniform) {
        mca_coll_pschedule_chunking_t chunks = mca_coll_pschedule_common_chunks(problem);

        return problem->common_partitions / (uint64_t) problem->size * owned
               * (mca_coll_pschedule_host_sum_scratch(on, chunks.count, chunks.largest)
                  + mca_coll_pschedule_slots_scratch(chunks.count, chunks.largest));
    }
    /* Chunks are nearly equal: as many slots as there are transfers are no more than these have,
     * and an element each. */
    bytes = on * problem->common_bytes + slots * (64 + problem->element);
    slots *= mca_coll_pschedule_padded(most);
    return bytes < slots ? bytes : slots;
}

static void cost_on(const mca_coll_pschedule_problem_t *problem, uint32_t on, uint32_t before,
                    mca_coll_pschedule_cost_t *cost)
{
    uint64_t largest = mca_coll_pschedule_largest_block(problem);
    uint64_t owned = owned_by_first(problem, on);
    uint64_t blocks = mca_coll_pschedule_blocks(problem, largest, owned);
    uint64_t begun = problem->uniform ? (before + on - 1) / on : 0; /* partial sums, of these */
    uint64_t joined = on * blocks - begun * largest;
    uint64_t slots = slots_on(problem, on, owned);

    cost->near = joined > cost->bytes ? (on - 1) * blocks : cost->near;
    cost->bytes = joined > cost->bytes ? joined : cost->bytes;
    cost->reduced = joined > cost->reduced ? joined : cost->reduced;
    cost->scratch = slots > cost->scratch ? slots : cost->scratch;
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint64_t elsewhere = (uint64_t) problem->size - hosts->fewest;
    uint32_t before = mca_coll_pschedule_hosts_on(hosts, hosts->count - 1), last = 0;

    *cost = (mca_coll_pschedule_cost_t) {
        .local = mca_coll_pschedule_star_rounds((int32_t) hosts->most),
        .bytes = mca_coll_pschedule_other_blocks(problem), /* what each rank sends */
        .hosts = mca_coll_pschedule_blocks(problem, mca_coll_pschedule_largest_block(problem),
                                           elsewhere)};
    cost->rounds = cost->local + hosts->count - 1;
    cost->messages = mca_coll_pschedule_reduce_scatter_messages(problem, 0, elsewhere);
    for (uint32_t i = 0; i < hosts->count; ++i) {
        uint32_t on = mca_coll_pschedule_hosts_on(hosts, i);

        if (on != last || before != last) { /* else it is like the one before */
            cost_on(problem, on, before, cost);
        }
        last = before;
        before = on;
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_reduce_scatter_lanes = {
    .collective = COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK,
    .last = COLL_PSCHEDULE_REDUCE_SCATTER,
    .name = "lanes",
    .description = "each host adds up, partial results go around rings of hosts on all ranks",
    .memory = "two chunks per partition and neighbour, and four more, for blocks on its lanes",
    .limits = COLL_PSCHEDULE_COMMUTATIVE | COLL_PSCHEDULE_NESTED,
    .build = build,
    .cost = cost};
