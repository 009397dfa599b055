/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes have this component (see part_ucx_presence.h).
 */
#include "wireup/part_ucx_presence.h"

#include "wireup/part_ucx_wire.h"

#include <pmix.h>
#include <stdlib.h>
#include <string.h>

/* A process that has the component publishes this. */
#define PRESENCE_KEY "mpix.part.ucx"

/* Seconds that PMIx may look for it. */
#define ANSWER_WITHIN 5

typedef enum answer_t {
    ANSWER_NONE,      /* yet */
    ANSWER_OTHER,     /* it has the component, or nobody can tell */
    ANSWER_ABSENT,    /* a clear no */
    ANSWER_ABANDONED  /* nobody waits for it any more */
} answer_t;

/* Belongs to the peer, and to PMIx until it has answered: who is last frees it. */
typedef struct mca_part_ucx_question_t {
    atomic_int answer; /* answer_t */
    pmix_proc_t proc;
    pmix_info_t info[2];
} mca_part_ucx_question_t;

void mca_part_ucx_presence_announce(void)
{
    pmix_value_t value;

    memset(&value, 0, sizeof(value));
    value.type = PMIX_UINT32;
    value.data.uint32 = PART_UCX_WIRE_VERSION;
    if (PMIX_SUCCESS == PMIx_Put(PMIX_GLOBAL, PRESENCE_KEY, &value)) {
        (void) PMIx_Commit();
    }
}

/* In PMIx's thread. */
static void answered(pmix_status_t status, pmix_value_t *value, void *context)
{
    mca_part_ucx_question_t *question = context;
    bool absent = PMIX_ERR_NOT_FOUND == status; /* only a clear no is a no */

    if (PMIX_SUCCESS == status && NULL != value) {
        absent = PART_UCX_WIRE_VERSION != value->data.uint32;
    }
    if (ANSWER_ABANDONED
        == atomic_exchange(&question->answer, absent ? ANSWER_ABSENT : ANSWER_OTHER)) {
        free(question);
    }
}

/* Asks the peer's daemon, not the process. */
static void ask(mca_part_ucx_peer_t *peer)
{
    mca_part_ucx_question_t *question = calloc(1, sizeof(*question));
    pmix_status_t status;
    bool immediate = true;
    int timeout = ANSWER_WITHIN;

    if (NULL == question) {
        return;
    }
    peer->question = question;
    OPAL_PMIX_CONVERT_NAME(&question->proc, &peer->proc->super.proc_name);
    PMIX_INFO_LOAD(&question->info[0], PMIX_IMMEDIATE, &immediate, PMIX_BOOL);
    PMIX_INFO_LOAD(&question->info[1], PMIX_TIMEOUT, &timeout, PMIX_INT);
    status = PMIx_Get_nb(&question->proc, PRESENCE_KEY, question->info, 2, answered, question);
    if (PMIX_SUCCESS != status) {
        answered(status, NULL, question); /* it has not taken the question */
    }
}

bool mca_part_ucx_presence_lacks(mca_part_ucx_peer_t *peer)
{
    if (0 != peer->remotes) {
        return false; /* it has sent us something */
    }
    if (NULL == peer->question) {
        ask(peer);
    }
    return NULL != peer->question && ANSWER_ABSENT == atomic_load(&peer->question->answer);
}

void mca_part_ucx_presence_forget(mca_part_ucx_peer_t *peer)
{
    mca_part_ucx_question_t *question = peer->question;

    peer->question = NULL;
    if (NULL != question
        && ANSWER_NONE != atomic_exchange(&question->answer, ANSWER_ABANDONED)) {
        free(question);
    }
}
