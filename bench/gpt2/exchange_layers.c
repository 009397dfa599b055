/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Mode layers: one MPI_Iallreduce in place per layer, as soon as the backward pass has finished it.
 * The embeddings are two more: the rows of tokens that never occur are finished first of all, the
 * rest last (see layout.h). All ranks go backward in the same order, so their calls match.
 */
#include "exchange.h"

#include <stdlib.h>

#include "memory.h"

typedef struct {
    MPI_Request *requests; /* one per piece; null when it does not run */
    int *done;
} layers_t;

/* The final norm is small, and goes with the last layer. */
static void cut(gpt2_exchange_t *x)
{
    const gpt2_layout_t *layout = x->layout;
    const gpt2_tensor_t *tokens = gpt2_layout_find(layout, GPT2_EMBEDDING, -1);
    const gpt2_tensor_t *positions = gpt2_layout_find(layout, GPT2_POSITIONS, -1);
    const size_t channels = gpt2_layout_find(layout, GPT2_FINAL_NORM_SCALE, -1)->length;
    const size_t input_rows = tokens->begin + GPT2_TOKENS * channels;
    const int embeddings = (input_rows < layout->total) ? 2 : 1;
    gpt2_pieces_create(&x->pieces, layout->layers + embeddings);
    for (int i = 1; i < layout->layers; ++i) {
        x->pieces.begin[i] =
            gpt2_layout_find(layout, GPT2_MLP_OUT_WEIGHT, layout->layers - 1 - i)->begin;
    }
    x->pieces.begin[layout->layers] = positions->begin;
    x->pieces.begin[layout->layers + 1] = input_rows;
    x->pieces.begin[x->pieces.count] = layout->total;
}

static void create_layers(gpt2_exchange_t *x)
{
    layers_t *own = gpt2_allocate(sizeof(*own), "the exchange");
    cut(x);
    own->requests = gpt2_allocate((size_t) x->pieces.count * sizeof(MPI_Request), "requests");
    own->done = gpt2_allocate((size_t) x->pieces.count * sizeof(int), "requests");
    for (int i = 0; i < x->pieces.count; ++i) {
        own->requests[i] = MPI_REQUEST_NULL;
    }
    x->own = own;
    x->gradients = gpt2_floats(x->layout->total, "the gradients");
    x->sums = x->gradients;
}

static void destroy_layers(gpt2_exchange_t *x)
{
    layers_t *own = x->own;
    free(x->gradients);
    free(own->requests);
    free(own->done);
    free(own);
}

static void ready_layers(gpt2_exchange_t *x, int piece)
{
    layers_t *own = x->own;
    MPI_Iallreduce(MPI_IN_PLACE, x->gradients + x->pieces.begin[piece],
                   (int) gpt2_pieces_length(&x->pieces, piece), MPI_FLOAT, MPI_SUM, x->comm,
                   &own->requests[piece]);
}

static void poll_layers(gpt2_exchange_t *x)
{
    layers_t *own = x->own;
    int count = 0;
    MPI_Testsome(x->pieces.count, own->requests, &count, own->done, MPI_STATUSES_IGNORE);
    for (int i = 0; MPI_UNDEFINED != count && i < count; ++i) {
        gpt2_exchange_arrive(x, own->done[i]);
    }
}

const gpt2_exchange_mode_t gpt2_exchange_layers = {
    .name = "layers",
    .help = "MPI_Iallreduce in place per layer, as the backward pass finishes it",
    .create = create_layers,
    .destroy = destroy_layers,
    .ready = ready_layers,
    .poll = poll_layers,
};
