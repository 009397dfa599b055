/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * TCP connections between interfaces (see probe.h).
 */
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Milliseconds that connections may take. */
enum { PATIENCE = 3000, MAX_PATHS = 32, TAG = 13 };

/* An interface that listens. */
typedef struct ear_t {
    char name[INFO_WORD];
    char network[INFO_WORD];
    char address[INFO_WORD];
    int port;
} ear_t;

typedef union address_t {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address_t;

/* Returns its length, 0 if the text is no address. */
static socklen_t make_address(const char *text, int port, address_t *address)
{
    memset(address, 0, sizeof(*address));
    if (1 == inet_pton(AF_INET, text, &address->v4.sin_addr)) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons((uint16_t) port);
        return sizeof(address->v4);
    }
    if (1 == inet_pton(AF_INET6, text, &address->v6.sin6_addr)) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons((uint16_t) port);
        return sizeof(address->v6);
    }
    return 0;
}

/* A socket with an address of its own, -1 if that fails. */
static int bound_socket(const char *text)
{
    address_t address;
    socklen_t length = make_address(text, 0, &address);
    int fd;

    if (0 == length) {
        return -1;
    }
    fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && 0 != bind(fd, &address.any, length)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- who listens ---- */

static int listen_on(const info_device_t *device, ear_t *ear)
{
    int fd = bound_socket(device->address);
    address_t address;
    socklen_t length = sizeof(address);

    if (fd < 0) {
        return -1;
    }
    if (0 != listen(fd, 1) || 0 != getsockname(fd, &address.any, &length)) {
        close(fd);
        return -1;
    }
    INFO_COPY(ear->name, device->name);
    INFO_COPY(ear->network, device->network);
    INFO_COPY(ear->address, device->address);
    ear->port = ntohs(AF_INET == address.any.sa_family ? address.v4.sin_port
                                                       : address.v6.sin6_port);
    return fd;
}

static void listen_on_all(const info_job_t *job, int peer, const info_list_t *devices,
                          char *problem, size_t size)
{
    ear_t ears[MAX_PATHS];
    int fds[MAX_PATHS];
    int count = 0;

    memset(ears, 0, sizeof(ears));
    for (int i = 0; i < devices->count && count < MAX_PATHS; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        if (device->paths > 0 && '\0' != device->address[0]) {
            fds[count] = listen_on(device, &ears[count]);
            count += fds[count] >= 0 ? 1 : 0;
        }
    }
    MPI_Send(ears, (int) sizeof(ears), MPI_BYTE, peer, TAG, job->world);
    MPI_Recv(problem, (int) size, MPI_BYTE, peer, TAG, job->world, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) {
        close(fds[i]);
    }
}

/* ---- who connects ---- */

/* A connection on its way. */
typedef struct try_t {
    const info_device_t *device;
    const ear_t *ear;
    int error; /* errno, 0: it is there */
} try_t;

static int start(const try_t *attempt)
{
    address_t address;
    socklen_t length = make_address(attempt->ear->address, attempt->ear->port, &address);
    int fd = bound_socket(attempt->device->address);

    if (fd >= 0 && 0 != connect(fd, &address.any, length) && EINPROGRESS != errno) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Begin those between interfaces of one subnet; one that is on both hosts alike is private. */
static int start_all(const info_list_t *devices, const ear_t *ears, try_t *tries,
                     struct pollfd *polls)
{
    int count = 0;

    for (int i = 0; i < devices->count; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        for (int j = 0; j < MAX_PATHS && count < MAX_PATHS && device->paths > 0; ++j) {
            if ('\0' == ears[j].network[0] || 0 != strcmp(device->network, ears[j].network)
                || 0 == strcmp(device->address, ears[j].address)) {
                continue;
            }
            tries[count] = (try_t) {.device = device, .ear = &ears[j], .error = ETIMEDOUT};
            polls[count] = (struct pollfd) {.fd = start(&tries[count]), .events = POLLOUT};
            if (polls[count].fd < 0) {
                tries[count].error = errno;
            }
            ++count;
            break;
        }
    }
    return count;
}

static void finish(try_t *attempt, struct pollfd *polled)
{
    socklen_t length = sizeof(attempt->error);

    if (polled->fd >= 0 && 0 != polled->revents) {
        if (0 != getsockopt(polled->fd, SOL_SOCKET, SO_ERROR, &attempt->error, &length)) {
            attempt->error = errno;
        }
        close(polled->fd);
        polled->fd = -1;
    }
}

static void wait_for(try_t *tries, struct pollfd *polls, int count)
{
    double deadline = info_now() + PATIENCE / 1e3;
    int left = count;

    while (left > 0 && info_now() < deadline) {
        if (poll(polls, (nfds_t) count, 100) < 0) {
            return;
        }
        left = 0;
        for (int i = 0; i < count; ++i) {
            finish(&tries[i], &polls[i]);
            left += polls[i].fd >= 0 ? 1 : 0;
        }
    }
}

static void connect_to_all(const info_job_t *job, int peer, const info_list_t *devices,
                           char *problem, size_t size)
{
    struct pollfd polls[MAX_PATHS];
    ear_t ears[MAX_PATHS];
    try_t tries[MAX_PATHS];
    int count;

    MPI_Recv(ears, (int) sizeof(ears), MPI_BYTE, peer, TAG, job->world, MPI_STATUS_IGNORE);
    count = start_all(devices, ears, tries, polls);
    wait_for(tries, polls, count);
    for (int i = 0; i < count; ++i) {
        if (polls[i].fd >= 0) {
            close(polls[i].fd);
        }
        if (0 != tries[i].error) {
            info_append(problem, size, "%s%s (%s) does not reach %s (%s): %s",
                        '\0' == problem[0] ? "" : "; ", tries[i].device->name,
                        tries[i].device->address, tries[i].ear->name, tries[i].ear->address,
                        strerror(tries[i].error));
        }
    }
    MPI_Send(problem, (int) size, MPI_BYTE, peer, TAG, job->world);
}

void info_probe(const info_job_t *job, int peer, const info_list_t *devices, bool connects,
                char *problem, size_t size)
{
    memset(problem, 0, size);
    if (connects) {
        connect_to_all(job, peer, devices, problem, size);
    } else {
        listen_on_all(job, peer, devices, problem, size);
    }
}
