/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Datatypes of every shape with one signature: six ints per element, whatever the extent.
 */

#ifndef MPIX_TEST_TYPES_H
#define MPIX_TEST_TYPES_H

#include <mpi.h>

#define MT_TYPES 9

typedef struct mt_named_type {
    const char *name;
    MPI_Datatype type;
} mt_named_type_t;

void mt_types_make(mt_named_type_t types[MT_TYPES]);
void mt_types_free(mt_named_type_t types[MT_TYPES]);

#endif
