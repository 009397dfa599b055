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

static void publish(mca_part_ucx_rate_measure_t *pace)
{
    uint64_t rate = pace->busy_bytes * UINT64_C(1000000) / pace->busy_ns;

    rate = rate < 1 ? 1 : rate > UINT32_MAX ? UINT32_MAX : rate;
    atomic_store_explicit(&pace->rate, (unsigned) rate, memory_order_relaxed);
    atomic_store_explicit(&pace->news, atomic_load_explicit(&pace->news, memory_order_relaxed) + 1,
                          memory_order_release);
}

static void count(mca_part_ucx_rate_measure_t *pace, uint64_t ns, uint64_t bytes)
{
    pace->busy_ns += ns;
    pace->busy_bytes += bytes;
    ++pace->busy_messages;
    if (pace->busy_ns >= LEAST_NS && pace->busy_bytes >= LEAST_BYTES) {
        publish(pace);
    }
    if (pace->busy_ns > MEMORY_NS && pace->busy_messages > MEMORY_MESSAGES) {
        pace->busy_ns /= 2;
        pace->busy_bytes /= 2;
        pace->busy_messages /= 2;
    }
}

void mca_part_ucx_rate_measure_note(mca_part_ucx_rate_measure_t *pace, uint64_t now_ns,
                                    uint32_t idle, uint32_t gap_ns, uint64_t bytes)
{
    bool waited = idle != pace->idle;
    bool counts = bytes >= LEAST_MESSAGE;
    uint64_t passed = now_ns - pace->last_ns;
    uint64_t later;

    pace->idle = idle;
    if (0 == pace->last_ns || UINT32_MAX == gap_ns) {
        pace->busy = false;
        pace->queued_ns = 0;
        pace->last_ns = now_ns;
        return;
    }
    if (passed >= TOGETHER_NS) {
        bool was_busy = pace->busy;

        pace->busy = waited && gap_ns + QUEUE_NS <= pace->queued_ns;
        /* Of messages that come together the last one brings a part of the next, here half. */
        bytes -= pace->busy && !was_busy && pace->together ? bytes / 2 : 0;
    }
    pace->together = passed < TOGETHER_NS;
    if (pace->busy && counts) {
        count(pace, passed, bytes);
    }
    later = pace->queued_ns + passed - passed / DRIFT;
    pace->queued_ns = later > gap_ns ? later - gap_ns : 0;
    pace->last_ns = now_ns;
}
