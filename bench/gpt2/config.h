/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sizes of the models that can be trained, by name.
 */
#ifndef GPT2_CONFIG_H
#define GPT2_CONFIG_H

#include <stddef.h>
#include <stdio.h>

enum {
    GPT2_MAX_CONTEXT = 1024, /* of all configurations */
    GPT2_TOKENS = 256        /* tokens are bytes, so no larger number ever occurs in the data */
};

typedef struct {
    const char *name;
    int vocabulary; /* rows of the embedding; at least GPT2_TOKENS */
    int context;    /* positions that have an embedding */
    int layers;
    int heads; /* of a layer's attention */
    int channels;
} gpt2_config_t;

/* NULL when there is none of that name. */
const gpt2_config_t *gpt2_config_find(const char *name);

/* The number of parameters, by formula; the layout of the parameters must come to the same. */
size_t gpt2_config_parameters(const gpt2_config_t *config);

/* A table of all configurations. */
void gpt2_config_list(FILE *out);

#endif
