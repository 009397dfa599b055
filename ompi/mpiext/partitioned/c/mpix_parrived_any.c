/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Parrived_any and MPIX_Parrived_some.
 */
#include "ompi_config.h"

#include "mpix_exported.h"
#include "mpix_part_request.h"

#pragma weak MPIX_Parrived_any = PMPIX_Parrived_any
#pragma weak MPIX_Parrived_some = PMPIX_Parrived_some

static const char needs[] = "takes a partitioned receive request, or a partitioned collective that "
                            "has a result on this rank, and pointers that are not NULL";

/* An error leaves `count` at "no more": a loop that looks at nothing else ends, too. */
static int claim(MPI_Request request, int room, int *count, int partitions[])
{
    mca_part_ucx_any_request_t *any;
    int error;

    *count = MPI_UNDEFINED;
    if (MPI_REQUEST_NULL == request
        || (NULL != request && OMPI_REQUEST_NOOP == request->req_type)) {
        return MPI_SUCCESS; /* the latter: what newer versions make for MPI_PROC_NULL */
    }
    error = mpix_part_request_find(request, &any);
    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        return error;
    }
    error = NULL == any->ops->claim ? MPI_ERR_REQUEST
                                    : any->ops->claim(any, room, count, partitions);
    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        *count = MPI_UNDEFINED;
    }
    return error;
}

int PMPIX_Parrived_any(MPI_Request request, int *partition, int *flag)
{
    ompi_communicator_t *comm = mpix_part_request_comm(request);
    int count = 0;
    int error = MPI_ERR_ARG;

    if (OPAL_LIKELY(NULL != partition && NULL != flag)) {
        error = claim(request, 1, &count, partition);
        *flag = 0 != count;
        if (1 != count) {
            *partition = MPI_UNDEFINED;
        }
    }
    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        return mpix_part_request_error(comm, error, "MPIX_Parrived_any", needs);
    }
    return MPI_SUCCESS;
}

int PMPIX_Parrived_some(MPI_Request request, int incount, int *outcount, int partitions[])
{
    ompi_communicator_t *comm = mpix_part_request_comm(request);
    int error = MPI_ERR_ARG;

    if (OPAL_LIKELY(incount >= 0 && NULL != outcount && (NULL != partitions || 0 == incount))) {
        error = claim(request, incount, outcount, partitions);
    }
    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        return mpix_part_request_error(comm, error, "MPIX_Parrived_some", needs);
    }
    return MPI_SUCCESS;
}
