/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From a communicator to coll/pschedule (see mpix_pcoll.h).
 */
#include "ompi_config.h"

#include "mpix_error.h"
#include "mpix_pcoll.h"

#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/mca/coll/base/coll_base_util.h"

/* Modules stay in this list when other components provide all functions of MPI. */
static mca_coll_pschedule_module_t *find_module(const ompi_communicator_t *comm)
{
    mca_coll_base_avail_coll_t *item;

    OPAL_LIST_FOREACH(item, comm->c_coll->module_list, mca_coll_base_avail_coll_t)
    {
        mca_coll_pschedule_module_t *module = (mca_coll_pschedule_module_t *) item->ac_module;

        if (0 == strcmp("pschedule", item->ac_component_name)) {
            return COLL_PSCHEDULE_CALL_VERSION == module->version ? module : NULL;
        }
    }
    return NULL;
}

static const char needed[] = "partitioned collectives need the components coll/pschedule and "
                             "part/ucx, of the same version as this library";

int mpix_pcoll_init(mca_coll_pschedule_call_t *call, MPI_Request *request, const char *function)
{
    mca_coll_pschedule_module_t *module;
    ompi_request_t *made = MPI_REQUEST_NULL;
    int error;

    OMPI_ERR_INIT_FINALIZE(function) /* communicators are nothing then */
    if (ompi_comm_invalid(call->comm)) {
        return mpix_error_raise(&ompi_mpi_comm_self.comm, MPI_ERR_COMM, function, NULL);
    }
    if (OMPI_COMM_IS_INTER(call->comm)) {
        return mpix_error_raise(call->comm, MPI_ERR_COMM, function,
                                "there are no partitioned collectives on intercommunicators");
    }
    module = find_module(call->comm);
    if (NULL == module) {
        return mpix_error_raise(call->comm, MPI_ERR_UNSUPPORTED_OPERATION, function, needed);
    }
    if (NULL == request) {
        call->error = MPI_ERR_ARG; /* the other ranks must hear of it */
    }
    error = module->init(module, call, &made);
    if (MPI_SUCCESS != error) {
        return mpix_error_raise(call->comm, error, function,
                                MPI_ERR_UNSUPPORTED_OPERATION == error ? needed : NULL);
    }
    *request = made;
    return MPI_SUCCESS;
}
