/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MCA variables of the component are visible through MPI_T, typed, and have the values that
 * mpirun was given (see testlist).
 */

#include "../support/mpitest.h"

#include <string.h>

typedef enum { INTEGER, SIZE, TEXT } kind_t;

static const struct {
    const char *name;
    kind_t kind;
} variables[] = {
    {"part_ucx_devices", TEXT},
    {"part_ucx_transports", TEXT},
    {"part_ucx_paths", INTEGER},
    {"part_ucx_paths_per_device", INTEGER},
    {"part_ucx_delivery", INTEGER},
    {"part_ucx_message_limit", SIZE},
    {"part_ucx_unit_min", SIZE},
    {"part_ucx_unit_max", SIZE},
    {"part_ucx_stripe_min", SIZE},
    {"part_ucx_window", SIZE},
    {"part_ucx_staging_limit", SIZE},
    {"part_ucx_async", INTEGER},
    {"part_ucx_zero_partitions", INTEGER},
    {"part_ucx_verbose", INTEGER},
    {"part_ucx_priority", INTEGER},
};

static MPI_Datatype type_of(kind_t kind, MPI_Datatype type)
{
    switch (kind) {
    case INTEGER:
        return MPI_INT;
    case TEXT:
        return MPI_CHAR;
    default: /* MPI_T has no type for size_t: any of its width */
        return MPI_UNSIGNED_LONG_LONG == type ? MPI_UNSIGNED_LONG_LONG : MPI_UNSIGNED_LONG;
    }
}

static void look(const char *name, kind_t kind)
{
    int index = -1;
    char text[64];
    char description[1024];
    int text_length = sizeof(text);
    int description_length = sizeof(description);
    int verbosity;
    int bind;
    int scope;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum choices;

    if (!mt_check(MPI_SUCCESS == MPI_T_cvar_get_index(name, &index), "%s does not exist", name)) {
        return;
    }
    mt_success(MPI_T_cvar_get_info(index, text, &text_length, &verbosity, &type, &choices,
                                   description, &description_length, &bind, &scope),
               "MPI_T_cvar_get_info");
    mt_check(type == type_of(kind, type), "%s has another type", name);
    mt_check(description_length > 20, "%s has no description to speak of: %s", name, description);
}

/* The value of a variable that holds a number. */
static unsigned long long value_of(const char *name)
{
    int index = -1;
    int count = 0;
    unsigned long long value = 0;
    MPI_T_cvar_handle handle;

    if (MPI_SUCCESS != MPI_T_cvar_get_index(name, &index)) {
        return 0;
    }
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    mt_success(MPI_T_cvar_read(handle, &value), "MPI_T_cvar_read");
    MPI_T_cvar_handle_free(&handle);
    return value;
}

int main(int argc, char **argv)
{
    int provided = 0;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        look(variables[i].name, variables[i].kind);
    }
    mt_result("all variables exist, typed and described");
    mt_check(2048 == value_of("part_ucx_unit_min"), "part_ucx_unit_min is %llu",
             value_of("part_ucx_unit_min"));
    mt_check(131072 == value_of("part_ucx_window"), "part_ucx_window is %llu",
             value_of("part_ucx_window"));
    mt_result("they have the values given to mpirun");
    MPI_T_finalize();
    return mt_end();
}
