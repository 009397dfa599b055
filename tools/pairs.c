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

/* All hosts with all others may take this long; the transfers of a direction that long, and one
 * of several not less than this. */
static const double all_seconds = 20.0;
static const double transfer_seconds = 10.0;
static const double least_seconds = 1.0;

/* Time to learn of each other's paths. */
static const double meeting_seconds = 3.0;

enum { BYTES = 1 << 20, ROOM = 32, TAG = 11, MEETING_TAG = 14 };

/* ---- which paths are dead ---- */

/* A send that is never started, and so connects nothing, brings the peer our paths. */
static int introduce(const info_job_t *job, const mca_part_ucx_info_t *table, int peer,
                     mca_part_ucx_info_pair_t *met)
{
    double deadline = info_now() + meeting_seconds;
    int count = 0, ignored;
    MPI_Request request;
    char byte = 0;
    int rc = MPI_Psend_init(&byte, 1, 1, MPI_BYTE, peer, MEETING_TAG, job->world, MPI_INFO_NULL,
                            &request);

    do {
        MPI_Iprobe(peer, MEETING_TAG, job->world, &ignored, MPI_STATUS_IGNORE); /* progress */
        count = table->pairs(job->world, peer, met, ROOM);
    } while (0 == count && info_now() < deadline);
    /* Withdrawn when both have heard. */
    MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, TAG, NULL, 0, MPI_BYTE, peer, TAG, job->world,
                 MPI_STATUS_IGNORE);
    if (MPI_SUCCESS == rc) {
        MPI_Request_free(&request);
    }
    return count;
}

void info_pairs_probe(const info_job_t *job, const mca_part_ucx_info_t *table, info_pairs_t *pairs,
                      int peer, const info_list_t *devices, char *problem, size_t size)
{
    mca_part_ucx_info_pair_t met[ROOM];
    int count;

    problem[0] = '\0';
    if (pairs->probed[peer] || peer == job->mate) {
        return;
    }
    info_step("connecting rank %d and rank %d", job->rank, peer);
    count = introduce(job, table, peer, met);
    pairs->dead[peer] = info_probe(job, peer, devices, met, count, problem, size);
    pairs->probed[peer] = true;
}

/* ---- one pair ---- */

static void name_path(const mca_part_ucx_info_pair_t *met, char *names, size_t size)
{
    info_append(names, size, "%s%s-%s", '\0' == names[0] ? "" : " ", met->remote, met->local);
}

