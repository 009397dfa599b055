/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linear layers.
 */
#include "layers.h"

#include <stddef.h>
#include <string.h>

#include "gemm.h"

void gpt2_linear(float *out, const float *in, const float *weight, const float *bias, int rows,
                 int in_channels, int out_channels)
{
    const gpt2_product_t product = {.transposed = GPT2_NT,
                                    .add = NULL != bias,
                                    .rows = rows,
                                    .columns = out_channels,
                                    .depth = in_channels};
    if (NULL != bias) {
#pragma omp parallel for
        for (int row = 0; row < rows; ++row) {
            memcpy(out + (size_t) row * (size_t) out_channels, bias,
                   (size_t) out_channels * sizeof(*out));
        }
    }
    gpt2_gemm(&product, in, weight, out);
}

static void backward_bias(float *d_bias, const float *d_out, int rows, int channels)
{
    enum { WIDTH = 16 };
#pragma omp parallel for
    for (int first = 0; first < channels; first += WIDTH) {
        const int width = (first + WIDTH < channels) ? WIDTH : channels - first;
        float sums[WIDTH] = {0};
        for (int row = 0; row < rows; ++row) {
            const float *d = d_out + (size_t) row * (size_t) channels + (size_t) first;
            for (int c = 0; c < width; ++c) {
                sums[c] += d[c];
            }
        }
        memcpy(d_bias + first, sums, (size_t) width * sizeof(*sums));
    }
}

void gpt2_linear_backward(float *d_in, float *d_weight, float *d_bias, const float *d_out,
                          const float *in, const float *weight, int rows, int in_channels,
                          int out_channels)
{
    const gpt2_product_t by_weight = {
        .transposed = GPT2_NN, .rows = rows, .columns = in_channels, .depth = out_channels};
    const gpt2_product_t by_input = {
        .transposed = GPT2_TN, .rows = out_channels, .columns = in_channels, .depth = rows};
    gpt2_gemm(&by_weight, d_out, weight, d_in);
    gpt2_gemm(&by_input, d_out, in, d_weight);
    if (NULL != d_bias) {
        backward_bias(d_bias, d_out, rows, out_channels);
    }
}
