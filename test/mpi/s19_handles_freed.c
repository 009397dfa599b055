/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S19. A request keeps its own references: the communicator and the datatype may be freed right
 * after the init call, before the channel is matched, and errors still find their handler.
 */

#include "../support/side.h"

#define TAG        19
#define PARTITIONS 4
#define COUNT      5

static MPI_Datatype pair_with_gap(void)
{
    MPI_Datatype inner;
    MPI_Datatype type;

    MPI_Type_contiguous(2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 3 * (MPI_Aint) sizeof(int), &type);
    MPI_Type_free(&inner);
    MPI_Type_commit(&type);
    return type;
}

static void iterate(MPI_Request *request, mt_typed_t *typed)
{
    for (uint64_t i = 1; i <= 3; i++) {
        mt_success(MPI_Start(request), "MPI_Start");
        if (0 == mt_rank()) {
            mt_typed_fill_all(typed, i);
            mt_success(MPI_Pready_range(0, PARTITIONS - 1, *request), "MPI_Pready_range");
        }
        mt_finish(request, MPI_STATUS_IGNORE);
        if (1 == mt_rank()) {
            mt_check(0 == mt_typed_wrong(typed, -1, i) && 0 == mt_typed_spilled(typed),
                     "iteration %d: wrong data", (int) i);
            mt_typed_reset(typed);
        }
    }
}

static void run(bool free_comm, bool free_type)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype type = pair_with_gap();
    MPI_Datatype given = pair_with_gap();
    MPI_Request request = MPI_REQUEST_NULL;
    mt_typed_t typed;

    mt_typed_make(&typed, PARTITIONS, COUNT, type);
    if (free_comm) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    if (0 == mt_rank()) {
        mt_success(MPI_Psend_init(typed.origin, PARTITIONS, COUNT, given, 1, TAG, comm,
                                  MPI_INFO_NULL, &request),
                   "MPI_Psend_init");
    } else {
        mt_success(MPI_Precv_init(typed.origin, PARTITIONS, COUNT, given, 0, TAG, comm,
                                  MPI_INFO_NULL, &request),
                   "MPI_Precv_init");
    }
    if (free_type) {
        MPI_Type_free(&given);
    }
    if (free_comm) {
        MPI_Comm_free(&comm);
    }
    iterate(&request, &typed);
    if (free_comm && mt_component_is("ucx")) {
        mt_success(MPI_Start(&request), "MPI_Start");
        if (0 == mt_rank()) {
            mt_expect_class(MPI_Pready(PARTITIONS, request), MPI_ERR_ARG, "Pready out of range");
            mt_success(MPI_Pready_range(0, PARTITIONS - 1, request), "MPI_Pready_range");
        }
        mt_finish(&request, MPI_STATUS_IGNORE);
    }
    mt_free(&request);
    if (!free_type) {
        MPI_Type_free(&given);
    }
    mt_typed_drop(&typed);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    run(false, true);
    mt_result("the datatype is freed after init");
    run(true, false);
    mt_result("the communicator is freed after init");
    run(true, true);
    mt_result("both are freed after init");
    return mt_end();
}
