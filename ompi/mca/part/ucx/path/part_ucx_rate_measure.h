/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a path carries from one peer, measured by the receiver from messages that come anyway.
 *
 * The sender says with each message how long after the last one on this pair it was posted. So the
 * receiver knows by how much longer than the quickest each was under way: that long it has queued
 * somewhere. A message that was posted while the one before it still queued has found the path
 * busy, so all the time from that one's arrival to its own was spent on carrying it. Only such time
 * counts: not that in which nothing was to be sent, and not bytes that a link lets through at once
 * after a pause. No clock is compared with another, and pauses of the application do no harm.
 *
 * Pure, but for the memory order of `rate`.
 */
#ifndef PART_UCX_RATE_MEASURE_H
#define PART_UCX_RATE_MEASURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** Under the lock of the path, but for `rate`. */
typedef struct mca_part_ucx_rate_measure_t {
    uint64_t last_ns;       /**< when the last message came; 0: none has */
    uint64_t queued_ns;     /**< so much longer than the quickest was it under way */
    uint64_t busy_ns;       /**< time that the path was busy, of late, ... */
    uint64_t busy_bytes;    /**< ... what it carried in that time, ... */
    uint32_t busy_messages; /**< ... and in how many messages */
    uint32_t idle;          /**< as the path had it when that came */
    bool busy;              /**< did the last message find it so? */
    bool together;          /**< did that come together with the one before? */
    atomic_uint rate;       /**< bytes per millisecond; 0: not known */
    atomic_uint news;       /**< how often that was found out */
    atomic_uint told;       /**< `news` when the sender was told last. Any thread */
} mca_part_ucx_rate_measure_t;

/**
 * A message of so many bytes has come.
 *
 * @param idle    changes when the path was looked at and nothing was there; if that has not been so
 *                since the last message, this one has waited for a thread
 * @param gap_ns  so long after the last one it was posted; UINT32_MAX: longer, or not known
 */
void mca_part_ucx_rate_measure_note(mca_part_ucx_rate_measure_t *measure, uint64_t now_ns,
                                    uint32_t idle, uint32_t gap_ns, uint64_t bytes);

/** The gap that a message is to tell. `posted_ns`: when the last one was; 0: none has been. */
static inline uint32_t mca_part_ucx_rate_measure_gap(uint64_t posted_ns, uint64_t now_ns)
{
    uint64_t gap = now_ns - posted_ns;

    return 0 == posted_ns || gap > UINT32_MAX ? UINT32_MAX : (uint32_t) gap;
}

#endif /* PART_UCX_RATE_MEASURE_H */
