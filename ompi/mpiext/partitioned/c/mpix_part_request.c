/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From an MPI_Request to the operations of part/ucx (see mpix_part_request.h).
 */
#include "ompi_config.h"

#include "mpix_error.h"
#include "mpix_part_request.h"

#include <string.h>

#include "ompi/mca/part/base/base.h"

/* All partitioned requests are made by the one selected component, or follow its contract. */
static bool ucx_is_selected(void)
{
    return 0 == strcmp("ucx", mca_part_base_selected_component.partm_version.mca_component_name);
}

static bool is_partitioned(MPI_Request request)
{
    return NULL != request && MPI_REQUEST_NULL != request
           && OMPI_REQUEST_PART == request->req_type;
}

int mpix_part_request_find(MPI_Request request, mca_part_ucx_any_request_t **any)
{
    if (!is_partitioned(request)) {
        return MPI_ERR_REQUEST;
    }
    *any = (mca_part_ucx_any_request_t *) request;
    if (!ucx_is_selected() || MCA_PART_UCX_OPS_VERSION != (*any)->ops->version) {
        return MPI_ERR_UNSUPPORTED_OPERATION;
    }
    return MPI_SUCCESS;
}

ompi_communicator_t *mpix_part_request_comm(MPI_Request request)
{
    return is_partitioned(request) ? request->req_mpi_object.comm : NULL;
}

int mpix_part_request_error(ompi_communicator_t *comm, int error, const char *function,
                            const char *needs)
{
    const char *why = NULL;

    if (MPI_ERR_UNSUPPORTED_OPERATION == error) {
        why = "the request was made by another component than part/ucx (mpirun --mca part ucx), or "
              "by one of another version than this library";
    } else if (MPI_ERR_REQUEST == error || MPI_ERR_ARG == error) {
        why = needs;
    }
    return mpix_error_raise(comm, error, function, why);
}
