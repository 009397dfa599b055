/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenMP loops produce the partitions of a contribution, in a random order that is another on each
 * rank, and consume those of the result as they arrive.
 */

#include "../support/pcoll.h"

#include <stdlib.h>

#define ITERATIONS 5

/* Marks, then waits for the result: threads that are done with the first loop go on to the
 * second. */
static void produce_and_consume(pc_t *pc, const int *order)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < pc->gives; i++) {
            pc_mark(pc, order[i]);
        }
#pragma omp for schedule(dynamic, 1)
        for (int p = 0; p < pc->takes; p++) {
            mt_check(pc_arrives(pc, p, 20.0), "%s: partition %d not there", pc_text(pc), p);
        }
    }
}

static void run(pc_kind_t kind, MPI_Comm comm, mt_random_t *random)
{
    pc_t pc;
    pc_spec_t spec = pc_plain(kind, comm, 24, 50, 7);
    int *order;

    pc_make(&pc, &spec, 2);
    order = mt_alloc((size_t) pc.gives * sizeof(int));
    for (int p = 0; p < pc.gives; p++) {
        order[p] = p;
    }
    if (pc_open(&pc)) {
        for (int i = 0; i < ITERATIONS; i++) {
            mt_random_shuffle(random, order, pc.gives);
            pc_start(&pc, i);
            produce_and_consume(&pc, order);
            pc_finish(&pc);
        }
    }
    free(order);
    pc_drop(&pc);
}

int main(int argc, char **argv)
{
    mt_random_t random;
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
#ifndef _OPENMP
    mt_skip("the compiler has no OpenMP", "OpenMP loops mark and consume");
    return mt_end();
#endif
    mt_random_seed(&random, (uint64_t) (70 + mt_rank()));
    pc_world_make();
    comm = pc_ring();
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        run(kind, comm, &random);
    }
    mt_result("OpenMP loops mark and consume partitions of all collectives");
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
