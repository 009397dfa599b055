/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which interface meets which of another host: those of one network, whatever their order and
 * names; where no network is common, those that are routed to each other, and of these the most
 * alike ones; never a private bridge, which each host has for itself, nor a slow one where others
 * lead there, too. Both ends find the same.
 */
#include "ompi_config.h"

#include "unit.h"

#include "path/part_ucx_pairing.h"
#include "path/part_ucx_paths.h"
#include "path/part_ucx_subnet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/proc/proc.h"

enum { MOST = 4 };

/* An interface of a host: "name address/prefix", and perhaps its speed; "-" in front of it: its
 * path is not open. */
typedef struct host_t {
    const char *interface[MOST];
} host_t;

/* ---- stand-in: routes ---- */

/* From interfaces whose name begins with this no route leads to another network. */
static const char *islands;

bool __wrap_mca_part_ucx_subnet_leads_to(const char *interface, const mca_part_ucx_subnet_t *peer);
bool __wrap_mca_part_ucx_subnet_leads_to(const char *interface, const mca_part_ucx_subnet_t *peer)
{
    (void) peer;
    return NULL == islands || 0 != strncmp(interface, islands, strlen(islands));
}

/* ---- hosts ---- */

static mca_part_ucx_device_t device_of(const char *text)
{
    mca_part_ucx_device_t device = {.kind = PART_UCX_DEVICE_TCP};
    unsigned part[4], prefix;
    int got = sscanf(text + ('-' == text[0]), "%15s %u.%u.%u.%u/%u %u", device.name, &part[0],
                     &part[1], &part[2], &part[3], &prefix, &device.speed);

    assert_true(got >= 6);
    device.subnet.family = 4;
    device.subnet.prefix = (uint8_t) prefix;
    for (unsigned i = 0; i < 4; ++i) {
        unsigned bits = prefix > 8 * i ? prefix - 8 * i : 0;
        unsigned mask = bits >= 8 ? 0xff : 0xff & ~(0xffu >> bits);

        device.subnet.address[i] = (uint8_t) part[i];
        device.subnet.network[i] = (uint8_t) (part[i] & mask);
    }
    return device;
}

static void be_here(const host_t *host)
{
    mca_part_ucx_path_t *path = calloc(MOST, sizeof(*path));
    int count = 0;

    assert_non_null(path);
    for (; count < MOST && NULL != host->interface[count]; ++count) {
        path[count].index = count;
        path[count].device = device_of(host->interface[count]);
        atomic_store(&path[count].open, '-' != host->interface[count][0]);
    }
    mca_part_ucx_paths.path = path;
    mca_part_ucx_paths.count = mca_part_ucx_paths.network = count;
}

static void leave(void)
{
    free(mca_part_ucx_paths.path);
    mca_part_ucx_paths.path = NULL;
    mca_part_ucx_paths.count = mca_part_ucx_paths.network = 0;
}

static void be_there(const host_t *host, mca_part_ucx_peer_t *peer, mca_part_ucx_remote_t *remote)
{
    *peer = (mca_part_ucx_peer_t) {.host = "there", .remote = remote};
    for (; peer->remotes < MOST && NULL != host->interface[peer->remotes]; ++peer->remotes) {
        const char *text = host->interface[peer->remotes];
        mca_part_ucx_device_t device = device_of(text);

        remote[peer->remotes] = (mca_part_ucx_remote_t) {
            .kind = device.kind,
            .subnet = device.subnet,
            .address = '-' == text[0] ? NULL : (ucp_address_t *) remote};
        memcpy(remote[peer->remotes].name, device.name, sizeof(device.name));
    }
}

/* As text: "0-1 2-0" are the first here with the second there, and so on, in the order of ours. */
static void find(const host_t *here, const host_t *there, bool same_network, char *text)
{
    mca_part_ucx_remote_t remote[MOST];
    mca_part_ucx_peer_t peer;
    uint32_t pairs;
    size_t used = 0;

    be_here(here);
    be_there(there, &peer, remote);
    peer.same_network = same_network;
    pairs = mca_part_ucx_pairing_make(&peer);
    assert_int_equal(pairs, peer.pairs);
    assert_true((peer.pairs > 1) == (NULL != peer.measure));
    text[0] = '\0';
    for (uint32_t local = 0; local < MOST; ++local) {
        for (uint32_t i = 0; i < peer.pairs; ++i) {
            if (local == peer.pair[i].local) {
                used += (size_t) sprintf(text + used, "%s%u-%u", 0 == used ? "" : " ", local,
                                         peer.pair[i].remote);
            }
        }
    }
    free(peer.measure);
    leave();
}

