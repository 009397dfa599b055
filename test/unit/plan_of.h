/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan of one rank of a collective whose ranks all contribute alike, alone: what programs need
 * that look at more ranks than a simulator could hold the data of. The root is rank 0. Not for
 * neighbours, nor for collectives whose contributions differ.
 */
#ifndef MPIX_UNIT_PLAN_OF_H
#define MPIX_UNIT_PLAN_OF_H

#include "algorithms/coll_pschedule_algorithms.h"

enum { PLAN_ELEMENT = 8 }; /**< bytes of an element of a reduction */

/**
 * The problem of any rank, without its blocks. Hosts are left to the caller.
 *
 * @param cut  what a rank contributes, to each where it contributes to each
 */
mca_coll_pschedule_problem_t plan_problem(mca_coll_pschedule_collective_t collective,
                                          uint32_t size, mca_coll_pschedule_cut_t cut,
                                          uint64_t chunk);

/** The frozen plan of a rank. A row that makes a wrong one ends the program. */
mca_coll_pschedule_plan_t *plan_of(const mca_coll_pschedule_algorithm_t *row,
                                   mca_coll_pschedule_problem_t problem,
                                   mca_coll_pschedule_cut_t cut, uint32_t rank);

/** Memory of a plan and of the engine that runs it. */
uint64_t plan_memory(const mca_coll_pschedule_plan_t *plan);

#endif /* MPIX_UNIT_PLAN_OF_H */
