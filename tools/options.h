/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line.
 */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>

typedef struct info_options_t {
    bool json;
    bool bandwidth;
    double seconds; /**< for all of the bandwidth check */
} info_options_t;

/** Read it; --help, --version and what is wrong end the program. Before MPI_Init. */
void info_options_read(int argc, char **argv, info_options_t *options);

#endif /* TOOLS_OPTIONS_H */
