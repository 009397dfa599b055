/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Persistent collectives of MPI, of programs that know nothing of this component: how it gets the
 * calls, and what becomes of them. Start reading at README.md in this folder.
 */
#ifndef COLL_PSCHEDULE_PERSISTENT_H
#define COLL_PSCHEDULE_PERSISTENT_H

#include "call/coll_pschedule_call.h"
#include "call/coll_pschedule_peers.h"
#include "persistent/coll_pschedule_asked.h"
#include "persistent/coll_pschedule_previous.h"

/** Do all its ranks gain by our paths between nodes? */
typedef enum mca_coll_pschedule_prospect_t {
    COLL_PSCHEDULE_PROSPECT_UNKNOWN,
    COLL_PSCHEDULE_PROSPECT_GOOD,
    COLL_PSCHEDULE_PROSPECT_BAD
} mca_coll_pschedule_prospect_t;

/** What is known of a communicator on which they are served. */
typedef struct mca_coll_pschedule_persistent_t {
    mca_coll_pschedule_previous_t previous;
    mca_coll_pschedule_peers_t *peers; /**< of the module */
    mca_coll_pschedule_prospect_t prospect; /**< the same on all ranks */
    unsigned char told[COLL_PSCHEDULE_COLLECTIVES]; /**< what coll_pschedule_verbose has said */
} mca_coll_pschedule_persistent_t;

/** A number of all that lets this process decide otherwise than another one, not 0; or 0: it serves
 * none. With another priority of the component it may not be asked at all: components above it
 * are. */
uint32_t mca_coll_pschedule_persistent_number(int priority);

/** The module is enabled on a communicator: offer the functions that somebody has offered before.
 * Not on an intercommunicator, nor on one process. `persistent` and `peers` are the module's; the
 * former is set here. */
void mca_coll_pschedule_persistent_enable(mca_coll_pschedule_module_t *module,
                                          mca_coll_pschedule_persistent_t *persistent,
                                          mca_coll_pschedule_peers_t *peers,
                                          ompi_communicator_t *comm);

/** The functions of before are in use again. Any number of times. */
void mca_coll_pschedule_persistent_disable(mca_coll_pschedule_module_t *module,
                                           ompi_communicator_t *comm);

/** The module ends. */
void mca_coll_pschedule_persistent_free(mca_coll_pschedule_module_t *module);

/** The outcome of a call that is not served here: call who was there before. */
#define COLL_PSCHEDULE_HANDED_ON (-1)

/**
 * Serve a call. Collective, and the outcome is the same on all ranks. If it is contested then, who
 * served it before must make a request, too, and mca_coll_pschedule_persistent_contest() be
 * called.
 *
 * @return MPI_SUCCESS; COLL_PSCHEDULE_HANDED_ON; or an MPI error class, when a process or the
 *         communicator has failed
 */
int mca_coll_pschedule_persistent_serve(mca_coll_pschedule_module_t *module,
                                        mca_coll_pschedule_asked_t *asked,
                                        ompi_request_t **request);

/**
 * A call is served, and shall be contested: it has a rival, which is the request's from now on, if
 * all ranks have one. Collective, and the outcome is the same on all ranks.
 *
 * @param rc       what came of the request of who served it before: an Open MPI code
 * @param rival    that request; owned
 * @param request  that of the program, which is freed when some rank has none
 * @return an MPI error class
 */
int mca_coll_pschedule_persistent_contest(mca_coll_pschedule_module_t *module,
                                          const mca_coll_pschedule_asked_t *asked, int rc,
                                          ompi_request_t *rival, ompi_request_t **request);

#endif /* COLL_PSCHEDULE_PERSISTENT_H */
