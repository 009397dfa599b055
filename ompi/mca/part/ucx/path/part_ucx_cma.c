/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Cross memory attach (see part_ucx_cma.h).
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif

#include "path/part_ucx_cma.h"

#include "base/part_ucx_clock.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* What a peer reads to know that it has found this process and no other of the same id. */
static uint64_t token;

/* Of this process: asking for it is a system call. */
static int32_t process_id;

static uint64_t make_token(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec)
           ^ (uint64_t) getpid() << 40 ^ (uint64_t) (uintptr_t) &now;
}

void mca_part_ucx_cma_describe(mca_part_ucx_wire_peer_t *self)
{
    if (0 == token) {
        token = make_token();
    }
    if (process_id != (int32_t) getpid()) { /* others may be reading it */
        process_id = (int32_t) getpid();
    }
    self->process = (uint32_t) process_id;
    self->token_at = (uint64_t) (uintptr_t) &token;
    self->token = token;
}

bool mca_part_ucx_cma_read(int32_t process, uint64_t source, void *target, uint64_t length)
{
    struct iovec here = {target, length};
    struct iovec there = {(void *) (uintptr_t) source, length};

    return (ssize_t) length == process_vm_readv((pid_t) process, &here, 1, &there, 1, 0);
}

int32_t mca_part_ucx_cma_reach(const mca_part_ucx_wire_peer_t *peer)
{
    uint64_t found = 0;
    int32_t process = (int32_t) peer->process;
    bool read = mca_part_ucx_cma_read(process, peer->token_at, &found, sizeof(found));

    return read && found == peer->token ? process : 0;
}

bool mca_part_ucx_cma_write(int32_t process, uint64_t target, const void *source, uint64_t length)
{
    if (process == process_id) {
        memcpy((void *) (uintptr_t) target, source, length);
        return true;
    }
    while (0 != length) {
        struct iovec here = {(void *) (uintptr_t) source, length};
        struct iovec there = {(void *) (uintptr_t) target, length};
        ssize_t written = process_vm_writev((pid_t) process, &here, 1, &there, 1, 0);

        if (written <= 0) {
            if (-1 == written && EINTR == errno) {
                continue;
            }
            return false;
        }
        /* The system writes 2 GiB at a time, and ends early at memory that is not there. */
        source = (const char *) source + written;
        target += (uint64_t) written;
        length -= (uint64_t) written;
    }
    return true;
}

/* Pages for which it has just been asked: the call takes as long as all else for a channel. No page
 * is smaller; what lies beside one may be of another kind. So may what comes to the same address
 * later: nothing is known for long. */
#define ASKED_SHIFT 12
#define ASKED_PLACES 4096u
#define KNOWN_NS UINT64_C(10000000)

static uint64_t known[ASKED_PLACES]; /* a page's number, and 1 */
static uint64_t known_since;         /* clock, nanoseconds */

static bool is_known(uint64_t page)
{
    return page + 1 == known[page % ASKED_PLACES];
}

static void forget_old(void)
{
    uint64_t now = mca_part_ucx_clock_ns();

    if (now - known_since > KNOWN_NS) {
        memset(known, 0, sizeof(known));
        known_since = now;
    }
}

bool mca_part_ucx_cma_can_be_read(const void *address, uint64_t length)
{
    uint64_t first = (uint64_t) (uintptr_t) address;
    uint64_t last = first + (0 == length ? 0 : length - 1);
    uint64_t first_page = first >> ASKED_SHIFT, last_page = last >> ASKED_SHIFT;
    char ends[2];
    struct iovec here = {ends, sizeof(ends)};
    struct iovec there[2] = {{(void *) (uintptr_t) first, 1}, {(void *) (uintptr_t) last, 1}};
    ssize_t got;

    forget_old();
    if (0 == length || (is_known(first_page) && is_known(last_page))) {
        return true;
    }
    got = process_vm_readv(getpid(), &here, 1, there, 2, 0);
    if ((ssize_t) sizeof(ends) != got) {
        return -1 == got && EFAULT != errno;
    }
    known[first_page % ASKED_PLACES] = first_page + 1;
    known[last_page % ASKED_PLACES] = last_page + 1;
    return true;
}
