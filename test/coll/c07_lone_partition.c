/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partition i of a result depends on partition i of the contributions, and on nothing else: it
 * arrives while the others have been marked by nobody, and those do not. Where a buffer has several
 * blocks, this is partition i of each.
 */

#include "../support/pcoll.h"

#define CUT 4

/* Nothing at all comes from nobody, at once. */
static bool comes_at_once(const pc_t *pc)
{
    return pc->nothing_comes;
}

static void expect_arrivals(pc_t *pc, int lone)
{
    for (int p = 0; p < pc->takes; p++) {
        if (p % CUT == lone || comes_at_once(pc)) {
            mt_check(pc_arrives(pc, p, 10.0), "%s: partition %d not there", pc_text(pc), p);
        }
    }
    mt_progress(0.002); /* what must not come would come now */
    for (int p = 0; p < pc->takes; p++) {
        if (p % CUT != lone && !comes_at_once(pc)) {
            mt_check(!mt_arrived(pc->request, p), "%s: partition %d is there, but nobody marked it",
                     pc_text(pc), p);
        }
    }
    if (pc->gives > 0) {
        mt_check(!mt_complete(pc->request), "%s: complete, but not all are marked", pc_text(pc));
    }
}

static void run(const pc_spec_t *spec)
{
    pc_t pc;

    pc_make(&pc, spec, 2);
    if (pc_open(&pc)) {
        /* The first and the last one, where many ranks take long. */
        for (int lone = 0; lone < CUT; lone += mt_size() > 8 ? CUT - 1 : 1) {
            mt_stage("%s: partition %d alone", pc_text(&pc), lone);
            pc_start(&pc, lone);
            for (int p = lone; p < pc.gives; p += CUT) {
                pc_mark(&pc, p);
            }
            expect_arrivals(&pc, lone);
            mt_sync();
            for (int p = 0; p < pc.gives; p++) {
                if (p % CUT != lone) {
                    pc_mark(&pc, p);
                }
            }
            pc_finish(&pc);
        }
    }
    pc_drop(&pc);
}

/* Without and with gaps, shorter and longer than a transfer. */
static void run_all(pc_kind_t kind, MPI_Comm comm)
{
    const pc_trait_t *trait = &pc_traits[kind];
    pc_spec_t spec = pc_plain(kind, comm, CUT, 1, 8);

    run(&spec);
    spec.unit = trait->many_to || trait->many_from ? 12000 / mt_size() : 40000;
    spec.root = mt_size() - 1;
    run(&spec);
    /* The result of reduce_scatter lies where contributions are still to come. */
    spec.unit = 100;
    spec.in_place = PC_REDUCE_SCATTER != kind && PC_REDUCE_SCATTER_BLOCK != kind;
    run(&spec);
    spec.send_type = 5;
    spec.recv_type = 3;
    spec.op = PC_OP_USER_ORDERED;
    spec.number = PC_NUMBER_GAPS;
    run(&spec);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    pc_world_make();
    comm = pc_ring();
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        if (!pc_due(kind)) {
            continue;
        }
        run_all(kind, comm);
        mt_result("%s: a partition arrives while nobody has marked the others",
                  pc_traits[kind].name);
    }
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
