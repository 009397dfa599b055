/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Pbuf_prepare and MPIX_Pbuf_prepareall: a send waits for the receiver's MPI_Start of the same
 * iteration, a receive does not wait; every mix of sends and receives in one call ends; they are
 * optional; what is not an active partitioned request is refused; a failed operation does not hang.
 */

#include "../support/side.h"

#include <mpix_partitioned.h>

#include <stdlib.h>
#include <string.h>

#define TAG   101
#define DELAY 0.15

/* Both clocks are those of one machine, which carries the hosts of the virtual cluster, too. */
static void waits_for_start(size_t bytes)
{
    mt_side_t side;
    double started = 0;

    for (int iteration = 0; iteration < 3; iteration++) {
        if (0 == mt_rank()) {
            if (0 == iteration) {
                mt_psend(&side, 4, bytes, 1, TAG, MPI_COMM_WORLD);
            }
            mt_start(&side);
            mt_success(MPIX_Pbuf_prepare(&side.request), "MPIX_Pbuf_prepare on a send");
            double returned = mt_now();
            mt_side_fill(&side, -1, iteration);
            mt_ready(&side, -1);
            mt_finish(&side.request, MPI_STATUS_IGNORE);
            MPI_Recv(&started, 1, MPI_DOUBLE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            mt_check(returned >= started,
                     "iteration %d: returned %.3f s before the receiver's "
                     "MPI_Start",
                     iteration, started - returned);
        } else {
            mt_sleep(DELAY);
            if (0 == iteration) {
                mt_precv(&side, 4, bytes, 0, TAG, MPI_COMM_WORLD);
            }
            started = mt_now();
            mt_start(&side);
            mt_finish(&side.request, MPI_STATUS_IGNORE);
            mt_side_verify(&side, -1, iteration);
            MPI_Send(&started, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
        }
    }
    mt_drop(&side);
}

static void receive_is_local(void)
{
    mt_side_t side;

    if (1 == mt_rank()) {
        mt_precv(&side, 4, 100, 0, TAG, MPI_COMM_WORLD);
        mt_start(&side);
        double start = mt_now();
        mt_success(MPIX_Pbuf_prepare(&side.request), "MPIX_Pbuf_prepare on a receive");
        mt_check(mt_now() - start < 20.0, "it took %.2f s", mt_now() - start);
        mt_sync();
        mt_finish(&side.request, MPI_STATUS_IGNORE);
        mt_side_verify(&side, -1, 0);
    } else {
        mt_sync(); /* the send does not exist before */
        mt_psend(&side, 4, 100, 1, TAG, MPI_COMM_WORLD);
        mt_cycle(&side, 0);
    }
    mt_drop(&side);
}

/* Both ranks prepare sends and receives in one call, in orders of their own. */
static void all_at_once(void)
{
    mt_side_t out[3];
    mt_side_t in[3];
    MPI_Request requests[6];
    int peer = 1 - mt_rank();

    for (int c = 0; c < 3; c++) {
        mt_psend(&out[c], 3, 2000, peer, TAG + c, MPI_COMM_WORLD);
        mt_precv(&in[c], 3, 2000, peer, TAG + c, MPI_COMM_WORLD);
        requests[0 == mt_rank() ? c : 5 - c] = out[c].request;
        requests[0 == mt_rank() ? 3 + c : c] = in[c].request;
    }
    for (int iteration = 0; iteration < 4; iteration++) {
        mt_success(MPI_Startall(6, requests), "MPI_Startall");
        if (2 != iteration) { /* optional */
            mt_success(MPIX_Pbuf_prepareall(6, requests), "MPIX_Pbuf_prepareall");
        }
        for (int c = 0; c < 3; c++) {
            mt_side_fill(&out[c], -1, iteration);
            mt_ready(&out[c], -1);
        }
        mt_success(MPI_Waitall(6, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
        for (int c = 0; c < 3; c++) {
            mt_side_verify(&in[c], -1, iteration);
            mt_side_wipe(&in[c]);
        }
    }
    for (int c = 0; c < 3; c++) {
        mt_drop(&out[c]);
        mt_drop(&in[c]);
    }
}

static void refused(MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    mt_side_t side;
    int value = 0;
    int peer = 1 - mt_rank();

    mt_success(MPIX_Pbuf_prepareall(0, NULL), "MPIX_Pbuf_prepareall(0, NULL)");
    mt_expect_class(MPIX_Pbuf_prepareall(-1, &request), MPI_ERR_ARG, "a negative count");
    mt_expect_class(MPIX_Pbuf_prepare(&request), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
    MPI_Irecv(&value, 1, MPI_INT, peer, TAG, comm, &request);
    mt_expect_class(MPIX_Pbuf_prepare(&request), MPI_ERR_REQUEST, "an ordinary receive");
    MPI_Send(&value, 1, MPI_INT, peer, TAG, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (0 == mt_rank()) {
        mt_psend(&side, 2, 50, peer, TAG, comm);
    } else {
        mt_precv(&side, 2, 50, peer, TAG, comm);
    }
    mt_expect(comm, MPIX_Pbuf_prepare(&side.request), MPI_ERR_REQUEST, "never started");
    mt_cycle(&side, 0);
    mt_expect(comm, MPIX_Pbuf_prepareall(1, &side.request), MPI_ERR_REQUEST, "completed");
    mt_cycle(&side, 1);
    mt_drop(&side);
    mt_expect_quiet("the channel afterwards");
}

static void mismatch_does_not_hang(MPI_Comm comm)
{
    unsigned char buffer[64];
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;

    memset(buffer, 0, sizeof(buffer));
    if (0 == mt_rank()) {
        MPI_Psend_init(buffer, 2, 32, MPI_BYTE, 1, TAG, comm, MPI_INFO_NULL, &request);
    } else {
        MPI_Precv_init(buffer, 2, 16, MPI_BYTE, 0, TAG, comm, MPI_INFO_NULL, &request);
    }
    MPI_Start(&request);
    if (0 == mt_rank()) {
        mt_expect(comm, MPIX_Pbuf_prepare(&request), MPI_ERR_TRUNCATE, "a mismatched send");
    }
    mt_check(mt_wait(&request, 10.0, MPI_STATUS_IGNORE, &code), "no end");
    mt_expect(comm, code, MPI_ERR_TRUNCATE, "its completion");
    mt_free_failed(&request);
}

static void proc_null(void)
{
    mt_side_t side;

    mt_psend(&side, 2, 50, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
    mt_start(&side);
    mt_success(MPIX_Pbuf_prepare(&side.request), "MPIX_Pbuf_prepare with MPI_PROC_NULL");
    mt_ready(&side, -1);
    mt_success(PMPIX_Pbuf_prepareall(1, &side.request), "PMPIX_Pbuf_prepareall");
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    waits_for_start(200);
    waits_for_start(100000);
    mt_result("MPIX_Pbuf_prepare on a send returns after the receiver's MPI_Start");
    receive_is_local();
    mt_result("MPIX_Pbuf_prepare on a receive is local");
    all_at_once();
    mt_result("MPIX_Pbuf_prepareall takes sends and receives in any order");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    refused(comm);
    mt_result("what is not an active partitioned request is refused");
    mismatch_does_not_hang(comm);
    mt_result("MPIX_Pbuf_prepare returns the error of a mismatched send");
    proc_null();
    mt_result("MPIX_Pbuf_prepare with MPI_PROC_NULL, and under its profiling name");
    MPI_Comm_free(&comm);
    return mt_end();
}
