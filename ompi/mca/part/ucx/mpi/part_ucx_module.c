/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the framework calls: argument checks, then dispatch.
 */
#include "mpi/part_ucx_module.h"

#include "api/part_ucx_accelerator.h"
#include "mpi/part_ucx_errors.h"
#include "mpi/part_ucx_life.h"
#include "mpi/part_ucx_request.h"
#include "process/part_ucx_help.h"

#include <limits.h>

#include "ompi/errhandler/errcode.h"
#include "ompi/mca/pml/pml.h"

/* ---- argument checks ---- */

static int check_buffer(const mca_part_ucx_init_t *init)
{
    ptrdiff_t lb, extent;

    if (NULL == init->buffer) {
        return MPI_ERR_BUFFER; /* also MPI_BOTTOM with absolute displacements */
    }
    (void) ompi_datatype_get_true_extent(init->datatype, &lb, &extent);
    if (mca_part_ucx_is_on_accelerator((const char *) init->buffer + lb)) {
        mca_part_ucx_help("on-accelerator");
        return MPI_ERR_BUFFER;
    }
    return MPI_SUCCESS;
}

static int check_counts(const mca_part_ucx_init_t *init)
{
    size_t size, elements;
    ptrdiff_t lb, extent, span;

    /* The binding passes an int and an MPI_Count on as size_t. */
    if (init->partitions > INT_MAX
        || (0 == init->partitions && !mca_part_ucx_params.zero_partitions)) {
        return MPI_ERR_ARG;
    }
    if (init->count > SIZE_MAX / 2
        || (0 != init->count && init->partitions > SIZE_MAX / 2 / init->count)) {
        return MPI_ERR_COUNT;
    }
    elements = init->partitions * init->count;
    ompi_datatype_type_size(init->datatype, &size);
    (void) ompi_datatype_get_extent(init->datatype, &lb, &extent);
    if ((0 != size && elements > SIZE_MAX / 2 / size)
        || __builtin_mul_overflow((ptrdiff_t) elements, extent, &span)) {
        return MPI_ERR_COUNT;
    }
    return 0 == elements || 0 == size ? MPI_SUCCESS : check_buffer(init);
}

static int check_arguments(const mca_part_ucx_init_t *init)
{
    if (NULL == init->comm || ompi_comm_invalid(init->comm)) {
        return MPI_ERR_COMM;
    }
    if (NULL == init->datatype || MPI_DATATYPE_NULL == init->datatype
        || !ompi_datatype_is_committed(init->datatype)
        || !opal_datatype_is_valid(&init->datatype->super)) {
        return MPI_ERR_TYPE;
    }
    if (init->tag < 0 || init->tag > mca_pml.pml_max_tag) {
        return MPI_ERR_TAG;
    }
    if (MPI_PROC_NULL != init->peer && ompi_comm_peer_invalid(init->comm, init->peer)) {
        return MPI_ERR_RANK;
    }
    if (OMPI_COMM_CHECK_ASSERT_NO_ANY_SOURCE(init->comm)) {
        mca_part_ucx_help("no-any-source");
        return MPI_ERR_COMM;
    }
    return check_counts(init);
}

static int report(const mca_part_ucx_init_t *init, int error, const char *function)
{
    if (NULL == init->comm || ompi_comm_invalid(init->comm)) {
        return error; /* no handler of its own */
    }
    mca_part_ucx_help("bad-argument", function, ompi_mpi_errnum_get_string(error),
                      (int) (init->partitions > INT_MAX ? -1 : (int) init->partitions),
                      (long long) init->count, init->peer, init->tag);
    return mca_part_ucx_error_raise(init->comm, error, function, PART_UCX_RAISED_ON_WORLD);
}

typedef mca_part_ucx_request_t *(*new_fn_t)(const mca_part_ucx_init_t *init);

