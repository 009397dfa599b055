/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When pieces of the gradients were handed over and when their sums arrived.
 */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "../common/timing.h"
#include "memory.h"

void gpt2_timeline_create(gpt2_timeline_t *timeline, int pieces)
{
    const size_t bytes = (size_t) pieces * sizeof(double);
    *timeline = (gpt2_timeline_t){
        .pieces = pieces,
        .ready = gpt2_allocate(bytes, "the times of the pieces"),
        .arrived = gpt2_allocate(bytes, "the times of the pieces"),
        .stepped = gpt2_allocate(bytes, "the times of the pieces"),
    };
}

void gpt2_timeline_destroy(gpt2_timeline_t *timeline)
{
    free(timeline->ready);
    free(timeline->arrived);
    free(timeline->stepped);
    *timeline = (gpt2_timeline_t){0};
}

void gpt2_timeline_reset(gpt2_timeline_t *timeline)
{
    const size_t bytes = (size_t) timeline->pieces * sizeof(double);
    timeline->steps = 0;
    timeline->backward = 0.0;
    memset(timeline->ready, 0, bytes);
    memset(timeline->arrived, 0, bytes);
    memset(timeline->stepped, 0, bytes);
}

void gpt2_timeline_step(gpt2_timeline_t *timeline)
{
    timeline->first = 0.0;
    timeline->last = 0.0;
    timeline->spent = 0.0;
    timeline->stepping = 0.0;
    ++timeline->steps;
}

void gpt2_timeline_backward(gpt2_timeline_t *timeline)
{
    timeline->begin = bench_now();
}

void gpt2_timeline_backward_done(gpt2_timeline_t *timeline)
{
    timeline->backward += timeline->entered - timeline->begin;
}

void gpt2_timeline_enter(gpt2_timeline_t *timeline)
{
    timeline->entered = bench_now();
    timeline->excluded = timeline->stepping;
}

void gpt2_timeline_leave(gpt2_timeline_t *timeline)
{
    timeline->spent += bench_now() - timeline->entered - (timeline->stepping - timeline->excluded);
}

void gpt2_timeline_ready(gpt2_timeline_t *timeline, int piece)
{
    const double now = bench_now();
    timeline->ready[piece] += now - timeline->begin;
    if (0.0 >= timeline->first) {
        timeline->first = now;
    }
}

void gpt2_timeline_arrived(gpt2_timeline_t *timeline, int piece)
{
    timeline->last = bench_now();
    timeline->arrived[piece] += timeline->last - timeline->begin;
}

void gpt2_timeline_stepped(gpt2_timeline_t *timeline, int piece, double began)
{
    const double now = bench_now();
    timeline->stepped[piece] += now - timeline->begin;
    timeline->stepping += now - began;
}

double gpt2_timeline_in_flight(const gpt2_timeline_t *timeline)
{
    return timeline->last - timeline->first;
}

double gpt2_timeline_hidden(const gpt2_timeline_t *timeline)
{
    const double in_flight = gpt2_timeline_in_flight(timeline);
    const double hidden = (0.0 < in_flight) ? 1.0 - timeline->spent / in_flight : 0.0;
    /* What was spent before the first piece was handed over may exceed a very short exchange. */
    return (0.0 < hidden) ? hidden : 0.0;
}
