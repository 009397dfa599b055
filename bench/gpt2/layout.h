/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where each tensor of parameters lies. Parameters, gradients and the two moments of the optimizer
 * are four arrays of this one layout, so a range of one of them names the same numbers in all.
 *
 * The order is that in which the backward pass finishes the gradients, so what is finished first
 * lies first and can be exchanged first:
 *
 *   final norm | layer L-1: mlp, norm 2, attention, norm 1 | ... | layer 0 | positions | tokens
 *
 * The embedding of the tokens is used twice, at both ends of the model, and its gradient is the sum
 * of both uses: that of the output comes first, that of the input last of all. So it lies at the
 * end. But the input adds only to rows of tokens that occur; tokens are bytes, and rows from 256 on
 * are finished with the output already.
 */
#ifndef GPT2_LAYOUT_H
#define GPT2_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"

typedef enum {
    GPT2_FINAL_NORM_SCALE,
    GPT2_FINAL_NORM_SHIFT,
    GPT2_POSITIONS,
    GPT2_EMBEDDING,
    GPT2_FIRST_OF_LAYER, /* from here on there is one tensor per layer */
    GPT2_MLP_OUT_WEIGHT = GPT2_FIRST_OF_LAYER,
    GPT2_MLP_OUT_BIAS,
    GPT2_MLP_IN_WEIGHT,
    GPT2_MLP_IN_BIAS,
    GPT2_NORM2_SCALE,
    GPT2_NORM2_SHIFT,
    GPT2_ATTENTION_OUT_WEIGHT,
    GPT2_ATTENTION_OUT_BIAS,
    GPT2_QKV_WEIGHT,
    GPT2_QKV_BIAS,
    GPT2_NORM1_SCALE,
    GPT2_NORM1_SHIFT,
    GPT2_KINDS
} gpt2_kind_t;

typedef struct {
    gpt2_kind_t kind;
    int layer;    /* -1 for those that belong to none */
    size_t begin; /* in floats */
    size_t length;
    bool matrix; /* a weight of two dimensions: the optimizer lets these decay */
} gpt2_tensor_t;

typedef struct {
    gpt2_tensor_t *tensors; /* in the order of the arrays */
    int count;
    int layers;
    size_t total; /* floats of all tensors */
} gpt2_layout_t;

void gpt2_layout_create(gpt2_layout_t *layout, const gpt2_config_t *config);
void gpt2_layout_destroy(gpt2_layout_t *layout);

/* layer is ignored for tensors that belong to none. */
const gpt2_tensor_t *gpt2_layout_find(const gpt2_layout_t *layout, gpt2_kind_t kind, int layer);

/* The tensor that the float at a place belongs to; place < total. */
const gpt2_tensor_t *gpt2_layout_at(const gpt2_layout_t *layout, size_t place);

const char *gpt2_kind_name(gpt2_kind_t kind);

#endif
