/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The states of one end of a channel, from its making to its end. Pure.
 *
 * The table in part_ucx_state.c says what leads from where to where; docs/protocol.md section 5
 * shows the same table and says why. What is not in the table changes nothing.
 */
#ifndef PART_UCX_STATE_H
#define PART_UCX_STATE_H

typedef enum mca_part_ucx_state_t {
    PART_UCX_OPEN,       /**< waits for its other end */
    PART_UCX_MISMATCHED, /**< has met an end of another size: an error once both are started, but
                          * one of them may yet be freed unstarted */
    PART_UCX_MATCHED,    /**< the map is known, data can flow */
    PART_UCX_LEAVING,    /**< has failed: waits until its own operations are over */
    PART_UCX_LEFT,       /**< has said END; the other end may still write here */
    PART_UCX_ORPHANED,   /**< the other end's process has died */
    PART_UCX_FAILED      /**< has failed, and no other end knows of it */
} mca_part_ucx_state_t;

typedef enum mca_part_ucx_change_t {
    PART_UCX_ON_MATCH,    /**< set-up has succeeded */
    PART_UCX_ON_MISMATCH, /**< the other end is of another size */
    PART_UCX_ON_WITHDRAW, /**< the other end was freed before it was ever started */
    PART_UCX_ON_FAILURE,  /**< of an operation, of set-up, of the other end; or revocation */
    PART_UCX_ON_TOLD,     /**< the other end has been told */
    PART_UCX_ON_DEATH     /**< of the other end's process */
} mca_part_ucx_change_t;

/** The state that a change leads to; the same one if it changes nothing. */
mca_part_ucx_state_t mca_part_ucx_state_next(mca_part_ucx_state_t state,
                                             mca_part_ucx_change_t change);

/** Does it wait for its other end? */
static inline int mca_part_ucx_state_is_unmatched(mca_part_ucx_state_t state)
{
    return PART_UCX_OPEN == state || PART_UCX_MISMATCHED == state;
}

/** Has it come to its end? Nothing leaves any more, what arrives is dropped. */
static inline int mca_part_ucx_state_is_end(mca_part_ucx_state_t state)
{
    return state >= PART_UCX_LEAVING;
}

#endif /* PART_UCX_STATE_H */
