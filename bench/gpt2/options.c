/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line of the trainer.
 */
#define _GNU_SOURCE
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/options.h"

typedef enum { KIND_TEXT, KIND_COUNT, KIND_NUMBER, KIND_FLAG } kind_t;

typedef struct {
    const char *name;
    const char *argument;
    kind_t kind;
    int lowest; /* of a count */
    size_t offset;
    const char *help;
} option_t;

#define FIELD(name) offsetof(gpt2_options_t, name)

static const option_t table[] = {
    {"data", "FILE", KIND_TEXT, 0, FIELD(data), "the text; tokens are its bytes"},
    {"config", "NAME", KIND_TEXT, 0, FIELD(config_name), "size of the model, see below"},
    {"batch", "B", KIND_COUNT, 1, FIELD(batch), "sequences per rank and step"},
    {"context", "T", KIND_COUNT, 0, FIELD(context),
     "tokens per sequence; 0: as many as the configuration allows"},
    {"steps", "N", KIND_COUNT, 0, FIELD(steps), "steps of the training in this run"},
    {"rate", "LR", KIND_NUMBER, 0, FIELD(rate), "learning rate of AdamW"},
    {"decay", "X", KIND_NUMBER, 0, FIELD(decay), "decay of the weights (not of biases and norms)"},
    {"seed", "S", KIND_COUNT, 0, FIELD(seed), "of the first parameters and of the sample"},
    {"exchange", "MODE", KIND_TEXT, 0, FIELD(exchange_name),
     "how gradients are summed up, see below; with several ranks by default blocking"},
    {"partitions", "P", KIND_COUNT, 1, FIELD(partitions), "of modes partitioned and inplace"},
    {"optimizer", "WHEN", KIND_TEXT, 0, FIELD(optimizer),
     "early: step parameters when their sums are there; late: but not before the backward pass has"
     " ended"},
    {"threads", "N", KIND_COUNT, 0, FIELD(threads),
     "OpenMP threads per rank; 0: as OpenMP takes by itself"},
    {"kernels", "WHICH", KIND_TEXT, 0, FIELD(kernels),
     "matrix products: auto (a CBLAS if there is one) or plain"},
    {"csv", "FILE", KIND_TEXT, 0, FIELD(csv), "a line per step; with --resume, appended"},
    {"checkpoint", "FILE[:E]", KIND_TEXT, 0, FIELD(checkpoint_text),
     "save the training at the end and after every E steps"},
    {"resume", "FILE", KIND_TEXT, 0, FIELD(resume), "go on where a checkpoint was saved"},
    {"sample", "N", KIND_COUNT, 0, FIELD(sample), "bytes of text to print at the end"},
    {"temperature", "X", KIND_NUMBER, 0, FIELD(temperature),
     "of the sample; 0: always the likeliest byte"},
    {"overlap-report", NULL, KIND_FLAG, 0, FIELD(overlap_report),
     "at the end, when each piece was ready, there and used"},
    {"check-replicas", NULL, KIND_FLAG, 0, FIELD(check_replicas),
     "compare the parameters of all ranks, bit by bit, after every step"},
    {"check-gradients", NULL, KIND_FLAG, 0, FIELD(check_gradients),
     "instead of training compare gradients with finite differences"},
    {"list-configs", NULL, KIND_FLAG, 0, FIELD(list_configs), "print the configurations"},
    {"help", NULL, KIND_FLAG, 0, FIELD(help), "this text"},
};

enum { OPTIONS = sizeof(table) / sizeof(table[0]) };

static void *field(gpt2_options_t *options, const option_t *option)
{
    return (char *) options + option->offset;
}

static void print_default(const gpt2_options_t *defaults, const option_t *option)
{
    const void *value = (const char *) defaults + option->offset;
    switch (option->kind) {
    case KIND_COUNT:
        printf(" (default %d)", *(const int *) value);
        break;
    case KIND_NUMBER:
        printf(" (default %g)", *(const double *) value);
        break;
    case KIND_TEXT:
        if (NULL != *(const char *const *) value) {
            printf(" (default %s)", *(const char *const *) value);
        }
        break;
    case KIND_FLAG:
        break;
    }
    printf("\n");
}

static void print_help(const gpt2_options_t *defaults)
{
    printf("gpt2_train: trains GPT-2, data-parallel: every rank computes gradients for sequences of"
           " its own,\nand all step with the mean over the ranks.\n\n"
           "usage: mpirun -n N [options of mpirun] gpt2_train --data FILE [options]\n");
    for (int i = 0; i < OPTIONS; ++i) {
        char text[64];
        snprintf(text, sizeof(text), "--%s %s", table[i].name,
                 (NULL == table[i].argument) ? "" : table[i].argument);
        printf("  %-22s %s", text, table[i].help);
        print_default(defaults, &table[i]);
    }
    printf("\nexchange:\n");
    for (int i = 0; NULL != gpt2_exchange_mode(i); ++i) {
        printf("  %-12s %s\n", gpt2_exchange_mode(i)->name, gpt2_exchange_mode(i)->help);
    }
    printf("\nconfigurations:\n");
    gpt2_config_list(stdout);
    printf("\nbench/gpt2/README.md explains what is printed.\n");
}

