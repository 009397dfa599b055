/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Command line of the benchmark programs.
 */
#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EXTRAS = 16, FIRST_EXTRA = 1000, OPT_CSV = 256 };

static const char *const mode_names[] = {"part", "isend", "multi", "mpi", "persistent", "others"};

const char *bench_mode_name(bench_mode_t mode)
{
    return mode_names[mode];
}

void bench_options_defaults(bench_options_t *options)
{
    *options = (bench_options_t){
        .size_means = "total",
        .size_step = 2,
        .min_size = 1024,
        .max_size = 32u << 20,
        .samples = 20,
        .warmup = 2,
        .batch_ms = 30.0,
        .partitions = 32,
        .threads = 1,
        .window = 1,
        .neighbors = "ring",
        .mode = BENCH_MODE_PART,
    };
}

int bench_parse_size(const char *text, size_t *value)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (end == text || 0 != errno || '-' == text[0]) {
        return -1;
    }
    unsigned shift = 0;
    switch (*end) {
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    default:
        break;
    }
    end += (0 == shift) ? 0 : 1;
    if ('\0' != *end || number > (SIZE_MAX >> shift)) {
        return -1;
    }
    *value = (size_t) number << shift;
    return 0;
}

static int parse_range(const char *text, bench_options_t *options)
{
    char low[64];
    const char *colon = strchr(text, ':');
    const size_t length = (NULL == colon) ? strlen(text) : (size_t) (colon - text);
    if (length >= sizeof(low)) {
        return -1;
    }
    memcpy(low, text, length);
    low[length] = '\0';
    if (0 != bench_parse_size(low, &options->min_size)) {
        return -1;
    }
    options->max_size = options->min_size;
    if (NULL != colon && 0 != bench_parse_size(colon + 1, &options->max_size)) {
        return -1;
    }
    return (0 < options->min_size && options->min_size <= options->max_size) ? 0 : -1;
}

bool bench_is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *word = list; NULL != word; word = strchr(word, ',')) {
        word += (',' == *word) ? 1 : 0;
        if (0 == strncmp(word, name, length) && (',' == word[length] || '\0' == word[length])) {
            return true;
        }
    }
    return 0 == strcmp(list, "all");
}

bool bench_list_is_known(const char *list, int found)
{
    int words = 1;
    for (const char *comma = strchr(list, ','); NULL != comma; comma = strchr(comma + 1, ',')) {
        ++words;
    }
    return words == found || 0 == strcmp(list, "all");
}

int bench_parse_int(const char *text, int lowest, int *value)
{
    char *end = NULL;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (end == text || '\0' != *end || 0 != errno || number < lowest || number > INT_MAX) {
        return -1;
    }
    *value = (int) number;
    return 0;
}

int bench_parse_double(const char *text, double *value)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || '\0' != *end || !(number >= 0.0)) {
        return -1;
    }
    *value = number;
    return 0;
}

static bool is_unused(const bench_options_t *o, int letter)
{
    return letter < OPT_CSV
           && ((o->collective && ('P' == letter || 'w' == letter))
               || (NULL != o->unused && NULL != strchr(o->unused, letter)));
}

static bool mode_fits(const bench_options_t *o, bench_mode_t mode)
{
    return BENCH_MODE_PART == mode
           || (!is_unused(o, BENCH_LETTER_MODE) && o->collective == (BENCH_MODE_MPI == mode));
}

static int parse_mode(const char *text, bench_options_t *o)
{
    for (int i = 0; i <= BENCH_MODE_MPI; ++i) {
        if (0 == strcmp(text, mode_names[i]) && mode_fits(o, (bench_mode_t) i)) {
            o->mode = (bench_mode_t) i;
            return 0;
        }
    }
    return -1;
}

static int parse_choice(const char *text, const bench_extra_t *extra)
{
    for (int i = 0; i < 2; ++i) {
        if (0 == strcmp(text, extra->words[i])) {
            *(bool *) extra->target = 1 == i;
            return 0;
        }
    }
    return -1;
}

static int parse_extra(const bench_extra_t *extra, const char *text)
{
    switch (extra->kind) {
    case BENCH_VALUE_INT:
        return bench_parse_int(text, 0, extra->target);
    case BENCH_VALUE_DOUBLE:
        return bench_parse_double(text, extra->target);
    case BENCH_VALUE_SIZE:
        return bench_parse_size(text, extra->target);
    case BENCH_VALUE_STRING:
        *(const char **) extra->target = text;
        return 0;
    case BENCH_VALUE_CHOICE:
        return parse_choice(text, extra);
    }
    return -1;
}

