/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce by halving and doubling (R. Rabenseifner). In level k of the first half, partners whose
 * numbers differ in bit levels-1-k split the range that both still add up: each sends the part that
 * the other keeps. In the end every rank has the result of one part of the partition. The second
 * half goes the same way back: partners exchange all that they have.
 *
 * Near partners come first, as the first level moves most: ranks host by host
 * (coll_pschedule_order.h) are folded to a power of two (coll_pschedule_folded.h), and the number
 * of one that takes part is its place there with its bits in reverse.
 *
 *   number 0     [0 1 2 3] -> [0 1] -> [0] -> [0 1] -> [0 1 2 3]
 *   number 1     [0 1 2 3] -> [0 1] -> [1] -> [0 1] -> [0 1 2 3]
 *   number 2     [0 1 2 3] -> [2 3] -> [2] -> [2 3] -> [0 1 2 3]
 *   number 3     [0 1 2 3] -> [2 3] -> [3] -> [2 3] -> [0 1 2 3]
 *
 * Each byte is added up last by one rank, so all ranks get the same.
 *
 * Sums are in the receive buffer. Out of place, what comes first comes there (direct) and takes the
 * contribution up; all else comes into slots. Finished parts come to their place in the receive
 * buffer: it may hold a sum that this rank has sent, but a result depends on all that was added up
 * for it, so that has left. The same goes for the contribution of a folded rank in place.
 *
 * Ranges are sent in chunks; a chunk waits for the chunks of the level before that overlap it.
 *
 * No deadlock: all levels share the slots of a partition, in the order of levels and chunks.
 * Partners have kept the same ranges in all levels before, so both know the number of a transfer.
 * Its use waits for lower numbers on this rank only; that it is sent, for lower levels on its
 * sender, and for the use of the number that is four less on this rank.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_folded.h"
#include "patterns/coll_pschedule_layers.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_order.h"
#include "patterns/coll_pschedule_reduction.h"

enum { LEVELS = 32 };

/* Phases of keys. */
enum { FOLD, HALVE, DOUBLE, UNFOLD };

typedef struct halving_t {
    mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_problem_t *problem;
    mca_coll_pschedule_folded_t folded;
    uint32_t place;  /* of this rank, host by host */
    uint32_t number; /* if it takes part */
    /* Of the partition that is built: */
    uint32_t partition;
    mca_coll_pschedule_range_t whole;
    mca_coll_pschedule_partial_t own;
    mca_coll_pschedule_place_t target;
    mca_coll_pschedule_slots_t slots;
    mca_coll_pschedule_layer_t sum[LEVELS]; /* before a level; the last is a result */
    mca_coll_pschedule_layer_t got[LEVELS]; /* the results that came in in a level */
} halving_t;

/* ---- ranges, chunks, numbers ---- */

/* What a rank of a number still adds up before a level. */
static mca_coll_pschedule_range_t kept(const halving_t *at, uint32_t number, uint32_t level)
{
    uint32_t width = at->folded.core >> level;
    uint32_t first = number / width * width;
    uint32_t element = at->problem->element;
    mca_coll_pschedule_range_t begin
        = mca_coll_pschedule_part(at->whole, first, at->folded.core, element);
    mca_coll_pschedule_range_t end
        = mca_coll_pschedule_part(at->whole, first + width - 1, at->folded.core, element);

    return (mca_coll_pschedule_range_t) {.offset = begin.offset,
                                         .bytes = end.offset + end.bytes - begin.offset};
}

static uint32_t chunks_of(const halving_t *at, mca_coll_pschedule_range_t range)
{
    return mca_coll_pschedule_chunks(range.bytes, at->problem->chunk, at->problem->element);
}

static mca_coll_pschedule_range_t chunk_of(const halving_t *at, mca_coll_pschedule_range_t range,
                                           uint32_t index)
{
    return mca_coll_pschedule_part(range, index, chunks_of(at, range), at->problem->element);
}

static uint64_t key_of(const halving_t *at, uint32_t phase, uint32_t level, uint32_t index)
{
    return mca_coll_pschedule_key(phase, level, at->partition, index);
}

