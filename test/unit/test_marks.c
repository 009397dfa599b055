/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Marks: a unit is handed to its path exactly once per epoch, when all its partitions have been
 * marked, the send has been started and the receiver is known to be ready, and not before,
 * whatever the order of these and however many threads mark. The test holds the locks of all paths,
 * so that it sees what is pushed and nothing is posted.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define MOST_UNITS 512u
#define MOST_PARTS 256u

/* A channel key that no request has. */
#define NOBODY UINT64_C(0x7fffffff00000001)

static const channel_plan_t plans[] = {
    {.total = 4096, .send_partitions = 1, .recv_partitions = 1, .slices = 1, .group = 1},
    {.total = 4096, .send_partitions = 64, .recv_partitions = 1, .slices = 1, .group = 1},
    {.total = 4096, .send_partitions = 64, .recv_partitions = 1, .slices = 1, .group = 8},
    {.total = 4096, .send_partitions = 64, .recv_partitions = 1, .slices = 1, .group = 7},
    {.total = 4096, .send_partitions = 64, .recv_partitions = 1, .slices = 1, .group = 64},
    {.total = 4096, .send_partitions = 8, .recv_partitions = 1, .slices = 8, .group = 1},
    {.total = 4096, .send_partitions = 1, .recv_partitions = 1, .slices = 61, .group = 1},
    {.total = 3 * 1000, .send_partitions = 3, .recv_partitions = 1, .slices = 5, .group = 1},
    {.total = 0, .send_partitions = 100, .recv_partitions = 1, .slices = 1, .group = 33},
};

enum { PLANS = sizeof(plans) / sizeof(plans[0]) };

/* A send whose paths are all locked, and what it has pushed. */
typedef struct marked_t {
    channel_t channel;
    unsigned paths;
    unsigned pushed[MOST_UNITS]; /* how often, in this epoch */
    uint32_t total;              /* units pushed in this epoch */
    mca_part_ucx_item_t *taken;  /* to be posted when the epoch is over */
    bool partition[MOST_PARTS];  /* marked in this epoch */
    bool started, ready;
    uint32_t delay[2];
} marked_t;

static void lock_all(const marked_t *marked)
{
    for (unsigned i = 0; i < marked->paths; ++i) {
        mca_part_ucx_lock_wait(&mca_part_ucx_paths.path[i].lock);
    }
}

static void release_all(const marked_t *marked)
{
    for (unsigned i = 0; i < marked->paths; ++i) {
        mca_part_ucx_lock_release(&mca_part_ucx_paths.path[i].lock);
    }
}

static void make(marked_t *marked, const channel_plan_t *plan, unsigned paths, bool open)
{
    const fakeucx_options_t network = {.seed = 1, .at_once = 100};
    channel_plan_t own = *plan;

    memset(marked, 0, sizeof(*marked));
    marked->paths = paths;
    channel_paths_open(paths, &network);
    own.method = PART_UCX_METHOD_MESSAGE;
    if (open) {
        channel_make_open(&marked->channel, &own);
    } else {
        channel_make(&marked->channel, &own);
    }
    marked->channel.send->super.peer_key = NOBODY; /* receives what is posted */
    lock_all(marked);
}

static void drop(marked_t *marked)
{
    release_all(marked);
    channel_free(&marked->channel);
    channel_paths_close();
}

/* Which unit is this, or -1 when it is a request to hold partly filled ones? */
static int unit_index(const marked_t *marked, mca_part_ucx_work_t *work)
{
    mca_part_ucx_send_t *send = marked->channel.send;

    for (uint32_t i = 0; i < send->super.map.units; ++i) {
        if (&send->unit[i].work == work) {
            return (int) i;
        }
    }
    assert_true(work->urgent);
    return -1;
}

/* Look at what has been pushed; it stays with us until post_taken(). */
static void take_pushed(marked_t *marked)
{
    const mca_part_ucx_map_t *map = &marked->channel.send->super.map;

    for (unsigned i = 0; i < marked->paths; ++i) {
        mca_part_ucx_item_t *link = mca_part_ucx_queue_take(&mca_part_ucx_paths.path[i].queue);

        while (NULL != link) {
            mca_part_ucx_item_t *next = link->next;
            int unit = unit_index(marked, PART_UCX_CONTAINER(link, mca_part_ucx_work_t, item));

            if (unit >= 0) {
                assert_int_equal(mca_part_ucx_map_pair(map, (uint32_t) unit), i);
                UNIT_CHECK(1 == ++marked->pushed[unit], "unit %d is pushed twice", unit);
                ++marked->total;
            }
            link->next = marked->taken;
            marked->taken = link;
            link = next;
        }
    }
}

