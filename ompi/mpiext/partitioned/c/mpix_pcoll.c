/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The initialisation functions of the partitioned collectives. Each only describes its arguments;
 * coll/pschedule, which is found through the communicator, checks them, on all ranks together.
 */
#include "ompi_config.h"

#include "mpix_error.h"
#include "mpix_exported.h"

#include "api/part_ucx_release.h"
#include "call/coll_pschedule_call.h"

#include <stdatomic.h>
#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/mca/coll/base/coll_base_util.h"

/* It does not change: looked for once, as that looks for a library in folders. */
static bool release_matches(void)
{
    enum { UNKNOWN, MATCHES, DIFFERS };
    static atomic_int known;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    if (UNKNOWN == atomic_load(&known)) {
        atomic_store(&known, mca_part_ucx_release_matches(library) ? MATCHES : DIFFERS);
    }
    return MATCHES == atomic_load(&known);
}

/* Modules stay in this list when other components provide all functions of MPI. */
static mca_coll_pschedule_module_t *find_module(const ompi_communicator_t *comm)
{
    mca_coll_base_avail_coll_t *item;

    if (!release_matches()) {
        return NULL;
    }
    OPAL_LIST_FOREACH(item, comm->c_coll->module_list, mca_coll_base_avail_coll_t)
    {
        mca_coll_pschedule_module_t *module = (mca_coll_pschedule_module_t *) item->ac_module;

        if (0 == strcmp("pschedule", item->ac_component_name)) {
            return COLL_PSCHEDULE_CALL_VERSION == module->version ? module : NULL;
        }
    }
    return NULL;
}

static const char needed[] = "partitioned collectives need the components coll/pschedule and "
                             "part/ucx, of the same version as this library";

/* Make the request that `call` describes. Returns MPI_SUCCESS, or an error class that was raised on
 * the communicator for `function`. */
static int init(mca_coll_pschedule_call_t *call, MPI_Request *request, const char *function)
{
    mca_coll_pschedule_module_t *module;
    ompi_request_t *made = MPI_REQUEST_NULL;
    int error;

    if (NULL != request) {
        *request = MPI_REQUEST_NULL; /* also for who goes on without, after an error */
    }
    OMPI_ERR_INIT_FINALIZE(function) /* communicators are nothing then */
    if (ompi_comm_invalid(call->comm)) {
        return mpix_error_raise(&ompi_mpi_comm_self.comm, MPI_ERR_COMM, function, NULL);
    }
    if (OMPI_COMM_IS_INTER(call->comm)) {
        return mpix_error_raise(call->comm, MPI_ERR_COMM, function,
                                "there are no partitioned collectives on intercommunicators");
    }
    module = find_module(call->comm);
    if (NULL == module) {
        return mpix_error_raise(call->comm, MPI_ERR_UNSUPPORTED_OPERATION, function, needed);
    }
    if (NULL == request) {
        call->error = MPI_ERR_ARG; /* the other ranks must hear of it */
    }
    error = module->init(module, call, &made);
    if (MPI_SUCCESS != error) {
        return mpix_error_raise(call->comm, error, function,
                                MPI_ERR_UNSUPPORTED_OPERATION == error ? needed : NULL);
    }
    *request = made;
    return MPI_SUCCESS;
}

/* ---- the functions ---- */

