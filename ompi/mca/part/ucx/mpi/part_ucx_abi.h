/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is this the Open MPI, and the UCX, that the component was built for?
 */
#ifndef PART_UCX_ABI_H
#define PART_UCX_ABI_H

#include <stdbool.h>

/** If not, one message says what differs. */
bool mca_part_ucx_abi_matches(void);

#endif /* PART_UCX_ABI_H */