static void print_extra(const bench_extra_t *extra)
{
    printf("  --%-16s %s (default ", extra->name, extra->help);
    switch (extra->kind) {
    case BENCH_VALUE_INT:
        printf("%d)\n", *(const int *) extra->target);
        break;
    case BENCH_VALUE_DOUBLE:
        printf("%g)\n", *(const double *) extra->target);
        break;
    case BENCH_VALUE_SIZE:
        printf("%zu)\n", *(const size_t *) extra->target);
        break;
    case BENCH_VALUE_STRING:
        printf("%s)\n", *(const char *const *) extra->target);
        break;
    case BENCH_VALUE_CHOICE:
        printf("%s)\n", extra->words[*(const bool *) extra->target ? 1 : 0]);
        break;
    }
}

__attribute__((format(printf, 3, 4))) static void print_line(const bench_options_t *o, int letter,
                                                             const char *format, ...)
{
    va_list arguments;
    if (!is_unused(o, letter)) {
        va_start(arguments, format);
        vprintf(format, arguments);
        va_end(arguments);
    }
}

static void print_mode_help(const bench_options_t *o)
{
    static const char collective[] =
        "  --mode MODE        part: the partitioned collective; mpi: MPI's blocking one"
        " (default %s)\n";
    static const char pair[] =
        "  --mode MODE        part: partitioned; isend: one MPI_Isend of the same total;\n"
        "                     multi: one MPI_Isend per partition (default %s)\n";
    print_line(o, BENCH_LETTER_MODE, o->collective ? collective : pair, bench_mode_name(o->mode));
}

static void print_sampling_help(const bench_options_t *o)
{
    if (is_unused(o, 'm')) {
        /* The program has another way of saying it. */
    } else if (o->one_size) {
        printf("  -m BYTES           %s; K, M, G are powers of 1024 (default %zu)\n", o->size_means,
               o->min_size);
    } else {
        printf("  -m MIN[:MAX]       bytes (%s), from MIN to MAX, each %d times the one before;\n"
               "                     K, M, G are powers of 1024 (default %zu:%zu)\n",
               o->size_means, o->size_step, o->min_size, o->max_size);
    }
    print_line(o, 'i', "  -i N               timed samples per size (default %d)\n", o->samples);
    print_line(o, 'x', "  -x N               warm-up samples per size, not timed (default %d)\n",
               o->warmup);
    print_line(o, 'r',
               "  -r N               rounds per sample, 0 = until --batch-ms is filled (default"
               " %d)\n",
               o->rounds);
    print_line(o, BENCH_LETTER_BATCH,
               "  --batch-ms T       shortest sample in milliseconds (default %g)\n", o->batch_ms);
    print_line(o, BENCH_LETTER_BUDGET,
               "  --budget-s T       fewer samples, but 3, if those of a size would take longer"
               " than T\n                     seconds, 0 = no limit (default %g)\n",
               o->budget_s);
}

static void print_help(const bench_options_t *o, const bench_extra_t *extras, int extra_count)
{
    printf("%s: %s\n\n", o->program, o->purpose);
    printf("usage: mpirun -n %s [options of mpirun] %s [options]\n",
           o->collective ? "N" : o->pairs ? "2N" : "2", o->program);
    print_sampling_help(o);
    print_line(o, 'p', "  -p N               partitions of %s (default %d)\n",
               o->collective ? "a block" : "the sender", o->partitions);
    print_line(o, 'P',
               "  -P N               partitions of the receiver (default: as the sender)\n");
    print_line(o, 'w', "  -w N               requests used in turn, all in flight (default %d)\n",
               o->window);
    print_mode_help(o);
    print_line(o, 't', "  -t N               OpenMP threads (default %d)\n", o->threads);
    print_line(o, 'c',
               "  -c                 compare every byte of every round; the times then include"
               " it\n");
    print_line(o, BENCH_LETTER_PREPARE,
               "  --prepare          call MPIX_Pbuf_prepare after every MPI_Start\n");
    printf("  --csv FILE         append the rows to FILE\n");
    for (int i = 0; i < extra_count; ++i) {
        print_extra(&extras[i]);
    }
    printf("  -h                 this text\n");
}

