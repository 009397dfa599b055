/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Command line of the benchmark programs: the options all of them share, and a table in which a
 * program names its own.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    BENCH_MODE_PART,  /* one partitioned send/receive pair */
    BENCH_MODE_ISEND, /* one MPI_Isend/MPI_Irecv of the same total */
    BENCH_MODE_MULTI, /* one MPI_Isend/MPI_Irecv per partition */
    BENCH_MODE_MPI,   /* the blocking collective of MPI; collective programs only */
    /* Not for --mode: */
    BENCH_MODE_PERSISTENT, /* MPI_<collective>_init, start and wait; pcoll only */
    BENCH_MODE_OTHERS      /* the same without coll/pschedule */
} bench_mode_t;

typedef enum {
    BENCH_VALUE_INT,
    BENCH_VALUE_DOUBLE,
    BENCH_VALUE_STRING,
    BENCH_VALUE_SIZE,  /* size_t, with an optional suffix K, M or G (powers of 1024) */
    BENCH_VALUE_CHOICE /* bool: the first or the second of two words */
} bench_value_t;

/* What every program knows, but for those it has no use for (bench_options_t.unused): -i -x -r -p
 * -P -w -t -c, and by these letters --mode (other than part), --prepare, --batch-ms, --budget-s. */
enum {
    BENCH_LETTER_MODE = 'M',
    BENCH_LETTER_PREPARE = 'E',
    BENCH_LETTER_BATCH = 'B',
    BENCH_LETTER_BUDGET = 'S'
};

/* An option of one program, always long and always with a value: --name VALUE. */
typedef struct {
    const char *name;
    bench_value_t kind;
    void *target; /* int *, double *, const char **, size_t * or bool *; holds the default */
    const char *help;
    const char *words[2]; /* of a choice: false, true */
} bench_extra_t;

typedef struct {
    const char *program;
    const char *purpose;    /* one line, printed by -h and above the results */
    const char *size_means; /* what -m counts: "total" or "partition" */
    const char *shape;      /* printed above the results instead of the usual line, or NULL */
    bool collective;        /* any number of ranks, modes part and mpi, no -P and -w */
    bool one_size;          /* -m MIN, without MAX */
    bool pairs;             /* may run in several pairs of ranks at the same time (pairs.h) */
    const char *unused;     /* letters of options that mean nothing here: refused */
    int size_step;          /* how many times the one before each size is; for -h */
    size_t min_size;
    size_t max_size;
    int samples;         /* timed samples per size; a sample is a batch of rounds */
    int warmup;          /* samples thrown away */
    int rounds;          /* rounds per sample; 0 = as many as last batch_ms */
    double batch_ms;     /* shortest sample when rounds is 0 */
    double budget_s;     /* fewer samples, but 3, when they would last longer; 0 = no limit */
    int partitions;      /* of the sender */
    int recv_partitions; /* of the receiver */
    int threads;         /* OpenMP threads that mark partitions ready */
    int window;          /* requests used in turn */
    bool check;          /* compare every byte of every round */
    bool uneven;         /* blocks of different lengths, where the operation can; pcoll only */
    const char *neighbors; /* see coll/neighborhood.h; pcoll only */
    bool prepare;        /* call MPIX_Pbuf_prepare after MPI_Start */
    bench_mode_t mode;
    const char *csv; /* file that rows are appended to, or NULL */
} bench_options_t;

/* Values a program starts from before it sets its own defaults. */
void bench_options_defaults(bench_options_t *options);

/*
 * Reads the command line into *options. extras may be NULL. Prints help and returns 1 for -h,
 * prints the reason and returns -1 for a wrong line, and returns 0 otherwise. Only the rank with
 * talk set prints.
 */
int bench_options_parse(bench_options_t *options, const bench_extra_t *extras, int extra_count,
                        int argc, char **argv, bool talk);

/* A whole number from `lowest` on, or a number from 0 on; -1 when the text is none. */
int bench_parse_int(const char *text, int lowest, int *value);
int bench_parse_double(const char *text, double *value);

/* A size with an optional suffix K, M or G; -1 when the text is none. */
int bench_parse_size(const char *text, size_t *value);

/* Whether `name` is one of the words of a list separated by commas, or the list is "all". */
bool bench_is_listed(const char *list, const char *name);

/* Whether each word is another one of the `found` names that are in such a list. */
bool bench_list_is_known(const char *list, int found);

/* "part", "isend", "multi", "mpi", "persistent" or "others". */
const char *bench_mode_name(bench_mode_t mode);

#endif
