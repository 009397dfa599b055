/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Active messages from peers.
 */
#ifndef PART_UCX_HANDLERS_H
#define PART_UCX_HANDLERS_H

#include "path/part_ucx_path.h"

/** Install the handlers on a new worker. Returns an Open MPI code. */
int mca_part_ucx_handlers_install(mca_part_ucx_path_t *path);

#endif /* PART_UCX_HANDLERS_H */
