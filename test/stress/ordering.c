/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ordering: is a flag ever seen before its data? Threads of the receiver poll MPI_Parrived and
 * look at a partition the moment it is reported, its last bytes first. Every byte is named by
 * iteration and offset, and the buffer still holds the iteration before, so a byte that is late is
 * seen as wrong.
 *
 * Ranks 0 and 1 are a pair, 2 and 3 the next one, and so on. The sizes go around the thresholds
 * between delivery methods. Which method is tested says the MCA variable part_ucx_delivery, which
 * transport part_ucx_transports; the runner does all that are meant to be safe.
 *
 * --broadcast makes each pair a communicator with a broadcast from its first to its second rank:
 * then the partitions are pieces of a link, of which the small ones leave in bundles, or on one
 * host by boxes.
 *
 * --plant makes the receiver look at one partition of each iteration without asking MPI_Parrived,
 * which is what a flag before its data amounts to: the program succeeds then if its checks have
 * caught that.
 */

#include "../support/options.h"
#include "../support/side.h"

#include "mpix_partitioned.h"

#include <stdlib.h>

#define TAG         70
#define MAX_THREADS 16

static mt_option_t options[] = {
    {"seconds", "time to run", 5, false},
    {"seed", "of the orders of marking and polling", 1, false},
    {"pollers", "threads that poll on the receiver", 2, false},
    {"markers", "threads that mark on the sender", 2, false},
    {"bytes", "one partition size only instead of all", 0, false},
    {"partitions", "number of partitions for --bytes", 32, false},
    {"broadcast", "over a link, not a channel of the user's", 0, true},
    {"plant", "look at partitions that were not reported: must be caught", 0, true},
    {NULL, NULL, 0, false},
};

static const struct {
    int send;
    int receive;
    size_t unit;
} shapes[] = {{64, 64, 8},     {32, 32, 512},   {64, 16, 64},   {32, 32, 4096}, {32, 32, 8192},
              {24, 24, 16384}, {16, 16, 65536}, {12, 9, 5000},  {5, 8, 30000},  {8, 8, 250000},
              {1, 4, 100000},  {4, 1, 100000},  {3, 3, 1000000}};

typedef struct {
    mt_side_t side;
    int iteration;
    int threads;
    bool plant;
    MPI_Comm pair; /* with --broadcast */
    long checks;
    long violations;
} shared_t;

static int next_order(int *order, int thread, const shared_t *shared)
{
    mt_random_t random;
    int count = 0;

    for (int p = thread; p < shared->side.partitions; p += shared->threads) {
        order[count++] = p;
    }
    mt_random_seed(&random, (uint64_t) mt_option(options, "seed") * 1000003u
                                + (uint64_t) (shared->iteration * MAX_THREADS + thread));
    mt_random_shuffle(&random, order, count);
    return count;
}

static void mark(int thread, void *argument)
{
    shared_t *shared = argument;
    int *order = mt_alloc((size_t) shared->side.partitions * sizeof(*order));
    int count = next_order(order, thread, shared);

    for (int i = 0; i < count; i++) {
        mt_send_partition(&shared->side, order[i], shared->iteration);
    }
    free(order);
}

/* The last bytes, the first ones, then all of them; in this order, at once. */
static bool readable(const shared_t *shared, int partition)
{
    const mt_side_t *side = &shared->side;
    uint64_t stream = mt_stream(side, shared->iteration);
    size_t from = (size_t) partition * side->bytes;
    size_t to = from + side->bytes;

    return side->buffer[to - 1] == mt_byte(stream, to - 1)
           && side->buffer[from] == mt_byte(stream, from)
           && 0 == mt_wrong(side->buffer + from, side->bytes, stream, from);
}

static void poll(int thread, void *argument)
{
    shared_t *shared = argument;
    int *left = mt_alloc((size_t) shared->side.partitions * sizeof(*left));
    int count = next_order(left, thread, shared);
    int planted = shared->plant && count > 0 ? left[0] : -1;

    for (int i = 0; count > 0; i = (i + 1) % count) {
        if (left[i] == planted || mt_arrived(shared->side.request, left[i])) {
            bool good = readable(shared, left[i]);
            __atomic_add_fetch(&shared->checks, 1, __ATOMIC_RELAXED);
            if (!good) {
                __atomic_add_fetch(&shared->violations, 1, __ATOMIC_RELAXED);
            }
            mt_check(good || shared->plant,
                     "iteration %d: partition %d of %zu bytes was reported "
                     "before its data",
                     shared->iteration, left[i], shared->side.bytes);
            left[i] = left[--count];
            if (0 == count) {
                break;
            }
        }
    }
    free(left);
}

