/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPT-2: the order of the layers, forward and backward, and the memory of the activations. It knows
 * nothing of MPI: while it goes backward, it tells which gradients are final.
 */
#ifndef GPT2_MODEL_H
#define GPT2_MODEL_H

#include <stddef.h>

#include "config.h"
#include "layout.h"

/* What the forward pass of a layer keeps for the backward pass; rows are those of layers.h. */
typedef struct {
    float *norm1;       /* rows of channels, as all that follow unless it is said */
    float *norm1_means; /* one per row */
    float *norm1_deviations;
    float *qkv;     /* three times the channels */
    float *weights; /* of the attention: sequences, heads, context, context */
    float *attention;
    float *middle; /* residual stream between attention and mlp */
    float *norm2;
    float *norm2_means;
    float *norm2_deviations;
    float *wide;      /* four times the channels, before the activation function */
    float *activated; /* after it */
    float *out;       /* residual stream behind the layer */
} gpt2_activations_t;

typedef struct {
    const gpt2_config_t *config;
    gpt2_layout_t layout;
    int batch; /* sequences and their length that there is memory for */
    int context;
    size_t activation_floats;
    float *memory; /* of all that follow */
    float *embedded;
    gpt2_activations_t *layers;
    float *final;
    float *final_means;
    float *final_deviations;
    float *logits; /* later their gradient */
    float *losses; /* one per row */
    float *branch; /* output of a branch before it joins the residual stream; backward: gradient */
    float *d_residual;
    float *d_wide;
    int rows; /* batch and length of the last forward pass */
    int length;
} gpt2_model_t;

/* These gradients (floats begin to end of the layout) are final. */
typedef void (*gpt2_finished_t)(void *context, size_t begin, size_t end);

void gpt2_model_create(gpt2_model_t *model, const gpt2_config_t *config, int batch, int context);
void gpt2_model_destroy(gpt2_model_t *model);

/* Parameters as GPT-2 begins: normal, deviation 0.02; less where residuals add up. */
void gpt2_model_initialise(const gpt2_model_t *model, float *parameters, unsigned long seed);

/* Logits of all rows; batch and length may be less than the model has memory for. */
void gpt2_model_forward(gpt2_model_t *model, const float *parameters, const int *inputs, int batch,
                        int length);

/* Of the last forward pass; needed before the backward pass. */
double gpt2_model_loss(gpt2_model_t *model, const int *targets);

/*
 * All gradients, of the last forward pass with its inputs.
 *
 * Whoever is told that gradients are final may change the parameters that they belong to at once,
 * before the backward pass is over. A weight is read by the backward function of its own layer and
 * by no other, and that one has returned. The embedding of the tokens is read by the output layer,
 * where the backward pass begins; the input layer adds to its gradient, but reads no parameters.
 */
void gpt2_model_backward(gpt2_model_t *model, const float *parameters, float *gradients,
                         const int *inputs, gpt2_finished_t finished, void *context);

#endif
