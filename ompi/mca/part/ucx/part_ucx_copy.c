/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Copying into shared memory (see part_ucx_copy.h).
 */
#include "part_ucx_copy.h"

#include "part_ucx_clock.h"

#include <stdbool.h>
#include <string.h>

#ifdef __SSE2__
#    include <emmintrin.h>
#endif

/* Shorter copies are not worth two looks at a clock, and stay in the reader's cache. */
#define MEASURED_MIN 16384u

/* The first copies of one way after the other pay for where that has left the lines. */
#define UNSETTLED 16u

/* Copies of a try. */
#define TRY (2 * UNSETTLED)

/* Copies between tries: the more, the longer nothing has changed. */
#define WAIT_LEAST 128u
#define WAIT_MOST  8192u

/* A copy that was interrupted says little: count no more than this times what is usual. */
#define MOST_TIMES 4u
#define COST_MOST  (UINT32_MAX / 4)

#ifdef __SSE2__

#    define LINE 64u

static void store_line(char *to, const char *from)
{
    const __m128i *source = (const __m128i *) (const void *) from;
    __m128i *target = (__m128i *) (void *) to;
    __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1),
            c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);

    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
}

void mca_part_ucx_copy_past(void *to, const void *from, size_t bytes)
{
    char *target = to;
    const char *source = from;
    size_t head = (size_t) -(uintptr_t) target % LINE;

    head = head < bytes ? head : bytes;
    memcpy(target, source, head);
    target += head;
    source += head;
    bytes -= head;
    for (; bytes >= LINE; bytes -= LINE) {
        store_line(target, source);
        target += LINE;
        source += LINE;
    }
    memcpy(target, source, bytes);
    _mm_sfence(); /* such stores are ordered with nothing else */
}

#else

void mca_part_ucx_copy_past(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

#endif

static mca_part_ucx_copy_way_t other(mca_part_ucx_copy_way_t way)
{
    return PART_UCX_COPY_PAST == way ? PART_UCX_COPY_THROUGH : PART_UCX_COPY_PAST;
}

/* What a way costs both processes: to read lines from memory takes the reader about half as long as
 * to bring them there has taken the writer. */
static uint32_t both(const mca_part_ucx_copier_t *copier, mca_part_ucx_copy_way_t way)
{
    return copier->cost[way] + (PART_UCX_COPY_PAST == way ? copier->cost[way] / 2 : 0);
}

static bool is_dearer(const mca_part_ucx_copier_t *copier)
{
    uint32_t than = both(copier, other(copier->way));

    return 0 != than && both(copier, copier->way) > than;
}

static void change(mca_part_ucx_copier_t *copier)
{
    copier->way = other(copier->way);
    copier->wait = WAIT_LEAST;
    copier->left = copier->wait;
}

static void end_try(mca_part_ucx_copier_t *copier)
{
    copier->trying = 0;
    if (is_dearer(copier)) {
        change(copier);
    } else {
        copier->wait = copier->wait < WAIT_MOST / 2 ? 2 * copier->wait : WAIT_MOST;
        copier->left = copier->wait;
    }
}

static void begin_try(mca_part_ucx_copier_t *copier)
{
    copier->trying = 1;
    copier->left = TRY;
    copier->cost[other(copier->way)] = 0;
}

mca_part_ucx_copy_way_t mca_part_ucx_copy_choose(mca_part_ucx_copier_t *copier)
{
    if (0 == copier->wait) {
        copier->wait = WAIT_LEAST / 2; /* the beginning: learn what both cost */
        copier->left = TRY;
    } else if (0 == copier->left && 0 != copier->trying) {
        end_try(copier);
    } else if (0 == copier->left) {
        begin_try(copier);
    } else if (0 == copier->trying && is_dearer(copier)) {
        change(copier); /* the processes have moved apart, or together */
    }
    --copier->left;
    return 0 != copier->trying ? other(copier->way) : copier->way;
}

void mca_part_ucx_copy_note(mca_part_ucx_copier_t *copier, mca_part_ucx_copy_way_t way,
                            size_t bytes, uint64_t ns)
{
    uint64_t now = (ns << 20) / bytes + 1;
    uint64_t usual = 0 != copier->cost[way] ? copier->cost[way] : copier->cost[other(way)];

    copier->run = way == copier->last ? copier->run + 1 : 0;
    copier->last = way;
    if (copier->run < UNSETTLED) {
        return;
    }
    if (0 != usual && MOST_TIMES * usual < now) {
        now = MOST_TIMES * usual;
    }
    usual = 0 != copier->cost[way] ? (7 * usual + now) / 8 : now;
    copier->cost[way] = usual < COST_MOST ? (uint32_t) usual : COST_MOST;
}

void mca_part_ucx_copy(mca_part_ucx_copier_t *copier, void *to, const void *from, size_t bytes)
{
    mca_part_ucx_copy_way_t way;
    uint64_t begin;

    if (bytes < MEASURED_MIN) {
        memcpy(to, from, bytes);
        return;
    }
    way = mca_part_ucx_copy_choose(copier);
    begin = mca_part_ucx_clock_ns();
    if (PART_UCX_COPY_PAST == way) {
        mca_part_ucx_copy_past(to, from, bytes);
    } else {
        memcpy(to, from, bytes);
    }
    mca_part_ucx_copy_note(copier, way, bytes, mca_part_ucx_clock_ns() - begin);
}
