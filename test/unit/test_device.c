/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which devices become paths, on machines that are made up: all transports of a device together,
 * what the user names and excludes, RDMA before TCP, one path per subnet; and why others do not.
 */
#include "ompi_config.h"

#include "unit.h"

#include "fakehelp.h"
#include "fakemachine.h"
#include "path/part_ucx_devices.h"
#include "path/part_ucx_subnet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

#define NET  UCT_DEVICE_TYPE_NET
#define SHM  UCT_DEVICE_TYPE_SHM
#define SELF UCT_DEVICE_TYPE_SELF

/* Two ports of InfiniBand, three interfaces, shared memory; as UCT orders them. */
static const fakemachine_transport_t cluster_node[] = {
    {0, "tcp", "eth0", NET},
    {0, "tcp", "lo", NET},
    {0, "tcp", "ib0", NET},
    {1, "self", "memory", SELF},
    {2, "rc_verbs", "mlx5_0:1", NET},
    {2, "ud_verbs", "mlx5_0:1", NET},
    {2, "rc_mlx5", "mlx5_0:1", NET},
    {2, "ud_mlx5", "mlx5_0:1", NET},
    {2, "dc_mlx5", "mlx5_0:1", NET},
    {2, "rc_mlx5", "mlx5_1:2", NET},
    {2, "ud_mlx5", "mlx5_1:2", NET},
    {3, "posix", "memory", SHM},
    {3, "sysv", "memory", SHM},
    {3, "xpmem", "memory", SHM},
    {3, "cma", "memory", SHM},
    {3, "knem", "memory", SHM},
    {3, "cuda_copy", "cuda", UCT_DEVICE_TYPE_ACC},
    {0, NULL, NULL, NET},
};

static const fakemachine_transport_t ethernet_node[] = {
    {0, "tcp", "lo", NET},   {0, "tcp", "eth0", NET}, {0, "tcp", "eth1", NET},
    {0, "tcp", "eth2", NET}, {0, "tcp", "eth3", NET}, {1, "posix", "memory", SHM},
    {0, NULL, NULL, NET},
};

static const fakemachine_transport_t lonely_node[] = {
    {0, "tcp", "lo", NET},
    {0, NULL, NULL, NET},
};

static const fakemachine_transport_t nothing[] = {{0, NULL, NULL, NET}};

static mca_part_ucx_devices_t devices;

static int find(const char *wanted, const char *transports)
{
    int rc;

    free(devices.list);
    fakehelp_reset();
    rc = mca_part_ucx_devices_find(wanted, true, transports, &devices);
    assert_int_equal(0, fakemachine_leaks());
    return rc;
}

/* The names found, "a b c"; "a(x,y) b(x)" with their transports. */
static const char *found(bool with_transports)
{
    static char text[1024];

    text[0] = '\0';
    for (int i = 0; i < devices.count; ++i) {
        size_t used = strlen(text);

        (void) snprintf(text + used, sizeof(text) - used, with_transports ? "%s%s(%s)" : "%s%s",
                        0 == used ? "" : " ", devices.list[i].name, devices.list[i].transports);
    }
    return text;
}

static void transports_of_a_device(void **state)
{
    const fakemachine_t machine = {.transports = cluster_node};

    (void) state;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("mlx5_0:1,mlx5_1,ib0", ""));
    assert_string_equal("ib0(tcp) mlx5_0:1(rc_verbs,ud_verbs,rc_mlx5,ud_mlx5,dc_mlx5)"
                        " mlx5_1:2(rc_mlx5,ud_mlx5)",
                        found(true));
    assert_int_equal(PART_UCX_DEVICE_TCP, devices.list[0].kind);
    assert_int_equal(PART_UCX_DEVICE_RDMA, devices.list[1].kind);
    assert_int_equal(PART_UCX_DEVICE_RDMA, devices.list[2].kind);
    assert_true(devices.has_shared);
    assert_int_equal(PART_UCX_DEVICE_SHARED, devices.shared.kind);
    assert_string_equal("posix,xpmem,cma,knem", devices.shared.transports);
    assert_int_equal(OMPI_SUCCESS, find("", "tcp,shm"));
    assert_string_equal("posix,sysv,xpmem,cma,knem", devices.shared.transports);
}

