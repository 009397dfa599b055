/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The public headers, for the sources of the functions that they declare: these are visible also in
 * a libmpi that is compiled with -fvisibility=hidden.
 */
#ifndef MPIX_EXPORTED_H
#define MPIX_EXPORTED_H

#pragma GCC visibility push(default)
#include "mpix_partitioned.h"
#pragma GCC visibility pop

#endif /* MPIX_EXPORTED_H */
