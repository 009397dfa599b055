/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Long runs with flat memory: many iterations of one channel, or many create and free cycles.
 * After a warm-up the resident size, what malloc has handed out, and the open files must stay as
 * they are.
 */

#include "../support/options.h"
#include "../support/side.h"
#include "../support/usage.h"

#define TAG 80

static mt_option_t options[] = {
    {"iterations", "of one channel", 0, false},
    {"cycles", "of init, one iteration, free", 0, false},
    {"partitions", "number of partitions", 4, false},
    {"bytes", "size of a partition", 64, false},
    {NULL, NULL, 0, false},
};

static void open_side(mt_side_t *side)
{
    int partitions = (int) mt_option(options, "partitions");
    size_t bytes = (size_t) mt_option(options, "bytes");

    mt_one_way(side, partitions, bytes, TAG, MPI_COMM_WORLD);
}

static void iterations(int count)
{
    mt_side_t side;
    mt_watch_t watch = {.look = {{0}}};
    mt_random_t random;

    mt_random_seed(&random, (uint64_t) (80 + mt_rank()));
    open_side(&side);
    for (int i = 0; i < count; i++) {
        mt_look(&watch, i, count);
        mt_cycle(&side, i);
        if (0 == mt_random_below(&random, 2000)) {
            mt_sleep(0.001);
        }
    }
    mt_expect_flat(&watch, "iterations");
    mt_drop(&side);
    mt_result("%d iterations of one channel: right data, flat memory", count);
}

static void cycles(int count)
{
    mt_side_t side;
    mt_watch_t watch = {.look = {{0}}};

    for (int i = 0; i < count; i++) {
        mt_look(&watch, i, count);
        open_side(&side);
        mt_cycle(&side, i);
        mt_drop(&side);
    }
    mt_expect_flat(&watch, "cycles");
    mt_result("%d create and free cycles: right data, flat memory", count);
}

int main(int argc, char **argv)
{
    mt_options_read(options, argc, argv);
    mt_watch_begin();
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (mt_option(options, "iterations") > 0) {
        iterations((int) mt_option(options, "iterations"));
    }
    if (mt_option(options, "cycles") > 0) {
        cycles((int) mt_option(options, "cycles"));
    }
    return mt_end();
}
