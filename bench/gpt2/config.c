/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sizes of the models that can be trained, by name.
 */
#include "config.h"

#include <string.h>

/* 124M is GPT-2 as it was published. The others are named after their parameters. */
static const gpt2_config_t configs[] = {
    {"tiny", 256, 64, 2, 2, 32},  {"1M", 256, 128, 5, 4, 128},   {"3M", 256, 256, 6, 6, 192},
    {"10M", 256, 256, 6, 6, 384}, {"30M", 256, 512, 10, 8, 512}, {"124M", 50257, 1024, 12, 12, 768},
};

enum { CONFIGS = sizeof(configs) / sizeof(configs[0]) };

const gpt2_config_t *gpt2_config_find(const char *name)
{
    for (int i = 0; i < CONFIGS; ++i) {
        if (0 == strcmp(name, configs[i].name)) {
            return &configs[i];
        }
    }
    return NULL;
}

size_t gpt2_config_parameters(const gpt2_config_t *config)
{
    const size_t c = (size_t) config->channels;
    const size_t norm = 2 * c;
    const size_t attention = c * 3 * c + 3 * c + c * c + c;
    const size_t mlp = c * 4 * c + 4 * c + 4 * c * c + c;
    return ((size_t) config->vocabulary + (size_t) config->context) * c
           + (size_t) config->layers * (2 * norm + attention + mlp) + norm;
}

void gpt2_config_list(FILE *out)
{
    fprintf(out, "  %-8s %10s %8s %7s %6s %9s %12s\n", "name", "vocabulary", "context", "layers",
            "heads", "channels", "parameters");
    for (int i = 0; i < CONFIGS; ++i) {
        const gpt2_config_t *c = &configs[i];
        fprintf(out, "  %-8s %10d %8d %7d %6d %9d %12zu\n", c->name, c->vocabulary, c->context,
                c->layers, c->heads, c->channels, gpt2_config_parameters(c));
    }
}
