/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages in costs: what rows of a collective that differ in them say.
 */
#ifndef COLL_PSCHEDULE_MESSAGES_H
#define COLL_PSCHEDULE_MESSAGES_H

#include "plan/coll_pschedule_hosts.h"
#include "plan/coll_pschedule_problem.h"

/** Messages of a rank that is alone on its host, where rows differ in them: contributions go on
 * together. */
static inline uint64_t mca_coll_pschedule_lone_messages(const mca_coll_pschedule_problem_t *problem,
                                                        uint64_t each)
{
    return !mca_coll_pschedule_hosts_nested(problem->hosts)
                   && mca_coll_pschedule_goes_together(problem)
               ? each
               : 0;
}

/**
 * Of a gather or scatter the root has to do with all messages between its host and others: so many
 * of those that the ranks of a host share do not take as long. Measured on shared processors, 64
 * bytes: a linear scatter with 6, 12 and 28 messages takes 1.7, 4.4 and 4.8 times as long as one by
 * hosts; a gather 1, 2 and 2.5 times.
 */
#define COLL_PSCHEDULE_SCATTER_MESSAGE 4u
#define COLL_PSCHEDULE_GATHER_MESSAGE  2u

/** Messages between the root's host and others where each rank elsewhere has its own. */
static inline uint64_t mca_coll_pschedule_root_messages(const mca_coll_pschedule_problem_t *problem)
{
    return mca_coll_pschedule_hosts_nested(problem->hosts)
               ? mca_coll_pschedule_hosts_elsewhere(problem->hosts, problem->root)
               : 0;
}

/**
 * Messages of a small reduce_scatter: of a rank that is alone on its host, or of all ranks of a
 * host to others, of which each counts for four, as it brings a reduction. Measured on shared
 * processors, 64 to 4096 bytes a block: 8 hosts, 3 messages of each rank take 0.5 to 0.65 (at 4 KiB
 * 0.9) of the time of 7; 4 hosts with 2 and 4 ranks, 6 and 12 messages of each host take 0.6 and
 * 0.4 of the time of 12 and 48.
 */
#define COLL_PSCHEDULE_REDUCE_SCATTER_SMALL   32768u
#define COLL_PSCHEDULE_REDUCE_SCATTER_MESSAGE 4u

static inline uint64_t
mca_coll_pschedule_reduce_scatter_messages(const mca_coll_pschedule_problem_t *problem,
                                           uint64_t of_rank, uint64_t of_host)
{
    if (problem->common_bytes > COLL_PSCHEDULE_REDUCE_SCATTER_SMALL) {
        return 0;
    }
    return mca_coll_pschedule_hosts_nested(problem->hosts)
               ? COLL_PSCHEDULE_REDUCE_SCATTER_MESSAGE * of_host
               : of_rank;
}

/** What leaves in one message, as a rule: part_ucx_unit_min. */
#define COLL_PSCHEDULE_MESSAGE_BYTES 16384u

/** Messages of a vector that goes to a rank as a whole. */
static inline uint64_t mca_coll_pschedule_vector_messages(uint64_t bytes)
{
    return bytes / COLL_PSCHEDULE_MESSAGE_BYTES + (0 != bytes % COLL_PSCHEDULE_MESSAGE_BYTES);
}

/**
 * Messages of an allreduce: of a rank that is alone on its host those that others wait for, beyond
 * one for each round; or of a host to others, where so many of its ranks send: what more than four
 * of them send does not take longer.
 *
 * Measured on shared processors: with 8 hosts, recursive doubling takes 1.3 to 1.6 times as long as
 * halving for 32 KiB, at 100 Mbit/s to 10 Gbit/s a path, and 0.7 times (100 Mbit/s: 1.7 times) for
 * 16 KiB; with 4 hosts of 4 ranks on 2 processors, halving takes 1.2 to 2.3 times as long as by
 * hosts for 32 KiB, and 0.7 to 0.9 times as long as lanes for 128 KiB.
 */
static inline uint64_t
mca_coll_pschedule_allreduce_messages(const mca_coll_pschedule_problem_t *problem, uint64_t lone,
                                      uint64_t each, uint32_t senders)
{
    return mca_coll_pschedule_hosts_nested(problem->hosts) ? each * (senders < 4 ? senders : 4)
                                                           : lone;
}

#endif /* COLL_PSCHEDULE_MESSAGES_H */
