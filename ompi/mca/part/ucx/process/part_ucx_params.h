/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user has set: the values of the MCA variables. They are registered, and checked, in
 * mpi/part_ucx_variables.c, which says what each means; from then on they are constant.
 */
#ifndef PART_UCX_PARAMS_H
#define PART_UCX_PARAMS_H

#include <stddef.h>

/** How a channel's units are delivered; docs/protocol.md has the ordering argument of each. */
typedef enum mca_part_ucx_method_t {
    PART_UCX_METHOD_AUTO,
    PART_UCX_METHOD_MESSAGE, /**< messages: with the data, or about data that are in place */
    PART_UCX_METHOD_FLUSH,   /**< put, flush, then flag put */
    PART_UCX_METHOD_CHAINED  /**< flag put as soon as the put completed locally */
} mca_part_ucx_method_t;

typedef enum mca_part_ucx_async_mode_t {
    PART_UCX_ASYNC_AUTO, /**< knows whether threads are inside MPI (path/part_ucx_app_activity.h) */
    PART_UCX_ASYNC_ON,
    PART_UCX_ASYNC_OFF
} mca_part_ucx_async_mode_t;

/** Which side copies large units between processes of one host. */
typedef enum mca_part_ucx_copy_t {
    PART_UCX_COPY_BOTH,     /**< they take turns */
    PART_UCX_COPY_RECEIVER, /**< fetches: UCX's rendezvous */
    PART_UCX_COPY_SENDER    /**< places */
} mca_part_ucx_copy_t;

/** Whether a message is cut in another way than both ends have agreed (channel/part_ucx_regroup.h).
 */
typedef enum mca_part_ucx_regroup_mode_t {
    PART_UCX_REGROUP_AUTO, /**< where that is found to be faster */
    PART_UCX_REGROUP_ON,
    PART_UCX_REGROUP_OFF
} mca_part_ucx_regroup_mode_t;

/** Sizes in bytes. */
typedef struct mca_part_ucx_params_t {
    int priority;
    int verbose;
    char *devices;
    char *transports;
    int paths;
    int paths_per_device;
    int method;      /**< mca_part_ucx_method_t */
    int async;       /**< mca_part_ucx_async_mode_t */
    int shared_copy; /**< mca_part_ucx_copy_t */
    int spread;      /**< mca_part_ucx_regroup_mode_t: into more and smaller units */
    int join;        /**< likewise: into fewer and larger ones */
    int failover;    /**< 0 or 1 */
    int path_timeout; /**< seconds */
    int zero_partitions;
    size_t message_limit;
    size_t unit_min;
    size_t unit_max;
    size_t stripe_min;
    size_t shared_unit_min;
    size_t shared_unit_max;
    size_t eager_limit;
    size_t shared_eager_limit;
    size_t credit;
    size_t window;
    size_t tcp_send_buffer;
    size_t staging_limit;
    int hold;  /**< microseconds */
    int stall; /**< seconds */
} mca_part_ucx_params_t;

extern mca_part_ucx_params_t mca_part_ucx_params;

#endif /* PART_UCX_PARAMS_H */
