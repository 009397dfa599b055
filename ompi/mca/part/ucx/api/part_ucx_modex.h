/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does another process have a component? Every process that has it says so through PMIx, with a
 * number, and who needs to know asks. That PMIx does not find it proves nothing where PMIx knows
 * nothing of the process yet: the daemon of this host learns what a process of another one has
 * published when somebody asks for a part of it, which the PML does at the first contact, and this
 * does else. Open MPI calls what processes publish so, and ask for, the modex.
 */
#ifndef PART_UCX_MODEX_H
#define PART_UCX_MODEX_H

#include "ompi_config.h"
#include "opal/util/proc.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum mca_part_ucx_answer_t {
    PART_UCX_ANSWER_PENDING,
    PART_UCX_ANSWER_HAS,
    PART_UCX_ANSWER_LACKS,  /**< for certain: it has said nothing */
    PART_UCX_ANSWER_UNKNOWN /**< PMIx cannot tell */
} mca_part_ucx_answer_t;

typedef struct mca_part_ucx_modex_query_t mca_part_ucx_modex_query_t;

/** This process has what `key` names. False: PMIx does not take it. */
bool mca_part_ucx_modex_put(const char *key, uint64_t number);

/**
 * Ask PMIx whether a process has said so. Returns at once; NULL: no memory.
 *
 * @param local  it is one of this job, on this node: PMIx knows all that it has published
 * @param key    must stay
 */
mca_part_ucx_modex_query_t *mca_part_ucx_modex_ask(const opal_process_name_t *name, bool local,
                                                   const char *key);

/**
 * What has come of it. Never waits; calls it makes to PMIx go on, one after the other.
 *
 * @param[out] number  set if it has: what it has said; 0 from a version of this package that said
 *                     less
 */
mca_part_ucx_answer_t mca_part_ucx_modex_look(mca_part_ucx_modex_query_t *query, uint64_t *number);

/** It is of no interest any more, whether the answer has come or not. */
void mca_part_ucx_modex_drop(mca_part_ucx_modex_query_t *query);

#endif /* PART_UCX_MODEX_H */
