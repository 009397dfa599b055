/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the made-up network (see fakeucx.h): its operations and workers, which fakeucx.c lets live
 * and end, and fakeucx_calls.c begins.
 */
#ifndef MPIX_UNIT_FAKEUCX_OP_H
#define MPIX_UNIT_FAKEUCX_OP_H

#include "fakeucx.h"
#include "unit.h"

#include <stdatomic.h>

#define FAKEUCX_MOST_OPS 512u
#define FAKEUCX_MOST_IDS 16

typedef enum fakeucx_kind_t { KIND_PUT, KIND_MESSAGE, KIND_FLUSH, KIND_FETCH } fakeucx_kind_t;

struct fakeucx_worker_t;

typedef struct fakeucx_op_t {
    fakeucx_kind_t kind;
    struct fakeucx_worker_t *worker;
    uint64_t order; /* of posting on its worker */
    bool arrived, completed;
    ucs_status_t status; /* when completed */
    bool owned; /* the caller has a request that it must free */
    ucp_request_param_t param;
    unsigned id; /* of a message */
    const void *header, *source;
    size_t header_length, length;
    char *copy;         /* header and source, once they have been read */
    char *target;       /* of a put or a fetch */
    struct fakeucx_op_t *fetch; /* of a rendezvous message */
    bool held;          /* a rendezvous message that the receiver has kept for later */
    ucs_status_t refusal; /* of one that it has refused: what its sender is told */
} fakeucx_op_t;

typedef struct fakeucx_worker_t {
    atomic_bool busy;
    unit_random_t random;
    uint64_t order;
    fakeucx_op_t *op[FAKEUCX_MOST_OPS];
    unsigned ops;
    ucp_am_handler_param_t handler[FAKEUCX_MOST_IDS];
    fakeucx_counts_t counts;
    unsigned data_in_flight;
} fakeucx_worker_t;

/** What goes against the rules; the first counts. */
void fakeucx_violated(const char *what);

/** One thread at a time; calls of a callback are part of the call that called it: false. */
bool fakeucx_enter(fakeucx_worker_t *worker);
void fakeucx_leave(fakeucx_worker_t *worker, bool entered);

/** Begin an operation; what its call returns: a request, NULL when it is over already, an error. */
fakeucx_op_t *fakeucx_op_new(fakeucx_worker_t *worker, fakeucx_kind_t kind, const void *source,
                             size_t length, const ucp_request_param_t *param);
ucs_status_ptr_t fakeucx_posted(fakeucx_worker_t *worker, fakeucx_op_t *op);

/** Some steps of some operations; returns how many could be made. */
unsigned fakeucx_steps(fakeucx_worker_t *worker);

/** The owner has freed its request. */
void fakeucx_op_release(fakeucx_op_t *op);

#endif /* MPIX_UNIT_FAKEUCX_OP_H */
