/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Wrong arguments of an initialisation, on all ranks or on one of them: an error on every rank,
 * once, through the communicator's handler, and no rank waits for ever. Afterwards the communicator
 * works.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#include <stddef.h>

#define CUT   2
#define COUNT 3
#define ROOM  (64 * CUT * COUNT)

static int from[ROOM];
static int to[ROOM];

static int reduce_with(MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return MPIX_Pallreduce_init(from, to, CUT, COUNT, type, op, comm, MPI_INFO_NULL, request);
}

static int op_null(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return reduce_with(MPI_INT, wrong ? MPI_OP_NULL : MPI_SUM, comm, request);
}

static int op_does_not_fit(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return reduce_with(MPI_FLOAT, wrong ? MPI_BXOR : MPI_SUM, comm, request);
}

static int op_of_derived_type(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    MPI_Datatype type;
    int code;

    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    code = MPIX_Pscan_init(from, to, CUT, COUNT, wrong ? type : MPI_INT, MPI_SUM, comm,
                           MPI_INFO_NULL, request);
    MPI_Type_free(&type);
    return code;
}

static int root_too_large(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pbcast_init(from, CUT, COUNT, MPI_INT, wrong ? mt_size() : 0, comm, MPI_INFO_NULL,
                            request);
}

static int root_negative(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Preduce_init(from, to, CUT, COUNT, MPI_INT, MPI_SUM, wrong ? -1 : 0, comm,
                             MPI_INFO_NULL, request);
}

static int in_place_alltoall(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Palltoall_init(wrong ? MPI_IN_PLACE : from, CUT, COUNT, MPI_INT, to, CUT, COUNT,
                               MPI_INT, comm, MPI_INFO_NULL, request);
}

static int in_place_bcast(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pbcast_init(wrong ? MPI_IN_PLACE : from, CUT, COUNT, MPI_INT, 0, comm,
                            MPI_INFO_NULL, request);
}

/* In place is for the root; here it is the last rank. */
static int in_place_not_root(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    int root = mt_size() - 1;

    return MPIX_Pgather_init(wrong && mt_rank() != root ? MPI_IN_PLACE : from, CUT, COUNT, MPI_INT,
                             to, CUT, COUNT, MPI_INT, root, comm, MPI_INFO_NULL, request);
}

static int no_partitions(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pallreduce_init(from, to, wrong ? 0 : CUT, COUNT, MPI_INT, MPI_SUM, comm,
                                MPI_INFO_NULL, request);
}

static int negative_partitions(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pallgather_init(from, wrong ? -4 : CUT, COUNT, MPI_INT, to, CUT, COUNT, MPI_INT,
                                comm, MPI_INFO_NULL, request);
}

static int negative_count(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pexscan_init(from, to, CUT, wrong ? -1 : COUNT, MPI_INT, MPI_SUM, comm,
                             MPI_INFO_NULL, request);
}

static int type_null(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pallgather_init(from, CUT, COUNT, wrong ? MPI_DATATYPE_NULL : MPI_INT, to, CUT,
                                COUNT, MPI_INT, comm, MPI_INFO_NULL, request);
}

static int type_uncommitted(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    MPI_Datatype type;
    int code;

    MPI_Type_contiguous(1, MPI_INT, &type);
    code = MPIX_Palltoall_init(from, CUT, COUNT, MPI_INT, to, CUT, COUNT, wrong ? type : MPI_INT,
                               comm, MPI_INFO_NULL, request);
    MPI_Type_free(&type);
    return code;
}

static int buffer_null(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pallreduce_init(from, wrong ? NULL : to, CUT, COUNT, MPI_INT, MPI_SUM, comm,
                                MPI_INFO_NULL, request);
}

static int buffers_same(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pallreduce_init(wrong ? to : from, to, CUT, COUNT, MPI_INT, MPI_SUM, comm,
                                MPI_INFO_NULL, request);
}

static int request_null(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pallreduce_init(from, to, CUT, COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                wrong ? NULL : request);
}

