/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's own choice of network interfaces is followed, on machines that are made up.
 */
#include "ompi_config.h"

#include "unit.h"

#include "fakehelp.h"
#include "fakemachine.h"
#include "path/part_ucx_devices.h"
#include "path/part_ucx_interfaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

#define NET UCT_DEVICE_TYPE_NET

static const fakemachine_transport_t ethernet_node[] = {
    {0, "tcp", "lo", NET},   {0, "tcp", "eth0", NET}, {0, "tcp", "eth1", NET},
    {0, "tcp", "eth2", NET}, {0, "tcp", "eth3", NET}, {1, "posix", "memory", UCT_DEVICE_TYPE_SHM},
    {0, NULL, NULL, NET},
};

static const fakemachine_transport_t cluster_node[] = {
    {0, "tcp", "eth0", NET},          {0, "tcp", "eth1", NET},
    {2, "rc_verbs", "mlx5_0:1", NET}, {2, "rc_verbs", "mlx5_1:2", NET},
    {0, NULL, NULL, NET},
};

static mca_part_ucx_devices_t devices;

static int find(const char *wanted, const char *transports)
{
    free(devices.list);
    return mca_part_ucx_devices_find(wanted, true, transports, &devices);
}

static const char *found(void)
{
    static char text[256];

    text[0] = '\0';
    for (int i = 0; i < devices.count; ++i) {
        size_t used = strlen(text);

        (void) snprintf(text + used, sizeof(text) - used, "%s%s", 0 == used ? "" : " ",
                        devices.list[i].name);
    }
    return text;
}

/* btl_tcp_if_include and _exclude: names, networks; what part/ucx is told itself counts instead. */
static void open_mpis_choice(void **state)
{
    static const fakemachine_address_t addresses[] = {
        {"eth0", "10.0.0.1", "255.255.255.0"}, {"eth1", "10.0.1.1", "255.255.255.0"},
        {"eth2", "172.16.9.1", "255.255.0.0"}, {"eth3", "fd00:0:0:3::1", "ffff:ffff:ffff:ffff::"},
        {"lo", "127.0.0.1", "255.0.0.0"},      {NULL, NULL, NULL},
    };
    static const struct {
        mca_part_ucx_interfaces_t choice;
        const char *network;
    } cases[] = {
        {{.include = "eth1"}, "eth1"},
        {{.include = "eth1, eth3"}, "eth1 eth3"},
        {{.include = "10.0.0.0/16"}, "eth0 eth1"},
        {{.include = "10.0.1.0/24,eth2"}, "eth1 eth2"},
        {{.include = "172.16.0.0/13"}, "eth2"},
        {{.include = "fd00::/32"}, "eth3"},
        {{.include = "0.0.0.0/0"}, "eth0 eth1 eth2"},
        {{.include = "eth9,10.0.0.0/33,10.0.0.0/,/8,10.0/16,x/8"}, ""},
        {{.include = "lo"}, "lo"},
        {{.exclude = "10.0.0.0/15,lo"}, "eth2 eth3"},
        {{.exclude = "eth0"}, "eth1 eth2 eth3"},
        /* Distributions say that of every job. */
        {{.include = "lo", .from_file = true}, "eth0 eth1 eth2 eth3"},
        {{.include = "eth2", .from_file = true}, "eth2"},
        {{NULL, NULL, false}, "eth0 eth1 eth2 eth3"},
    };
    const fakemachine_t ethernet = {.transports = ethernet_node, .addresses = addresses};
    const fakemachine_t cluster = {.transports = cluster_node, .addresses = addresses};

    (void) state;
    fakemachine_set(&ethernet);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        mca_part_ucx_interfaces = cases[i].choice;
        assert_int_equal(OMPI_SUCCESS, find("", ""));
        UNIT_CHECK(0 == strcmp(cases[i].network, found()), "case %zu: %s", i, found());
        assert_true(devices.has_shared);
        assert_int_equal(OMPI_SUCCESS, find("eth3", ""));
        assert_string_equal("eth3", found());
    }
    mca_part_ucx_interfaces.include = "eth0";
    fakemachine_set(&cluster); /* other devices are none of its business */
    assert_int_equal(OMPI_SUCCESS, find("", ""));
    assert_string_equal("mlx5_0:1 mlx5_1:2", found());
    assert_int_equal(OMPI_SUCCESS, find("", "tcp"));
    assert_string_equal("eth0", found());
    mca_part_ucx_interfaces.include = NULL;
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
        cmocka_unit_test(open_mpis_choice),
    };

    unit_deadline();
    return cmocka_run_group_tests(tests, NULL, forget);
}
