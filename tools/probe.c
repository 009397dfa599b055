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
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Milliseconds that connections may take. */
enum { PATIENCE = 3000, MAX_PATHS = 32, TAG = 13 };

/* An interface that listens; its port is 0 if it cannot. */
typedef struct ear_t {
    char name[INFO_WORD];
    char address[INFO_WORD];
    int port;
} ear_t;

/* A connection from an interface of one process to one of the other. */
typedef struct try_t {
    char from[INFO_WORD];
    char from_address[INFO_WORD];
    char to[INFO_WORD];
    char to_address[INFO_WORD];
    int error; /* errno, 0: it is there, or nothing was tried */
} try_t;

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

/* ---- listening ---- */

static int listen_on(const info_device_t *device, ear_t *ear)
{
    int fd = bound_socket(device->address);
    address_t address;
    socklen_t length = sizeof(address);

    INFO_COPY(ear->name, device->name);
    INFO_COPY(ear->address, device->address);
    if (fd < 0) {
        return -1;
    }
    if (0 != listen(fd, MAX_PATHS) || 0 != getsockname(fd, &address.any, &length)) {
        close(fd);
        return -1;
    }
    ear->port = ntohs(AF_INET == address.any.sa_family ? address.v4.sin_port
                                                       : address.v6.sin6_port);
    return fd;
}

static int listen_on_all(const info_list_t *devices, ear_t *ears, int *fds)
{
    int count = 0;

    memset(ears, 0, MAX_PATHS * sizeof(*ears));
    for (int i = 0; i < devices->count && count < MAX_PATHS; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        if (device->paths > 0 && '\0' != device->address[0]) {
            fds[count] = listen_on(device, &ears[count]);
            ++count;
        }
    }
    return count;
}

static void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; ++i) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

/* ---- connecting ---- */

static const char *address_of(const info_list_t *devices, const char *name)
{
    for (int i = 0; i < devices->count; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        if (0 == strcmp(name, device->name)) {
            return device->address;
        }
    }
    return "";
}

static const ear_t *ear_of(const ear_t *ears, const char *name)
{
    for (int i = 0; i < MAX_PATHS; ++i) {
        if ('\0' != ears[i].name[0] && 0 == strcmp(name, ears[i].name)) {
            return &ears[i];
        }
    }
    return NULL;
}

/* Begin one; -1 if that fails, or if there is nothing to try: what has no address is no TCP. */
static int start(const info_list_t *devices, const ear_t *ears,
                 const mca_part_ucx_info_pair_t *met, try_t *attempt)
{
    const char *address = address_of(devices, met->local);
    const ear_t *ear = ear_of(ears, met->remote);
    address_t target;
    socklen_t length;
    int fd;

    if (NULL == ear || '\0' == address[0] || PART_UCX_DEVICE_TCP != met->kind) {
        return -1;
    }
    INFO_COPY(attempt->from, met->local);
    INFO_COPY(attempt->from_address, address);
    INFO_COPY(attempt->to, ear->name);
    INFO_COPY(attempt->to_address, ear->address);
    attempt->error = EADDRNOTAVAIL;
    length = make_address(ear->address, ear->port, &target);
    if (0 == length || 0 == ear->port) {
        return -1;
    }
    fd = bound_socket(address);
    if (fd >= 0 && 0 != connect(fd, &target.any, length) && EINPROGRESS != errno) {
        attempt->error = errno;
        close(fd);
        return -1;
    }
    attempt->error = fd < 0 ? errno : ETIMEDOUT;
    return fd;
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

/* All at the same time. */
static void connect_all(const info_list_t *devices, const ear_t *ears,
                        const mca_part_ucx_info_pair_t *met, int count, try_t *tries)
{
    struct pollfd polls[MAX_PATHS];

    for (int i = 0; i < count; ++i) {
        polls[i] = (struct pollfd) {.fd = start(devices, ears, &met[i], &tries[i]),
                                    .events = POLLOUT};
    }
    wait_for(tries, polls, count);
    for (int i = 0; i < count; ++i) {
        if (polls[i].fd >= 0) {
            close(polls[i].fd);
        }
    }
}

/* ---- the outcome ---- */

/* Has one of these failed? */
static bool has_failed(const try_t *tries, int count, const char *from, const char *to)
{
    for (int i = 0; i < count; ++i) {
        if (0 != tries[i].error && 0 == strcmp(from, tries[i].from)
            && 0 == strcmp(to, tries[i].to)) {
            return true;
        }
    }
    return false;
}

/* What has failed in one direction; with `told`, not what has failed in the other one, too. */
static void tell(const try_t *tries, const try_t *back, bool told, char *problem, size_t size)
{
    for (int i = 0; i < MAX_PATHS; ++i) {
        const try_t *attempt = &tries[i];
        bool both = has_failed(back, MAX_PATHS, attempt->to, attempt->from);

        /* A device may have several paths. */
        if (0 == attempt->error || (both && told)
            || has_failed(tries, i, attempt->from, attempt->to)) {
            continue;
        }
        info_append(problem, size, "%s%s (%s) does not reach %s (%s)%s: %s",
                    '\0' == problem[0] ? "" : "; ", attempt->from, attempt->from_address,
                    attempt->to, attempt->to_address, both ? ", nor the other way round" : "",
                    strerror(attempt->error));
    }
}

uint32_t info_probe(const info_job_t *job, int peer, const info_list_t *devices,
                    const mca_part_ucx_info_pair_t *met, int count, char *problem, size_t size)
{
    ear_t ears[MAX_PATHS], their_ears[MAX_PATHS];
    try_t tries[MAX_PATHS], their_tries[MAX_PATHS];
    bool low = job->rank < peer;
    int fds[MAX_PATHS];
    int listening = listen_on_all(devices, ears, fds);
    uint32_t dead = 0;

    memset(tries, 0, sizeof(tries));
    problem[0] = '\0';
    MPI_Sendrecv(ears, (int) sizeof(ears), MPI_BYTE, peer, TAG, their_ears,
                 (int) sizeof(their_ears), MPI_BYTE, peer, TAG, job->world, MPI_STATUS_IGNORE);
    connect_all(devices, their_ears, met, count, tries);
    MPI_Sendrecv(tries, (int) sizeof(tries), MPI_BYTE, peer, TAG, their_tries,
                 (int) sizeof(their_tries), MPI_BYTE, peer, TAG, job->world, MPI_STATUS_IGNORE);
    close_all(fds, listening);
    for (int i = 0; i < count; ++i) {
        if (0 != tries[i].error
            || has_failed(their_tries, MAX_PATHS, met[i].remote, met[i].local)) {
            dead |= UINT32_C(1) << i;
        }
    }
    tell(low ? tries : their_tries, low ? their_tries : tries, false, problem, size);
    tell(low ? their_tries : tries, low ? tries : their_tries, true, problem, size);
    return dead;
}
