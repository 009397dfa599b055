/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Finding the devices that can carry a path (see part_ucx_devices.h). UCT lists every
 * (transport, device) pair of the machine; transports of one device become one entry.
 */
#include "ompi_config.h"

#include "path/part_ucx_devices.h"

#include "path/part_ucx_device_distance.h"
#include "path/part_ucx_device_speed.h"
#include "path/part_ucx_interfaces.h"
#include "path/part_ucx_subnet.h"
#include "path/part_ucx_transports.h"
#include "process/part_ucx_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uct/api/uct.h>

#include "ompi/constants.h"
#include "opal/util/argv.h"

/* Behind the number that "[low-high]" of a word allows, where the device has it; NULL: it has not.
 */
static const char *skip_range(const char **word, const char *device)
{
    unsigned low, high;
    char *number_end;
    unsigned long number = strtoul(device, &number_end, 10);
    int length = 0;

    if (2 != sscanf(*word, "[%u-%u]%n", &low, &high, &length) || 0 == length || number_end == device
        || number < low || number > high) {
        return NULL;
    }
    *word += length;
    return number_end;
}

/* "mlx5_0" names "mlx5_0:1", as "mlx5_[0-3]" does (UCX 1.22); "eth0" names "eth0" only. */
static bool names_device(const char *word, const char *device)
{
    while ('\0' != *word) {
        if ('[' == *word) {
            device = skip_range(&word, device);
            if (NULL == device) {
                return false;
            }
        } else if (*word++ != *device++) {
            return false;
        }
    }
    return '\0' == *device || ':' == *device;
}

static int add_network(mca_part_ucx_devices_t *devices, const uct_tl_resource_desc_t *resource,
                       const char *transports)
{
    bool allowed = mca_part_ucx_transports_allow(transports, resource->tl_name);
    const char *aid = mca_part_ucx_transports_aid(transports, resource->tl_name);
    mca_part_ucx_device_t *list, *device = NULL;

    for (int i = 0; i < devices->count; ++i) {
        if (0 == strcmp(devices->list[i].name, resource->dev_name)) {
            device = &devices->list[i];
        }
    }
    if (NULL == device) {
        list = realloc(devices->list, (size_t) (devices->count + 1) * sizeof(*list));
        if (NULL == list) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        devices->list = list;
        device = &list[devices->count++];
        memset(device, 0, sizeof(*device));
        strncpy(device->name, resource->dev_name, sizeof(device->name) - 1);
        device->use = PART_UCX_USE_NO_TRANSPORT;
        device->kind = PART_UCX_DEVICE_RDMA;
        if (0 == strcmp(resource->tl_name, "tcp")) {
            device->kind = PART_UCX_DEVICE_TCP;
            mca_part_ucx_subnet_find(device->name, &device->subnet);
        }
    }
    if (allowed) {
        mca_part_ucx_transports_append(device->transports, PART_UCX_TRANSPORT_MAX,
                                       resource->tl_name);
        device->use = PART_UCX_USE_PATH;
    }
    if (allowed && NULL != aid) {
        mca_part_ucx_transports_append(device->transports, PART_UCX_TRANSPORT_MAX, aid);
    }
    return OMPI_SUCCESS;
}

static int add_resource(mca_part_ucx_devices_t *devices, const uct_tl_resource_desc_t *resource,
                        const char *transports)
{
    if (UCT_DEVICE_TYPE_SHM == resource->dev_type
        && mca_part_ucx_transports_allow(transports, resource->tl_name)) {
        devices->shared.kind = PART_UCX_DEVICE_SHARED;
        strncpy(devices->shared.name, "shared memory", sizeof(devices->shared.name) - 1);
        mca_part_ucx_transports_append(devices->shared.transports, PART_UCX_TRANSPORT_MAX,
                                       resource->tl_name);
        devices->has_shared = true;
    } else if (UCT_DEVICE_TYPE_NET == resource->dev_type
               && mca_part_ucx_transports_message(resource->tl_name)) {
        return add_network(devices, resource, transports);
    }
    return OMPI_SUCCESS;
}

