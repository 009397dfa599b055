/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Pbuf_prepare on a collective request returns when all ranks have started theirs, also for
 * several at once; it is optional, changes no data, and is refused on an inactive request.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#define REQUESTS 3

/* The clock is that of one machine, also in the virtual cluster. */
static void expect_all_started(double started, double returned, const char *what)
{
    double last = 0;

    MPI_Allreduce(&started, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    mt_check(returned >= last, "%s: returned %.3f s before the last MPI_Start", what,
             last - returned);
}

static void one(pc_kind_t kind, MPI_Comm comm)
{
    pc_t pc;
    pc_spec_t spec = pc_plain(kind, comm, 4, 10, 9);

    pc_make(&pc, &spec, 3);
    if (pc_open(&pc)) {
        for (int i = 0; i < 3; i++) {
            if (mt_rank() == i % mt_size()) {
                mt_sleep(0.02);
            }
            double started = mt_now();
            pc_start(&pc, i);
            mt_success(MPIX_Pbuf_prepare(&pc.request), "MPIX_Pbuf_prepare");
            double returned = mt_now();
            if (0 == mt_rank()) { /* again, alone */
                mt_success(MPIX_Pbuf_prepare(&pc.request), "a second MPIX_Pbuf_prepare");
            }
            pc_mark_all(&pc);
            pc_finish(&pc);
            expect_all_started(started, returned, pc_text(&pc));
        }
        pc_cycle(&pc, 3, &(mt_random_t){5}); /* and without */
    }
    pc_drop(&pc);
}

/* Each on a communicator of its own, and in another order on every other rank. */
static void several(MPI_Comm comm)
{
    MPI_Comm comms[REQUESTS];
    static const pc_kind_t kinds[REQUESTS] = {PC_ALLREDUCE, PC_BCAST, PC_ALLTOALL};
    pc_t pcs[REQUESTS];
    MPI_Request requests[REQUESTS];

    for (int i = 0; i < REQUESTS; i++) {
        MPI_Comm_dup(comm, &comms[i]);
        pc_spec_t spec = pc_plain(kinds[i], comms[i], 4, 10, 9);
        pc_make(&pcs[i], &spec, 2);
    }
    for (int i = 0; i < REQUESTS; i++) {
        pc_open(&pcs[i]);
        pc_wipe(&pcs[i], 1);
        requests[mt_rank() % 2 ? REQUESTS - 1 - i : i] = pcs[i].request;
    }
    mt_sleep(0.01 * mt_rank());
    double started = mt_now();
    mt_success(MPI_Startall(REQUESTS, requests), "MPI_Startall");
    mt_success(MPIX_Pbuf_prepareall(REQUESTS, requests), "MPIX_Pbuf_prepareall");
    double returned = mt_now();
    for (int i = 0; i < REQUESTS; i++) {
        pc_mark_all(&pcs[i]);
    }
    for (int i = 0; i < REQUESTS; i++) {
        pc_finish(&pcs[i]);
    }
    expect_all_started(started, returned, "MPIX_Pbuf_prepareall");
    for (int i = 0; i < REQUESTS; i++) {
        pc_drop(&pcs[i]);
        MPI_Comm_free(&comms[i]);
    }
}

static void inactive(void)
{
    MPI_Comm comm;
    pc_t pc;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    pc_spec_t spec = pc_plain(PC_ALLREDUCE, comm, 4, 10, 9);
    pc_make(&pc, &spec, 2);
    if (pc_open(&pc)) {
        mt_expect(comm, MPIX_Pbuf_prepare(&pc.request), MPI_ERR_REQUEST, "never started");
        pc_cycle(&pc, 1, &(mt_random_t){5});
        mt_expect(comm, MPIX_Pbuf_prepare(&pc.request), MPI_ERR_REQUEST, "completed");
    }
    pc_drop(&pc);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    pc_world_make();
    comm = pc_ring();
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        one(kind, comm);
    }
    mt_result("MPIX_Pbuf_prepare waits for all ranks, once in an iteration");
    several(comm);
    mt_result("MPIX_Pbuf_prepareall waits for all ranks, whatever the order in their arrays");
    inactive();
    mt_result("MPIX_Pbuf_prepare is refused on inactive requests");
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
