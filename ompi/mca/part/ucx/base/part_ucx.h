/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component and what is global to a process. Start reading at README.md in this folder.
 */
#ifndef PART_UCX_H
#define PART_UCX_H

#include "ompi_config.h"

#include "path/part_ucx_async.h"
#include "base/part_ucx_log.h"
#include "wireup/part_ucx_match.h"
#include "path/part_ucx_path.h"
#include "path/part_ucx_peer.h"
#include "base/part_ucx_table.h"
#include "api/part_ucx_task.h"

#include <pthread.h>

#include "ompi/mca/part/part.h"

/** How a unit is delivered; see docs/protocol.md for the ordering argument of each. */
typedef enum mca_part_ucx_method_t {
    PART_UCX_METHOD_AUTO,
    PART_UCX_METHOD_MESSAGE, /**< one active message with data and header */
    PART_UCX_METHOD_FLUSH,   /**< put, flush, then flag put */
    PART_UCX_METHOD_CHAINED  /**< flag put as soon as the put completed locally */
} mca_part_ucx_method_t;

typedef enum mca_part_ucx_async_mode_t {
    PART_UCX_ASYNC_AUTO, /**< as ON: every network known needs it */
    PART_UCX_ASYNC_ON,
    PART_UCX_ASYNC_OFF
} mca_part_ucx_async_mode_t;

/** Who copies large units between processes of one host. */
typedef enum mca_part_ucx_copy_t {
    PART_UCX_COPY_BOTH,     /**< they take turns */
    PART_UCX_COPY_RECEIVER, /**< fetches: UCX's rendezvous */
    PART_UCX_COPY_SENDER    /**< places */
} mca_part_ucx_copy_t;

/** The MCA variables; sizes in bytes. See part_ucx_params.c for their meaning. */
typedef struct mca_part_ucx_params_t {
    int priority;
    int verbose;
    char *devices;
    char *transports;
    int paths;
    int paths_per_device;
    int method;
    int async;
    int shared_copy;
    int zero_partitions;
    size_t message_limit;
    size_t unit_min;
    size_t unit_max;
    size_t stripe_min;
    size_t shared_unit_min;
    size_t shared_unit_max;
    size_t eager_limit;
    size_t shared_eager_limit;
    size_t window;
    size_t tcp_send_buffer;
    size_t staging_limit;
    int hold;
    int stall;
} mca_part_ucx_params_t;

/** Everything global. */
typedef struct mca_part_ucx_t {
    mca_part_ucx_params_t params;     /**< constant after registration */

    /** Protects set-up: matching, peers, listeners, registrations, creation of paths. */
    pthread_mutex_t setup_lock;
    bool paths_ready;                 /**< paths have been created (or failed to) */
    int paths_rc;                     /**< the outcome */
    mca_part_ucx_match_t match;
    mca_part_ucx_table_t table;       /**< channel key -> request */
    mca_part_ucx_peer_t *peers;

    uint32_t only_pair;               /**< 0: a receive uses all pairs of paths; n: the n-th only */

    int path_count;                   /**< constant once paths_ready */
    int network_paths;                /**< the first so many are network paths */
    mca_part_ucx_path_t *shared_path; /**< the path of shared memory, or NULL */
    mca_part_ucx_path_t *paths;

    atomic_bool progressing;          /**< paths are there: progress may look at them */
    atomic_int active;                /**< requests started and not complete */
    atomic_size_t staging;            /**< bytes of staging memory in use by operations */
    atomic_int unmatched;             /**< requests whose link is OPEN */
    atomic_bool watch_soon;           /**< a request gives up: its end, and the other end's, wait
                                       * for the next look (part_ucx_watch.h) */
    atomic_uint app_progress;         /**< advances when an application thread progresses */
    mca_part_ucx_queue_t done;        /**< final tasks: completions by an application thread */
    mca_part_ucx_tasks_t tasks;       /**< deferred tasks, for any thread that makes progress */
    mca_part_ucx_tasks_t app_tasks;   /**< the same, but only for threads of the application */
    bool closing;                     /**< MPI is ending, or has ended */
} mca_part_ucx_t;

extern mca_part_ucx_t mca_part_ucx;
extern mca_part_base_module_t mca_part_ucx_module;
struct mca_part_ucx_component_t;
OMPI_DECLSPEC extern struct mca_part_ucx_component_t mca_part_ucx_component;

/** Register all MCA variables, and check what the user set. Returns an Open MPI code. */
int mca_part_ucx_params_register(const mca_base_component_t *component);
int mca_part_ucx_params_check(void);

/** Register the MPI_T counters. */
void mca_part_ucx_counters_register(const mca_base_component_t *component);

/** Print one line per path, when part_ucx_verbose is 1 or more. */
void mca_part_ucx_counters_summary(void);

/**
 * Is this Open MPI, and the UCX in this process, what the component was built for? If not, one
 * message says what differs.
 */
bool mca_part_ucx_abi_matches(void);

/** Open MPI's progress callback: paths, set-up messages, completions. */
int mca_part_ucx_progress(void);

/** Prepare for the first request: paths, progress callback, hooks of the end. Under setup_lock. */
int mca_part_ucx_prepare_first(void);

/** Release everything; after MPI_Finalize. */
void mca_part_ucx_teardown(void);

#endif /* PART_UCX_H */
