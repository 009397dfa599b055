/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The name under which Open MPI's mpi-ext.h includes this extension in a build inside its tree.
 */

#include "mpix_partitioned.h"
