/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is there anything to gain by our paths between hosts, for programs that have not asked for them?
 */
#ifndef PART_UCX_GAINS_H
#define PART_UCX_GAINS_H

#include <stdbool.h>

/** Does this process have several network paths, and of no slower kind than what Open MPI's own
 * messages take? Looks for devices, once in a process, and makes no path. Takes the set-up lock. */
bool mca_part_ucx_gains(void);

#endif /* PART_UCX_GAINS_H */
