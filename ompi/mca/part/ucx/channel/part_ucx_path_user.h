/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Channels as the user of the paths: what they do on a path when UCX has made progress, and when
 * queued work has been posted.
 */
#ifndef PART_UCX_PATH_USER_H
#define PART_UCX_PATH_USER_H

#include "path/part_ucx_path.h"

/** For mca_part_ucx_paths_create(). */
extern const mca_part_ucx_path_user_t mca_part_ucx_channels_on_path;

#endif /* PART_UCX_PATH_USER_H */
