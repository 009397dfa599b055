/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One channel, epoch after epoch (see course.h).
 */
#include "course.h"

course_t course;

static void make(void)
{
    static const channel_plan_t plan = {.total = 12 * 64,
                                        .send_partitions = 12,
                                        .recv_partitions = 12,
                                        .slices = 1,
                                        .group = 1,
                                        .method = PART_UCX_METHOD_MESSAGE};

    twins_make(&course.channel, &plan);
    course.epoch = 0;
}

void course_begin(unsigned count)
{
    twins_open(count);
    make();
}

void course_begin_without(unsigned count, unsigned side)
{
    twins_open_without(count, side);
    make();
}

void course_end(void)
{
    channel_free(&course.channel);
    twins_close();
}

void course_start(void)
{
    twins_start(&course.channel, ++course.epoch);
    twins_mark_all(&course.channel);
}

void course_finish(void)
{
    twins_finish(&course.channel, course.epoch);
}

void course_epoch(void)
{
    course_start();
    course_finish();
}