/* As UCX's own list of devices may be written since 1.21. */
static void excluded_and_ranges(void **state)
{
    const fakemachine_t machine = {.transports = cluster_node};

    (void) state;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("mlx5_[0-1]", ""));
    assert_string_equal("mlx5_0:1 mlx5_1:2", found(false));
    assert_int_equal(OMPI_SUCCESS, find("mlx5_[1-7]:2,ib[0-0]", ""));
    assert_string_equal("ib0 mlx5_1:2", found(false));
    assert_int_equal(OMPI_ERR_NOT_FOUND, find("mlx5_[2-7]", ""));
    assert_int_equal(OMPI_ERR_NOT_FOUND, find("mlx5_[0", ""));
    assert_int_equal(OMPI_SUCCESS, find("^mlx5_0", ""));
    assert_string_equal("mlx5_1:2", found(false));
    assert_int_equal(OMPI_SUCCESS, find("^mlx5_[0-1]:2,nosuch", ""));
    assert_string_equal("mlx5_0:1", found(false));
}

/* Words that name nothing, and beginnings of names do not, are told, and have no effect. */
static void unknown_transports(void **state)
{
    static const struct {
        const char *list, *network, *told;
    } mistakes[] = {
        {"t", "", "\"t\""},
        {"rc_verb", "", "\"rc_verb\""},
        {"tcpx, shm", "", "\"tcpx\""},
        {"tcp,smh", "eth0 ib0", "\"smh\""},
        {"^tcpx", "mlx5_0:1 mlx5_1:2", "\"tcpx\""},
        {"tcp,posi,ib, ,posi,xy", "mlx5_0:1 mlx5_1:2", "\"posi,xy\""},
    };
    const fakemachine_t machine = {.transports = cluster_node};

    (void) state;
    fakemachine_set(&machine);
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); ++i) {
        assert_int_equal(OMPI_SUCCESS, find("", mistakes[i].list));
        mca_part_ucx_devices_tell_unknown(&devices, mistakes[i].list);
        UNIT_CHECK(0 == strcmp(mistakes[i].network, found(false)), "\"%s\": %s", mistakes[i].list,
                   found(false));
        UNIT_CHECK(fakehelp_said("unknown-transport", mistakes[i].told), "not told: \"%s\"",
                   mistakes[i].told);
        assert_int_equal(1, fakehelp_count());
    }
}

/* The names that UCX_TLS knows, and which of the cluster node's transports they stand for. */
static void transport_lists(void **state)
{
    static const struct {
        const char *list, *network, *shared;
    } cases[] = {
        {"tcp", "eth0 ib0", ""},
        {"all", "mlx5_0:1 mlx5_1:2", "posix,sysv,xpmem,cma,knem"},
        {"tcp,shm", "eth0 ib0", "posix,sysv,xpmem,cma,knem"},
        {"sm,tcp,self", "eth0 ib0", "posix,sysv,xpmem,cma,knem"},
        {"mm", "", "posix,sysv,xpmem"},
        {"sysv,cma", "", "sysv,cma"},
        {"ib", "mlx5_0:1 mlx5_1:2", ""},
        {"rc_verbs", "mlx5_0:1", ""},
        {"rc_v", "mlx5_0:1", ""},
        {"rc_x,posix", "mlx5_0:1 mlx5_1:2", "posix"},
        {"dc", "mlx5_0:1", ""},
        {"ud_v", "mlx5_0:1", ""},
        {"^ib", "eth0 ib0", "posix,sysv,xpmem,cma,knem"},
        {"^tcp", "mlx5_0:1 mlx5_1:2", "posix,sysv,xpmem,cma,knem"},
        {"^shm,ib", "eth0 ib0", ""},
        {"^shm,tcp", "mlx5_0:1 mlx5_1:2", ""},
        {"^cma,knem,rc,dc_x,ud", "eth0 ib0", "posix,sysv,xpmem"},
        {"^rc_v,ud", "mlx5_0:1 mlx5_1:2", "posix,sysv,xpmem,cma,knem"},
        {"tcp, shm", "eth0 ib0", "posix,sysv,xpmem,cma,knem"},
        {"knem, gdr_copy,self,cuda", "", "knem"},
    };
    const fakemachine_t machine = {.transports = cluster_node};

    (void) state;
    fakemachine_set(&machine);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        assert_int_equal(OMPI_SUCCESS, find("", cases[i].list));
        UNIT_CHECK(0 == strcmp(cases[i].network, found(false))
                       && 0 == strcmp(cases[i].shared, devices.shared.transports)
                       && devices.has_shared == ('\0' != cases[i].shared[0]),
                   "\"%s\": %s, shared memory over %s", cases[i].list, found(false),
                   devices.shared.transports);
        mca_part_ucx_devices_tell_unknown(&devices, cases[i].list);
        assert_int_equal(0, fakehelp_count());
    }
    /* Only what is allowed is used on a device. */
    assert_int_equal(OMPI_SUCCESS, find("", "rc_x"));
    assert_string_equal("mlx5_0:1(rc_mlx5,ud_mlx5) mlx5_1:2(rc_mlx5,ud_mlx5)", found(true));
    assert_int_equal(OMPI_SUCCESS, find("", "^rc_x"));
    assert_string_equal("mlx5_0:1(rc_verbs,ud_verbs,dc_mlx5)", found(true));
}