static void iterate(shared_t *shared)
{
    mt_start(&shared->side);
    mt_team(shared->threads, shared->side.sending ? mark : poll, shared);
    mt_success(MPI_Wait(&shared->side.request, MPI_STATUS_IGNORE), "MPI_Wait");
    if (!shared->side.sending) {
        mt_side_verify(&shared->side, -1, shared->iteration);
    }
    shared->iteration++;
}

/* The other end of a broadcast has as many partitions. */
static void make_broadcast(shared_t *shared, int partitions, size_t bytes)
{
    mt_side_t *side = &shared->side;

    mt_buffer(side, partitions, bytes, TAG, 0 == mt_rank() % 2);
    mt_success(MPIX_Pbcast_init(side->buffer, partitions, (MPI_Count) bytes, MPI_BYTE, 0,
                                shared->pair, MPI_INFO_NULL, &side->request),
               "MPIX_Pbcast_init");
}

static void run_shape(shared_t *shared, int send, int receive, size_t unit, int iterations)
{
    int peer = mt_rank() ^ 1;

    mt_stage("%d -> %d partitions, unit %zu bytes", send, receive, unit);
    if (MPI_COMM_NULL != shared->pair) {
        make_broadcast(shared, send, (size_t) receive * unit);
    } else if (0 == mt_rank() % 2) {
        mt_psend(&shared->side, send, (size_t) receive * unit, peer, TAG, MPI_COMM_WORLD);
    } else {
        mt_precv(&shared->side, receive, (size_t) send * unit, peer, TAG, MPI_COMM_WORLD);
    }
    for (int i = 0; i < iterations; i++) {
        iterate(shared);
    }
    mt_drop(&shared->side);
}

/* Partition sizes of the table are per pair of counts; equal counts share the unit out. */
static void run_all(shared_t *shared, double seconds)
{
    double end = mt_now() + seconds;
    int go = 1;

    while (go) {
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
            size_t unit = shapes[i].unit;
            int send = shapes[i].send;
            int receive = shapes[i].receive;
            if (send == receive) {
                unit = (unit + (size_t) send - 1) / (size_t) send;
            }
            size_t total = (size_t) send * (size_t) receive * unit;
            run_shape(shared, send, receive, unit, total > 1000000 ? 2 : total > 100000 ? 8 : 25);
        }
        go = mt_now() < end && 0 == mt_failures();
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void run_one(shared_t *shared, double seconds)
{
    double end = mt_now() + seconds;
    int partitions = (int) mt_option(options, "partitions");
    size_t bytes = (size_t) mt_option(options, "bytes");
    size_t unit = (bytes + (size_t) partitions - 1) / (size_t) partitions;
    int go = 1;

    while (go) {
        run_shape(shared, partitions, partitions, unit, 50);
        go = mt_now() < end && 0 == mt_failures();
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void report(const shared_t *shared)
{
    long mine[2] = {shared->checks, shared->violations};
    long all[2] = {0, 0};

    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (0 == mt_rank()) {
        mt_note("%d iterations, %ld partitions looked at, %ld not readable when reported",
                shared->iteration, all[0], all[1]);
    }
    if (shared->plant) {
        mt_check(all[1] > 0, "%ld planted looks at data that was not there were not noticed",
                 all[0]);
        mt_result("the checks notice data that is not there");
    } else {
        mt_check(0 == all[1] || 0 != mt_rank(), "%ld violations", all[1]);
        mt_result("no flag was seen before its data");
    }
}

int main(int argc, char **argv)
{
    shared_t shared = {.iteration = 0, .pair = MPI_COMM_NULL};

    mt_options_read(options, argc, argv);
    double seconds = mt_option(options, "seconds");
    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    mt_limit(seconds + 240);
    if (0 != mt_size() % 2) {
        mt_skip("needs pairs of ranks", "ordering");
        return mt_end();
    }
    shared.plant = 0 != mt_option(options, "plant");
    shared.threads = (int) mt_option(options, 0 == mt_rank() % 2 ? "markers" : "pollers");
    shared.threads = shared.threads > MAX_THREADS ? MAX_THREADS : shared.threads;
    if (0 != mt_option(options, "broadcast")) {
        mt_success(MPI_Comm_split(MPI_COMM_WORLD, mt_rank() / 2, mt_rank(), &shared.pair),
                   "MPI_Comm_split");
    }
    if (mt_option(options, "bytes") > 0) {
        run_one(&shared, seconds);
    } else {
        run_all(&shared, seconds);
    }
    if (MPI_COMM_NULL != shared.pair) {
        MPI_Comm_free(&shared.pair);
    }
    report(&shared);
    return mt_end();
}
