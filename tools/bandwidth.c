/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How fast each path is (see bandwidth.h).
 */
#include "bandwidth.h"

#include <stdio.h>
#include <string.h>

#include "transfer.h"

enum { MIN_BYTES = 256 << 10, MAX_BYTES = 32 << 20, ROOM = 32, TAG = 12 };

/* A slot is not shorter than this, nor does a round take longer than a slot and this. */
static const double min_slot = 0.05;
static const double round_extra = 3.0;

/* With less than this, what surrounds a round is part of what is measured. */
static const double min_round = 2e-3;

/* What this process does in a slot. */
typedef struct role_t {
    int peer;
    bool sends;
} role_t;

/* ---- one path ---- */

/* What both ends know after a sample: the worse outcome, the longer time. */
static info_outcome_t agree(const info_job_t *job, int peer, info_outcome_t outcome,
                            double *seconds)
{
    double ours[2] = {(double) outcome, *seconds}, theirs[2] = {0, 0};

    MPI_Sendrecv(ours, 2, MPI_DOUBLE, peer, TAG, theirs, 2, MPI_DOUBLE, peer, TAG, job->world,
                 MPI_STATUS_IGNORE);
    *seconds = ours[1] > theirs[1] ? ours[1] : theirs[1];
    return (info_outcome_t) (ours[0] > theirs[0] ? ours[0] : theirs[0]);
}

static info_outcome_t run_rounds(const info_job_t *job, info_transfer_t *transfer, int peer,
                                 int rounds, double limit, double *seconds)
{
    info_outcome_t outcome = INFO_ARRIVED;
    double begin;

    *seconds = 0.0;
    (void) agree(job, peer, outcome, seconds); /* both are here */
    begin = info_now();
    for (int i = 0; i < rounds && INFO_ARRIVED == outcome; ++i) {
        outcome = info_transfer_round(transfer, limit);
    }
    *seconds = info_now() - begin;
    return agree(job, peer, outcome, seconds);
}

/* Samples of one size, each longer than the one before; the last one counts. Returns whether a
 * larger size is needed to measure anything. */
static bool sample(const info_job_t *job, const role_t *role, size_t bytes, double *left,
                   double *rate)
{
    double limit = *left + round_extra, seconds = 0.0;
    info_transfer_t transfer;
    info_outcome_t outcome
        = info_transfer_open(&transfer, job->world, role->peer, role->sends, bytes);
    bool larger = false;

    outcome = agree(job, role->peer, outcome, &seconds);
    if (INFO_ARRIVED == outcome) { /* connects */
        outcome = run_rounds(job, &transfer, role->peer, 1, limit, &seconds);
        *left -= seconds;
    }
    for (int rounds = 1; INFO_ARRIVED == outcome && !larger; rounds *= 2) {
        outcome = run_rounds(job, &transfer, role->peer, rounds, limit, &seconds);
        *left -= seconds;
        if (INFO_ARRIVED != outcome) {
            break;
        }
        *rate = (double) rounds * (double) transfer.bytes / seconds;
        larger = seconds / rounds < min_round && bytes < MAX_BYTES && *left > 4 * seconds;
        if (*left < 2 * seconds) {
            break;
        }
    }
    info_transfer_close(&transfer);
    if (INFO_ARRIVED != outcome) {
        *rate = 0.0;
    }
    return larger;
}

static double measure(const info_job_t *job, const role_t *role, double slot)
{
    double left = slot, rate = 0.0;
    size_t bytes = MIN_BYTES;

    while (sample(job, role, bytes, &left, &rate)) {
        bytes *= 4;
    }
    return rate;
}

/* ---- all paths ---- */

/* The paths from a peer; the sender learns their number from the receiver. */
static int count_paths(const info_job_t *job, const mca_part_ucx_info_t *table, const role_t *role,
                       mca_part_ucx_info_pair_t *met)
{
    int count = 0;

    if (role->sends) {
        MPI_Recv(&count, 1, MPI_INT, role->peer, TAG, job->world, MPI_STATUS_IGNORE);
    } else {
        count = table->pairs(job->world, role->peer, met, ROOM);
        MPI_Send(&count, 1, MPI_INT, role->peer, TAG, job->world);
    }
    return count;
}

