/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Cuts that relays must know (see coll_pschedule_relay_cuts.h).
 */
#include "call/coll_pschedule_relay_cuts.h"

#include <stdlib.h>

#include "call/coll_pschedule_agree.h"
#include "call/coll_pschedule_cuts.h"
#include "call/coll_pschedule_interface.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/errhandler/errcode.h"

/* What a rank tells: the cut of its block for every rank, then that of every rank's block for it.
 */
enum { CUT = COLL_PSCHEDULE_CUT_NUMBERS, TOLD = 2 * CUT };

typedef struct exchange_t {
    uint64_t *out;    /* what this rank tells */
    uint64_t *in;     /* what the ranks of its host tell, in order */
    int *count[2];    /* per rank: numbers to tell it, to hear from it */
    int *position[2]; /* and where they are */
    mca_coll_pschedule_cut_t *cut;
} exchange_t;

static bool allocate(exchange_t *exchange, size_t ranks, size_t neighbors)
{
    exchange->out = calloc(ranks, TOLD * sizeof(*exchange->out));
    exchange->in = calloc(ranks * neighbors, TOLD * sizeof(*exchange->in));
    exchange->cut = calloc(ranks * neighbors, 2 * sizeof(*exchange->cut));
    for (int i = 0; i < 2; ++i) {
        exchange->count[i] = calloc(ranks, sizeof(**exchange->count));
        exchange->position[i] = calloc(ranks, sizeof(**exchange->position));
    }
    return NULL != exchange->out && NULL != exchange->in && NULL != exchange->cut
           && NULL != exchange->count[0] && NULL != exchange->count[1]
           && NULL != exchange->position[0] && NULL != exchange->position[1];
}

static void release(exchange_t *exchange)
{
    free(exchange->out);
    free(exchange->in);
    free(exchange->cut);
    for (int i = 0; i < 2; ++i) {
        free(exchange->count[i]);
        free(exchange->position[i]);
    }
}

/* All that this rank knows, for all ranks of its host. */
static void fill(exchange_t *exchange, const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t host = hosts->host[problem->rank];
    uint32_t first = hosts->first[host];

    for (int32_t i = 0; i < problem->size; ++i) {
        mca_coll_pschedule_cuts_write(exchange->out + CUT * i, problem->send[i].cut);
        mca_coll_pschedule_cuts_write(exchange->out + CUT * (problem->size + i),
                                      problem->contribution[i]);
    }
    for (uint32_t i = first; i < hosts->first[host + 1]; ++i) {
        int32_t rank = hosts->rank[i];

        exchange->count[0][rank] = exchange->count[1][rank] = TOLD * problem->size;
        exchange->position[1][rank] = (int) (i - first) * TOLD * problem->size;
    }
}

static int tell(exchange_t *exchange, MPI_Comm comm, size_t cuts)
{
    struct ompi_datatype_t *number = &ompi_mpi_uint64_t.dt;
    mca_coll_pschedule_counts_t counts[2];
    mca_coll_pschedule_displs_t displs[2];

    for (int i = 0; i < 2; ++i) {
        counts[i] = COLL_PSCHEDULE_COUNTS(exchange->count[i]);
        displs[i] = COLL_PSCHEDULE_DISPLS(exchange->position[i]);
    }
    int rc = comm->c_coll->coll_alltoallv(exchange->out, counts[0], displs[0], number, exchange->in,
                                          counts[1], displs[1], number, comm,
                                          comm->c_coll->coll_alltoallv_module);

    if (OMPI_SUCCESS != rc) {
        return ompi_errcode_get_mpi_code(rc);
    }
    return mca_coll_pschedule_cuts_read(exchange->in, cuts, exchange->cut) ? MPI_SUCCESS
                                                                           : MPI_ERR_INTERN;
}

int mca_coll_pschedule_relay_cuts_exchange(MPI_Comm comm, mca_coll_pschedule_problem_t *problem)
{
    size_t ranks = (size_t) problem->size;
    size_t neighbors
        = mca_coll_pschedule_hosts_on(problem->hosts, problem->hosts->host[problem->rank]);
    exchange_t exchange = {0};
    int error = allocate(&exchange, ranks, neighbors) ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    error = mca_coll_pschedule_agree_on_outcome(comm, error);
    if (MPI_SUCCESS == error) {
        fill(&exchange, problem);
        error = tell(&exchange, comm, 2 * ranks * neighbors);
        error = mca_coll_pschedule_agree_on_outcome(comm, error);
    }
    if (MPI_SUCCESS == error) {
        problem->relay_cuts = exchange.cut;
        exchange.cut = NULL;
    }
    release(&exchange);
    return error;
}
