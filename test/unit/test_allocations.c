/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of a channel, as docs/tuning.md section 6 states it: how many bytes either end has for
 * a unit and for a partition, and that Start, Pready, Parrived, progress and completion allocate
 * nothing. Stand-ins for the functions (linked with --wrap) see what the component allocates; what
 * the made-up network does is left out.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"
#include "channel/part_ucx_delivery.h"
#include "api/part_ucx_claim.h"

#include <stdlib.h>
#include <unistd.h>

#define PATHS  2u
#define EPOCHS 30u

/* ---- what is allocated ---- */

#define MOST_BLOCKS 128u

static struct {
    void *block[MOST_BLOCKS]; /* those that were allocated while `on`, and are not free yet */
    size_t bytes[MOST_BLOCKS];
    unsigned blocks;
    unsigned calls;
    bool on;
} memory;

static void *note(void *block, size_t bytes)
{
    if (!memory.on || unit_allocating || NULL == block) {
        return block;
    }
    if (MOST_BLOCKS == memory.blocks) {
        abort();
    }
    memory.block[memory.blocks] = block;
    memory.bytes[memory.blocks++] = bytes;
    ++memory.calls;
    return block;
}

static void forget(const void *block)
{
    for (unsigned i = 0; i < memory.blocks; ++i) {
        if (block == memory.block[i]) {
            --memory.blocks;
            memory.block[i] = memory.block[memory.blocks];
            memory.bytes[i] = memory.bytes[memory.blocks];
            return;
        }
    }
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
int __real_posix_memalign(void **block, size_t alignment, size_t bytes);
void __real_free(void *block);

void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    return note(__real_malloc(bytes), bytes);
}

void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return note(__real_calloc(count, bytes), count * bytes);
}

void *__wrap_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes)
{
    forget(block);
    return note(__real_realloc(block, bytes), bytes);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes)
{
    int error = __real_posix_memalign(block, alignment, bytes);

    if (0 == error) {
        (void) note(*block, bytes);
    }
    return error;
}

void __wrap_free(void *block);
void __wrap_free(void *block)
{
    forget(block);
    __real_free(block);
}

/* Count from now on. */
static void count_allocations(void)
{
    memory.calls = 0;
    memory.on = true;
}

/* No longer; returns how often something was allocated. */
static unsigned stop_counting(void)
{
    memory.on = false;
    return memory.calls;
}

static size_t bytes_in_use(void)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < memory.blocks; ++i) {
        bytes += memory.bytes[i];
    }
    return bytes;
}

/* The stand-ins are in the place of the functions that the component calls. */
static void allocations_are_seen(void **state)
{
    mca_part_ucx_claims_t claims;

    (void) state;
    count_allocations();
    assert_true(mca_part_ucx_claims_init(&claims, 99));
    assert_int_equal(1, stop_counting());
    assert_int_equal(400, bytes_in_use());
    mca_part_ucx_claims_fini(&claims);
    assert_int_equal(0, bytes_in_use());
}

/* ---- bytes of a channel ---- */

/* docs/tuning.md section 6. */
#define SEND_FIXED               1500
#define SEND_PER_PARTITION       4
#define SEND_PER_UNIT            48
#define SEND_PER_SEGMENT         4
#define RECV_FIXED               1000
#define RECV_PER_SEGMENT         8
#define RECV_PER_PARTITION       8
#define RECV_CUT_OTHERWISE       12 /* more, per partition */
#define MOST                     64 /* per unit of a partition of its own, or slice, and end */

#define FEW   64u
#define MANY  4096u
#define MORE  ((size_t) (MANY - FEW))
#define GROUP 16u

typedef struct sides_t {
    size_t send;
    size_t recv;
} sides_t;

