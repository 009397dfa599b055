/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A persistent collective of MPI that is served here: what the program holds and starts. It stands
 * before the request of a partitioned collective, which nobody else sees: MPI_Start starts that
 * one and marks all of it ready, and its end is the end of this one. While it is tried which way is
 * faster, some rounds are its rival's.
 *
 * Open MPI's Fortran bindings and its functions that retain what a collective uses take requests
 * of this kind for ompi_coll_base_nbc_request_t. They retain nothing of persistent ones. What is
 * used is kept by the partitioned request.
 */
#ifndef COLL_PSCHEDULE_FRONT_REQUEST_H
#define COLL_PSCHEDULE_FRONT_REQUEST_H

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/request/request.h"
#include "persistent/coll_pschedule_rival.h"
#include "plan/coll_pschedule_problem.h"

typedef struct mca_coll_pschedule_front_request_t {
    ompi_coll_base_nbc_request_t super;
    ompi_request_t *inner; /**< the partitioned one, owned */
    mca_coll_pschedule_rival_t *rival; /**< who serves some rounds, or all if it has won; owned;
                                        * NULL: nobody */
    mca_coll_pschedule_collective_t collective;
} mca_coll_pschedule_front_request_t;

OBJ_CLASS_DECLARATION(mca_coll_pschedule_front_request_t);

/** An epoch of the inner one is over (mca_coll_pschedule_front_t). */
void mca_coll_pschedule_front_request_over(ompi_request_t *request, int error);

/** A request without an inner one yet; NULL: no memory. */
mca_coll_pschedule_front_request_t *
mca_coll_pschedule_front_request_new(ompi_communicator_t *comm,
                                     mca_coll_pschedule_collective_t collective);

/** Never shown to the program. */
void mca_coll_pschedule_front_request_drop(mca_coll_pschedule_front_request_t *front);

#endif /* COLL_PSCHEDULE_FRONT_REQUEST_H */
