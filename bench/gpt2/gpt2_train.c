/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * gpt2_train: trains GPT-2 on several ranks, and shows what the exchange of gradients costs.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/machine.h"
#include "../common/session.h"
#include "gemm.h"
#include "gradient_check.h"
#include "memory.h"
#include "options.h"
#include "trainer.h"

static void print_heading(const gpt2_options_t *options, const char *kernels, int rank, int ranks)
{
    char shape[256];
    const bench_options_t heading = {.program = "gpt2_train",
                                     .purpose = "data-parallel training of GPT-2",
                                     .shape = shape,
                                     .collective = true};
    snprintf(shape, sizeof(shape),
             "configuration %s, %zu parameters; %d tokens per rank and step; %d thread%s;"
             " matrix products: %s",
             options->config->name, gpt2_config_parameters(options->config),
             options->batch * options->context, omp_get_max_threads(),
             (1 == omp_get_max_threads()) ? "" : "s", kernels);
    bench_heading(&heading, rank, ranks);
}

/* Rank 0 checks; the others have nothing to do. */
static int check_gradients(const gpt2_options_t *options, int rank, int ranks)
{
    gpt2_model_t model;
    gpt2_dataset_t data;
    gpt2_dataset_open(&data, options->data, options->batch, options->context, rank, ranks);
    gpt2_model_create(&model, options->config, options->batch, options->context);
    int wrong = (0 == rank) ? gpt2_gradient_check(&model, &data, (unsigned long) options->seed) : 0;
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    gpt2_model_destroy(&model);
    gpt2_dataset_close(&data);
    return (0 == wrong) ? 0 : 1;
}

static int train(const gpt2_options_t *options)
{
    gpt2_trainer_t trainer;
    gpt2_trainer_create(&trainer, options);
    gpt2_trainer_run(&trainer);
    gpt2_trainer_finish(&trainer);
    gpt2_trainer_destroy(&trainer);
    return 0;
}

int main(int argc, char **argv)
{
    int provided = MPI_THREAD_SINGLE;
    int rank;
    int ranks;
    gpt2_options_t options;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided < MPI_THREAD_FUNNELED) {
        gpt2_fail("this MPI library offers no MPI_THREAD_FUNNELED");
    }
    const int parsed = gpt2_options_parse(&options, argc, argv, ranks, 0 == rank);
    if (0 != parsed) {
        MPI_Finalize();
        return (1 == parsed) ? 0 : 2;
    }
    if (0 < options.threads) {
        omp_set_num_threads(options.threads);
    }
    bench_machine_open();
    print_heading(&options, gpt2_gemm_choose(omp_get_max_threads(), options.plain_kernels), rank,
                  ranks);
    const int status =
        options.check_gradients ? check_gradients(&options, rank, ranks) : train(&options);
    free(options.checkpoint);
    bench_end();
    return status;
}
