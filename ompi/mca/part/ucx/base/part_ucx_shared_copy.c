/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Copying into shared memory (see part_ucx_shared_copy.h).
 */
#include "base/part_ucx_shared_copy.h"

#include "base/part_ucx_clock.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#    include <emmintrin.h>
#endif

/* Shorter copies are not worth two looks at a clock, and stay in the reader's cache. */
#define MEASURED_MIN 16384u

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

void mca_part_ucx_shared_copy_past(void *to, const void *from, size_t bytes)
{
    char *target = to;
    const char *source = from;
    size_t head = (size_t) - (uintptr_t) target % LINE;

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

void mca_part_ucx_shared_copy_past(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

#endif

/* What a way costs both processes: to read lines from memory takes the reader about half as long as
 * to bring them there has taken the writer. */
static uint64_t both(uint32_t way, uint64_t ns)
{
    return PART_UCX_COPY_PAST == way ? ns + ns / 2 : ns;
}

void mca_part_ucx_shared_copy(mca_part_ucx_cheaper_t *cheaper, void *to, const void *from,
                              size_t bytes)
{
    uint64_t begin;
    uint32_t way;

    if (bytes < MEASURED_MIN) {
        memcpy(to, from, bytes);
        return;
    }
    way = mca_part_ucx_cheaper_next(cheaper);
    begin = mca_part_ucx_clock_ns();
    if (PART_UCX_COPY_PAST == way) {
        mca_part_ucx_shared_copy_past(to, from, bytes);
    } else {
        memcpy(to, from, bytes);
    }
    mca_part_ucx_cheaper_note(cheaper, way, bytes, both(way, mca_part_ucx_clock_ns() - begin));
}
