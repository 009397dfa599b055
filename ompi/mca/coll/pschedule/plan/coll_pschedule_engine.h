/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Running a plan. Any number of threads may call in at the same time; the engine has no lock and
 * allocates nothing after it is made.
 *
 * Every node counts down the nodes it waits for; whoever counts to zero runs it, so a node runs
 * once per epoch, and its counter is set back for the next one before anything else can reach it.
 * A thread that runs nodes keeps those that became runnable in a list of its own (linked through
 * `next`), so there is no recursion, however long the chains of the plan are.
 *
 * Reductions and copies are handed to the backend. What takes time it does later, from a thread
 * that holds no lock, and then calls mca_coll_pschedule_engine_worked().
 * What is cheap (sends, results, work on a few bytes) is done at once, also under the lock of a
 * network path.
 */
#ifndef COLL_PSCHEDULE_ENGINE_H
#define COLL_PSCHEDULE_ENGINE_H

#include "plan/coll_pschedule_plan.h"

#include <stdatomic.h>

/** What an engine needs; all are called with the backend's `context`. */
typedef struct mca_coll_pschedule_backend_t {
    /** A transfer may leave. True: its source is free again already. False: then
     * mca_coll_pschedule_engine_moved() is called. Called also under the lock of a path: must only
     * queue, or copy a few bytes. */
    bool (*send)(void *context, uint32_t transfer);
    /** Do a reduction or a copy. True: it is done, which is allowed only if `at_once`. False: it
     * will be, and then mca_coll_pschedule_engine_worked(node) is called, soon, from a thread
     * without locks. */
    bool (*defer)(void *context, uint32_t node, bool at_once);
    /** Partitions of the contribution that are ready are deferred, too: they are brought to where
     * the plan reads them. */
    bool loads;
    /** Likewise those of the result: they are brought to the user's buffer, and are there then. */
    bool stores;
    /** A partition of the result is there. May be called under the lock of a path. */
    void (*result)(void *context, uint32_t partition);
    /** All nodes of the plan are done; the last call of an epoch. Maybe under a path's lock. */
    void (*done)(void *context);
} mca_coll_pschedule_backend_t;

/** The changing part of a running plan. */
typedef struct mca_coll_pschedule_engine_t {
    const mca_coll_pschedule_plan_t *plan;
    const mca_coll_pschedule_backend_t *backend;
    void *context;
    atomic_uint *missing; /**< per node: nodes that must be done before it runs */
    uint32_t *next;       /**< per node: the next in the list of the thread that runs it */
    atomic_uint leaves;   /**< nodes without successors that are not done in this epoch */
} mca_coll_pschedule_engine_t;

/** Make an engine for a frozen plan; false when there is no memory. */
bool mca_coll_pschedule_engine_init(mca_coll_pschedule_engine_t *engine,
                                    const mca_coll_pschedule_plan_t *plan,
                                    const mca_coll_pschedule_backend_t *backend, void *context);

void mca_coll_pschedule_engine_fini(mca_coll_pschedule_engine_t *engine);

/** Prepare the next epoch; the last one is done. After this, events may come. */
void mca_coll_pschedule_engine_arm(mca_coll_pschedule_engine_t *engine);

/** MPI_Start: run what depends on nothing. */
void mca_coll_pschedule_engine_start(mca_coll_pschedule_engine_t *engine);

/** A partition of the contribution is ready. Once per partition and epoch. */
void mca_coll_pschedule_engine_ready(mca_coll_pschedule_engine_t *engine, uint32_t partition);

/** A transfer has arrived, or its source is free again. Maybe under the lock of a path. */
void mca_coll_pschedule_engine_moved(mca_coll_pschedule_engine_t *engine, uint32_t transfer);

/** A node is done: one that the backend was asked to do, without locks; or by one of the two events
 * above. Go on: the epoch may end with it. */
void mca_coll_pschedule_engine_worked(mca_coll_pschedule_engine_t *engine, uint32_t node);

#endif /* COLL_PSCHEDULE_ENGINE_H */
