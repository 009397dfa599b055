/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of a training in a file: parameters, moments of the optimizer, place in the data. All
 * ranks have the same, so rank 0 writes and reads, and sends what it has read to the others.
 *
 * The file is a header and the three arrays, in the byte order of the machine; it takes the place
 * of an older one only when it is complete.
 */
#ifndef GPT2_CHECKPOINT_H
#define GPT2_CHECKPOINT_H

#include "adamw.h"
#include "config.h"
#include "dataset.h"

/* What a checkpoint holds, or will hold. */
typedef struct {
    const gpt2_config_t *config;
    gpt2_adamw_t *optimizer; /* its parameters, moments and step */
    gpt2_dataset_t *data;    /* its position */
} gpt2_state_t;

/* Called by rank 0. Ends the job with a message when the file cannot be written. */
void gpt2_checkpoint_save(const gpt2_state_t *state, const char *path);

/* Collective. Ends the job with a message when the file is not what it should be. */
void gpt2_checkpoint_load(const gpt2_state_t *state, const char *path);

#endif
