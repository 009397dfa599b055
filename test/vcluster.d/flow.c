/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One TCP stream, to measure a link of the virtual cluster without MPI:
 *
 *   flow receive PORT             takes one stream, prints "TIME BYTES" for every tenth of a second
 *                                 since its first byte, and at the end "rate MB/s"
 *   flow send HOST PORT TIME      sends for TIME seconds
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK ((size_t) 256 * 1024)
#define INTERVAL 0.1
#define PATIENCE 5.0 /* seconds for the other side to appear */

static char chunk[CHUNK];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static int fail(const char *what)
{
    fprintf(stderr, "flow: %s: %s\n", what, strerror(errno));
    return EXIT_FAILURE;
}

/* Any address of this host when `host` is NULL. */
static struct sockaddr_in address_of(const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_family = AF_INET,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = NULL == host ? AI_PASSIVE : 0};
    struct sockaddr_in address;
    struct addrinfo *list;

    int rc = getaddrinfo(host, port, &hints, &list);
    if (0 != rc) {
        fprintf(stderr, "flow: %s: %s\n", NULL == host ? port : host, gai_strerror(rc));
        exit(EXIT_FAILURE);
    }
    memcpy(&address, list->ai_addr, sizeof(address));
    freeaddrinfo(list);
    return address;
}

static int receive(const char *port)
{
    struct sockaddr_in address = address_of(NULL, port);
    const struct timeval patience = {.tv_sec = (time_t) PATIENCE};
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    (void) setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    (void) setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (0 != bind(listener, (struct sockaddr *) &address, sizeof(address))
        || 0 != listen(listener, 1)) {
        return fail("listen");
    }
    int stream = accept(listener, NULL, NULL);
    if (0 > stream) {
        return fail("accept");
    }

    double start = 0.0, last = 0.0, next = INTERVAL;
    uint64_t total = 0, reported = 0;
    ssize_t count;
    while (0 < (count = recv(stream, chunk, CHUNK, 0))) {
        last = now();
        if (0 == total) {
            start = last;
        }
        total += (uint64_t) count;
        while (last - start >= next) {
            printf("%.1f %llu\n", next, (unsigned long long) (total - reported));
            reported = total;
            next += INTERVAL;
        }
    }
    if (0 > count) {
        return fail("recv");
    }
    printf("rate %.2f\n", last > start ? 1e-6 * (double) total / (last - start) : 0.0);
    return EXIT_SUCCESS;
}

static int transmit(const char *host, const char *port, double duration)
{
    struct sockaddr_in address = address_of(host, port);
    double start = now();
    int stream;

    for (;;) {
        stream = socket(AF_INET, SOCK_STREAM, 0);
        if (0 == connect(stream, (struct sockaddr *) &address, sizeof(address))) {
            break;
        }
        close(stream);
        if (now() - start > PATIENCE) {
            return fail("connect");
        }
        (void) usleep(20000);
    }
    /* A receiver that has gone away behind an unplugged link must not keep us for ever. */
    (void) alarm((unsigned) (duration + PATIENCE));
    start = now();
    while (now() - start < duration) {
        if (0 > send(stream, chunk, CHUNK, MSG_NOSIGNAL)) {
            return fail("send");
        }
    }
    close(stream);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (3 == argc && 0 == strcmp(argv[1], "receive")) {
        return receive(argv[2]);
    }
    if (5 == argc && 0 == strcmp(argv[1], "send")) {
        return transmit(argv[2], argv[3], atof(argv[4]));
    }
    fprintf(stderr, "usage: flow receive PORT | flow send HOST PORT SECONDS\n");
    return 2;
}