static int array_null(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    static const int cuts[64] = {[0 ... 63] = CUT};
    static const MPI_Count counts[64] = {[0 ... 63] = COUNT};
    static MPI_Aint displs[64];

    for (int i = 0; i < 64; i++) {
        displs[i] = (MPI_Aint) i * CUT * COUNT;
    }
    return MPIX_Palltoallv_init(from, cuts, counts, displs, MPI_INT, to, cuts,
                                wrong ? NULL : counts, displs, MPI_INT, comm, MPI_INFO_NULL,
                                request);
}

/* Both ends of a block are told. */
static int sizes_differ(MPI_Comm comm, bool wrong, MPI_Request *request)
{
    return MPIX_Pallgather_init(from, CUT, COUNT, MPI_INT, to, CUT, wrong ? COUNT + 1 : COUNT,
                                MPI_INT, comm, MPI_INFO_NULL, request);
}

static const struct {
    const char *what;
    int (*call)(MPI_Comm comm, bool wrong, MPI_Request *request);
    int error_class;
} faults[] = {
    {"MPI_OP_NULL", op_null, MPI_ERR_OP},
    {"an operator that does not fit", op_does_not_fit, MPI_ERR_OP},
    {"a predefined operator on a derived datatype", op_of_derived_type, MPI_ERR_OP},
    {"a root that is too large", root_too_large, MPI_ERR_ROOT},
    {"a negative root", root_negative, MPI_ERR_ROOT},
    {"an alltoall in place", in_place_alltoall, MPI_ERR_ARG},
    {"a bcast in place", in_place_bcast, MPI_ERR_ARG},
    {"no partitions", no_partitions, MPI_ERR_ARG},
    {"negative partitions", negative_partitions, MPI_ERR_ARG},
    {"a negative count", negative_count, MPI_ERR_COUNT},
    {"MPI_DATATYPE_NULL", type_null, MPI_ERR_TYPE},
    {"an uncommitted datatype", type_uncommitted, MPI_ERR_TYPE},
    {"a buffer that is NULL", buffer_null, MPI_ERR_BUFFER},
    {"two buffers that are one", buffers_same, MPI_ERR_BUFFER},
    {"a request that is NULL", request_null, MPI_ERR_ARG},
    {"an array that is NULL", array_null, MPI_ERR_ARG},
    {"blocks of different sizes at their ends", sizes_differ, MPI_ERR_TRUNCATE},
};

#define FAULTS ((int) (sizeof(faults) / sizeof(faults[0])))

static void works(MPI_Comm comm)
{
    pc_spec_t spec = pc_plain(PC_ALLREDUCE, comm, 4, 5, 13);

    pc_run(&spec, 2, &(mt_random_t){13});
    mt_expect_quiet("the communicator afterwards");
}

static void on_all_ranks(int fault, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;

    mt_stage("%s", faults[fault].what);
    mt_expect(comm, faults[fault].call(comm, true, &request), faults[fault].error_class,
              faults[fault].what);
    mt_check(MPI_REQUEST_NULL == request, "%s: there is a request", faults[fault].what);
}

/* The others hear of it; of a block's size only those whose blocks they are, which are all here. */
static void on_one_rank(int fault, int rank, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    bool wrong = mt_rank() == rank;
    bool both_ends = MPI_ERR_TRUNCATE == faults[fault].error_class;

    mt_stage("%s on rank %d", faults[fault].what, rank);
    mt_expect(comm, faults[fault].call(comm, wrong, &request),
              wrong || both_ends ? faults[fault].error_class : MPI_ERR_OTHER, faults[fault].what);
    mt_check(MPI_REQUEST_NULL == request, "%s: there is a request", faults[fault].what);
}

static void not_root_in_place(MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    bool root = mt_rank() == mt_size() - 1;

    mt_expect(comm, in_place_not_root(comm, true, &request), root ? MPI_ERR_OTHER : MPI_ERR_ARG,
              "in place where this is not the root");
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    pc_world_make();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    for (int fault = 0; fault < FAULTS; fault++) {
        on_all_ranks(fault, comm);
        works(comm);
        on_one_rank(fault, fault % mt_size(), comm);
        works(comm);
        mt_result("%s: an error on every rank", faults[fault].what);
    }
    not_root_in_place(comm);
    works(comm);
    mt_result("in place where this is not the root: an error on every rank");
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
