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
 *   deserter K tried        rank 2 kills itself before its K-th start of a persistent reduction,
 *                           which is tried beside that of another component meanwhile. Who has an
 *                           error revokes the communicator
 */

#include "ompi_config.h"

#include "../support/mpitest.h"

#include <mpi-ext.h>
#include <mpix_partitioned.h>

#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/coll.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

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

/* Starts until there is an error. */
static void dies_while_tried(int starts)
{
    static int in[PARTITIONS * COUNT], out[PARTITIONS * COUNT];
    MPI_Request request;
    MPI_Comm comm;
    int code = MPI_SUCCESS;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce_init(in, out, PARTITIONS * COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                       &request);
    for (int i = 1; i < 2 * starts && MPI_SUCCESS == code; ++i) {
        if (VICTIM == mt_rank() && i == starts) {
            raise(SIGKILL);
        }
        if (VICTIM == mt_rank()) {
            mt_sleep(0.002); /* long rounds: turns are as short as they may be */
        }
        code = MPI_Start(&request);
        if (MPI_SUCCESS == code && !mt_wait(&request, PATIENCE, MPI_STATUS_IGNORE, &code)) {
            mt_report("it hangs");
            return;
        }
    }
    result("it ends with", code);
#ifdef MPIX_ERR_REVOKED
    MPIX_Comm_revoke(comm);
#endif
}

int main(int argc, char **argv)
{
    static int in[PARTITIONS * COUNT], out[PARTITIONS * COUNT];
    MPI_Request request = MPI_REQUEST_NULL;
    int code;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 3);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 2 && 0 == strcmp(argv[2], "tried")) {
        dies_while_tried(atoi(argv[1]));
        mt_end_without(VICTIM);
    }
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
    mt_end_without(VICTIM);
}
