/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Arguments that must be equal on all ranks, and are not on one of them: an error on every rank,
 * and the communicator works afterwards.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#define CUT   4
#define COUNT 6

static double from[64 * CUT * COUNT];
static double to[64 * CUT * COUNT];

static int reduce(int cut, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                  MPI_Request *request)
{
    return MPIX_Pallreduce_init(from, to, cut, count, type, op, comm, MPI_INFO_NULL, request);
}

static int partitions(MPI_Comm comm, bool other, MPI_Request *request)
{
    return reduce(other ? CUT / 2 : CUT, other ? 2 * COUNT : COUNT, MPI_DOUBLE, MPI_SUM, comm,
                  request);
}

static int counts(MPI_Comm comm, bool other, MPI_Request *request)
{
    return reduce(CUT, other ? COUNT + 1 : COUNT, MPI_DOUBLE, MPI_SUM, comm, request);
}

static int sizes(MPI_Comm comm, bool other, MPI_Request *request)
{
    return reduce(CUT, COUNT, other ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM, comm, request);
}

/* As many bytes in each partition, but not as many elements. */
static int elements(MPI_Comm comm, bool other, MPI_Request *request)
{
    return reduce(CUT, other ? 2 * COUNT : COUNT, other ? MPI_INT : MPI_DOUBLE, MPI_SUM, comm,
                  request);
}

/* Of one size. */
static int datatypes(MPI_Comm comm, bool other, MPI_Request *request)
{
    return reduce(CUT, COUNT, other ? MPI_FLOAT : MPI_INT, MPI_SUM, comm, request);
}

static int pairs(MPI_Comm comm, bool other, MPI_Request *request)
{
    return reduce(CUT, COUNT, other ? MPI_FLOAT_INT : MPI_2INT, MPI_MAXLOC, comm, request);
}

static int operators(MPI_Comm comm, bool other, MPI_Request *request)
{
    return reduce(CUT, COUNT, MPI_DOUBLE, other ? MPI_MAX : MPI_SUM, comm, request);
}

static int roots(MPI_Comm comm, bool other, MPI_Request *request)
{
    return MPIX_Pbcast_init(from, CUT, COUNT, MPI_DOUBLE, other ? 1 : 0, comm, MPI_INFO_NULL,
                            request);
}

static int bcast_sizes(MPI_Comm comm, bool other, MPI_Request *request)
{
    return MPIX_Pbcast_init(from, CUT, other ? 2 * COUNT : COUNT, MPI_DOUBLE, 0, comm,
                            MPI_INFO_NULL, request);
}

static int places(MPI_Comm comm, bool other, MPI_Request *request)
{
    return MPIX_Pallreduce_init(other ? MPI_IN_PLACE : from, to, CUT, COUNT, MPI_DOUBLE, MPI_SUM,
                                comm, MPI_INFO_NULL, request);
}

static int collectives(MPI_Comm comm, bool other, MPI_Request *request)
{
    return other ? MPIX_Pscan_init(from, to, CUT, COUNT, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL,
                                   request)
                 : reduce(CUT, COUNT, MPI_DOUBLE, MPI_SUM, comm, request);
}

static int blocks(MPI_Comm comm, bool other, MPI_Request *request)
{
    int cuts[64];
    MPI_Count counts[64];

    for (int i = 0; i < 64; i++) {
        cuts[i] = CUT;
        counts[i] = other && 0 == i ? COUNT + 1 : COUNT;
    }
    return MPIX_Preduce_scatter_init(from, to, cuts, counts, MPI_DOUBLE, MPI_SUM, comm,
                                     MPI_INFO_NULL, request);
}

static const struct {
    const char *what;
    int (*call)(MPI_Comm comm, bool other, MPI_Request *request);
    int error_class;
} differences[] = {{"numbers of partitions", partitions, MPI_ERR_ARG},
                   {"counts", counts, MPI_ERR_TRUNCATE},
                   {"sizes of datatypes", sizes, MPI_ERR_TRUNCATE},
                   {"elements", elements, MPI_ERR_ARG},
                   {"datatypes of one size", datatypes, MPI_ERR_ARG},
                   {"datatypes of pairs", pairs, MPI_ERR_ARG},
                   {"operators", operators, MPI_ERR_ARG},
                   {"roots", roots, MPI_ERR_ARG},
                   {"sizes of a broadcast", bcast_sizes, MPI_ERR_TRUNCATE},
                   {"uses of MPI_IN_PLACE", places, MPI_ERR_ARG},
                   {"collectives", collectives, MPI_ERR_ARG},
                   {"blocks of a reduce_scatter", blocks, MPI_ERR_TRUNCATE}};

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    pc_world_make();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    for (int i = 0; i < (int) (sizeof(differences) / sizeof(differences[0])); i++) {
        for (int rank = 0; rank < 2; rank++) {
            MPI_Request request = MPI_REQUEST_NULL;
            pc_spec_t spec = pc_plain(PC_ALLREDUCE, comm, 4, 5, 14);

            mt_stage("%s differ on rank %d", differences[i].what, rank);
            mt_expect(comm, differences[i].call(comm, mt_rank() == rank, &request),
                      differences[i].error_class, differences[i].what);
            mt_check(MPI_REQUEST_NULL == request, "%s: there is a request", differences[i].what);
            pc_run(&spec, 2, &(mt_random_t){14});
            mt_expect_quiet("the communicator afterwards");
        }
        mt_result("%s differ: an error on every rank", differences[i].what);
    }
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
