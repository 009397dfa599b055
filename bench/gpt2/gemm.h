/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of matrices, all of them dense and row after row, by a CBLAS or by a loop of our own.
 */
#ifndef GPT2_GEMM_H
#define GPT2_GEMM_H

#include <stdbool.h>

/*
 * How A and B lie in memory. N: as it is; T: transposed, so A is depth by rows then, B columns by
 * depth.
 */
typedef enum { GPT2_NN, GPT2_NT, GPT2_TN } gpt2_transposed_t;

/* C (rows by columns) = A (rows by depth) * B (depth by columns), plus C if add is set. */
typedef struct {
    gpt2_transposed_t transposed;
    bool add;
    int rows;
    int columns;
    int depth;
} gpt2_product_t;

void gpt2_gemm(const gpt2_product_t *product, const float *a, const float *b, float *c);

/* The loop of our own, whether or not there is a CBLAS. */
void gpt2_gemm_plain(const gpt2_product_t *product, const float *a, const float *b, float *c);

/*
 * Once, before the first product: how many threads, and whether to use the loop of our own also
 * where there is a CBLAS. Returns the name of what is used.
 */
const char *gpt2_gemm_choose(int threads, bool plain);

#endif
