/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The network that an interface is in (see part_ucx_subnet.h).
 */
#include "path/part_ucx_subnet.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static void subnet_from(mca_part_ucx_subnet_t *subnet, const struct sockaddr *address,
                        const struct sockaddr *mask)
{
    const uint8_t *bytes, *bits;
    unsigned length;

    memset(subnet, 0, sizeof(*subnet));
    if (AF_INET == address->sa_family) {
        bytes = (const uint8_t *) &((const struct sockaddr_in *) (const void *) address)->sin_addr;
        bits = (const uint8_t *) &((const struct sockaddr_in *) (const void *) mask)->sin_addr;
        length = 4;
        subnet->family = 4;
    } else {
        const struct sockaddr_in6 *address6 = (const void *) address;
        const struct sockaddr_in6 *mask6 = (const void *) mask;

        bytes = (const uint8_t *) &address6->sin6_addr;
        bits = (const uint8_t *) &mask6->sin6_addr;
        length = 16;
        subnet->family = 6;
    }
    for (unsigned i = 0; i < length; ++i) {
        subnet->address[i] = bytes[i];
        subnet->network[i] = bytes[i] & bits[i];
        subnet->prefix = (uint8_t) (subnet->prefix + __builtin_popcount(bits[i]));
    }
}

static bool is_link_local(const struct sockaddr *address)
{
    return 0 != IN6_IS_ADDR_LINKLOCAL(
               &((const struct sockaddr_in6 *) (const void *) address)->sin6_addr);
}

void mca_part_ucx_subnet_find(const char *interface, mca_part_ucx_subnet_t *subnet)
{
    struct ifaddrs *list = NULL;

    memset(subnet, 0, sizeof(*subnet));
    if (0 != getifaddrs(&list)) {
        return;
    }
    for (struct ifaddrs *entry = list; NULL != entry; entry = entry->ifa_next) {
        if (NULL == entry->ifa_addr || NULL == entry->ifa_netmask
            || 0 != strcmp(entry->ifa_name, interface)) {
            continue;
        }
        if (AF_INET == entry->ifa_addr->sa_family) {
            subnet_from(subnet, entry->ifa_addr, entry->ifa_netmask);
            break;
        }
        /* A link-local address says nothing about the network. */
        if (AF_INET6 == entry->ifa_addr->sa_family && 0 == subnet->family
            && !is_link_local(entry->ifa_addr)) {
            subnet_from(subnet, entry->ifa_addr, entry->ifa_netmask);
        }
    }
    freeifaddrs(list);
}

bool mca_part_ucx_subnet_equal(const mca_part_ucx_subnet_t *a, const mca_part_ucx_subnet_t *b)
{
    return 0 != a->family && a->family == b->family && a->prefix == b->prefix
           && 0 == memcmp(a->network, b->network, sizeof(a->network));
}
