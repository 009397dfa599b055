/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several threads of each rank mark partitions, each rank in another order, while several threads
 * poll: a partition that has arrived is right in every byte at that moment.
 */

#include "../support/pcoll.h"
#include "../support/side.h"

#include <stdlib.h>

#define MARKERS    3
#define POLLERS    2
#define ITERATIONS 6

typedef struct {
    pc_t pc;
    int *order;
} shared_t;

static void mark(shared_t *shared, int thread)
{
    for (int i = thread; i < shared->pc.gives; i += MARKERS) {
        pc_mark(&shared->pc, shared->order[i]);
    }
}

/* The pollers have the same partitions to look at, from different ends. */
static void poll(shared_t *shared, int thread)
{
    int takes = shared->pc.takes;

    for (int i = 0; i < takes; i++) {
        int partition = 0 == thread % 2 ? i : takes - 1 - i;
        mt_check(pc_arrives(&shared->pc, partition, 20.0), "%s: partition %d not there",
                 pc_text(&shared->pc), partition);
    }
}

static void work(int thread, void *argument)
{
    if (thread < MARKERS) {
        mark(argument, thread);
    } else {
        poll(argument, thread - MARKERS);
    }
}

static void run(const pc_spec_t *spec, mt_random_t *random)
{
    shared_t shared;
    pc_t *pc = &shared.pc;

    pc_make(pc, spec, 3);
    shared.order = mt_alloc((size_t) pc->gives * sizeof(int));
    for (int p = 0; p < pc->gives; p++) {
        shared.order[p] = p;
    }
    if (pc_open(pc)) {
        for (int i = 0; i < ITERATIONS; i++) {
            mt_random_shuffle(random, shared.order, pc->gives);
            pc_start(pc, i);
            mt_team(MARKERS + POLLERS, work, &shared);
            pc_finish(pc);
        }
    }
    free(shared.order);
    pc_drop(pc);
}

int main(int argc, char **argv)
{
    mt_random_t random;
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    mt_random_seed(&random, (uint64_t) (60 + mt_rank()));
    pc_world_make();
    comm = pc_ring();
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        if (!pc_due(kind)) {
            continue;
        }
        pc_spec_t spec = pc_plain(kind, comm, 12, 20, 6);

        run(&spec, &random);
        spec.in_place = true;
        spec.uneven = true;
        spec.send_cut = 0;
        spec.recv_cut = 0;
        spec.send_type = PC_TYPE_DRAWN;
        spec.recv_type = PC_TYPE_DRAWN;
        spec.number = PC_NUMBER_GAPS;
        spec.op = PC_OP_USER_ORDERED;
        run(&spec, &random);
        mt_result("%s: threads mark and poll", pc_traits[kind].name);
    }
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