static uint32_t partner(const halving_t *at, uint32_t level)
{
    return at->number ^ at->folded.core >> (level + 1);
}

/* The lowest bits of a number, as many as there are levels, in reverse. */
static uint32_t reversed(const mca_coll_pschedule_folded_t *folded, uint32_t number)
{
    uint32_t result = 0;

    for (uint32_t i = 0; i < folded->levels; ++i) {
        result = result << 1 | (number >> i & 1);
    }
    return result;
}

static uint32_t place_of(const halving_t *at, uint32_t number)
{
    return mca_coll_pschedule_folded_rank(&at->folded, reversed(&at->folded, number));
}

static int32_t rank_of(const halving_t *at, uint32_t number)
{
    return mca_coll_pschedule_ring_rank(at->problem, place_of(at, number));
}

/* Does the rank of a number take part for two? */
static bool is_double(const halving_t *at, uint32_t number)
{
    return mca_coll_pschedule_folded_takes(&at->folded, place_of(at, number));
}

/* The other one of the two, from either. */
static int32_t companion(const halving_t *at)
{
    return mca_coll_pschedule_ring_rank(at->problem, at->place ^ 1);
}

/* Does what a rank of a number gets first, in this level, come right into its receive buffer? */
static bool is_direct(const halving_t *at, uint32_t number, uint32_t level)
{
    return 0 == level && !at->problem->common_in_place && !is_double(at, number);
}

/* Transfers to the slots of a rank before a level. */
static uint32_t slotted(const halving_t *at, uint32_t number, uint32_t level)
{
    bool folds = at->problem->common_in_place && is_double(at, number);
    uint32_t count = folds ? chunks_of(at, at->whole) : 0;

    for (uint32_t i = 0; i < level; ++i) {
        count += is_direct(at, number, i) ? 0 : chunks_of(at, kept(at, number, i + 1));
    }
    return count;
}

static mca_coll_pschedule_place_t target(const halving_t *at, mca_coll_pschedule_range_t chunk)
{
    return mca_coll_pschedule_at(at->target, chunk.offset);
}

static mca_coll_pschedule_partial_t own(const halving_t *at, mca_coll_pschedule_range_t chunk)
{
    return mca_coll_pschedule_within(at->own, chunk);
}

/* Is the sum still only the contribution, in the send buffer? */
static bool is_own(const halving_t *at, uint32_t level)
{
    return 0 == level && !at->problem->in_place && !is_double(at, at->number);
}

/* ---- first half ---- */

static void send_half(halving_t *at, uint32_t level)
{
    uint32_t peer = partner(at, level);
    mca_coll_pschedule_range_t range = kept(at, peer, level + 1);
    uint32_t first = slotted(at, peer, level);

    for (uint32_t i = 0; i < chunks_of(at, range); ++i) {
        mca_coll_pschedule_range_t chunk = chunk_of(at, range, i);
        mca_coll_pschedule_partial_t sum = own(at, chunk);
        mca_coll_pschedule_node_t sent;

        sum.place = is_own(at, level) ? sum.place : target(at, chunk);
        sent = mca_coll_pschedule_slots_send(at->plan,
                                             is_direct(at, peer, level) ? 0 : first + i,
                                             rank_of(at, peer), key_of(at, HALVE, level, i), sum,
                                             chunk.bytes);
        mca_coll_pschedule_layer_depend(at->plan, &at->sum[level], chunk, sent);
    }
}

/* A chunk comes right into the receive buffer, and takes the contribution up. */
static mca_coll_pschedule_node_t add_direct(const halving_t *at, int32_t peer, uint64_t key,
                                            mca_coll_pschedule_range_t chunk)
{
    mca_coll_pschedule_partial_t its
        = mca_coll_pschedule_receive_at(at->plan, peer, key, target(at, chunk), chunk.bytes);

    return mca_coll_pschedule_join(at->plan, own(at, chunk), its, chunk.bytes).node;
}

