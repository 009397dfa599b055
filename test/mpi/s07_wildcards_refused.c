/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S7. MPI_ANY_SOURCE and MPI_ANY_TAG are not allowed in MPI_Precv_init, nor ranks and tags that do
 * not exist: an error class through the communicator's handler, and channels still work
 * afterwards.
 */

#include "../support/side.h"

#define TAG 7

static unsigned char buffer[64];

static int try_recv(int source, int tag, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_Precv_init(buffer, 4, 16, MPI_BYTE, source, tag, comm, MPI_INFO_NULL, &request);

    if (MPI_SUCCESS == code) {
        MPI_Request_free(&request);
    }
    return code;
}

static int try_send(int dest, int tag, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_Psend_init(buffer, 4, 16, MPI_BYTE, dest, tag, comm, MPI_INFO_NULL, &request);

    if (MPI_SUCCESS == code) {
        MPI_Request_free(&request);
    }
    return code;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    int peer = 1 - mt_rank();

    mt_expect(comm, try_recv(MPI_ANY_SOURCE, TAG, comm), MPI_ERR_RANK, "Precv_init(ANY_SOURCE)");
    mt_result("MPI_Precv_init refuses MPI_ANY_SOURCE");
    mt_expect(comm, try_recv(peer, MPI_ANY_TAG, comm), MPI_ERR_TAG, "Precv_init(ANY_TAG)");
    mt_result("MPI_Precv_init refuses MPI_ANY_TAG");
    mt_expect(comm, try_send(MPI_ANY_SOURCE, TAG, comm), MPI_ERR_RANK, "Psend_init(ANY_SOURCE)");
    mt_expect(comm, try_send(peer, MPI_ANY_TAG, comm), MPI_ERR_TAG, "Psend_init(ANY_TAG)");
    mt_result("MPI_Psend_init refuses wildcards");
    mt_expect(comm, try_recv(mt_size(), TAG, comm), MPI_ERR_RANK, "Precv_init(source = size)");
    mt_expect(comm, try_send(mt_size(), TAG, comm), MPI_ERR_RANK, "Psend_init(dest = size)");
    mt_expect(comm, try_recv(-77, TAG, comm), MPI_ERR_RANK, "Precv_init(source = -77)");
    mt_expect(comm, try_send(peer, -77, comm), MPI_ERR_TAG, "Psend_init(tag = -77)");
    mt_expect(comm, try_recv(peer, -77, comm), MPI_ERR_TAG, "Precv_init(tag = -77)");
    mt_result("ranks and tags that do not exist are refused");

    mt_one_way(&side, 4, 16, TAG, comm);
    mt_cycle(&side, 0);
    mt_drop(&side);
    mt_expect_quiet("a channel after refused calls");
    mt_result("a channel of the same key works after the refused calls");
    MPI_Comm_free(&comm);
    return mt_end();
}
