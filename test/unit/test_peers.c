/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ten thousand made-up peers announce sends, are met, connect over four paths each, and withdraw.
 * What each costs is printed, and does not grow with their number. UCX's endpoints and the PML are
 * stand-ins.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"
#include "base/part_ucx_host.h"
#include "path/part_ucx_business_card.h"
#include "path/part_ucx_pairing.h"
#include "wireup/part_ucx_listener.h"
#include "wireup/part_ucx_meet.h"
#include "wireup/part_ucx_presence.h"
#include "wireup/part_ucx_wire.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ompi/proc/proc.h"

enum { PATHS = 4, FEW = 500, MANY = 10000, ADDRESS = 60 };

/* ---- stand-ins (linked with --wrap) ---- */

static mca_part_ucx_listener_t listener;
static unsigned endpoints;

mca_part_ucx_listener_t *__wrap_mca_part_ucx_listener_get(ompi_communicator_t *comm);
void __wrap_mca_part_ucx_listener_put(mca_part_ucx_listener_t *used);
ucs_status_t __wrap_ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep);

mca_part_ucx_listener_t *__wrap_mca_part_ucx_listener_get(ompi_communicator_t *comm)
{
    (void) comm;
    ++listener.users;
    return &listener;
}

void __wrap_mca_part_ucx_listener_put(mca_part_ucx_listener_t *used)
{
    --used->users;
}

ucs_status_t __wrap_ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep)
{
    (void) worker, (void) params;
    *ep = fakeucx_endpoint(0);
    ++endpoints;
    return UCS_OK;
}

/* ---- a communicator of made-up processes ---- */

static ompi_proc_t *processes;
static ompi_proc_t **members;
static ompi_group_t group;
static ompi_communicator_t comm = {.c_remote_group = &group};

static void make_processes(void)
{
    processes = calloc(MANY, sizeof(*processes));
    members = calloc(MANY, sizeof(*members));
    assert_true(NULL != processes && NULL != members);
    for (int i = 0; i < MANY; ++i) {
        ((opal_object_t *) &processes[i])->obj_reference_count = 1 << 20; /* never freed */
        processes[i].super.proc_name
            = (opal_process_name_t) {.jobid = OPAL_PROC_MY_NAME.jobid, .vpid = (uint32_t) i};
        members[i] = &processes[i];
    }
    ((opal_object_t *) &comm)->obj_reference_count = 1 << 20;
    group.grp_proc_pointers = members;
    group.grp_proc_count = MANY;
}

/* All paths have the same address. */
static const mca_part_ucx_subnet_t subnet = {
    .family = 4, .prefix = 24, .address = {192, 0, 2, 1}};

static mca_part_ucx_host_t host; /* of the peers */
static bool shared_memory;       /* their last path */
static uint8_t guest_address;    /* where the path before that is, if it is shared memory, too */

/* ANNOUNCE with the card of a peer that has the same paths as this process. */
static size_t announcement(char *message, uint64_t key)
{
    mca_part_ucx_wire_announce_t announce = {
        .header = mca_part_ucx_wire_header(PART_UCX_WIRE_ANNOUNCE, key),
        .tag = 7, .partitions = 1, .total = 64};
    mca_part_ucx_wire_peer_t head = {
        .paths = PATHS, .memory = host.memory, .network = host.network};
    size_t used = sizeof(announce) + sizeof(head);

    memcpy(message + sizeof(announce), &head, sizeof(head));
    for (uint8_t path = 0; path < PATHS; ++path) {
        mca_part_ucx_wire_path_t record = {.kind = PART_UCX_DEVICE_TCP, .address_bytes = ADDRESS};

        (void) snprintf(record.name, sizeof(record.name), "eth%u", path);
        record.subnet = subnet;
        if (shared_memory && PATHS - 1 == path) {
            record.kind = PART_UCX_DEVICE_SHARED;
        }
        if (0 != guest_address && PATHS - 2 == path) {
            record.kind = PART_UCX_DEVICE_SHARED;
        }
        memcpy(message + used, &record, sizeof(record));
        memset(message + used + sizeof(record),
               0 != guest_address && PATHS - 2 == path ? guest_address : path, ADDRESS);
        used += sizeof(record) + ADDRESS;
    }
    announce.card_bytes = (uint32_t) (used - sizeof(announce));
    memcpy(message, &announce, sizeof(announce));
    return used;
}

