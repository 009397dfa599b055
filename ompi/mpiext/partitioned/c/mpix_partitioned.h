/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Extensions to MPI partitioned communication. Link with libmpix_partitioned:
 *
 *     mpicc app.c $(pkg-config --cflags --libs mpix_partitioned)
 *
 * This header has what works on every partitioned request. The initialisation of the partitioned
 * collectives is in the headers that it includes.
 */
#ifndef MPIX_PARTITIONED_H
#define MPIX_PARTITIONED_H

#include <mpi.h>

#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION > 0
#    error "mpix_partitioned is for Open MPI's own ABI (mpicc), not for the MPI Forum's (mpicc_abi)"
#endif

#if !defined(OPEN_MPI) || OMPI_MAJOR_VERSION < 5
#    error "mpix_partitioned is for Open MPI 5 and later; this is the mpi.h of another MPI"
#endif

/** Version of this package, for `#if`. */
#define MPIX_PARTITIONED_VERSION_MAJOR 0
#define MPIX_PARTITIONED_VERSION_MINOR 2
#define MPIX_PARTITIONED_VERSION_PATCH 0

#include "mpix_partitioned_collectives.h"
#include "mpix_partitioned_neighbors.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Wait until the receive buffers of this iteration are known to be ready.
 *
 * For an active partitioned send: returns when the receiver's MPI_Start of the same iteration is
 * known here, so that every later MPI_Pready can transfer at once. Non-local: the receiver must
 * start its request. For an active partitioned receive: local, MPI_Start has told the sender. For
 * an active partitioned collective: synchronises all processes of the collective, and is itself a
 * collective call on its communicator; all call it, in the same order as others there, or none.
 *
 * Optional. A program that never calls it behaves the same; partitions that are marked before
 * the receiver is ready are kept and leave as soon as it is.
 *
 * Follows the proposal MPIX_Pbuf_prepare of the MPI Forum's hybrid working group (pull request
 * mpi-standard#264).
 *
 * @param[in] request  an active partitioned request
 *
 * @return MPI_SUCCESS; MPI_ERR_REQUEST for a request that is inactive, null or not partitioned;
 *         MPI_ERR_UNSUPPORTED_OPERATION when the part component in use cannot tell; the error
 *         class of the operation when it has failed. Errors go to the error handler of the
 *         request's communicator (of MPI_COMM_SELF for what is not a partitioned request).
 */
int MPIX_Pbuf_prepare(MPI_Request *request);

/**
 * MPIX_Pbuf_prepare for several requests, in any order. Returns when all are ready or have failed;
 * every error is raised, and the first one is returned.
 *
 * @param[in] count     number of requests, may be 0
 * @param[in] requests  array of `count` active partitioned requests
 *
 * @return as MPIX_Pbuf_prepare; MPI_ERR_ARG for a negative count
 */
int MPIX_Pbuf_prepareall(int count, MPI_Request requests[]);

/**
 * Take one partition that has arrived and that no call has reported in this iteration.
 *
 * For threads that take work as it arrives: each partition of an iteration is reported once, to
 * one caller, by MPIX_Parrived_any or MPIX_Parrived_some. Any number of threads may call at the
 * same time, beside others in MPI_Parrived, MPI_Test or MPI_Wait. What is reported may be read, as
 * after MPI_Parrived. The call never waits; when it finds nothing it makes progress, so a loop over
 * it ends. It does not complete the request: MPI_Wait or MPI_Test is still needed.
 *
 *     flag  partition
 *     1     i              partition i has arrived, and is the caller's
 *     0     MPI_UNDEFINED  none now; there will be more
 *     1     MPI_UNDEFINED  all partitions of this iteration have been reported; after an error:
 *                          there will be no more
 *
 * When the request has completed, what was not reported yet still is, until the next MPI_Start. A
 * request that was never started, a receive from MPI_PROC_NULL, a collective that delivers nothing
 * to this rank, and MPI_REQUEST_NULL have nothing to report: flag 1, MPI_UNDEFINED. MPI_Start and
 * MPI_Request_free must not be called at the same time as this.
 *
 * Origin: this project, after MPI Forum issue 537 (a partitioned MPI_Waitsome).
 *
 * @param[in]  request    a partitioned receive, or a partitioned collective
 * @param[out] partition  counted as MPI_Parrived does
 * @param[out] flag       see above
 *
 * @return MPI_SUCCESS; MPI_ERR_REQUEST for any other kind of request; MPI_ERR_ARG for a NULL
 *         pointer; MPI_ERR_UNSUPPORTED_OPERATION when the part component in use cannot tell; the
 *         error class of the operation when it has failed. Errors go to the error handler of the
 *         request's communicator (of MPI_COMM_SELF for what is not a partitioned request).
 */
int MPIX_Parrived_any(MPI_Request request, int *partition, int *flag);

/**
 * Take as many partitions that have arrived and were not reported in this iteration as there are,
 * up to `incount`. All that is said of MPIX_Parrived_any holds.
 *
 * @param[in]  request     a partitioned receive, or a partitioned collective
 * @param[in]  incount     room in `partitions`, may be 0
 * @param[out] outcount    how many are reported; 0: none now, there will be more; MPI_UNDEFINED:
 *                         all partitions of this iteration have been reported, or an error
 * @param[out] partitions  the first `outcount` entries are set; in no particular order
 *
 * @return as MPIX_Parrived_any; MPI_ERR_ARG for a negative incount
 */
int MPIX_Parrived_some(MPI_Request request, int incount, int *outcount, int partitions[]);

/** The same functions under their profiling names. */
int PMPIX_Pbuf_prepare(MPI_Request *request);
int PMPIX_Pbuf_prepareall(int count, MPI_Request requests[]);
int PMPIX_Parrived_any(MPI_Request request, int *partition, int *flag);
int PMPIX_Parrived_some(MPI_Request request, int incount, int *outcount, int partitions[]);

#ifdef __cplusplus
}
#endif

#endif /* MPIX_PARTITIONED_H */

/* Each time: the program may ask for its names after a header of a library has included this. */
#include "mpix_partitioned_names.h"
