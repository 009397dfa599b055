/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The text that is learnt. The file is a row of sequences of equal length; all ranks together take
 * the next ones of it in every step, each rank its own. N ranks with B sequences each see the same
 * as one rank with N * B.
 */
#ifndef GPT2_DATASET_H
#define GPT2_DATASET_H

#include <stdint.h>

typedef struct {
    const char *path;
    int file;
    int batch;   /* sequences of a rank in a step */
    int context; /* tokens of a sequence */
    int rank;
    int ranks;
    uint64_t sequences; /* of the file */
    uint64_t position;  /* sequences that all ranks together have taken */
    unsigned char *bytes;
    int *inputs;  /* batch rows of context tokens */
    int *targets; /* the tokens that follow them */
} gpt2_dataset_t;

/* Ends the job with a message if the file cannot be read or is too short. */
void gpt2_dataset_open(gpt2_dataset_t *data, const char *path, int batch, int context, int rank,
                       int ranks);
void gpt2_dataset_close(gpt2_dataset_t *data);

/* The next batch; from the beginning of the file again when it is at its end. */
void gpt2_dataset_next(gpt2_dataset_t *data);

#endif
