/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a relay must know: how the blocks that pass through it are cut. Ranks know that of blocks
 * that they send or get themselves. Where blocks differ, the ranks of a host tell each other what
 * they know: relays are on the host of one end.
 */
#ifndef COLL_PSCHEDULE_RELAY_CUTS_H
#define COLL_PSCHEDULE_RELAY_CUTS_H

#include "plan/coll_pschedule_problem.h"

#include "mpi.h"

/**
 * Fill in problem->relay_cuts of an alltoall(v, w); to be freed. Collective.
 *
 * @return an MPI error class, the same on all ranks whether there is one
 */
int mca_coll_pschedule_relay_cuts_exchange(MPI_Comm comm, mca_coll_pschedule_problem_t *problem);

#endif /* COLL_PSCHEDULE_RELAY_CUTS_H */
