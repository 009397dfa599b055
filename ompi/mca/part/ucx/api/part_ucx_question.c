/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes have a component (see part_ucx_question.h).
 */
#include "api/part_ucx_question.h"

#include "api/part_ucx_published.h"

#include <pmix.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/proc.h"

/* Seconds that PMIx may look for something. */
#define ANSWER_WITHIN 5

/* What PMIx says. */
typedef enum said_t {
    SAID_NOTHING,  /* yet */
    SAID_FOUND,    /* the key; of the presence with the right number */
    SAID_OTHER,    /* the presence, with another number */
    SAID_MISSING,  /* not found, where PMIx has looked */
    SAID_UNKNOWN,  /* it cannot tell */
    SAID_ABANDONED /* nobody waits for it any more */
} said_t;

/* What is asked for, one after the other. */
typedef enum step_t {
    STEP_FIRST, /* the presence, of this host's daemon: it may know nothing of the process */
    STEP_PROOF, /* a key that the process has published, if it uses the same transports as this one:
                 * does this host's daemon know any of them? */
    STEP_FETCH, /* the same, and PMIx fetches all that the process has published */
    STEP_AGAIN, /* the presence: what is missing now is missing there */
    STEP_END
} step_t;

/* Belongs to who asks, and to PMIx while it has a question: who is last frees it. */
struct mca_part_ucx_question_t {
    atomic_int said; /* said_t */
    step_t step;
    unsigned next; /* of STEP_PROOF and STEP_FETCH: the next key */
    char *proof;   /* and the one that is asked for: PMIx does not copy it */
    const char *key;
    uint32_t number;
    bool known_here; /* this host's daemon is that process's, too: what it does not know has not
                      * been published */
    mca_part_ucx_answer_t answer; /* at the end */
    pmix_proc_t proc;
    pmix_info_t info[2];
};

typedef mca_part_ucx_question_t question_t;

bool mca_part_ucx_question_announce(const char *key, uint32_t number)
{
    pmix_value_t value;

    memset(&value, 0, sizeof(value));
    value.type = PMIX_UINT32;
    value.data.uint32 = number;
    return PMIX_SUCCESS == PMIx_Put(PMIX_GLOBAL, key, &value) && PMIX_SUCCESS == PMIx_Commit();
}

static void destroy(question_t *question)
{
    free(question->proof);
    free(question);
}

static bool asks_for_proof(const question_t *question)
{
    return STEP_PROOF == question->step || STEP_FETCH == question->step;
}

/* In PMIx's thread. */
static void answered(pmix_status_t status, pmix_value_t *value, void *context)
{
    question_t *question = context;
    said_t said = PMIX_ERR_NOT_FOUND == status ? SAID_MISSING : SAID_UNKNOWN;

    if (PMIX_SUCCESS == status) {
        said = asks_for_proof(question) || NULL == value
                       || question->number == value->data.uint32
                   ? SAID_FOUND
                   : SAID_OTHER;
    }
    if (SAID_ABANDONED == atomic_exchange(&question->said, said)) {
        destroy(question);
    }
}

/* Ask for a key; `here`: of what this host's daemon knows, else the other's is asked, too. */
static void ask(question_t *question, const char *key, bool here)
{
    int timeout = ANSWER_WITHIN;
    pmix_status_t status;

    atomic_store(&question->said, SAID_NOTHING);
    PMIX_INFO_LOAD(&question->info[0], PMIX_TIMEOUT, &timeout, PMIX_INT);
    PMIX_INFO_LOAD(&question->info[1], PMIX_IMMEDIATE, &here, PMIX_BOOL);
    status = PMIx_Get_nb(&question->proc, key, question->info, here ? 2 : 1, answered, question);
    if (PMIX_SUCCESS != status) {
        answered(status, NULL, question); /* it has not taken the question */
    }
}

static void ask_for_presence(question_t *question, step_t step)
{
    question->step = step;
    ask(question, question->key, true);
}

/* For the next key of this step, or of the next one. */
static void ask_for_proof(question_t *question, step_t step)
{
    char *key = mca_part_ucx_published_key(&question->next);

    if (NULL == key && STEP_PROOF == step) {
        question->next = 0;
        step = STEP_FETCH;
        key = mca_part_ucx_published_key(&question->next);
    }
    question->step = NULL == key ? STEP_END : step;
    free(question->proof); /* that one has been answered */
    question->proof = key;
    if (NULL != key) {
        ask(question, key, STEP_PROOF == step);
    }
}

mca_part_ucx_question_t *mca_part_ucx_question_ask(const ompi_proc_t *proc, const char *key,
                                                   uint32_t number)
{
    question_t *question = calloc(1, sizeof(*question));

    if (NULL != question) {
        question->key = key;
        question->number = number;
        question->answer = PART_UCX_ANSWER_UNKNOWN;
        question->known_here = OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags)
                               && proc->super.proc_name.jobid == OPAL_PROC_MY_NAME.jobid;
        OPAL_PMIX_CONVERT_NAME(&question->proc, &proc->super.proc_name);
        ask_for_presence(question, STEP_FIRST);
    }
    return question;
}

static mca_part_ucx_answer_t answer_of(said_t said)
{
    switch (said) {
    case SAID_FOUND:
        return PART_UCX_ANSWER_HAS;
    case SAID_OTHER:
    case SAID_MISSING:
        return PART_UCX_ANSWER_LACKS;
    default:
        return PART_UCX_ANSWER_UNKNOWN;
    }
}

/* PMIx has said something. */
static void go_on(question_t *question, said_t said)
{
    if (asks_for_proof(question) && SAID_FOUND == said) {
        ask_for_presence(question, STEP_AGAIN);
    } else if (asks_for_proof(question)) {
        ask_for_proof(question, question->step);
    } else if (STEP_FIRST == question->step && SAID_MISSING == said && !question->known_here) {
        ask_for_proof(question, STEP_PROOF);
    } else {
        question->answer = answer_of(said);
        question->step = STEP_END;
    }
}

mca_part_ucx_answer_t mca_part_ucx_question_look(mca_part_ucx_question_t *question)
{
    said_t said;

    while (STEP_END != question->step
           && SAID_NOTHING != (said = (said_t) atomic_load(&question->said))) {
        go_on(question, said);
    }
    return STEP_END == question->step ? question->answer : PART_UCX_ANSWER_PENDING;
}

void mca_part_ucx_question_drop(mca_part_ucx_question_t *question)
{
    if (SAID_NOTHING != atomic_exchange(&question->said, SAID_ABANDONED)) {
        destroy(question);
    }
}
