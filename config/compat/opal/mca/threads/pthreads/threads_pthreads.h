/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in for the yield declarations of Open MPI's pthreads component (see
 * threads_pthreads_mutex.h here): the library exports one pointer to the function to call.
 */

#ifndef MPIX_COMPAT_THREADS_PTHREADS_H
#define MPIX_COMPAT_THREADS_PTHREADS_H

#include "opal_config.h"

typedef void(opal_threads_pthreads_yield_fn_t)(void);

OPAL_DECLSPEC extern opal_threads_pthreads_yield_fn_t *opal_threads_pthreads_yield_fn;

#endif /* MPIX_COMPAT_THREADS_PTHREADS_H */
