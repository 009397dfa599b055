/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests are freed without having been started, while others of the same communicator are active,
 * and as soon as a rank is done while other ranks are still at work: others are not disturbed.
 */

#include "../support/pcoll.h"

#define KINDS 5

static const pc_kind_t kinds[KINDS] = {PC_BCAST, PC_ALLREDUCE, PC_ALLTOALLV, PC_REDUCE,
                                       PC_NEIGHBOR_ALLTOALL};

static void make(pc_t *pc, int kind, MPI_Comm comm, int seed)
{
    pc_spec_t spec = pc_plain(kinds[kind], comm, 4, 20, (uint64_t) seed);

    pc_make(pc, &spec, 2);
}

static void unstarted(MPI_Comm comm)
{
    for (int round = 0; round < 3; round++) {
        for (int kind = 0; kind < KINDS; kind++) {
            pc_t pc;

            make(&pc, kind, comm, round);
            if (pc_open(&pc) && round > 0) {
                pc_cycle(&pc, round, &(mt_random_t){3});
            }
            pc_drop(&pc);
        }
    }
}

/* One is active while others come and go, on each rank at another time. */
static void beside_active(MPI_Comm comm)
{
    for (int kind = 0; kind < KINDS; kind++) {
        pc_t active;
        pc_t other;
        pc_t late;

        make(&active, kind, comm, 20);
        make(&other, (kind + 1) % KINDS, comm, 21);
        make(&late, (kind + 2) % KINDS, comm, 22);
        pc_open(&active);
        pc_open(&other);
        pc_start(&active, 1);
        for (int p = 0; p < active.gives / 2; p++) {
            pc_mark(&active, p);
        }
        if (0 == mt_rank() % 2) {
            mt_free(&other.request);
        }
        pc_open(&late);
        if (1 == mt_rank() % 2) {
            mt_free(&other.request);
        }
        pc_cycle(&late, 0, &(mt_random_t){3});
        mt_free(&late.request);
        for (int p = active.gives / 2; p < active.gives; p++) {
            pc_mark(&active, p);
        }
        pc_finish(&active);
        pc_drop(&active);
        pc_drop(&other);
        pc_drop(&late);
    }
}

/* A root that has sent everything may be done before others have begun. */
static void when_done(MPI_Comm comm)
{
    for (int late = 0; late < mt_size(); late++) {
        for (int kind = 0; kind < KINDS; kind++) {
            pc_t pc;

            make(&pc, kind, comm, 30);
            if (pc_open(&pc)) {
                if (mt_rank() == late) {
                    mt_sleep(0.005);
                }
                pc_cycle(&pc, 1, &(mt_random_t){3});
                mt_free(&pc.request);
            }
            pc_drop(&pc);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    pc_world_make();
    comm = pc_ring();
    unstarted(comm);
    mt_result("requests are freed without having been started");
    beside_active(comm);
    mt_result("requests are freed while others are active");
    when_done(comm);
    mt_result("requests are freed as soon as a rank is done");
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
