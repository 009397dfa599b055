/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a path carries from one peer (see part_ucx_rate_measure.h).
 */
#include "path/part_ucx_rate_measure.h"

/* A rate is of so much busy time at least, because threads come late, and links have steps of their
 * own; and what is older than some of it counts by half, so that a rate that changes is noticed. */
#define LEAST_NS        UINT64_C(2000000)
#define LEAST_BYTES     UINT64_C(65536)
#define MEMORY_NS       UINT64_C(48000000)
#define MEMORY_MESSAGES 16u

/* Smaller messages are as far apart as threads take them, whatever the link carries. */
#define LEAST_MESSAGE UINT64_C(8192)

/* Clocks drift apart, and a route may become longer: what seems to queue is forgotten at this rate,
 * a thousandth, which is more than any clock is wrong. */
#define DRIFT 1024

/* What comes so soon after another one came together with it: the kernel hands over what was one
 * packet, or waited for the thread. Both count, or none. */
#define TOGETHER_NS UINT64_C(40000)

/* What queues for less may just have been taken late by a thread. */
#define QUEUE_NS UINT64_C(100000)

static void publish(mca_part_ucx_rate_measure_t *measure)
{
    uint64_t rate = measure->busy_bytes * UINT64_C(1000000) / measure->busy_ns;
    unsigned news = atomic_load_explicit(&measure->news, memory_order_relaxed);

    rate = rate < 1 ? 1 : rate > UINT32_MAX ? UINT32_MAX : rate;
    atomic_store_explicit(&measure->rate, (unsigned) rate, memory_order_relaxed);
    atomic_store_explicit(&measure->news, news + 1, memory_order_release);
}

static void count(mca_part_ucx_rate_measure_t *measure, uint64_t ns, uint64_t bytes)
{
    measure->busy_ns += ns;
    measure->busy_bytes += bytes;
    ++measure->busy_messages;
    if (measure->busy_ns >= LEAST_NS && measure->busy_bytes >= LEAST_BYTES) {
        publish(measure);
    }
    if (measure->busy_ns > MEMORY_NS && measure->busy_messages > MEMORY_MESSAGES) {
        measure->busy_ns /= 2;
        measure->busy_bytes /= 2;
        measure->busy_messages /= 2;
    }
}

void mca_part_ucx_rate_measure_note(mca_part_ucx_rate_measure_t *measure, uint64_t now_ns,
                                    uint32_t idle, uint32_t gap_ns, uint64_t bytes)
{
    bool waited = idle != measure->idle;
    bool counts = bytes >= LEAST_MESSAGE;
    uint64_t passed = now_ns - measure->last_ns;
    uint64_t later;

    measure->idle = idle;
    if (0 == measure->last_ns || UINT32_MAX == gap_ns) {
        measure->busy = false;
        measure->queued_ns = 0;
        measure->last_ns = now_ns;
        return;
    }
    if (passed >= TOGETHER_NS) {
        bool was_busy = measure->busy;

        measure->busy = waited && gap_ns + QUEUE_NS <= measure->queued_ns;
        /* Of messages that come together the last one brings a part of the next, here half. */
        bytes -= measure->busy && !was_busy && measure->together ? bytes / 2 : 0;
    }
    measure->together = passed < TOGETHER_NS;
    if (measure->busy && counts) {
        count(measure, passed, bytes);
    }
    later = measure->queued_ns + passed - passed / DRIFT;
    measure->queued_ns = later > gap_ns ? later - gap_ns : 0;
    measure->last_ns = now_ns;
}
