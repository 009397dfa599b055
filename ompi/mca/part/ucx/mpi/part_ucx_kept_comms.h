/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators that stay until MPI ends, even if the program has freed them:
 *
 *   of a failed persistent collective   until 5.0.9 a completion call frees the request, and then
 *                                       raises its error on the communicator
 *   of a schedule that cannot end       coll/libnbc goes on looking at it
 *
 * They are given back right before Open MPI looks for communicators that are left. Those it would
 * release one by one, and with them those that coll/han has made of them, which that frees once
 * more.
 */
#ifndef PART_UCX_KEPT_COMMS_H
#define PART_UCX_KEPT_COMMS_H

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"

/** This one stays. Any number of times; on error paths only. */
void mca_part_ucx_kept_comms_add(ompi_communicator_t *comm);

/** All of MPI ends. */
void mca_part_ucx_kept_comms_release(void);

#endif /* PART_UCX_KEPT_COMMS_H */
