/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's progress callback: paths, deferred work, set-up messages, completions.
 */
#ifndef PART_UCX_PROGRESS_H
#define PART_UCX_PROGRESS_H

/** Make progress; returns the number of things that happened. Threads of the application. */
int mca_part_ucx_progress(void);

#endif /* PART_UCX_PROGRESS_H */
