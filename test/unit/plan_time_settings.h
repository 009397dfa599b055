/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What plan_time is told: NAME=VALUE for everything that is a number.
 */
#ifndef MPIX_UNIT_PLAN_TIME_SETTINGS_H
#define MPIX_UNIT_PLAN_TIME_SETTINGS_H

#include "algorithms/coll_pschedule_select.h"
#include "timing.h"

/** Rates in MB/s, times in microseconds. */
typedef struct plan_settings_t {
    double hosts, per_host, round_robin, blind, partitions, chunk, most_memory;
    double paths, rate, latency, local_latency, overhead, handle, copy, reduce, memory, wake;
    double header, burst, window, bundle, cores, one_machine, ready, rounds;
} plan_settings_t;

/** As of the machine that is named; false when there is none of that name. */
bool plan_settings_machine(plan_settings_t *settings, const char *name);

/** Take one NAME=VALUE; false when it is none. */
bool plan_settings_take(plan_settings_t *settings, const char *word);

/** Say what may be set, with the values that it has. */
void plan_settings_print(const plan_settings_t *settings);

/** The machine of the simulation. */
timing_machine_t plan_settings_timing(const plan_settings_t *settings);

/** The same machine for the choice of an algorithm. */
mca_coll_pschedule_rates_t plan_settings_rates(const plan_settings_t *settings);

#endif /* MPIX_UNIT_PLAN_TIME_SETTINGS_H */
