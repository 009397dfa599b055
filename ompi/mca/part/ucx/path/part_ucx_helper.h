/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Asynchronous progress: partitions that were marked early must travel while the application
 * computes. Every network known needs a processor for that (TCP and shared memory to move bytes,
 * RDMA to flush and to put flags), so a helper thread progresses the paths. It is made with them,
 * sleeps on the workers' event descriptors, keeps out of the way while an application thread makes
 * progress, and touches nothing but paths: requests are completed, and set-up is done, by threads
 * of the application.
 */
#ifndef PART_UCX_HELPER_H
#define PART_UCX_HELPER_H

#include "path/part_ucx_path.h"

#include <stdbool.h>

/** Is the helper thread to progress the paths (part_ucx_async)? All of them: with RDMA, too,
 * somebody must flush, put the flags and refill the window. */
bool mca_part_ucx_helper_wanted(void);

/** Start the helper if the paths were made for it. Under the set-up lock. Without it everything
 * goes on, inside MPI calls. */
void mca_part_ucx_helper_start(void);

/** A path has been opened: it wakes the thread, too, if that runs. Under the set-up lock. */
void mca_part_ucx_helper_add(const mca_part_ucx_path_t *path);

/** Stop it and wait for its end. Threads of a session may still be about to wake it: what they
 * write to stays open. */
void mca_part_ucx_helper_stop(void);

/** It will not be started any more. */
void mca_part_ucx_helper_close(void);

/** A request was started, or a partition marked: a helper that sleeps for long looks sooner. */
void mca_part_ucx_helper_wake(void);

/** Wake the helper, if it waits for the network, for tasks that the caller leaves behind. */
void mca_part_ucx_helper_wake_for_work(void);

/** Does it sleep until UCX has an event, or is it about to? Under the lock of a path that has
 * events: if not, it looks at that path once more before it sleeps. */
bool mca_part_ucx_helper_watches(void);

/** The caller found nothing to do: if the helper holds a path's lock, let it have the processor. */
void mca_part_ucx_helper_make_way(void);

#endif /* PART_UCX_HELPER_H */
