/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What has been found out about the job, together on rank 0; and how it is printed.
 */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <stdio.h>

#include "list.h"

/** A finding, and whose it is. */
typedef struct info_told_t {
    info_finding_t finding;
    char where[INFO_LINE]; /**< names of hosts; empty: all, or the job as a whole */
    int processes;         /**< how many have it */
} info_told_t;

typedef struct info_report_t {
    info_process_t *process;         /**< by rank */
    int processes;
    int hosts;
    const info_device_t **devices;   /**< by rank, the first of process[rank].devices */
    const info_finding_t **findings; /**< likewise */
    info_list_t pairs;               /**< of info_pair_t */
    info_list_t rates;               /**< of info_rate_t */
    info_list_t told;                /**< of info_told_t; in the end all that there is to say */
    int untried;                     /**< pairs of hosts that were not tried */
    bool measured;                   /**< a bandwidth check was asked for */
} info_report_t;

/** Put together what processes have found, and what shows only when they are compared. */
void info_report_judge(info_report_t *report);

/** Does anything need attention? */
bool info_report_attention(const info_report_t *report);

void info_report_text(const info_report_t *report, FILE *out);
void info_report_json(const info_report_t *report, FILE *out);

/** Name of the host of a rank. */
const char *info_report_host(const info_report_t *report, int rank);

/** Add a finding of the job as a whole. */
info_finding_t *info_report_tell(info_report_t *report, info_severity_t severity,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));

/** The rates of paths that are too slow for the others (judge_rates.c). */
void info_report_judge_rates(info_report_t *report);

#endif /* TOOLS_REPORT_H */
