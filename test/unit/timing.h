/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a collective takes, without a machine: the frozen plans of all ranks run on the real
 * engine in a world of made-up time, in the style of LogGP.
 *
 *   a process    does one thing at a time: sends or accepts a message, copies, reduces
 *   a host       has some paths, each with a rate in either direction, which its processes share,
 *                and a memory that all copying within it shares
 *   a processor  belongs to one process, or processes take turns on some of them
 *
 * A transfer that may leave takes the path on which its process has least to do, as in part/ucx.
 * What a process has for a path leaves in that order; the processes of a host take turns. Bytes
 * begin to arrive one latency after they begin to leave. Several hosts that send to one wait for
 * its paths in the order in which their bytes come.
 *
 * Not there: lost packets, congestion windows, links between switches, collectives beside each
 * other, the noise of a machine.
 */
#ifndef MPIX_UNIT_TIMING_H
#define MPIX_UNIT_TIMING_H

#include "plan/coll_pschedule_hosts.h"
#include "plan/coll_pschedule_plan.h"

/** Time in picoseconds: a byte at 1 MB/s takes a million, one at 1 TB/s one. */
typedef uint64_t timing_t;

/** The machine. Times are per message, or per byte where they say so. */
typedef struct timing_machine_t {
    uint32_t paths;         /**< of each host */
    timing_t wire;          /**< a byte on a path */
    timing_t latency;       /**< until the first byte of a message arrives at another host */
    timing_t local_latency; /**< the same within a host */
    timing_t overhead;      /**< of a process for a message, on either side */
    timing_t handle;        /**< of a process for a byte of the network, on either side */
    timing_t copy;          /**< of a process for a byte that it copies within its host */
    timing_t reduce;        /**< and for one that it reduces */
    timing_t memory;        /**< of the memory of a host for a byte copied or reduced */
    timing_t wake;          /**< of a process that had nothing to do, before it does something */
    uint64_t header;        /**< bytes on a path that a message has beside its own */
    uint64_t burst;         /**< bytes that a path lets pass at once after a pause */
    uint64_t window;        /**< bytes that a process has under way on a path; 0: any number */
    uint64_t bundle;        /**< small transfers of a link leave together up to so many bytes */
    uint32_t cores;         /**< of a host, for all its processes; 0: one for each */
    bool one_machine;       /**< the cores are of all hosts together, as of virtual ones */
    bool ready;             /**< a receiver says on each link that it has started */
    uint32_t rounds;        /**< epochs, each begun when the rank has done the last; 0 is 1; more
                             * need `ready` */
} timing_machine_t;

/** What came out. */
typedef struct timing_result_t {
    timing_t end;             /**< when the last rank has done its last epoch */
    timing_t busy;            /**< of the process that was busy longest */
    uint64_t network;         /**< messages between hosts, those that say "started" too */
    uint64_t local;           /**< messages within hosts, likewise */
    uint64_t host_bytes;      /**< that the busiest host sends, or receives, without headers */
} timing_result_t;

/**
 * Run: every rank starts, and marks all its partitions, at time 0, and again whenever it has done
 * an epoch. So epochs overlap where some ranks are done before others.
 *
 * @param plan   of all ranks, frozen
 * @param[out] fault  what is wrong, when it returns false: a constant string
 */
bool timing_run(const timing_machine_t *machine, const mca_coll_pschedule_hosts_t *hosts,
                mca_coll_pschedule_plan_t *const *plan, uint32_t ranks, timing_result_t *result,
                const char **fault);

#endif /* MPIX_UNIT_TIMING_H */
