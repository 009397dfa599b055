/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned requests of the user: what MPI sees of one end of a channel. The channel moves the
 * data; the request observes it, and is completed by a thread of the application.
 */
#ifndef PART_UCX_REQUEST_H
#define PART_UCX_REQUEST_H

#include "api/part_ucx_claim.h"
#include "api/part_ucx_ops.h"
#include "api/part_ucx_task.h"
#include "channel/part_ucx_channel.h"

typedef struct mca_part_ucx_request_t {
    mca_part_ucx_any_request_t any;  /**< holds a reference of the communicator */
    mca_part_ucx_channel_t *channel; /**< looks for nobody if the peer is MPI_PROC_NULL */
    uint32_t partitions;             /**< as the user counts them: may be 0 */
    int outcome;                     /**< MPI error class of the last epoch */
    mca_part_ucx_task_t done;        /**< completes the request; a final task */
    mca_part_ucx_claims_t claims;    /**< of a receive */
} mca_part_ucx_request_t;

OBJ_CLASS_DECLARATION(mca_part_ucx_request_t);

/** Arguments of the two init calls. */
typedef struct mca_part_ucx_init_t {
    const void *buffer;
    size_t partitions;
    size_t count;
    ompi_datatype_t *datatype;
    int peer;
    int tag;
    ompi_communicator_t *comm;
} mca_part_ucx_init_t;

/** A request and its channel, which does not look for its other end yet. NULL: no memory. */
mca_part_ucx_request_t *mca_part_ucx_psend_new(const mca_part_ucx_init_t *init);
mca_part_ucx_request_t *mca_part_ucx_precv_new(const mca_part_ucx_init_t *init);

/** Free a request and its channel, of which nothing else knows. NULL is allowed. */
void mca_part_ucx_request_destroy(mca_part_ucx_request_t *request);

/** MPI_Start and MPI_Startall: begin an epoch of each request. */
int mca_part_ucx_requests_start(size_t count, ompi_request_t **requests);

/** Complete what was handed over; called by application threads without any lock. */
int mca_part_ucx_requests_complete(void);

/* ---- for part_ucx_psend.c and part_ucx_precv.c ---- */

/** What both kinds have in common. NULL: no memory. */
mca_part_ucx_request_t *mca_part_ucx_request_new(const mca_part_ucx_init_t *init,
                                                 const mca_part_ucx_ops_t *ops);

/** Describe the message to the request's new channel, and make it the observer. */
void mca_part_ucx_request_attach(mca_part_ucx_request_t *request,
                                 const mca_part_ucx_init_t *init,
                                 mca_part_ucx_channel_t *channel,
                                 const mca_part_ucx_observer_t *observer);

/** The epoch of the request, the context of its channel, has ended: hand it over for completion. */
void mca_part_ucx_request_ended(void *context, int error);

/** Is the peer MPI_PROC_NULL? Then nothing is moved. */
static inline bool mca_part_ucx_request_is_null(const mca_part_ucx_request_t *request)
{
    return MPI_PROC_NULL == request->channel->peer_rank;
}

/** Is it active? MPI_Wait of another thread may make it inactive. */
static inline bool mca_part_ucx_request_is_active(const mca_part_ucx_request_t *request)
{
    return OMPI_REQUEST_ACTIVE
           == __atomic_load_n(&request->any.super.req_state, __ATOMIC_ACQUIRE);
}

#endif /* PART_UCX_REQUEST_H */
