/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads file-local integers of a loaded shared library.
 */
#ifndef BENCH_SYMBOL_H
#define BENCH_SYMBOL_H

#include <stdbool.h>

/*
 * The value of the int (or size_t below 2^31) object called name, static or not, in the loaded
 * library whose file name contains library. False when the library is not loaded or its symbol
 * table was stripped.
 */
bool bench_symbol_int(const char *library, const char *name, int *value);

#endif
