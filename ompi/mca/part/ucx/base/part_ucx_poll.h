/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When a thread that asks for partitions and finds none should make progress.
 *
 * Not at every call: looking takes some nanoseconds, progress hundreds, and many threads look at
 * the same time. But not after a fixed number of calls either, for the thread may do something else
 * between them: yield, or compute. So every thread has a number of its own, which grows while less
 * than PART_UCX_POLL_NS pass until it is reached, and shrinks while more do.
 */
#ifndef PART_UCX_POLL_H
#define PART_UCX_POLL_H

#include "base/part_ucx_clock.h"

#include <stdbool.h>
#include <stdint.h>

#define PART_UCX_POLL_NS 500u
/** Most calls without progress. */
#define PART_UCX_POLL_CALLS 128u

/** Of a thread; all zero at first. */
typedef struct mca_part_ucx_poll_t {
    uint32_t calls; /**< that found nothing since the last progress */
    uint32_t limit; /**< calls between two of progress */
    uint64_t then;  /**< nanoseconds, when the last progress was over */
} mca_part_ucx_poll_t;

/** Progress is due at `now`: choose the number of calls until the next one. */
static inline void mca_part_ucx_poll_adapt(mca_part_ucx_poll_t *poll, uint64_t now)
{
    uint64_t passed = now - poll->then;

    if (passed < PART_UCX_POLL_NS && poll->limit < PART_UCX_POLL_CALLS) {
        poll->limit *= 2;
    } else if (passed > 2 * PART_UCX_POLL_NS) {
        poll->limit /= 2;
    }
    poll->limit = 0 == poll->limit ? 1 : poll->limit;
    poll->calls = 0;
}

/** A call has found nothing: should it make progress, and then call mca_part_ucx_poll_over()? */
static inline bool mca_part_ucx_poll_due(mca_part_ucx_poll_t *poll)
{
    if (++poll->calls < poll->limit) {
        return false;
    }
    mca_part_ucx_poll_adapt(poll, mca_part_ucx_clock_ns());
    return true;
}

/** Progress has been made. How long that took does not count. */
static inline void mca_part_ucx_poll_over(mca_part_ucx_poll_t *poll)
{
    poll->then = mca_part_ucx_clock_ns();
}

#endif /* PART_UCX_POLL_H */
