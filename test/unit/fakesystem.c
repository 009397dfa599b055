/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the system says of cables that are made up (see fakecables.h): the time, whether sockets
 * hang, whether there is a carrier, whether the other host answers.
 */
#include "fakecables.h"

#include "path/part_ucx_failover_carrier.h"
#include "path/part_ucx_failover_knock.h"
#include "path/part_ucx_paths.h"
#include "path/part_ucx_failover_sockets.h"

#include <fcntl.h>
#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (CLOCK_MONOTONIC_COARSE != clock) {
        return __real_clock_gettime(clock, now);
    }
    now->tv_sec = (time_t) cables.seconds;
    now->tv_nsec = (long) (1e9 * (cables.seconds - (double) now->tv_sec));
    return 0;
}

/* Which path has this address: twins.c gives them. */
static unsigned path_at(const mca_part_ucx_subnet_t *subnet)
{
    return subnet->address[0];
}

bool __wrap_mca_part_ucx_failover_sockets_hang(int events, const mca_part_ucx_subnet_t *ours,
                                               const mca_part_ucx_subnet_t *theirs);
bool __wrap_mca_part_ucx_failover_sockets_hang(int events, const mca_part_ucx_subnet_t *ours,
                                               const mca_part_ucx_subnet_t *theirs)
{
    (void) events, (void) theirs;
    return cables_hang(path_at(ours));
}

void __wrap_mca_part_ucx_failover_sockets_end(int events, const mca_part_ucx_subnet_t *ours,
                                              const mca_part_ucx_subnet_t *theirs);
void __wrap_mca_part_ucx_failover_sockets_end(int events, const mca_part_ucx_subnet_t *ours,
                                              const mca_part_ucx_subnet_t *theirs)
{
    (void) events, (void) ours, (void) theirs;
}

/* The name is that of the path itself. */
bool __wrap_mca_part_ucx_failover_carrier_is_lost(const char *name);
bool __wrap_mca_part_ucx_failover_carrier_is_lost(const char *name)
{
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        if (name == mca_part_ucx_paths.path[i].device.name) {
            return cables_dark((unsigned) i);
        }
    }
    return false;
}

/* By descriptor, the path that has asked. */
static unsigned char asker[1024];

int __wrap_mca_part_ucx_failover_knock(const mca_part_ucx_subnet_t *ours,
                                       const mca_part_ucx_subnet_t *theirs);
int __wrap_mca_part_ucx_failover_knock(const mca_part_ucx_subnet_t *ours,
                                       const mca_part_ucx_subnet_t *theirs)
{
    int knock = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void) theirs;
    if (knock >= 0 && knock < (int) sizeof(asker)) {
        asker[knock] = (unsigned char) path_at(ours);
    }
    return knock;
}

mca_part_ucx_failover_knock_t __wrap_mca_part_ucx_failover_knock_answer(int knock);
mca_part_ucx_failover_knock_t __wrap_mca_part_ucx_failover_knock_answer(int knock)
{
    return cables_whole(asker[knock]) ? PART_UCX_FAILOVER_KNOCK_THERE
                                      : PART_UCX_FAILOVER_KNOCK_SILENT;
}
