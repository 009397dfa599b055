/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The network devices of this host: those that the component has found, with its reasons; those
 * that the kernel has beside them, and why UCX does not offer them.
 */
#ifndef TOOLS_INTERFACES_H
#define TOOLS_INTERFACES_H

#include "list.h"
#include "api/part_ucx_info.h"

/**
 * List them.
 *
 * @param table    of the component; NULL if it cannot be asked
 * @param devices  list of info_device_t
 */
void info_interfaces_list(const mca_part_ucx_info_t *table, info_process_t *process,
                          info_list_t *devices);

/** What is wrong with them. */
void info_interfaces_judge(const info_process_t *process, const info_list_t *devices,
                           info_list_t *findings);

#endif /* TOOLS_INTERFACES_H */
