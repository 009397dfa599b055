/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where components may be.
 */
#ifndef TOOLS_FOLDERS_H
#define TOOLS_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/** Look for a file in the folders of an Open MPI component path ("a:SYSTEM_DEFAULT:b"). */
bool info_folders_find(const char *path, const char *name, char *file, size_t size);

/** Look where this package installs or builds its components. */
bool info_folders_guess(const char *name, char *file, size_t size);

/** The env.sh that belongs to a component's file, if there is one. */
bool info_folders_env(const char *component, char *file, size_t size);

/** The file name without its last so many parts. */
void info_folders_up(char *file, int parts);

/** The library that holds MPI_Init. */
void info_folders_mpi_library(char *file, size_t size);

#endif /* TOOLS_FOLDERS_H */
