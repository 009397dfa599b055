/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Looking at sockets, and ending them (see part_ucx_failover_sockets.h).
 */
#include "path/part_ucx_failover_sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* Milliseconds without any acknowledgement after which one may hang. */
#define SILENCE_MS 300u

/* A worker's descriptor waits for one of each interface, which waits for sockets. */
#define DEPTH 2

/* Called with a socket between the two addresses; false: enough. */
typedef bool visit_t(int fd);

typedef struct visitor_t {
    const mca_part_ucx_subnet_t *ours, *theirs;
    visit_t *visit;
} visitor_t;

static bool is_address(const struct sockaddr_storage *address, const mca_part_ucx_subnet_t *subnet)
{
    if (AF_INET == address->ss_family) {
        return 4 == subnet->family
               && 0
                      == memcmp(&((const struct sockaddr_in *) (const void *) address)->sin_addr,
                                subnet->address, 4);
    }
    return AF_INET6 == address->ss_family && 6 == subnet->family
           && 0
                  == memcmp(&((const struct sockaddr_in6 *) (const void *) address)->sin6_addr,
                            subnet->address, 16);
}

static bool is_between(int fd, const visitor_t *visitor)
{
    struct sockaddr_storage ours, theirs;
    socklen_t ours_length = sizeof(ours), theirs_length = sizeof(theirs);

    memset(&ours, 0, sizeof(ours));
    memset(&theirs, 0, sizeof(theirs));
    return 0 == getsockname(fd, (struct sockaddr *) &ours, &ours_length)
           && is_address(&ours, visitor->ours)
           && 0 == getpeername(fd, (struct sockaddr *) &theirs, &theirs_length)
           && is_address(&theirs, visitor->theirs);
}

/* All sockets that a descriptor of events waits for. False: enough. */
static bool visit_all(int events, int depth, const visitor_t *visitor)
{
    char line[256];
    bool more = true;
    FILE *info;

    snprintf(line, sizeof(line), "/proc/self/fdinfo/%d", events);
    info = fopen(line, "re");
    while (more && NULL != info && NULL != fgets(line, sizeof(line), info)) {
        struct stat status;
        int fd;

        if (1 != sscanf(line, "tfd: %d", &fd) || 0 != fstat(fd, &status)) {
            continue;
        }
        if (S_ISSOCK(status.st_mode)) {
            more = !is_between(fd, visitor) || visitor->visit(fd);
        } else if (depth > 1) {
            more = visit_all(fd, depth - 1, visitor);
        }
    }
    if (NULL != info) {
        (void) fclose(info);
    }
    return more;
}

/* Is something sent again, or asked again whether there is room, and nothing comes back? */
static bool does_not_hang(int fd)
{
    struct tcp_info info;
    socklen_t length = sizeof(info);

    memset(&info, 0, sizeof(info));
    return 0 != getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length)
           || info.tcpi_last_ack_recv < SILENCE_MS
           || ((0 == info.tcpi_unacked || 0 == info.tcpi_retransmits) && info.tcpi_probes < 2);
}

static bool end(int fd)
{
    (void) shutdown(fd, SHUT_RDWR);
    return true;
}

bool mca_part_ucx_failover_sockets_hang(int events, const mca_part_ucx_subnet_t *ours,
                                        const mca_part_ucx_subnet_t *theirs)
{
    visitor_t visitor = {.ours = ours, .theirs = theirs, .visit = does_not_hang};

    return !visit_all(events, DEPTH, &visitor);
}

void mca_part_ucx_failover_sockets_end(int events, const mca_part_ucx_subnet_t *ours,
                                       const mca_part_ucx_subnet_t *theirs)
{
    visitor_t visitor = {.ours = ours, .theirs = theirs, .visit = end};

    (void) visit_all(events, DEPTH, &visitor);
}
