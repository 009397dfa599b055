/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The network that an interface is in (see part_ucx_subnet.h).
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* SO_BINDTODEVICE */
#endif
#include "path/part_ucx_subnet.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

bool mca_part_ucx_subnet_is_link_local(const mca_part_ucx_subnet_t *subnet)
{
    return 4 == subnet->family && 169 == subnet->network[0] && 254 == subnet->network[1];
}

unsigned mca_part_ucx_subnet_likeness(const mca_part_ucx_subnet_t *a,
                                      const mca_part_ucx_subnet_t *b)
{
    unsigned bits = 0;

    while (bits < 128 && 0 == ((a->address[bits / 8] ^ b->address[bits / 8]) >> (7 - bits % 8))) {
        ++bits;
    }
    return bits;
}

/* An address as the system wants it; returns its size. */
static socklen_t socket_address(int family, const uint8_t *address,
                                struct sockaddr_storage *storage)
{
    struct sockaddr_in *in = (void *) storage;
    struct sockaddr_in6 *in6 = (void *) storage;

    memset(storage, 0, sizeof(*storage));
    if (4 == family) {
        in->sin_family = AF_INET;
        in->sin_port = htons(9); /* any: nothing is sent */
        memcpy(&in->sin_addr, address, 4);
        return sizeof(*in);
    }
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons(9);
    memcpy(&in6->sin6_addr, address, 16);
    return sizeof(*in6);
}

/* To connect one sends nothing, and finds the way. */
static int udp_socket(const mca_part_ucx_subnet_t *subnet)
{
    return socket(4 == subnet->family ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

bool mca_part_ucx_subnet_is_source(const mca_part_ucx_subnet_t *subnet)
{
    struct sockaddr_storage to, from;
    socklen_t length, size = sizeof(from);
    int file = udp_socket(subnet);
    int allowed = 1;
    uint8_t other[16];
    bool is = false;

    memcpy(other, subnet->address, sizeof(other));
    other[4 == subnet->family ? 3 : 15] ^= 1; /* another one of the network */
    length = socket_address(subnet->family, other, &to);
    if (-1 != file) { /* that one may be the network's address for all */
        (void) setsockopt(file, SOL_SOCKET, SO_BROADCAST, &allowed, sizeof(allowed));
    }
    if (-1 != file && 0 == connect(file, (const struct sockaddr *) &to, length)
        && 0 == getsockname(file, (struct sockaddr *) &from, &size)) {
        const struct sockaddr_in *in = (const void *) &from;
        const struct sockaddr_in6 *in6 = (const void *) &from;

        is = 4 == subnet->family ? 0 == memcmp(&in->sin_addr, subnet->address, 4)
                                 : 0 == memcmp(&in6->sin6_addr, subnet->address, 16);
    }
    if (-1 != file) {
        close(file);
    }
    return is;
}

bool mca_part_ucx_subnet_leads_to(const char *interface, const mca_part_ucx_subnet_t *peer)
{
    struct sockaddr_storage to;
    socklen_t length = socket_address(peer->family, peer->address, &to);
    int file = udp_socket(peer);
    bool leads = true;

    if (-1 == file) {
        return true;
    }
    /* Kernels before 5.7 allow that only to root; then it is not known. */
    if (0 == setsockopt(file, SOL_SOCKET, SO_BINDTODEVICE, interface,
                        (socklen_t) strlen(interface))) {
        leads = 0 == connect(file, (const struct sockaddr *) &to, length);
    }
    close(file);
    return leads;
}

bool mca_part_ucx_subnet_equal(const mca_part_ucx_subnet_t *a, const mca_part_ucx_subnet_t *b)
{
    return 0 != a->family && a->family == b->family && a->prefix == b->prefix
           && 0 == memcmp(a->network, b->network, sizeof(a->network));
}
