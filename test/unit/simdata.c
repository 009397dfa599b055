/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the buffers of simulated ranks hold, and what they must hold (see simulator.h).
 */
#include "simulator.h"

#include <stdlib.h>
#include <string.h>

enum { POISON = 0xa5, GUARD = 0x5a };

/* Settled bytes of an image: the content is as the plan leaves it. */
enum { AS_BEFORE, RESULT, ANYTHING };

#define PRIME UINT64_C(4294967291)

/* ---- operators ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* x -> ax + b modulo a prime, as a << 32 | b: the left one is applied last. */
static uint64_t compose(uint64_t left, uint64_t right)
{
    uint64_t la = left >> 32, lb = left & UINT32_MAX, ra = right >> 32, rb = right & UINT32_MAX;

    return la * ra % PRIME << 32 | (la * rb % PRIME + lb) % PRIME;
}

static uint64_t combine(const sim_params_t *params, uint64_t left, uint64_t right)
{
    if (0 != params->exact) {
        return mix(left * 3 + mix(right));
    }
    return 0 != params->ordered ? compose(left, right) : left + right;
}

void sim_combine(const sim_params_t *params, const void *from, void *to, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t left, right;

        memcpy(&left, (const char *) from + i, sizeof(left));
        memcpy(&right, (char *) to + i, sizeof(right));
        right = combine(params, left, right);
        memcpy((char *) to + i, &right, sizeof(right));
    }
}

/* ---- contents ---- */

/* A word that rank `rank` contributes, or eight bytes of it. */
static uint64_t word_of(const sim_params_t *params, uint32_t epoch, uint32_t rank, uint32_t block,
                        uint64_t index)
{
    uint64_t when = 0 != params->exact ? 0 : epoch; /* the same each time */
    uint64_t word = mix(mix(mix(when + 1) + rank) + ((uint64_t) block << 40) + index);

    if (sim_reduces(params->collective) && 0 != params->ordered) {
        word = (1 + (word >> 32) % (PRIME - 1)) << 32 | (word & UINT32_MAX) % PRIME;
    }
    return word;
}

/* Bytes from `begin` of send block `block` of a rank. */
static void contribution(const sim_params_t *params, uint32_t epoch, uint32_t rank, uint32_t block,
                         mca_coll_pschedule_range_t range, unsigned char *to)
{
    uint64_t word = 0;

    for (uint64_t i = 0; i < range.bytes; ++i) {
        uint64_t at = range.offset + i;

        if (0 == i || 0 == at % 8) {
            word = word_of(params, epoch, rank, block, at / 8);
        }
        to[i] = (unsigned char) (word >> 8 * (at % 8));
    }
}

/* The result of ranks first to last, from a block of each. */
static void reduction(const sim_params_t *params, uint32_t epoch, uint32_t first, uint32_t last,
                      uint32_t block, mca_coll_pschedule_range_t range, unsigned char *to)
{
    for (uint64_t i = 0; i < range.bytes; i += sizeof(uint64_t)) {
        uint64_t at = (range.offset + i) / 8;
        uint64_t sum = word_of(params, epoch, last, block, at);

        for (uint32_t rank = last; rank-- > first;) {
            sum = combine(params, word_of(params, epoch, rank, block, at), sum);
        }
        memcpy(to + i, &sum, sizeof(sum));
    }
}

static const mca_coll_pschedule_block_t *block_with(const mca_coll_pschedule_block_t *block,
                                                    uint32_t partition, uint32_t *index)
{
    *index = 0;
    while (partition >= block->first + block->cut.partitions) {
        ++block;
        ++*index;
    }
    return block;
}

/* Partition `partition` of the contribution of a rank, in a copy of its buffer. */
static void fill(const sim_rank_t *rank, uint32_t partition, unsigned char *buffer)
{
    uint32_t index;
    const mca_coll_pschedule_block_t *block = block_with(rank->send, partition, &index);
    mca_coll_pschedule_range_t range
        = mca_coll_pschedule_partition(&block->cut, partition - block->first);

    contribution(&rank->world->params, rank->epoch, (uint32_t) rank->problem.rank, index, range,
                 buffer + block->offset + range.offset);
}

