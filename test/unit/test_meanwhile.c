/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What another thread does meanwhile, when a path dies: one looks at an endpoint that is being
 * lost, one stands still with an acknowledgement while epochs pass, one frees a receive while its
 * READY fails. On cables that are made up (twins.h), but with threads.
 */
#include "ompi_config.h"

#include "unit.h"

#include "twins.h"

#include "channel/part_ucx_ready.h"
#include "channel/part_ucx_failover_resend.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static const channel_plan_t plan = {.total = 6 * 64,
                                    .send_partitions = 6,
                                    .recv_partitions = 6,
                                    .slices = 1,
                                    .group = 1,
                                    .method = PART_UCX_METHOD_MESSAGE};

static channel_t channel;

static void begin(unsigned count)
{
    twins_open(count);
    twins_make(&channel, &plan);
}

static void end(void)
{
    channel_free(&channel);
    twins_close();
}

/* Spin, for what comes at once; then leave the processor to others. */
static void relax(unsigned *spins)
{
    if (0 == ++*spins % 1024) {
        sched_yield();
    }
}

/* ---- an endpoint is lost ---- */

typedef struct loss_t {
    mca_part_ucx_endpoint_t *endpoint;
    atomic_uint turn;
    uint32_t rounds;
} loss_t;

/* UCX tells of it, under the path's lock. */
static void lose(loss_t *loss)
{
    for (uint32_t round = 1; round <= loss->rounds; ++round) {
        unsigned spins = 0;

        while (round != atomic_load(&loss->turn)) {
            relax(&spins);
        }
        mca_part_ucx_path_lock(loss->endpoint->path);
        mca_part_ucx_endpoint_lose(loss->endpoint, "a test");
        mca_part_ucx_path_unlock(loss->endpoint->path);
    }
}

/* Who looks after paths has another lock. */
static void look(loss_t *loss)
{
    mca_part_ucx_failover_outage_t *outage = &loss->endpoint->outage;

    for (uint32_t round = 1; round <= loss->rounds; ++round) {
        bool tried = 0 == round % 2;
        unsigned spins = 0;

        outage->fell = tried;
        outage->why = NULL;
        atomic_store(&outage->state, tried ? PART_UCX_ENDPOINT_TRYING : PART_UCX_ENDPOINT_UP);
        atomic_store(&loss->turn, round);
        while (PART_UCX_ENDPOINT_LOST != atomic_load(&outage->state)) {
            relax(&spins);
        }
        if (tried == outage->fell || (!tried && NULL == outage->why)) {
            unit_thread_fail("round %u: lost, and it is not said how", round);
        }
    }
}

static void lose_or_look(unsigned index, void *context)
{
    if (0 == index) {
        lose(context);
    } else {
        look(context);
    }
}

/* Else nothing is sent again of what had left by it. */
static void who_sees_a_loss_knows_how(void **state)
{
    loss_t loss = {.rounds = unit_repeat(100000)};

    (void) state;
    begin(2);
    loss.endpoint = twins_endpoint(SIDE_A, 0);
    unit_threads(2, lose_or_look, &loss);
    atomic_store(&loss.endpoint->outage.state, PART_UCX_ENDPOINT_UP);
    end();
}

/* ---- an acknowledgement comes by each path ---- */

/* What else the epoch waits for: two operations. */
#define OPERATIONS 2u

typedef struct news_t {
    mca_part_ucx_send_t *send;
    uint32_t epochs;
    atomic_bool over;
} news_t;

/* By one path: each epoch's, also when the next one may have begun. */
static void repeat_news(news_t *news)
{
    mca_part_ucx_channel_t *base = &news->send->super;

    while (!atomic_load(&news->over)) {
        mca_part_ucx_failover_resend_acknowledged(base, atomic_load(&base->epoch));
    }
}

/* By the other; and all that counts down here is this. */
static void bring_news(news_t *news)
{
    mca_part_ucx_send_t *send = news->send;

    for (uint32_t epoch = 1; epoch <= news->epochs && !unit_thread_failed(); ++epoch) {
        unsigned spins = 0;

        atomic_store(&send->remaining, OPERATIONS + 1);
        atomic_store(&send->super.epoch, epoch);
        mca_part_ucx_failover_resend_acknowledged(&send->super, epoch);
        while (OPERATIONS + 1 == atomic_load(&send->remaining)) {
            relax(&spins);
        }
        if (OPERATIONS != atomic_load(&send->remaining)) {
            unit_thread_fail("epoch %u: acknowledged more than once", epoch);
        }
    }
    atomic_store(&news->over, true);
}

static void repeat_or_bring(unsigned index, void *context)
{
    if (0 == index) {
        repeat_news(context);
    } else {
        bring_news(context);
    }
}

static void an_epoch_is_acknowledged_once(void **state)
{
    news_t news = {.epochs = unit_repeat(5000000)};

    (void) state;
    begin(2);
    news.send = channel.send;
    unit_threads(2, repeat_or_bring, &news);
    atomic_store(&channel.send->remaining, 0);
    atomic_store(&channel.send->super.epoch, 0);
    end();
}

/* ---- a receive is freed ---- */

static void *release(void *unused)
{
    (void) unused;
    mca_part_ucx_ready_release(channel.recv);
    return NULL;
}

static void fail_ready(mca_part_ucx_endpoint_t *endpoint)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_EP_CLOSE_FLAG_FORCE};
    ucs_status_ptr_t closing;

    mca_part_ucx_endpoint_lose(endpoint, "a test");
    closing = ucp_ep_close_nbx(endpoint->ucp, &param);
    if (UCS_PTR_IS_PTR(closing)) {
        ucp_request_free(closing);
    }
}

/* UCX still has READY by the last pair. It fails, and looks for another pair: the second is left.
 * Meanwhile another thread frees the receive, and has got as far as the last pair. */
static void ready_fails_while_its_receive_is_freed(void **state)
{
    mca_part_ucx_endpoint_t *last;
    mca_part_ucx_ready_t *ready;
    pthread_t thread;

    (void) state;
    begin(3);
    twins_epoch(&channel, 1);
    last = twins_endpoint(SIDE_B, 2);
    ready = channel.recv->readies[2];
    cables.silent[SIDE_B][2] = true;
    atomic_store(&ready->lost, true);
    mca_part_ucx_ready_queue(ready);
    twins_drive(5);
    assert_int_equal(PART_UCX_READY_BUSY, atomic_load(&ready->state));
    twins_give_up(SIDE_B, 0);
    mca_part_ucx_path_lock(last->path);
    assert_int_equal(0, pthread_create(&thread, NULL, release, NULL));
    usleep(50000); /* it waits for the lock */
    fail_ready(last);
    mca_part_ucx_path_unlock(last->path);
    assert_int_equal(0, pthread_join(thread, NULL));
    twins_drive(5);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sees_a_loss_knows_how),
        cmocka_unit_test(an_epoch_is_acknowledged_once),
        cmocka_unit_test(ready_fails_while_its_receive_is_freed),
    };

    return UNIT_RUN(tests);
}
