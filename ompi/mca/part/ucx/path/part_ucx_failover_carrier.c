/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is there a cable? (See part_ucx_failover_carrier.h.)
 */
#include "path/part_ucx_failover_carrier.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

bool mca_part_ucx_failover_carrier_is_lost(const char *name)
{
    struct ifreq request;
    bool lost;
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (0 > any) {
        return false;
    }
    memset(&request, 0, sizeof(request));
    strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1); /* no interface's is longer */
    if (0 == ioctl(any, SIOCGIFFLAGS, &request)) {
        lost = 0 == (request.ifr_flags & IFF_RUNNING);
    } else {
        lost = ENODEV == errno;
    }
    (void) close(any);
    return lost;
}