void sim_load(sim_rank_t *rank, uint32_t partition)
{
    if (rank->problem.in_place) {
        fill(rank, partition, rank->space[COLL_PSCHEDULE_SPACE_RECV]);
        fill(rank, partition, rank->image);
    } else {
        fill(rank, partition, rank->space[COLL_PSCHEDULE_SPACE_SEND]);
    }
}

/* What a partition of the result shall be; false when it has no content of its own. */
static bool expected(const sim_rank_t *rank, uint32_t index, mca_coll_pschedule_range_t range,
                     unsigned char *to)
{
    const sim_params_t *params = &rank->world->params;
    uint32_t me = (uint32_t) rank->problem.rank;
    uint32_t last = params->ranks - 1;

    if (!sim_reduces(params->collective)) {
        const sim_origin_t *origin = &rank->origin[index];

        if (COLL_PSCHEDULE_NOBODY == origin->rank) {
            return false;
        }
        contribution(params, rank->epoch, (uint32_t) origin->rank, origin->block, range, to);
        return true;
    }
    if (COLL_PSCHEDULE_EXSCAN == params->collective && 0 == me) {
        return false;
    }
    last = COLL_PSCHEDULE_SCAN == params->collective ? me : last;
    last = COLL_PSCHEDULE_EXSCAN == params->collective ? me - 1 : last;
    reduction(params, rank->epoch, 0, last, rank->origin[index].block, range, to);
    return true;
}

/* ---- an epoch ---- */

static void poison(sim_rank_t *rank, int space)
{
    memset(rank->space[space] - SIM_GUARD, GUARD, SIM_GUARD);
    memset(rank->space[space], POISON, rank->size[space]);
    memset(rank->space[space] + rank->size[space], GUARD, SIM_GUARD);
}

void sim_poison(sim_rank_t *rank)
{
    for (int i = 0; i < 3; ++i) {
        poison(rank, i);
    }
    memset(rank->image, POISON, rank->size[COLL_PSCHEDULE_SPACE_RECV]);
    memset(rank->settled, AS_BEFORE, rank->size[COLL_PSCHEDULE_SPACE_RECV]);
    if (rank->problem.in_place && sim_reduces(rank->world->params.collective)) {
        for (uint32_t i = 0; i < rank->problem.send_blocks; ++i) {
            memset(rank->settled + rank->send[i].offset, ANYTHING, rank->send[i].cut.bytes);
        }
    }
}

/* The first result seen is right; all others must be equal to it. */
static void check_exact(sim_rank_t *rank, uint64_t offset, uint64_t bytes)
{
    sim_world_t *world = rank->world;
    uint64_t at = offset;
    bool shared = COLL_PSCHEDULE_ALLREDUCE == world->params.collective;

    for (int32_t i = 0; !shared && i < rank->problem.rank; ++i) {
        at += world->rank[i].size[COLL_PSCHEDULE_SPACE_RECV];
    }
    (void) pthread_mutex_lock(&world->lock);
    if (0 == world->known[at]) {
        memcpy(world->reference + at, rank->space[COLL_PSCHEDULE_SPACE_RECV] + offset, bytes);
        world->known[at] = 1;
    }
    memcpy(rank->image + offset, world->reference + at, bytes);
    (void) pthread_mutex_unlock(&world->lock);
}

void sim_check(sim_rank_t *rank, uint32_t partition)
{
    uint32_t index;
    const mca_coll_pschedule_block_t *block = block_with(rank->recv, partition, &index);
    mca_coll_pschedule_range_t range
        = mca_coll_pschedule_partition(&block->cut, partition - block->first);
    uint64_t offset = block->offset + range.offset;

    if (0 == range.bytes || !expected(rank, index, range, rank->image + offset)) {
        return;
    }
    memset(rank->settled + offset, RESULT, range.bytes);
    if (0 != rank->world->params.exact) {
        check_exact(rank, offset, range.bytes);
    }
    if (0 != memcmp(rank->image + offset, rank->space[COLL_PSCHEDULE_SPACE_RECV] + offset,
                    range.bytes)) {
        sim_fail(rank->world, "rank %d: partition %u of the result is wrong when it arrives",
                 (int) rank->problem.rank, partition);
    }
}

