/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * READY: a receive tells its sender that it has started an epoch.
 *
 * UCX may keep the message for long, when the endpoint is new and the peer not there; and meanwhile
 * the receive may start again (it has fetched what was offered), be freed, or wait for another
 * send. So the message is no part of the receive. It can be let go of, and then frees itself when
 * it has left.
 *
 * A receive that fails over has several of them: part_ucx_failover_ready.h.
 */
#ifndef PART_UCX_READY_H
#define PART_UCX_READY_H

#include "channel/part_ucx_message.h"
#include "path/part_ucx_peer.h"

#include <stdatomic.h>

struct mca_part_ucx_recv_t;

/** Those of a receive that fails over. */
typedef struct mca_part_ucx_readies_t mca_part_ucx_readies_t;

typedef enum mca_part_ucx_ready_state_t {
    PART_UCX_READY_IDLE,
    PART_UCX_READY_BUSY, /**< queued, or UCX still needs the message */
    PART_UCX_READY_AGAIN /**< the same, and the receive has started once more */
} mca_part_ucx_ready_state_t;

typedef struct mca_part_ucx_ready_t {
    atomic_int state; /**< mca_part_ucx_ready_state_t */
    /* The rest under the lock of the receive's path. */
    mca_part_ucx_work_t work;
    mca_part_ucx_event_t event;  /**< the message, with the last epoch that is settled */
    struct mca_part_ucx_recv_t *recv; /**< NULL: let go of */
    mca_part_ucx_endpoint_t *endpoint; /**< by which it goes; NULL: that of the receive */
    mca_part_ucx_readies_t *together; /**< those that it is freed with; NULL: none */
    atomic_bool lost; /**< what has been said may not have been heard: say it once more */
    uint32_t rate[];  /**< what goes with the message: part_ucx_rate_message.h */
} mca_part_ucx_ready_t;

/** Make one for a match of the receive. NULL: no memory. */
mca_part_ucx_ready_t *mca_part_ucx_ready_make(struct mca_part_ucx_recv_t *recv);

/** The receive is armed for an epoch: send it by a pair that works, if the data of the epoch do not
 * come before. */
void mca_part_ucx_ready_started(struct mca_part_ucx_recv_t *recv);

/** It says that this epoch has started. Under its path's lock. */
void mca_part_ucx_ready_say(mca_part_ucx_ready_t *ready, uint32_t epoch);

/** UCX does not need it any more, or it was not sent: queue it once more if that was wanted
 * meanwhile. Under its path's lock. */
void mca_part_ucx_ready_over(mca_part_ucx_ready_t *ready);

/** The receive is armed, and it leaves when somebody drives the path. */
void mca_part_ucx_ready_queue(mca_part_ucx_ready_t *ready);

/** Free those of the present match, now or when they have left. */
void mca_part_ucx_ready_release(struct mca_part_ucx_recv_t *recv);

#endif /* PART_UCX_READY_H */
