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
#include <unistd.h>

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

/* Two packages of two processors; eth0 and eth1 hang below the second, eth2 and eth3 the first. */
static const char topology[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
    "<topology version=\"2.0\">\n"
    "<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\""
    " allowed_cpuset=\"0xf\" nodeset=\"0x3\" complete_nodeset=\"0x3\" allowed_nodeset=\"0x3\""
    " gp_index=\"1\">\n"
    "%s%s</object>\n</topology>\n";

static void write_package(char *text, size_t size, unsigned number, const char *first,
                          const char *second)
{
    unsigned cpus = 3u << 2 * number;
    int used = snprintf(
        text, size,
        "<object type=\"Package\" os_index=\"%u\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\""
        " nodeset=\"0x%x\" complete_nodeset=\"0x%x\" gp_index=\"%u\">\n"
        "<object type=\"NUMANode\" os_index=\"%u\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\""
        " nodeset=\"0x%x\" complete_nodeset=\"0x%x\" gp_index=\"%u\" local_memory=\"1048576\"/>\n",
        number, cpus, cpus, 1u << number, 1u << number, 10 * number + 2, number, cpus, cpus,
        1u << number, 1u << number, 10 * number + 3);

    for (unsigned i = 2 * number; i < 2 * number + 2; ++i) {
        used += snprintf(text + used, size - (size_t) used,
                         "<object type=\"PU\" os_index=\"%u\" cpuset=\"0x%x\""
                         " complete_cpuset=\"0x%x\" nodeset=\"0x%x\" complete_nodeset=\"0x%x\""
                         " gp_index=\"%u\"/>\n",
                         i, 1u << i, 1u << i, 1u << number, 1u << number, 100 + i);
    }
    (void) snprintf(text + used, size - (size_t) used,
                    "<object type=\"Bridge\" gp_index=\"%u\" bridge_type=\"0-1\" depth=\"0\""
                    " bridge_pci=\"000%u:[00-01]\">\n"
                    "<object type=\"PCIDev\" gp_index=\"%u\" pci_busid=\"000%u:01:00.0\""
                    " pci_type=\"0200 [8086:1521] [0000:0000] 01\" pci_link_speed=\"1.0\">\n"
                    "<object type=\"OSDev\" gp_index=\"%u\" name=\"%s\" osdev_type=\"2\"/>\n"
                    "<object type=\"OSDev\" gp_index=\"%u\" name=\"%s\" osdev_type=\"2\"/>\n"
                    "</object>\n</object>\n</object>\n",
                    10 * number + 4, number, 10 * number + 5, number, 10 * number + 6, first,
                    10 * number + 7, second);
}

static void write_topology(char *path)
{
    char package[2][2048];
    FILE *file = fdopen(mkstemp(path), "w");

    assert_non_null(file);
    write_package(package[0], sizeof(package[0]), 0, "eth2", "eth3");
    write_package(package[1], sizeof(package[1]), 1, "eth0", "eth1");
    (void) fprintf(file, topology, package[0], package[1]);
    assert_int_equal(0, fclose(file));
    assert_int_equal(0, setenv("HWLOC_XMLFILE", path, 1));
}

static void check_distances(uint64_t processors, const char *const *physical, const char *order,
                            unsigned nearest, unsigned farthest)
{
    fakemachine_t machine = {
        .transports = ethernet_node, .physical = physical, .processors = processors};

    fakemachine_set(&machine);
    find("");
    assert_string_equal(order, found());
    assert_int_equal(nearest, devices.list[0].distance);
    assert_int_equal(farthest, devices.list[devices.count - 1].distance);
}

static void nearest_first(void **state)
{
    static const char *const physical[] = {"eth0", "eth3", NULL};
    const fakemachine_t far = {
        .transports = ethernet_node, .physical = physical, .processors = 0x3};
    char path[] = "/tmp/mpix-unit-XXXXXX";

    (void) state;
    write_topology(path);
    check_distances(0x3, physical, "eth2 eth3 eth0 eth1", 0, 100);
    check_distances(0xc, physical, "eth0 eth1 eth2 eth3", 0, 100);
    check_distances(0x8, physical, "eth0 eth1 eth2 eth3", 0, 100);
    check_distances(0xf, physical, "eth0 eth1 eth2 eth3", 50, 50);
    check_distances(0x7, physical, "eth2 eth3 eth0 eth1", 34, 67);
    /* Virtual interfaces have no place; the order stays. */
    check_distances(0x3, NULL, "eth0 eth1 eth2 eth3", 0, 0);
    /* Nothing depends on the distance of a single one; who wants to know it asks. */
    fakemachine_set(&far);
    find("eth0");
    assert_int_equal(0, devices.list[0].distance);
    mca_part_ucx_devices_measure(devices.list, devices.known);
    assert_int_equal(100, devices.list[0].distance);
    assert_string_equal("eth3", devices.list[4].name);
    assert_int_equal(0, devices.list[4].distance);
    assert_int_equal(0, unlink(path));
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
    };

    unit_deadline();
    return cmocka_run_group_tests(tests, NULL, forget);
}
