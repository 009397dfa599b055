/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S50. With MPI_ERRORS_RETURN on the communicator every erroneous call returns its class, although
 * MPI_COMM_WORLD and MPI_COMM_SELF still have MPI_ERRORS_ARE_FATAL: a library that used their
 * handlers would end the program here.
 */

#include "../support/side.h"

#define TAG 50

static void expect(int code, int error_class, const char *what)
{
    mt_check(mt_error_class(code) == error_class, "%s returned %s", what,
             mt_class_name(mt_error_class(code)));
    mt_stage("after the erroneous %s", what);
}

static void init_errors(MPI_Comm comm)
{
    unsigned char buffer[64];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype open_type, wide;
    int peer = 1 - mt_rank();

    mt_stage("erroneous init calls");
    expect(MPI_Psend_init(buffer, -1, 4, MPI_BYTE, peer, TAG, comm, MPI_INFO_NULL, &request),
           MPI_ERR_ARG, "MPI_Psend_init(partitions = -1)");
    expect(MPI_Psend_init(buffer, 4, -1, MPI_BYTE, peer, TAG, comm, MPI_INFO_NULL, &request),
           MPI_ERR_COUNT, "MPI_Psend_init(count = -1)");
    expect(MPI_Precv_init(buffer, 4, -1, MPI_BYTE, peer, TAG, comm, MPI_INFO_NULL, &request),
           MPI_ERR_COUNT, "MPI_Precv_init(count = -1)");
    /* More elements, or bytes, than can be counted. */
    expect(MPI_Psend_init(buffer, 4, (MPI_Count) 1 << 61, MPI_BYTE, peer, TAG, comm, MPI_INFO_NULL,
                          &request),
           MPI_ERR_COUNT, "MPI_Psend_init(count = 2^61, 4 partitions)");
    expect(MPI_Precv_init(buffer, 2, (MPI_Count) 1 << 60, MPI_DOUBLE, peer, TAG, comm,
                          MPI_INFO_NULL, &request),
           MPI_ERR_COUNT, "MPI_Precv_init(2^61 doubles)");
    MPI_Type_create_resized(MPI_BYTE, 0, (MPI_Aint) 1 << 40, &wide);
    MPI_Type_commit(&wide);
    expect(MPI_Psend_init(buffer, 4, (MPI_Count) 1 << 22, wide, peer, TAG, comm, MPI_INFO_NULL,
                          &request),
           MPI_ERR_COUNT, "MPI_Psend_init(2^24 bytes that lie 2^40 apart)");
    MPI_Type_free(&wide);
    expect(
        MPI_Precv_init(buffer, 4, 4, MPI_DATATYPE_NULL, peer, TAG, comm, MPI_INFO_NULL, &request),
        MPI_ERR_TYPE, "MPI_Precv_init(MPI_DATATYPE_NULL)");
    MPI_Type_contiguous(2, MPI_INT, &open_type);
    expect(MPI_Psend_init(buffer, 4, 1, open_type, peer, TAG, comm, MPI_INFO_NULL, &request),
           MPI_ERR_TYPE, "MPI_Psend_init(type not committed)");
    MPI_Type_free(&open_type);
    expect(
        MPI_Precv_init(buffer, 4, 4, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, MPI_INFO_NULL, &request),
        MPI_ERR_RANK, "MPI_Precv_init(MPI_ANY_SOURCE)");
    expect(MPI_Psend_init(buffer, 4, 4, MPI_BYTE, peer, -9, comm, MPI_INFO_NULL, &request),
           MPI_ERR_TAG, "MPI_Psend_init(tag = -9)");
    expect(MPI_Psend_init(NULL, 4, 4, MPI_BYTE, peer, TAG, comm, MPI_INFO_NULL, &request),
           MPI_ERR_BUFFER, "MPI_Psend_init(NULL)");
}

static void use_errors(MPI_Comm comm)
{
    mt_side_t side;
    int flag = 0;

    mt_stage("erroneous calls on a request");
    mt_one_way(&side, 4, 16, TAG, comm);
    expect(MPI_Pready(0, side.request), MPI_ERR_REQUEST, "MPI_Pready on an inactive request");
    mt_start(&side);
    if (side.sending) {
        expect(MPI_Pready(4, side.request), MPI_ERR_ARG, "MPI_Pready out of range");
        expect(MPI_Parrived(side.request, 0, &flag), MPI_ERR_REQUEST, "MPI_Parrived on a send");
        mt_send_partition(&side, -1, 0);
        expect(MPI_Pready(3, side.request), MPI_ERR_ARG, "MPI_Pready twice");
    } else {
        expect(MPI_Parrived(side.request, -1, &flag), MPI_ERR_ARG, "MPI_Parrived out of range");
        expect(MPI_Pready(0, side.request), MPI_ERR_REQUEST, "MPI_Pready on a receive");
        expect(MPI_Request_free(&side.request), MPI_ERR_REQUEST, "MPI_Request_free while active");
        expect(MPI_Cancel(&side.request), MPI_ERR_REQUEST, "MPI_Cancel while active");
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    if (!side.sending) {
        mt_side_verify(&side, -1, 0);
    }
    mt_cycle(&side, 1);
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    init_errors(comm);
    mt_result("erroneous init calls return their class");
    use_errors(comm);
    mt_result("erroneous calls on a request return their class and the channel works");
    MPI_Comm_free(&comm);
    return mt_end();
}
