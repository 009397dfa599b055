/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MCA variables of the component are visible through MPI_T, typed, and have the values that
 * mpirun was given (see testlist). Which there are is asked of MPI_T; jobs.sh lays those that
 * ompi_info lists beside docs/tuning.md.
 */

#include "../support/mpitest.h"

#include <string.h>

#define PREFIX "part_ucx_"

/* What the component's variables can be; MPI_T has no type for size_t, so any of its width. */
static bool is_known(MPI_Datatype type)
{
    return MPI_INT == type || MPI_CHAR == type || MPI_UNSIGNED_LONG_LONG == type
           || MPI_UNSIGNED_LONG == type;
}

/* Open MPI adds three to those of every component: major_version and the like. */
static bool is_version(const char *name)
{
    static const char tail[] = "_version";
    size_t length = strlen(name);

    return length >= sizeof(tail) && 0 == strcmp(name + length - (sizeof(tail) - 1), tail);
}

/* Looks at a variable; false: it is none of the component's. */
static bool look(int index)
{
    char name[256];
    char description[1024];
    int name_length = sizeof(name);
    int description_length = sizeof(description);
    int verbosity;
    int bind;
    int scope = -1;
    int found = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum choices;

    if (MPI_SUCCESS
            != MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &choices,
                                   description, &description_length, &bind, &scope)
        || 0 != strncmp(name, PREFIX, strlen(PREFIX)) || is_version(name)) {
        return false;
    }
    mt_check(is_known(type), "%s has another type", name);
    mt_check(description_length > 20, "%s has no description to speak of: %s", name, description);
    mt_check(MPI_T_SCOPE_READONLY == scope, "%s has scope %d", name, scope);
    mt_check(MPI_SUCCESS == MPI_T_cvar_get_index(name, &found) && found == index,
             "%s is not found by its name", name);
    return true;
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
    int all = 0;
    int ours = 0;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&all);
    for (int i = 0; i < all; i++) {
        ours += look(i) ? 1 : 0;
    }
    mt_check(ours > 0, "there is none");
    mt_result("all variables exist, typed and described");
    mt_check(2048 == value_of("part_ucx_unit_min"), "part_ucx_unit_min is %llu",
             value_of("part_ucx_unit_min"));
    mt_check(131072 == value_of("part_ucx_window"), "part_ucx_window is %llu",
             value_of("part_ucx_window"));
    mt_result("they have the values given to mpirun");
    MPI_T_finalize();
    return mt_end();
}