static int apply_option(bench_options_t *o, int key, const char *value)
{
    if (is_unused(o, key) && BENCH_LETTER_MODE != key) {
        return -1;
    }
    switch (key) {
    case 'm':
        return (0 != parse_range(value, o) || (o->one_size && o->min_size != o->max_size)) ? -1 : 0;
    case 'i':
        return bench_parse_int(value, 1, &o->samples);
    case 'x':
        return bench_parse_int(value, 0, &o->warmup);
    case 'r':
        return bench_parse_int(value, 0, &o->rounds);
    case 'p':
        return bench_parse_int(value, 1, &o->partitions);
    case 'P':
        return bench_parse_int(value, 1, &o->recv_partitions);
    case 't':
        return bench_parse_int(value, 1, &o->threads);
    case 'w':
        return bench_parse_int(value, 1, &o->window);
    case 'c':
        o->check = true;
        return 0;
    case BENCH_LETTER_BATCH:
        return bench_parse_double(value, &o->batch_ms);
    case BENCH_LETTER_BUDGET:
        return bench_parse_double(value, &o->budget_s);
    case OPT_CSV:
        o->csv = value;
        return 0;
    case BENCH_LETTER_MODE:
        return parse_mode(value, o);
    case BENCH_LETTER_PREPARE:
        o->prepare = true;
        return 0;
    default:
        return -1;
    }
}

static void fill_long_options(struct option *table, const bench_extra_t *extras, int extra_count)
{
    int n = 0;
    table[n++] = (struct option){"csv", required_argument, NULL, OPT_CSV};
    table[n++] = (struct option){"mode", required_argument, NULL, BENCH_LETTER_MODE};
    table[n++] = (struct option){"prepare", no_argument, NULL, BENCH_LETTER_PREPARE};
    table[n++] = (struct option){"batch-ms", required_argument, NULL, BENCH_LETTER_BATCH};
    table[n++] = (struct option){"budget-s", required_argument, NULL, BENCH_LETTER_BUDGET};
    table[n++] = (struct option){"help", no_argument, NULL, 'h'};
    for (int i = 0; i < extra_count; ++i) {
        table[n++] = (struct option){extras[i].name, required_argument, NULL, FIRST_EXTRA + i};
    }
    table[n] = (struct option){NULL, 0, NULL, 0};
}

static void explain(const bench_options_t *o, int key, const char *value,
                    const struct option *table)
{
    if (!is_unused(o, key) || BENCH_LETTER_MODE == key) {
        fprintf(stderr, "%s: wrong value \"%s\"; -h lists the options\n", o->program,
                (NULL == value) ? "" : value);
        return;
    }
    while (NULL != table->name && key != table->val) {
        ++table;
    }
    if (NULL != table->name) {
        fprintf(stderr, "%s: --%s has no meaning here\n", o->program, table->name);
    } else {
        fprintf(stderr, "%s: -%c has no meaning here\n", o->program, key);
    }
}

static int finish(bench_options_t *o, bool talk)
{
    if (0 == o->recv_partitions) {
        o->recv_partitions = o->partitions;
    }
#if !defined(BENCH_HAVE_MPIX) || !BENCH_HAVE_MPIX
    if (o->prepare) {
        if (talk) {
            fprintf(stderr, "%s: --prepare needs a build with mpix_partitioned.h\n", o->program);
        }
        return -1;
    }
#endif
    if (o->prepare && BENCH_MODE_PART != o->mode) {
        if (talk) {
            fprintf(stderr, "%s: --prepare has a meaning in mode part only\n", o->program);
        }
        return -1;
    }
    return 0;
}

int bench_options_parse(bench_options_t *options, const bench_extra_t *extras, int extra_count,
                        int argc, char **argv, bool talk)
{
    struct option table[7 + MAX_EXTRAS];
    if (extra_count > MAX_EXTRAS) {
        return -1;
    }
    fill_long_options(table, extras, extra_count);
    optind = 0; /* a second time from the first word on */
    opterr = talk ? 1 : 0;
    for (;;) {
        const int key = getopt_long(argc, argv, "m:i:x:r:p:P:t:w:ch", table, NULL);
        if (-1 == key) {
            break;
        }
        if ('h' == key) {
            if (talk) {
                print_help(options, extras, extra_count);
            }
            return 1;
        }
        const int rc = (key >= FIRST_EXTRA) ? parse_extra(&extras[key - FIRST_EXTRA], optarg)
                                            : apply_option(options, key, optarg);
        if (0 != rc) {
            if (talk && '?' != key) {
                explain(options, key, optarg, table);
            }
            return -1;
        }
    }
    if (optind < argc) {
        if (talk) {
            fprintf(stderr, "%s: unexpected word \"%s\"\n", options->program, argv[optind]);
        }
        return -1;
    }
    return finish(options, talk);
}
