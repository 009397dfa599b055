/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes have this component (see part_ucx_presence.h).
 */
#include "wireup/part_ucx_presence.h"

#include "wireup/part_ucx_published.h"
#include "wireup/part_ucx_wire.h"

#include <pmix.h>
#include <stdlib.h>
#include <string.h>

/* A process that has the component publishes this. */
#define PRESENCE_KEY "mpix.part.ucx"

/* Seconds that PMIx may look for something. */
#define ANSWER_WITHIN 5

/* What PMIx says. */
typedef enum answer_t {
    ANSWER_NONE,      /* nothing yet */
    ANSWER_FOUND,     /* the key; of the presence in our version */
    ANSWER_OTHER,     /* the presence, in another version */
    ANSWER_MISSING,   /* not found, where PMIx has looked */
    ANSWER_UNKNOWN,   /* it cannot tell */
    ANSWER_ABANDONED  /* nobody waits for it any more */
} answer_t;

/* What is asked for, one after the other. */
typedef enum step_t {
    STEP_FIRST, /* the presence, of this host's daemon: it may know nothing of the peer */
    STEP_PROOF, /* a key that the peer has published, if it uses the same transports as this
                 * process: does this host's daemon know any of them? */
    STEP_FETCH, /* the same, and PMIx fetches all that the peer has published */
    STEP_AGAIN, /* the presence: what is missing now is missing there */
    STEP_END
} step_t;

/* Belongs to the peer, and to PMIx while it has a question: who is last frees it. */
typedef struct mca_part_ucx_question_t {
    atomic_int answer; /* answer_t */
    step_t step;
    unsigned next; /* of STEP_PROOF and STEP_FETCH: the next key */
    bool lacks;    /* at the end */
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
    answer_t answer = PMIX_ERR_NOT_FOUND == status ? ANSWER_MISSING : ANSWER_UNKNOWN;

    if (PMIX_SUCCESS == status) {
        answer = STEP_PROOF == question->step || STEP_FETCH == question->step || NULL == value
                         || PART_UCX_WIRE_VERSION == value->data.uint32
                     ? ANSWER_FOUND
                     : ANSWER_OTHER;
    }
    if (ANSWER_ABANDONED == atomic_exchange(&question->answer, answer)) {
        free(question);
    }
}

/* Ask for a key; `here`: of what this host's daemon knows, else the peer's is asked, too. */
static void ask(mca_part_ucx_question_t *question, const char *key, bool here)
{
    int timeout = ANSWER_WITHIN;
    pmix_status_t status;

    atomic_store(&question->answer, ANSWER_NONE);
    PMIX_INFO_LOAD(&question->info[0], PMIX_TIMEOUT, &timeout, PMIX_INT);
    PMIX_INFO_LOAD(&question->info[1], PMIX_IMMEDIATE, &here, PMIX_BOOL);
    status = PMIx_Get_nb(&question->proc, key, question->info, here ? 2 : 1, answered, question);
    if (PMIX_SUCCESS != status) {
        answered(status, NULL, question); /* it has not taken the question */
    }
}

static void ask_for_presence(mca_part_ucx_question_t *question, step_t step)
{
    question->step = step;
    ask(question, PRESENCE_KEY, true);
}

/* For the next key of this step, or of the next one. */
static void ask_for_proof(mca_part_ucx_question_t *question, step_t step)
{
    char *key = mca_part_ucx_published_key(&question->next);

    if (NULL == key && STEP_PROOF == step) {
        question->next = 0;
        step = STEP_FETCH;
        key = mca_part_ucx_published_key(&question->next);
    }
    question->step = NULL == key ? STEP_END : step;
    if (NULL != key) {
        ask(question, key, STEP_PROOF == step);
        free(key);
    }
}

static void begin(mca_part_ucx_peer_t *peer)
{
    mca_part_ucx_question_t *question = calloc(1, sizeof(*question));

    if (NULL != question) {
        peer->question = question;
        OPAL_PMIX_CONVERT_NAME(&question->proc, &peer->proc->super.proc_name);
        ask_for_presence(question, STEP_FIRST);
    }
}

/* Is this host's daemon the peer's, too? Then what it does not know has not been published. */
static bool is_known_here(const mca_part_ucx_peer_t *peer)
{
    return OPAL_PROC_ON_LOCAL_NODE(peer->proc->super.proc_flags)
           && peer->proc->super.proc_name.jobid == OPAL_PROC_MY_NAME.jobid;
}

/* An answer has come. */
static void go_on(const mca_part_ucx_peer_t *peer, mca_part_ucx_question_t *question,
                  answer_t answer)
{
    bool proof = STEP_PROOF == question->step || STEP_FETCH == question->step;

    if (proof && ANSWER_FOUND == answer) {
        ask_for_presence(question, STEP_AGAIN);
    } else if (proof) {
        ask_for_proof(question, question->step);
    } else if (STEP_FIRST == question->step && ANSWER_MISSING == answer && !is_known_here(peer)) {
        ask_for_proof(question, STEP_PROOF);
    } else {
        question->lacks = ANSWER_OTHER == answer || ANSWER_MISSING == answer;
        question->step = STEP_END;
    }
}

bool mca_part_ucx_presence_lacks(mca_part_ucx_peer_t *peer)
{
    mca_part_ucx_question_t *question;
    answer_t answer;

    if (0 != peer->remotes) {
        return false; /* it has sent us something */
    }
    if (NULL == peer->question) {
        begin(peer);
    }
    question = peer->question;
    while (NULL != question && STEP_END != question->step
           && ANSWER_NONE != (answer = (answer_t) atomic_load(&question->answer))) {
        go_on(peer, question, answer);
    }
    return NULL != question && question->lacks;
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
