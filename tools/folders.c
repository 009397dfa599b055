/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where components may be (see folders.h).
 */
#include "folders.h"

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"

void info_folders_up(char *file, int parts)
{
    for (int i = 0; i < parts; ++i) {
        char *slash = strrchr(file, '/');

        if (NULL != slash) {
            *slash = '\0';
        }
    }
}

static bool is_in(const char *folder, const char *name, char *file, size_t size)
{
    char candidate[PATH_MAX];

    if ((size_t) snprintf(candidate, sizeof(candidate), "%s/%s", folder, name)
            >= sizeof(candidate)
        || 0 != access(candidate, F_OK)) {
        return false;
    }
    info_copy(file, size, candidate);
    return true;
}

void info_folders_mpi_library(char *file, size_t size)
{
    Dl_info info;

    file[0] = '\0';
    if (0 != dladdr((void *) (uintptr_t) MPI_Init, &info)) {
        info_copy(file, size, info.dli_fname);
    }
}

/* Beside the library, as this Open MPI is configured, or as the one that this was built for. */
static bool is_in_system_folder(const char *name, char *file, size_t size)
{
    char folder[PATH_MAX];

    info_folders_mpi_library(folder, sizeof(folder));
    info_folders_up(folder, 1);
    info_append(folder, sizeof(folder), "/openmpi");
    return is_in(folder, name, file, size) || is_in(INFO_OMPI_PKGLIBDIR, name, file, size);
}

static bool is_in_user_folder(const char *name, char *file, size_t size)
{
    const char *home = getenv("HOME");
    char folder[PATH_MAX];

    snprintf(folder, sizeof(folder), "%s/.openmpi/components", NULL == home ? "" : home);
    return is_in(folder, name, file, size);
}

bool info_folders_find(const char *path, const char *name, char *file, size_t size)
{
    char *copy = strdup(path);
    bool found = false;
    char *rest = copy;

    for (char *folder = strtok_r(copy, ":", &rest); NULL != folder && !found;
         folder = strtok_r(NULL, ":", &rest)) {
        if (0 == strcmp(folder, "SYSTEM_DEFAULT") || 0 == strcmp(folder, "SYS_DEFAULT")) {
            found = is_in_system_folder(name, file, size);
        } else if (0 == strcmp(folder, "USER_DEFAULT") || 0 == strcmp(folder, "USR_DEFAULT")) {
            found = is_in_user_folder(name, file, size);
        } else {
            found = is_in(folder, name, file, size);
        }
    }
    free(copy);
    return found;
}

/* This program runs in a build tree, in tools/ or tools/.libs/. */
static bool is_in_build_tree(const char *name, char *file, size_t size)
{
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

    if (length <= 0) {
        return false;
    }
    folder[length] = '\0';
    for (int up = 2; up <= 3; ++up) {
        char build[PATH_MAX];

        info_copy(build, sizeof(build), folder);
        info_folders_up(build, up);
        info_append(build, sizeof(build), "/openmpi");
        if (is_in(build, name, file, size)) {
            return true;
        }
    }
    return false;
}

bool info_folders_env(const char *component, char *file, size_t size)
{
    char folder[PATH_MAX];

    info_copy(folder, sizeof(folder), component);
    info_folders_up(folder, 2);
    if (is_in(folder, "env.sh", file, size)) {
        return true; /* a build tree */
    }
    info_copy(folder, sizeof(folder), INFO_ENV_FILE);
    info_folders_up(folder, 1);
    return is_in(folder, "env.sh", file, size);
}

bool info_folders_guess(const char *name, char *file, size_t size)
{
    return is_in_build_tree(name, file, size) || is_in(INFO_COMPONENT_DIR, name, file, size)
           || is_in_user_folder(name, file, size) || is_in_system_folder(name, file, size);
}
