/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine that is made up (see fakemachine.h).
 */
#include "fakemachine.h"

#include "path/part_ucx_device_speed.h"

#include <arpa/inet.h>
#include <hwloc.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define COMPONENTS 2u
#define DOMAINS    2u /* of a component */

static fakemachine_t machine;
static int held;

void fakemachine_set(const fakemachine_t *new_machine)
{
    machine = *new_machine;
    held = 0;
}

int fakemachine_leaks(void)
{
    return held;
}

/* Memory that must be given back. */
static void *lend(size_t size)
{
    void *memory = calloc(1, size);

    held += NULL == memory ? 0 : 1;
    return memory;
}

static void take_back(void *memory)
{
    --held;
    free(memory);
}

/* ---- UCT ---- */

/* Handles of components are their numbers plus one, likewise those of domains. */
static uct_component_h component_handle(unsigned number)
{
    return (uct_component_h) (uintptr_t) (number + 1);
}

ucs_status_t __wrap_uct_query_components(uct_component_h **components, unsigned *count);
ucs_status_t __wrap_uct_query_components(uct_component_h **components, unsigned *count)
{
    *components = lend(COMPONENTS * sizeof(**components));
    *count = COMPONENTS;
    for (unsigned i = 0; i < COMPONENTS; ++i) {
        (*components)[i] = component_handle(i);
    }
    return UCS_OK;
}

void __wrap_uct_release_component_list(uct_component_h *components);
void __wrap_uct_release_component_list(uct_component_h *components)
{
    take_back(components);
}

ucs_status_t __wrap_uct_component_query(uct_component_h component, uct_component_attr_t *attr);
ucs_status_t __wrap_uct_component_query(uct_component_h component, uct_component_attr_t *attr)
{
    unsigned number = (unsigned) (uintptr_t) component - 1;

    if (0 != (attr->field_mask & UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT)) {
        attr->md_resource_count = DOMAINS;
    }
    if (0 != (attr->field_mask & UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES)) {
        for (unsigned i = 0; i < DOMAINS; ++i) {
            (void) snprintf(attr->md_resources[i].md_name, sizeof(attr->md_resources[i].md_name),
                            "%u", number * DOMAINS + i);
        }
    }
    return UCS_OK;
}

ucs_status_t __wrap_uct_md_config_read(uct_component_h component, const char *prefix,
                                       const char *file, uct_md_config_t **config);
ucs_status_t __wrap_uct_md_config_read(uct_component_h component, const char *prefix,
                                       const char *file, uct_md_config_t **config)
{
    (void) component, (void) prefix, (void) file;
    *config = lend(1);
    return UCS_OK;
}

void __wrap_uct_config_release(void *config);
void __wrap_uct_config_release(void *config)
{
    take_back(config);
}

ucs_status_t __wrap_uct_md_open(uct_component_h component, const char *name,
                                const uct_md_config_t *config, uct_md_h *domain);
ucs_status_t __wrap_uct_md_open(uct_component_h component, const char *name,
                                const uct_md_config_t *config, uct_md_h *domain)
{
    unsigned number = (unsigned) atoi(name);

    (void) config;
    if (component_handle(number / DOMAINS) != component || 0 != (machine.broken >> number & 1)) {
        return UCS_ERR_NO_DEVICE;
    }
    ++held;
    *domain = (uct_md_h) (uintptr_t) (number + 1);
    return UCS_OK;
}

void __wrap_uct_md_close(uct_md_h domain);
void __wrap_uct_md_close(uct_md_h domain)
{
    (void) domain;
    --held;
}

ucs_status_t __wrap_uct_md_query_tl_resources(uct_md_h domain, uct_tl_resource_desc_t **resources,
                                              unsigned *count);
