/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Asking another host's system for a sign of life (see part_ucx_failover_knock.h).
 */
#include "path/part_ucx_failover_knock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* "Discard", where somebody listens. */
#define KNOCK_PORT 9u

static socklen_t fill(struct sockaddr_storage *address, const mca_part_ucx_subnet_t *subnet,
                      uint16_t port)
{
    struct sockaddr_in *four = (void *) address;
    struct sockaddr_in6 *six = (void *) address;

    memset(address, 0, sizeof(*address));
    if (4 == subnet->family) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        memcpy(&four->sin_addr, subnet->address, 4);
        return sizeof(*four);
    }
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    memcpy(&six->sin6_addr, subnet->address, 16);
    return sizeof(*six);
}

int mca_part_ucx_failover_knock(const mca_part_ucx_subnet_t *ours,
                                const mca_part_ucx_subnet_t *theirs)
{
    struct sockaddr_storage from, to;
    socklen_t from_length = fill(&from, ours, 0);
    socklen_t to_length = fill(&to, theirs, KNOCK_PORT);
    int knock = socket(from.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (0 <= knock
        && (0 != bind(knock, (struct sockaddr *) &from, from_length)
            || (0 != connect(knock, (struct sockaddr *) &to, to_length) && EINPROGRESS != errno
                && ECONNREFUSED != errno))) {
        (void) close(knock);
        knock = -1;
    }
    return knock;
}

mca_part_ucx_failover_knock_t mca_part_ucx_failover_knock_answer(int knock)
{
    struct pollfd events = {.fd = knock, .events = POLLOUT};
    int error = 0;
    socklen_t length = sizeof(error);

    if (1 != poll(&events, 1, 0)) {
        return PART_UCX_FAILOVER_KNOCK_SILENT;
    }
    return 0 == getsockopt(knock, SOL_SOCKET, SO_ERROR, &error, &length)
                   && (0 == error || ECONNREFUSED == error)
               ? PART_UCX_FAILOVER_KNOCK_THERE
               : PART_UCX_FAILOVER_KNOCK_FAILED;
}
