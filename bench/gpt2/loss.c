/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The loss: cross entropy of the predicted distribution and the token that really follows.
 */
#define _GNU_SOURCE
#include "layers.h"

#include <math.h>
#include <stddef.h>

/* Replaces the logits of a row by their gradient; returns the loss of the row. */
static float row_loss(float *logits, int target, int vocabulary, float factor)
{
    float largest = logits[0];
    double sum = 0.0; /* of up to 50257 terms */
    for (int i = 1; i < vocabulary; ++i) {
        largest = (logits[i] > largest) ? logits[i] : largest;
    }
    const float aim = logits[target] - largest;
    for (int i = 0; i < vocabulary; ++i) {
        logits[i] = expf(logits[i] - largest);
        sum += logits[i];
    }
    const float reciprocal = (float) (1.0 / sum);
#pragma omp simd
    for (int i = 0; i < vocabulary; ++i) {
        logits[i] *= reciprocal * factor;
    }
    logits[target] -= factor;
    return (float) (log(sum) - (double) aim);
}

double gpt2_loss(float *logits, float *losses, const int *targets, int rows, int vocabulary)
{
    const float factor = 1.0f / (float) rows;
    double total = 0.0;
#pragma omp parallel for
    for (int row = 0; row < rows; ++row) {
        losses[row] =
            row_loss(logits + (size_t) row * (size_t) vocabulary, targets[row], vocabulary, factor);
    }
    for (int row = 0; row < rows; ++row) {
        total += (double) losses[row];
    }
    return total / (double) rows;
}
