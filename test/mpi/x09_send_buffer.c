/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the component asks of a transport by name reaches it: the sockets of the TCP paths have the
 * send buffer that part_ucx_tcp_send_buffer or, before it, UCX_TCP_SNDBUF says. UCX takes a name
 * that it does not know without a word, and the names have changed between its versions.
 *
 * Arguments: the bytes that they must have, and the number of paths.
 */

#include "../support/side.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/socket.h>

#define TAG        109
#define PARTITIONS 32

/* The send buffer of a connected TCP socket, in bytes; 0: the descriptor is none. */
static size_t send_buffer(int fd)
{
    struct sockaddr_storage peer;
    socklen_t length = sizeof(peer);
    int bytes = 0;

    if (0 != getpeername(fd, (struct sockaddr *) &peer, &length)
        || (AF_INET != peer.ss_family && AF_INET6 != peer.ss_family)) {
        return 0;
    }
    length = sizeof(bytes);
    if (0 != getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, &length) || bytes < 0) {
        return 0;
    }
    return (size_t) bytes / 2; /* Linux doubles what it is given, socket(7) */
}

static int count_sockets(size_t bytes)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int count = 0;

    if (!mt_check(NULL != folder, "/proc/self/fd cannot be read")) {
        return 0;
    }
    while (NULL != (entry = readdir(folder))) {
        count += '.' != entry->d_name[0] && bytes == send_buffer(atoi(entry->d_name));
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    int paths = argc > 2 ? atoi(argv[2]) : 1;
    mt_side_t side;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    int before = count_sockets(bytes);
    mt_one_way(&side, PARTITIONS, 65536, TAG, MPI_COMM_WORLD);
    mt_cycle(&side, 0);
    int after = count_sockets(bytes);
    mt_check(0 == before, "%d sockets have such a buffer before there are paths", before);
    mt_check(mt_rank() > 1 || after >= paths, "%d sockets have send buffers of %zu bytes", after,
             bytes);
    mt_result("the sockets of %d paths have send buffers of %zu bytes", paths, bytes);
    mt_drop(&side);
    return mt_end();
}
