/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MCA variables of coll/pschedule, which this process may change between requests (MPI_T).
 */
#ifndef TOOLS_TUNE_VARIABLE_H
#define TOOLS_TUNE_VARIABLE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** A variable that is a number, or a word that has one. */
typedef struct tune_variable_t {
    MPI_T_cvar_handle handle;
    MPI_T_enum words;
} tune_variable_t;

/** Open coll_pschedule_NAME; false when there is no such variable that may be set. */
bool tune_variable_open(tune_variable_t *variable, const char *name);
void tune_variable_close(tune_variable_t *variable);

bool tune_variable_set(tune_variable_t *variable, int value);

/** How many words it knows, and one of them with its number. */
int tune_variable_words(const tune_variable_t *variable);
void tune_variable_word(const tune_variable_t *variable, int index, char *word, size_t size,
                        int *value);

/** The number of a word, or -1. */
int tune_variable_find(const tune_variable_t *variable, const char *word);

/** The value of coll_pschedule_NAME as text, or its word; empty when there is no such variable. */
void tune_variable_text(const char *name, char *text, size_t size);

#endif /* TOOLS_TUNE_VARIABLE_H */