/* Of processor time: what else runs on the machine does not count. */
static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void open_all(void)
{
    const fakeucx_options_t network = {.seed = 1, .in_order = true};

    channel_paths_open(PATHS, &network);
    for (uint8_t path = 0; path < PATHS; ++path) {
        mca_part_ucx_paths.path[path].device.subnet = subnet;
    }
    if (shared_memory) {
        mca_part_ucx_paths.path[PATHS - 1].device.kind = PART_UCX_DEVICE_SHARED;
        mca_part_ucx_paths.shared = &mca_part_ucx_paths.path[--mca_part_ucx_paths.network];
    }
    endpoints = 0;
}

static void close_all(void)
{
    mca_part_ucx_meet_forget();
    mca_part_ucx_meet_close();
    mca_part_ucx_peers_destroy();
    assert_int_equal(0, listener.users);
    mca_part_ucx_paths.shared = NULL;
    channel_paths_close();
}

/* ---- what it costs ---- */

typedef struct costs_t {
    double announce, connect, find, withdraw; /* nanoseconds per peer */
    double bytes;                             /* per connected peer, without UCX's */
} costs_t;

static double each(double began, int count)
{
    return 1e9 * (seconds() - began) / count;
}

static void connect_all(int count)
{
    for (int i = 0; i < count; ++i) {
        mca_part_ucx_peer_t *peer = mca_part_ucx_peer_get(members[i]);

        assert_int_equal(PATHS, mca_part_ucx_pairing_make(peer));
        for (uint32_t path = 0; path < PATHS; ++path) {
            assert_non_null(mca_part_ucx_endpoint_get(peer, peer->pair[path].local,
                                                      peer->pair[path].remote));
        }
    }
}

