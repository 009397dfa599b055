/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where each tensor of parameters lies.
 */
#include "layout.h"

#include <stdlib.h>

#include "memory.h"

enum {
    PER_LAYER = GPT2_KINDS - GPT2_FIRST_OF_LAYER,
    BEFORE_LAYERS = 2, /* tensors of the final norm */
    AFTER_LAYERS = 2   /* the embeddings */
};

static const char *const names[GPT2_KINDS] = {
    [GPT2_FINAL_NORM_SCALE] = "final norm scale",
    [GPT2_FINAL_NORM_SHIFT] = "final norm shift",
    [GPT2_POSITIONS] = "position embedding",
    [GPT2_EMBEDDING] = "token embedding",
    [GPT2_MLP_OUT_WEIGHT] = "mlp out weight",
    [GPT2_MLP_OUT_BIAS] = "mlp out bias",
    [GPT2_MLP_IN_WEIGHT] = "mlp in weight",
    [GPT2_MLP_IN_BIAS] = "mlp in bias",
    [GPT2_NORM2_SCALE] = "norm 2 scale",
    [GPT2_NORM2_SHIFT] = "norm 2 shift",
    [GPT2_ATTENTION_OUT_WEIGHT] = "attention out weight",
    [GPT2_ATTENTION_OUT_BIAS] = "attention out bias",
    [GPT2_QKV_WEIGHT] = "query/key/value weight",
    [GPT2_QKV_BIAS] = "query/key/value bias",
    [GPT2_NORM1_SCALE] = "norm 1 scale",
    [GPT2_NORM1_SHIFT] = "norm 1 shift",
};

const char *gpt2_kind_name(gpt2_kind_t kind)
{
    return names[kind];
}

static void append(gpt2_layout_t *layout, gpt2_kind_t kind, int layer, size_t rows, size_t columns)
{
    layout->tensors[layout->count++] = (gpt2_tensor_t){
        .kind = kind,
        .layer = layer,
        .begin = layout->total,
        .length = rows * columns,
        .matrix = 1 < rows && 1 < columns,
    };
    layout->total += rows * columns;
}

/* The order of gpt2_kind_t. */
static void append_layer(gpt2_layout_t *layout, int layer, size_t c)
{
    append(layout, GPT2_MLP_OUT_WEIGHT, layer, c, 4 * c);
    append(layout, GPT2_MLP_OUT_BIAS, layer, 1, c);
    append(layout, GPT2_MLP_IN_WEIGHT, layer, 4 * c, c);
    append(layout, GPT2_MLP_IN_BIAS, layer, 1, 4 * c);
    append(layout, GPT2_NORM2_SCALE, layer, 1, c);
    append(layout, GPT2_NORM2_SHIFT, layer, 1, c);
    append(layout, GPT2_ATTENTION_OUT_WEIGHT, layer, c, c);
    append(layout, GPT2_ATTENTION_OUT_BIAS, layer, 1, c);
    append(layout, GPT2_QKV_WEIGHT, layer, 3 * c, c);
    append(layout, GPT2_QKV_BIAS, layer, 1, 3 * c);
    append(layout, GPT2_NORM1_SCALE, layer, 1, c);
    append(layout, GPT2_NORM1_SHIFT, layer, 1, c);
}

void gpt2_layout_create(gpt2_layout_t *layout, const gpt2_config_t *config)
{
    const size_t c = (size_t) config->channels;
    const int count = BEFORE_LAYERS + PER_LAYER * config->layers + AFTER_LAYERS;
    *layout = (gpt2_layout_t){.layers = config->layers};
    layout->tensors = gpt2_allocate((size_t) count * sizeof(*layout->tensors), "the layout");
    append(layout, GPT2_FINAL_NORM_SCALE, -1, 1, c);
    append(layout, GPT2_FINAL_NORM_SHIFT, -1, 1, c);
    for (int layer = config->layers - 1; layer >= 0; --layer) {
        append_layer(layout, layer, c);
    }
    append(layout, GPT2_POSITIONS, -1, (size_t) config->context, c);
    append(layout, GPT2_EMBEDDING, -1, (size_t) config->vocabulary, c);
}

void gpt2_layout_destroy(gpt2_layout_t *layout)
{
    free(layout->tensors);
    *layout = (gpt2_layout_t){0};
}

const gpt2_tensor_t *gpt2_layout_find(const gpt2_layout_t *layout, gpt2_kind_t kind, int layer)
{
    if (GPT2_POSITIONS == kind) {
        return &layout->tensors[layout->count - 2];
    }
    if (GPT2_EMBEDDING == kind) {
        return &layout->tensors[layout->count - 1];
    }
    if (GPT2_FIRST_OF_LAYER > kind) {
        return &layout->tensors[kind];
    }
    return &layout->tensors[BEFORE_LAYERS + (layout->layers - 1 - layer) * PER_LAYER
                            + (int) (kind - GPT2_FIRST_OF_LAYER)];
}

const gpt2_tensor_t *gpt2_layout_at(const gpt2_layout_t *layout, size_t place)
{
    int low = 0;
    int high = layout->count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (layout->tensors[middle].begin <= place) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return &layout->tensors[low];
}
