/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions that Open MPI calls for MPI_Bcast_init and so on (see coll_pschedule_entries.h).
 * Each says what is asked for, and returns what becomes of that: it is served here, or by who has
 * served the collective before, or by both in turns (coll_pschedule_contest.h).
 *
 * The parameters have the names that Open MPI's header gives them: `module`, `comm`, `info`,
 * `request`, and those that it lists for the collective (ALLREDUCE_BASE_ARG_NAMES, ...).
 */
#include "persistent/coll_pschedule_entries.h"

#include "persistent/coll_pschedule_persistent.h"

/* ENTRY(COLLECTIVE, name, root, buffers...). The first function is seen in stacks, by which tests
 * know what Open MPI does not give back (lsan.supp). */
#define ENTRY(COLLECTIVE, name, root, ...)                                                     \
    static void name##_served_before(COLLECTIVE##_INIT_ARGS, int *outcome)                     \
    {                                                                                          \
        mca_coll_pschedule_module_t *own = (mca_coll_pschedule_module_t *) module;             \
        const mca_coll_pschedule_previous_t *previous = &own->persistent->previous;            \
                                                                                               \
        *outcome = previous->name(COLLECTIVE##_BASE_ARG_NAMES, info, request,                  \
                                  previous->name##_module);                                    \
    }                                                                                          \
                                                                                               \
    static int name##_init(COLLECTIVE##_INIT_ARGS)                                             \
    {                                                                                          \
        mca_coll_pschedule_module_t *own = (mca_coll_pschedule_module_t *) module;             \
        mca_coll_pschedule_asked_t asked;                                                      \
        int outcome;                                                                           \
                                                                                               \
        mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_##COLLECTIVE, comm, info, root); \
        __VA_ARGS__;                                                                           \
        outcome = mca_coll_pschedule_persistent_serve(own, &asked, request);                   \
        if (MPI_SUCCESS == outcome && NULL != asked.rival) {                                   \
            ompi_request_t *rival = NULL;                                                      \
                                                                                               \
            name##_served_before(COLLECTIVE##_BASE_ARG_NAMES, info, &rival, module, &outcome); \
            outcome                                                                            \
                = mca_coll_pschedule_persistent_contest(own, &asked, outcome, rival, request); \
        }                                                                                      \
        if (COLL_PSCHEDULE_HANDED_ON == outcome) {                                             \
            name##_served_before(COLLECTIVE##_BASE_ARG_NAMES, info, request, module,           \
                                 &outcome);                                                    \
        }                                                                                      \
        mca_coll_pschedule_asked_free(&asked);                                                 \
        return outcome;                                                                        \
    }

/* Buffers: blocks that are all alike, or have lists; `side` is send or recv. */
#define EVEN(side, buffer, count, type) \
    asked.call.side = mca_coll_pschedule_asked_even(buffer, (MPI_Count) (count), type)
#define LISTED(side, buffer, counts, type) \
    mca_coll_pschedule_asked_list(&asked, &asked.side, &asked.call.side, buffer, counts, type)
#define PLACED(side, unit, displs) \
    mca_coll_pschedule_asked_##unit(&asked.side, &asked.call.side, displs)
#define REDUCED asked.call.recv.buffer = recvbuf, asked.call.op = op

/* As most collectives name their parameters: in general, of v variants, and of w variants. */
#define SEND              EVEN(send, sendbuf, sendcount, sendtype)
#define RECV              EVEN(recv, recvbuf, recvcount, recvtype)
#define SEND_LIST(displs) LISTED(send, sendbuf, sendcounts, sendtype), PLACED(send, at, displs)
#define RECV_LIST(displs) LISTED(recv, recvbuf, recvcounts, recvtype), PLACED(recv, at, displs)
#define SEND_TYPED(unit)                                                  \
    LISTED(send, sendbuf, sendcounts, NULL), PLACED(send, unit, sdispls), \
        asked.call.send.datatype_list = sendtypes
