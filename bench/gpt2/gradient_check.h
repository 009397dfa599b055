/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Are the gradients right? They are compared with central finite differences of the loss.
 */
#ifndef GPT2_GRADIENT_CHECK_H
#define GPT2_GRADIENT_CHECK_H

#include "dataset.h"
#include "model.h"

/*
 * With the next batch of the data. For every kind of parameter: the derivative along the gradient,
 * along a random direction, and of single parameters. Prints a table; returns how many differ.
 */
int gpt2_gradient_check(gpt2_model_t *model, gpt2_dataset_t *data, unsigned long seed);

#endif
