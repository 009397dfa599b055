/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Thousands of cycles of init, start, complete and free: memory and open files stay as they are. A
 * loss of one small object in each cycle of any collective is seen.
 */

#include "../support/pcoll.h"
#include "../support/usage.h"

#define CYCLES 250

/* One of each, so that a loss of any of them is in each cycle. */
static void make_all(pc_t pcs[PC_KINDS], MPI_Comm comm)
{
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        pc_spec_t spec = pc_plain(kind, comm, 4, 10, 15);

        spec.send_type = 5;
        spec.number = PC_NUMBER_GAPS;
        spec.op = PC_OP_USER_ORDERED;
        pc_make(&pcs[kind], &spec, 2);
    }
}

int main(int argc, char **argv)
{
    mt_watch_t watch = {.look = {{0}}};
    mt_random_t random;
    MPI_Comm comm;
    pc_t pcs[PC_KINDS];

    mt_watch_begin();
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&random, (uint64_t) (15 + mt_rank()));
    pc_world_make();
    comm = pc_ring();
    make_all(pcs, comm);
    int cycles = mt_slow() ? 10 : CYCLES;
    for (int i = 0; i < cycles; i++) {
        mt_look(&watch, i, cycles);
        for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
            if (pc_open(&pcs[kind])) {
                pc_cycle(&pcs[kind], i, &random);
                mt_free(&pcs[kind].request);
            }
        }
    }
    mt_expect_flat(&watch, "cycles");
    mt_result("%d cycles of all collectives: right data, flat memory", cycles);
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        pc_drop(&pcs[kind]);
    }
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
