/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The arguments of any MPIX_P<collective>_init, as libmpix_partitioned hands them over. The
 * library finds the module in the communicator's list and calls its `init`; no symbol is shared.
 */
#ifndef COLL_PSCHEDULE_CALL_H
#define COLL_PSCHEDULE_CALL_H

#include "ompi_config.h"
#include "mpi.h"
#include "ompi/mca/coll/coll.h"

#include "plan/coll_pschedule_problem.h"

/** Changes with every incompatible change of the structures below. */
#define COLL_PSCHEDULE_CALL_VERSION 3

/** In the place of a buffer: a section of an array of Fortran that is not one range of memory. As
 * MPI_IN_PLACE, it is the address of nothing. */
#define COLL_PSCHEDULE_SCATTERED ((void *) 2)

/** One of the two buffers: one block, equal blocks, or blocks described by arrays. */
typedef struct mca_coll_pschedule_side_t {
    const void *buffer;          /**< or MPI_IN_PLACE */
    int partitions;              /**< of each block, unless `partition_list` is given */
    MPI_Count count;             /**< elements per partition, unless `count_list` is given */
    MPI_Datatype datatype;       /**< unless `datatype_list` is given */
    const int *partition_list;   /**< per block (v and w variants, reduce_scatter) */
    const MPI_Count *count_list; /**< per block: elements per partition of that block */
    const MPI_Aint *displacements; /**< per block: in extents of the datatype, in bytes with
                                    * `datatype_list`; NULL: blocks lie one after another */
    const MPI_Datatype *datatype_list; /**< per block (w variants) */
} mca_coll_pschedule_side_t;

/**
 * What stands before a request whose partitions nobody marks: MPI_Start marks all of them. Where no
 * request can be made, the user is told nothing.
 */
typedef struct mca_coll_pschedule_front_t {
    ompi_request_t *request;
    /** An epoch is over, MPI_SUCCESS or not, and the request behind is inactive. May free it. */
    void (*over)(ompi_request_t *request, int error);
    /** Is a request wanted? The answer must be the same on all ranks. `uncontested` is true if that
     * of some rank below is. */
    bool (*wants)(void *context, const mca_coll_pschedule_problem_t *problem, bool uncontested);
    bool uncontested; /**< this rank does not want it to be tried beside another one */
    void *context;
} mca_coll_pschedule_front_t;

typedef struct mca_coll_pschedule_call_t {
    mca_coll_pschedule_collective_t collective;
    mca_coll_pschedule_side_t send; /**< of bcast: the one buffer, on all ranks */
    mca_coll_pschedule_side_t recv; /**< of reductions: only `buffer` is looked at */
    MPI_Op op;
    int root;
    MPI_Comm comm;
    MPI_Info info;
    int error; /**< MPI_SUCCESS, or what the library has found wrong already; the other ranks must
                * hear of it, so it is told in the exchange */
    const mca_coll_pschedule_front_t *front; /**< of a persistent collective of MPI; or NULL */
} mca_coll_pschedule_call_t;

/** The module, as every communicator has it. */
typedef struct mca_coll_pschedule_module_t {
    mca_coll_base_module_t super;
    uint32_t version; /**< COLL_PSCHEDULE_CALL_VERSION */
    struct mca_coll_pschedule_persistent_t *persistent; /**< for persistent/; or NULL */
    /** Make a request. Returns an MPI error class, which the caller raises on the communicator. */
    int (*init)(struct mca_coll_pschedule_module_t *module, const mca_coll_pschedule_call_t *call,
                ompi_request_t **request);
    /** Might this process gain anything by our paths between hosts? Makes none. */
    bool (*gains)(void);
} mca_coll_pschedule_module_t;

#endif /* COLL_PSCHEDULE_CALL_H */
