/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of matrices without a library. Blocks of A and of B are copied so that the innermost
 * loop reads both in order, whichever way they lie; it keeps a tile of C in registers. Every
 * element of C is summed up by one thread in the same order, so the result does not depend on the
 * number of threads.
 */
#include "gemm.h"

#include <stddef.h>

enum {
    TILE_ROWS = 4,
    TILE_COLUMNS = 8,
    BLOCK_ROWS = 128, /* of A, whose block stays in the second cache */
    BLOCK_DEPTH = 256
};

/* A row of a tile; the compiler uses the vectors that the processor has. */
typedef float row_t __attribute__((vector_size(TILE_COLUMNS * sizeof(float))));

/* The part of the depth and of the rows that is worked on. */
typedef struct {
    int row;
    int rows;
    int begin;
    int depth;
} block_t;

static int smaller(int a, int b)
{
    return (a < b) ? a : b;
}

/* Rows row to row + TILE_ROWS of A, for each step of the depth together; zeros beyond the last. */
static void pack_a(const gpt2_product_t *p, const float *a, const block_t *block, int row,
                   float *to)
{
    for (int k = 0; k < block->depth; ++k) {
        for (int r = 0; r < TILE_ROWS; ++r) {
            const size_t i = (size_t) (row + r);
            const size_t d = (size_t) (block->begin + k);
            const bool inside = row + r < p->rows;
            const size_t place =
                (GPT2_TN == p->transposed) ? d * (size_t) p->rows + i : i * (size_t) p->depth + d;
            to[k * TILE_ROWS + r] = inside ? a[place] : 0.0f;
        }
    }
}

static void pack_b(const gpt2_product_t *p, const float *b, const block_t *block, int column,
                   row_t *to)
{
    for (int k = 0; k < block->depth; ++k) {
        for (int c = 0; c < TILE_COLUMNS; ++c) {
            const size_t j = (size_t) (column + c);
            const size_t d = (size_t) (block->begin + k);
            const bool inside = column + c < p->columns;
            const size_t place = (GPT2_NT == p->transposed) ? j * (size_t) p->depth + d
                                                            : d * (size_t) p->columns + j;
            to[k][c] = inside ? b[place] : 0.0f;
        }
    }
}

static void multiply_tile(int depth, const float *a, const row_t *b, row_t *sums)
{
    row_t s0 = {0};
    row_t s1 = {0};
    row_t s2 = {0};
    row_t s3 = {0};
    for (int k = 0; k < depth; ++k) {
        const float *column = a + (size_t) k * TILE_ROWS;
        s0 += column[0] * b[k];
        s1 += column[1] * b[k];
        s2 += column[2] * b[k];
        s3 += column[3] * b[k];
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
}

static void store_tile(const gpt2_product_t *p, const row_t *sums, int row, int column, bool add,
                       float *c)
{
    const int rows = smaller(TILE_ROWS, p->rows - row);
    const int columns = smaller(TILE_COLUMNS, p->columns - column);
    for (int r = 0; r < rows; ++r) {
        float *to = c + (size_t) (row + r) * (size_t) p->columns + (size_t) column;
        for (int i = 0; i < columns; ++i) {
            to[i] = add ? to[i] + sums[r][i] : sums[r][i];
        }
    }
}

/* All of C that depends on one block of A. */
static void multiply_block(const gpt2_product_t *p, const float *a, const float *b,
                           const block_t *block, float *packed_a, float *c)
{
    const bool add = p->add || 0 < block->begin;
#pragma omp parallel
    {
        row_t packed_b[BLOCK_DEPTH];
#pragma omp for
        for (int r = 0; r < block->rows; r += TILE_ROWS) {
            pack_a(p, a, block, block->row + r, packed_a + (size_t) r * BLOCK_DEPTH);
        }
#pragma omp for
        for (int column = 0; column < p->columns; column += TILE_COLUMNS) {
            pack_b(p, b, block, column, packed_b);
            for (int r = 0; r < block->rows; r += TILE_ROWS) {
                row_t sums[TILE_ROWS];
                multiply_tile(block->depth, packed_a + (size_t) r * BLOCK_DEPTH, packed_b, sums);
                store_tile(p, sums, block->row + r, column, add, c);
            }
        }
    }
}

void gpt2_gemm_plain(const gpt2_product_t *product, const float *a, const float *b, float *c)
{
    static float packed_a[BLOCK_ROWS * BLOCK_DEPTH] __attribute__((aligned(64)));
    for (int row = 0; row < product->rows; row += BLOCK_ROWS) {
        for (int begin = 0; begin < product->depth; begin += BLOCK_DEPTH) {
            const block_t block = {.row = row,
                                   .rows = smaller(BLOCK_ROWS, product->rows - row),
                                   .begin = begin,
                                   .depth = smaller(BLOCK_DEPTH, product->depth - begin)};
            multiply_block(product, a, b, &block, packed_a, c);
        }
    }
}
