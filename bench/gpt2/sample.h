/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Text from the model.
 */
#ifndef GPT2_SAMPLE_H
#define GPT2_SAMPLE_H

#include "model.h"

/*
 * Prints so many bytes that the model makes up, after a line break as its only input. Each is drawn
 * from the predicted distribution, sharpened by a temperature below 1; with 0 the likeliest one.
 */
void gpt2_sample(gpt2_model_t *model, const float *parameters, int count, double temperature,
                 unsigned long seed);

#endif
