/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes of a communicator have this component, and serve MPI's persistent collectives
 * with the same settings? To be known before the first agreement on it: a process that does not
 * never enters it, and the others would wait for ever.
 */
#ifndef COLL_PSCHEDULE_PEERS_H
#define COLL_PSCHEDULE_PEERS_H

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"

#include <stdbool.h>
#include <stdint.h>

/** What is known of the processes of a communicator. All ranks that have the component find the
 * same. */
typedef struct mca_coll_pschedule_peers_t {
    bool known;     /**< all that follows is, and stays */
    int stranger;   /**< the first rank without this component, or with another version; -1: none */
    bool serve;     /**< all serve persistent collectives, with the same settings */
    long unanswered; /**< not known: the process (PMIx rank) of which PMIx has not told */
} mca_coll_pschedule_peers_t;

/**
 * This process has the component. Before processes exchange what they have published.
 *
 * @param serves  a number of what decides which persistent collectives it serves; 0: it serves none
 * If PMIx does not take it, the others do not come, and this process finds itself a stranger.
 */
void mca_coll_pschedule_peers_announce(uint32_t serves);

/**
 * Ask about those processes that have not been asked about yet; once, unless PMIx does not answer.
 * Those of other jobs cannot be asked: they are taken to have the component, and not to serve.
 */
void mca_coll_pschedule_peers_ask(ompi_communicator_t *comm, mca_coll_pschedule_peers_t *peers);

#endif /* COLL_PSCHEDULE_PEERS_H */
