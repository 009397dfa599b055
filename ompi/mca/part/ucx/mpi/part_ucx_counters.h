/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters per path: MPI_T performance variables, and a summary at the end.
 */
#ifndef PART_UCX_COUNTERS_H
#define PART_UCX_COUNTERS_H

#include "ompi_config.h"
#include "opal/mca/base/mca_base_component_repository.h"

void mca_part_ucx_counters_register(const mca_base_component_t *component);

/** Print one line per path, when part_ucx_verbose is 1 or more. */
void mca_part_ucx_counters_summary(void);

#endif /* PART_UCX_COUNTERS_H */
