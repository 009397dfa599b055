/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up messages that are still to come (see part_ucx_outstanding.h).
 */
#include "wireup/part_ucx_outstanding.h"

#include "base/part_ucx_queue.h"
#include "process/part_ucx_reserve.h"

#include <assert.h>

/* Of a key: how many receives there were more than announcements. Matched or not makes no
 * difference here, and what has been freed counts, too. */
typedef struct balance_t {
    mca_part_ucx_hashed_t known;
    mca_part_ucx_match_key_t key;
    ompi_communicator_t *comm;         /* reference held: its address is not another one's */
    mca_part_ucx_listener_t *listener; /* used while there are more */
    int64_t more;
} balance_t;

/* Of a send that was withdrawn. */
typedef struct answer_t {
    mca_part_ucx_hashed_t known;
    mca_part_ucx_listener_t *listener;
    uint64_t send_key;
} answer_t;

static_assert(sizeof(balance_t) <= PART_UCX_RESERVE_BYTES
                  && sizeof(answer_t) <= PART_UCX_RESERVE_BYTES,
              "what is to come can always be known");

static mca_part_ucx_hash_t balances;
static mca_part_ucx_hash_t answers;

/* ---- announcements ---- */

static balance_t *balance_find(const mca_part_ucx_match_key_t *key)
{
    mca_part_ucx_hashed_t *known = mca_part_ucx_hash_first(&balances, mca_part_ucx_match_hash(key));

    for (; NULL != known; known = mca_part_ucx_hash_next(&balances, known)) {
        balance_t *balance = PART_UCX_CONTAINER(known, balance_t, known);

        if (mca_part_ucx_match_equal(&balance->key, key)) {
            return balance;
        }
    }
    return NULL;
}

static balance_t *balance_new(const mca_part_ucx_match_key_t *key, ompi_communicator_t *comm)
{
    balance_t *balance = mca_part_ucx_reserve_calloc(sizeof(*balance));

    if (NULL != balance) {
        balance->key = *key;
        balance->comm = comm;
        OBJ_RETAIN(comm);
        mca_part_ucx_hash_insert(&balances, &balance->known, mca_part_ucx_match_hash(key), NULL);
    }
    return balance;
}

static void balance_free(balance_t *balance)
{
    (void) mca_part_ucx_hash_remove(&balance->known);
    if (NULL != balance->listener) {
        mca_part_ucx_listener_put(balance->listener);
    }
    OBJ_RELEASE(balance->comm);
    mca_part_ucx_reserve_free(balance);
}

static void balance_change(balance_t *balance, int by)
{
    balance->more += by;
    if (0 == balance->more) {
        balance_free(balance);
    } else if (balance->more > 0 && NULL == balance->listener) {
        balance->listener = mca_part_ucx_listener_get(balance->comm);
    }
}

static void count(const mca_part_ucx_match_key_t *key, ompi_communicator_t *comm, int by)
{
    balance_t *balance = balance_find(key);

    if (NULL == balance) {
        balance = balance_new(key, comm);
    }
    if (NULL != balance) { /* else the communicator may go too early */
        balance_change(balance, by);
    }
}

void mca_part_ucx_outstanding_expect_announcement(const mca_part_ucx_match_key_t *key,
                                                  ompi_communicator_t *comm)
{
    count(key, comm, 1);
}

void mca_part_ucx_outstanding_announcement_came(const mca_part_ucx_match_key_t *key,
                                                ompi_communicator_t *comm)
{
    count(key, comm, -1);
}

void mca_part_ucx_outstanding_announcement_never(const mca_part_ucx_match_key_t *key)
{
    balance_t *balance = balance_find(key);

    if (NULL != balance && balance->more > 0) {
        balance_change(balance, -1);
    }
}

/* ---- answers ---- */

static uint64_t answer_hash(uint64_t send_key)
{
    return mca_part_ucx_hash_mix(0, send_key);
}

static void answer_free(answer_t *answer)
{
    (void) mca_part_ucx_hash_remove(&answer->known);
    mca_part_ucx_listener_put(answer->listener);
    mca_part_ucx_reserve_free(answer);
}

void mca_part_ucx_outstanding_expect_answer(mca_part_ucx_listener_t *listener, uint64_t send_key)
{
    answer_t *answer = mca_part_ucx_reserve_calloc(sizeof(*answer));

    if (NULL == answer) {
        mca_part_ucx_listener_put(listener);
        return;
    }
    answer->listener = listener;
    answer->send_key = send_key;
    mca_part_ucx_hash_insert(&answers, &answer->known, answer_hash(send_key), NULL);
}

static answer_t *answer_find(const ompi_communicator_t *comm, uint64_t send_key)
{
    mca_part_ucx_hashed_t *known = mca_part_ucx_hash_first(&answers, answer_hash(send_key));

    for (; NULL != known; known = mca_part_ucx_hash_next(&answers, known)) {
        answer_t *answer = PART_UCX_CONTAINER(known, answer_t, known);

        if (answer->send_key == send_key && answer->listener->comm == comm) {
            return answer;
        }
    }
    return NULL;
}

bool mca_part_ucx_outstanding_answer_expected(const ompi_communicator_t *comm, uint64_t send_key)
{
    return NULL != answer_find(comm, send_key);
}

void mca_part_ucx_outstanding_answer_came(const ompi_communicator_t *comm, uint64_t send_key)
{
    answer_t *answer = answer_find(comm, send_key);

    if (NULL != answer) {
        answer_free(answer);
    }
}

void mca_part_ucx_outstanding_forget(void)
{
    mca_part_ucx_hashed_t *known;
    uint64_t from = 0;

    while (NULL != (known = mca_part_ucx_hash_any(&balances, &from))) {
        balance_free(PART_UCX_CONTAINER(known, balance_t, known));
    }
    from = 0;
    while (NULL != (known = mca_part_ucx_hash_any(&answers, &from))) {
        answer_free(PART_UCX_CONTAINER(known, answer_t, known));
    }
    mca_part_ucx_hash_destroy(&balances);
    mca_part_ucx_hash_destroy(&answers);
}
