/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MCA variables: registration, and the check of what the user has set.
 */
#ifndef PART_UCX_VARIABLES_H
#define PART_UCX_VARIABLES_H

#include "ompi_config.h"
#include "opal/mca/base/mca_base_component_repository.h"

/** Register all; their values go to mca_part_ucx_params. Returns an Open MPI code. */
int mca_part_ucx_variables_register(const mca_base_component_t *component);

/** Are they in range, and do they agree with each other? The user is told. Open MPI code. */
int mca_part_ucx_variables_check(void);

#endif /* PART_UCX_VARIABLES_H */
