/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Are the gradients right?
 *
 * The model starts from parameters far from those that a training begins with, so that every part
 * of it matters and no derivative is small by chance. The loss is of single precision, with errors
 * of about 1e-7; a difference quotient over a step h has that over h, and an error of the order of
 * h squared because the loss is not a straight line. Steps of a hundredth leave about three digits.
 */
#define _GNU_SOURCE
#include "gradient_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "random.h"

static const double tolerance = 0.005; /* relative */
static const double small = 2e-5;      /* derivatives below that drown in the loss's rounding */
static const double length = 0.02;     /* of a step */

enum { SINGLES = 3 };

typedef struct {
    gpt2_model_t *model;
    const gpt2_dataset_t *data;
    float *parameters;
    float *gradients;
    float *direction; /* as long as the largest tensor */
    gpt2_random_t random;
    int wrong;
} check_t;

static void ignore(void *context, size_t begin, size_t end)
{
    (void) context;
    (void) begin;
    (void) end;
}

static double loss(check_t *check)
{
    gpt2_model_forward(check->model, check->parameters, check->data->inputs, check->data->batch,
                       check->data->context);
    return gpt2_model_loss(check->model, check->data->targets);
}

/* The loss at parameters + factor * direction of a tensor, whose values are given back after. */
static double loss_beside(check_t *check, const gpt2_tensor_t *tensor, const float *kept,
                          double factor)
{
    float *values = check->parameters + tensor->begin;
    for (size_t i = 0; i < tensor->length; ++i) {
        values[i] = (float) ((double) kept[i] + factor * (double) check->direction[i]);
    }
    const double result = loss(check);
    memcpy(values, kept, tensor->length * sizeof(*values));
    return result;
}

/* Along check->direction, whose length is 1. */
static void compare(check_t *check, const gpt2_tensor_t *tensor, const char *what)
{
    const float *gradient = check->gradients + tensor->begin;
    double analytic = 0.0;
    float *kept = gpt2_floats(tensor->length, "the gradient check");
    memcpy(kept, check->parameters + tensor->begin, tensor->length * sizeof(*kept));
    for (size_t i = 0; i < tensor->length; ++i) {
        analytic += (double) gradient[i] * (double) check->direction[i];
    }
    const double above = loss_beside(check, tensor, kept, length);
    const double below = loss_beside(check, tensor, kept, -length);
    const double numeric = (above - below) / (2.0 * length);
    const double error = fabs(analytic - numeric);
    const double scale = fmax(fabs(analytic), fabs(numeric));
    const bool good = error <= tolerance * scale + small;
    printf("  %-22s %5d  %-15s %12.6f %12.6f %10.2e  %s\n", gpt2_kind_name(tensor->kind),
           tensor->layer, what, analytic, numeric, error, good ? "ok" : "WRONG");
    check->wrong += good ? 0 : 1;
    free(kept);
}

static void along_gradient(check_t *check, const gpt2_tensor_t *tensor)
{
    const float *gradient = check->gradients + tensor->begin;
    double squares = 0.0;
    for (size_t i = 0; i < tensor->length; ++i) {
        squares += (double) gradient[i] * (double) gradient[i];
    }
    for (size_t i = 0; i < tensor->length; ++i) {
        check->direction[i] = (0.0 < squares) ? (float) ((double) gradient[i] / sqrt(squares)) : 0;
    }
    compare(check, tensor, "gradient");
}

static void along_random(check_t *check, const gpt2_tensor_t *tensor)
{
    const float step = (float) (1.0 / sqrt((double) tensor->length));
    for (size_t i = 0; i < tensor->length; ++i) {
        check->direction[i] = (0 != (gpt2_random_bits(&check->random) & 1)) ? step : -step;
    }
    compare(check, tensor, "random");
}

/* The largest derivatives: small ones cannot be told from rounding errors. */
static void along_singles(check_t *check, const gpt2_tensor_t *tensor)
{
    const float *gradient = check->gradients + tensor->begin;
    float limit = INFINITY;
    for (int k = 0; k < SINGLES; ++k) {
        size_t place = tensor->length;
        for (size_t i = 0; i < tensor->length; ++i) {
            const float value = fabsf(gradient[i]);
            if (value < limit && (place == tensor->length || value > fabsf(gradient[place]))) {
                place = i;
            }
        }
        if (place == tensor->length) {
            return;
        }
        char name[32];
        limit = fabsf(gradient[place]);
        memset(check->direction, 0, tensor->length * sizeof(*check->direction));
        check->direction[place] = 1.0f;
        snprintf(name, sizeof(name), "number %zu", place);
        compare(check, tensor, name);
    }
}

static void prepare(check_t *check, unsigned long seed)
{
    const gpt2_layout_t *layout = &check->model->layout;
    size_t longest = 0;
    check->parameters = gpt2_floats(layout->total, "the parameters");
    check->gradients = gpt2_floats(layout->total, "the gradients");
    gpt2_model_initialise(check->model, check->parameters, seed);
    gpt2_random_seed(&check->random, seed + 1);
    gpt2_random_add_normal(&check->random, check->parameters, layout->total, 0.15);
    for (int i = 0; i < layout->count; ++i) {
        longest = (layout->tensors[i].length > longest) ? layout->tensors[i].length : longest;
    }
    check->direction = gpt2_floats(longest, "the gradient check");
}

int gpt2_gradient_check(gpt2_model_t *model, gpt2_dataset_t *data, unsigned long seed)
{
    check_t check = {.model = model, .data = data};
    prepare(&check, seed);
    gpt2_dataset_next(data);
    printf("# derivative of the loss, %g, of %zu parameters; steps of %g, allowed %g %% and %g\n",
           loss(&check), model->layout.total, length, 1e2 * tolerance, small);
    printf("# %-22s %5s  %-15s %12s %12s %10s\n", "parameters", "layer", "direction", "gradient",
           "difference", "error");
    gpt2_model_backward(model, check.parameters, check.gradients, data->inputs, ignore, NULL);
    for (int i = 0; i < model->layout.count; ++i) {
        along_gradient(&check, &model->layout.tensors[i]);
        along_random(&check, &model->layout.tensors[i]);
        along_singles(&check, &model->layout.tensors[i]);
    }
    printf("# gradient check: %d wrong\n", check.wrong);
    free(check.parameters);
    free(check.gradients);
    free(check.direction);
    return check.wrong;
}