/* In the slot after the last path, all; with one path that would be the same again. */
static void measure_slot(const info_job_t *job, const mca_part_ucx_info_t *table,
                         const role_t *role, int path, int count,
                         const mca_part_ucx_info_pair_t *met, double slot, info_list_t *rates)
{
    bool all = path == count;
    double rate;

    if (path > count || (all && 1 == count)) {
        return;
    }
    if (!role->sends) {
        table->only_pair(all ? -1 : path);
    }
    rate = measure(job, role, slot);
    if (!role->sends) {
        info_rate_t *result = info_list_add(rates);

        table->only_pair(-1);
        *result = (info_rate_t) {
            .from = role->peer, .to = job->rank, .path = all ? -1 : path, .bytes = rate};
        INFO_COPY(result->name, all ? "all" : met[path].remote);
    }
}

/* What a host does in a phase: 0, those with even numbers send; 1, those with odd numbers; 2, the
 * last of an odd number of hosts. */
static bool role_among_hosts(const info_job_t *job, const info_pairs_t *pairs, int phase,
                             role_t *role)
{
    bool odd = 1 == job->hosts % 2;

    for (int way = 0; way < 2; ++way) {
        int sender = 0 == way ? job->host : (job->host + job->hosts - 1) % job->hosts;
        bool last = odd && sender == job->hosts - 1;
        int peer = 0 == way ? (job->host + 1) % job->hosts : sender;

        if ((last ? 2 : sender % 2) == phase
            && info_pairs_can(job, pairs, pairs->leader[peer])) {
            *role = (role_t) {.peer = pairs->leader[peer], .sends = 0 == way};
            return true;
        }
    }
    return false;
}

static void measure_phase(const info_job_t *job, const mca_part_ucx_info_t *table, MPI_Comm comm,
                          const role_t *role, double seconds, info_list_t *rates)
{
    mca_part_ucx_info_pair_t met[ROOM];
    int count = NULL == role ? 0 : count_paths(job, table, role, met);
    int most = 0;

    MPI_Allreduce(&count, &most, 1, MPI_INT, MPI_MAX, comm);
    for (int path = 0; path <= most && most > 0; ++path) {
        double slot = seconds / (most + (most > 1 ? 1 : 0));

        info_step("measuring path %d", path);
        if (count > 0) {
            measure_slot(job, table, role, path, count, met, slot > min_slot ? slot : min_slot,
                         rates);
        }
        MPI_Barrier(comm);
    }
}

static void measure_hosts(const info_job_t *job, const mca_part_ucx_info_t *table,
                          const info_pairs_t *pairs, double seconds, info_list_t *rates)
{
    int phases = 2 + job->hosts % 2;

    for (int phase = 0; phase < phases; ++phase) {
        role_t role;
        bool takes_part = role_among_hosts(job, pairs, phase, &role);

        measure_phase(job, table, job->leaders, takes_part ? &role : NULL, seconds / phases,
                      rates);
    }
}

void info_bandwidth_measure(const info_job_t *job, const mca_part_ucx_info_t *table,
                            const info_pairs_t *pairs, double seconds, info_list_t *rates)
{
    info_step_longer(seconds);
    if (job->hosts > 1) {
        if (MPI_COMM_NULL != job->leaders) {
            measure_hosts(job, table, pairs, seconds, rates);
        }
    } else if (job->size > 1) {
        role_t role = {.peer = job->mate, .sends = 0 == job->local_rank};
        bool takes_part = job->mate >= 0 && info_pairs_can(job, pairs, job->mate);

        measure_phase(job, table, job->local, takes_part ? &role : NULL, seconds, rates);
    }
    info_step("waiting for the measurements of others");
    MPI_Barrier(job->world);
}