/* Says what is wrong, once, and returns -1. */
static int wrong(bool talk, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int wrong(bool talk, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (talk) {
        fprintf(stderr, "gpt2_train: ");
        vfprintf(stderr, format, list);
        fprintf(stderr, "; --help lists the options\n");
    }
    va_end(list);
    return -1;
}

static int read_count(const option_t *option, const char *text, int *value, bool talk)
{
    if (0 != bench_parse_int(text, option->lowest, value)) {
        return wrong(talk, "--%s: \"%s\" is not a whole number from %d on", option->name, text,
                     option->lowest);
    }
    return 0;
}

static int read_number(const option_t *option, const char *text, double *value, bool talk)
{
    if (0 != bench_parse_double(text, value) || !isfinite(*value)) {
        return wrong(talk, "--%s: \"%s\" is not a number from 0 on", option->name, text);
    }
    return 0;
}

static int read_value(gpt2_options_t *options, const option_t *option, const char *text, bool talk)
{
    switch (option->kind) {
    case KIND_COUNT:
        return read_count(option, text, field(options, option), talk);
    case KIND_NUMBER:
        return read_number(option, text, field(options, option), talk);
    case KIND_TEXT:
        *(const char **) field(options, option) = text;
        return 0;
    case KIND_FLAG:
        *(bool *) field(options, option) = true;
        return 0;
    }
    return -1;
}

static int read_line(gpt2_options_t *options, int argc, char **argv, bool talk)
{
    struct option words[OPTIONS + 1] = {{0}};
    for (int i = 0; i < OPTIONS; ++i) {
        words[i].name = table[i].name;
        words[i].has_arg = (KIND_FLAG == table[i].kind) ? no_argument : required_argument;
        words[i].val = i;
    }
    opterr = 0;
    for (;;) {
        const int at = optind; /* the word that is read, until all of its letters are */
        const int key = getopt_long(argc, argv, "+", words, NULL);
        if (-1 == key) {
            break;
        }
        if ('?' == key) {
            return wrong(talk, "%s is not an option, or needs a value", argv[at]);
        }
        if (0 != read_value(options, &table[key], optarg, talk)) {
            return -1;
        }
    }
    if (optind < argc) {
        return wrong(talk, "unexpected word \"%s\"", argv[optind]);
    }
    return 0;
}

static bool one_of(const char *text, const char *first, const char *second)
{
    return 0 == strcmp(text, first) || 0 == strcmp(text, second);
}

/* FILE or FILE:E. */
static int read_checkpoint(gpt2_options_t *o, bool talk)
{
    if (NULL == o->checkpoint_text) {
        return 0;
    }
    o->checkpoint = strdup(o->checkpoint_text);
    char *colon = (NULL == o->checkpoint) ? NULL : strrchr(o->checkpoint, ':');
    if (NULL != colon) {
        const option_t every = {.name = "checkpoint", .lowest = 1};
        *colon = '\0';
        if (0 != read_count(&every, colon + 1, &o->checkpoint_every, talk)) {
            return -1;
        }
    }
    return (NULL == o->checkpoint || '\0' == o->checkpoint[0])
               ? wrong(talk, "--checkpoint needs the name of a file")
               : 0;
}

static int derive(gpt2_options_t *o, int ranks, bool talk)
{
    o->config = gpt2_config_find(o->config_name);
    o->exchange = gpt2_exchange_find(o->exchange_name);
    if (NULL == o->config) {
        return wrong(talk, "--config: there is no configuration \"%s\"", o->config_name);
    }
    if (NULL == o->exchange) {
        return wrong(talk, "--exchange: there is no mode \"%s\"", o->exchange_name);
    }
    if (&gpt2_exchange_none == o->exchange && 1 < ranks) {
        return wrong(talk, "--exchange none is for one rank, and there are %d", ranks);
    }
    if (o->context > o->config->context) {
        return wrong(talk, "--context: configuration %s has %d positions, not %d", o->config->name,
                     o->config->context, o->context);
    }
    if (0 == o->context) {
        o->context = o->config->context;
    }
    if (o->batch > INT_MAX / o->context / (4 * o->config->channels)) {
        return wrong(talk, "--batch: %d sequences are too many", o->batch);
    }
    if ((size_t) o->partitions > gpt2_config_parameters(o->config)) {
        return wrong(talk, "--partitions: %d are more than there are parameters", o->partitions);
    }
    if (!one_of(o->kernels, "auto", "plain")) {
        return wrong(talk, "--kernels: auto or plain, not \"%s\"", o->kernels);
    }
    if (!one_of(o->optimizer, "early", "late")) {
        return wrong(talk, "--optimizer: early or late, not \"%s\"", o->optimizer);
    }
    o->plain_kernels = 0 == strcmp(o->kernels, "plain");
    o->late = 0 == strcmp(o->optimizer, "late");
    return (NULL == o->data) ? wrong(talk, "--data is missing") : read_checkpoint(o, talk);
}

int gpt2_options_parse(gpt2_options_t *options, int argc, char **argv, int ranks, bool talk)
{
    const gpt2_options_t defaults = {
        .config_name = "1M",
        .exchange_name = (1 == ranks) ? "none" : "blocking",
        .kernels = "auto",
        .optimizer = "early",
        .batch = 4,
        .steps = 20,
        .partitions = 16,
        .seed = 1,
        .rate = 1e-3,
        .decay = 0.1,
        .temperature = 0.8,
    };
    *options = defaults;
    if (0 != read_line(options, argc, argv, talk)) {
        return -1;
    }
    if (options->help || options->list_configs) {
        if (talk && options->help) {
            print_help(&defaults);
        } else if (talk) {
            gpt2_config_list(stdout);
        }
        return 1;
    }
    return derive(options, ranks, talk);
}
