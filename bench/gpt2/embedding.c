/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The input of the model: the sum of the embeddings of a token and of its position.
 */
#include "layers.h"

#include <stddef.h>
#include <string.h>

void gpt2_embed(float *out, const int *inputs, const float *tokens, const float *positions,
                int batch, int context, int channels)
{
#pragma omp parallel for
    for (int row = 0; row < batch * context; ++row) {
        const float *token = tokens + (size_t) inputs[row] * (size_t) channels;
        const float *position = positions + (size_t) (row % context) * (size_t) channels;
        float *to = out + (size_t) row * (size_t) channels;
        for (int c = 0; c < channels; ++c) {
            to[c] = token[c] + position[c];
        }
    }
}

void gpt2_embed_backward_positions(float *d_positions, const float *d_out, int batch, int context,
                                   int all_positions, int channels)
{
#pragma omp parallel for
    for (int t = 0; t < all_positions; ++t) {
        float *to = d_positions + (size_t) t * (size_t) channels;
        memset(to, 0, (size_t) channels * sizeof(*to));
        for (int b = 0; b < batch && t < context; ++b) {
            const float *from =
                d_out + ((size_t) b * (size_t) context + (size_t) t) * (size_t) channels;
            for (int c = 0; c < channels; ++c) {
                to[c] += from[c];
            }
        }
    }
}

void gpt2_embed_backward_tokens_add(float *d_tokens, const float *d_out, const int *inputs,
                                    int rows, int channels)
{
    /* Threads share out the channels, not the rows: several rows may hold the same token. */
    enum { WIDTH = 16 };
#pragma omp parallel for
    for (int first = 0; first < channels; first += WIDTH) {
        const int end = (first + WIDTH < channels) ? first + WIDTH : channels;
        for (int row = 0; row < rows; ++row) {
            float *to = d_tokens + (size_t) inputs[row] * (size_t) channels;
            const float *from = d_out + (size_t) row * (size_t) channels;
            for (int c = first; c < end; ++c) {
                to[c] += from[c];
            }
        }
    }
}
