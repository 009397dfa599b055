/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The optimizer AdamW: Adam with decay of the weights apart from the gradients.
 */
#ifndef GPT2_ADAMW_H
#define GPT2_ADAMW_H

#include <stddef.h>

#include "layout.h"

typedef struct {
    const gpt2_layout_t *layout;
    float *parameters;
    float *first; /* moments, as long as the parameters */
    float *second;
    double rate;
    double decay;
    long step; /* of the training, from 1 */
} gpt2_adamw_t;

void gpt2_adamw_create(gpt2_adamw_t *optimizer, const gpt2_layout_t *layout, float *parameters,
                       double rate, double decay);
void gpt2_adamw_destroy(gpt2_adamw_t *optimizer);

/*
 * Steps the parameters begin to end. gradient[i] * factor is the gradient of parameter i. Each
 * parameter by itself: whether a step is done at once or in parts, and in which order, makes no
 * difference to any bit.
 */
void gpt2_adamw_step(const gpt2_adamw_t *optimizer, const float *gradients, float factor,
                     size_t begin, size_t end);

#endif