#define RECV_TYPED(unit)                                                  \
    LISTED(recv, recvbuf, recvcounts, NULL), PLACED(recv, unit, rdispls), \
        asked.call.recv.datatype_list = recvtypes

/* As Open MPI's header spells these. */
#define REDUCE_SCATTER_BLOCK_INIT_ARGS      REDUCESCATTERBLOCK_INIT_ARGS
#define REDUCE_SCATTER_BLOCK_BASE_ARG_NAMES REDUCESCATTERBLOCK_BASE_ARG_NAMES
#define REDUCE_SCATTER_INIT_ARGS            REDUCESCATTER_INIT_ARGS
#define REDUCE_SCATTER_BASE_ARG_NAMES       REDUCESCATTER_BASE_ARG_NAMES

ENTRY(BCAST, bcast, root, EVEN(send, buffer, count, datatype))
ENTRY(GATHER, gather, root, SEND, RECV)
ENTRY(GATHERV, gatherv, root, SEND, RECV_LIST(displs))
ENTRY(SCATTER, scatter, root, SEND, RECV)
ENTRY(SCATTERV, scatterv, root, SEND_LIST(displs), RECV)
ENTRY(ALLGATHER, allgather, 0, SEND, RECV)
ENTRY(ALLGATHERV, allgatherv, 0, SEND, RECV_LIST(displs))
ENTRY(ALLTOALL, alltoall, 0, SEND, RECV)
ENTRY(ALLTOALLV, alltoallv, 0, SEND_LIST(sdispls), RECV_LIST(rdispls))
ENTRY(ALLTOALLW, alltoallw, 0, SEND_TYPED(at), RECV_TYPED(at))
ENTRY(REDUCE, reduce, root, EVEN(send, sendbuf, count, datatype), REDUCED)
ENTRY(ALLREDUCE, allreduce, 0, EVEN(send, sendbuf, count, datatype), REDUCED)
ENTRY(REDUCE_SCATTER_BLOCK, reduce_scatter_block, 0, EVEN(send, sendbuf, recvcount, datatype),
      REDUCED)
ENTRY(REDUCE_SCATTER, reduce_scatter, 0, LISTED(send, sendbuf, recvcounts, datatype), REDUCED)
ENTRY(SCAN, scan, 0, EVEN(send, sendbuf, count, datatype), REDUCED)
ENTRY(EXSCAN, exscan, 0, EVEN(send, sendbuf, count, datatype), REDUCED)
ENTRY(NEIGHBOR_ALLGATHER, neighbor_allgather, 0, SEND, RECV)
ENTRY(NEIGHBOR_ALLGATHERV, neighbor_allgatherv, 0, SEND, RECV_LIST(displs))
ENTRY(NEIGHBOR_ALLTOALL, neighbor_alltoall, 0, SEND, RECV)
ENTRY(NEIGHBOR_ALLTOALLV, neighbor_alltoallv, 0, SEND_LIST(sdispls), RECV_LIST(rdispls))
ENTRY(NEIGHBOR_ALLTOALLW, neighbor_alltoallw, 0, SEND_TYPED(wide), RECV_TYPED(wide))

void mca_coll_pschedule_entries_install(mca_coll_base_module_t *module,
                                        const mca_coll_pschedule_previous_t *previous,
                                        ompi_communicator_t *comm)
{
#if COLL_PSCHEDULE_INSTALLS
#    define INSTALL(collective, slot, type)                   \
        if (NULL != previous->slot) {                         \
            comm->c_coll->coll_##slot##_init = slot##_init;   \
            comm->c_coll->coll_##slot##_init_module = module; \
        }
#else
#    define INSTALL(collective, slot, type)           \
        if (NULL != previous->slot) {                 \
            module->coll_##slot##_init = slot##_init; \
        }
#endif
    COLL_PSCHEDULE_EACH(INSTALL)
#undef INSTALL
    (void) comm;
}