/* Units pushed are exactly those that may leave. */
static void check_pushed(marked_t *marked, const char *when)
{
    const mca_part_ucx_map_t *map = &marked->channel.send->super.map;
    bool open = marked->started && marked->ready;

    take_pushed(marked);
    for (uint32_t unit = 0; unit < map->units; ++unit) {
        uint32_t first, count;
        bool full = true;

        mca_part_ucx_map_unit(map, unit, &first, &count);
        for (uint32_t i = first; i < first + count; ++i) {
            full = full && marked->partition[mca_part_ucx_map_partition_of(map, i)];
        }
        UNIT_CHECK((open && full) == (0 != marked->pushed[unit]),
                   "%s: unit %u of %u is%s pushed, it is%s full, the gate is%s open", when, unit,
                   map->units, marked->pushed[unit] ? "" : " not", full ? "" : " not",
                   open ? "" : " not");
    }
}

/* Post everything, which ends the epoch, and begin with an empty record. */
static void end_epoch(marked_t *marked)
{
    mca_part_ucx_send_t *send = marked->channel.send;

    assert_int_equal(send->super.map.units, marked->total);
    assert_false(channel_complete(&send->super));
    while (NULL != marked->taken) {
        mca_part_ucx_work_t *work = PART_UCX_CONTAINER(marked->taken, mca_part_ucx_work_t, item);
        int unit = unit_index(marked, work);

        marked->taken = marked->taken->next;
        if (unit >= 0) { /* nothing is held: every unit is complete */
            unsigned path = mca_part_ucx_map_pair(&send->super.map, (uint32_t) unit);

            assert_true(work->post(&mca_part_ucx_paths.path[path], work));
        }
    }
    assert_int_equal(1, mca_part_ucx_requests_complete());
    assert_true(channel_test(&send->super));
    release_all(marked);
    while (0 != fakeucx_in_flight()) {
        channel_progress(); /* what has completed may still have to arrive */
    }
    lock_all(marked);
    memset(marked->pushed, 0, sizeof(marked->pushed));
    memset(marked->partition, 0, sizeof(marked->partition));
    marked->total = 0;
    marked->started = marked->ready = false;
}

static void start(marked_t *marked)
{
    channel_start(&marked->channel.send->super);
    marked->started = true;
}

static uint32_t next_epoch(const marked_t *marked)
{
    return atomic_load(&marked->channel.send->super.epoch) + (marked->started ? 0 : 1);
}

static void get_ready(marked_t *marked)
{
    mca_part_ucx_gate_ready(marked->channel.send, NOBODY, next_epoch(marked));
    marked->ready = true;
}

static void pready(marked_t *marked, uint32_t low, uint32_t high)
{
    assert_int_equal(MPI_SUCCESS, channel_pready(&marked->channel, low, high));
    memset(&marked->partition[low], 1, high - low + 1);
}

/* ---- one thread, all orders ---- */

/* READY comes before Start (-1), or after so many marks. */
static void one_epoch(marked_t *marked, unit_random_t *random, int ready_after)
{
    uint32_t partitions = marked->channel.send->super.map.send_partitions;
    uint32_t order[MOST_PARTS];

    unit_order(random, order, partitions);
    if (ready_after < 0) {
        get_ready(marked);
        check_pushed(marked, "ready before the start");
    }
    start(marked);
    check_pushed(marked, "started");
    for (uint32_t i = 0; i <= partitions; ++i) {
        if ((int) i == ready_after) {
            get_ready(marked);
            check_pushed(marked, "ready");
        }
        if (i < partitions) {
            pready(marked, order[i], order[i]);
            check_pushed(marked, "marked");
        }
    }
    end_epoch(marked);
}