static int init_request(const mca_part_ucx_init_t *init, new_fn_t new_fn, const char *function,
                        ompi_request_t **handle)
{
    mca_part_ucx_request_t *request;
    int error = check_arguments(init);
    int rc = OMPI_SUCCESS;

    if (MPI_SUCCESS != error) {
        return report(init, error, function);
    }
    request = new_fn(init);
    if (NULL == request) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    } else if (!mca_part_ucx_request_is_null(request)) {
        rc = mca_part_ucx_life_wire_up(request->channel);
    }
    if (OMPI_SUCCESS != rc) {
        mca_part_ucx_request_destroy(request);
        return mca_part_ucx_error_raise(init->comm, mca_part_ucx_error_of(rc), function,
                                        PART_UCX_RAISED_ON_WORLD);
    }
    *handle = &request->any.super;
    return OMPI_SUCCESS;
}

/* ---- the framework's entry points ---- */

static int module_psend_init(const void *buf, size_t parts, size_t count,
                             ompi_datatype_t *datatype, int dst, int tag,
                             ompi_communicator_t *comm, ompi_info_t *info,
                             ompi_request_t **request)
{
    mca_part_ucx_init_t init = {.buffer = buf, .partitions = parts, .count = count,
                                .datatype = datatype, .peer = dst, .tag = tag, .comm = comm};

    (void) info; /* no keys are known yet; unknown ones are ignored */
    return init_request(&init, mca_part_ucx_psend_new, "MPI_Psend_init", request);
}

static int module_precv_init(void *buf, size_t parts, size_t count, ompi_datatype_t *datatype,
                             int src, int tag, ompi_communicator_t *comm, ompi_info_t *info,
                             ompi_request_t **request)
{
    mca_part_ucx_init_t init = {.buffer = buf, .partitions = parts, .count = count,
                                .datatype = datatype, .peer = src, .tag = tag, .comm = comm};

    (void) info;
    return init_request(&init, mca_part_ucx_precv_new, "MPI_Precv_init", request);
}

/* The call was wrong, or the request has failed: the user has been told why already. */
static int bad_use(ompi_request_t *request, int error, const char *function, size_t low,
                   size_t high)
{
    if (MPI_ERR_ARG == error || MPI_ERR_REQUEST == error) {
        const ompi_communicator_t *comm = request->req_mpi_object.comm;

        mca_part_ucx_help("bad-use", function, ompi_mpi_errnum_get_string(error), (int) low,
                          (int) high, ompi_comm_rank(comm), comm->c_name);
    }
    return mca_part_ucx_error_raise(request->req_mpi_object.comm, error, function,
                                    PART_UCX_RAISED_ON_WORLD);
}

static int module_pready(size_t low, size_t high, ompi_request_t *request)
{
    mca_part_ucx_any_request_t *any = (mca_part_ucx_any_request_t *) request;
    int error = NULL == any->ops->pready ? MPI_ERR_REQUEST : any->ops->pready(any, low, high);

    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        return bad_use(request, error, "MPI_Pready", low, high);
    }
    return OMPI_SUCCESS;
}

static int dispatch_parrived(mca_part_ucx_any_request_t *any, size_t low, size_t high, int *flag)
{
    return NULL == any->ops->parrived ? MPI_ERR_REQUEST : any->ops->parrived(any, low, high, flag);
}

static int module_parrived(size_t low, size_t high, int *flag, ompi_request_t *request)
{
    mca_part_ucx_any_request_t *any = (mca_part_ucx_any_request_t *) request;
    int error;

    /* Everything has arrived: the usual case of a thread that looks at many partitions. */
    if (OPAL_LIKELY(low <= high
                    && high < atomic_load_explicit(&any->arrived, memory_order_acquire))) {
        *flag = 1;
        return OMPI_SUCCESS;
    }
    /* As Open MPI's own binding does since its #14155: also of a send, and of any index. */
    if (OMPI_REQUEST_INACTIVE == __atomic_load_n(&request->req_state, __ATOMIC_ACQUIRE)) {
        *flag = 1;
        return OMPI_SUCCESS;
    }
    error = dispatch_parrived(any, low, high, flag);
    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        return bad_use(request, error, "MPI_Parrived", low, high);
    }
    return OMPI_SUCCESS;
}

/* part_progress stays NULL: a program that uses no partitioned request pays for no callback. */
mca_part_base_module_t mca_part_ucx_module = {.part_precv_init = module_precv_init,
                                              .part_psend_init = module_psend_init,
                                              .part_start = mca_part_ucx_requests_start,
                                              .part_pready = module_pready,
                                              .part_parrived = module_parrived};