static int query_domain(uct_component_h component, const char *name, const char *transports,
                        mca_part_ucx_devices_t *devices)
{
    uct_tl_resource_desc_t *resources;
    uct_md_config_t *config;
    unsigned count;
    uct_md_h domain;
    int rc = OMPI_SUCCESS;

    if (UCS_OK != uct_md_config_read(component, NULL, NULL, &config)) {
        return OMPI_SUCCESS;
    }
    if (UCS_OK == uct_md_open(component, name, config, &domain)) {
        if (UCS_OK == uct_md_query_tl_resources(domain, &resources, &count)) {
            for (unsigned i = 0; i < count && OMPI_SUCCESS == rc; ++i) {
                mca_part_ucx_transports_append(devices->transports, sizeof(devices->transports),
                                               resources[i].tl_name);
                rc = add_resource(devices, &resources[i], transports);
            }
            uct_release_tl_resource_list(resources);
        }
        uct_md_close(domain);
    }
    uct_config_release(config);
    return rc;
}

static int query_component(uct_component_h component, const char *transports,
                           mca_part_ucx_devices_t *devices)
{
    uct_component_attr_t attributes = {.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT};
    int rc = OMPI_SUCCESS;

    if (UCS_OK != uct_component_query(component, &attributes)
        || 0 == attributes.md_resource_count) {
        return OMPI_SUCCESS;
    }
    attributes.md_resources = calloc(attributes.md_resource_count,
                                     sizeof(*attributes.md_resources));
    if (NULL == attributes.md_resources) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    attributes.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES;
    if (UCS_OK == uct_component_query(component, &attributes)) {
        for (unsigned i = 0; i < attributes.md_resource_count && OMPI_SUCCESS == rc; ++i) {
            rc = query_domain(component, attributes.md_resources[i].md_name, transports, devices);
        }
    }
    free(attributes.md_resources);
    return rc;
}

static int query_all(const char *transports, mca_part_ucx_devices_t *devices)
{
    uct_component_h *components;
    unsigned count;
    int rc = OMPI_SUCCESS;

    if (UCS_OK != uct_query_components(&components, &count)) {
        return OMPI_ERROR;
    }
    for (unsigned i = 0; i < count && OMPI_SUCCESS == rc; ++i) {
        rc = query_component(components[i], transports, devices);
    }
    uct_release_component_list(components);
    return rc;
}

static bool is_usable(const mca_part_ucx_device_t *device)
{
    return PART_UCX_USE_PATH == device->use;
}

/* Bring the devices that are used to the front, both groups in the order that they have. */
static int separate(mca_part_ucx_devices_t *devices)
{
    mca_part_ucx_device_t *list = calloc((size_t) devices->known + 1, sizeof(*list));
    int placed = 0;

    if (NULL == list) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    devices->count = 0;
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < devices->known; ++i) {
            if (is_usable(&devices->list[i]) == (0 == round)) {
                list[placed++] = devices->list[i];
                devices->count += 0 == round ? 1 : 0;
            }
        }
    }
    free(devices->list);
    devices->list = list;
    return OMPI_SUCCESS;
}

static void report_missing(const char *word, const mca_part_ucx_devices_t *devices)
{
    char **names = NULL;
    char *joined;

    for (int i = 0; i < devices->known; ++i) {
        if (PART_UCX_USE_NO_TRANSPORT != devices->list[i].use) {
            opal_argv_append_nosize(&names, devices->list[i].name);
        }
    }
    joined = NULL == names ? strdup("(none)") : opal_argv_join(names, ',');
    mca_part_ucx_help("device-not-found", word, NULL == joined ? "?" : joined);
    free(joined);
    opal_argv_free(names);
}

/* All but those named. */
static void leave_out(const char *unwanted, mca_part_ucx_devices_t *devices)
{
    char **words = opal_argv_split(unwanted, ',');

    for (char **word = words; NULL != word && NULL != *word; ++word) {
        for (int i = 0; i < devices->known; ++i) {
            if (is_usable(&devices->list[i]) && names_device(*word, devices->list[i].name)) {
                devices->list[i].use = PART_UCX_USE_NOT_NAMED;
            }
        }
    }
    opal_argv_free(words);
}

