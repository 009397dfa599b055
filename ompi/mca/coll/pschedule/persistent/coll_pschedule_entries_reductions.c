/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The six reductions: MPI_Reduce_init and so on.
 */
#include "persistent/coll_pschedule_entries.h"

int mca_coll_pschedule_reduce_init(REDUCE_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_REDUCE, comm, info, root);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) count, datatype);
    asked.call.recv.buffer = recvbuf;
    asked.call.op = op;
    ANSWER(reduce, REDUCE_BASE_ARG_NAMES);
}

int mca_coll_pschedule_allreduce_init(ALLREDUCE_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_ALLREDUCE, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) count, datatype);
    asked.call.recv.buffer = recvbuf;
    asked.call.op = op;
    ANSWER(allreduce, ALLREDUCE_BASE_ARG_NAMES);
}

int mca_coll_pschedule_reduce_scatter_block_init(REDUCESCATTERBLOCK_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) recvcount, datatype);
    asked.call.recv.buffer = recvbuf;
    asked.call.op = op;
    ANSWER(reduce_scatter_block, REDUCESCATTERBLOCK_BASE_ARG_NAMES);
}

int mca_coll_pschedule_reduce_scatter_init(REDUCESCATTER_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_REDUCE_SCATTER, comm, info, 0);
    mca_coll_pschedule_asked_send_list(&asked, sendbuf, recvcounts, datatype);
    asked.call.recv.buffer = recvbuf;
    asked.call.op = op;
    ANSWER(reduce_scatter, REDUCESCATTER_BASE_ARG_NAMES);
}

int mca_coll_pschedule_scan_init(SCAN_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_SCAN, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) count, datatype);
    asked.call.recv.buffer = recvbuf;
    asked.call.op = op;
    ANSWER(scan, SCAN_BASE_ARG_NAMES);
}

int mca_coll_pschedule_exscan_init(EXSCAN_INIT_ARGS)
{
    asked_t asked;

    mca_coll_pschedule_asked_begin(&asked, COLL_PSCHEDULE_EXSCAN, comm, info, 0);
    mca_coll_pschedule_asked_send(&asked, sendbuf, (MPI_Count) count, datatype);
    asked.call.recv.buffer = recvbuf;
    asked.call.op = op;
    ANSWER(exscan, EXSCAN_BASE_ARG_NAMES);
}
