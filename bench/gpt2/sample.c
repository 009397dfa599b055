/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Text from the model.
 */
#define _GNU_SOURCE
#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "random.h"

static int likeliest(const float *logits)
{
    int best = 0;
    for (int i = 1; i < GPT2_TOKENS; ++i) {
        best = (logits[i] > logits[best]) ? i : best;
    }
    return best;
}

/* Only bytes are drawn, also where the vocabulary is larger. */
static int draw(const float *logits, double temperature, gpt2_random_t *random)
{
    const int best = likeliest(logits);
    double weights[GPT2_TOKENS];
    double sum = 0.0;
    if (0.0 >= temperature) {
        return best;
    }
    for (int i = 0; i < GPT2_TOKENS; ++i) {
        weights[i] = exp((double) (logits[i] - logits[best]) / temperature);
        sum += weights[i];
    }
    double left = gpt2_random_uniform(random) * sum;
    for (int i = 0; i < GPT2_TOKENS; ++i) {
        left -= weights[i];
        if (0.0 > left) {
            return i;
        }
    }
    return best;
}

static void print_byte(int byte)
{
    if ('\n' == byte || (' ' <= byte && '~' >= byte)) {
        putchar(byte);
    } else {
        printf("\\x%02x", (unsigned) byte);
    }
}

void gpt2_sample(gpt2_model_t *model, const float *parameters, int count, double temperature,
                 unsigned long seed)
{
    int *window = gpt2_allocate((size_t) model->context * sizeof(*window), "the sample");
    int length = 1;
    gpt2_random_t random;
    gpt2_random_seed(&random, seed);
    window[0] = '\n';
    printf("# sample of %d bytes, temperature %g:\n", count, temperature);
    for (int i = 0; i < count; ++i) {
        gpt2_model_forward(model, parameters, window, 1, length);
        const float *last =
            model->logits + (size_t) (length - 1) * (size_t) model->config->vocabulary;
        const int byte = draw(last, temperature, &random);
        print_byte(byte);
        if (length == model->context) {
            memmove(window, window + 1, (size_t) (length - 1) * sizeof(*window));
            --length;
        }
        window[length++] = byte;
    }
    printf("\n");
    free(window);
}
