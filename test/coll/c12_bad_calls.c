/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Pready where a rank contributes nothing, MPI_Parrived where it receives nothing, partitions
 * out of range or marked twice, calls on inactive and on active requests: the right error class,
 * once, through the communicator's handler, and the request works afterwards.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#define CUT 4

/* MPI_Pready in every spelling. */
static void refuse_pready(pc_t *pc, int partition, int error_class, const char *what)
{
    MPI_Comm comm = pc->spec.comm;

    mt_expect(comm, MPI_Pready(partition, pc->request), error_class, what);
    mt_expect(comm, MPI_Pready_range(partition, partition, pc->request), error_class, what);
    mt_expect(comm, MPI_Pready_list(1, &partition, pc->request), error_class, what);
}

static void refuse_parrived(pc_t *pc, int partition, int error_class, const char *what)
{
    int flag = 0;

    mt_expect(pc->spec.comm, MPI_Parrived(pc->request, partition, &flag), error_class, what);
}

static void before_start(pc_t *pc)
{
    int flag = 0;

    refuse_pready(pc, 0, MPI_ERR_REQUEST, "MPI_Pready before MPI_Start");
    mt_expect(pc->spec.comm, MPIX_Pbuf_prepare(&pc->request), MPI_ERR_REQUEST,
              "MPIX_Pbuf_prepare before MPI_Start");
    if (pc->takes > 0) {
        mt_success(MPI_Parrived(pc->request, 0, &flag), "MPI_Parrived before MPI_Start");
        mt_check(1 == flag, "nothing has arrived on an inactive request");
    }
}

static void while_active(pc_t *pc)
{
    MPI_Comm comm = pc->spec.comm;
    MPI_Request copy = pc->request;

    mt_expect_class(MPI_Start(&copy), MPI_ERR_REQUEST, "MPI_Start on an active request");
    mt_expect(comm, MPI_Request_free(&copy), MPI_ERR_REQUEST, "MPI_Request_free of an active one");
    mt_check(copy == pc->request, "the handle has changed");
    if (0 == pc->gives) {
        refuse_pready(pc, 0, MPI_ERR_REQUEST, "MPI_Pready on a rank that contributes nothing");
    } else {
        refuse_pready(pc, -1, MPI_ERR_ARG, "MPI_Pready of partition -1");
        refuse_pready(pc, pc->gives, MPI_ERR_ARG, "MPI_Pready behind the last partition");
        mt_expect(comm, MPI_Pready_range(0, pc->gives, pc->request), MPI_ERR_ARG,
                  "MPI_Pready_range beyond the last partition");
    }
    if (0 == pc->takes) {
        refuse_parrived(pc, 0, MPI_ERR_REQUEST, "MPI_Parrived on a rank that receives nothing");
    } else {
        refuse_parrived(pc, -1, MPI_ERR_ARG, "MPI_Parrived of partition -1");
        refuse_parrived(pc, pc->takes, MPI_ERR_ARG, "MPI_Parrived behind the last partition");
    }
}

/* Every partition once, and each of them again. */
static void twice(pc_t *pc)
{
    for (int p = 0; p + 1 < pc->gives; p++) {
        pc_mark(pc, p);
        refuse_pready(pc, p, MPI_ERR_ARG, "MPI_Pready of a partition that is ready");
    }
    if (pc->gives > 0) {
        pc_mark(pc, pc->gives - 1); /* with the last, the request may complete */
    }
}

static void run(pc_kind_t kind, MPI_Comm comm, bool in_place)
{
    pc_t pc;
    pc_spec_t spec = pc_plain(kind, comm, CUT, 5, 12);

    spec.root = mt_size() - 1;
    spec.in_place = in_place;
    pc_make(&pc, &spec, 2);
    if (pc_open(&pc)) {
        before_start(&pc);
        for (int i = 0; i < 2; i++) {
            pc_start(&pc, i);
            while_active(&pc);
            mt_sync();
            twice(&pc);
            pc_finish(&pc);
            refuse_pready(&pc, 0, MPI_ERR_REQUEST, "MPI_Pready of a completed request");
        }
        pc_cycle(&pc, 1, &(mt_random_t){12});
        mt_expect_quiet("the request afterwards");
    }
    pc_drop(&pc);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    pc_world_make();
    comm = pc_ring();
    mt_errors_watch(comm);
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        run(kind, comm, false);
        if (pc_traits[kind].in_place) {
            run(kind, comm, true);
        }
        mt_result("%s: wrong calls are refused, right ones work", pc_traits[kind].name);
    }
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
