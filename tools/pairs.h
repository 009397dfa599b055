/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How hosts reach each other: a transfer in each direction between every two hosts, by the first
 * process of each, and between the first two processes of each host.
 */
#ifndef TOOLS_PAIRS_H
#define TOOLS_PAIRS_H

#include "job.h"
#include "list.h"
#include "api/part_ucx_info.h"

#include <stdint.h>

/** What every process knows of all. */
typedef struct info_pairs_t {
    int *wire;      /**< by rank: version of its messages, 0 if it cannot take part */
    int *leader;    /**< by host: rank of its first process */
    uint32_t *dead; /**< by rank: bits of the paths from it over which nothing connects */
    bool *probed;   /**< by rank: that is known */
    int untried;    /**< pairs of hosts for which there was no time; on rank 0 */
} info_pairs_t;

/** Collective. `wire` is this process's. */
void info_pairs_begin(const info_job_t *job, int wire, info_pairs_t *pairs);

/**
 * Try them all. Collective.
 *
 * @param devices  list of info_device_t of this process
 * @param results  list of info_pair_t, for those in which this process receives
 */
void info_pairs_try(const info_job_t *job, const mca_part_ucx_info_t *table, info_pairs_t *pairs,
                    const info_list_t *devices, info_list_t *results);

/** Do this process and another one speak the same messages? */
bool info_pairs_can(const info_job_t *job, const info_pairs_t *pairs, int peer);

/**
 * How paths meet, and which are dead, before anything is moved. Both processes call it, if they
 * can communicate.
 *
 * @param problem  set if that was not known: what is dead, empty if nothing is
 */
void info_pairs_probe(const info_job_t *job, const mca_part_ucx_info_t *table, info_pairs_t *pairs,
                      int peer, const info_list_t *devices, char *problem, size_t size);

void info_pairs_free(info_pairs_t *pairs);

#endif /* TOOLS_PAIRS_H */