static void every_unit_once(void **state)
{
    static marked_t marked;

    (void) state;
    for (unsigned i = 0; i < PLANS; ++i) {
        for (unsigned paths = 1; paths <= 4; ++paths) {
            unit_random_t random = unit_stream(10 * i + paths);
            int partitions = (int) plans[i].send_partitions;

            make(&marked, &plans[i], paths, false);
            for (int after = -1; after <= partitions; after += after < 2 ? 1 : 1 + partitions / 5) {
                one_epoch(&marked, &random, after);
            }
            one_epoch(&marked, &random, partitions);
            drop(&marked);
        }
    }
}

static void ranges(void **state)
{
    static marked_t marked;

    (void) state;
    for (unsigned i = 0; i < PLANS; ++i) {
        unit_random_t random = unit_stream(100 + i);
        uint32_t partitions = plans[i].send_partitions;

        make(&marked, &plans[i], 3, false);
        for (int epoch = 0; epoch < 20; ++epoch) {
            start(&marked);
            for (uint32_t low = 0, high; low < partitions; low = high + 1) {
                high = low + unit_below(&random, partitions - low);
                pready(&marked, low, high);
                check_pushed(&marked, "range");
                if (!marked.ready && 0 == unit_below(&random, 3)) {
                    get_ready(&marked);
                    check_pushed(&marked, "ready");
                }
            }
            if (!marked.ready) {
                get_ready(&marked);
                check_pushed(&marked, "ready");
            }
            end_epoch(&marked);
        }
        drop(&marked);
    }
}

/* ---- wrong calls ---- */

static void expect_error(marked_t *marked, int error, uint32_t low, uint32_t high)
{
    assert_int_equal(error, channel_pready(&marked->channel, low, high));
    check_pushed(marked, "after a wrong call");
}

/* Refused, and nothing else happens: not even the good part of a range is marked. */
static void wrong_calls(void **state)
{
    static marked_t marked;

    (void) state;
    for (int grouped = 1; grouped <= 2; ++grouped) {
        make(&marked, &plans[grouped], 2, false);
        for (int epoch = 0; epoch < 3; ++epoch) {
            expect_error(&marked, MPI_ERR_REQUEST, 0, 0); /* not started */
            start(&marked);
            get_ready(&marked);
            expect_error(&marked, MPI_ERR_ARG, 64, 64);
            expect_error(&marked, MPI_ERR_ARG, 0, 64);
            expect_error(&marked, MPI_ERR_ARG, 5, 4);
            expect_error(&marked, MPI_ERR_ARG, UINT32_MAX, UINT32_MAX);
            pready(&marked, 8, 15);
            check_pushed(&marked, "marked");
            expect_error(&marked, MPI_ERR_ARG, 8, 8);
            expect_error(&marked, MPI_ERR_ARG, 15, 15);
            expect_error(&marked, MPI_ERR_ARG, 0, 8);
            expect_error(&marked, MPI_ERR_ARG, 15, 63);
            pready(&marked, 0, 7);
            pready(&marked, 16, 63);
            check_pushed(&marked, "marked");
            expect_error(&marked, MPI_ERR_ARG, 0, 63);
            expect_error(&marked, MPI_ERR_ARG, 63, 63);
            end_epoch(&marked);
        }
        drop(&marked);
    }
}

/* ---- several threads ---- */

enum { MARKERS = 3 };

typedef struct crowd_t {
    marked_t marked;
    uint32_t order[MOST_PARTS];
    atomic_uint accepted[MOST_PARTS]; /* how often a mark was accepted */
    bool contend;                     /* all threads mark all partitions */
    bool link;                        /* one thread finishes set-up meanwhile */
} crowd_t;

static void crowd_thread(unsigned index, void *context)
{
    crowd_t *crowd = context;
    channel_t *channel = &crowd->marked.channel;
    uint32_t partitions = channel->plan.send_partitions;

    if (MARKERS == index) {
        if (crowd->link) {
            channel_link(channel);
        }
        mca_part_ucx_gate_ready(channel->send, NOBODY,
                                     atomic_load(&channel->send->super.epoch));
        return;
    }
    for (uint32_t i = 0; i < partitions; ++i) {
        uint32_t own = crowd->contend ? (i + index * partitions / MARKERS) % partitions : i;

        if (crowd->contend || index == i % MARKERS) {
            uint32_t partition = crowd->order[own];

            if (MPI_SUCCESS == channel_pready(channel, partition, partition)) {
                atomic_fetch_add(&crowd->accepted[partition], 1);
            } else if (!crowd->contend) {
                unit_thread_fail("mark of partition %u refused", partition);
            }
        }
    }
}