/* What the two ends of a channel hold, without the buffers of the user. */
static sides_t bytes_of(uint32_t send, uint32_t recv, uint32_t slices, uint32_t group)
{
    const channel_plan_t plan = {.total = UINT64_C(64) * MANY,
                                 .send_partitions = send,
                                 .recv_partitions = recv,
                                 .slices = slices,
                                 .group = group,
                                 .method = PART_UCX_METHOD_MESSAGE};
    const fakeucx_options_t network = {.seed = 1};
    static channel_t channel;
    size_t both, receive, none;

    channel_paths_open(PATHS, &network);
    count_allocations();
    channel_make(&channel, &plan);
    (void) stop_counting();
    both = bytes_in_use();
    channel_free_send(&channel);
    receive = bytes_in_use();
    channel_free_recv(&channel);
    none = bytes_in_use(); /* the table of keys, which serves all channels */
    channel_paths_close();
    return (sides_t){both - receive - (plan.total + 1), receive - none - (plan.total + 1)};
}

/* Of two channels that differ in their numbers of partitions or units only. */
static sides_t difference(sides_t few, sides_t many)
{
    return (sides_t){many.send - few.send, many.recv - few.recv};
}

static void a_partition_and_its_unit(void **state)
{
    sides_t few = bytes_of(FEW, FEW, 1, 1);
    sides_t more = difference(few, bytes_of(MANY, MANY, 1, 1));

    (void) state;
    assert_int_equal(MORE * (SEND_PER_PARTITION + SEND_PER_UNIT + SEND_PER_SEGMENT), more.send);
    assert_int_equal(MORE * (RECV_PER_PARTITION + RECV_PER_SEGMENT), more.recv);
    assert_true(more.send <= MORE * MOST && more.recv <= MORE * MOST);
    few.send -= FEW * (SEND_PER_PARTITION + SEND_PER_UNIT + SEND_PER_SEGMENT);
    few.recv -= FEW * (RECV_PER_PARTITION + RECV_PER_SEGMENT);
    print_message("of any channel: %zu bytes of a send, %zu of a receive\n", few.send, few.recv);
    assert_true(few.send <= SEND_FIXED && few.recv <= RECV_FIXED);
}

static void a_slice(void **state)
{
    sides_t more = difference(bytes_of(1, 1, FEW, 1), bytes_of(1, 1, MANY, 1));

    (void) state;
    assert_int_equal(MORE * (SEND_PER_UNIT + SEND_PER_SEGMENT), more.send);
    assert_int_equal(MORE * RECV_PER_SEGMENT, more.recv);
    assert_true(more.send <= MORE * MOST && more.recv <= MORE * MOST);
}

static void a_partition_that_leaves_with_others(void **state)
{
    sides_t alone = bytes_of(FEW, FEW, 1, 1);
    sides_t few = bytes_of(FEW, FEW, 1, GROUP);
    sides_t more = difference(few, bytes_of(MANY, MANY, 1, GROUP));

    (void) state;
    assert_int_equal(MORE * (SEND_PER_PARTITION + SEND_PER_SEGMENT) + MORE / GROUP * SEND_PER_UNIT,
                     more.send);
    assert_int_equal(MORE * (RECV_PER_PARTITION + RECV_PER_SEGMENT), more.recv);
    assert_true(more.send <= MORE * MOST && more.recv <= MORE * MOST);
    assert_int_equal(alone.send, few.send + (FEW - FEW / GROUP) * SEND_PER_UNIT);
}

static void a_partition_that_is_cut_otherwise(void **state)
{
    sides_t more = difference(bytes_of(FEW, FEW / 2, 1, 1), bytes_of(FEW, MANY, 1, 1));

    (void) state;
    assert_int_equal(0, more.send);
    assert_int_equal((MANY - FEW / 2) * (RECV_PER_PARTITION + RECV_CUT_OTHERWISE), more.recv);
    assert_true(more.recv <= (MANY - FEW / 2) * MOST);
}

/* ---- iterations allocate nothing ---- */