static void without_a_wish(void **state)
{
    const fakemachine_t cluster = {.transports = cluster_node};
    const fakemachine_t ethernet = {.transports = ethernet_node};
    const fakemachine_t lonely = {.transports = lonely_node};
    const fakemachine_t empty = {.transports = nothing};

    (void) state;
    fakemachine_set(&cluster);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("mlx5_0:1 mlx5_1:2", found(false));
    fakemachine_set(&ethernet);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("eth0 eth1 eth2 eth3", found(false));
    fakemachine_set(&lonely); /* loopback only if there is nothing else */
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("lo", found(false));
    assert_false(devices.has_shared);
    fakemachine_set(&empty);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_int_equal(0, devices.count);
    assert_int_equal(0, fakehelp_count());
}

static void wanted_devices(void **state)
{
    const fakemachine_t cluster = {.transports = cluster_node};
    const fakemachine_t ethernet = {.transports = ethernet_node};

    (void) state;
    fakemachine_set(&ethernet);
    assert_int_equal(OMPI_SUCCESS, find("eth3,eth1", "")); /* in any order */
    assert_string_equal("eth1 eth3", found(false));
    assert_int_equal(OMPI_SUCCESS, find("lo", ""));
    assert_string_equal("lo", found(false));
    fakemachine_set(&cluster);
    assert_int_equal(OMPI_SUCCESS, find("mlx5_0", "")); /* the port may be left out */
    assert_string_equal("mlx5_0:1", found(false));
    assert_int_equal(OMPI_SUCCESS, find("eth0,mlx5_1:2", ""));
    assert_string_equal("eth0 mlx5_1:2", found(false));
    assert_int_equal(0, fakehelp_count());
}

static void devices_that_do_not_exist(void **state)
{
    static const char *wrong[] = {"eth9", "eth", "eth00", "mlx5_0:", "mlx5_0:2", "mlx5", "memory"};
    const fakemachine_t machine = {.transports = cluster_node};

    (void) state;
    fakemachine_set(&machine);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        char list[64], quoted[64];

        (void) snprintf(list, sizeof(list), "eth0,%s", wrong[i]);
        (void) snprintf(quoted, sizeof(quoted), "\"%s\"", wrong[i]);
        UNIT_CHECK(OMPI_ERR_NOT_FOUND == find(list, ""), "%s is accepted", wrong[i]);
        assert_int_equal(1, fakehelp_count());
        assert_true(fakehelp_said("device-not-found", quoted));
        assert_true(fakehelp_said("device-not-found", "eth0,lo,ib0,mlx5_0:1,mlx5_1:2"));
    }
    /* A device that the transports exclude is not there either. */
    assert_int_equal(OMPI_ERR_NOT_FOUND, find("mlx5_0", "tcp"));
    assert_true(fakehelp_said("device-not-found", "eth0,lo,ib0"));
    assert_int_equal(OMPI_ERR_NOT_FOUND, find("eth0", "shm"));
    assert_true(fakehelp_said("device-not-found", "(none)"));
}

/* ---- why not ---- */

/* The devices that are not used, each with the number of its reason, "lo=4 eth1=5(eth0)". */
static const char *left_out(void)
{
    static char text[1024];

    text[0] = '\0';
    for (int i = devices.count; i < devices.known; ++i) {
        const mca_part_ucx_device_t *device = &devices.list[i];
        size_t used = strlen(text);

        (void) snprintf(text + used, sizeof(text) - used, "%s%s=%d", 0 == used ? "" : " ",
                        device->name, (int) device->use);
        used = strlen(text);
        if ('\0' != device->instead[0]) {
            (void) snprintf(text + used, sizeof(text) - used, "(%s)", device->instead);
        }
    }
    for (int i = 0; i < devices.count; ++i) {
        assert_int_equal(PART_UCX_USE_PATH, devices.list[i].use);
        assert_string_equal("", devices.list[i].instead);
    }
    return text;
}

