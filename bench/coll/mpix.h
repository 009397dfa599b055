/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The partitioned collectives. Built for another MPI library, the programs have mode mpi only, and
 * the calls here say that there is nothing else.
 */
#ifndef BENCH_COLL_MPIX_H
#define BENCH_COLL_MPIX_H

#if defined(BENCH_HAVE_MPIX) && BENCH_HAVE_MPIX
#    include <mpix_partitioned.h>
#else
#    define BENCH_NO_MPIX                       MPI_ERR_UNSUPPORTED_OPERATION
#    define MPIX_Parrived_any(...)              BENCH_NO_MPIX
#    define MPIX_Pbuf_prepare(...)              BENCH_NO_MPIX
#    define MPIX_Pallgather_init(...)           BENCH_NO_MPIX
#    define MPIX_Pallgatherv_init(...)          BENCH_NO_MPIX
#    define MPIX_Pallreduce_init(...)           BENCH_NO_MPIX
#    define MPIX_Palltoall_init(...)            BENCH_NO_MPIX
#    define MPIX_Palltoallv_init(...)           BENCH_NO_MPIX
#    define MPIX_Palltoallw_init(...)           BENCH_NO_MPIX
#    define MPIX_Pbcast_init(...)               BENCH_NO_MPIX
#    define MPIX_Pexscan_init(...)              BENCH_NO_MPIX
#    define MPIX_Pgather_init(...)              BENCH_NO_MPIX
#    define MPIX_Pgatherv_init(...)             BENCH_NO_MPIX
#    define MPIX_Pneighbor_allgather_init(...)  BENCH_NO_MPIX
#    define MPIX_Pneighbor_allgatherv_init(...) BENCH_NO_MPIX
#    define MPIX_Pneighbor_alltoall_init(...)   BENCH_NO_MPIX
#    define MPIX_Pneighbor_alltoallv_init(...)  BENCH_NO_MPIX
#    define MPIX_Pneighbor_alltoallw_init(...)  BENCH_NO_MPIX
#    define MPIX_Preduce_init(...)              BENCH_NO_MPIX
#    define MPIX_Preduce_scatter_init(...)      BENCH_NO_MPIX
#    define MPIX_Preduce_scatter_block_init(...) BENCH_NO_MPIX
#    define MPIX_Pscan_init(...)                BENCH_NO_MPIX
#    define MPIX_Pscatter_init(...)             BENCH_NO_MPIX
#    define MPIX_Pscatterv_init(...)            BENCH_NO_MPIX
#endif

#endif