static void check_guards(sim_rank_t *rank)
{
    for (int space = 0; space < 3; ++space) {
        for (int i = 0; i < SIM_GUARD; ++i) {
            if (GUARD != rank->space[space][i - SIM_GUARD]
                || GUARD != rank->space[space][rank->size[space] + (uint64_t) i]) {
                sim_fail(rank->world, "rank %d: bytes outside of buffer %d were written",
                         (int) rank->problem.rank, space);
            }
        }
    }
}

void sim_check_end(sim_rank_t *rank)
{
    uint64_t size = rank->size[COLL_PSCHEDULE_SPACE_SEND];
    unsigned char *copy = malloc(size + 1);

    check_guards(rank);
    for (uint64_t i = 0; i < rank->size[COLL_PSCHEDULE_SPACE_RECV]; ++i) {
        if (ANYTHING != rank->settled[i]
            && rank->image[i] != rank->space[COLL_PSCHEDULE_SPACE_RECV][i]) {
            sim_fail(rank->world, "rank %d: byte %llu of the receive buffer is wrong at the end",
                     (int) rank->problem.rank, (unsigned long long) i);
            break;
        }
    }
    memset(copy, POISON, size);
    for (uint32_t i = 0; !rank->problem.in_place && i < rank->plan->send_partitions; ++i) {
        fill(rank, i, copy);
    }
    if (0 != memcmp(copy, rank->space[COLL_PSCHEDULE_SPACE_SEND], size)) {
        sim_fail(rank->world, "rank %d: the contribution was changed", (int) rank->problem.rank);
    }
    free(copy);
}

/* ---- which partitions overlap a range ---- */

typedef struct walk_t {
    const mca_coll_pschedule_block_t *block;
    uint32_t blocks;
    uint64_t begin, end; /* of the range */
    uint32_t partition, last;
} walk_t;

/* The next partition that overlaps; false when there is none. */
static bool next(walk_t *walk)
{
    while (walk->partition >= walk->last) {
        const mca_coll_pschedule_block_t *block = walk->block++;
        uint64_t each, begin, end;

        if (0 == walk->blocks--) {
            return false;
        }
        each = block->cut.bytes / block->cut.partitions;
        begin = walk->begin > block->offset ? walk->begin - block->offset : 0;
        end = walk->end > block->offset ? walk->end - block->offset : 0;
        end = end > block->cut.bytes ? block->cut.bytes : end;
        if (begin < end) {
            walk->partition = block->first + (uint32_t) (begin / each);
            walk->last = block->first + (uint32_t) ((end - 1) / each) + 1;
        }
    }
    ++walk->partition;
    return true;
}

static walk_t walk_send(const sim_rank_t *rank, uint64_t begin, uint64_t bytes)
{
    return (walk_t) {.block = rank->send,
                     .blocks = rank->problem.send_blocks,
                     .begin = begin,
                     .end = begin + bytes};
}

static walk_t walk_recv(const sim_rank_t *rank, uint64_t begin, uint64_t bytes)
{
    return (walk_t) {.block = rank->recv,
                     .blocks = rank->problem.recv_blocks,
                     .begin = begin,
                     .end = begin + bytes};
}

static bool holds_contribution(const sim_rank_t *rank, mca_coll_pschedule_space_t space)
{
    return space
           == (rank->problem.in_place ? COLL_PSCHEDULE_SPACE_RECV : COLL_PSCHEDULE_SPACE_SEND);
}

static void check_marked(sim_rank_t *rank, mca_coll_pschedule_place_t place, uint64_t bytes,
                         const char *what)
{
    walk_t walk = walk_send(rank, place.offset, bytes);

    while (holds_contribution(rank, place.space) && next(&walk)) {
        if (0 == rank->marked[walk.partition - 1]) {
            sim_fail(rank->world, "rank %d: partition %u of the contribution is %s before it is "
                     "marked", (int) rank->problem.rank, walk.partition - 1, what);
        }
    }
}

void sim_reads(sim_rank_t *rank, mca_coll_pschedule_place_t place, uint64_t bytes)
{
    check_marked(rank, place, bytes, "read");
}

