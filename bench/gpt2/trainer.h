/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The training: everything that lives as long as it does, and the loop over the steps.
 */
#ifndef GPT2_TRAINER_H
#define GPT2_TRAINER_H

#include "adamw.h"
#include "dataset.h"
#include "exchange.h"
#include "model.h"
#include "options.h"
#include "progress.h"

typedef struct {
    const gpt2_options_t *options;
    int rank;
    int ranks;
    gpt2_model_t model;
    gpt2_dataset_t data;
    float *parameters;
    gpt2_adamw_t optimizer;
    gpt2_exchange_t exchange;
    gpt2_progress_t progress;
} gpt2_trainer_t;

/* All four are collective. */
void gpt2_trainer_create(gpt2_trainer_t *trainer, const gpt2_options_t *options);
void gpt2_trainer_run(gpt2_trainer_t *trainer);
void gpt2_trainer_finish(gpt2_trainer_t *trainer); /* reports, sample */
void gpt2_trainer_destroy(gpt2_trainer_t *trainer);

#endif
