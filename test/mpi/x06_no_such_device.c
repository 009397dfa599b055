/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A device that does not exist (part_ucx_devices, see testlist): every init call returns an error
 * through the communicator's handler, nothing hangs or crashes, and the rest of MPI works.
 */

#include "../support/side.h"

#define TAG 106

int main(int argc, char **argv)
{
    unsigned char buffer[64];
    MPI_Comm comm;
    MPI_Request request = MPI_REQUEST_NULL;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    int peer = 1 - mt_rank();
    for (int i = 0; i < 3; i++) {
        int code =
            MPI_Psend_init(buffer, 4, 16, MPI_BYTE, peer, TAG, comm, MPI_INFO_NULL, &request);
        mt_expect(comm, code, MPI_ERR_OTHER, "MPI_Psend_init");
        code = MPI_Precv_init(buffer, 4, 16, MPI_BYTE, peer, TAG, comm, MPI_INFO_NULL, &request);
        mt_expect(comm, code, MPI_ERR_OTHER, "MPI_Precv_init");
    }
    mt_result("init calls fail cleanly when part_ucx_devices names a device that does not exist");
    MPI_Comm_free(&comm);
    return mt_end();
}
