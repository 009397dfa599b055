/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPT-2: the backward pass.
 */
#include "model.h"

#include <string.h>

#include "layers.h"

/* What all steps of a pass share. */
typedef struct {
    gpt2_model_t *model;
    const float *parameters;
    float *gradients;
    gpt2_finished_t finished;
    void *context;
} pass_t;

static const float *parameter(const pass_t *pass, gpt2_kind_t kind, int layer)
{
    return pass->parameters + gpt2_layout_find(&pass->model->layout, kind, layer)->begin;
}

static float *gradient(const pass_t *pass, gpt2_kind_t kind, int layer)
{
    return pass->gradients + gpt2_layout_find(&pass->model->layout, kind, layer)->begin;
}

/* The gradients of two tensors that lie one behind the other are final. */
static void finish(const pass_t *pass, gpt2_kind_t first, gpt2_kind_t last, int layer)
{
    const gpt2_tensor_t *from = gpt2_layout_find(&pass->model->layout, first, layer);
    const gpt2_tensor_t *to = gpt2_layout_find(&pass->model->layout, last, layer);
    pass->finished(pass->context, from->begin, to->begin + to->length);
}

/* From a branch's gradient back into that of the branch's input. */
static void through_linear(const pass_t *pass, gpt2_kind_t weight, int layer, float *d_in,
                           const float *d_out, const float *in, int in_channels, int out_channels)
{
    const gpt2_kind_t bias = (gpt2_kind_t) (weight + 1);
    gpt2_linear_backward(d_in, gradient(pass, weight, layer), gradient(pass, bias, layer), d_out,
                         in, parameter(pass, weight, layer), pass->model->rows, in_channels,
                         out_channels);
    finish(pass, weight, bias, layer);
}

static void through_norm(const pass_t *pass, gpt2_kind_t scale, int layer, const float *in,
                         const float *means, const float *deviations)
{
    const gpt2_kind_t shift = (gpt2_kind_t) (scale + 1);
    gpt2_model_t *m = pass->model;
    gpt2_norm_backward_add(
        m->d_residual, gradient(pass, scale, layer), gradient(pass, shift, layer), m->branch, in,
        parameter(pass, scale, layer), means, deviations, m->rows, m->config->channels);
    finish(pass, scale, shift, layer);
}

static void backward_output(const pass_t *pass)
{
    gpt2_model_t *m = pass->model;
    const int channels = m->config->channels;
    const gpt2_tensor_t *tokens = gpt2_layout_find(&m->layout, GPT2_EMBEDDING, -1);
    const float *stream = m->layers[m->config->layers - 1].out;
    gpt2_linear_backward(m->branch, gradient(pass, GPT2_EMBEDDING, -1), NULL, m->logits, m->final,
                         parameter(pass, GPT2_EMBEDDING, -1), m->rows, channels,
                         m->config->vocabulary);
    if (GPT2_TOKENS < m->config->vocabulary) {
        pass->finished(pass->context, tokens->begin + (size_t) GPT2_TOKENS * (size_t) channels,
                       tokens->begin + tokens->length);
    }
    memset(m->d_residual, 0, (size_t) m->rows * (size_t) channels * sizeof(*m->d_residual));
    through_norm(pass, GPT2_FINAL_NORM_SCALE, -1, stream, m->final_means, m->final_deviations);
}

static void backward_layer(const pass_t *pass, int layer)
{
    gpt2_model_t *m = pass->model;
    const int channels = m->config->channels;
    const gpt2_activations_t *a = &m->layers[layer];
    const float *in = (0 == layer) ? m->embedded : m->layers[layer - 1].out;

    through_linear(pass, GPT2_MLP_OUT_WEIGHT, layer, m->d_wide, m->d_residual, a->activated,
                   4 * channels, channels);
    gpt2_gelu_backward(m->d_wide, a->wide, 4L * m->rows * channels);
    through_linear(pass, GPT2_MLP_IN_WEIGHT, layer, m->branch, m->d_wide, a->norm2, channels,
                   4 * channels);
    through_norm(pass, GPT2_NORM2_SCALE, layer, a->middle, a->norm2_means, a->norm2_deviations);

    through_linear(pass, GPT2_ATTENTION_OUT_WEIGHT, layer, m->branch, m->d_residual, a->attention,
                   channels, channels);
    gpt2_attention_backward(m->d_wide, m->branch, a->weights, a->qkv, m->rows / m->length,
                            m->length, channels, m->config->heads);
    through_linear(pass, GPT2_QKV_WEIGHT, layer, m->branch, m->d_wide, a->norm1, channels,
                   3 * channels);
    through_norm(pass, GPT2_NORM1_SCALE, layer, in, a->norm1_means, a->norm1_deviations);
}

static void backward_input(const pass_t *pass, const int *inputs)
{
    gpt2_model_t *m = pass->model;
    const int channels = m->config->channels;
    const gpt2_tensor_t *tokens = gpt2_layout_find(&m->layout, GPT2_EMBEDDING, -1);
    gpt2_embed_backward_positions(gradient(pass, GPT2_POSITIONS, -1), m->d_residual,
                                  m->rows / m->length, m->length, m->config->context, channels);
    finish(pass, GPT2_POSITIONS, GPT2_POSITIONS, -1);
    gpt2_embed_backward_tokens_add(gradient(pass, GPT2_EMBEDDING, -1), m->d_residual, inputs,
                                   m->rows, channels);
    pass->finished(pass->context, tokens->begin,
                   tokens->begin + (size_t) GPT2_TOKENS * (size_t) channels);
}

void gpt2_model_backward(gpt2_model_t *model, const float *parameters, float *gradients,
                         const int *inputs, gpt2_finished_t finished, void *context)
{
    const pass_t pass = {.model = model,
                         .parameters = parameters,
                         .gradients = gradients,
                         .finished = finished,
                         .context = context};
    backward_output(&pass);
    for (int layer = model->config->layers - 1; layer >= 0; --layer) {
        backward_layer(&pass, layer);
    }
    backward_input(&pass, inputs);
}
