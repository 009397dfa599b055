/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of UCX's transports paths are made of, on machines that are made up; and what UCX's own
 * list of devices, which may be for several machines, leaves.
 */
#include "ompi_config.h"

#include "unit.h"

#include "fakehelp.h"
#include "fakemachine.h"
#include "path/part_ucx_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

#define NET UCT_DEVICE_TYPE_NET

static const fakemachine_transport_t mixed_node[] = {
    {0, "tcp", "eth0", NET},         {0, "tcp", "lo", NET},
    {1, "rc_mlx5", "mlx5_0:1", NET}, {1, "ud_mlx5", "mlx5_0:1", NET},
    {0, NULL, NULL, NET},
};

static mca_part_ucx_devices_t devices;

static int find(const char *wanted, bool all, const char *transports)
{
    int rc;

    free(devices.list);
    fakehelp_reset();
    rc = mca_part_ucx_devices_find(wanted, all, transports, &devices);
    assert_int_equal(0, fakemachine_leaks());
    return rc;
}

/* "a(x,y) b(x)": names and their transports. */
static const char *found(void)
{
    static char text[1024];

    text[0] = '\0';
    for (int i = 0; i < devices.count; ++i) {
        size_t used = strlen(text);

        (void) snprintf(text + used, sizeof(text) - used, "%s%s(%s)", 0 == used ? "" : " ",
                        devices.list[i].name, devices.list[i].transports);
    }
    return text;
}

/* As UCX reads its own list: what may be used, on this machine or another one. */
static void what_may_be_used(void **state)
{
    const fakemachine_t machine = {.transports = mixed_node};

    (void) state;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("hfi1_0:1,mlx5_0:1,eth0", false, ""));
    /* Of these RDMA, as without a list. */
    assert_string_equal("mlx5_0:1(rc_mlx5,ud_mlx5)", found());
    assert_int_equal(OMPI_SUCCESS, find("eth0,hfi1_0:1", false, ""));
    assert_string_equal("eth0(tcp)", found());
    assert_int_equal(OMPI_ERR_NOT_FOUND, find("hfi1_0:1,eth7", false, ""));
    assert_int_equal(OMPI_ERR_NOT_FOUND, find("mlx5_0:1,hfi1_0:1", true, ""));
}

/* What only GPUs use is no path, and RC has UD to connect, also where UD is left out. */
static void transports_for_paths(void **state)
{
    static const fakemachine_transport_t gpu_node[] = {
        {0, "rc_gda", "cuda0-mlx5_0:1", NET}, {0, "rc_mlx5", "mlx5_0:1", NET},
        {0, "ud_mlx5", "mlx5_0:1", NET},      {0, "gga_mlx5", "mlx5_0:1", NET},
        {0, NULL, NULL, NET},
    };
    const fakemachine_t machine = {.transports = gpu_node};

    (void) state;
    fakemachine_set(&machine);
    assert_int_equal(OMPI_SUCCESS, find("", true, ""));
    assert_string_equal("mlx5_0:1(rc_mlx5,ud_mlx5)", found());
    assert_int_equal(OMPI_SUCCESS, find("", true, "^ud"));
    assert_string_equal("mlx5_0:1(rc_mlx5,ud_mlx5:aux)", found());
    assert_int_equal(OMPI_SUCCESS, find("", true, "rc_mlx5"));
    assert_string_equal("mlx5_0:1(rc_mlx5)", found());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_be_used),
        cmocka_unit_test(transports_for_paths),
    };

    return UNIT_RUN(tests);
}
