/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Variables that each thread has of its own. The component is loaded by dlopen(), so a plain
 * _Thread_local costs a call for each use. What is at a fixed place instead must fit into what the
 * C library keeps free for that: glibc does (here about 100 bytes), musl refuses it.
 */
#ifndef PART_UCX_THREAD_LOCAL_H
#define PART_UCX_THREAD_LOCAL_H

#include <limits.h> /* __GLIBC__ */

#ifdef __GLIBC__
#    define PART_UCX_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#    define PART_UCX_THREAD_LOCAL _Thread_local
#endif

#endif /* PART_UCX_THREAD_LOCAL_H */
