/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The network devices of this host (see interfaces.h).
 */
#include "interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* ---- those of the component ---- */

static const char *reason_text(const mca_part_ucx_device_t *device)
{
    switch (device->use) {
    case PART_UCX_USE_PATH:
        return "";
    case PART_UCX_USE_NO_TRANSPORT:
        return "excluded by part_ucx_transports or UCX_TLS";
    case PART_UCX_USE_NOT_NAMED:
        return "not named by part_ucx_devices, UCX_NET_DEVICES or btl_tcp_if_include, or named by "
               "btl_tcp_if_exclude";
    case PART_UCX_USE_BESIDE_RDMA:
        return "TCP is not used beside RDMA devices";
    case PART_UCX_USE_LOOPBACK:
        return 0 == strcmp(device->name, "lo") ? "loopback"
                                              : "a bridge, or its address is link-local";
    case PART_UCX_USE_SAME_SUBNET:
        return "in the subnet of ";
    case PART_UCX_USE_FEWER_PATHS:
        return "farther away than the part_ucx_paths nearest";
    case PART_UCX_USE_FAILED:
        return "UCX cannot open it";
    }
    return "";
}

static void copy_subnet(const mca_part_ucx_subnet_t *subnet, info_device_t *device)
{
    int family = 4 == subnet->family ? AF_INET : AF_INET6;

    if (0 != subnet->family
        && NULL != inet_ntop(family, subnet->network, device->network, sizeof(device->network))
        && NULL != inet_ntop(family, subnet->address, device->address, sizeof(device->address))) {
        info_append(device->network, sizeof(device->network), "/%u", (unsigned) subnet->prefix);
    }
}

/* What the kernel knows of any device, by its name without the port. */
static void add_hardware(info_device_t *device)
{
    bool tcp = 0 == strcmp(device->kind, "tcp");
    char folder[INFO_LINE], name[INFO_WORD];
    long long speed;

    INFO_COPY(name, device->name);
    name[strcspn(name, ":")] = '\0';
    snprintf(folder, sizeof(folder), "/sys/class/%s/%s/device", tcp ? "net" : "infiniband", name);
    device->numa_node = (int) info_kernel_number(-1, "%s/numa_node", folder);
    device->relaxed_ordering = info_kernel_relaxed_ordering(folder);
    if (tcp) {
        speed = info_kernel_number(-1, "/sys/class/net/%s/speed", name);
        if (speed > 0) {
            snprintf(device->speed, sizeof(device->speed), "%lld Mb/s", speed);
        }
    } else {
        const char *port = strchr(device->name, ':');

        (void) info_kernel_line(device->speed, sizeof(device->speed),
                                "/sys/class/infiniband/%s/ports/%s/rate", name,
                                NULL == port ? "1" : port + 1);
    }
}

static void add_known(const mca_part_ucx_info_device_t *known, info_list_t *devices)
{
    const mca_part_ucx_device_t *from = &known->device;
    info_device_t *device = info_list_add(devices);

    INFO_COPY(device->name, from->name);
    INFO_COPY(device->kind, PART_UCX_DEVICE_TCP == from->kind ? "tcp" : "rdma");
    INFO_COPY(device->transports, from->transports);
    INFO_COPY(device->why_not, reason_text(from));
    info_append(device->why_not, sizeof(device->why_not), "%s", from->instead);
    copy_subnet(&from->subnet, device);
    device->slow = from->slow;
    device->reason = (int) from->use;
    device->first_path = known->first_path;
    device->paths = known->paths;
    device->distance = (int) from->distance;
    add_hardware(device);
}

/* ---- those of the kernel ---- */

typedef struct kernel_t {
    info_list_t *devices;
    struct ifaddrs *addresses;
    bool asked; /* the component has told which devices UCX has */
} kernel_t;

static bool is_listed(const info_list_t *devices, const char *name)
{
    for (int i = 0; i < devices->count; ++i) {
        if (0 == strcmp(((const info_device_t *) info_list_at(devices, i))->name, name)) {
            return true;
        }
    }
    return false;
}

/* Why UCX does not offer an interface: it takes those that are up and have an address. */
static const char *why_no_interface(const kernel_t *kernel, const char *name)
{
    const char *reason = "is down";

    for (const struct ifaddrs *entry = kernel->addresses; NULL != entry; entry = entry->ifa_next) {
        if (0 != strcmp(entry->ifa_name, name) || 0 == (entry->ifa_flags & IFF_UP)) {
            continue;
        }
        if (0 == (entry->ifa_flags & IFF_RUNNING)) {
            return "has no carrier";
        }
        if (NULL != entry->ifa_addr && AF_INET == entry->ifa_addr->sa_family) {
            return kernel->asked ? "UCX does not offer it" : "the component was not asked";
        }
        reason = "has no IPv4 address";
    }
    return reason;
}

