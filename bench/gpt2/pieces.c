/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The gradients cut in pieces.
 */
#include "pieces.h"

#include <stdlib.h>

#include "memory.h"

void gpt2_pieces_create(gpt2_pieces_t *pieces, int count)
{
    *pieces = (gpt2_pieces_t){
        .count = count,
        .begin = gpt2_allocate(((size_t) count + 1) * sizeof(size_t), "the list of pieces"),
        .left = gpt2_allocate((size_t) count * sizeof(size_t), "the list of pieces"),
    };
}

void gpt2_pieces_destroy(gpt2_pieces_t *pieces)
{
    free(pieces->begin);
    free(pieces->left);
    *pieces = (gpt2_pieces_t){0};
}

size_t gpt2_pieces_length(const gpt2_pieces_t *pieces, int piece)
{
    return pieces->begin[piece + 1] - pieces->begin[piece];
}

void gpt2_pieces_reset(gpt2_pieces_t *pieces)
{
    for (int i = 0; i < pieces->count; ++i) {
        pieces->left[i] = gpt2_pieces_length(pieces, i);
    }
}

/* The last piece that begins at or before a place. */
static int find(const gpt2_pieces_t *pieces, size_t place)
{
    int low = 0;
    int high = pieces->count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (pieces->begin[middle] <= place) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

void gpt2_pieces_finish(gpt2_pieces_t *pieces, size_t begin, size_t end,
                        void (*complete)(void *context, int piece), void *context)
{
    for (int i = find(pieces, begin); begin < end && i < pieces->count; ++i) {
        const size_t stop = (pieces->begin[i + 1] < end) ? pieces->begin[i + 1] : end;
        const size_t length = stop - begin;
        if (length > pieces->left[i]) {
            gpt2_fail("gradients %zu to %zu were finished twice in a step", begin, stop);
        }
        pieces->left[i] -= length;
        if (0 < length && 0 == pieces->left[i]) {
            complete(context, i);
        }
        begin = stop;
    }
}
