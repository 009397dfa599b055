/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPT-2: parameters, activations, and the forward pass.
 */
#define _GNU_SOURCE
#include "model.h"

#include <math.h>
#include <stdlib.h>

#include "layers.h"
#include "memory.h"
#include "random.h"

/* Called twice: without memory, which counts, and with it, which hands out. */
static float *take(gpt2_model_t *model, size_t count)
{
    /* Whole cache lines. */
    float *first = (NULL == model->memory) ? NULL : model->memory + model->activation_floats;
    model->activation_floats += (count + 15) / 16 * 16;
    return first;
}

static void place_layer(gpt2_model_t *model, gpt2_activations_t *a)
{
    const size_t rows = (size_t) model->batch * (size_t) model->context;
    const size_t width = rows * (size_t) model->config->channels;
    *a = (gpt2_activations_t){
        .norm1 = take(model, width),
        .norm1_means = take(model, rows),
        .norm1_deviations = take(model, rows),
        .qkv = take(model, 3 * width),
        .weights = take(model, rows * (size_t) model->context * (size_t) model->config->heads),
        .attention = take(model, width),
        .middle = take(model, width),
        .norm2 = take(model, width),
        .norm2_means = take(model, rows),
        .norm2_deviations = take(model, rows),
        .wide = take(model, 4 * width),
        .activated = take(model, 4 * width),
        .out = take(model, width),
    };
}

static void place_all(gpt2_model_t *model)
{
    const size_t rows = (size_t) model->batch * (size_t) model->context;
    const size_t width = rows * (size_t) model->config->channels;
    model->activation_floats = 0;
    model->embedded = take(model, width);
    for (int layer = 0; layer < model->config->layers; ++layer) {
        place_layer(model, &model->layers[layer]);
    }
    model->final = take(model, width);
    model->final_means = take(model, rows);
    model->final_deviations = take(model, rows);
    model->logits = take(model, rows * (size_t) model->config->vocabulary);
    model->losses = take(model, rows);
    model->branch = take(model, width);
    model->d_residual = take(model, width);
    model->d_wide = take(model, 4 * width);
}

void gpt2_model_create(gpt2_model_t *model, const gpt2_config_t *config, int batch, int context)
{
    *model = (gpt2_model_t){.config = config, .batch = batch, .context = context};
    gpt2_layout_create(&model->layout, config);
    if (gpt2_config_parameters(config) != model->layout.total) {
        gpt2_fail("configuration %s has %zu parameters, its layout %zu", config->name,
                  gpt2_config_parameters(config), model->layout.total);
    }
    model->layers = gpt2_allocate((size_t) config->layers * sizeof(*model->layers), "the layers");
    place_all(model);
    model->memory = gpt2_floats(model->activation_floats, "the activations");
    place_all(model);
}

void gpt2_model_destroy(gpt2_model_t *model)
{
    gpt2_layout_destroy(&model->layout);
    free(model->layers);
    free(model->memory);
    *model = (gpt2_model_t){0};
}

void gpt2_model_initialise(const gpt2_model_t *model, float *parameters, unsigned long seed)
{
    const double residual = 0.02 / sqrt(2.0 * (double) model->config->layers);
    gpt2_random_t random;
    gpt2_random_seed(&random, seed);
    for (int i = 0; i < model->layout.count; ++i) {
        const gpt2_tensor_t *t = &model->layout.tensors[i];
        float *values = parameters + t->begin;
        const bool scale = GPT2_FINAL_NORM_SCALE == t->kind || GPT2_NORM1_SCALE == t->kind
                           || GPT2_NORM2_SCALE == t->kind;
        const bool joins = GPT2_ATTENTION_OUT_WEIGHT == t->kind || GPT2_MLP_OUT_WEIGHT == t->kind;
        for (size_t k = 0; k < t->length; ++k) {
            values[k] = scale ? 1.0f : 0.0f;
        }
        if (t->matrix) {
            gpt2_random_add_normal(&random, values, t->length, joins ? residual : 0.02);
        }
    }
}

/* A tensor of a layer within an array of the layout. */
static const float *of(const gpt2_model_t *model, const float *array, gpt2_kind_t kind, int layer)
{
    return array + gpt2_layout_find(&model->layout, kind, layer)->begin;
}

static void forward_attention(gpt2_model_t *model, const float *p, int layer, const float *in)
{
    const int channels = model->config->channels;
    const gpt2_activations_t *a = &model->layers[layer];
    gpt2_norm(a->norm1, a->norm1_means, a->norm1_deviations, in,
              of(model, p, GPT2_NORM1_SCALE, layer), of(model, p, GPT2_NORM1_SHIFT, layer),
              model->rows, channels);
    gpt2_linear(a->qkv, a->norm1, of(model, p, GPT2_QKV_WEIGHT, layer),
                of(model, p, GPT2_QKV_BIAS, layer), model->rows, channels, 3 * channels);
    gpt2_attention(a->attention, a->weights, a->qkv, model->rows / model->length, model->length,
                   channels, model->config->heads);
    gpt2_linear(model->branch, a->attention, of(model, p, GPT2_ATTENTION_OUT_WEIGHT, layer),
                of(model, p, GPT2_ATTENTION_OUT_BIAS, layer), model->rows, channels, channels);
    gpt2_add(a->middle, in, model->branch, (long) model->rows * channels);
}

static void forward_mlp(gpt2_model_t *model, const float *p, int layer)
{
    const int channels = model->config->channels;
    const gpt2_activations_t *a = &model->layers[layer];
    gpt2_norm(a->norm2, a->norm2_means, a->norm2_deviations, a->middle,
              of(model, p, GPT2_NORM2_SCALE, layer), of(model, p, GPT2_NORM2_SHIFT, layer),
              model->rows, channels);
    gpt2_linear(a->wide, a->norm2, of(model, p, GPT2_MLP_IN_WEIGHT, layer),
                of(model, p, GPT2_MLP_IN_BIAS, layer), model->rows, channels, 4 * channels);
    gpt2_gelu(a->activated, a->wide, 4L * model->rows * channels);
    gpt2_linear(model->branch, a->activated, of(model, p, GPT2_MLP_OUT_WEIGHT, layer),
                of(model, p, GPT2_MLP_OUT_BIAS, layer), model->rows, 4 * channels, channels);
    gpt2_add(a->out, a->middle, model->branch, (long) model->rows * channels);
}

void gpt2_model_forward(gpt2_model_t *model, const float *parameters, const int *inputs, int batch,
                        int length)
{
    const int channels = model->config->channels;
    const float *p = parameters;
    const float *stream = model->embedded;
    model->rows = batch * length;
    model->length = length;
    gpt2_embed(model->embedded, inputs, of(model, p, GPT2_EMBEDDING, -1),
               of(model, p, GPT2_POSITIONS, -1), batch, length, channels);
    for (int layer = 0; layer < model->config->layers; ++layer) {
        forward_attention(model, p, layer, stream);
        forward_mlp(model, p, layer);
        stream = model->layers[layer].out;
    }
    gpt2_norm(model->final, model->final_means, model->final_deviations, stream,
              of(model, p, GPT2_FINAL_NORM_SCALE, -1), of(model, p, GPT2_FINAL_NORM_SHIFT, -1),
              model->rows, channels);
    gpt2_linear(model->logits, model->final, of(model, p, GPT2_EMBEDDING, -1), NULL, model->rows,
                channels, model->config->vocabulary);
}

double gpt2_model_loss(gpt2_model_t *model, const int *targets)
{
    return gpt2_loss(model->logits, model->losses, targets, model->rows, model->config->vocabulary);
}
