/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The life of the component in a process: from the first partitioned request to the end of MPI, and
 * perhaps once more (sessions).
 */
#ifndef PART_UCX_LIFE_H
#define PART_UCX_LIFE_H

#include "channel/part_ucx_channel.h"

#include <stdbool.h>

/** Prepare for requests: paths, helper thread, progress callback, hooks of the end; once. Takes the
 * set-up lock. Returns an Open MPI code. */
int mca_part_ucx_life_begin(void);

/** The same, and have a channel look for its other end. What another thread ends meanwhile, in
 * MPI_Finalize, begins again: the caller is in a session. Returns an Open MPI code. */
int mca_part_ucx_life_wire_up(mca_part_ucx_channel_t *channel);

/** Have paths been asked for, with whatever outcome? */
bool mca_part_ucx_life_has_begun(void);

/** Release everything; after MPI_Finalize. */
void mca_part_ucx_life_end(void);

#endif /* PART_UCX_LIFE_H */
