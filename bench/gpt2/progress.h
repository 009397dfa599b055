/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user sees of a training: a line per step, the same as CSV, and the report of the
 * overlap.
 */
#ifndef GPT2_PROGRESS_H
#define GPT2_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "exchange.h"

/* What a rank knows of a step; doubles only, it is sent as such. */
typedef struct {
    double loss;
    double seconds;   /* of the step */
    double spent;     /* of that, inside the exchange */
    double in_flight; /* see timeline.h */
    double hidden;
} gpt2_step_t;

typedef struct {
    int rank;
    int ranks;
    double tokens;         /* of all ranks in a step */
    double gradient_bytes; /* of a rank */
    bool exchanges;        /* else there is nothing to show of an exchange */
    FILE *csv;             /* on rank 0, or NULL */
    gpt2_step_t *all;      /* on rank 0: of all ranks */
} gpt2_progress_t;

/* csv: file or NULL; append: to what is there. The other fields are set before. */
void gpt2_progress_open(gpt2_progress_t *progress, const char *csv, bool append);
void gpt2_progress_close(gpt2_progress_t *progress);

/* Collective: one line. */
void gpt2_progress_step(gpt2_progress_t *progress, long step, const gpt2_step_t *own);

/* When each piece was handed over, had arrived and was stepped; of this rank. */
void gpt2_progress_overlap(const gpt2_exchange_t *exchange);

#endif
