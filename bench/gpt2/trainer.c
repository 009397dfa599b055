/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The training.
 */
#include "trainer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "../common/timing.h"
#include "checkpoint.h"
#include "hash.h"
#include "memory.h"
#include "sample.h"

/*
 * Steps the parameters whose sums have arrived, also while the backward pass goes on: a sum is
 * there only after this rank has finished the gradients too, and whoever has finished the gradients
 * of a parameter reads it no more (gpt2_model_backward). The next forward pass begins when all are
 * stepped.
 */
static void step_parameters(void *context, const float *sums, size_t begin, size_t end)
{
    const gpt2_trainer_t *t = context;
    gpt2_adamw_step(&t->optimizer, sums, 1.0f / (float) t->ranks, begin, end);
}

static gpt2_state_t state_of(gpt2_trainer_t *t)
{
    return (gpt2_state_t){
        .config = t->options->config,
        .optimizer = &t->optimizer,
        .data = &t->data,
    };
}

/* All ranks begin with the parameters of rank 0, whatever the mathematics library of their host. */
static void set_parameters(gpt2_trainer_t *t)
{
    if (NULL != t->options->resume) {
        const gpt2_state_t state = state_of(t);
        gpt2_checkpoint_load(&state, t->options->resume);
    } else if (0 == t->rank) {
        gpt2_model_initialise(&t->model, t->parameters, (unsigned long) t->options->seed);
    }
    MPI_Bcast(t->parameters, (int) t->model.layout.total, MPI_FLOAT, 0, MPI_COMM_WORLD);
}

static void create_exchange(gpt2_trainer_t *t)
{
    double seconds = 0.0;
    t->exchange = (gpt2_exchange_t){
        .mode = t->options->exchange,
        .layout = &t->model.layout,
        .partitions = t->options->partitions,
        .late = t->options->late,
        .arrived = step_parameters,
        .context = t,
    };
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = bench_now();
    gpt2_exchange_create(&t->exchange);
    const double own = bench_now() - begin;
    MPI_Reduce(&own, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == t->rank) {
        printf("# exchange %s of %zu gradients, %.2f MB, in %d piece%s; set up in %.2f ms\n",
               t->options->exchange->name, t->model.layout.total,
               (double) t->model.layout.total * 4e-6, t->exchange.pieces.count,
               (1 == t->exchange.pieces.count) ? "" : "s", seconds * 1e3);
    }
}

void gpt2_trainer_create(gpt2_trainer_t *trainer, const gpt2_options_t *options)
{
    gpt2_trainer_t *t = trainer;
    *t = (gpt2_trainer_t){.options = options};
    MPI_Comm_rank(MPI_COMM_WORLD, &t->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t->ranks);
    gpt2_dataset_open(&t->data, options->data, options->batch, options->context, t->rank, t->ranks);
    gpt2_model_create(&t->model, options->config, options->batch, options->context);
    t->parameters = gpt2_floats(t->model.layout.total, "the parameters");
    gpt2_adamw_create(&t->optimizer, &t->model.layout, t->parameters, options->rate,
                      options->decay);
    set_parameters(t);
    create_exchange(t);
    t->progress = (gpt2_progress_t){
        .rank = t->rank,
        .ranks = t->ranks,
        .tokens = (double) t->ranks * (double) options->batch * (double) options->context,
        .gradient_bytes = (double) t->model.layout.total * (double) sizeof(float),
        .exchanges = &gpt2_exchange_none != options->exchange,
    };
    gpt2_progress_open(&t->progress, options->csv, NULL != options->resume);
}

void gpt2_trainer_destroy(gpt2_trainer_t *trainer)
{
    gpt2_trainer_t *t = trainer;
    gpt2_progress_close(&t->progress);
    gpt2_exchange_destroy(&t->exchange);
    gpt2_adamw_destroy(&t->optimizer);
    free(t->parameters);
    gpt2_model_destroy(&t->model);
    gpt2_dataset_close(&t->data);
}

static gpt2_step_t run_step(gpt2_trainer_t *t)
{
    gpt2_exchange_t *x = &t->exchange;
    gpt2_step_t step = {0};
    const double begin = bench_now();
    ++t->optimizer.step;
    gpt2_exchange_begin(x);
    gpt2_dataset_next(&t->data);
    gpt2_model_forward(&t->model, t->parameters, t->data.inputs, t->data.batch, t->data.context);
    step.loss = gpt2_model_loss(&t->model, t->data.targets);
    gpt2_timeline_backward(&x->timeline);
    gpt2_model_backward(&t->model, t->parameters, x->gradients, t->data.inputs,
                        gpt2_exchange_finished, x);
    gpt2_exchange_complete(x);
    step.seconds = bench_now() - begin;
    step.spent = x->timeline.spent;
    step.in_flight = gpt2_timeline_in_flight(&x->timeline);
    step.hidden = gpt2_timeline_hidden(&x->timeline);
    return step;
}

static uint64_t hash_parameters(const gpt2_trainer_t *t)
{
    return gpt2_hash(0, t->parameters, t->model.layout.total * sizeof(float));
}

/* The largest and the smallest hash are the same, or the job ends. */
static void check_replicas(const gpt2_trainer_t *t)
{
    const uint64_t own = hash_parameters(t);
    uint64_t both[2] = {own, ~own};
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (both[0] != ~both[1]) {
        gpt2_fail("step %ld: the parameters of the ranks differ (rank %d: %016" PRIx64 ")",
                  t->optimizer.step, t->rank, own);
    }
}

static void save(gpt2_trainer_t *t)
{
    if (0 == t->rank && NULL != t->options->checkpoint) {
        const gpt2_state_t state = state_of(t);
        gpt2_checkpoint_save(&state, t->options->checkpoint);
    }
}

void gpt2_trainer_run(gpt2_trainer_t *trainer)
{
    gpt2_trainer_t *t = trainer;
    const int every = t->options->checkpoint_every;
    for (int i = 1; i <= t->options->steps; ++i) {
        const gpt2_step_t step = run_step(t);
        gpt2_progress_step(&t->progress, t->optimizer.step, &step);
        if (t->options->check_replicas) {
            check_replicas(t);
        }
        if (0 < every && 0 == t->optimizer.step % every && i < t->options->steps) {
            save(t);
        }
        if (1 == i) {
            gpt2_timeline_reset(&t->exchange.timeline);
        }
    }
    save(t);
}

/* Of the rank that needs most. */
static void print_memory(const gpt2_trainer_t *t)
{
    struct rusage usage = {0};
    long most = 0;
    getrusage(RUSAGE_SELF, &usage);
    MPI_Reduce(&usage.ru_maxrss, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == t->rank) {
        printf("# memory of a rank, at most: %.0f MB; %.0f MB of it for activations\n",
               (double) most * 1024e-6, (double) t->model.activation_floats * 4e-6);
    }
}

void gpt2_trainer_finish(gpt2_trainer_t *trainer)
{
    gpt2_trainer_t *t = trainer;
    print_memory(t);
    if (0 != t->rank) {
        return;
    }
    if (t->options->overlap_report) {
        gpt2_progress_overlap(&t->exchange);
    }
    printf("# after step %ld: parameters have the hash %016" PRIx64 "\n", t->optimizer.step,
           hash_parameters(t));
    if (0 < t->options->sample) {
        gpt2_sample(&t->model, t->parameters, t->options->sample, t->options->temperature,
                    (unsigned long) t->options->seed);
    }
    fflush(stdout);
}
