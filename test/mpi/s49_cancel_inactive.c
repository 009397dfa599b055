/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S49. MPI_Cancel on an inactive request is refused with MPI_ERR_REQUEST, through the handler of
 * its communicator, and has no effect: the request works afterwards (MPICH #6542, #6544). Other
 * components may also ignore it.
 */

#include "../support/side.h"

#define TAG 49

static void cancel(mt_side_t *side, MPI_Comm comm, bool ours, const char *when)
{
    MPI_Request before = side->request;
    int code = MPI_Cancel(&side->request);

    if (ours) {
        mt_expect(comm, code, MPI_ERR_REQUEST, when);
    } else {
        mt_check(MPI_SUCCESS == code || MPI_ERR_REQUEST == mt_error_class(code), "%s: returned %s",
                 when, mt_class_name(mt_error_class(code)));
        mt_errors_clear();
    }
    mt_check(before == side->request, "%s: the handle changed", when);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    bool ours = mt_component_is("ucx");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    mt_one_way(&side, 3, 400, TAG, comm);
    cancel(&side, comm, ours, "MPI_Cancel of a request that was never started");
    mt_cycle(&side, 0);
    mt_result("a request that was never started survives MPI_Cancel");
    cancel(&side, comm, ours, "MPI_Cancel of a completed request");
    mt_cycle(&side, 1);
    mt_drop(&side);
    mt_result("a completed request survives MPI_Cancel");
    if (0 == mt_rank()) {
        mt_psend(&side, 3, 400, MPI_PROC_NULL, TAG, comm);
    } else {
        mt_precv(&side, 3, 400, MPI_PROC_NULL, TAG, comm);
    }
    /* Open MPI 6 answers MPI_PROC_NULL itself. */
    cancel(&side, comm, ours && OMPI_MAJOR_VERSION < 6, "MPI_Cancel with MPI_PROC_NULL");
    mt_drop(&side);
    mt_result("a request to MPI_PROC_NULL survives MPI_Cancel");
    MPI_Comm_free(&comm);
    return mt_end();
}
