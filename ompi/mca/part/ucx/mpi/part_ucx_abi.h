/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is this the Open MPI, and the UCX, that the component was built for?
 */
#ifndef PART_UCX_ABI_H
#define PART_UCX_ABI_H

#include "api/part_ucx_release.h"

#include <stdbool.h>
#include <ucp/api/ucp.h>

/** As in "1.18": what the headers say that the component is compiled with. */
#define PART_UCX_BUILT_UCX PART_UCX_VALUE_OF(UCP_API_MAJOR) "." PART_UCX_VALUE_OF(UCP_API_MINOR)

/** If not, one message says what differs. */
bool mca_part_ucx_abi_matches(void);

#endif /* PART_UCX_ABI_H */
