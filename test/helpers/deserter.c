/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   deserter K              three ranks make a partitioned reduction. Its init agrees with the
 *                           other ranks several times; rank 2 kills itself when the K-th agreement
 *                           is over. In a job with fault tolerance init, or else the reduction,
 *                           must end with an error on the two others, wherever they are at that
 *                           moment. For faults.sh.
 *   deserter K persistent   the same with MPI's persistent reduction
 */

#include "ompi_config.h"

#include "../support/mpitest.h"

#include <mpix_partitioned.h>

#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/coll.h"

#include <signal.h>
#include <stdlib.h>

#define VICTIM     2
#define PARTITIONS 4
#define COUNT      1000
#define PATIENCE   60.0 /* seconds */

#if OMPI_MAJOR_VERSION > 5
typedef size_t count_t;
#else
typedef int count_t;
#endif

static mca_coll_base_module_allreduce_fn_t agree;
static int agreements_left;
static bool persistent;

static int agree_and_die(const void *in, void *out, count_t count, struct ompi_datatype_t *type,
                         struct ompi_op_t *op, struct ompi_communicator_t *comm,
                         mca_coll_base_module_t *module)
{
    int code = agree(in, out, count, type, op, comm, module);

    if (0 == --agreements_left) {
        raise(SIGKILL);
    }
    return code;
}

static void result(const char *what, int code)
{
    mt_report("%s %s", what, mt_class_name(mt_error_class(code)));
}

static void reduce(MPI_Request *request)
{
    int code = MPI_Start(request);

    for (int i = 0; i < PARTITIONS && MPI_SUCCESS == code && !persistent; ++i) {
        code = MPI_Pready(i, *request);
    }
    if (MPI_SUCCESS == code && !mt_wait(request, PATIENCE, MPI_STATUS_IGNORE, &code)) {
        mt_report("it hangs");
        return;
    }
    result("it ends with", code);
}

int main(int argc, char **argv)
{
    static int in[PARTITIONS * COUNT], out[PARTITIONS * COUNT];
    MPI_Request request = MPI_REQUEST_NULL;
    int code;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 3);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (VICTIM == mt_rank() && argc > 1) {
        agreements_left = atoi(argv[1]);
        agree = ompi_mpi_comm_world.comm.c_coll->coll_allreduce;
        ompi_mpi_comm_world.comm.c_coll->coll_allreduce = agree_and_die;
    }
    persistent = argc > 2;
    code = persistent ? MPI_Allreduce_init(in, out, PARTITIONS * COUNT, MPI_INT, MPI_SUM,
                                           MPI_COMM_WORLD, MPI_INFO_NULL, &request)
                      : MPIX_Pallreduce_init(in, out, PARTITIONS, COUNT, MPI_INT, MPI_SUM,
                                             MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (MPI_SUCCESS != code) {
        result("it ends with", code);
    } else {
        reduce(&request);
    }
    mt_end_with(1 - mt_rank());
}
