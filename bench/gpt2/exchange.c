/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The exchange of gradients between the ranks: what all ways of doing it share, and their table.
 */
#define _GNU_SOURCE
#include "exchange.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "../common/timing.h"
#include "memory.h"

static const gpt2_exchange_mode_t *const modes[] = {
    &gpt2_exchange_none,        &gpt2_exchange_blocking, &gpt2_exchange_layers,
#if defined(BENCH_HAVE_MPIX) && BENCH_HAVE_MPIX
    &gpt2_exchange_partitioned, &gpt2_exchange_inplace,
#endif
};

enum { MODES = sizeof(modes) / sizeof(modes[0]) };

const gpt2_exchange_mode_t *gpt2_exchange_mode(int i)
{
    return (0 <= i && i < MODES) ? modes[i] : NULL;
}

const gpt2_exchange_mode_t *gpt2_exchange_find(const char *name)
{
    for (int i = 0; i < MODES; ++i) {
        if (0 == strcmp(name, modes[i]->name)) {
            return modes[i];
        }
    }
    return NULL;
}

void gpt2_exchange_create(gpt2_exchange_t *x)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &x->comm);
    x->mode->create(x);
    x->queue = gpt2_allocate((size_t) x->pieces.count * sizeof(int), "the queue of pieces");
    gpt2_timeline_create(&x->timeline, x->pieces.count);
}

void gpt2_exchange_destroy(gpt2_exchange_t *x)
{
    x->mode->destroy(x);
    gpt2_timeline_destroy(&x->timeline);
    gpt2_pieces_destroy(&x->pieces);
    free(x->queue);
    MPI_Comm_free(&x->comm);
}

static int pieces_with_gradients(const gpt2_exchange_t *x)
{
    int count = 0;
    for (int i = 0; i < x->pieces.count; ++i) {
        count += (0 < gpt2_pieces_length(&x->pieces, i)) ? 1 : 0;
    }
    return count;
}

void gpt2_exchange_begin(gpt2_exchange_t *x)
{
    gpt2_timeline_step(&x->timeline);
    gpt2_timeline_enter(&x->timeline);
    gpt2_pieces_reset(&x->pieces);
    x->queued = 0;
    x->passed_on = 0;
    if (NULL != x->mode->begin) {
        x->mode->begin(x);
    }
    gpt2_timeline_leave(&x->timeline);
}

static void hand_over(void *context, int piece)
{
    gpt2_exchange_t *x = context;
    gpt2_timeline_ready(&x->timeline, piece);
    x->mode->ready(x, piece);
}

void gpt2_exchange_arrive(gpt2_exchange_t *x, int piece)
{
    if (0 < gpt2_pieces_length(&x->pieces, piece)) {
        gpt2_timeline_arrived(&x->timeline, piece);
        x->queue[x->queued++] = piece;
    }
}

/* Leaves the processor to others: ranks may have to share it. */
static void rest(const gpt2_exchange_t *x)
{
    if (x->mode->background) {
        bench_sleep_until(bench_now() + 50e-6);
    } else {
        sched_yield();
    }
}

static void poll(gpt2_exchange_t *x)
{
    if (NULL != x->mode->poll) {
        x->mode->poll(x);
    }
}

/* Passes the sums of one piece on; false when none are there. */
static bool pass_on(gpt2_exchange_t *x)
{
    if (x->passed_on == x->queued) {
        return false;
    }
    const int piece = x->queue[x->passed_on++];
    const double began = bench_now();
    x->arrived(x->context, x->sums, x->pieces.begin[piece], x->pieces.begin[piece + 1]);
    gpt2_timeline_stepped(&x->timeline, piece, began);
    return true;
}

void gpt2_exchange_finished(void *context, size_t begin, size_t end)
{
    gpt2_exchange_t *x = context;
    gpt2_timeline_enter(&x->timeline);
    gpt2_pieces_finish(&x->pieces, begin, end, hand_over, x);
    poll(x);
    while (!x->late && pass_on(x)) {
    }
    gpt2_timeline_leave(&x->timeline);
}

void gpt2_exchange_complete(gpt2_exchange_t *x)
{
    const int all = pieces_with_gradients(x);
    gpt2_timeline_backward_done(&x->timeline);
    gpt2_timeline_enter(&x->timeline);
    for (int i = 0; i < x->pieces.count; ++i) {
        if (0 < x->pieces.left[i]) {
            gpt2_fail("piece %d of the gradients was never finished", i); /* or it waits forever */
        }
    }
    while (x->passed_on < all) {
        poll(x);
        if (!pass_on(x)) {
            rest(x);
        }
    }
    if (NULL != x->mode->end) {
        x->mode->end(x);
    }
    gpt2_timeline_leave(&x->timeline);
}

void gpt2_exchange_create_whole(gpt2_exchange_t *x)
{
    gpt2_pieces_create(&x->pieces, 1);
    x->pieces.begin[1] = x->layout->total;
    x->gradients = gpt2_floats(x->layout->total, "the gradients");
    x->sums = x->gradients;
}

void gpt2_exchange_destroy_whole(gpt2_exchange_t *x)
{
    free(x->gradients);
}