/* One iteration; sender and receiver begin and mark in random order. */
static void run_epoch(channel_t *channel, uint32_t epoch, unit_random_t *random)
{
    uint32_t partitions = channel->plan.send_partitions;
    uint32_t order[FEW];

    if (0 == unit_below(random, 2)) {
        channel_start(&channel->recv->super);
    }
    channel_start(&channel->send->super);
    unit_order(random, order, partitions);
    for (uint32_t i = 0; i < partitions; ++i) {
        channel_fill(channel, epoch, order[i]);
        assert_int_equal(MPI_SUCCESS, channel_pready(channel, order[i], order[i]));
        (void) channel_parrived(channel, 0, unit_below(random, channel->plan.recv_partitions));
        if (0 == unit_below(random, 3)) {
            channel_progress();
        }
    }
    if (OMPI_REQUEST_ACTIVE != channel_request(&channel->recv->super)->any.super.req_state) {
        channel_start(&channel->recv->super);
    }
    channel_finish(&channel->recv->super);
    channel_finish(&channel->send->super);
    for (uint32_t i = 0; i < channel->plan.recv_partitions; ++i) {
        assert_true(channel_is_there(channel, epoch, i));
    }
}

/* How often something is allocated in many iterations, the first among them. */
static unsigned allocations_of(const channel_plan_t *plan, uint64_t seed, int32_t process)
{
    const fakeucx_options_t network = {
        .seed = seed, .at_once = 30, .lazy = 20, .put_in_place = true};
    unit_random_t random = unit_stream(seed);
    static channel_t channel;
    unsigned allocations;

    channel_paths_open(PATHS, &network);
    mca_part_ucx_params.hold = seed % 2 ? 20 : 0;
    mca_part_ucx_params.shared_copy = PART_UCX_COPY_BOTH;
    channel_make(&channel, plan);
    channel_let_place(&channel, process);
    count_allocations();
    for (uint32_t epoch = 1; epoch <= EPOCHS; ++epoch) {
        run_epoch(&channel, epoch, &random);
    }
    allocations = stop_counting();
    channel_free(&channel);
    channel_paths_close();
    return allocations;
}

static void iterations_allocate_nothing(void **state)
{
    static const channel_plan_t plans[] = {
        {6400, 64, 64, 1, 1, PART_UCX_METHOD_MESSAGE},  /* each partition by itself */
        {6400, 64, 64, 1, 16, PART_UCX_METHOD_MESSAGE}, /* several together, or parts of them */
        {65536, 4, 8, 4, 1, PART_UCX_METHOD_MESSAGE},   /* in slices, cut otherwise */
        {6400, 64, 64, 1, 1, PART_UCX_METHOD_FLUSH},
        {6400, 64, 64, 1, 16, PART_UCX_METHOD_FLUSH},
        {65536, 4, 8, 4, 1, PART_UCX_METHOD_FLUSH},
        {6400, 64, 64, 1, 1, PART_UCX_METHOD_CHAINED},
    };

    (void) state;
    for (unsigned i = 0; i < sizeof(plans) / sizeof(plans[0]); ++i) {
        for (unsigned seed = 0; seed < 4; ++seed) {
            unsigned allocations = allocations_of(&plans[i], 10 * i + seed, 0);

            UNIT_CHECK(0 == allocations, "plan %u, seed %u: %u allocations in %u iterations", i,
                       seed, allocations, EPOCHS);
        }
    }
}

/* Of what the receiver fetches there are records: as many as it has ever fetched at a time. */
static void records_are_kept(void **state)
{
    static const channel_plan_t plans[] = {
        {160000, 8, 8, 1, 1, PART_UCX_METHOD_MESSAGE},
        {20000, 1, 1, 1, 1, PART_UCX_METHOD_MESSAGE}, /* offered before READY */
    };

    (void) state;
    for (unsigned i = 0; i < sizeof(plans) / sizeof(plans[0]); ++i) {
        for (unsigned seed = 0; seed < 4; ++seed) {
            assert_uint_in_range(allocations_of(&plans[i], 200 + 10 * i + seed, 0), 1,
                                 plans[i].send_partitions);
            /* Sender and receiver copy in turns. */
            assert_uint_in_range(allocations_of(&plans[i], 300 + 10 * i + seed, (int32_t) getpid()),
                                 0, plans[i].send_partitions);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_seen),
        cmocka_unit_test(a_partition_and_its_unit),
        cmocka_unit_test(a_slice),
        cmocka_unit_test(a_partition_that_leaves_with_others),
        cmocka_unit_test(a_partition_that_is_cut_otherwise),
        cmocka_unit_test(iterations_allocate_nothing),
        cmocka_unit_test(records_are_kept),
    };

    return UNIT_RUN(tests);
}
