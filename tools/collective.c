/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives of all processes (see collective.h).
 */
#include "collective.h"

#include <mpi.h>
#include <mpix_partitioned.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "transfer.h"

/* Of the persistent one: a size at which several paths gain. 1 MiB. */
enum { COUNT = 1 << 18 };
static const double patience = 10.0;

static void inspect_trial(info_process_t *process)
{
    char starts[INFO_WORD] = "", inexact[INFO_WORD] = "";

    if (0 == strcmp("auto", process->persistent)
        && bench_cvar_text("coll_pschedule_persistent_trial", starts, sizeof(starts))
        && bench_cvar_text("coll_pschedule_persistent_inexact", inexact, sizeof(inexact))) {
        info_copy(process->persistent_trial, sizeof(process->persistent_trial), "after ");
        info_append(process->persistent_trial, sizeof(process->persistent_trial), "%s starts%s",
                    starts, 0 == strcmp("0", inexact) ? "" : ", rounded sums, too");
    }
}

void info_collective_inspect(info_process_t *process)
{
    process->persistent_tried = -1;
    if (INFO_LOAD_USED == process->coll.load) {
        (void) bench_cvar_text("coll_pschedule_persistent", process->persistent,
                               sizeof(process->persistent));
        inspect_trial(process);
    }
}

/* Waits for an active request, and frees it; what does not end is left alone. */
static info_outcome_t end_of(MPI_Request *request)
{
    double deadline = info_now() + patience;
    int done = 0;

    while (!done && info_now() < deadline) {
        if (MPI_SUCCESS != MPI_Test(request, &done, MPI_STATUS_IGNORE)) {
            return INFO_REFUSED; /* Open MPI has freed it */
        }
    }
    if (!done) {
        info_transfer_any_stuck = true;
        return INFO_STUCK;
    }
    MPI_Request_free(request);
    return INFO_ARRIVED;
}

static bool try_partitioned(const info_job_t *job, info_list_t *findings)
{
    static int mine, sum; /* of a request that does not end, too */
    long long expected = (long long) job->size * (job->size + 1) / 2;
    info_outcome_t outcome;
    MPI_Request request;

    mine = job->rank + 1;
    info_step("in a partitioned collective");
    if (MPI_SUCCESS
        != MPIX_Pallreduce_init(&mine, &sum, 1, 1, MPI_INT, MPI_SUM, job->world, MPI_INFO_NULL,
                                &request)) {
        info_find(findings, INFO_ATTENTION, "MPIX_Pallreduce_init fails.");
        return false;
    }
    MPI_Start(&request);
    MPI_Pready(0, request);
    outcome = end_of(&request);
    if (INFO_ARRIVED != outcome || (int) expected != sum) {
        info_find(findings, INFO_ATTENTION, "A partitioned allreduce %s.",
                  INFO_STUCK == outcome     ? "does not end"
                  : INFO_REFUSED == outcome ? "ends with an error"
                                            : "has a wrong result");
    }
    return INFO_ARRIVED == outcome;
}

/* ---- one of MPI's persistent ones ---- */

/* Only who makes it is asked: it uses what the partitioned one has used, or another component. */
static void try_persistent(const info_job_t *job, info_process_t *process)
{
    float *in = calloc(COUNT, sizeof(*in));
    float *out = calloc(COUNT, sizeof(*out));
    unsigned long long before = bench_served();
    MPI_Request request;

    if (NULL == in || NULL == out) {
        info_die("out of memory");
    }
    info_step("in MPI_Allreduce_init");
    if (MPI_SUCCESS
        == MPI_Allreduce_init(in, out, COUNT, MPI_FLOAT, MPI_SUM, job->world, MPI_INFO_NULL,
                              &request)) {
        process->persistent_tried = bench_served() > before ? 1 : 0;
        MPI_Request_free(&request);
    }
    free(in);
    free(out);
}

/* ---- both ---- */

void info_collective_try(const info_job_t *job, bool can, info_process_t *process,
                         info_list_t *findings)
{
    int mine = can && INFO_LOAD_USED == process->coll.load, all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, job->world);
    if (!all) {
        return;
    }
    mine = try_partitioned(job, findings);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, job->world);
    if (all && job->size > 1) {
        try_persistent(job, process);
    }
}
