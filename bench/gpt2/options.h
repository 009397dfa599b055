/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line of the trainer.
 */
#ifndef GPT2_OPTIONS_H
#define GPT2_OPTIONS_H

#include <stdbool.h>

#include "config.h"
#include "exchange.h"

typedef struct {
    const char *data;
    const char *config_name;
    const char *exchange_name;
    const char *csv;             /* or NULL */
    const char *resume;          /* or NULL */
    const char *checkpoint_text; /* FILE[:every], or NULL */
    const char *kernels;
    const char *optimizer;
    int batch;
    int context; /* 0: that of the configuration */
    int steps;
    int partitions;
    int seed;
    int threads; /* 0: as many as OpenMP takes by itself */
    int sample;
    double rate;
    double decay;
    double temperature;
    bool check_gradients;
    bool check_replicas;
    bool overlap_report;
    bool list_configs;
    bool help;
    /* Derived. */
    const gpt2_config_t *config;
    const gpt2_exchange_mode_t *exchange;
    bool plain_kernels;
    bool late;
    char *checkpoint;     /* file, or NULL; for free() */
    int checkpoint_every; /* steps, or 0: at the end only */
} gpt2_options_t;

/*
 * Returns 0, 1 when the program has done what was asked (--help, --list-configs), and -1 for a
 * wrong line, after it has said why. Only with talk set anything is printed.
 */
int gpt2_options_parse(gpt2_options_t *options, int argc, char **argv, int ranks, bool talk);

#endif
