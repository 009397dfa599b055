/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How fast each path is: every host sends to the next one and receives from the one before, over
 * one path after the other and then over all; on a single host, the first process to the second.
 */
#ifndef TOOLS_BANDWIDTH_H
#define TOOLS_BANDWIDTH_H

#include "pairs.h"

/**
 * Measure. Collective.
 *
 * @param devices  list of info_device_t of this process
 * @param seconds  for all of it; each path over which nothing arrives takes some seconds more
 * @param rates    list of info_rate_t, for those in which this process receives
 */
void info_bandwidth_measure(const info_job_t *job, const mca_part_ucx_info_t *table,
                            info_pairs_t *pairs, const info_list_t *devices, double seconds,
                            info_list_t *rates);

#endif /* TOOLS_BANDWIDTH_H */
