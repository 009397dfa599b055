/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Looking at sockets (see part_ucx_sockets.h). UCX does not show its sockets, so all of the process
 * are looked at: that is done only while something waits.
 */
#include "path/part_ucx_sockets.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Of one that hangs. */
typedef struct ends_t {
    uint8_t family; /* 4 or 6 */
    uint8_t ours[16], theirs[16];
} ends_t;

/* So many are remembered: with more, all of them are found later. */
#define MOST 1024u

static ends_t hanging[MOST];
static unsigned count;

/* Milliseconds without any acknowledgement after which one may hang. */
#define SILENCE_MS 300u

static bool take_address(const struct sockaddr_storage *address, uint8_t bytes[16],
                         uint8_t *family)
{
    memset(bytes, 0, 16);
    if (AF_INET == address->ss_family) {
        memcpy(bytes, &((const struct sockaddr_in *) (const void *) address)->sin_addr, 4);
        *family = 4;
        return true;
    }
    if (AF_INET6 == address->ss_family) {
        memcpy(bytes, &((const struct sockaddr_in6 *) (const void *) address)->sin6_addr, 16);
        *family = 6;
        return true;
    }
    return false;
}

/* Is something sent again, or asked again whether there is room, and nothing comes back? */
static bool hangs(int fd)
{
    struct tcp_info info;
    socklen_t length = sizeof(info);

    memset(&info, 0, sizeof(info));
    return 0 == getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length)
           && ((0 != info.tcpi_unacked && 0 != info.tcpi_retransmits) || info.tcpi_probes > 1)
           && info.tcpi_last_ack_recv >= SILENCE_MS;
}

static void look_at(int fd)
{
    struct sockaddr_storage ours, theirs;
    socklen_t ours_length = sizeof(ours), theirs_length = sizeof(theirs);
    ends_t *ends = &hanging[count];
    uint8_t family;

    memset(&ours, 0, sizeof(ours));
    memset(&theirs, 0, sizeof(theirs));
    if (MOST != count && 0 == getsockname(fd, (struct sockaddr *) &ours, &ours_length)
        && take_address(&ours, ends->ours, &ends->family)
        && 0 == getpeername(fd, (struct sockaddr *) &theirs, &theirs_length)
        && take_address(&theirs, ends->theirs, &family) && family == ends->family && hangs(fd)) {
        ++count;
    }
}

void mca_part_ucx_sockets_look(void)
{
    DIR *descriptors = opendir("/proc/self/fd");
    struct dirent *entry;

    count = 0;
    while (NULL != descriptors && NULL != (entry = readdir(descriptors))) {
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') {
            look_at(atoi(entry->d_name));
        }
    }
    if (NULL != descriptors) {
        (void) closedir(descriptors);
    }
}

bool mca_part_ucx_sockets_hang(const mca_part_ucx_subnet_t *ours,
                               const mca_part_ucx_subnet_t *theirs)
{
    for (unsigned i = 0; i < count; ++i) {
        if (ours->family == hanging[i].family
            && 0 == memcmp(ours->address, hanging[i].ours, sizeof(hanging[i].ours))
            && 0 == memcmp(theirs->address, hanging[i].theirs, sizeof(hanging[i].theirs))) {
            return true;
        }
    }
    return false;
}