/* It comes into a slot, and is added to the sum in the receive buffer. */
static mca_coll_pschedule_node_t add_slotted(halving_t *at, int32_t peer, uint64_t key,
                                             uint32_t number, mca_coll_pschedule_range_t chunk,
                                             const mca_coll_pschedule_layer_t *sum)
{
    mca_coll_pschedule_partial_t mine = {.place = target(at, chunk), .node = at->own.node};
    mca_coll_pschedule_partial_t its
        = mca_coll_pschedule_slots_receive(&at->slots, number, peer, key, chunk.bytes);

    mine = mca_coll_pschedule_join(at->plan, its, mine, chunk.bytes);
    if (NULL != sum) {
        mca_coll_pschedule_layer_depend(at->plan, sum, chunk, mine.node);
    }
    mca_coll_pschedule_slots_used(&at->slots, number, mine.node, COLL_PSCHEDULE_NONE);
    return mine.node;
}

static void receive_half(halving_t *at, uint32_t level)
{
    int32_t peer = rank_of(at, partner(at, level));
    mca_coll_pschedule_layer_t *sum = &at->sum[level + 1];
    uint32_t first = slotted(at, at->number, level);

    *sum = mca_coll_pschedule_layer(at->plan, at->problem, kept(at, at->number, level + 1));
    for (uint32_t i = 0; i < sum->chunks; ++i) {
        mca_coll_pschedule_range_t chunk = mca_coll_pschedule_layer_chunk(sum, i);
        uint64_t key = key_of(at, HALVE, level, i);

        mca_coll_pschedule_layer_set(
            sum, i,
            is_direct(at, at->number, level)
                ? add_direct(at, peer, key, chunk)
                : add_slotted(at, peer, key, first + i, chunk, &at->sum[level]));
    }
}

/* ---- second half ---- */

/* A chunk of a result leaves: it was added up here, or came in in `level` or a later one (which
 * comes earlier in the second half). */
static void depend_on_results(const halving_t *at, uint32_t level,
                              mca_coll_pschedule_range_t chunk, mca_coll_pschedule_node_t node)
{
    mca_coll_pschedule_layer_depend(at->plan, &at->sum[at->folded.levels], chunk, node);
    for (uint32_t i = level; i < at->folded.levels; ++i) {
        mca_coll_pschedule_layer_depend(at->plan, &at->got[i], chunk, node);
    }
}

/* `key` is that of the first chunk. */
static void send_results(halving_t *at, int32_t peer, uint64_t key, uint32_t level,
                         mca_coll_pschedule_range_t range)
{
    for (uint32_t i = 0; i < chunks_of(at, range); ++i) {
        mca_coll_pschedule_range_t chunk = chunk_of(at, range, i);
        mca_coll_pschedule_node_t sent
            = mca_coll_pschedule_plan_send(at->plan, peer, key + i, target(at, chunk), chunk.bytes,
                                           COLL_PSCHEDULE_NONE);

        depend_on_results(at, level, chunk, sent);
    }
}

static void receive_results(halving_t *at, int32_t peer, uint64_t key,
                            mca_coll_pschedule_layer_t *got)
{
    mca_coll_pschedule_node_t result = mca_coll_pschedule_plan_result(at->plan, at->partition);

    for (uint32_t i = 0; i < got->chunks; ++i) {
        mca_coll_pschedule_range_t chunk = mca_coll_pschedule_layer_chunk(got, i);
        mca_coll_pschedule_node_t arrive
            = mca_coll_pschedule_plan_receive(at->plan, peer, key + i, target(at, chunk),
                                              chunk.bytes);

        mca_coll_pschedule_layer_set(got, i, arrive);
        mca_coll_pschedule_plan_depend(at->plan, result, arrive);
    }
}

/* ---- folding ---- */

static void give(halving_t *at)
{
    int32_t peer = companion(at);
    mca_coll_pschedule_layer_t got = mca_coll_pschedule_layer(at->plan, at->problem, at->whole);

    for (uint32_t i = 0; i < got.chunks; ++i) {
        mca_coll_pschedule_range_t chunk = mca_coll_pschedule_layer_chunk(&got, i);

        (void) mca_coll_pschedule_slots_send(at->plan, at->problem->common_in_place ? i : 0, peer,
                                             key_of(at, FOLD, 0, i), own(at, chunk), chunk.bytes);
    }
    receive_results(at, peer, key_of(at, UNFOLD, 0, 0), &got);
    mca_coll_pschedule_layer_free(&got);
}

