/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators that will not do: MPI_COMM_NULL, intercommunicators, and for the neighbourhood
 * collectives those without a topology. In a neighbourhood, the neighbours of a rank with wrong
 * arguments get an error, too, and nobody waits for ever.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#define CUT   2
#define COUNT 3

static int from[64 * CUT * COUNT];
static int to[64 * CUT * COUNT];

static int reduce_on(MPI_Comm comm, MPI_Request *request)
{
    return MPIX_Pallreduce_init(from, to, CUT, COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                request);
}

static int neighbors_on(MPI_Comm comm, const void *buffer, MPI_Request *request)
{
    return MPIX_Pneighbor_alltoall_init(buffer, CUT, COUNT, MPI_INT, to, CUT, COUNT, MPI_INT, comm,
                                        MPI_INFO_NULL, request);
}

static void intercommunicator(void)
{
    int half = mt_rank() % 2;
    MPI_Comm local;
    MPI_Comm inter;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Comm_split(MPI_COMM_WORLD, half, mt_rank(), &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - half, 14, &inter);
    mt_errors_watch(inter);
    mt_expect(inter, reduce_on(inter, &request), MPI_ERR_COMM, "an intercommunicator");
    mt_expect(inter, MPIX_Pbcast_init(from, CUT, COUNT, MPI_INT, 0, inter, MPI_INFO_NULL, &request),
              MPI_ERR_COMM, "an intercommunicator");
    mt_check(MPI_REQUEST_NULL == request, "there is a request");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

/* Set-up messages of links come from anybody. */
static void no_any_source(void)
{
    MPI_Comm comm = mt_dup_with(MPI_COMM_WORLD, "mpi_assert_no_any_source", "true");
    MPI_Request request = MPI_REQUEST_NULL;

    mt_errors_watch(comm);
    mt_expect(comm, reduce_on(comm, &request), MPI_ERR_COMM, "nobody receives from anybody");
    mt_check(MPI_REQUEST_NULL == request, "there is a request");
    MPI_Comm_free(&comm);
}

static void no_topology(void)
{
    MPI_Comm comm;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    mt_expect(comm, neighbors_on(comm, from, &request), MPI_ERR_TOPOLOGY, "no topology");
    mt_expect(comm,
              MPIX_Pneighbor_allgather_init(from, CUT, COUNT, MPI_INT, to, CUT, COUNT, MPI_INT,
                                            comm, MPI_INFO_NULL, &request),
              MPI_ERR_TOPOLOGY, "no topology");
    MPI_Comm_free(&comm);
}

static void wrong_neighbor(void)
{
    MPI_Comm comm = pc_ring();
    MPI_Request request = MPI_REQUEST_NULL;
    int left = 0;
    int right = 0;
    int code;

    mt_errors_watch(comm);
    MPI_Cart_shift(comm, 0, 1, &left, &right);
    code = neighbors_on(comm, 0 == mt_rank() ? MPI_IN_PLACE : from, &request);
    if (0 == mt_rank()) {
        mt_expect(comm, code, MPI_ERR_ARG, "in place in a neighbourhood");
    } else if (0 == left || 0 == right) {
        mt_expect(comm, code, MPI_ERR_OTHER, "a neighbour's arguments are wrong");
    } else if (MPI_SUCCESS == code) {
        mt_free(&request);
    } else {
        mt_expect(comm, code, MPI_ERR_OTHER, "a rank's arguments are wrong further away");
    }
    mt_sync();
    for (pc_kind_t kind = PC_NEIGHBOR_ALLGATHER; kind < PC_KINDS; kind++) {
        pc_spec_t spec = pc_plain(kind, comm, 4, 5, 14);
        pc_run(&spec, 2, &(mt_random_t){14});
    }
    mt_expect_quiet("the communicator afterwards");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Request request = MPI_REQUEST_NULL;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    pc_world_make();
    mt_errors_watch(MPI_COMM_SELF);
    mt_expect_class(reduce_on(MPI_COMM_NULL, &request), MPI_ERR_COMM, "MPI_COMM_NULL");
    mt_result("MPI_COMM_NULL is refused");
    intercommunicator();
    mt_result("intercommunicators are refused");
    no_any_source();
    mt_result("communicators with mpi_assert_no_any_source are refused");
    no_topology();
    mt_result("neighbourhood collectives without a topology are refused");
    wrong_neighbor();
    mt_result("wrong arguments in a neighbourhood: no rank waits for ever");
    pc_world_drop();
    return mt_end();
}
