/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Cross memory attach: a process writes into the memory of a process on its host, by one system
 * call (Linux's cross memory attach). The receiver need not take part, so both can copy at the same
 * time, one unit each. Whether the system allows it is found out once per peer, by reading a number
 * that the peer has told: containers may hide processes from each other, give the same process id
 * to several, or forbid the call.
 */
#ifndef PART_UCX_CMA_H
#define PART_UCX_CMA_H

#include "path/part_ucx_business_card.h"

#include <stdbool.h>
#include <stdint.h>

/** Fill in how others can find this process's memory. */
void mca_part_ucx_cma_describe(mca_part_ucx_wire_peer_t *self);

/** The process id to write with, when the peer's memory can be reached from here; else 0. */
int32_t mca_part_ucx_cma_reach(const mca_part_ucx_wire_peer_t *peer);

/**
 * Copy `length` bytes from here to address `target` of another process (or of this one). When it
 * returns true they are there. False: the system refused; any part of them may be there.
 */
bool mca_part_ucx_cma_write(int32_t process, uint64_t target, const void *source, uint64_t length);

/** Copy `length` bytes from address `source` of another process; false: the system refused. */
bool mca_part_ucx_cma_read(int32_t process, uint64_t source, void *target, uint64_t length);

/**
 * Can others read these bytes by a system call? What can only be loaded, such as memory of a device
 * that is mapped into this process, they cannot. The ends stand for what is between them. Under the
 * set-up lock.
 */
bool mca_part_ucx_cma_can_be_read(const void *address, uint64_t length);

#endif /* PART_UCX_CMA_H */
