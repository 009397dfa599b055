/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What there is once in a process (see part_ucx_process.h).
 */
#include "process/part_ucx_process.h"

#include "process/part_ucx_log.h"
#include "process/part_ucx_params.h"

mca_part_ucx_process_t mca_part_ucx_process = {.setup_lock = PTHREAD_MUTEX_INITIALIZER};
mca_part_ucx_params_t mca_part_ucx_params = {.devices = "", .transports = ""};
int mca_part_ucx_output = -1;
