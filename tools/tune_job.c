/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Speaking, ending, variables (see tune_job.h).
 */
#include "tune_job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tune_variable.h"

void tune_say(const tune_t *tune, const char *format, ...)
{
    va_list arguments;

    if (0 != tune->hosts.rank) {
        return;
    }
    (void) fprintf(stderr, "pschedule_tune: %5.1f s  ", MPI_Wtime() - tune->begin);
    va_start(arguments, format);
    (void) vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void) fputc('\n', stderr);
}

_Noreturn void tune_refuse(const char *what, int status)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (0 == rank) {
        (void) fprintf(stderr, "pschedule_tune: %s\n", what);
    }
    (void) MPI_Finalize();
    exit(status);
}

void tune_set(const char *name, int value)
{
    tune_variable_t variable;

    if (!tune_variable_open(&variable, name)) {
        tune_refuse("coll/pschedule is not there", 1);
    }
    if (!tune_variable_set(&variable, value)) {
        tune_refuse("the variables of coll/pschedule cannot be set", 1);
    }
    tune_variable_close(&variable);
}

void tune_force(const char *collective, const char *algorithm)
{
    char name[TUNE_WORD + 16];
    tune_variable_t variable;
    int value;

    (void) snprintf(name, sizeof(name), "%s_algorithm", collective);
    if (!tune_variable_open(&variable, name)) {
        tune_refuse("coll/pschedule is not there", 1);
    }
    value = tune_variable_find(&variable, algorithm);
    tune_variable_close(&variable);
    tune_set(name, value < 0 ? 0 : value);
}
