/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The gradients cut in pieces: what is exchanged at a time. The backward pass finishes tensors, in
 * ranges that have nothing to do with the pieces; a piece is complete when all of it is finished.
 */
#ifndef GPT2_PIECES_H
#define GPT2_PIECES_H

#include <stddef.h>

typedef struct {
    int count;
    size_t *begin; /* piece i is floats begin[i] to begin[i + 1]; may be empty */
    size_t *left;  /* floats of it that are not finished in this step */
} gpt2_pieces_t;

/* All pieces are empty until their beginnings are set. */
void gpt2_pieces_create(gpt2_pieces_t *pieces, int count);
void gpt2_pieces_destroy(gpt2_pieces_t *pieces);

size_t gpt2_pieces_length(const gpt2_pieces_t *pieces, int piece);

/* Nothing is finished: a new step. */
void gpt2_pieces_reset(gpt2_pieces_t *pieces);

/*
 * Floats begin to end are finished. Calls complete for each piece that this completes. A range that
 * was finished before is a mistake of the program, and ends it.
 */
void gpt2_pieces_finish(gpt2_pieces_t *pieces, size_t begin, size_t end,
                        void (*complete)(void *context, int piece), void *context);

#endif