static void meets(const host_t *here, const host_t *there, const char *expected)
{
    char text[100];

    find(here, there, false, text);
    assert_string_equal(expected, text);
}

/* ---- what must come out ---- */

static const host_t one = {{"eth0 10.0.0.1/24", "eth1 10.0.1.1/24", "eth2 10.0.2.1/24"}};

static void one_network(void **state)
{
    static const host_t other_order = {
        {"eth0 10.0.2.9/24", "eth1 10.0.0.9/24", "eth2 10.0.1.9/24"}};
    static const host_t fewer = {{"ens5 10.0.7.9/24", "ens6 10.0.1.9/24"}};
    static const host_t closed = {{"-eth0 10.0.0.9/24", "eth1 10.0.1.9/24"}};
    static const host_t wider = {{"eth0 10.0.0.9/16"}};

    (void) state;
    meets(&one, &other_order, "0-1 1-2 2-0");
    meets(&other_order, &one, "0-2 1-0 2-1");
    meets(&one, &fewer, "1-1");
    meets(&fewer, &one, "1-1");
    meets(&one, &closed, "1-1");
    meets(&closed, &one, "1-1");
    meets(&one, &wider, "0-0"); /* not the same network, but routed to each other */
}

/* Each is used once, also of several in one network. */
static void once(void **state)
{
    static const host_t two = {{"eth0 10.0.0.1/24", "eth1 10.0.0.2/24"}};
    static const host_t three = {{"eth0 10.0.0.7/24", "eth1 10.0.0.8/24", "eth2 10.0.0.9/24"}};

    (void) state;
    meets(&two, &three, "0-0 1-1");
    meets(&three, &two, "0-0 1-1");
}

/* Subnets of a cloud: one for each host. What belongs together has more of the address alike. */
static void no_network_in_common(void **state)
{
    static const host_t a = {{"eth0 10.1.4.5/24", "eth1 172.16.4.5/24"}};
    static const host_t b = {{"eth0 172.16.9.5/24", "eth1 10.1.9.5/24"}};
    static const host_t c = {{"eth1 10.1.9.5/24"}};
    static const host_t d = {{"ens1 192.168.3.2/24", "ens2 192.168.4.2/24"}};
    static const host_t e = {{"ens2 192.168.5.2/24", "ens1 192.168.6.2/24"}};

    (void) state;
    meets(&a, &b, "0-1 1-0");
    meets(&b, &a, "0-1 1-0");
    meets(&a, &c, "0-0");
    meets(&c, &a, "0-0");
    /* 3: 011, 4: 100, 5: 101, 6: 110 */
    meets(&d, &e, "0-1 1-0");
    meets(&e, &d, "0-1 1-0");
}

/* An interface that leads nowhere, such as one of a management network. */
static void routes(void **state)
{
    static const host_t a = {{"mgmt0 10.1.4.5/24", "eth1 172.16.4.5/24"}};
    static const host_t b = {{"mgmt0 10.1.9.5/24", "eth1 172.16.9.5/24"}};

    (void) state;
    meets(&a, &b, "0-0 1-1");
    islands = "mgmt";
    meets(&a, &b, "1-1");
    islands = "eth";
    meets(&a, &b, "0-0");
    islands = "";
    meets(&a, &b, "");
    islands = NULL;
}

/* Each host has one of that address. In one network namespace it is one and the same. */
static void private_bridge(void **state)
{
    static const host_t a = {{"docker0 172.17.0.1/16", "eth0 10.0.0.1/24"}};
    static const host_t b = {{"eth0 10.0.0.2/24", "docker0 172.17.0.1/16"}};
    static const host_t c = {{"docker0 172.17.0.1/16", "eth0 10.9.0.2/24"}};
    static const host_t d = {{"docker0 172.17.0.1/16"}};
    char text[100];

    (void) state;
    meets(&a, &b, "1-0");
    meets(&b, &a, "0-1");
    meets(&a, &c, "1-1"); /* without a network in common, too */
    meets(&a, &d, "");
    meets(&d, &d, "");
    find(&d, &d, true, text);
    assert_string_equal("0-0", text);
}

