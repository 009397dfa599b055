/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes serve persistent collectives (see coll_pschedule_peers.h).
 */
#include "persistent/coll_pschedule_peers.h"

#include "call/coll_pschedule_call.h"
#include "call/coll_pschedule_help.h"
#include "persistent/coll_pschedule_settings.h"
#include "persistent/coll_pschedule_verdict.h"
#include "plan/coll_pschedule_mix.h"

#include "api/part_ucx_link.h"
#include "api/part_ucx_modex.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "ompi/runtime/ompi_rte.h"
#include "opal/runtime/opal_progress.h"

/* A process that serves publishes a number under this. */
#define PEERS_KEY "mpix.coll.pschedule"

/* Changes with whatever lets ranks decide otherwise, or meet otherwise in init: the ballot, the
 * agreements and their order, the algorithms, how one is chosen, its plans, the rounds of a
 * contest. */
#define RULES_VERSION 2u

/* Questions to PMIx at a time. */
#define AT_A_TIME 64

/* So often a process is asked about while PMIx has no answer: its daemon may be busy. A rank that
 * gives up leaves the others waiting. */
#define TRIES 6

/* Milliseconds before the second time; one more such time before each next one. */
#define PAUSE_MS 100

typedef enum known_t { KNOWN_NOT, KNOWN_HAS, KNOWN_LACKS } known_t;

/* Per process of this job what is known; under `lock`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *known;
static uint32_t known_count;

/* Set when this process announces itself. */
static uint32_t our_number;

/*
 * Who has another version, or other settings, decides otherwise, so it counts as one without. With
 * another priority it may not be asked at all: components above it are.
 */
static uint32_t number(int priority)
{
    bool chooses = COLL_PSCHEDULE_MODE_AUTO == mca_coll_pschedule_settings.mode;
    const uint32_t part[] = {
        COLL_PSCHEDULE_CALL_VERSION, PART_UCX_LINK_VERSION, RULES_VERSION, (uint32_t) priority,
        (uint32_t) mca_coll_pschedule_settings.mode,
        chooses ? mca_coll_pschedule_verdict_number() : 0,
        chooses ? mca_coll_pschedule_settings.trial : 0,
        chooses && mca_coll_pschedule_settings.inexact,
        chooses ? mca_coll_pschedule_tuning_persistent_number(mca_coll_pschedule_settings.tuning)
                : 0};
    uint32_t mixed = 0;

    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); ++i) {
        mixed = mca_coll_pschedule_mix(mixed, part[i]);
    }
    return mixed;
}

void mca_coll_pschedule_peers_announce(int priority)
{
    our_number = number(priority);
    /* Whom the others cannot see must not serve either: they would not come. */
    if (!mca_part_ucx_modex_put(PEERS_KEY, our_number)) {
        mca_coll_pschedule_settings.mode = COLL_PSCHEDULE_MODE_OFF;
    }
}

static known_t look_up(uint32_t vpid)
{
    known_t result = KNOWN_NOT;

    pthread_mutex_lock(&lock);
    if (vpid < known_count) {
        result = (known_t) known[vpid];
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* Without memory the next communicator asks again. */
static void note(uint32_t vpid, known_t what)
{
    pthread_mutex_lock(&lock);
    if (vpid >= known_count) {
        unsigned char *longer = realloc(known, (size_t) vpid + 1);

        if (NULL != longer) {
            for (uint32_t i = known_count; i <= vpid; ++i) {
                longer[i] = KNOWN_NOT;
            }
            known = longer;
            known_count = vpid + 1;
        }
    }
    if (vpid < known_count) {
        known[vpid] = (unsigned char) what;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- asking ---- */

/* Some ranks of a communicator, and what has been asked about each. */
typedef struct round_t {
    int count;
    ompi_proc_t *proc[AT_A_TIME];
    uint32_t vpid[AT_A_TIME];
    mca_part_ucx_modex_query_t *query[AT_A_TIME];
} round_t;

/* PMIx limits the time that an answer takes. */
static mca_part_ucx_answer_t await(mca_part_ucx_modex_query_t *query)
{
    mca_part_ucx_answer_t answer = PART_UCX_ANSWER_UNKNOWN;

    if (NULL != query) {
        while (PART_UCX_ANSWER_PENDING == (answer = mca_part_ucx_modex_look(query))) {
            opal_progress();
        }
        mca_part_ucx_modex_drop(query);
    }
    return answer;
}

static void pause_before(int try)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    for (int i = 0; i < try * PAUSE_MS; ++i) {
        nanosleep(&moment, NULL);
        opal_progress();
    }
}

static mca_part_ucx_answer_t answer_about(const round_t *round, int i)
{
    mca_part_ucx_answer_t answer = await(round->query[i]);

    for (int try = 1; PART_UCX_ANSWER_UNKNOWN == answer && try < TRIES; ++try) {
        pause_before(try);
        answer = await(mca_part_ucx_modex_ask(round->proc[i], PEERS_KEY, our_number));
    }
    return answer;
}

/* Wait for all answers. False: there is one missing. */
static bool end_round(round_t *round, bool *all)
{
    bool good = true;

    for (int i = 0; i < round->count; ++i) {
        mca_part_ucx_answer_t answer = answer_about(round, i);

        if (PART_UCX_ANSWER_UNKNOWN == answer) {
            mca_coll_pschedule_help("no-answer", (int) round->vpid[i]);
            good = false;
            continue;
        }
        note(round->vpid[i], PART_UCX_ANSWER_HAS == answer ? KNOWN_HAS : KNOWN_LACKS);
        *all = *all && PART_UCX_ANSWER_HAS == answer;
    }
    round->count = 0;
    return good;
}

static void ask(ompi_communicator_t *comm, int rank, uint32_t vpid, round_t *round)
{
    int i = round->count++;

    round->vpid[i] = vpid;
    round->proc[i] = ompi_comm_peer_lookup(comm, rank);
    round->query[i] = mca_part_ucx_modex_ask(round->proc[i], PEERS_KEY, our_number);
}

/* All ranks of one job? */
static bool is_one_job(const ompi_communicator_t *comm)
{
    for (int i = 0; i < ompi_comm_size(comm); ++i) {
        if (ompi_group_get_proc_name(comm->c_local_group, i).jobid != OPAL_PROC_MY_NAME.jobid) {
            return false;
        }
    }
    return true;
}

int mca_coll_pschedule_peers_ask(ompi_communicator_t *comm, bool *all)
{
    round_t round = {.count = 0};
    bool good = true;

    *all = is_one_job(comm);
    for (int i = 0; i < ompi_comm_size(comm) && *all; ++i) {
        uint32_t vpid = ompi_group_get_proc_name(comm->c_local_group, i).vpid;
        known_t what = look_up(vpid);

        *all = KNOWN_LACKS != what;
        if (KNOWN_NOT == what && i != ompi_comm_rank(comm)) {
            ask(comm, i, vpid, &round);
        }
        if (AT_A_TIME == round.count) {
            good = end_round(&round, all) && good;
        }
    }
    good = end_round(&round, all) && good;
    /* A proven no is enough. */
    return good || !*all ? MPI_SUCCESS : MPI_ERR_OTHER;
}
