/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes have a component (see part_ucx_modex.h).
 */
#include "api/part_ucx_modex.h"

#include "api/part_ucx_modex_keys.h"

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
    SAID_FOUND,    /* the key */
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
    STEP_AFRESH, /* the presence, and PMIx fetches once more: the copy that it has may be older than
                  * the presence, of which it then says that it is missing. What is missing now is
                  * missing there: who has it has published it before its MPI_Init ends */
    STEP_END
} step_t;

/* What PMIx looks into. */
typedef enum where_t {
    WHERE_HERE,  /* what this host's daemon knows */
    WHERE_ASKED, /* that, and if the key is not there, the daemon of the process is asked */
    WHERE_AFRESH /* the daemon of the process is asked, whatever is known here */
} where_t;

/* Belongs to who asks, and to PMIx while it has a question: who is last frees it. */
struct mca_part_ucx_modex_query_t {
    atomic_int said; /* said_t */
    step_t step;
    unsigned next; /* of STEP_PROOF and STEP_FETCH: the next key */
    char *proof;   /* and the one that is asked for: PMIx does not copy it */
    const char *key;
    uint64_t number; /* that was found under it */
    bool known_here; /* this host's daemon is that process's, too: what it does not know has not
                      * been published */
    mca_part_ucx_answer_t answer; /* at the end */
    pmix_proc_t proc;
    pmix_info_t info[2];
};

typedef mca_part_ucx_modex_query_t query_t;

bool mca_part_ucx_modex_put(const char *key, uint64_t number)
{
    pmix_value_t value;

    memset(&value, 0, sizeof(value));
    value.type = PMIX_UINT64;
    value.data.uint64 = number;
    return PMIX_SUCCESS == PMIx_Put(PMIX_GLOBAL, key, &value) && PMIX_SUCCESS == PMIx_Commit();
}

static void destroy(query_t *query)
{
    free(query->proof);
    free(query);
}

static bool asks_for_proof(const query_t *query)
{
    return STEP_PROOF == query->step || STEP_FETCH == query->step;
}

/* In PMIx's thread. */
static void answered(pmix_status_t status, pmix_value_t *value, void *context)
{
    query_t *query = context;
    said_t said = PMIX_ERR_NOT_FOUND == status ? SAID_MISSING : SAID_UNKNOWN;

    if (PMIX_SUCCESS == status) {
        said = SAID_FOUND;
        query->number = NULL != value && PMIX_UINT64 == value->type ? value->data.uint64 : 0;
    }
    if (SAID_ABANDONED == atomic_exchange(&query->said, said)) {
        destroy(query);
    }
}

/* Ask for a key. */
static void ask(query_t *query, const char *key, where_t where)
{
    int timeout = ANSWER_WITHIN;
    size_t infos = WHERE_ASKED == where ? 1 : 2;
    bool yes = true;
    pmix_status_t status;

    atomic_store(&query->said, SAID_NOTHING);
    PMIX_INFO_LOAD(&query->info[0], PMIX_TIMEOUT, &timeout, PMIX_INT);
    if (WHERE_ASKED != where) {
        PMIX_INFO_LOAD(&query->info[1],
                       WHERE_HERE == where ? PMIX_IMMEDIATE : PMIX_GET_REFRESH_CACHE, &yes,
                       PMIX_BOOL);
    }
    status = PMIx_Get_nb(&query->proc, key, query->info, infos, answered, query);
    if (PMIX_SUCCESS != status) {
        answered(status, NULL, query); /* it has not taken the question */
    }
}

static void ask_for_presence(query_t *query, step_t step)
{
    query->step = step;
    ask(query, query->key, STEP_FIRST == step ? WHERE_HERE : WHERE_AFRESH);
}

/* For the next key of this step, or of the next one. */
static void ask_for_proof(query_t *query, step_t step)
{
    char *key = mca_part_ucx_modex_key(&query->next);

    if (NULL == key && STEP_PROOF == step) {
        query->next = 0;
        step = STEP_FETCH;
        key = mca_part_ucx_modex_key(&query->next);
    }
    query->step = NULL == key ? STEP_END : step;
    free(query->proof); /* that one has been answered */
    query->proof = key;
    if (NULL != key) {
        ask(query, key, STEP_PROOF == step ? WHERE_HERE : WHERE_ASKED);
    }
}

mca_part_ucx_modex_query_t *mca_part_ucx_modex_ask(const opal_process_name_t *name, bool local,
                                                   const char *key)
{
    query_t *query = calloc(1, sizeof(*query));

    if (NULL != query) {
        query->key = key;
        query->answer = PART_UCX_ANSWER_UNKNOWN;
        query->known_here = local;
        OPAL_PMIX_CONVERT_NAME(&query->proc, name);
        ask_for_presence(query, STEP_FIRST);
    }
    return query;
}

static mca_part_ucx_answer_t answer_of(said_t said)
{
    switch (said) {
    case SAID_FOUND:
        return PART_UCX_ANSWER_HAS;
    case SAID_MISSING:
        return PART_UCX_ANSWER_LACKS;
    default:
        return PART_UCX_ANSWER_UNKNOWN;
    }
}

/* PMIx has said something. */
static void go_on(query_t *query, said_t said)
{
    if (asks_for_proof(query) && SAID_FOUND == said) {
        ask_for_presence(query, STEP_AFRESH);
    } else if (asks_for_proof(query)) {
        ask_for_proof(query, query->step);
    } else if (STEP_FIRST == query->step && SAID_MISSING == said && !query->known_here) {
        ask_for_proof(query, STEP_PROOF);
    } else {
        query->answer = answer_of(said);
        query->step = STEP_END;
    }
}

mca_part_ucx_answer_t mca_part_ucx_modex_look(mca_part_ucx_modex_query_t *query, uint64_t *number)
{
    said_t said;

    while (STEP_END != query->step && SAID_NOTHING != (said = (said_t) atomic_load(&query->said))) {
        go_on(query, said);
    }
    if (STEP_END != query->step) {
        return PART_UCX_ANSWER_PENDING;
    }
    if (PART_UCX_ANSWER_HAS == query->answer) {
        *number = query->number;
    }
    return query->answer;
}

void mca_part_ucx_modex_drop(mca_part_ucx_modex_query_t *query)
{
    if (SAID_NOTHING != atomic_exchange(&query->said, SAID_ABANDONED)) {
        destroy(query);
    }
}
