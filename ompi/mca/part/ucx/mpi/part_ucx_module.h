/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The module: what Open MPI's part framework calls. Arguments are checked here, and errors go to
 * the error handler of the communicator.
 */
#ifndef PART_UCX_MODULE_H
#define PART_UCX_MODULE_H

#include "ompi_config.h"
#include "ompi/mca/part/part.h"

extern mca_part_base_module_t mca_part_ucx_module;

#endif /* PART_UCX_MODULE_H */
