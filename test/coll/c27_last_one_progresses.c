/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank that is always the last one finds all of a small collective there when it starts it, and
 * completes it at once. It enters Open MPI's progress all the same, in which others need it: here
 * rank 0, whose synchronous send waits for the last rank to match it. That rank has posted the
 * receive, and calls nothing but MPI_Start, MPI_Pready and MPI_Wait of the collective.
 */

#include "../support/pcoll.h"

#include <unistd.h>

#define TAG    7
#define LATE   200 /* microseconds */
#define EPOCHS 64 /* in one of many more the last rank may find something missing, by chance */

static void one_epoch(pc_t *pc, int epoch)
{
    bool last = mt_rank() == mt_size() - 1;

    if (last) {
        usleep(LATE);
    }
    pc_start(pc, epoch);
    for (int i = 0; i < pc->gives; i++) {
        pc_mark(pc, i);
    }
    pc_finish(pc);
}

/* Has rank 0 sent before the last epoch ended? */
static bool sends_meanwhile(pc_t *pc)
{
    int last = mt_size() - 1, sent = 0, ranks = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    int number = 11, came = 0;

    if (mt_rank() == last) {
        MPI_Irecv(&came, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == mt_rank()) {
        MPI_Issend(&number, 1, MPI_INT, last, TAG, MPI_COMM_WORLD, &request);
    }
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        one_epoch(pc, epoch);
        if (0 == mt_rank() && !sent) {
            MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* now the last rank progresses in any case */
    mt_check(mt_rank() != last || 11 == came, "%d has come", came);
    sent = 0 == mt_rank() ? sent : 1;
    MPI_Allreduce(&sent, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return ranks == mt_size();
}

static void run(pc_kind_t kind)
{
    pc_spec_t spec = pc_plain(kind, MPI_COMM_WORLD, 1, 2, 23);
    pc_t pc;

    pc_make(&pc, &spec, 3);
    if (pc_open(&pc)) {
        one_epoch(&pc, 0); /* connections */
        mt_check(sends_meanwhile(&pc), "%s: the last rank has not matched a message in %d epochs",
                 pc_text(&pc), EPOCHS);
    }
    pc_drop(&pc);
    mt_result("%s: the rank that is always last still makes progress", pc_traits[kind].name);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    run(PC_ALLREDUCE);
    run(PC_ALLGATHER);
    return mt_end();
}