static info_device_t *add_unknown(const kernel_t *kernel, const char *name, const char *kind,
                                  const char *why_not)
{
    info_device_t *device = info_list_add(kernel->devices);

    INFO_COPY(device->name, name);
    INFO_COPY(device->kind, kind);
    INFO_COPY(device->why_not, why_not);
    device->reason = -1;
    device->first_path = -1;
    device->distance = -1;
    add_hardware(device);
    return device;
}

static void visit_interface(const char *name, void *context)
{
    const kernel_t *kernel = context;

    /* Also in the folder: files such as bonding_masters. */
    if (!is_listed(kernel->devices, name)
        && info_kernel_number(-1, "/sys/class/net/%s/ifindex", name) >= 0) {
        (void) add_unknown(kernel, name, "tcp", why_no_interface(kernel, name));
    }
}

static void visit_port(const kernel_t *kernel, const char *name, int port)
{
    char full[INFO_WORD], state[INFO_WORD];

    snprintf(full, sizeof(full), "%.48s:%d", name, port);
    /* "4: ACTIVE" */
    if (is_listed(kernel->devices, full)
        || !info_kernel_line(state, sizeof(state), "/sys/class/infiniband/%s/ports/%d/state", name,
                             port)) {
        return;
    }
    if (NULL == strstr(state, "ACTIVE")) {
        char why[INFO_LINE];

        snprintf(why, sizeof(why), "its port is %s", state);
        (void) add_unknown(kernel, full, "rdma", why);
    } else {
        (void) add_unknown(kernel, full, "rdma",
                           kernel->asked ? "UCX has no transport for it (are its verbs modules "
                                           "installed?)"
                                         : "the component was not asked");
    }
}

static void visit_rdma(const char *name, void *context)
{
    for (int port = 1; port <= 8; ++port) {
        visit_port(context, name, port);
    }
}

void info_interfaces_list(const mca_part_ucx_info_t *table, info_process_t *process,
                          info_list_t *devices)
{
    kernel_t kernel = {.devices = devices};
    mca_part_ucx_info_devices_t known;

    if (NULL != table && table->devices(&known)) {
        kernel.asked = true;
        process->has_shared = known.has_shared;
        INFO_COPY(process->shared, known.shared.transports);
        for (int i = 0; i < known.count; ++i) {
            add_known(&known.list[i], devices);
            process->paths += known.list[i].paths;
        }
        free(known.list);
    }
    if (0 != getifaddrs(&kernel.addresses)) {
        kernel.addresses = NULL;
    }
    info_kernel_names("/sys/class/net", visit_interface, &kernel);
    info_kernel_names("/sys/class/infiniband", visit_rdma, &kernel);
    if (NULL != kernel.addresses) {
        freeifaddrs(kernel.addresses);
    }
    process->devices = devices->count;
}

/* ---- judgement ---- */

/* The devices with a reason, "eth1 eth2"; NULL if there are none. */
static const char *names_with(const info_list_t *devices, mca_part_ucx_use_t reason)
{
    static char names[INFO_LINE];

    names[0] = '\0';
    for (int i = 0; i < devices->count; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        if ((int) reason == device->reason && 0 != strcmp(device->name, "lo")) {
            info_append(names, sizeof(names), "%s%s", '\0' == names[0] ? "" : " ", device->name);
        }
    }
    return '\0' == names[0] ? NULL : names;
}

static void judge_subnets(const info_list_t *devices, info_list_t *findings)
{
    for (int i = 0; i < devices->count; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        if (PART_UCX_USE_SAME_SUBNET == device->reason) {
            info_todo(info_find(findings, INFO_ATTENTION, "%s carries nothing: it is %s (%s).",
                                device->name, device->why_not, device->network),
                      "Give every interface a subnet of its own: the kernel sends all that is for "
                      "a subnet through one of them.");
        }
    }
}

static void judge_distance(const info_process_t *process, const info_list_t *devices,
                           info_list_t *findings)
{
    const info_device_t *first = NULL;

    for (int i = 0; i < devices->count && NULL == first; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        first = 0 == device->first_path ? device : NULL;
    }
    if (NULL != first && 100 == first->distance) {
        info_todo(info_find(findings, INFO_NOTE,
                            "The nearest device, %s, is on another NUMA node than this process "
                            "(node %d; the process runs on %s).",
                            first->name, first->numa_node, process->numa_nodes),
                  "Bind the processes near the devices (mpirun --map-by numa --bind-to numa).");
    }
}

void info_interfaces_judge(const info_process_t *process, const info_list_t *devices,
                           info_list_t *findings)
{
    const char *names = names_with(devices, PART_UCX_USE_FAILED);

    if (NULL != names) {
        info_todo(info_find(findings, INFO_ATTENTION, "UCX cannot open a path over %s.", names),
                  "UCX_LOG_LEVEL=info shows why; part_ucx_devices can leave it out.");
    }
    judge_subnets(devices, findings);
    judge_distance(process, devices, findings);
    if (process->works && 0 == process->paths) {
        info_todo(info_find(findings, INFO_ATTENTION,
                            "No network device carries a path: there is nothing but this host."),
                  "See above why each is not used.");
    }
}