static void take_for_two(halving_t *at)
{
    int32_t peer = companion(at);
    mca_coll_pschedule_layer_t *sum = &at->sum[0];

    *sum = mca_coll_pschedule_layer(at->plan, at->problem, at->whole);
    for (uint32_t i = 0; i < sum->chunks; ++i) {
        mca_coll_pschedule_range_t chunk = mca_coll_pschedule_layer_chunk(sum, i);
        uint64_t key = key_of(at, FOLD, 0, i);

        mca_coll_pschedule_layer_set(sum, i,
                                     at->problem->common_in_place
                                         ? add_slotted(at, peer, key, i, chunk, NULL)
                                         : add_direct(at, peer, key, chunk));
    }
}

/* ---- all ---- */

static uint64_t slot_bytes(const mca_coll_pschedule_problem_t *problem)
{
    return mca_coll_pschedule_chunk_bound(problem, mca_coll_pschedule_common(problem));
}

static void take_part(halving_t *at)
{
    bool two = is_double(at, at->number);
    uint32_t levels = at->folded.levels;

    at->slots = mca_coll_pschedule_slots(at->plan, slotted(at, at->number, levels),
                                         slot_bytes(at->problem));
    if (two) {
        take_for_two(at);
    }
    for (uint32_t level = 0; level < levels; ++level) {
        send_half(at, level);
        receive_half(at, level);
    }
    mca_coll_pschedule_layer_depend(at->plan, &at->sum[levels], at->sum[levels].range,
                                    mca_coll_pschedule_plan_result(at->plan, at->partition));
    for (uint32_t level = levels; level-- > 0;) {
        int32_t peer = rank_of(at, partner(at, level));
        uint64_t key = key_of(at, DOUBLE, levels - level, 0);

        send_results(at, peer, key, level + 1, kept(at, at->number, level + 1));
        at->got[level] = mca_coll_pschedule_layer(at->plan, at->problem,
                                                  kept(at, partner(at, level), level + 1));
        receive_results(at, peer, key, &at->got[level]);
    }
    if (two) {
        send_results(at, companion(at), key_of(at, UNFOLD, 0, 0), 0, at->whole);
    }
    for (uint32_t i = 0; i < LEVELS; ++i) {
        mca_coll_pschedule_layer_free(&at->sum[i]);
        mca_coll_pschedule_layer_free(&at->got[i]);
    }
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    if (1 == problem->size) {
        mca_coll_pschedule_build_alone(plan, problem);
        return;
    }
    for (uint32_t i = 0; i < problem->common_partitions; ++i) {
        halving_t at = {.plan = plan,
                        .problem = problem,
                        .folded = mca_coll_pschedule_folded(problem->size),
                        .place = mca_coll_pschedule_ring_index(problem, problem->rank),
                        .partition = i,
                        .whole = {.bytes = mca_coll_pschedule_common(problem)},
                        .own = mca_coll_pschedule_own(plan, problem, 0, i),
                        .target = mca_coll_pschedule_target(problem, i)};

        if (mca_coll_pschedule_folded_gives(&at.folded, at.place)) {
            give(&at);
        } else {
            at.number
                = reversed(&at.folded, mca_coll_pschedule_folded_number(&at.folded, at.place));
            take_part(&at);
        }
    }
}

/* Bytes of a vector up to which the caches still hold most of it. Measured with four ranks: as fast
 * as shared_ring at 16 MiB, 1.1 times at 8 MiB, up to 1.3 times below. */
#define CACHED (UINT64_C(8) << 20)

/* Bytes of a vector whose parts queue up in the network without being lost. */
#define QUEUED UINT64_C(262144)

/* Are the rank of a number, as folded, and its partner in a level on one host? */
static bool is_near(const mca_coll_pschedule_hosts_t *hosts,
                    const mca_coll_pschedule_folded_t *folded, uint32_t number, uint32_t level)
{
    uint32_t place = mca_coll_pschedule_folded_rank(folded, number);
    uint32_t other = mca_coll_pschedule_folded_rank(folded, number ^ UINT32_C(1) << level);

    return mca_coll_pschedule_host_at(hosts, place) == mca_coll_pschedule_host_at(hosts, other);
}

