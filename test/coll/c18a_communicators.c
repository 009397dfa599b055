/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators of all kinds: of one process, halves of the job that work at the same time, ranks
 * in another order, many of them one after another.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

static void use(MPI_Comm comm, mt_random_t *random)
{
    for (pc_kind_t kind = PC_BCAST; kind <= PC_EXSCAN; kind++) {
        pc_spec_t spec = pc_plain(kind, comm, 4, 20, 18);
        int size = 1;

        MPI_Comm_size(comm, &size);
        spec.root = size - 1;
        spec.in_place = 0 != (int) kind % 2;
        pc_run(&spec, 2, random);
    }
}

/* Partitions without bytes have arrived before anybody has marked them. */
static void use_nothing(MPI_Comm comm)
{
    MPI_Request request;
    int there = 0, none = 0;

    MPIX_Pallreduce_init(&none, &there, 3, 0, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    for (int round = 0; round < 2; round++) {
        mt_success(MPI_Start(&request), "MPI_Start");
        for (int i = 0; i < 3; i++) {
            there = 0;
            MPI_Parrived(request, i, &there);
            mt_check(there, "partition %d of no bytes is not there in round %d", i, round);
        }
        MPI_Pready_range(0, 2, request);
        mt_finish(&request, MPI_STATUS_IGNORE);
    }
    mt_free(&request);
}

int main(int argc, char **argv)
{
    mt_random_t random;
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&random, (uint64_t) (18 + mt_rank()));
    pc_world_make();
    use(MPI_COMM_SELF, &random);
    use_nothing(MPI_COMM_SELF);
    use_nothing(MPI_COMM_WORLD);
    mt_result("MPI_COMM_SELF, and nothing to reduce");
    MPI_Comm_split(MPI_COMM_WORLD, mt_rank() % 2, mt_rank(), &comm);
    use(comm, &random);
    MPI_Comm_free(&comm);
    mt_result("halves of the job at the same time");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -mt_rank(), &comm);
    use(comm, &random);
    MPI_Comm_free(&comm);
    mt_result("ranks in another order");
    for (int i = 0; i < 30; i++) {
        pc_spec_t spec = pc_plain((pc_kind_t) (i % (PC_EXSCAN + 1)), MPI_COMM_NULL, 4, 20, 18);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        spec.comm = comm;
        pc_run(&spec, 2, &random);
        MPI_Comm_free(&comm);
    }
    mt_result("many communicators one after another");
    pc_world_drop();
    return mt_end();
}
