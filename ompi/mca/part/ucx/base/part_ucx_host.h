/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which host this process is on, by what the kernel says. Two processes that compare what each has
 * found come to the same result, whoever has started them.
 */
#ifndef PART_UCX_HOST_H
#define PART_UCX_HOST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mca_part_ucx_host_t {
    /** Processes with the same number can share memory and write to each other's: same boot of the
     * same machine, same host name, same namespaces of IPC, processes and users, same /dev/shm. So
     * containers that keep these apart count as hosts of their own. */
    uint64_t memory;
    /** Processes with the same number see the same network interfaces: an address of one is an
     * address of the other. */
    uint64_t network;
} mca_part_ucx_host_t;

/** This process's host. Looks each time; never fails: what cannot be found out is left out. */
mca_part_ucx_host_t mca_part_ucx_host(void);

/** The same, found out once: as other processes are told it. Under the set-up lock. */
const mca_part_ucx_host_t *mca_part_ucx_host_ours(void);

/**
 * Is this process in the same place as those that started it, as far as can be seen, and so, it may
 * be taken, as the others that they have started here? False: it may have been put into a container
 * of its own, where its memory is not theirs.
 */
bool mca_part_ucx_host_is_parents(void);

#endif /* PART_UCX_HOST_H */
