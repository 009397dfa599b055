/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of the stress programs: --name value, all of them numbers or words.
 */

#ifndef MPIX_TEST_OPTIONS_H
#define MPIX_TEST_OPTIONS_H

#include <stdbool.h>

typedef struct mt_option {
    const char *name; /* without the dashes */
    const char *help;
    double value; /* default, then what was given; a flag: 0 or 1 */
    bool flag;    /* takes no value */
} mt_option_t;

/* Reads the options; --help and unknown ones print the list and end the program (before
 * MPI_Init). The table ends with a NULL name. */
void mt_options_read(mt_option_t *options, int argc, char **argv);

double mt_option(const mt_option_t *options, const char *name);

#endif