/* Those that a word names: is there any? */
static bool choose_named(const char *word, mca_part_ucx_devices_t *devices)
{
    bool found = false;

    for (int i = 0; i < devices->known; ++i) {
        if (PART_UCX_USE_NO_TRANSPORT != devices->list[i].use
            && names_device(word, devices->list[i].name)) {
            devices->list[i].use = PART_UCX_USE_PATH;
            found = true;
        }
    }
    return found;
}

/* Those that are named, of which one at least must be there. With `all` others may be down, but not
 * unknown. */
static int choose_wanted(const char *wanted, bool all, mca_part_ucx_devices_t *devices)
{
    char **words = opal_argv_split(wanted, ',');
    const char *missing = NULL;
    bool any = false;

    for (int i = 0; i < devices->known; ++i) {
        if (is_usable(&devices->list[i])) {
            devices->list[i].use = PART_UCX_USE_NOT_NAMED;
        }
    }
    for (char **word = words; NULL != word && NULL != *word && NULL == missing; ++word) {
        bool found = choose_named(*word, devices);

        any = any || found;
        if (!found && all && mca_part_ucx_device_exists(*word)) {
            mca_part_ucx_help("device-down", *word);
        } else if (!found && all) {
            missing = *word;
        }
    }
    missing = any || NULL != missing ? missing : wanted;
    if (NULL != missing) {
        report_missing(missing, devices);
    }
    opal_argv_free(words);
    return NULL == missing ? OMPI_SUCCESS : OMPI_ERR_NOT_FOUND;
}

/* Follow Open MPI's choice of interfaces; but one that a file makes for every job, and that leaves
 * nothing but the loopback, is not meant for jobs on several hosts. */
static void follow_open_mpi(mca_part_ucx_devices_t *devices)
{
    bool real = !mca_part_ucx_interfaces.from_file;

    for (int i = 0; i < devices->known; ++i) {
        real = real || (is_usable(&devices->list[i]) && 0 != strcmp(devices->list[i].name, "lo")
                        && mca_part_ucx_interfaces_allow(&devices->list[i]));
    }
    for (int i = 0; i < devices->known && real; ++i) {
        if (is_usable(&devices->list[i]) && !mca_part_ucx_interfaces_allow(&devices->list[i])) {
            devices->list[i].use = PART_UCX_USE_NOT_NAMED;
        }
    }
}

/* Mostly that of a container engine or of virtual machines, which is the host's own. UCX leaves
 * them out since 1.16. */
static bool is_bridge(const mca_part_ucx_device_t *device)
{
    char path[PART_UCX_NAME_MAX + 32];

    snprintf(path, sizeof(path), "/sys/class/net/%s/bridge", device->name);
    return PART_UCX_DEVICE_TCP == device->kind && 0 == access(path, F_OK);
}

/* What leads to no other host, or to one neighbour. */
static bool is_last_resort(const mca_part_ucx_device_t *device)
{
    return 0 == strcmp(device->name, "lo") || is_bridge(device)
           || mca_part_ucx_subnet_is_link_local(&device->subnet);
}

/* Of what the user has not named, it counts how fast it is (part_ucx_pairing.c). */
static void learn_speeds(mca_part_ucx_devices_t *devices)
{
    unsigned fastest = 0;

    for (int i = 0; i < devices->known; ++i) {
        if (is_usable(&devices->list[i])) {
            devices->list[i].speed = mca_part_ucx_device_speed(&devices->list[i]);
            fastest = devices->list[i].speed > fastest ? devices->list[i].speed : fastest;
        }
    }
    for (int i = 0; i < devices->known; ++i) {
        devices->list[i].slow = mca_part_ucx_device_is_slow(&devices->list[i], fastest);
    }
}

