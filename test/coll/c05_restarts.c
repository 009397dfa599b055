/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A request is started a hundred times while ranks are late or early at random: nothing of one
 * iteration is taken for another's.
 */

#include "../support/pcoll.h"

static void dawdle(mt_random_t *random)
{
    if (0 == mt_random_below(random, 12)) {
        mt_sleep(0.0005 * (1 + mt_random_below(random, 6)));
    }
}

static void run(pc_kind_t kind, MPI_Comm comm, int iterations, mt_random_t *random)
{
    pc_t pc;
    pc_spec_t spec = pc_plain(kind, comm, 4, 3, 5);

    spec.root = (int) kind % mt_size();
    pc_make(&pc, &spec, 3);
    if (pc_open(&pc)) {
        for (int i = 0; i < iterations; i++) {
            dawdle(random);
            pc_cycle(&pc, i, random);
        }
    }
    pc_drop(&pc);
}

int main(int argc, char **argv)
{
    mt_random_t random;
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&random, (uint64_t) (50 + mt_rank()));
    pc_world_make();
    comm = pc_ring();
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        run(kind, comm, mt_slow() ? 20 : 100, &random);
        mt_result("%s is started again and again, with skew", pc_traits[kind].name);
    }
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