/* A management network is not used beside one that is much faster; where nothing else is common, it
 * is. */
static void slow_ones(void **state)
{
    static const host_t a = {{"eth0 10.0.0.1/24 1000", "eth1 10.0.1.1/24 25000",
                              "eth2 10.0.2.1/24 100000", "eth3 10.0.3.1/24"}};
    static const host_t b = {{"eth0 10.0.0.2/24 1000", "eth1 10.0.1.2/24 25000",
                              "eth2 10.0.2.2/24 100000", "eth3 10.0.3.2/24"}};
    static const host_t login = {{"eth0 10.0.0.9/24 1000", "eth7 10.0.9.9/24 10000"}};

    (void) state;
    meets(&a, &b, "1-1 2-2 3-3");
    islands = "eth";
    meets(&a, &login, "0-0");
    meets(&login, &a, "0-0");
    islands = NULL;
}

/* Devices that are no interfaces meet by name. */
static void other_kinds(void **state)
{
    static const host_t host = {{"mlx5_0:1 0.0.0.0/0", "mlx5_1:1 0.0.0.0/0"}};
    mca_part_ucx_remote_t remote[MOST];
    mca_part_ucx_peer_t peer;

    (void) state;
    be_here(&host);
    be_there(&host, &peer, remote);
    for (int i = 0; i < 2; ++i) {
        mca_part_ucx_paths.path[i].device.kind = remote[i].kind = PART_UCX_DEVICE_RDMA;
        memset(&mca_part_ucx_paths.path[i].device.subnet, 0, sizeof(mca_part_ucx_subnet_t));
        memset(&remote[i].subnet, 0, sizeof(mca_part_ucx_subnet_t));
    }
    memcpy(remote[0].name, "mlx5_1:1", sizeof("mlx5_1:1"));
    memcpy(remote[1].name, "mlx5_2:1", sizeof("mlx5_2:1"));
    assert_int_equal(1, mca_part_ucx_pairing_make(&peer));
    assert_int_equal(1, peer.pair[0].local);
    assert_int_equal(0, peer.pair[0].remote);
    peer.pairs = 0;
    memcpy(remote[0].name, "mlx5_4:1", sizeof("mlx5_4:1")); /* no name in common: in order */
    assert_int_equal(2, mca_part_ucx_pairing_make(&peer));
    assert_int_equal(peer.pair[0].local, peer.pair[0].remote);
    assert_int_equal(peer.pair[1].local, peer.pair[1].remote);
    free(peer.measure);
    peer.pairs = 0;
    remote[0].kind = remote[1].kind = PART_UCX_DEVICE_TCP;
    assert_int_equal(0, mca_part_ucx_pairing_make(&peer));
    leave();
}

/* Whatever the hosts have: each is used once, and both ends find as many pairs. */
static void any_hosts(void **state)
{
    unit_random_t random = unit_stream(5);

    (void) state;
    for (uint32_t round = unit_repeat(2000); round > 0; --round) {
        char interface[2][MOST][40], text[2][100];
        host_t host[2] = {{{NULL}}, {{NULL}}};

        for (unsigned side = 0; side < 2; ++side) {
            uint32_t count = 1 + unit_below(&random, MOST);

            for (uint32_t i = 0; i < count; ++i) {
                (void) snprintf(interface[side][i], sizeof(interface[side][i]),
                                "eth%u 10.%u.%u.%u/%u", i, unit_below(&random, 2),
                                unit_below(&random, 3), 2 * i + 1 + side,
                                0 == unit_below(&random, 4) ? 16u : 24u);
                host[side].interface[i] = interface[side][i];
            }
        }
        find(&host[0], &host[1], false, text[0]);
        find(&host[1], &host[0], false, text[1]);
        assert_int_equal(strlen(text[0]), strlen(text[1]));
        for (uint32_t remote = 0; remote < MOST; ++remote) {
            char end[] = {'-', (char) ('0' + remote), '\0'};
            const char *first = strstr(text[0], end);

            assert_true(NULL == first || NULL == strstr(first + 1, end));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_network),          cmocka_unit_test(once),
        cmocka_unit_test(no_network_in_common), cmocka_unit_test(routes),
        cmocka_unit_test(private_bridge),       cmocka_unit_test(slow_ones),
        cmocka_unit_test(other_kinds),          cmocka_unit_test(any_hosts),
    };

    return UNIT_RUN(tests);
}
