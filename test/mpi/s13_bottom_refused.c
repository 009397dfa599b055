/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S13. Absolute displacements (MPI_BOTTOM) are not supported and are refused: MPI_ERR_BUFFER, as
 * for a NULL buffer with a count that is not zero. Nothing is accepted silently, nothing crashes.
 */

#include "../support/side.h"

#define TAG 13

static MPI_Datatype absolute_type(int *values)
{
    int length = 4;
    MPI_Aint address = 0;
    MPI_Datatype type;

    MPI_Get_address(values, &address);
    MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Request request = MPI_REQUEST_NULL;
    mt_side_t side;
    int values[4] = {1, 2, 3, 4};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    int peer = 1 - mt_rank();
    MPI_Datatype type = absolute_type(values);

    int code = MPI_Psend_init(MPI_BOTTOM, 1, 1, type, peer, TAG, comm, MPI_INFO_NULL, &request);
    mt_expect(comm, code, MPI_ERR_BUFFER, "Psend_init(MPI_BOTTOM)");
    code = MPI_Precv_init(MPI_BOTTOM, 1, 1, type, peer, TAG, comm, MPI_INFO_NULL, &request);
    mt_expect(comm, code, MPI_ERR_BUFFER, "Precv_init(MPI_BOTTOM)");
    mt_result("MPI_BOTTOM with an absolute type is refused");
    code = MPI_Psend_init(NULL, 2, 3, MPI_INT, peer, TAG, comm, MPI_INFO_NULL, &request);
    mt_expect(comm, code, MPI_ERR_BUFFER, "Psend_init(NULL, count 3)");
    code = MPI_Precv_init(NULL, 2, 3, MPI_INT, peer, TAG, comm, MPI_INFO_NULL, &request);
    mt_expect(comm, code, MPI_ERR_BUFFER, "Precv_init(NULL, count 3)");
    mt_result("a NULL buffer is refused when there is data");
    MPI_Type_free(&type);

    mt_one_way(&side, 2, 40, TAG, comm);
    mt_cycle(&side, 0);
    mt_drop(&side);
    mt_expect_quiet("a channel after refused calls");
    mt_result("a channel of the same key works after the refused calls");
    MPI_Comm_free(&comm);
    return mt_end();
}
