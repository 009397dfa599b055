/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MCA variables through MPI_T (see tune_variable.h).
 */
#include "tune_variable.h"

#include "common/machine.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 128 };

static int find(const char *name)
{
    char whole[NAME];
    int index = -1;

    (void) snprintf(whole, sizeof(whole), "coll_pschedule_%s", name);
    return MPI_SUCCESS == MPI_T_cvar_get_index(whole, &index) ? index : -1;
}

static void describe(int index, MPI_Datatype *type, MPI_T_enum *words)
{
    char name[NAME], text[1];
    int length = NAME, room = 1, verbosity, bind, scope;

    *words = MPI_T_ENUM_NULL;
    (void) MPI_T_cvar_get_info(index, name, &length, &verbosity, type, words, text, &room, &bind,
                               &scope);
}

bool tune_variable_open(tune_variable_t *variable, const char *name)
{
    int index = find(name), count;
    MPI_Datatype type;

    if (index < 0) {
        return false;
    }
    describe(index, &type, &variable->words);
    return MPI_SUCCESS == MPI_T_cvar_handle_alloc(index, NULL, &variable->handle, &count);
}

void tune_variable_close(tune_variable_t *variable)
{
    (void) MPI_T_cvar_handle_free(&variable->handle);
}

bool tune_variable_set(tune_variable_t *variable, int value)
{
    return MPI_SUCCESS == MPI_T_cvar_write(variable->handle, &value);
}

int tune_variable_words(const tune_variable_t *variable)
{
    char name[NAME];
    int count = 0, length = NAME;

    if (MPI_T_ENUM_NULL != variable->words) {
        (void) MPI_T_enum_get_info(variable->words, &count, name, &length);
    }
    return count;
}

void tune_variable_word(const tune_variable_t *variable, int index, char *word, size_t size,
                        int *value)
{
    int length = (int) size;

    (void) MPI_T_enum_get_item(variable->words, index, value, word, &length);
}

int tune_variable_find(const tune_variable_t *variable, const char *word)
{
    for (int i = 0; i < tune_variable_words(variable); ++i) {
        char name[NAME];
        int value;

        tune_variable_word(variable, i, name, sizeof(name), &value);
        if (0 == strcmp(name, word)) {
            return value;
        }
    }
    return -1;
}

void tune_variable_text(const char *name, char *text, size_t size)
{
    char whole[NAME];

    text[0] = '\0';
    (void) snprintf(whole, sizeof(whole), "coll_pschedule_%s", name);
    (void) bench_cvar_text(whole, text, size);
}
