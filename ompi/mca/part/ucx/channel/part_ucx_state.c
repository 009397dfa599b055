/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The states of one end of a channel (see part_ucx_state.h).
 */
#include "channel/part_ucx_state.h"

typedef struct transition_t {
    mca_part_ucx_state_t from;
    mca_part_ucx_change_t on;
    mca_part_ucx_state_t to;
} transition_t;

/* docs/check.sh compares these rows with docs/protocol.md. */
static const transition_t transitions[] = {
    {PART_UCX_OPEN, PART_UCX_ON_MATCH, PART_UCX_MATCHED},
    {PART_UCX_OPEN, PART_UCX_ON_MISMATCH, PART_UCX_MISMATCHED},
    {PART_UCX_OPEN, PART_UCX_ON_FAILURE, PART_UCX_FAILED},
    {PART_UCX_OPEN, PART_UCX_ON_DEATH, PART_UCX_ORPHANED},
    {PART_UCX_MISMATCHED, PART_UCX_ON_MATCH, PART_UCX_MATCHED},
    {PART_UCX_MISMATCHED, PART_UCX_ON_WITHDRAW, PART_UCX_OPEN},
    {PART_UCX_MISMATCHED, PART_UCX_ON_FAILURE, PART_UCX_FAILED},
    {PART_UCX_MISMATCHED, PART_UCX_ON_DEATH, PART_UCX_ORPHANED},
    {PART_UCX_MATCHED, PART_UCX_ON_MISMATCH, PART_UCX_MISMATCHED},
    {PART_UCX_MATCHED, PART_UCX_ON_WITHDRAW, PART_UCX_OPEN},
    {PART_UCX_MATCHED, PART_UCX_ON_FAILURE, PART_UCX_LEAVING},
    {PART_UCX_MATCHED, PART_UCX_ON_DEATH, PART_UCX_ORPHANED},
    {PART_UCX_LEAVING, PART_UCX_ON_TOLD, PART_UCX_LEFT},
    {PART_UCX_LEAVING, PART_UCX_ON_DEATH, PART_UCX_ORPHANED},
    {PART_UCX_LEFT, PART_UCX_ON_DEATH, PART_UCX_ORPHANED},
};

mca_part_ucx_state_t mca_part_ucx_state_next(mca_part_ucx_state_t state,
                                             mca_part_ucx_change_t change)
{
    for (unsigned i = 0; i < sizeof(transitions) / sizeof(transitions[0]); ++i) {
        if (state == transitions[i].from && change == transitions[i].on) {
            return transitions[i].to;
        }
    }
    return state;
}
