/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What devices are made to carry: how the kernel says it, and of which it counts; and one that is
 * named and is down.
 */
#include "ompi_config.h"

#include "unit.h"

#include "fakehelp.h"
#include "fakemachine.h"
#include "path/part_ucx_device_speed.h"
#include "path/part_ucx_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/constants.h"

#define NET UCT_DEVICE_TYPE_NET

static unsigned read_from(const char *text)
{
    char name[] = "/tmp/mpix-speed-XXXXXX";
    int file = mkstemp(name);
    unsigned speed;

    assert_true(file >= 0);
    assert_int_equal(strlen(text), write(file, text, strlen(text)));
    close(file);
    speed = mca_part_ucx_device_speed_in(name);
    unlink(name);
    return speed;
}

static void texts(void **state)
{
    (void) state;
    assert_int_equal(25000, read_from("25000\n"));
    assert_int_equal(10, read_from("10\n"));
    assert_int_equal(0, read_from("-1\n"));         /* down, or virtual */
    assert_int_equal(0, read_from("4294967295\n")); /* the same, of old kernels */
    assert_int_equal(0, read_from(""));
    assert_int_equal(0, read_from("unknown\n"));
    assert_int_equal(100000, read_from("100 Gb/sec (4X EDR)\n"));
    assert_int_equal(2500, read_from("2.5 Gb/sec (1X SDR)\n"));
    assert_int_equal(0, mca_part_ucx_device_speed_in("/nowhere"));
}

/* ---- of which it counts ---- */

static const fakemachine_transport_t ethernet[] = {
    {0, "tcp", "eth0", NET}, {0, "tcp", "eth1", NET}, {0, "tcp", "eth2", NET},
    {0, "tcp", "eth3", NET}, {0, "tcp", "lo", NET},   {0, NULL, NULL, NET},
};

static const fakemachine_transport_t mixed[] = {
    {0, "rc_verbs", "mlx5_0:1", NET}, {0, "rc_verbs", "mlx5_1:1", NET}, {0, "tcp", "eth0", NET},
    {0, NULL, NULL, NET},
};

/* Those that are used, with what is known of their speed. */
static void finds(const fakemachine_t *machine, const char *wanted, const char *expected)
{
    mca_part_ucx_devices_t devices;
    char text[400] = "";

    fakemachine_set(machine);
    fakehelp_reset();
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_devices_find(wanted, true, "", &devices));
    for (int i = 0; i < devices.count; ++i) {
        char one[100];

        (void) snprintf(one, sizeof(one), "%s%s %u%s", 0 == i ? "" : ", ", devices.list[i].name,
                        devices.list[i].speed, devices.list[i].slow ? " slow" : "");
        strcat(text, one);
    }
    assert_string_equal(expected, text);
    free(devices.list);
}

static void speeds(void **state)
{
    static const fakemachine_speed_t some[] = {
        {"eth0", 1000}, {"eth1", 100000}, {"eth2", 25000}, {"lo", 1}, {NULL, 0}};
    static const fakemachine_speed_t cards[] = {
        {"mlx5_0:1", 200000}, {"mlx5_1:1", 25000}, {"eth0", 400000}, {NULL, 0}};
    const fakemachine_t site = {.transports = ethernet, .speeds = some};
    const fakemachine_t unknown = {.transports = ethernet};
    const fakemachine_t rdma = {.transports = mixed, .speeds = cards};

    (void) state;
    finds(&site, "", "eth1 100000, eth2 25000, eth3 0, eth0 1000 slow"); /* those come last */
    finds(&site, "^eth1", "eth2 25000, eth3 0, eth0 1000 slow");
    finds(&site, "eth0,eth1", "eth0 0, eth1 0"); /* who names them wants them */
    finds(&unknown, "", "eth0 0, eth1 0, eth2 0, eth3 0");
    finds(&rdma, "", "mlx5_0:1 200000, mlx5_1:1 25000 slow");
    assert_int_equal(0, fakehelp_count());
}

static void slow(void **state)
{
    const mca_part_ucx_device_t card = {.speed = 25000}, unknown = {.speed = 0};

    (void) state;
    assert_false(mca_part_ucx_device_is_slow(&card, 25000));
    assert_false(mca_part_ucx_device_is_slow(&card, 100000));
    assert_true(mca_part_ucx_device_is_slow(&card, 100004));
    assert_false(mca_part_ucx_device_is_slow(&unknown, 400000));
    assert_false(mca_part_ucx_device_is_slow(&card, 0));
}

/* A name of nothing is an error, a device that is down is not as long as there is another. */
static void named_and_down(void **state)
{
    const fakemachine_t machine = {.transports = ethernet, .down = "eth9"};
    mca_part_ucx_devices_t devices;

    (void) state;
    finds(&machine, "eth9,eth1", "eth1 0");
    assert_true(fakehelp_said("device-down", "\"eth9\""));
    finds(&machine, "eth1,eth9", "eth1 0");
    assert_int_equal(1, fakehelp_count());
    assert_int_equal(OMPI_ERR_NOT_FOUND, mca_part_ucx_devices_find("eth9", true, "", &devices));
    free(devices.list);
    assert_int_equal(OMPI_ERR_NOT_FOUND,
                     mca_part_ucx_devices_find("eth8,eth1", true, "", &devices));
    free(devices.list);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_devices_find("eth8,eth1", false, "", &devices));
    free(devices.list);
    assert_int_equal(OMPI_ERR_NOT_FOUND, mca_part_ucx_devices_find("eth8", false, "", &devices));
    free(devices.list);
}

static void existence(void **state)
{
    bool __real_mca_part_ucx_device_exists(const char *name);

    (void) state;
    assert_true(__real_mca_part_ucx_device_exists("lo"));
    assert_false(__real_mca_part_ucx_device_exists("nosuch0"));
    assert_false(__real_mca_part_ucx_device_exists(""));
    assert_false(__real_mca_part_ucx_device_exists(".."));
    assert_false(__real_mca_part_ucx_device_exists("lo/../lo"));
    assert_false(__real_mca_part_ucx_device_exists("nosuch0:1"));
    assert_false(__real_mca_part_ucx_device_exists("lo:1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(speeds),
        cmocka_unit_test(slow),
        cmocka_unit_test(named_and_down),
        cmocka_unit_test(existence),
    };

    return UNIT_RUN(tests);
}
