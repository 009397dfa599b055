/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI does not look at the receive buffer of rank 0 of an exclusive scan: it may be NULL, or the
 * send buffer, and nothing is written there. The other ranks get what MPI's exscan gives.
 */

#include "../support/pcoll.h"

#define ITERATIONS 3

typedef enum { AT_NULL, AT_SEND_BUFFER } first_t;

static void run(const pc_spec_t *spec, first_t first)
{
    mt_random_t random;
    pc_t pc;

    mt_random_seed(&random, (uint64_t) (20 + mt_rank()));
    pc_make(&pc, spec, ITERATIONS);
    if (0 == mt_rank()) { /* of the call only; the buffer itself is still checked */
        pc.recv.origin = AT_NULL == first ? NULL : pc.send.origin;
    }
    if (pc_open(&pc)) {
        for (int i = 0; i < ITERATIONS; i++) {
            pc_cycle(&pc, i, &random);
        }
    }
    pc_drop(&pc);
}

/* One transfer and several; without gaps and with, in the order of ranks and in any. */
static void run_all(first_t first)
{
    static const struct {
        int op;
        int number;
    } kinds[] = {{PC_OP_SUM, PC_NUMBER_DOUBLE},
                 {PC_OP_MAXLOC, PC_NUMBER_DOUBLE_INT},
                 {PC_OP_USER_COMMUTES, PC_NUMBER_VECTOR},
                 {PC_OP_USER_ORDERED, PC_NUMBER_GAPS}};

    for (int i = 0; i < (int) (sizeof(kinds) / sizeof(kinds[0])); i++) {
        for (int unit = 5; unit <= 50000; unit *= 10000) {
            pc_spec_t spec = pc_plain(PC_EXSCAN, MPI_COMM_WORLD, 4, unit, 20);

            spec.op = kinds[i].op;
            spec.number = kinds[i].number;
            run(&spec, first);
        }
    }
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    pc_world_make();
    if (pc_due(PC_EXSCAN)) {
        run_all(AT_NULL);
        mt_result("the receive buffer of rank 0 may be NULL");
        run_all(AT_SEND_BUFFER);
        mt_result("the receive buffer of rank 0 may be the send buffer");
    }
    pc_world_drop();
    return mt_end();
}
