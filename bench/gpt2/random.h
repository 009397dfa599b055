/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers that are the same on every machine and for any number of threads.
 */
#ifndef GPT2_RANDOM_H
#define GPT2_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t state;
} gpt2_random_t;

void gpt2_random_seed(gpt2_random_t *random, uint64_t seed);

uint64_t gpt2_random_bits(gpt2_random_t *random);

/* From 0 up to, but not including, 1. */
double gpt2_random_uniform(gpt2_random_t *random);

/* Adds numbers of the normal distribution with mean 0 to the values. */
void gpt2_random_add_normal(gpt2_random_t *random, float *values, size_t count, double deviation);

#endif