ucs_status_t __wrap_uct_md_query_tl_resources(uct_md_h domain, uct_tl_resource_desc_t **resources,
                                              unsigned *count)
{
    unsigned number = (unsigned) (uintptr_t) domain - 1;
    const fakemachine_transport_t *entry;

    *count = 0;
    *resources = lend(64 * sizeof(**resources));
    for (entry = machine.transports; NULL != entry->transport; ++entry) {
        if (entry->domain == number) {
            uct_tl_resource_desc_t *resource = &(*resources)[(*count)++];

            (void) snprintf(resource->tl_name, sizeof(resource->tl_name), "%s", entry->transport);
            (void) snprintf(resource->dev_name, sizeof(resource->dev_name), "%s", entry->device);
            resource->dev_type = entry->type;
        }
    }
    return UCS_OK;
}

void __wrap_uct_release_tl_resource_list(uct_tl_resource_desc_t *resources);
void __wrap_uct_release_tl_resource_list(uct_tl_resource_desc_t *resources)
{
    take_back(resources);
}

/* ---- interfaces ---- */

typedef union address_t {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address_t;

static struct sockaddr *address_of(const char *text)
{
    address_t *address = lend(sizeof(*address));

    if (1 == inet_pton(AF_INET, text, &address->v4.sin_addr)) {
        address->any.sa_family = AF_INET;
    } else if (1 == inet_pton(AF_INET6, text, &address->v6.sin6_addr)) {
        address->any.sa_family = AF_INET6;
    }
    return &address->any;
}

int __wrap_getifaddrs(struct ifaddrs **list);
int __wrap_getifaddrs(struct ifaddrs **list)
{
    const fakemachine_address_t *entry = machine.addresses;

    *list = NULL;
    for (; NULL != entry && NULL != entry->interface; ++entry) {
        struct ifaddrs *made = lend(sizeof(*made));

        made->ifa_name = (char *) (uintptr_t) entry->interface;
        made->ifa_addr = NULL == entry->address ? NULL : address_of(entry->address);
        made->ifa_netmask = NULL == entry->mask ? NULL : address_of(entry->mask);
        while (NULL != *list) {
            list = &(*list)->ifa_next;
        }
        *list = made;
    }
    return 0;
}

void __wrap_freeifaddrs(struct ifaddrs *list);
void __wrap_freeifaddrs(struct ifaddrs *list)
{
    while (NULL != list) {
        struct ifaddrs *next = list->ifa_next;

        if (NULL != list->ifa_addr) {
            take_back(list->ifa_addr);
        }
        if (NULL != list->ifa_netmask) {
            take_back(list->ifa_netmask);
        }
        take_back(list);
        list = next;
    }
}

/* ---- /sys and binding ---- */

/* Only /sys/class/KIND/DEVICE/device.../local_cpus is ever asked for. */
int __wrap_hwloc_linux_read_path_as_cpumask(const char *path, hwloc_bitmap_t set);
int __wrap_hwloc_linux_read_path_as_cpumask(const char *path, hwloc_bitmap_t set)
{
    const fakemachine_place_t *place = machine.places;

    for (; NULL != place && NULL != place->device; ++place) {
        char expected[128];

        (void) snprintf(expected, sizeof(expected), "/sys/class/net/%s/device%s/local_cpus",
                        place->device, place->above);
        if (0 == strcmp(path, expected)) {
            return hwloc_bitmap_from_ulong(set, place->processors);
        }
    }
    return -1;
}

int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void) process;
    CPU_ZERO_S(size, set);
    for (unsigned i = 0; i < 64; ++i) {
        if (0 != (machine.processors >> i & 1)) {
            CPU_SET_S(i, size, set);
        }
    }
    return 0 == machine.processors ? -1 : 0;
}

/* ---- what the kernel says ---- */

unsigned __wrap_mca_part_ucx_device_speed(const mca_part_ucx_device_t *device);
unsigned __wrap_mca_part_ucx_device_speed(const mca_part_ucx_device_t *device)
{
    for (const fakemachine_speed_t *speed = machine.speeds; NULL != speed && NULL != speed->device;
         ++speed) {
        if (0 == strcmp(device->name, speed->device)) {
            return speed->mbit;
        }
    }
    return 0;
}

bool __wrap_mca_part_ucx_device_exists(const char *name);
bool __wrap_mca_part_ucx_device_exists(const char *name)
{
    return NULL != machine.down && 0 == strcmp(machine.down, name);
}
