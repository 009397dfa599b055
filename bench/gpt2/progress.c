/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user sees of a training. README.md explains the columns.
 */
#include "progress.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { NUMBERS = sizeof(gpt2_step_t) / sizeof(double) };

void gpt2_progress_open(gpt2_progress_t *progress, const char *csv, bool append)
{
    if (0 != progress->rank) {
        return;
    }
    progress->all = gpt2_allocate((size_t) progress->ranks * sizeof(*progress->all), "the steps");
    if (NULL != csv) {
        progress->csv = fopen(csv, append ? "a" : "w");
        if (NULL == progress->csv) {
            gpt2_fail("cannot write %s: %s", csv, strerror(errno));
        }
        fseek(progress->csv, 0, SEEK_END);
        if (0 == ftell(progress->csv)) {
            fprintf(progress->csv, "step,loss,ms,compute_ms,exchange_ms,tokens_per_s,"
                                   "gradient_mb_per_s,hidden_share\n");
        }
    }
    printf("# %5s %10s %10s %10s %10s %11s %9s %7s\n", "step", "loss", "ms", "compute", "exchange",
           "tokens/s", "MB/s", "hidden");
}

void gpt2_progress_close(gpt2_progress_t *progress)
{
    if (NULL != progress->csv && 0 != fclose(progress->csv)) {
        gpt2_fail("cannot write the CSV file: %s", strerror(errno));
    }
    free(progress->all);
}

/* The times are those of the rank where the step took longest, the loss is the mean. */
static gpt2_step_t slowest(const gpt2_progress_t *progress)
{
    gpt2_step_t result = progress->all[0];
    double losses = 0.0;
    for (int i = 0; i < progress->ranks; ++i) {
        losses += progress->all[i].loss;
        if (progress->all[i].seconds > result.seconds) {
            result = progress->all[i];
        }
    }
    result.loss = losses / (double) progress->ranks;
    return result;
}

void gpt2_progress_step(gpt2_progress_t *progress, long step, const gpt2_step_t *own)
{
    MPI_Gather(own, NUMBERS, MPI_DOUBLE, progress->all, NUMBERS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (0 != progress->rank) {
        return;
    }
    const gpt2_step_t s = slowest(progress);
    const double exchange = progress->exchanges ? s.spent : 0.0;
    const double compute = s.seconds - exchange;
    const double tokens = progress->tokens / s.seconds;
    const double hidden = progress->exchanges ? s.hidden : 0.0;
    const double rate = (progress->exchanges && 0.0 < s.in_flight)
                            ? progress->gradient_bytes / s.in_flight * 1e-6
                            : 0.0;
    printf("  %5ld %10.6f %10.2f %10.2f %10.2f %11.1f %9.1f %5.0f %%\n", step, s.loss,
           s.seconds * 1e3, compute * 1e3, exchange * 1e3, tokens, rate, hidden * 1e2);
    fflush(stdout);
    if (NULL != progress->csv) {
        fprintf(progress->csv, "%ld,%.9g,%.3f,%.3f,%.3f,%.1f,%.2f,%.4f\n", step, s.loss,
                s.seconds * 1e3, compute * 1e3, exchange * 1e3, tokens, rate, hidden);
        fflush(progress->csv);
    }
}

static void print_piece(const gpt2_exchange_t *x, int piece, double per_step)
{
    const gpt2_timeline_t *t = &x->timeline;
    const size_t begin = x->pieces.begin[piece];
    const gpt2_tensor_t *tensor = gpt2_layout_at(x->layout, begin);
    char layer[24] = "";
    if (0 <= tensor->layer) {
        snprintf(layer, sizeof(layer), "layer %d ", tensor->layer);
    }
    printf("  %5d %10zu %9.2f %9.2f %9.2f   %s%s\n", piece, gpt2_pieces_length(&x->pieces, piece),
           t->ready[piece] * per_step, t->arrived[piece] * per_step, t->stepped[piece] * per_step,
           layer, gpt2_kind_name(tensor->kind));
}

void gpt2_progress_overlap(const gpt2_exchange_t *exchange)
{
    const gpt2_timeline_t *t = &exchange->timeline;
    if (1 > t->steps) {
        printf("# overlap: nothing to report, the first step of a run does not count\n");
        return;
    }
    const double per_step = 1e3 / (double) t->steps;
    printf("# overlap on rank 0, means of %d steps: ms since the beginning of the backward pass,"
           " which took %.2f\n",
           t->steps, t->backward * per_step);
    printf("# %5s %10s %9s %9s %9s   %s\n", "piece", "gradients", "ready", "arrived", "stepped",
           "begins with");
    for (int i = 0; i < exchange->pieces.count; ++i) {
        if (0 < gpt2_pieces_length(&exchange->pieces, i)) {
            print_piece(exchange, i, per_step);
        }
    }
}
