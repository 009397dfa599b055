/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The optimizer AdamW.
 */
#define _GNU_SOURCE
#include "adamw.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

static const double beta1 = 0.9;
static const double beta2 = 0.95;
static const float epsilon = 1e-8f;

enum { FLOATS_PER_THREAD = 4096 }; /* not worth more threads */

/* The constants of a step, in single precision. */
typedef struct {
    float keep1;
    float keep2;
    float rate; /* with the correction for the first moment */
    float root; /* the correction for the root of the second */
    float shrink;
    float factor;
} step_t;

void gpt2_adamw_create(gpt2_adamw_t *optimizer, const gpt2_layout_t *layout, float *parameters,
                       double rate, double decay)
{
    *optimizer = (gpt2_adamw_t){
        .layout = layout,
        .parameters = parameters,
        .first = gpt2_floats(layout->total, "the first moments"),
        .second = gpt2_floats(layout->total, "the second moments"),
        .rate = rate,
        .decay = decay,
    };
}

void gpt2_adamw_destroy(gpt2_adamw_t *optimizer)
{
    free(optimizer->first);
    free(optimizer->second);
    *optimizer = (gpt2_adamw_t){0};
}

static void step_range(const gpt2_adamw_t *o, const step_t *s, const float *gradients, size_t begin,
                       size_t end)
{
    float *parameters = o->parameters;
    float *first = o->first;
    float *second = o->second;
#pragma omp parallel for simd if (end - begin > FLOATS_PER_THREAD)
    for (size_t i = begin; i < end; ++i) {
        const float g = gradients[i] * s->factor;
        const float m = s->keep1 * first[i] + (1.0f - s->keep1) * g;
        const float v = s->keep2 * second[i] + (1.0f - s->keep2) * g * g;
        first[i] = m;
        second[i] = v;
        parameters[i] -= s->rate * m / (sqrtf(v) * s->root + epsilon) + s->shrink * parameters[i];
    }
}

void gpt2_adamw_step(const gpt2_adamw_t *optimizer, const float *gradients, float factor,
                     size_t begin, size_t end)
{
    const double step = (double) optimizer->step;
    step_t s = {
        .keep1 = (float) beta1,
        .keep2 = (float) beta2,
        .rate = (float) (optimizer->rate / (1.0 - pow(beta1, step))),
        .root = (float) (1.0 / sqrt(1.0 - pow(beta2, step))),
        .factor = factor,
    };
    while (begin < end) {
        const gpt2_tensor_t *tensor = gpt2_layout_at(optimizer->layout, begin);
        const size_t last = tensor->begin + tensor->length;
        const size_t stop = (last < end) ? last : end;
        s.shrink = tensor->matrix ? (float) (optimizer->rate * optimizer->decay) : 0.0f;
        step_range(optimizer, &s, gradients, begin, stop);
        begin = stop;
    }
}
