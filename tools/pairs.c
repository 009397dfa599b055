/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How hosts reach each other (see pairs.h).
 */
#include "pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "probe.h"
#include "transfer.h"

/* All hosts with all others may take this long; each transfer that long. */
static const double all_seconds = 20.0;
static const double transfer_seconds = 10.0;

enum { BYTES = 1 << 20, ROOM = 32, TAG = 11 };

/* ---- one pair ---- */

static void describe(const info_job_t *job, const mca_part_ucx_info_t *table, info_pair_t *pair)
{
    mca_part_ucx_info_pair_t met[ROOM];
    int count = table->pairs(job->world, pair->from, met, ROOM);
    char limit[INFO_WORD] = "";
    const char *small, *large;

    pair->paths = count;
    if (0 == count) {
        return;
    }
    INFO_COPY(pair->kind, PART_UCX_DEVICE_SHARED == met[0].kind ? "shared memory"
                          : PART_UCX_DEVICE_TCP == met[0].kind  ? "tcp"
                                                                : "rdma");
    INFO_COPY(pair->transports, met[0].transports);
    pair->chosen = met[0].chosen;
    for (int i = 0; i < count; ++i) {
        info_append(pair->meets, sizeof(pair->meets), "%s%s-%s", 0 == i ? "" : " ", met[i].remote,
                    met[i].local);
    }
    small = table->delivery(met[0].kind, 1);
    large = table->delivery(met[0].kind, BYTES);
    if (0 == strcmp(small, large)) {
        INFO_COPY(pair->delivery, small);
    } else {
        (void) bench_cvar_text("part_ucx_message_limit", limit, sizeof(limit));
        snprintf(pair->delivery, sizeof(pair->delivery), "%s up to %s bytes, then %s", small, limit,
                 large);
    }
}

/* Both know the worse outcome. */
static info_outcome_t agree(const info_job_t *job, int peer, info_outcome_t mine)
{
    int ours = (int) mine, theirs = 0;

    MPI_Sendrecv(&ours, 1, MPI_INT, peer, TAG, &theirs, 1, MPI_INT, peer, TAG, job->world,
                 MPI_STATUS_IGNORE);
    return (info_outcome_t) (ours > theirs ? ours : theirs);
}

/* One direction; both ends call it. */
static void try_direction(const info_job_t *job, const mca_part_ucx_info_t *table, int from, int to,
                          info_list_t *results)
{
    bool sends = job->rank == from;
    int peer = sends ? to : from;
    info_transfer_t transfer;
    info_outcome_t outcome;
    info_pair_t *pair;

    info_step("moving data from rank %d to rank %d", from, to);
    outcome = agree(job, peer, info_transfer_open(&transfer, job->world, peer, sends, BYTES));
    if (INFO_ARRIVED == outcome) {
        outcome = info_transfer_round(&transfer, transfer_seconds);
        if (!sends && INFO_ARRIVED == outcome && !info_transfer_is_right(&transfer)) {
            outcome = INFO_WRONG;
        }
        outcome = agree(job, peer, outcome);
    }
    info_transfer_close(&transfer);
    if (sends) {
        return;
    }
    pair = info_list_add(results);
    *pair = (info_pair_t) {.from = from, .to = to, .tried = true};
    pair->works = INFO_ARRIVED == outcome;
    INFO_COPY(pair->problem, info_transfer_text(outcome));
    describe(job, table, pair);
}

bool info_pairs_can(const info_job_t *job, const info_pairs_t *pairs, int peer)
{
    return 0 != pairs->wire[peer] && pairs->wire[peer] == pairs->wire[job->rank]
           && !pairs->cut[peer];
}

/* Both directions, after a look whether UCX would be stuck. */
static void try_pair(const info_job_t *job, const mca_part_ucx_info_t *table, info_pairs_t *pairs,
                     int peer, const info_list_t *devices, info_list_t *results)
{
    int low = job->rank < peer ? job->rank : peer, high = job->rank < peer ? peer : job->rank;
    bool tried = info_pairs_can(job, pairs, peer);
    char problem[INFO_TEXT] = "";

    if (tried && peer != job->mate) {
        info_step("connecting rank %d to rank %d", low, high);
        info_probe(job, peer, devices, job->rank == low, problem, sizeof(problem));
        pairs->cut[peer] = '\0' != problem[0];
    }
    if (info_pairs_can(job, pairs, peer)) {
        try_direction(job, table, low, high, results);
        try_direction(job, table, high, low, results);
    } else if (job->rank == high) {
        info_pair_t *pair = info_list_add(results);

        *pair = (info_pair_t) {.from = low, .to = high, .tried = tried};
        INFO_COPY(pair->problem, problem);
    }
}

/* ---- all of them ---- */

void info_pairs_begin(const info_job_t *job, int wire, info_pairs_t *pairs)
{
    pairs->wire = calloc((size_t) job->size, sizeof(*pairs->wire));
    pairs->leader = calloc((size_t) job->hosts, sizeof(*pairs->leader));
    pairs->cut = calloc((size_t) job->size, sizeof(*pairs->cut));
    pairs->untried = 0;
    if (NULL == pairs->wire || NULL == pairs->leader || NULL == pairs->cut) {
        info_die("out of memory");
    }
    MPI_Allgather(&wire, 1, MPI_INT, pairs->wire, 1, MPI_INT, job->world);
    if (MPI_COMM_NULL != job->leaders) {
        MPI_Allgather(&job->rank, 1, MPI_INT, pairs->leader, 1, MPI_INT, job->leaders);
    }
    MPI_Bcast(pairs->leader, job->hosts, MPI_INT, 0, job->local);
}

/*
 * Whom a host meets in a round in which all hosts have something to do, as in a tournament: with an
 * even number of hosts, those whose numbers add up to the round's (modulo all but the last) meet,
 * and who would meet itself meets the last. -1: nobody.
 */
static int partner_of(int host, int hosts, int round)
{
    int even = hosts + hosts % 2;
    int others = even - 1;
    int partner;

    if (host == others) {
        /* The host h with h + h = round. */
        partner = 0 == round % 2 ? round / 2 : (round + others) / 2;
    } else {
        partner = ((round - host) % others + others) % others;
        partner = partner == host ? others : partner;
    }
    return partner < hosts ? partner : -1;
}

static void try_hosts(const info_job_t *job, const mca_part_ucx_info_t *table, info_pairs_t *pairs,
                      const info_list_t *devices, info_list_t *results)
{
    int rounds = job->hosts - 1 + job->hosts % 2;
    double deadline = info_now() + all_seconds;
    int goes_on = 1;

    for (int round = 0; round < rounds && job->hosts > 1; ++round) {
        int partner = partner_of(job->host, job->hosts, round);

        goes_on = info_now() < deadline;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, job->leaders);
        if (!goes_on) {
            pairs->untried = (rounds - round) * (job->hosts / 2);
            return;
        }
        if (partner >= 0) {
            try_pair(job, table, pairs, pairs->leader[partner], devices, results);
        }
    }
}

void info_pairs_try(const info_job_t *job, const mca_part_ucx_info_t *table, info_pairs_t *pairs,
                    const info_list_t *devices, info_list_t *results)
{
    if (job->mate >= 0) {
        try_pair(job, table, pairs, job->mate, devices, results);
    }
    if (MPI_COMM_NULL != job->leaders) {
        try_hosts(job, table, pairs, devices, results);
    }
    info_step("waiting for the other processes");
    MPI_Barrier(job->world);
}

void info_pairs_free(info_pairs_t *pairs)
{
    free(pairs->wire);
    free(pairs->leader);
    free(pairs->cut);
}