void sim_writes(sim_rank_t *rank, mca_coll_pschedule_place_t place, uint64_t bytes)
{
    walk_t walk = walk_recv(rank, place.offset, bytes);

    if (COLL_PSCHEDULE_SPACE_SEND == place.space) {
        sim_fail(rank->world, "rank %d: the send buffer is written", (int) rank->problem.rank);
    }
    check_marked(rank, place, bytes, "overwritten");
    while (COLL_PSCHEDULE_SPACE_RECV == place.space && next(&walk)) {
        if (0 != rank->arrived[walk.partition - 1]) {
            sim_fail(rank->world, "rank %d: partition %u of the result is written after it arrived",
                     (int) rank->problem.rank, walk.partition - 1);
        }
    }
}

/* ---- what a result needs ---- */

typedef void visit_t(sim_world_t *world, uint32_t rank, uint32_t partition);

static bool need(sim_world_t *world, uint32_t rank, uint32_t partition, visit_t *visit)
{
    if (0 != world->rank[rank].marked[partition]) {
        return true;
    }
    if (NULL != visit) {
        visit(world, rank, partition);
    }
    return false;
}

static bool need_range(sim_world_t *world, uint32_t rank, uint64_t offset, uint64_t bytes,
                       visit_t *visit)
{
    walk_t walk = walk_send(&world->rank[rank], offset, bytes);
    bool all = true;

    while (next(&walk)) {
        all = need(world, rank, walk.partition - 1, visit) && all;
    }
    return all;
}

/* Partition `partition` of all ranks: what a result of a reduction, scans included, may need. */
static bool need_all(sim_world_t *world, uint32_t partition, visit_t *visit)
{
    bool all = true;

    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        all = need(world, i, partition, visit) && all;
    }
    return all;
}

/* Where a rank works in place, a result of reduce_scatter takes the room of contributions to other
 * results (or to itself), which must have been used: they needed the same. `seen`: partitions asked
 * for. */
static bool due_scattered(sim_world_t *world, uint32_t partition, visit_t *visit,
                          unsigned char *seen)
{
    uint32_t owner; /* gets the result */
    const mca_coll_pschedule_block_t *block
        = block_with(world->rank[0].send, partition, &owner);
    mca_coll_pschedule_range_t range
        = mca_coll_pschedule_partition(&block->cut, partition - block->first);
    bool all = need_all(world, partition, visit);
    walk_t walk = walk_send(&world->rank[owner], range.offset, range.bytes);

    seen[partition] = 1;
    while (world->rank[owner].problem.in_place && next(&walk)) {
        if (0 == seen[walk.partition - 1]) {
            all = due_scattered(world, walk.partition - 1, visit, seen) && all;
        }
    }
    return all;
}

static bool due_reduction(sim_rank_t *rank, uint32_t block, uint32_t partition, visit_t *visit)
{
    sim_world_t *world = rank->world;
    mca_coll_pschedule_collective_t collective = world->params.collective;
    unsigned char *seen;
    bool all;

    if (COLL_PSCHEDULE_REDUCE_SCATTER != collective
        && COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK != collective) {
        return need_all(world, partition, visit);
    }
    seen = calloc(rank->plan->send_partitions, 1);
    all = due_scattered(world, rank->send[block].first + partition, visit, seen);
    free(seen);
    return all;
}

bool sim_due(sim_rank_t *rank, uint32_t partition, visit_t *visit)
{
    uint32_t index;
    const mca_coll_pschedule_block_t *block = block_with(rank->recv, partition, &index);
    const sim_origin_t *origin = &rank->origin[index];
    mca_coll_pschedule_range_t range
        = mca_coll_pschedule_partition(&block->cut, partition - block->first);

    if (0 == range.bytes) {
        return false;
    }
    if (sim_reduces(rank->world->params.collective)) {
        return due_reduction(rank, origin->block, partition - block->first, visit);
    }
    if (COLL_PSCHEDULE_NOBODY == origin->rank) {
        return true;
    }
    return need_range(rank->world, (uint32_t) origin->rank,
                      rank->world->rank[origin->rank].send[origin->block].offset + range.offset,
                      range.bytes, visit);
}
