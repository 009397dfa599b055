/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How fast each path is (see bandwidth.h).
 */
#include "bandwidth.h"


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
    uint32_t dead; /* bits of the paths over which nothing arrives */
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

/* The paths from a peer, and which of them are dead; the sender learns it from the receiver. */
static int count_paths(const info_job_t *job, const mca_part_ucx_info_t *table,
                       const info_pairs_t *pairs, role_t *role, mca_part_ucx_info_pair_t *met)
{
    uint32_t message[2] = {0, pairs->dead[role->peer]};

    if (role->sends) {
        MPI_Recv(message, 2, MPI_UINT32_T, role->peer, TAG, job->world, MPI_STATUS_IGNORE);
    } else {
        message[0] = (uint32_t) table->pairs(job->world, role->peer, met, ROOM);
        MPI_Send(message, 2, MPI_UINT32_T, role->peer, TAG, job->world);
    }
    role->dead = message[1];
    return (int) message[0];
}

/* In the slot after the last path, all; with one path that would be the same again, and with a dead
 * one it would not end. A path that is known to be dead is not tried. */
static void measure_slot(const info_job_t *job, const mca_part_ucx_info_t *table, role_t *role,
                         int path, int count, const mca_part_ucx_info_pair_t *met, double slot,
                         info_list_t *rates)
{
    bool all = path == count;
    bool dead = !all && 0 != (role->dead >> path & 1);
    double rate;

    if (path > count || (all && (1 == count || 0 != role->dead))) {
        return;
    }
    if (!role->sends) {
        table->only_pair(all ? -1 : path);
    }
    rate = dead ? 0.0 : measure(job, role, slot);
    if (!all && 0.0 == rate) {
        role->dead |= UINT32_C(1) << path; /* at both ends: they agree on rates of zero */
    }
    if (!role->sends) {
        info_rate_t *result = info_list_add(rates);

        table->only_pair(-1);
        *result = (info_rate_t) {.from = role->peer, .to = job->rank, .path = all ? -1 : path,
                                 .bytes = rate, .dead = dead};
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

static void measure_phase(const info_job_t *job, const mca_part_ucx_info_t *table,
                          const info_pairs_t *pairs, MPI_Comm comm, role_t *role, double seconds,
                          info_list_t *rates)
{
    mca_part_ucx_info_pair_t met[ROOM];
    int count = NULL == role ? 0 : count_paths(job, table, pairs, role, met);
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
                          info_pairs_t *pairs, const info_list_t *devices, double seconds,
                          info_list_t *rates)
{
    int phases = 2 + job->hosts % 2;

    for (int phase = 0; phase < phases; ++phase) {
        char told[INFO_TEXT];
        role_t role;
        bool takes_part = role_among_hosts(job, pairs, phase, &role);

        if (takes_part) { /* there may not have been time for this pair */
            info_pairs_probe(job, table, pairs, role.peer, devices, told, sizeof(told));
        }
        measure_phase(job, table, pairs, job->leaders, takes_part ? &role : NULL,
                      seconds / phases, rates);
    }
}

void info_bandwidth_measure(const info_job_t *job, const mca_part_ucx_info_t *table,
                            info_pairs_t *pairs, const info_list_t *devices, double seconds,
                            info_list_t *rates)
{
    info_step_longer(seconds);
    if (job->hosts > 1) {
        if (MPI_COMM_NULL != job->leaders) {
            measure_hosts(job, table, pairs, devices, seconds, rates);
        }
    } else if (job->size > 1) {
        role_t role = {.peer = job->mate, .sends = 0 == job->local_rank};
        bool takes_part = job->mate >= 0 && info_pairs_can(job, pairs, job->mate);

        measure_phase(job, table, pairs, job->local, takes_part ? &role : NULL, seconds, rates);
    }
    /* Leaders may try every path in each of three phases, and find that it is silent. */
    info_step_longer(seconds + 3 * (ROOM + 3) * (round_extra + min_slot));
    info_step("waiting for the measurements of others");
    MPI_Barrier(job->world);
    info_step_longer(0.0);
}
