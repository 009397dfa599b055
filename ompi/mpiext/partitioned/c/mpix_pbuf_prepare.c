/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Pbuf_prepare and MPIX_Pbuf_prepareall.
 */
#include "ompi_config.h"

#include "mpix_exported.h"
#include "mpix_part_request.h"

#pragma weak MPIX_Pbuf_prepare = PMPIX_Pbuf_prepare
#pragma weak MPIX_Pbuf_prepareall = PMPIX_Pbuf_prepareall

static const char needs[] = "takes partitioned requests that have been started";

/* Begins what the ranks of a collective wait for. What is wrong tells prepare(), which follows. */
static void begin(MPI_Request request)
{
    mca_part_ucx_any_request_t *any;

    if (NULL != request && OMPI_REQUEST_NOOP != request->req_type
        && MPI_SUCCESS == mpix_part_request_find(request, &any)
        && NULL != any->ops->prepare_begin) {
        (void) any->ops->prepare_begin(any);
    }
}

static int prepare(MPI_Request request, const char *function)
{
    ompi_communicator_t *comm = mpix_part_request_comm(request);
    mca_part_ucx_any_request_t *any;
    int error;

    if (NULL != request && OMPI_REQUEST_NOOP == request->req_type) {
        return MPI_SUCCESS; /* what newer versions of Open MPI make for MPI_PROC_NULL */
    }
    error = mpix_part_request_find(request, &any);
    if (MPI_SUCCESS == error) {
        error = NULL == any->ops->prepare ? MPI_ERR_REQUEST : any->ops->prepare(any);
    }
    return MPI_SUCCESS == error ? MPI_SUCCESS
                                : mpix_part_request_error(comm, error, function, needs);
}

int PMPIX_Pbuf_prepare(MPI_Request *request)
{
    return prepare(NULL == request ? NULL : *request, "MPIX_Pbuf_prepare");
}

int PMPIX_Pbuf_prepareall(int count, MPI_Request requests[])
{
    int first = MPI_SUCCESS;

    if (count < 0 || (count > 0 && NULL == requests)) {
        return mpix_part_request_error(NULL, MPI_ERR_ARG, "MPIX_Pbuf_prepareall",
                                       "takes a count that is not negative, and an array");
    }
    /* All of them, also behind one that fails: other ranks wait for this one in collectives, whose
     * order in the array is each rank's own. */
    for (int i = 0; i < count; ++i) {
        begin(requests[i]);
    }
    for (int i = 0; i < count; ++i) {
        int error = prepare(requests[i], "MPIX_Pbuf_prepareall");

        first = MPI_SUCCESS == first ? error : first;
    }
    return first;
}
