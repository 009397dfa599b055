/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads take partitions of a result as they arrive (MPIX_Parrived_any, MPIX_Parrived_some): each
 * partition goes to exactly one of them, is right at that moment, and all of them are told when
 * there is nothing left.
 */

#include "../support/pcoll.h"
#include "../support/side.h"

#include <mpix_partitioned.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define MARKERS 2
#define TAKERS  3
#define ROUNDS  6
#define SOME    5

typedef struct {
    pc_t pc;
    int *taken; /* per partition: how often */
} shared_t;

static void take(shared_t *shared, int partition)
{
    pc_t *pc = &shared->pc;

    if (!mt_check(partition >= 0 && partition < pc->takes, "partition %d is reported", partition)) {
        return;
    }
    __atomic_add_fetch(&shared->taken[partition], 1, __ATOMIC_RELAXED);
    if (!pc->nothing_comes) {
        pc_check_take(pc, partition);
    }
}

static void take_one_by_one(shared_t *shared)
{
    for (;;) {
        int partition = -5;
        int flag = -5;

        mt_success(MPIX_Parrived_any(shared->pc.request, &partition, &flag), "MPIX_Parrived_any");
        if (flag && MPI_UNDEFINED == partition) {
            return;
        }
        if (flag) {
            take(shared, partition);
        } else {
            mt_check(MPI_UNDEFINED == partition, "flag 0 with partition %d", partition);
            sched_yield();
        }
    }
}

static void take_some(shared_t *shared)
{
    int count = 0;

    while (MPI_UNDEFINED != count) {
        int partitions[SOME + 1];

        memset(partitions, 0xff, sizeof(partitions));
        mt_success(MPIX_Parrived_some(shared->pc.request, SOME, &count, partitions),
                   "MPIX_Parrived_some");
        mt_check(MPI_UNDEFINED == count || (count >= 0 && count <= SOME), "%d reported of %d",
                 count, SOME);
        mt_check(-1 == partitions[SOME], "more than asked for was stored");
        for (int i = 0; MPI_UNDEFINED != count && i < count; i++) {
            take(shared, partitions[i]);
        }
        if (0 == count) {
            sched_yield();
        }
    }
}

static void work(int thread, void *argument)
{
    shared_t *shared = argument;

    if (thread < MARKERS) {
        for (int p = thread; p < shared->pc.gives; p += MARKERS) {
            pc_mark(&shared->pc, shared->pc.gives - 1 - p);
        }
    } else if (0 == thread % 2) {
        take_one_by_one(shared);
    } else {
        take_some(shared);
    }
}

static void run(pc_kind_t kind, MPI_Comm comm)
{
    shared_t shared;
    pc_t *pc = &shared.pc;
    pc_spec_t spec = pc_plain(kind, comm, 24, 8, 10);
    int none = 0;

    pc_make(pc, &spec, 3);
    shared.taken = mt_alloc((size_t) pc->takes * sizeof(int));
    if (pc_open(pc)) {
        mt_success(MPIX_Parrived_some(pc->request, 0, &none, NULL), "before the first MPI_Start");
        for (int i = 0; i < ROUNDS; i++) {
            memset(shared.taken, 0, (size_t) pc->takes * sizeof(int));
            pc_start(pc, i);
            mt_team(MARKERS + TAKERS, work, &shared);
            for (int p = 0; p < pc->takes; p++) {
                /* Nothing comes to rank 0 of exscan. */
                mt_check(1 == shared.taken[p] || (pc->nothing_comes && 0 == shared.taken[p]),
                         "%s: partition %d was reported %d times", pc_text(pc), p,
                         shared.taken[p]);
            }
            pc_finish(pc);
        }
    }
    free(shared.taken);
    pc_drop(pc);
}

/* What nobody took before completion can be taken afterwards, until the next MPI_Start. */
static void after_completion(MPI_Comm comm)
{
    shared_t shared;
    pc_t *pc = &shared.pc;
    pc_spec_t spec = pc_plain(PC_ALLREDUCE, comm, 8, 8, 11);

    pc_make(pc, &spec, 3);
    shared.taken = mt_alloc((size_t) pc->takes * sizeof(int));
    if (pc_open(pc)) {
        for (int i = 0; i < 3; i++) {
            memset(shared.taken, 0, (size_t) pc->takes * sizeof(int));
            pc_start(pc, i);
            pc_mark_all(pc);
            pc_finish(pc);
            if (1 != i) { /* the second iteration's are never taken */
                take_one_by_one(&shared);
            }
            for (int p = 0; p < pc->takes; p++) {
                mt_check((1 != i) == shared.taken[p], "partition %d was reported %d times", p,
                         shared.taken[p]);
            }
        }
    }
    free(shared.taken);
    pc_drop(pc);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    pc_world_make();
    comm = pc_ring();
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        run(kind, comm);
    }
    mt_result("threads take each partition of a result once");
    after_completion(comm);
    mt_result("partitions can be taken after completion, and not in the next iteration");
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