static void describe(const info_job_t *job, const mca_part_ucx_info_t *table, uint32_t dead,
                     info_pair_t *pair)
{
    mca_part_ucx_info_pair_t met[ROOM];
    int count = table->pairs(job->world, pair->from, met, ROOM);
    char limit[INFO_WORD] = "";
    const char *small, *large;
    int first = 0;

    pair->paths = count;
    if (0 == count) {
        return;
    }
    INFO_COPY(pair->kind, PART_UCX_DEVICE_SHARED == met[0].kind ? "shared memory"
                          : PART_UCX_DEVICE_TCP == met[0].kind  ? "tcp"
                                                                : "rdma");
    for (int i = count - 1; i >= 0; --i) {
        first = 0 == (dead >> i & 1) ? i : first;
    }
    INFO_COPY(pair->transports, met[first].transports);
    pair->chosen = met[first].chosen;
    for (int i = 0; i < count; ++i) {
        name_path(&met[i], pair->meets, sizeof(pair->meets));
        if (0 != (dead >> i & 1)) {
            name_path(&met[i], pair->dead, sizeof(pair->dead));
        }
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

/* One transfer; both ends call it. */
static info_outcome_t try_transfer(const info_job_t *job, int peer, bool sends, double seconds)
{
    info_transfer_t transfer;
    info_outcome_t outcome
        = agree(job, peer, info_transfer_open(&transfer, job->world, peer, sends, BYTES));

    if (INFO_ARRIVED == outcome) {
        outcome = info_transfer_round(&transfer, seconds);
        if (!sends && INFO_ARRIVED == outcome && !info_transfer_is_right(&transfer)) {
            outcome = INFO_WRONG;
        }
        outcome = agree(job, peer, outcome);
    }
    info_transfer_close(&transfer);
    return outcome;
}

/* Time of each of so many transfers. */
static double share(int transfers)
{
    double seconds = transfer_seconds / (transfers > 1 ? transfers : 1);

    return seconds > least_seconds ? seconds : least_seconds;
}

/* The receiver chooses the paths; the sender learns how many transfers there will be. */
static void send_all(const info_job_t *job, int peer)
{
    int transfers = 0;

    MPI_Recv(&transfers, 1, MPI_INT, peer, TAG, job->world, MPI_STATUS_IGNORE);
    for (int i = 0; i < transfers; ++i) {
        (void) try_transfer(job, peer, true, share(transfers));
    }
}

/* Over all paths at once; if some are dead, over each of the others. Whether all has arrived. */
static bool receive_all(const info_job_t *job, const mca_part_ucx_info_t *table, uint32_t dead,
                        info_pair_t *pair)
{
    mca_part_ucx_info_pair_t met[ROOM];
    int count = 0 == dead ? 0 : table->pairs(job->world, pair->from, met, ROOM);
    int transfers = 0 == dead ? 1 : count - __builtin_popcount(dead);
    info_outcome_t outcome, worst = INFO_ARRIVED;

    MPI_Send(&transfers, 1, MPI_INT, pair->from, TAG, job->world);
    if (0 == dead) {
        worst = try_transfer(job, pair->from, false, share(1));
        INFO_COPY(pair->problem, info_transfer_text(worst));
    }
    for (int path = 0; path < count; ++path) {
        if (0 != (dead >> path & 1)) {
            continue;
        }
        table->only_pair(path);
        outcome = try_transfer(job, pair->from, false, share(transfers));
        if (INFO_ARRIVED != outcome) {
            worst = outcome;
            info_append(pair->problem, sizeof(pair->problem), "; over %s, %s", met[path].remote,
                        info_transfer_text(outcome));
        }
    }
    table->only_pair(-1);
    return INFO_ARRIVED == worst;
}

/* One direction; both ends call it. `problem` says what is dead. */
static void try_direction(const info_job_t *job, const mca_part_ucx_info_t *table,
                          const info_pairs_t *pairs, int from, int to, const char *problem,
                          info_list_t *results)
{
    info_pair_t *pair;

    info_step("moving data from rank %d to rank %d", from, to);
    if (job->rank == from) {
        send_all(job, to);
        return;
    }
    pair = info_list_add(results);
    *pair = (info_pair_t) {.from = from, .to = to, .tried = true};
    INFO_COPY(pair->problem, problem);
    pair->works = receive_all(job, table, pairs->dead[from], pair) && 0 == pairs->dead[from];
    describe(job, table, pairs->dead[from], pair);
}

bool info_pairs_can(const info_job_t *job, const info_pairs_t *pairs, int peer)
{
    return 0 != pairs->wire[peer] && pairs->wire[peer] == pairs->wire[job->rank];
}

/* Both directions, after a look at which paths UCX would be stuck. */
static void try_pair(const info_job_t *job, const mca_part_ucx_info_t *table, info_pairs_t *pairs,
                     int peer, const info_list_t *devices, info_list_t *results)
{
    int low = job->rank < peer ? job->rank : peer, high = job->rank < peer ? peer : job->rank;
    char problem[INFO_TEXT];

    if (info_pairs_can(job, pairs, peer)) {
        info_pairs_probe(job, table, pairs, peer, devices, problem, sizeof(problem));
        try_direction(job, table, pairs, low, high, problem, results);
        try_direction(job, table, pairs, high, low, problem, results);
    } else if (job->rank == high) {
        info_pair_t *pair = info_list_add(results);

        *pair = (info_pair_t) {.from = low, .to = high};
    }
}

/* ---- all of them ---- */

void info_pairs_begin(const info_job_t *job, int wire, info_pairs_t *pairs)
{
    pairs->wire = calloc((size_t) job->size, sizeof(*pairs->wire));
    pairs->leader = calloc((size_t) job->hosts, sizeof(*pairs->leader));
    pairs->dead = calloc((size_t) job->size, sizeof(*pairs->dead));
    pairs->probed = calloc((size_t) job->size, sizeof(*pairs->probed));
    pairs->untried = 0;
    if (NULL == pairs->wire || NULL == pairs->leader || NULL == pairs->dead
        || NULL == pairs->probed) {
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
    /* Leaders may begin with a pair in the last moment, and each of its paths may be silent. */
    info_step_longer(all_seconds + 2 * (meeting_seconds + ROOM * least_seconds));
    info_step("waiting for the other processes");
    MPI_Barrier(job->world);
    info_step_longer(0.0);
}

void info_pairs_free(info_pairs_t *pairs)
{
    free(pairs->wire);
    free(pairs->leader);
    free(pairs->dead);
    free(pairs->probed);
}