/* INIT(COLLECTIVE, name, (parameters...), members of the call...) */
#define DO_PRAGMA(text) _Pragma(#text)
#define UNPACK(...)     __VA_ARGS__
#define INIT(COLLECTIVE, name, parameters, ...)                                      \
    DO_PRAGMA(weak MPIX_P##name##_init = PMPIX_P##name##_init)                       \
    int PMPIX_P##name##_init(UNPACK parameters, MPI_Comm comm, MPI_Info info,        \
                             MPI_Request *request)                                   \
    {                                                                                \
        mca_coll_pschedule_call_t call = {.collective = COLL_PSCHEDULE_##COLLECTIVE, \
                                          .comm = comm,                              \
                                          .info = info,                              \
                                          __VA_ARGS__};                              \
                                                                                     \
        return init(&call, request, "MPIX_P" #name "_init");                         \
    }

/* Parameters of a buffer, `side`: send or recv; `c`: const or nothing. Its blocks are equal (EVEN),
 * have sizes of their own (LISTED), or datatypes, too (TYPED). */
#define EVEN(side, c)                                                                       \
    c void *side##buf, int side##partitions, MPI_Count side##count, MPI_Datatype side##type
#define LISTED(side, c) c void *side##buf, LISTS(side), MPI_Datatype side##type
#define TYPED(side, c)  c void *side##buf, LISTS(side), const MPI_Datatype side##types[]
#define LISTS(side)                                                                             \
    const int side##partitions[], const MPI_Count side##counts[], const MPI_Aint side##displs[]

/* What they say of it. */
#define EVEN_SIDE(side)                      \
    .side = {.buffer = side##buf,            \
             .partitions = side##partitions, \
             .count = side##count,           \
             .datatype = side##type}
#define LISTED_SIDE(side) .side = {LISTS_SIDE(side), .datatype = side##type}
#define TYPED_SIDE(side)  .side = {LISTS_SIDE(side), .datatype_list = side##types}
#define LISTS_SIDE(side)                                                                 \
    .buffer = side##buf, .partition_list = side##partitions, .count_list = side##counts, \
    .displacements = side##displs

#define MOVE(COLLECTIVE, name, from, to)                                                        \
    INIT(COLLECTIVE, name, (from(send, const), to(recv, )), from##_SIDE(send), to##_SIDE(recv))
#define MOVE_ROOTED(COLLECTIVE, name, from, to)                                          \
    INIT(COLLECTIVE, name, (from(send, const), to(recv, ), int root), from##_SIDE(send), \
         to##_SIDE(recv), .root = root)

/* Reductions: what is said of the send buffer holds for both. */
#define BUFFERS const void *sendbuf, void *recvbuf
#define CUT     int sendpartitions, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Op op
#define REDUCE  EVEN_SIDE(send), .recv.buffer = recvbuf, .op = op

INIT(BCAST, bcast, (EVEN(send, ), int root), EVEN_SIDE(send), .root = root)
MOVE_ROOTED(GATHER, gather, EVEN, EVEN)
MOVE_ROOTED(GATHERV, gatherv, EVEN, LISTED)
MOVE_ROOTED(SCATTER, scatter, EVEN, EVEN)
MOVE_ROOTED(SCATTERV, scatterv, LISTED, EVEN)
MOVE(ALLGATHER, allgather, EVEN, EVEN)
MOVE(ALLGATHERV, allgatherv, EVEN, LISTED)
MOVE(ALLTOALL, alltoall, EVEN, EVEN)
MOVE(ALLTOALLV, alltoallv, LISTED, LISTED)
MOVE(ALLTOALLW, alltoallw, TYPED, TYPED)
INIT(REDUCE, reduce, (BUFFERS, CUT, int root), REDUCE, .root = root)
INIT(ALLREDUCE, allreduce, (BUFFERS, CUT), REDUCE)
INIT(REDUCE_SCATTER_BLOCK, reduce_scatter_block, (BUFFERS, CUT), REDUCE)
INIT(REDUCE_SCATTER, reduce_scatter,
     (BUFFERS, const int partitions[], const MPI_Count counts[], MPI_Datatype datatype, MPI_Op op),
     .send = {.buffer = sendbuf,
              .partition_list = partitions,
              .count_list = counts,
              .datatype = datatype},
     .recv.buffer = recvbuf, .op = op)
INIT(SCAN, scan, (BUFFERS, CUT), REDUCE)
INIT(EXSCAN, exscan, (BUFFERS, CUT), REDUCE)
MOVE(NEIGHBOR_ALLGATHER, neighbor_allgather, EVEN, EVEN)
MOVE(NEIGHBOR_ALLGATHERV, neighbor_allgatherv, EVEN, LISTED)
MOVE(NEIGHBOR_ALLTOALL, neighbor_alltoall, EVEN, EVEN)
MOVE(NEIGHBOR_ALLTOALLV, neighbor_alltoallv, LISTED, LISTED)
MOVE(NEIGHBOR_ALLTOALLW, neighbor_alltoallw, TYPED, TYPED)
