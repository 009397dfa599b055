/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The ten collectives that move data: MPI_Bcast_init and so on.
 */
#include "persistent/coll_pschedule_entries.h"

int mca_coll_pschedule_bcast_init(BCAST_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_BCAST, comm, info, root);
    mca_coll_pschedule_asked_send(&asked, buffer, (MPI_Count) count, datatype);
    ANSWER(bcast, BCAST_BASE_ARG_NAMES);
}

int mca_coll_pschedule_gather_init(GATHER_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_GATHER, comm, info, root);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) sendcount, sendtype);
    mca_coll_pschedule_asked_recv(&asked, recvbuf, (MPI_Count) recvcount, recvtype);
    ANSWER(gather, GATHER_BASE_ARG_NAMES);
}

int mca_coll_pschedule_gatherv_init(GATHERV_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_GATHERV, comm, info, root);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) sendcount, sendtype);
    mca_coll_pschedule_asked_recv_list(&asked, recvbuf, recvcounts, recvtype);
    mca_coll_pschedule_asked_recv_at(&asked, displs);
    ANSWER(gatherv, GATHERV_BASE_ARG_NAMES);
}

int mca_coll_pschedule_scatter_init(SCATTER_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_SCATTER, comm, info, root);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) sendcount, sendtype);
    mca_coll_pschedule_asked_recv(&asked, recvbuf, (MPI_Count) recvcount, recvtype);
    ANSWER(scatter, SCATTER_BASE_ARG_NAMES);
}

int mca_coll_pschedule_scatterv_init(SCATTERV_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_SCATTERV, comm, info, root);
    mca_coll_pschedule_asked_send_list(&asked, sendbuf, sendcounts, sendtype);
    mca_coll_pschedule_asked_send_at(&asked, displs);
    mca_coll_pschedule_asked_recv(&asked, recvbuf, (MPI_Count) recvcount, recvtype);
    ANSWER(scatterv, SCATTERV_BASE_ARG_NAMES);
}

int mca_coll_pschedule_allgather_init(ALLGATHER_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_ALLGATHER, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) sendcount, sendtype);
    mca_coll_pschedule_asked_recv(&asked, recvbuf, (MPI_Count) recvcount, recvtype);
    ANSWER(allgather, ALLGATHER_BASE_ARG_NAMES);
}

int mca_coll_pschedule_allgatherv_init(ALLGATHERV_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_ALLGATHERV, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) sendcount, sendtype);
    mca_coll_pschedule_asked_recv_list(&asked, recvbuf, recvcounts, recvtype);
    mca_coll_pschedule_asked_recv_at(&asked, displs);
    ANSWER(allgatherv, ALLGATHERV_BASE_ARG_NAMES);
}

int mca_coll_pschedule_alltoall_init(ALLTOALL_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_ALLTOALL, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) sendcount, sendtype);
    mca_coll_pschedule_asked_recv(&asked, recvbuf, (MPI_Count) recvcount, recvtype);
    ANSWER(alltoall, ALLTOALL_BASE_ARG_NAMES);
}

int mca_coll_pschedule_alltoallv_init(ALLTOALLV_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_ALLTOALLV, comm, info, 0);
    mca_coll_pschedule_asked_send_list(&asked, sendbuf, sendcounts, sendtype);
    mca_coll_pschedule_asked_send_at(&asked, sdispls);
    mca_coll_pschedule_asked_recv_list(&asked, recvbuf, recvcounts, recvtype);
    mca_coll_pschedule_asked_recv_at(&asked, rdispls);
    ANSWER(alltoallv, ALLTOALLV_BASE_ARG_NAMES);
}

int mca_coll_pschedule_alltoallw_init(ALLTOALLW_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_ALLTOALLW, comm, info, 0);
    mca_coll_pschedule_asked_send_list(&asked, sendbuf, sendcounts, NULL);
    mca_coll_pschedule_asked_send_at(&asked, sdispls);
    asked.call.send.datatype_list = sendtypes;
    mca_coll_pschedule_asked_recv_list(&asked, recvbuf, recvcounts, NULL);
    mca_coll_pschedule_asked_recv_at(&asked, rdispls);
    asked.call.recv.datatype_list = recvtypes;
    ANSWER(alltoallw, ALLTOALLW_BASE_ARG_NAMES);
}
