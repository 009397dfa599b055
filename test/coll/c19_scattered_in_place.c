/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduce_scatter in place: the result goes to the beginning of the buffer, where contributions to
 * other results lie. Each of them in turn is written and not marked while all others are: it must
 * stay as it is, and count in its result when it is marked at last. Blocks differ, and their
 * partitions are short, so that those at the beginning of a result are of another block. MPI allows
 * that only some ranks work in place, also of a scan and an exscan.
 */

#include "../support/pcoll.h"

#define MOST_RANKS 64
#define WAIT       0.002 /* seconds in which what must not be written would be */

/* Block 0 has one partition. */
static void last_is_large(int *blocks)
{
    for (int b = 0; b < mt_size(); b++) {
        blocks[b] = b + 1 < mt_size() ? 1 : 10;
    }
}

static void growing(int *blocks)
{
    for (int b = 0; b < mt_size(); b++) {
        blocks[b] = b + 1;
    }
}

static void shrinking(int *blocks)
{
    for (int b = 0; b < mt_size(); b++) {
        blocks[b] = 2 * (mt_size() - b);
    }
}

static void hold(pc_t *pc, int held)
{
    mt_stage("%s: contribution %d is held", pc_text(pc), held);
    pc_start(pc, held);
    pc_fill(pc, held);
    for (int p = pc->gives - 1; p >= 0; p--) {
        if (p != held) {
            pc_mark(pc, p);
        }
    }
    mt_sync();
    mt_progress(WAIT);
    for (int p = 0; p < pc->takes; p++) {
        pc_arrived(pc, p);
    }
    pc_check_give(pc, held);
    /* As it is now, not written again. */
    mt_success(MPI_Pready(held, pc->request), "MPI_Pready");
    pc_finish(pc);
}

static void hold_each(const pc_spec_t *spec)
{
    pc_t pc;

    pc_make(&pc, spec, 3);
    if (pc_open(&pc)) {
        for (int p = 0; p < pc.gives; p++) {
            hold(&pc, p);
        }
    }
    pc_drop(&pc);
}

/* Without gaps, and with. */
static void every_datatype(pc_spec_t *spec)
{
    for (int number = PC_NUMBER_PAIR; number <= PC_NUMBER_GAPS; number++) {
        for (int op = PC_OP_USER_COMMUTES; op <= PC_OP_USER_ORDERED; op++) {
            spec->number = number;
            spec->op = op;
            hold_each(spec);
        }
    }
}

/* Scan or exscan: the result goes to the contribution of which it is the prefix sum. */
static void prefix_sums(int collective, const char *name)
{
    const struct {
        const char *text;
        bool here;
    } in_place[] = {{"every second rank works", 0 == mt_rank() % 2},
                    {"the first rank works", 0 == mt_rank()},
                    {"the last rank works", mt_rank() + 1 == mt_size()},
                    {"all but the first rank work", 0 < mt_rank()}};
    pc_spec_t spec = pc_plain(collective, MPI_COMM_WORLD, 6, 3, 19);

    for (int i = 0; i < (int) (sizeof(in_place) / sizeof(in_place[0])); i++) {
        spec.in_place = in_place[i].here;
        for (int op = PC_OP_USER_COMMUTES; op <= PC_OP_USER_ORDERED; op++) {
            spec.number = PC_OP_USER_COMMUTES == op ? PC_NUMBER_PAIR : PC_NUMBER_GAPS;
            spec.op = op;
            hold_each(&spec);
        }
        mt_result("%s: no contribution is overwritten before it is marked when %s in place", name,
                  in_place[i].text);
    }
}

static void every_shape(bool in_place)
{
    static void (*const shapes[])(int *blocks) = {last_is_large, growing, shrinking};
    int blocks[MOST_RANKS];
    pc_spec_t spec = pc_plain(PC_REDUCE_SCATTER, MPI_COMM_WORLD, 1, 1, 19);

    spec.blocks = blocks;
    spec.in_place = in_place;
    for (int i = 0; i < (int) (sizeof(shapes) / sizeof(shapes[0])); i++) {
        shapes[i](blocks);
        every_datatype(&spec);
    }
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    pc_world_make();
    if (pc_due(PC_REDUCE_SCATTER)) {
        every_shape(true);
        mt_result("in place, no contribution is overwritten before it is marked");
        every_shape(0 == mt_rank() % 2);
        mt_result("the same when every second rank works in place");
        every_shape(mt_rank() + 1 == mt_size());
        mt_result("the same when the last rank does");
    }
    if (pc_due(PC_SCAN)) {
        prefix_sums(PC_SCAN, "scan");
    }
    if (pc_due(PC_EXSCAN)) {
        prefix_sums(PC_EXSCAN, "exscan");
    }
    pc_world_drop();
    return mt_end();
}
