/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The contract between this component and whoever else makes or uses partitioned requests
 * (libmpix_partitioned, coll/pschedule). Open MPI sends MPI_Pready* and MPI_Parrived to the one
 * selected part module whatever the request, and components are opened privately, so no symbol
 * of theirs can be linked against. Therefore every request of type OMPI_REQUEST_PART begins with
 * an ompi_request_t followed by a pointer to a table of operations, and all calls go through it.
 */
#ifndef PART_UCX_OPS_H
#define PART_UCX_OPS_H

#include "ompi_config.h"
#include "ompi/request/request.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** Changes with every incompatible change of the structures below. */
#define MCA_PART_UCX_OPS_VERSION 5

struct mca_part_ucx_any_request_t;

/** What a partitioned request can do. A NULL entry: MPI_ERR_REQUEST. */
typedef struct mca_part_ucx_ops_t {
    uint32_t version; /**< MCA_PART_UCX_OPS_VERSION */
    /** Partitions low..high (inclusive) may be sent. Returns an MPI error class. */
    int (*pready)(struct mca_part_ucx_any_request_t *request, size_t low, size_t high);
    /** Have partitions low..high (inclusive) arrived? Returns an MPI error class. */
    int (*parrived)(struct mca_part_ucx_any_request_t *request, size_t low, size_t high,
                    int *flag);
    /** The part of `prepare` that other ranks wait for, begun; for several requests before any is
     * waited for. NULL: there is none. Returns an MPI error class. */
    int (*prepare_begin)(struct mca_part_ucx_any_request_t *request);
    /** MPIX_Pbuf_prepare. Returns an MPI error class. */
    int (*prepare)(struct mca_part_ucx_any_request_t *request);
    /** MPIX_Parrived_some; `room` is not negative. Returns an MPI error class. */
    int (*claim)(struct mca_part_ucx_any_request_t *request, int room, int *count,
                 int partitions[]);
} mca_part_ucx_ops_t;

/** Place in the list of failed requests: mpi/part_ucx_failed_requests.h. */
typedef struct mca_part_ucx_failed_t {
    struct mca_part_ucx_any_request_t *next;
    bool passed; /**< a completion call has raised the error of another request */
} mca_part_ucx_failed_t;

/** The beginning of every partitioned request. */
typedef struct mca_part_ucx_any_request_t {
    ompi_request_t super;
    const mca_part_ucx_ops_t *ops;
    mca_part_ucx_failed_t failed;
    /** So many partitions, the first ones, have arrived for certain: MPI_Parrived need not ask the
     * request. With release, after the data. 0: always ask. */
    atomic_uint arrived;
} mca_part_ucx_any_request_t;

/**
 * May MPI_Request_free have it? What has failed may be freed without being completed, as Open MPI
 * before 5.0.10 does with several at a time.
 */
static inline bool mca_part_ucx_may_be_freed(const ompi_request_t *request)
{
    return OMPI_REQUEST_ACTIVE != request->req_state
           || (REQUEST_COMPLETE(request) && MPI_SUCCESS != request->req_status.MPI_ERROR);
}

#endif /* PART_UCX_OPS_H */
