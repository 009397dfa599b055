/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Layer normalisation.
 */
#define _GNU_SOURCE
#include "layers.h"

#include <math.h>
#include <stddef.h>

static const float epsilon = 1e-5f;

void gpt2_norm(float *out, float *means, float *deviations, const float *in, const float *scale,
               const float *shift, int rows, int channels)
{
#pragma omp parallel for
    for (int row = 0; row < rows; ++row) {
        const float *x = in + (size_t) row * (size_t) channels;
        float *to = out + (size_t) row * (size_t) channels;
        float sum = 0.0f;
        float squares = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < channels; ++c) {
            sum += x[c];
        }
        const float mean = sum / (float) channels;
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < channels; ++c) {
            squares += (x[c] - mean) * (x[c] - mean);
        }
        const float reciprocal = 1.0f / sqrtf(squares / (float) channels + epsilon);
#pragma omp simd
        for (int c = 0; c < channels; ++c) {
            to[c] = (x[c] - mean) * reciprocal * scale[c] + shift[c];
        }
        means[row] = mean;
        deviations[row] = reciprocal;
    }
}

static void backward_parameters(float *d_scale, float *d_shift, const float *d_out, const float *in,
                                const float *means, const float *deviations, int rows, int channels)
{
    /* Threads share out the channels, a cache line of each row at a time. */
    enum { WIDTH = 16 };
#pragma omp parallel for
    for (int first = 0; first < channels; first += WIDTH) {
        const int width = (first + WIDTH < channels) ? WIDTH : channels - first;
        float scales[WIDTH] = {0};
        float shifts[WIDTH] = {0};
        for (int row = 0; row < rows; ++row) {
            const size_t place = (size_t) row * (size_t) channels + (size_t) first;
            for (int c = 0; c < width; ++c) {
                const float normal = (in[place + (size_t) c] - means[row]) * deviations[row];
                scales[c] += d_out[place + (size_t) c] * normal;
                shifts[c] += d_out[place + (size_t) c];
            }
        }
        for (int c = 0; c < width; ++c) {
            d_scale[first + c] = scales[c];
            d_shift[first + c] = shifts[c];
        }
    }
}

static void backward_input_add(float *d_in, const float *d_out, const float *in, const float *scale,
                               const float *means, const float *deviations, int rows, int channels)
{
#pragma omp parallel for
    for (int row = 0; row < rows; ++row) {
        const size_t place = (size_t) row * (size_t) channels;
        const float *x = in + place;
        const float *d = d_out + place;
        float *to = d_in + place;
        float sum = 0.0f;
        float weighted = 0.0f;
#pragma omp simd reduction(+ : sum, weighted)
        for (int c = 0; c < channels; ++c) {
            const float d_normal = d[c] * scale[c];
            sum += d_normal;
            weighted += d_normal * (x[c] - means[row]) * deviations[row];
        }
        sum /= (float) channels;
        weighted /= (float) channels;
#pragma omp simd
        for (int c = 0; c < channels; ++c) {
            const float normal = (x[c] - means[row]) * deviations[row];
            to[c] += (d[c] * scale[c] - sum - normal * weighted) * deviations[row];
        }
    }
}

void gpt2_norm_backward_add(float *d_in, float *d_scale, float *d_shift, const float *d_out,
                            const float *in, const float *scale, const float *means,
                            const float *deviations, int rows, int channels)
{
    backward_parameters(d_scale, d_shift, d_out, in, means, deviations, rows, channels);
    backward_input_add(d_in, d_out, in, scale, means, deviations, rows, channels);
}
