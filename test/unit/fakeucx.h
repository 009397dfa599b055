/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A network that is made up: stands in for the UCP calls of the data path (linked with --wrap).
 * Every path is connected with itself. Operations complete, arrive and call back in random order as
 * far as UCX allows it, and what UCX forbids is noticed: two threads in one worker, progress or
 * flush inside a callback, a source that changes before its operation has completed. A path may
 * break: what is under way there then has arrived, in part or not at all, and fails.
 */
#ifndef MPIX_UNIT_FAKEUCX_H
#define MPIX_UNIT_FAKEUCX_H

#include <stdbool.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

#define FAKEUCX_MOST_PATHS 8u

typedef struct fakeucx_options_t {
    uint64_t seed;
    unsigned at_once;  /**< percent of the operations that are over when their call returns */
    bool put_in_place; /**< a put that has completed is in place; else only a flush tells */
    bool in_order;     /**< nothing overtakes anything */
    unsigned lazy;     /**< percent of the calls of progress that do nothing */
    uint32_t breaking; /**< bit i: path i breaks, and all that is posted there fails, ... */
    unsigned lasts;    /**< ... after this many operations */
} fakeucx_options_t;

/** Begin with an empty network. */
void fakeucx_open(const fakeucx_options_t *options);

/** While true, progress does nothing. */
extern bool fakeucx_stopped;

/** Free everything. */
void fakeucx_close(void);

ucp_worker_h fakeucx_worker(unsigned path);
ucp_ep_h fakeucx_endpoint(unsigned path);

/** Operations that are not over: neither completed, nor arrived, nor freed by their owner. */
unsigned fakeucx_in_flight(void);

/** What went against the rules first, or NULL. */
const char *fakeucx_violation(void);

/** What has been posted on a path since fakeucx_open(). */
typedef struct fakeucx_counts_t {
    unsigned puts;
    unsigned flushes;
    unsigned messages;
    unsigned most; /**< puts and data messages in flight at the same time */
} fakeucx_counts_t;

fakeucx_counts_t fakeucx_counts(unsigned path);

/** The messages of all paths. */
unsigned fakeucx_messages(void);

#endif /* MPIX_UNIT_FAKEUCX_H */