/* Without a wish: RDMA devices if there are any, else TCP ones; loopback only as a last resort. */
static void choose_default(mca_part_ucx_devices_t *devices)
{
    bool rdma = false;
    bool real = false;

    for (int i = 0; i < devices->known; ++i) {
        if (is_usable(&devices->list[i])) {
            rdma = rdma || PART_UCX_DEVICE_RDMA == devices->list[i].kind;
            real = real || !is_last_resort(&devices->list[i]);
        }
    }
    for (int i = 0; i < devices->known; ++i) {
        mca_part_ucx_device_t *device = &devices->list[i];

        if (!is_usable(device)) {
            continue;
        }
        if (real && is_last_resort(device)) {
            device->use = PART_UCX_USE_LOOPBACK;
        } else if (rdma && PART_UCX_DEVICE_RDMA != device->kind) {
            device->use = PART_UCX_USE_BESIDE_RDMA;
        }
    }
}

/* The kernel routes all TCP devices of one network through one of them: they are one path. */
static void merge(mca_part_ucx_device_t *first, mca_part_ucx_device_t *second)
{
    bool other = !mca_part_ucx_subnet_is_source(&first->subnet)
                 && mca_part_ucx_subnet_is_source(&second->subnet);
    mca_part_ucx_device_t *left_out = other ? first : second;
    const mca_part_ucx_device_t *kept = other ? second : first;

    left_out->use = PART_UCX_USE_SAME_SUBNET;
    memcpy(left_out->instead, kept->name, sizeof(left_out->instead));
    mca_part_ucx_help("one-subnet", kept->name, left_out->name, kept->name);
}

static void merge_subnets(const mca_part_ucx_devices_t *devices)
{
    for (int i = 0; i < devices->known; ++i) {
        mca_part_ucx_device_t *device = &devices->list[i];

        for (int j = 0; j < i && is_usable(device); ++j) {
            mca_part_ucx_device_t *first = &devices->list[j];

            if (is_usable(first) && mca_part_ucx_subnet_equal(&device->subnet, &first->subnet)) {
                merge(first, device);
            }
        }
    }
}

/* UCX would make memory of both kinds, and use System V's for messages, which gets its pages one by
 * one. POSIX memory has them at once. Who names transports gets what is named. */
static void choose_shared(mca_part_ucx_devices_t *devices)
{
    char **words = opal_argv_split(devices->shared.transports, ',');

    devices->shared.transports[0] = '\0';
    for (char **word = words; NULL != word && NULL != *word; ++word) {
        if (0 != strcmp(*word, "sysv")) {
            mca_part_ucx_transports_append(devices->shared.transports, PART_UCX_TRANSPORT_MAX,
                                           *word);
        }
    }
    opal_argv_free(words);
}

int mca_part_ucx_devices_find(const char *wanted, bool all, const char *transports,
                              mca_part_ucx_devices_t *devices)
{
    int rc;

    memset(devices, 0, sizeof(*devices));
    rc = query_all(transports, devices);
    devices->known = devices->count;
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if ('\0' == transports[0] && mca_part_ucx_transports_has(devices->shared.transports, "posix")) {
        choose_shared(devices);
    }
    if ('^' == wanted[0]) { /* as UCX 1.21 reads its own variable */
        leave_out(wanted + 1, devices);
        choose_default(devices);
        learn_speeds(devices);
    } else if ('\0' != wanted[0]) {
        rc = choose_wanted(wanted, all, devices);
        if (!all) {
            choose_default(devices);
        }
    } else {
        follow_open_mpi(devices);
        choose_default(devices);
        learn_speeds(devices);
    }
    if (OMPI_SUCCESS == rc) {
        merge_subnets(devices);
        rc = separate(devices);
    }
    if (OMPI_SUCCESS == rc) {
        mca_part_ucx_devices_sort(devices);
    }
    return rc;
}

void mca_part_ucx_devices_tell_unknown(const mca_part_ucx_devices_t *devices,
                                       const char *transports)
{
    char **words = opal_argv_split(transports + ('^' == transports[0] ? 1 : 0), ',');
    char unknown[256] = "";

    for (char **word = words; NULL != word && NULL != *word; ++word) {
        const char *name = *word + strspn(*word, " ");

        if ('\0' != name[0] && !mca_part_ucx_transports_known(name, devices->transports)) {
            mca_part_ucx_transports_append(unknown, sizeof(unknown), name);
        }
    }
    opal_argv_free(words);
    if ('\0' != unknown[0]) {
        mca_part_ucx_help("unknown-transport", unknown);
    }
}
