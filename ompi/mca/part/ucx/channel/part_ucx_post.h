/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of a unit with several segments: what leaves, and when a partly filled one does not wait any
 * longer. One of a single segment just leaves: mca_part_ucx_delivery_post_unit(). Everything here
 * runs under the lock of the unit's path.
 */
#ifndef PART_UCX_POST_H
#define PART_UCX_POST_H

#include "channel/part_ucx_send.h"

/** Post of a unit what is marked and not sent. Work of a path (see mca_part_ucx_work_t). */
bool mca_part_ucx_post_unit(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work);

/** Put a send into the path's list of those with partly filled units. Work of a path. */
bool mca_part_ucx_post_partial(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work);

/** Post what has waited too long in partly filled units of a path. Returns the number of events. */
int mca_part_ucx_post_release(mca_part_ucx_path_t *path);

#endif /* PART_UCX_POST_H */
