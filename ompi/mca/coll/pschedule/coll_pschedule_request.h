/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A partitioned collective: a plan, an engine that runs it, and the links that carry its
 * transfers. The request is an OMPI_REQUEST_PART that follows the contract of part_ucx_ops.h, so
 * that MPI_Pready* and MPI_Parrived find their way to it.
 *
 * An epoch ends when the plan is done and every link has finished: `pending` counts both. The
 * first error ends it at once, and the request is of no use after that: all its links are given
 * up, so that the neighbours fail, too, and theirs. Its memory stays, because transfers may still
 * be under way.
 */
#ifndef COLL_PSCHEDULE_REQUEST_H
#define COLL_PSCHEDULE_REQUEST_H

#include "call/coll_pschedule_buffer.h"
#include "call/coll_pschedule_topology.h"
#include "coll_pschedule_backend.h"
#include "coll_pschedule_hold.h"
#include "coll_pschedule_ports.h"
#include "plan/coll_pschedule_engine.h"

#include "api/part_ucx_claim.h"
#include "api/part_ucx_ops.h"

typedef struct mca_coll_pschedule_request_t {
    mca_part_ucx_any_request_t any;
    const mca_part_ucx_link_api_t *links;
    ompi_communicator_t *comm;                  /**< reference held */
    mca_coll_pschedule_collective_t collective;
    ompi_request_t *front;  /**< what the program holds instead of this one, or NULL; then: */
    void (*over)(ompi_request_t *front, int error); /**< an epoch is over */
    mca_coll_pschedule_plan_t *plan;
    mca_coll_pschedule_engine_t engine;
    mca_coll_pschedule_buffers_t buffers;
    mca_part_ucx_shm_t shm; /**< if the ranks of a host share it: the scratch memory, `piece`, and
                             * boxes */
    uint64_t boxes;         /**< address of these, or 0 */
    mca_coll_pschedule_backend_t backend;       /**< this request's choice of functions */
    mca_coll_pschedule_port_t *port;            /**< per link of the plan */
    mca_part_ucx_piece_t *piece;                /**< per transfer of the plan */
    uint32_t *job_of;                           /**< per node: its job, if it can be deferred */
    mca_coll_pschedule_job_t *job;
    bool application_only; /**< deferred work runs on threads of the application only */
    atomic_uint epoch;     /**< number of the present or last iteration */
    atomic_uint *marked;   /**< per partition of the contribution: last epoch it was marked in */
    atomic_uint *arrived;  /**< per partition of the result: last epoch it was there in */
    mca_coll_pschedule_hold_t hold; /**< when what MPI_Pready has marked leaves */
    mca_part_ucx_claims_t claims; /**< partitions of the result that were handed out */
    atomic_uint pending;   /**< the plan and the links that are not done in this epoch */
    uint32_t prepared;     /**< the last epoch whose barrier of MPIX_Pbuf_prepare was entered */
    ompi_request_t *barrier; /**< that barrier, while it is under way; else MPI_REQUEST_NULL */
    atomic_int error;      /**< MPI error class, the first one wins */
    atomic_uint broken;    /**< the link that failed first, counted from 1; 0: none */
    atomic_uint working;   /**< threads that load, store, copy or reduce now */
    atomic_bool running;   /**< MPI_Start has returned, and not yet handed over for completion */
    mca_part_ucx_task_t final; /**< completes the request */
} mca_coll_pschedule_request_t;

OBJ_CLASS_DECLARATION(mca_coll_pschedule_request_t);

/** One thing less that the present epoch waits for; with an error class, the end. */
void mca_coll_pschedule_request_settle(mca_coll_pschedule_request_t *request, int error);

/** A request of Open MPI without a plan yet; NULL: no memory. */
mca_coll_pschedule_request_t *
mca_coll_pschedule_request_new(const mca_part_ucx_link_api_t *links,
                               const mca_coll_pschedule_call_t *call);

/** Free a request that is not running; one that has failed keeps what transfers may still use. */
void mca_coll_pschedule_request_destroy(mca_coll_pschedule_request_t *request);

/** The operations that part/ucx dispatches to. */
extern const mca_part_ucx_ops_t mca_coll_pschedule_request_ops;

#endif /* COLL_PSCHEDULE_REQUEST_H */