/* What malloc has handed out; 0: it cannot be asked. */
static size_t handed_out(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

static costs_t meet(int count)
{
    static char message[4096];
    costs_t costs = {0};
    double began = seconds();
    size_t bytes = handed_out();

    open_all();
    for (int i = 0; i < count; ++i) {
        mca_part_ucx_meet_announced(&comm, i, message, announcement(message, (uint64_t) i + 1));
    }
    assert_int_equal(count, listener.users); /* nobody has met any */
    costs.announce = each(began, count);
    began = seconds();
    connect_all(count);
    assert_int_equal(count * PATHS, endpoints);
    costs.connect = each(began, count);
    began = seconds();
    for (int i = 0; i < count; ++i) {
        assert_ptr_equal(members[i], mca_part_ucx_peer_get(members[i])->proc);
    }
    costs.find = each(began, count);
    began = seconds();
    for (int i = 0; i < count; ++i) {
        mca_part_ucx_meet_withdrawn(&comm, i, (uint64_t) i + 1);
    }
    costs.withdraw = each(began, count);
    costs.bytes = (double) (handed_out() - bytes) / count;
    assert_int_equal(0, listener.users);
    close_all();
    return costs;
}

static costs_t least_of(int times, int count)
{
    costs_t least = meet(count);

    while (--times > 0) {
        costs_t one = meet(count);

        least.announce = one.announce < least.announce ? one.announce : least.announce;
        least.connect = one.connect < least.connect ? one.connect : least.connect;
        least.find = one.find < least.find ? one.find : least.find;
        least.withdraw = one.withdraw < least.withdraw ? one.withdraw : least.withdraw;
    }
    return least;
}

static void print(int count, const costs_t *costs)
{
    print_message("%5d peers, each: announced in %.0f ns, connected over %d paths in %.0f ns, "
                  "found in %.0f ns, withdrawn in %.0f ns, %.0f bytes\n",
                  count, costs->announce, PATHS, costs->connect, costs->find, costs->withdraw,
                  costs->bytes);
}

static void expect_flat(const char *what, double few, double many)
{
    /* A list of all peers takes 20 microseconds and more; caches take their part. */
    UNIT_CHECK(many < 8 * few + 4000, "%s: %.0f ns each with %d, %.0f ns with %d", what, few, FEW,
               many, MANY);
}

static void ten_thousand(void **state)
{
    costs_t few, many;

    (void) state;
    few = least_of(5, FEW);
    many = least_of(3, MANY);
    print(FEW, &few);
    print(MANY, &many);
    expect_flat("announced", few.announce, many.announce);
    expect_flat("connected", few.connect, many.connect);
    expect_flat("found", few.find, many.find);
    expect_flat("withdrawn", few.withdraw, many.withdraw);
}

/* All sends are of one rank, and have one tag: they are withdrawn in any order. */
static double withdraw_equal(int count)
{
    static char message[4096];
    uint32_t *order = malloc((size_t) count * sizeof(*order));
    unit_random_t random = unit_stream((uint64_t) count);
    double took;

    assert_non_null(order);
    unit_order(&random, order, (uint32_t) count);
    open_all();
    for (int i = 0; i < count; ++i) {
        mca_part_ucx_meet_announced(&comm, 3, message, announcement(message, (uint64_t) i + 1));
    }
    took = seconds();
    for (int i = 0; i < count; ++i) {
        mca_part_ucx_meet_withdrawn(&comm, 3, (uint64_t) order[i] + 1);
    }
    took = each(took, count);
    assert_int_equal(0, listener.users);
    close_all();
    free(order);
    return took;
}

static void withdrawing_is_linear(void **state)
{
    double few = 1e9, many = 1e9;

    (void) state;
    for (int i = 0; i < 3; ++i) {
        double one = withdraw_equal(FEW), other = withdraw_equal(MANY);

        few = one < few ? one : few;
        many = other < many ? other : many;
    }
    print_message("equal sends: withdrawn in %.0f ns each of %d, %.0f ns each of %d\n", few, FEW,
                  many, MANY);
    expect_flat("equal sends", few, many);
}

/* ---- where the peer is ---- */

/* How many pairs, and is it shared memory? Open MPI thinks what it likes of where the peer is. */
static uint32_t pairs_of(bool memory, bool network, bool guess, bool *shared)
{
    static char message[4096];
    const mca_part_ucx_host_t *ours = mca_part_ucx_host_ours();
    mca_part_ucx_peer_t *peer;
    uint32_t pairs;

    host.memory = ours->memory + (memory ? 0 : 1);
    host.network = ours->network + (network ? 0 : 1);
    processes[0].super.proc_flags = guess ? OPAL_PROC_ON_NODE : 0;
    open_all();
    mca_part_ucx_meet_announced(&comm, 0, message, announcement(message, 1));
    peer = mca_part_ucx_peer_get(members[0]);
    pairs = mca_part_ucx_pairing_make(peer);
    *shared = 0 != pairs && NULL != mca_part_ucx_paths.shared
              && peer->pair[0].local == (uint32_t) mca_part_ucx_paths.shared->index;
    assert_true(!*shared || 1 == pairs);
    close_all();
    return pairs;
}

static void who_is_where(void **state)
{
    bool shared;

    (void) state;
    for (int guess = 0; guess < 2; ++guess) {
        shared_memory = true;
        assert_int_equal(1, pairs_of(true, true, guess, &shared));
        assert_true(shared);
        assert_int_equal(1, pairs_of(true, false, guess, &shared)); /* a container */
        assert_true(shared);
        assert_int_equal(PATHS - 1, pairs_of(false, true, guess, &shared)); /* another one */
        assert_false(shared);
        /* Another host, and addresses that exist on both: they do not lead there. */
        assert_int_equal(0, pairs_of(false, false, guess, &shared));
        shared_memory = false;
        assert_int_equal(PATHS, pairs_of(true, true, guess, &shared));
        assert_int_equal(PATHS, pairs_of(false, true, guess, &shared));
        assert_int_equal(0, pairs_of(true, false, guess, &shared));
    }
    host = *mca_part_ucx_host_ours();
}

/* ---- guests ---- */

static mca_part_ucx_peer_t *guest_announces(uint64_t key)
{
    static char message[4096];

    mca_part_ucx_meet_announced(&comm, 1, message, announcement(message, key));
    return mca_part_ucx_peer_get(members[1]);
}

/* One of another job has another path than one of this job, which may move, and is forgotten. */
static void guests_come_and_go(void **state)
{
    mca_part_ucx_path_t *path;
    mca_part_ucx_peer_t *peer, *ours;
    mca_part_ucx_endpoint_t *first;

    (void) state;
    host = *mca_part_ucx_host_ours();
    processes[1].super.proc_name.jobid = OPAL_PROC_MY_NAME.jobid + 1;
    processes[0].super.proc_name.jobid = OPAL_PROC_MY_NAME.jobid;
    shared_memory = true;
    guest_address = 0x55;
    open_all();
    path = &mca_part_ucx_paths.path[PATHS - 2];
    path->device.kind = PART_UCX_DEVICE_SHARED;
    mca_part_ucx_paths.guests = path;
    --mca_part_ucx_paths.network;
    peer = guest_announces(1);
    ours = mca_part_ucx_peer_get(members[0]);
    assert_true(peer->guest && !ours->guest);
    peer->knows_us = ours->knows_us = true;
    assert_true(mca_part_ucx_peer_is_to_know(peer) && !mca_part_ucx_peer_is_to_know(ours));
    assert_int_equal(1, mca_part_ucx_pairing_make(peer));
    assert_int_equal(PATHS - 2, peer->pair[0].local);
    assert_int_equal(PATHS - 2, peer->pair[0].remote);
    first = mca_part_ucx_endpoint_get(peer, PATHS - 2, PATHS - 2);
    assert_ptr_equal(peer, guest_announces(2));
    assert_ptr_equal(first, mca_part_ucx_endpoint_get(peer, PATHS - 2, PATHS - 2));
    ++guest_address; /* it has closed and opened its path */
    assert_ptr_equal(peer, guest_announces(3));
    assert_ptr_not_equal(first, mca_part_ucx_endpoint_get(peer, PATHS - 2, PATHS - 2));
    assert_ptr_equal(path, first->path); /* somebody may still have it */
    assert_int_equal(0x56, ((const char *) peer->remote[PATHS - 2].address)[ADDRESS - 1]);
    for (uint64_t key = 1; key <= 3; ++key) {
        mca_part_ucx_meet_withdrawn(&comm, 1, key);
    }
    mca_part_ucx_peers_forget_guests();
    assert_int_equal(0, mca_part_ucx_peer_get(members[1])->remotes);
    assert_ptr_equal(ours, mca_part_ucx_peer_get(members[0]));
    close_all();
    mca_part_ucx_paths.guests = NULL;
    guest_address = 0;
}

/* Open MPI frees its processes at the end of all of MPI, and makes others in the next session: at
 * the same addresses, perhaps. */
static void known_by_name(void **state)
{
    mca_part_ucx_peer_t *first, *second;
    ompi_proc_t again = processes[1];

    (void) state;
    open_all();
    first = mca_part_ucx_peer_get(&processes[1]);
    second = mca_part_ucx_peer_get(&processes[2]);
    mca_part_ucx_peers_forget_processes();
    assert_null(first->proc);
    assert_false(mca_part_ucx_presence_has_died(first) || mca_part_ucx_presence_lacks(first, 0));
    assert_ptr_equal(first, mca_part_ucx_peer_get(&again));
    assert_ptr_equal(&again, first->proc);
    processes[1].super.proc_name = processes[2].super.proc_name;
    assert_ptr_equal(second, mca_part_ucx_peer_get(&processes[1]));
    assert_ptr_equal(&processes[1], second->proc);
    processes[1].super.proc_name = again.super.proc_name;
    close_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_where),
        cmocka_unit_test(ten_thousand),
        cmocka_unit_test(withdrawing_is_linear),
        cmocka_unit_test(guests_come_and_go),
        cmocka_unit_test(known_by_name),
    };

    make_processes();
    return UNIT_RUN(tests);
}
