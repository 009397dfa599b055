/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The making of the memory that a plan works on (mca_coll_pschedule_buffers_t).
 */
#ifndef COLL_PSCHEDULE_BUFFER_H
#define COLL_PSCHEDULE_BUFFER_H

#include "call/coll_pschedule_arguments.h"
#include "call/coll_pschedule_resolve.h"

/**
 * Decide where the blocks of a call lie for its plan: in the user's buffers, or in shadows.
 *
 * @param[in]  arguments  checked
 * @param[out] buffers    to be released in any case
 * @param[out] send,recv  `offset` of every block is set
 * @return an MPI error class
 */
int mca_coll_pschedule_buffers_make(const mca_coll_pschedule_arguments_t *arguments,
                                    mca_coll_pschedule_buffers_t *buffers,
                                    mca_coll_pschedule_block_t *send,
                                    mca_coll_pschedule_block_t *recv);

#endif /* COLL_PSCHEDULE_BUFFER_H */
