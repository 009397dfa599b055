/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices are ordered by their distance from the processors that the process runs on, on a machine
 * that is made up.
 */
#include "ompi_config.h"

#include "unit.h"

#include "fakemachine.h"
#include "path/part_ucx_device_distance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

static const fakemachine_transport_t ethernet_node[] = {
    {0, "tcp", "lo", UCT_DEVICE_TYPE_NET},   {0, "tcp", "eth0", UCT_DEVICE_TYPE_NET},
    {0, "tcp", "eth1", UCT_DEVICE_TYPE_NET}, {0, "tcp", "eth2", UCT_DEVICE_TYPE_NET},
    {0, "tcp", "eth3", UCT_DEVICE_TYPE_NET}, {0, NULL, NULL, UCT_DEVICE_TYPE_NET},
};

static mca_part_ucx_devices_t devices;

static void find(const char *wanted)
{
    free(devices.list);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_devices_find(wanted, true, "", &devices));
}

/* The names found, "a b c". */
static const char *found(void)
{
    static char text[1024];

    text[0] = '\0';
    for (int i = 0; i < devices.count; ++i) {
        size_t used = strlen(text);

        (void) snprintf(text + used, sizeof(text) - used, "%s%s", 0 == used ? "" : " ",
                        devices.list[i].name);
    }
    return text;
}

/* Two packages of two processors; eth0 and eth1 hang below the second, eth2 and eth3 the first. Not
 * all say so themselves. */
static const fakemachine_place_t packages[] = {
    {"eth0", "", 0xc}, {"eth1", "/..", 0xc}, {"eth2", "/../..", 0x3}, {"eth3", "", 0x3},
    {NULL, NULL, 0},
};

static void check_distances(uint64_t processors, const fakemachine_place_t *places,
                            const char *order, unsigned nearest, unsigned farthest)
{
    fakemachine_t machine = {
        .transports = ethernet_node, .places = places, .processors = processors};

    fakemachine_set(&machine);
    find("");
    assert_string_equal(order, found());
    assert_int_equal(nearest, devices.list[0].distance);
    assert_int_equal(farthest, devices.list[devices.count - 1].distance);
}

static void nearest_first(void **state)
{
    (void) state;
    check_distances(0x3, packages, "eth2 eth3 eth0 eth1", 0, 100);
    check_distances(0xc, packages, "eth0 eth1 eth2 eth3", 0, 100);
    check_distances(0x8, packages, "eth0 eth1 eth2 eth3", 0, 100);
    check_distances(0xf, packages, "eth0 eth1 eth2 eth3", 50, 50);
    check_distances(0x7, packages, "eth2 eth3 eth0 eth1", 34, 67);
}

/* The order stays. */
static void without_a_place(void **state)
{
    (void) state;
    check_distances(0x3, NULL, "eth0 eth1 eth2 eth3", 0, 0);
    check_distances(0, packages, "eth0 eth1 eth2 eth3", 0, 0);
}

/* Nothing depends on the distance of a single one; who wants to know it asks. */
static void only_one(void **state)
{
    const fakemachine_t far = {
        .transports = ethernet_node, .places = packages, .processors = 0x3};

    (void) state;
    fakemachine_set(&far);
    find("eth0");
    assert_int_equal(0, devices.list[0].distance);
    mca_part_ucx_devices_measure(devices.list, devices.known);
    assert_int_equal(100, devices.list[0].distance);
    assert_string_equal("eth3", devices.list[4].name);
    assert_int_equal(0, devices.list[4].distance);
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
        cmocka_unit_test(nearest_first),
        cmocka_unit_test(without_a_place),
        cmocka_unit_test(only_one),
    };

    unit_deadline();
    return cmocka_run_group_tests(tests, NULL, forget);
}
