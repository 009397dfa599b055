/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What there is once in a process (see part_ucx_process.h).
 */
#include "process/part_ucx_process.h"

#include "base/part_ucx_lock.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_params.h"

#include "ompi_config.h"
#include "opal/mca/threads/mutex.h"
#include "opal/runtime/opal_progress.h"

mca_part_ucx_process_t mca_part_ucx_process = {.setup_lock = PTHREAD_MUTEX_INITIALIZER};
mca_part_ucx_params_t mca_part_ucx_params = {.devices = "", .transports = ""};
int mca_part_ucx_output = -1;

void mca_part_ucx_process_progress(void)
{
    static mca_part_ucx_lock_t gate;

    if (opal_using_threads()) {
        opal_progress();
    } else if (mca_part_ucx_lock_try(&gate)) {
        opal_progress();
        mca_part_ucx_lock_release(&gate);
    }
}
