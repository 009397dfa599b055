/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The five neighbourhood collectives: MPI_Neighbor_allgather_init and so on.
 */
#include "persistent/coll_pschedule_entries.h"

int mca_coll_pschedule_neighbor_allgather_init(NEIGHBOR_ALLGATHER_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_NEIGHBOR_ALLGATHER, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) sendcount, sendtype);
    mca_coll_pschedule_asked_recv(&asked, recvbuf, (MPI_Count) recvcount, recvtype);
    ANSWER(neighbor_allgather, NEIGHBOR_ALLGATHER_BASE_ARG_NAMES);
}

int mca_coll_pschedule_neighbor_allgatherv_init(NEIGHBOR_ALLGATHERV_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_NEIGHBOR_ALLGATHERV, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) sendcount, sendtype);
    mca_coll_pschedule_asked_recv_list(&asked, recvbuf, recvcounts, recvtype);
    mca_coll_pschedule_asked_recv_at(&asked, displs);
    ANSWER(neighbor_allgatherv, NEIGHBOR_ALLGATHERV_BASE_ARG_NAMES);
}

int mca_coll_pschedule_neighbor_alltoall_init(NEIGHBOR_ALLTOALL_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_NEIGHBOR_ALLTOALL, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) sendcount, sendtype);
    mca_coll_pschedule_asked_recv(&asked, recvbuf, (MPI_Count) recvcount, recvtype);
    ANSWER(neighbor_alltoall, NEIGHBOR_ALLTOALL_BASE_ARG_NAMES);
}

int mca_coll_pschedule_neighbor_alltoallv_init(NEIGHBOR_ALLTOALLV_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_NEIGHBOR_ALLTOALLV, comm, info, 0);
    mca_coll_pschedule_asked_send_list(&asked, sendbuf, sendcounts, sendtype);
    mca_coll_pschedule_asked_send_at(&asked, sdispls);
    mca_coll_pschedule_asked_recv_list(&asked, recvbuf, recvcounts, recvtype);
    mca_coll_pschedule_asked_recv_at(&asked, rdispls);
    ANSWER(neighbor_alltoallv, NEIGHBOR_ALLTOALLV_BASE_ARG_NAMES);
}

int mca_coll_pschedule_neighbor_alltoallw_init(NEIGHBOR_ALLTOALLW_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_NEIGHBOR_ALLTOALLW, comm, info, 0);
    mca_coll_pschedule_asked_send_list(&asked, sendbuf, sendcounts, NULL);
    mca_coll_pschedule_asked_send_wide(&asked, sdispls);
    asked.call.send.datatype_list = sendtypes;
    mca_coll_pschedule_asked_recv_list(&asked, recvbuf, recvcounts, NULL);
    mca_coll_pschedule_asked_recv_wide(&asked, rdispls);
    asked.call.recv.datatype_list = recvtypes;
    ANSWER(neighbor_alltoallw, NEIGHBOR_ALLTOALLW_BASE_ARG_NAMES);
}