static void check_left_out(const char *wanted, const char *transports, const char *expected)
{
    int rc = find(wanted, transports);

    UNIT_CHECK(OMPI_SUCCESS == rc && 0 == strcmp(expected, left_out()),
               "devices \"%s\", transports \"%s\": %d, %s instead of %s", wanted, transports, rc,
               left_out(), expected);
}

/* Every device that is not used has the reason that counts; together they are all devices. */
static void reasons(void **state)
{
    static const fakemachine_address_t addresses[] = {
        {"eth0", "10.0.0.1", "255.255.255.0"}, {"eth1", "10.0.0.2", "255.255.255.0"},
        {"eth2", "10.0.1.2", "255.255.255.0"}, {"eth3", "10.0.0.3", "255.255.255.0"},
        {"lo", "127.0.0.1", "255.0.0.0"},      {NULL, NULL, NULL},
    };
    static const fakemachine_address_t one_cable[] = {
        {"eth0", "10.0.0.1", "255.255.255.0"}, {"eth1", "169.254.3.4", "255.255.0.0"},
        {NULL, NULL, NULL},
    };
    const fakemachine_t cabled = {.transports = ethernet_node, .addresses = one_cable};
    const fakemachine_t cluster = {.transports = cluster_node};
    const fakemachine_t ethernet = {.transports = ethernet_node, .addresses = addresses};
    const fakemachine_t lonely = {.transports = lonely_node};

    (void) state;
    assert_int_equal(1, PART_UCX_USE_NO_TRANSPORT);
    assert_int_equal(2, PART_UCX_USE_NOT_NAMED);
    assert_int_equal(3, PART_UCX_USE_BESIDE_RDMA);
    assert_int_equal(4, PART_UCX_USE_LOOPBACK);
    assert_int_equal(5, PART_UCX_USE_SAME_SUBNET);
    fakemachine_set(&cluster);
    check_left_out("", "", "eth0=3 lo=4 ib0=3");
    check_left_out("", "tcp", "lo=4 mlx5_0:1=1 mlx5_1:2=1");
    check_left_out("", "rc_v", "eth0=1 lo=1 ib0=1 mlx5_1:2=1");
    check_left_out("mlx5_1", "", "eth0=2 lo=2 ib0=2 mlx5_0:1=2");
    check_left_out("eth0", "tcp", "lo=2 ib0=2 mlx5_0:1=1 mlx5_1:2=1");
    check_left_out("", "shm", "eth0=1 lo=1 ib0=1 mlx5_0:1=1 mlx5_1:2=1");
    fakemachine_set(&ethernet);
    check_left_out("", "", "lo=4 eth1=5(eth0) eth3=5(eth0)");
    check_left_out("eth3,eth1", "", "lo=2 eth0=2 eth2=2 eth3=5(eth1)");
    fakemachine_set(&cabled); /* link-local */
    check_left_out("", "", "lo=4 eth1=4");
    check_left_out("eth1", "", "lo=2 eth0=2 eth2=2 eth3=2");
    fakemachine_set(&lonely);
    check_left_out("", "", "");
    assert_int_equal(1, devices.known);
}

/* ---- subnets ---- */

static void equal_subnets(void **state)
{
    const mca_part_ucx_subnet_t a = {
        .network = {10, 0, 1}, .address = {10, 0, 1, 1}, .family = 4, .prefix = 24};
    mca_part_ucx_subnet_t b = a;

    (void) state;
    b.address[3] = 2;
    assert_true(mca_part_ucx_subnet_equal(&a, &b));
    b.prefix = 25;
    assert_false(mca_part_ucx_subnet_equal(&a, &b));
    b = a;
    b.family = 6;
    assert_false(mca_part_ucx_subnet_equal(&a, &b));
    for (int i = 0; i < 16; ++i) {
        b = a;
        b.network[i] ^= 1;
        assert_false(mca_part_ucx_subnet_equal(&a, &b));
    }
    memset(&b, 0, sizeof(b)); /* unknown is equal to nothing, not even to itself */
    assert_false(mca_part_ucx_subnet_equal(&b, &b));
}

static const fakemachine_address_t some_shared[] = {
    {"eth0", "10.0.0.1", "255.255.255.0"}, {"eth1", "10.0.0.2", "255.255.255.0"},
    {"eth2", "10.0.1.2", "255.255.255.0"}, {"eth3", NULL, NULL},
    {"eth3", "fd00:1::2", "ffff:ffff::"},  {"eth3", "10.0.1.77", "255.255.255.0"},
    {"lo", "127.0.0.1", "255.0.0.0"},      {NULL, NULL, NULL},
};

