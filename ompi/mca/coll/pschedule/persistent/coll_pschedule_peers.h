/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Do all processes of a communicator serve persistent collectives, with the same settings? To be
 * known before the first agreement on it: a process that does not never enters it, and the others
 * would wait for ever.
 */
#ifndef COLL_PSCHEDULE_PEERS_H
#define COLL_PSCHEDULE_PEERS_H

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"

#include <stdbool.h>

/** This process does, with this priority of the component. Before processes exchange what they have
 * published. */
void mca_coll_pschedule_peers_announce(int priority);

/**
 * Ask about those processes that have not been asked about yet. Every process of the communicator
 * that serves gets the same answer. A communicator with processes of several jobs does not.
 *
 * @param[out] all  valid on success
 * @return an MPI error class; MPI_ERR_OTHER when there is no answer, which the user is told
 */
int mca_coll_pschedule_peers_ask(ompi_communicator_t *comm, bool *all);

#endif /* COLL_PSCHEDULE_PEERS_H */
