/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers: the generator SplitMix64, and the method of Box and Muller.
 */
#define _GNU_SOURCE
#include "random.h"

#include <math.h>

void gpt2_random_seed(gpt2_random_t *random, uint64_t seed)
{
    random->state = seed;
}

uint64_t gpt2_random_bits(gpt2_random_t *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double gpt2_random_uniform(gpt2_random_t *random)
{
    return (double) (gpt2_random_bits(random) >> 11) * 0x1.0p-53;
}

void gpt2_random_add_normal(gpt2_random_t *random, float *values, size_t count, double deviation)
{
    for (size_t i = 0; i < count; i += 2) {
        /* 1 - uniform is never 0. */
        const double radius = deviation * sqrt(-2.0 * log(1.0 - gpt2_random_uniform(random)));
        const double angle = 2.0 * M_PI * gpt2_random_uniform(random);
        values[i] += (float) (radius * cos(angle));
        if (i + 1 < count) {
            values[i + 1] += (float) (radius * sin(angle));
        }
    }
}
