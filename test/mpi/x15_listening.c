/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who can reach the process: a job on one host that has shared memory opens no listening socket for
 * its channels; where paths of the network are used, there are as many as paths. A stranger that
 * connects to them and sends anything does not disturb the channel. What the job itself sends is
 * never dropped as a stranger's, or a repeated message.
 *
 * Arguments: the sockets that there must be in the end.
 */

#include "../support/side.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TAG        111
#define PARTITIONS 32
#define MOST       64

typedef struct listener_t {
    struct sockaddr_storage address;
    socklen_t length;
} listener_t;

/* Is it a listening TCP socket? Its address. */
static bool listens(int fd, listener_t *listener)
{
    int accepts = 0;
    socklen_t length = sizeof(accepts);

    listener->length = sizeof(listener->address);
    return 0 == getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) && 0 != accepts
           && 0 == getsockname(fd, (struct sockaddr *) &listener->address, &listener->length)
           && (AF_INET == listener->address.ss_family || AF_INET6 == listener->address.ss_family);
}

static bool is_known(const listener_t *list, int count, const listener_t *listener)
{
    for (int i = 0; i < count; i++) {
        if (list[i].length == listener->length
            && 0 == memcmp(&list[i].address, &listener->address, listener->length)) {
            return true;
        }
    }
    return false;
}

/* The listening sockets of this process that are not among `known`. */
static int find_listeners(const listener_t *known, int known_count, listener_t list[MOST])
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int count = 0;

    if (!mt_check(NULL != folder, "/proc/self/fd cannot be read")) {
        return 0;
    }
    while (NULL != (entry = readdir(folder)) && count < MOST) {
        count += '.' != entry->d_name[0] && listens(atoi(entry->d_name), &list[count])
                 && !is_known(known, known_count, &list[count]);
    }
    closedir(folder);
    return count;
}

/* What the component has dropped since this was opened. */
typedef struct drops_t {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle[2];
} drops_t;

static void open_drops(drops_t *drops)
{
    static const char *const names[] = {"part_ucx_dropped_strays", "part_ucx_dropped_repeats"};
    int index = -1, count = 0, provided;

    mt_success(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
    mt_success(MPI_T_pvar_session_create(&drops->session), "MPI_T_pvar_session_create");
    for (int i = 0; i < 2; i++) {
        mt_success(MPI_T_pvar_get_index(names[i], MPI_T_PVAR_CLASS_COUNTER, &index), names[i]);
        mt_success(MPI_T_pvar_handle_alloc(drops->session, index, NULL, &drops->handle[i], &count),
                   names[i]);
        mt_check(1 == count, "%s has %d elements", names[i], count);
    }
}

static unsigned long long close_drops(drops_t *drops)
{
    unsigned long long sum = 0, value = 0;

    for (int i = 0; i < 2; i++) {
        mt_success(MPI_T_pvar_read(drops->session, drops->handle[i], &value), "MPI_T_pvar_read");
        sum += value;
        MPI_T_pvar_handle_free(drops->session, &drops->handle[i]);
    }
    MPI_T_pvar_session_free(&drops->session);
    MPI_T_finalize();
    return sum;
}

/* Connect and send something; what becomes of it is UCX's business. */
static void disturb(const listener_t *listener, unsigned long seed)
{
    unsigned char junk[4096];
    int fd = socket(listener->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);

    mt_fill(junk, sizeof(junk), seed, 0);
    (void) connect(fd, (const struct sockaddr *) &listener->address, listener->length);
    mt_progress(0.05);
    mt_check(send(fd, junk, sizeof(junk), MSG_NOSIGNAL) > 0, "a stranger cannot send");
    mt_progress(0.05);
    close(fd);
}

int main(int argc, char **argv)
{
    int sockets = argc > 1 ? atoi(argv[1]) : 0;
    static listener_t before[MOST], after[MOST];
    mt_side_t side;
    drops_t drops;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    open_drops(&drops);
    int known = find_listeners(NULL, 0, before);
    mt_one_way(&side, PARTITIONS, 65536, TAG, MPI_COMM_WORLD);
    mt_cycle(&side, 0);
    int count = find_listeners(before, known, after);
    mt_check(mt_rank() > 1 || count == sockets, "%d sockets listen, there should be %d", count,
             sockets);
    mt_result("%d sockets listen for channels", sockets);
    for (int i = 0; i < count; i++) {
        disturb(&after[i], (unsigned long) i);
        mt_cycle(&side, 1 + i);
    }
    if (0 == sockets) {
        mt_skip("no socket listens", "channels work while strangers connect");
    } else {
        mt_result("channels work while strangers connect");
    }
    unsigned long long dropped = close_drops(&drops);
    mt_check(0 == dropped, "%llu messages of this job are dropped", dropped);
    mt_result("no message of the job itself is dropped");
    mt_drop(&side);
    return mt_end();
}
