/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The exchange of gradients between the ranks: from "these gradients are final" to "the sums over
 * all ranks of these gradients are there". exchange.c has what all ways of doing it share; each way
 * (a mode) is a file of its own and a row of the table in exchange.c.
 *
 *   begin     a step begins; x->gradients is where its backward pass stores gradients
 *   finished  by the backward pass: these gradients are final. Pieces that this completes are
 * handed to the mode. Then what has arrived until now is passed on complete  returns when the sums
 * of all gradients have been passed on
 *
 * Sums are passed on piece by piece to arrived(), which lets the optimizer step their parameters.
 * All MPI calls are made by the main thread, between the parallel regions.
 */
#ifndef GPT2_EXCHANGE_H
#define GPT2_EXCHANGE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "layout.h"
#include "pieces.h"
#include "timeline.h"

typedef struct gpt2_exchange gpt2_exchange_t;

typedef struct {
    const char *name;
    const char *help;
    bool background; /* goes on also while no thread is inside MPI, so whoever waits may sleep */
    /* Sets pieces, gradients and sums; collective. */
    void (*create)(gpt2_exchange_t *x);
    void (*destroy)(gpt2_exchange_t *x);
    /* A step begins; may be NULL. */
    void (*begin)(gpt2_exchange_t *x);
    /* A piece, never an empty one, is final on this rank. */
    void (*ready)(gpt2_exchange_t *x, int piece);
    /* Calls gpt2_exchange_arrive for what has arrived, without waiting; may be NULL. */
    void (*poll)(gpt2_exchange_t *x);
    /* All pieces have arrived and have been passed on; may be NULL. */
    void (*end)(gpt2_exchange_t *x);
} gpt2_exchange_mode_t;

typedef void (*gpt2_arrived_t)(void *context, const float *sums, size_t begin, size_t end);

struct gpt2_exchange {
    const gpt2_exchange_mode_t *mode;
    const gpt2_layout_t *layout;
    MPI_Comm comm;
    int partitions; /* of the partitioned modes */
    bool late;      /* pass sums on after the backward pass only */
    float *gradients;
    const float *sums; /* of the step that runs; may be the same */
    gpt2_pieces_t pieces;
    int *queue; /* pieces that have arrived, in the order in which they have */
    int queued;
    int passed_on; /* of the queue */
    gpt2_timeline_t timeline;
    gpt2_arrived_t arrived;
    void *context;
    void *own; /* of the mode */
};

extern const gpt2_exchange_mode_t gpt2_exchange_none;
extern const gpt2_exchange_mode_t gpt2_exchange_blocking;
extern const gpt2_exchange_mode_t gpt2_exchange_layers;
extern const gpt2_exchange_mode_t gpt2_exchange_partitioned;
extern const gpt2_exchange_mode_t gpt2_exchange_inplace;

/* NULL when there is none of that name. */
const gpt2_exchange_mode_t *gpt2_exchange_find(const char *name);

/* The i-th mode, or NULL behind the last one. */
const gpt2_exchange_mode_t *gpt2_exchange_mode(int i);

/* Collective. mode, layout, partitions, late, arrived and context are set before. */
void gpt2_exchange_create(gpt2_exchange_t *x);
void gpt2_exchange_destroy(gpt2_exchange_t *x);

void gpt2_exchange_begin(gpt2_exchange_t *x);

/* A gpt2_finished_t: context is the exchange. */
void gpt2_exchange_finished(void *context, size_t begin, size_t end);

void gpt2_exchange_complete(gpt2_exchange_t *x);

/* ---- for the modes ---- */

/* The sums of a piece are there, in x->sums. */
void gpt2_exchange_arrive(gpt2_exchange_t *x, int piece);

/* One piece: all gradients, which are replaced by their sums. */
void gpt2_exchange_create_whole(gpt2_exchange_t *x);
void gpt2_exchange_destroy_whole(gpt2_exchange_t *x);

#endif
