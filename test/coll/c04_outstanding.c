/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several requests at once, on one communicator and on several: each rank starts them, marks their
 * partitions and completes them in an order of its own.
 */

#include "../support/pcoll.h"

#define REQUESTS   10
#define ITERATIONS 6

typedef struct {
    int request;
    int partition;
} item_t;

static void shuffle_items(item_t *items, int count, mt_random_t *random)
{
    for (int i = count - 1; i > 0; i--) {
        int j = mt_random_below(random, i + 1);
        item_t kept = items[i];
        items[i] = items[j];
        items[j] = kept;
    }
}

static void start_all(pc_t *pcs, int iteration, mt_random_t *random)
{
    int order[REQUESTS];
    MPI_Request some[REQUESTS];
    int left = mt_random_below(random, REQUESTS);

    for (int i = 0; i < REQUESTS; i++) {
        order[i] = i;
    }
    mt_random_shuffle(random, order, REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
        pc_wipe(&pcs[order[i]], iteration);
        some[i] = pcs[order[i]].request;
        if (i < left) {
            mt_success(MPI_Start(&some[i]), "MPI_Start");
        }
    }
    mt_success(MPI_Startall(REQUESTS - left, some + left), "MPI_Startall");
}

static void mark_all(pc_t *pcs, mt_random_t *random)
{
    item_t items[REQUESTS * 64];
    int count = 0;

    for (int i = 0; i < REQUESTS; i++) {
        for (int p = 0; p < pcs[i].gives; p++) {
            items[count++] = (item_t){i, p};
        }
    }
    shuffle_items(items, count, random);
    for (int i = 0; i < count; i++) {
        pc_t *other = &pcs[mt_random_below(random, REQUESTS)];

        pc_mark(&pcs[items[i].request], items[i].partition);
        if (other->takes > 0 && 0 == i % 3) {
            pc_arrived(other, mt_random_below(random, other->takes));
        }
    }
}

static void complete_all(pc_t *pcs, mt_random_t *random)
{
    int order[REQUESTS];
    MPI_Request requests[REQUESTS];
    int done = 0;

    for (int i = 0; i < REQUESTS; i++) {
        order[i] = i;
    }
    mt_random_shuffle(random, order, REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
        requests[i] = pcs[order[i]].request;
    }
    switch (mt_random_below(random, 3)) {
    case 0:
        mt_success(MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
        break;
    case 1:
        for (int i = 0; i < REQUESTS; i++) {
            mt_success(MPI_Waitany(REQUESTS, requests, &done, MPI_STATUS_IGNORE), "MPI_Waitany");
        }
        break;
    default:
        for (int i = 0; i < REQUESTS; i++) {
            mt_finish(&requests[i], MPI_STATUS_IGNORE);
        }
        break;
    }
    for (int i = 0; i < REQUESTS; i++) {
        pc_verify(&pcs[i]);
    }
}

/* Requests of neighbouring kinds, on communicators in turn. */
static void run(const MPI_Comm *comms, int count, int first, mt_random_t *random)
{
    pc_t pcs[REQUESTS];

    for (int i = 0; i < REQUESTS; i++) {
        pc_kind_t kind = (pc_kind_t) ((first + i) % PC_KINDS);
        pc_spec_t spec = pc_plain(kind, comms[i % count], 4, 1 + 30 * (i % 3), (uint64_t) i);

        spec.root = i % mt_size();
        spec.in_place = 0 != i % 2;
        pc_make(&pcs[i], &spec, 3);
    }
    for (int i = 0; i < REQUESTS; i++) {
        pc_open(&pcs[i]);
    }
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        mt_stage("requests from %s on, iteration %d", pc_traits[first].name, iteration);
        start_all(pcs, iteration, random);
        mark_all(pcs, random);
        complete_all(pcs, random);
    }
    for (int i = 0; i < REQUESTS; i++) {
        pc_drop(&pcs[(i + mt_rank()) % REQUESTS]);
    }
}

int main(int argc, char **argv)
{
    mt_random_t random;
    MPI_Comm comms[3];

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&random, (uint64_t) (4 + mt_rank()));
    pc_world_make();
    for (int i = 0; i < 3; i++) {
        comms[i] = pc_ring();
    }
    for (int first = 0; first < PC_KINDS; first += 5) {
        run(comms, 1, first, &random);
    }
    mt_result("several requests on one communicator");
    for (int first = 2; first < PC_KINDS; first += 5) {
        run(comms, 3, first, &random);
    }
    mt_result("several requests on several communicators");
    for (int i = 0; i < 3; i++) {
        MPI_Comm_free(&comms[i]);
    }
    pc_world_drop();
    return mt_end();
}
