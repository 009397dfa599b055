/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes have the component, and serve persistent collectives (see
 * coll_pschedule_peers.h).
 */
#include "call/coll_pschedule_peers.h"

#include "call/coll_pschedule_call.h"
#include "plan/coll_pschedule_mix.h"

#include "api/part_ucx_link.h"
#include "api/part_ucx_modex.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "ompi/runtime/ompi_rte.h"
#include "opal/runtime/opal_progress.h"

/* A process that has the component publishes two numbers under this. The lower half is that of the
 * rules, the upper one says what it serves. */
#define PEERS_KEY "mpix.coll.pschedule"

/* Changes with whatever lets ranks decide otherwise, or meet otherwise in init: the ballot, the
 * agreements and their order, the algorithms, how one is chosen, its plans, the rounds of a
 * contest. */
#define RULES_VERSION 6u

/* Questions to PMIx at a time. */
#define AT_A_TIME 64

/* So often a process is asked about while PMIx has no answer: its daemon may be busy. A rank that
 * gives up leaves the others waiting. */
#define TRIES 6

/* Milliseconds before the second time; one more such time before each next one. */
#define PAUSE_MS 100

/* Of a process. */
typedef enum known_t {
    KNOWN_NOT,
    KNOWN_STRANGER, /* has not the component, or another version */
    KNOWN_MEETS,    /* has it */
    KNOWN_SERVES    /* and serves what this process does */
} known_t;

/* Per process of this job what is known; under `lock`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *known;
static uint32_t known_count;

/* What this process publishes. Set when it announces itself; 0: PMIx has not taken it. */
static uint64_t our_number;

static uint32_t rules(void)
{
    const uint32_t version[] = {COLL_PSCHEDULE_CALL_VERSION, PART_UCX_LINK_VERSION, RULES_VERSION};

    return mca_coll_pschedule_mix_all(0, version, sizeof(version) / sizeof(version[0]));
}

/* What another number has been compared with does not count: MPI may begin once more (sessions). */
void mca_coll_pschedule_peers_announce(uint32_t serves)
{
    uint64_t number = (uint64_t) serves << 32 | rules();

    our_number = mca_part_ucx_modex_put(PEERS_KEY, number) ? number : 0;
    pthread_mutex_lock(&lock);
    known_count = 0;
    pthread_mutex_unlock(&lock);
}

static known_t meaning_of(uint64_t number)
{
    if ((uint32_t) number != (uint32_t) our_number) {
        return KNOWN_STRANGER;
    }
    return number == our_number && 0 != number >> 32 ? KNOWN_SERVES : KNOWN_MEETS;
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
    int rank[AT_A_TIME];
    opal_process_name_t name[AT_A_TIME];
    bool local[AT_A_TIME];
    mca_part_ucx_modex_query_t *query[AT_A_TIME];
} round_t;

/* PMIx limits the time that an answer takes. */
static known_t await(mca_part_ucx_modex_query_t *query)
{
    mca_part_ucx_answer_t answer = PART_UCX_ANSWER_UNKNOWN;
    uint64_t number = 0;

    if (NULL != query) {
        while (PART_UCX_ANSWER_PENDING == (answer = mca_part_ucx_modex_look(query, &number))) {
            opal_progress();
        }
        mca_part_ucx_modex_drop(query);
    }
    switch (answer) {
    case PART_UCX_ANSWER_HAS:
        return meaning_of(number);
    case PART_UCX_ANSWER_LACKS:
        return KNOWN_STRANGER;
    default:
        return KNOWN_NOT;
    }
}

static void pause_before(int try)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    for (int i = 0; i < try * PAUSE_MS; ++i) {
        nanosleep(&moment, NULL);
        opal_progress();
    }
}

static known_t answer_about(const round_t *round, int i)
{
    known_t what = await(round->query[i]);

    for (int try = 1; KNOWN_NOT == what && try < TRIES; ++try) {
        pause_before(try);
        what = await(mca_part_ucx_modex_ask(&round->name[i], round->local[i], PEERS_KEY));
    }
    return what;
}

/* What is known of a rank, or that nothing is. */
static void count_in(mca_coll_pschedule_peers_t *peers, int rank, uint32_t vpid, known_t what)
{
    peers->serve = peers->serve && KNOWN_SERVES == what;
    if (KNOWN_NOT == what) {
        peers->unanswered = (long) vpid;
    } else if (KNOWN_STRANGER == what && (peers->stranger < 0 || rank < peers->stranger)) {
        peers->stranger = rank;
    }
}

/* Wait for all answers. */
static void end_round(round_t *round, mca_coll_pschedule_peers_t *peers)
{
    for (int i = 0; i < round->count; ++i) {
        known_t what = answer_about(round, i);

        note(round->name[i].vpid, what);
        count_in(peers, round->rank[i], round->name[i].vpid, what);
    }
    round->count = 0;
}

/* Open MPI keeps no more than the names of processes of other nodes that nobody has talked to yet;
 * asking for these leaves it at that. */
static void ask(ompi_communicator_t *comm, int rank, const opal_process_name_t *name,
                round_t *round)
{
    const ompi_proc_t *proc = ompi_group_peer_lookup_existing(comm->c_local_group, rank);
    int i = round->count++;

    round->rank[i] = rank;
    round->name[i] = *name;
    round->local[i] = NULL != proc && OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags);
    round->query[i] = mca_part_ucx_modex_ask(name, round->local[i], PEERS_KEY);
}

/* About all, up to the first stranger that is known already. */
static void ask_all(ompi_communicator_t *comm, mca_coll_pschedule_peers_t *peers)
{
    round_t round = {.count = 0};

    for (int i = 0; i < ompi_comm_size(comm) && peers->stranger < 0; ++i) {
        opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, i);
        known_t what;

        if (name.jobid != OPAL_PROC_MY_NAME.jobid) {
            peers->serve = false;
            continue;
        }
        what = i == ompi_comm_rank(comm) ? meaning_of(our_number) : look_up(name.vpid);
        if (KNOWN_NOT == what) {
            ask(comm, i, &name, &round);
        } else {
            count_in(peers, i, name.vpid, what);
        }
        if (AT_A_TIME == round.count) {
            end_round(&round, peers);
        }
    }
    end_round(&round, peers);
}

void mca_coll_pschedule_peers_ask(ompi_communicator_t *comm, mca_coll_pschedule_peers_t *peers)
{
    if (peers->known) {
        return;
    }
    *peers = (mca_coll_pschedule_peers_t) {.stranger = -1, .serve = true, .unanswered = -1};
    if (0 == our_number) {
        peers->stranger = ompi_comm_rank(comm);
    } else {
        ask_all(comm, peers);
    }
    /* A stranger is enough. */
    peers->known = peers->unanswered < 0 || peers->stranger >= 0;
}
