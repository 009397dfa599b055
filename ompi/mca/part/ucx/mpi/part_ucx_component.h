/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component's structure, which Open MPI and coll/pschedule look for.
 */
#ifndef PART_UCX_COMPONENT_H
#define PART_UCX_COMPONENT_H

#include "ompi_config.h"

struct mca_part_ucx_component_t;
OMPI_DECLSPEC extern struct mca_part_ucx_component_t mca_part_ucx_component;

#endif /* PART_UCX_COMPONENT_H */
