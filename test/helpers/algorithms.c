/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of mpirun that force every row of the table of algorithms once: a line with the first
 * algorithm of every collective, a line with the second of those that have one, and so on. For
 * launch.sh, which runs programs with each line.
 */

#include <mpi.h>

#include <stdio.h>
#include <string.h>

#define LENGTH 256

static int has_ending(const char *text, const char *ending)
{
    size_t length = strlen(text);
    size_t tail = strlen(ending);

    return length >= tail && 0 == strcmp(text + length - tail, ending);
}

/* The enumeration of a variable of the component's; MPI_T_ENUM_NULL: it is another variable. */
static MPI_T_enum enumeration_of(int variable, char *name)
{
    int length = LENGTH;
    char text[1];
    int room = (int) sizeof(text);
    int verbosity;
    int bind;
    int scope;
    MPI_Datatype type;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;

    if (MPI_SUCCESS
            != MPI_T_cvar_get_info(variable, name, &length, &verbosity, &type, &enumeration, text,
                                   &room, &bind, &scope)
        || 0 != strncmp(name, "coll_pschedule_", strlen("coll_pschedule_"))
        || !has_ending(name, "_algorithm")) {
        return MPI_T_ENUM_NULL;
    }
    return enumeration;
}

/* The option for the number-th algorithm of a collective; the first value is "auto". */
static int print_option(int variable, int number)
{
    char name[LENGTH];
    char value[LENGTH];
    int length = LENGTH;
    int values = 0;
    int code = 0;
    MPI_T_enum enumeration = enumeration_of(variable, name);

    if (MPI_T_ENUM_NULL == enumeration) {
        return 0;
    }
    MPI_T_enum_get_info(enumeration, &values, value, &length);
    if (number >= values) {
        return 0;
    }
    length = LENGTH;
    MPI_T_enum_get_item(enumeration, number, &code, value, &length);
    printf(" --mca %s %s", name, value);
    return 1;
}

int main(void)
{
    int provided;
    int variables = 0;
    int printed = 1;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&variables);
    for (int number = 1; printed > 0; number++) {
        printed = 0;
        for (int i = 0; i < variables; i++) {
            printed += print_option(i, number);
        }
        printf("%s", printed > 0 ? "\n" : "");
    }
    MPI_T_finalize();
    return 0;
}