static void one_path_per_subnet(void **state)
{
    const fakemachine_t machine = {.transports = ethernet_node, .addresses = some_shared};

    (void) state;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("eth0 eth2", found(false));
    assert_int_equal(2, fakehelp_count()); /* also eth1 */
    assert_true(fakehelp_said("one-subnet", "\"eth2\" and \"eth3\""));
    assert_int_equal(4, devices.list[1].subnet.family);
    assert_int_equal(24, devices.list[1].subnet.prefix);
    assert_memory_equal("\x0a\x00\x01\x02", devices.list[1].subnet.address, 4);
    assert_memory_equal("\x0a\x00\x01\x00\x00", devices.list[1].subnet.network, 5);
    assert_int_equal(OMPI_SUCCESS, find("eth1,eth0", ""));
    assert_string_equal("eth0", found(false));
    assert_int_equal(1, fakehelp_count());
    assert_true(fakehelp_said("one-subnet", "\"eth0\" and \"eth1\""));
    assert_int_equal(OMPI_SUCCESS, find("eth1,eth2", ""));
    assert_string_equal("eth1 eth2", found(false));
    assert_int_equal(0, fakehelp_count());
}

static const fakemachine_address_t several_kinds[] = {
    {"eth0", "fd00:0:0:1::1", "ffff:ffff:ffff:ffff::"},
    {"eth1", "fd00:0:0:1::2", "ffff:ffff:ffff:ffff::"},
    {"eth2", "fd00:0:0:2::1", "ffff:ffff:ffff:ffff::"},
    {"eth3", "fd00:0:0:1::3", "ffff:ffff:ffff:ff00::"},
    {NULL, NULL, NULL},
};

static void other_subnets(void **state)
{
    fakemachine_t machine = {.transports = ethernet_node, .addresses = several_kinds};

    (void) state;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("eth3 eth0 eth2", found(false)); /* by network */
    assert_int_equal(6, devices.list[0].subnet.family);
    assert_int_equal(56, devices.list[0].subnet.prefix);
    assert_int_equal(64, devices.list[1].subnet.prefix);
    machine.addresses = NULL; /* without addresses nothing is known to be one */
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("eth0 eth1 eth2 eth3", found(false));
}

/* Hosts may list their devices in any order; the paths have the same networks everywhere. */
static void order_of_the_networks(void **state)
{
    static const fakemachine_transport_t shuffled[] = {
        {0, "tcp", "eth3", NET}, {0, "tcp", "eth1", NET}, {0, "tcp", "eth2", NET},
        {0, "tcp", "eth0", NET}, {0, NULL, NULL, NET},
    };
    static const fakemachine_address_t addresses[] = {
        {"eth1", "10.0.3.1", "255.255.255.0"},        {"eth0", "10.0.2.1", "255.255.255.0"},
        {"eth2", "fe80::1", "ffff:ffff:ffff:ffff::"}, {"eth3", "fe80::2", "ffff:ffff:ffff:ffff::"},
        {"eth3", "10.0.1.1", "255.255.255.0"},        {NULL, NULL, NULL},
    };
    fakemachine_t machine = {.transports = shuffled, .addresses = addresses};

    (void) state;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("eth2 eth3 eth0 eth1", found(false));
    assert_int_equal(0, devices.list[0].subnet.family); /* link-local addresses tell nothing */
    machine.addresses = NULL;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("eth0 eth1 eth2 eth3", found(false));
}

/* A domain that cannot be opened hides its devices, and nothing else. */
static void broken_domains(void **state)
{
    fakemachine_t machine = {.transports = cluster_node, .broken = 1u << 2};

    (void) state;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("eth0 ib0", found(false));
    assert_true(devices.has_shared);
    machine.broken = 15;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_int_equal(0, devices.count);
    assert_false(devices.has_shared);
}

static int forget(void **state)
{
    (void) state;
    free(devices.list);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transports_of_a_device),
        cmocka_unit_test(excluded_and_ranges),
        cmocka_unit_test(transport_lists),
        cmocka_unit_test(unknown_transports),
        cmocka_unit_test(without_a_wish),
        cmocka_unit_test(wanted_devices),
        cmocka_unit_test(devices_that_do_not_exist),
        cmocka_unit_test(reasons),
        cmocka_unit_test(equal_subnets),
        cmocka_unit_test(one_path_per_subnet),
        cmocka_unit_test(other_subnets),
        cmocka_unit_test(order_of_the_networks),
        cmocka_unit_test(broken_domains),
    };

    unit_deadline();
    return cmocka_run_group_tests(tests, NULL, forget);
}
