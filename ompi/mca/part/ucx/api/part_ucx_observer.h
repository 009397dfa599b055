/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How a channel tells its owner what becomes of it: a request of the user, or a collective.
 */
#ifndef PART_UCX_OBSERVER_H
#define PART_UCX_OBSERVER_H

#include <stdint.h>

/**
 * Called with the channel's context. Under the lock of a path; from the start of a link, under
 * none, for pieces that came before it; when the channel leaves, is given
 * up, or its peer has died, under the set-up lock; of a channel that has failed before, from its
 * start, under none. After an epoch has finished with an error, pieces of it may still be reported:
 * so the memory of a link that failed, its pieces and its context must stay.
 */
typedef struct mca_part_ucx_observer_t {
    /** Of a link: a piece has arrived, or its source is no longer needed. Must be cheap: also under
     * the lock of a path. */
    void (*moved)(void *context, uint32_t piece);
    /** The epoch is over, with an MPI error class. The last call of an epoch. */
    void (*finished)(void *context, int error);
} mca_part_ucx_observer_t;

#endif /* PART_UCX_OBSERVER_H */