/* Threads mark, one opens the gate; in the end all has been pushed once. */
static void crowd_epoch(crowd_t *crowd, unit_random_t *random)
{
    uint32_t partitions = crowd->marked.channel.plan.send_partitions;

    unit_order(random, crowd->order, partitions);
    memset(crowd->accepted, 0, sizeof(crowd->accepted));
    start(&crowd->marked);
    unit_threads(MARKERS + 1, crowd_thread, crowd);
    crowd->marked.ready = true;
    crowd->link = false;
    memset(crowd->marked.partition, 1, partitions);
    check_pushed(&crowd->marked, "all marked");
    for (uint32_t i = 0; i < partitions; ++i) {
        UNIT_CHECK(1 == atomic_load(&crowd->accepted[i]), "partition %u was accepted %u times", i,
                   atomic_load(&crowd->accepted[i]));
    }
    end_epoch(&crowd->marked);
}

static void threads_mark(void **state)
{
    static crowd_t crowd;

    (void) state;
    for (unsigned i = 0; i < PLANS; ++i) {
        unit_random_t random = unit_stream(200 + i);

        make(&crowd.marked, &plans[i], 3, false);
        for (uint32_t epoch = unit_repeat(200); epoch > 0; --epoch) {
            crowd.contend = epoch % 2;
            crowd_epoch(&crowd, &random);
        }
        drop(&crowd.marked);
    }
}

/* Marks made before the channel is known count, also those made just then. */
static void threads_mark_during_set_up(void **state)
{
    static crowd_t crowd;

    (void) state;
    for (unsigned i = 0; i < PLANS; ++i) {
        unit_random_t random = unit_stream(300 + i);

        for (uint32_t round = unit_repeat(200); round > 0; --round) {
            make(&crowd.marked, &plans[i], 3, true);
            crowd.link = true;
            crowd.contend = round % 2;
            crowd_epoch(&crowd, &random);
            crowd.contend = false;
            crowd_epoch(&crowd, &random);
            drop(&crowd.marked);
        }
    }
}

/* ---- start while set-up finishes ---- */

/* A little later, so that the two meet at another point each time. */
static void dawdle(uint32_t turns)
{
    for (volatile uint32_t i = 0; i < turns; ++i) {
        continue;
    }
}

static void start_or_link(unsigned index, void *context)
{
    marked_t *marked = context;

    dawdle(marked->delay[index]);
    if (0 == index) {
        channel_start(&marked->channel.send->super);
    } else {
        channel_link(&marked->channel);
    }
}

static atomic_uint starts;

static void count_start(mca_part_ucx_channel_t *channel)
{
    atomic_fetch_add(&starts, 1);
    mca_part_ucx_send_side.start(channel);
}

/* The send is started once, by whoever comes second. */
static void start_during_set_up(void **state)
{
    static marked_t marked;
    mca_part_ucx_side_t counting = mca_part_ucx_send_side;
    unit_random_t random = unit_stream(400);

    (void) state;
    counting.start = count_start;
    for (uint32_t round = unit_repeat(20000); round > 0; --round) {
        make(&marked, &plans[7], 2, true);
        atomic_store(&starts, 0);
        marked.channel.send->super.side = &counting;
        marked.delay[round % 2] = unit_below(&random, 3000);
        unit_threads(2, start_or_link, &marked);
        marked.started = true;
        UNIT_CHECK(1 == atomic_load(&starts), "started %u times", atomic_load(&starts));
        pready(&marked, 0, 2);
        check_pushed(&marked, "marked");
        get_ready(&marked);
        check_pushed(&marked, "ready");
        end_epoch(&marked);
        drop(&marked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_once),
        cmocka_unit_test(ranges),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(threads_mark),
        cmocka_unit_test(threads_mark_during_set_up),
        cmocka_unit_test(start_during_set_up),
    };

    return UNIT_RUN(tests);
}
