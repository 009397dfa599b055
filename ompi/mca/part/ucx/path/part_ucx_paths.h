/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of this process: network paths first, then shared memory, with other processes of this
 * job and with those of other jobs.
 */
#ifndef PART_UCX_PATHS_H
#define PART_UCX_PATHS_H

#include "path/part_ucx_devices.h"
#include "path/part_ucx_path.h"

#include <pthread.h>

typedef struct mca_part_ucx_paths_t {
    pthread_mutex_t existence;   /**< held while they are made known, or destroyed: for who reads
                                  * them from outside of MPI's calls on requests */
    int count;                   /**< constant once they have been made */
    int network;                 /**< the first so many are network paths */
    int fast;                    /**< of these, so many are not slow beside others */
    mca_part_ucx_path_t *path;   /**< some may never be open (part_ucx_network.h) */
    mca_part_ucx_path_t *shared; /**< the path of shared memory, which is open; or NULL */
    mca_part_ucx_path_t *guests; /**< the same with other jobs, open or not; or NULL */
    bool network_asked;          /**< the network paths were to be opened; under the set-up lock */
    int network_outcome;         /**< and what has come of it */
} mca_part_ucx_paths_t;

extern mca_part_ucx_paths_t mca_part_ucx_paths;

/** What the user wants: the MCA variables, or UCX's where those are empty. */
typedef struct mca_part_ucx_wish_t {
    const char *devices;
    bool all; /**< of these; else some may be missing */
    const char *transports;
} mca_part_ucx_wish_t;

mca_part_ucx_wish_t mca_part_ucx_paths_wish(void);

/** Number of network paths that the variables give, on devices found. `tell`: let the user know if
 * that is fewer than they ask for. */
int mca_part_ucx_paths_number(const mca_part_ucx_devices_t *devices, bool tell);

/** Look for the devices that paths are, or would be, made of. What is wrong with them is told when
 * paths are made. `devices->list` is to be freed. */
void mca_part_ucx_paths_search(mca_part_ucx_devices_t *devices);

/** Number of network paths, not slow beside others, if they were made now, and whether all are TCP.
 * Makes none; looks for devices, which takes milliseconds. */
int mca_part_ucx_paths_foresee(bool *tcp);

/** Make the paths that devices and variables allow, and open that of shared memory. Returns an Open
 * MPI code; the user has been told. */
int mca_part_ucx_paths_create(const mca_part_ucx_path_user_t *user);

/** Destroy all paths; nothing may be in flight. */
void mca_part_ucx_paths_destroy(void);

/** Drive the paths that have work in their queues. Never waits. */
void mca_part_ucx_paths_drive_pushed(void);

/**
 * The same as mca_part_ucx_path_drive() for the paths in use. Now and then also for the others: a
 * peer may be connecting to one of them, but asking an idle TCP path for news costs a system call.
 */
int mca_part_ucx_paths_drive(bool waiting);

/**
 * Wait until everything posted on all paths has reached the peers, at most `seconds`.
 *
 * @return whether it has
 */
bool mca_part_ucx_paths_quiet(double seconds);

#endif /* PART_UCX_PATHS_H */