/* Half of the bytes that the rank at a place sends to other hosts: in each half of the algorithm it
 * sends as much as it receives, but for those of the folded ones. */
static uint64_t sent_away(const mca_coll_pschedule_problem_t *problem,
                          const mca_coll_pschedule_folded_t *folded, uint32_t place)
{
    uint32_t host = mca_coll_pschedule_host_at(problem->hosts, place);
    bool pair = place < 2 * folded->extra;
    bool away = pair && host != mca_coll_pschedule_host_at(problem->hosts, place ^ 1);
    uint64_t bytes = away ? problem->common_bytes / 2 : 0;
    uint32_t number = mca_coll_pschedule_folded_number(folded, place);

    if (mca_coll_pschedule_folded_gives(folded, place)) {
        return bytes;
    }
    for (uint32_t i = 0; i < folded->levels; ++i) {
        bytes += is_near(problem->hosts, folded, number, i) ? 0 : problem->common_bytes >> (i + 1);
    }
    return bytes;
}

/* Levels in which nobody sends to another host. */
static uint64_t near_levels(const mca_coll_pschedule_hosts_t *hosts,
                            const mca_coll_pschedule_folded_t *folded)
{
    uint64_t levels = 0;

    for (uint32_t i = 0; NULL != hosts && i < folded->levels; ++i) {
        uint32_t number = 0;

        while (number < folded->core && is_near(hosts, folded, number, i)) {
            ++number;
        }
        levels += number == folded->core;
    }
    return levels;
}

static uint64_t busiest_host(const mca_coll_pschedule_problem_t *problem,
                             const mca_coll_pschedule_folded_t *folded)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint64_t most = 0;

    for (uint32_t i = 0; NULL != hosts && i < hosts->count; ++i) {
        uint64_t bytes = 0;

        for (uint32_t k = hosts->first[i]; k < hosts->first[i + 1]; ++k) {
            bytes += sent_away(problem, folded, k);
        }
        most = bytes > most ? bytes : most;
    }
    return 2 * most;
}

static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    mca_coll_pschedule_folded_t folded = mca_coll_pschedule_folded(problem->size);
    uint64_t bytes = problem->common_bytes;
    uint64_t others = bytes - bytes / folded.core;
    bool folds = 0 < folded.extra;

    *cost = (mca_coll_pschedule_cost_t) {
        .rounds = 2 * folded.levels + (folds ? 2 : 0),
        .local = 2 * near_levels(problem->hosts, &folded),
        .bytes = 2 * others + (folds ? bytes : 0),
        .hosts = busiest_host(problem, &folded),
        .reduced = others + (folds ? bytes : 0),
        .scratch = problem->common_partitions
                   * mca_coll_pschedule_slots_scratch(COLL_PSCHEDULE_REDUCTION_SLOTS,
                                                      slot_bytes(problem))};
    if (NULL != problem->hosts) {
        cost->messages = mca_coll_pschedule_allreduce_messages(
            problem, 0, 2 * mca_coll_pschedule_doublings((int32_t) problem->hosts->count),
            problem->hosts->most);
    }
    /* Several chunks are in different levels at the same time: half of all bytes come in the
     * outermost levels, from one rank, the others while those of another rank come, too. Queues of
     * the network hold a short vector (8 hosts lost a tenth of the bandwidth up to 1 MiB, a fifth
     * at 4 MiB, a third at 32 MiB). On one host there are none; but a core's cache fills up, with
     * halves of the vector. */
    if (1 < folded.levels && (!problem->one_host || bytes > CACHED)) {
        cost->crowded = cost->bytes / (bytes > QUEUED ? 2 : 8);
    }
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_allreduce_rabenseifner = {
    .collective = COLL_PSCHEDULE_ALLREDUCE,
    .last = COLL_PSCHEDULE_ALLREDUCE,
    .name = "rabenseifner",
    .description = "reduce-scatter by halving, allgather by doubling; few steps for much data",
    .memory = "four chunks per partition",
    .limits = COLL_PSCHEDULE_COMMUTATIVE,
    .build = build,
    .cost = cost};
