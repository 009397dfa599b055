/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives without a network: builds the plans of all ranks of a problem with one row of the
 * table and runs them with the engine in this process. What happens next is drawn at random from
 * all that may happen: a partition is marked, a transfer lands, arrives or gives its source free,
 * an operation begins or ends, a rank starts its next epoch.
 *
 * Faults that it finds, whatever the order: plans that do not fit together, results that are wrong
 * when RESULT fires or change afterwards, contributions that are read before they are marked or
 * overwritten before, a source that changes while it is sent, a landing zone or the operands of an
 * operation that change under it, bytes outside of blocks, results that are due but do not come,
 * plans that do not end.
 *
 * One run is described by one line, which is printed when it fails; MPIX_SIM='that line' runs
 * it alone (unit/test_algorithms), MPIX_SIM_ONLY=allreduce/ring only rows whose name contains that.
 */
#ifndef MPIX_UNIT_SIMULATOR_H
#define MPIX_UNIT_SIMULATOR_H

#include "algorithms/coll_pschedule_algorithms.h"
#include "plan/coll_pschedule_engine.h"
#include "plan/coll_pschedule_freeze.h"
#include "simhosts.h"
#include "unit.h"

#include <pthread.h>

/** What is run. Sizes and the shape of graphs follow from `seed` where `uneven` says so. */
typedef struct sim_params_t {
    const mca_coll_pschedule_algorithm_t *row;
    mca_coll_pschedule_collective_t collective;
    uint32_t ranks;
    uint32_t partitions; /**< of a block, at most */
    uint32_t count;      /**< elements in a partition (or bytes, times something), at most */
    uint32_t element;    /**< bytes of an element of a reduction: a multiple of 8 */
    uint32_t root;
    uint32_t hosts;     /**< that the ranks are on; 0: each on one of its own */
    uint32_t placement; /**< sim_placement_t */
    uint32_t chunk;
    uint32_t epochs;
    uint32_t threads;  /**< that make the world go on: 1, or more */
    uint32_t in_place; /**< these are flags, 0 or 1 */
    uint32_t mixed;    /**< with in_place, where each rank may choose: on some ranks only */
    uint32_t ordered;  /**< operator: composition of affine maps, which does not commute */
    uint32_t exact;    /**< operator: a hash; shows whether operations have always the same order */
    uint32_t uneven;   /**< partitions differ, and where the collective allows it bytes; gaps */
    uint32_t staging;  /**< contributions are loaded and results stored by the backend */
    uint32_t strict;   /**< mark only what one result partition needs; see that it comes; again */
    uint32_t whole;    /**< contributions may wait for each other; not with strict */
    uint64_t seed;
} sim_params_t;
enum { SIM_GUARD = 64, SIM_LINE = 400 };

/** Do the ranks, all on one host, share memory? Only where the row needs it. */
bool sim_shares(const sim_params_t *params);

/** Where the content of a receive block comes from. */
typedef struct sim_origin_t {
    int32_t rank; /**< COLL_PSCHEDULE_NOBODY: from nowhere */
    uint32_t block;
} sim_origin_t;

typedef struct sim_world_t sim_world_t;

/** One rank. */
typedef struct sim_rank_t {
    sim_world_t *world;
    mca_coll_pschedule_problem_t problem;
    mca_coll_pschedule_block_t *send;
    mca_coll_pschedule_block_t *recv;
    mca_coll_pschedule_cut_t *contribution;
    mca_coll_pschedule_edge_t *source;
    mca_coll_pschedule_edge_t *destination;
    sim_origin_t *origin; /**< per receive block */
    mca_coll_pschedule_plan_t *plan;
    mca_coll_pschedule_engine_t engine;
    uint64_t size[3]; /**< of SEND, RECV, SCRATCH */
    unsigned char *space[3];
    uint32_t *partner;      /**< per transfer: its number at the other end */
    unsigned char *image;   /**< what RECV shall hold at the end of the epoch */
    unsigned char *settled; /**< per byte of RECV: 1 when `image` holds a result */
    atomic_uchar *marked;   /**< per partition of the contribution */
    atomic_uchar *arrived;  /**< per partition of the result */
    uint32_t epoch;         /**< that it is in, or has done; from 1 */
    bool active;            /**< between start and done */
    uint32_t waiting;       /**< messages of later epochs, a list through `next` */
} sim_rank_t;

/** Kinds of events, in pools of their own. */
typedef enum sim_kind_t {
    SIM_START,  /**< rank starts its next epoch */
    SIM_MARK,   /**< rank marks a partition */
    SIM_WANTED, /**< the same, at once: a result that is asked for needs it */
    SIM_LAND,   /**< a message begins to overwrite its destination */
    SIM_ARRIVE, /**< it is there */
    SIM_FREE,   /**< its source may be overwritten */
    SIM_BEGIN,  /**< an operation reads its operands */
    SIM_END,    /**< it has written its result */
    SIM_KINDS
} sim_kind_t;

typedef struct sim_event_t {
    uint32_t rank;
    uint32_t item; /**< partition, message, or task, by kind */
} sim_event_t;

typedef struct sim_pool_t {
    sim_event_t *event;
    uint32_t count;
    uint32_t capacity;
} sim_pool_t;

/** A transfer under way. */
typedef struct sim_message_t {
    uint32_t from, to;
    uint32_t leaves, arrives; /**< transfer at both ends */
    uint32_t epoch;
    uint32_t open; /**< events still to come: 0 when the entry is free */
    uint32_t next;
    unsigned char *bytes;
} sim_message_t;

/** A deferred node. */
typedef struct sim_task_t {
    uint32_t node;
    uint32_t rank;
    uint32_t next; /**< free entries */
    unsigned char *bytes;
} sim_task_t;

struct sim_world_t {
    sim_params_t params;
    mca_coll_pschedule_hosts_t hosts;
    sim_rank_t *rank;
    unit_random_t random;
    uint32_t unit;            /**< every number of partitions divides it */
    uint32_t done;            /**< ranks that have done all epochs */
    uint32_t weight[SIM_KINDS];
    uint32_t slow;            /**< a rank for which little happens, or NONE */
    uint32_t checks;          /**< how often is still to be looked for results that are due */
    unsigned char *reference; /**< exact: the first results seen */
    unsigned char *known;     /**< exact: per byte of it */
    sim_pool_t pool[SIM_KINDS];
    sim_message_t **message; /**< entries stay where they are */
    uint32_t messages, message_free;
    sim_task_t **task;
    uint32_t tasks, task_free;
    pthread_mutex_t lock; /**< protects pools, messages, tasks, the random numbers, `done` */
    uint32_t busy;        /**< threads that are doing an event */
    atomic_bool failed;
    char fault[SIM_LINE];
};

/** Run once. @return NULL, or what was wrong: a text that is valid until the next run. */
const char *sim_run(const sim_params_t *params);

/** The line that describes a run. */
const char *sim_line(const sim_params_t *params);
bool sim_parse(const char *line, sim_params_t *params); /**< from such a line */
/** Name of a collective, as in the names of the interface. */
const char *sim_collective(mca_coll_pschedule_collective_t collective);

/** Is it one of the reductions? May it work in place? On some ranks only? Has it a root? */
bool sim_reduces(mca_coll_pschedule_collective_t collective);
bool sim_in_place(mca_coll_pschedule_collective_t collective);
bool sim_mixed(mca_coll_pschedule_collective_t collective);
bool sim_rooted(mca_coll_pschedule_collective_t collective);

/* ---- parts of the simulator, also for tests of their own ---- */

/** Remember a fault; the first one counts. */
void sim_fail(sim_world_t *world, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Does a rank work in place? To be asked once. */
bool sim_is_in_place(sim_world_t *world, uint32_t rank);
/** A world with problems; without plans. */
sim_world_t *sim_new(const sim_params_t *params);
void sim_free(sim_world_t *world);

/** Fill the problems in (simproblem.c). */
void sim_problems(sim_world_t *world);

/** Build and freeze the plan of a rank with the row. */
bool sim_build(sim_world_t *world, uint32_t rank);

/** Do the plans fit together, and what do they cost (simplans.c)? */
bool sim_match(sim_world_t *world);
/** What the plan of a rank costs, but for rounds; what the busiest host sends away, or gets. */
void sim_rank_cost(const sim_rank_t *rank, mca_coll_pschedule_cost_t *cost);
uint64_t sim_host_bytes(const sim_world_t *world);
bool sim_costs(sim_world_t *world);

/** Memory for running, when all plans are there. */
bool sim_ready(sim_world_t *world);

/** Run to the end of the last epoch, with the number of threads asked for. */
void sim_go(sim_world_t *world);

/* ---- events (simevents.c) ---- */

/** Something may happen from now on. With the lock, as the next two. */
void sim_push(sim_world_t *world, sim_kind_t kind, uint32_t rank, uint32_t item);

/** Take a random event of a kind, rather not of the slow rank. */
sim_event_t sim_take(sim_world_t *world, sim_kind_t kind);

/** Take a certain one; false when it is not there. */
bool sim_take_item(sim_world_t *world, sim_kind_t kind, sim_event_t wanted);

/** Let it happen. Without the lock. */
void sim_do(sim_world_t *world, sim_kind_t kind, sim_event_t event);

const mca_coll_pschedule_backend_t *sim_backend(const sim_params_t *params);

/* ---- what buffers hold (simdata.c) ---- */

/** Fill partition `partition` of the contribution of a rank. */
void sim_load(sim_rank_t *rank, uint32_t partition);

/** Poison what is not a contribution, at the start of an epoch. */
void sim_poison(sim_rank_t *rank);

/** Is partition `partition` of the result what it must be? Remembers it for the end. */
void sim_check(sim_rank_t *rank, uint32_t partition);

/** At the end of an epoch: buffers hold what they must, and nothing else was written. */
void sim_check_end(sim_rank_t *rank);

/** Has all been marked, by all, that partition `partition` of the result of a rank needs? With
 * `visit`, call it for each that has not. */
bool sim_due(sim_rank_t *rank, uint32_t partition,
             void (*visit)(sim_world_t *world, uint32_t rank, uint32_t partition));

/** A range is going to be read, or written, by the plan. */
void sim_reads(sim_rank_t *rank, mca_coll_pschedule_place_t place, uint64_t bytes);
void sim_writes(sim_rank_t *rank, mca_coll_pschedule_place_t place, uint64_t bytes);

/** to = from op to. */
void sim_combine(const sim_params_t *params, const void *from, void *to, uint64_t bytes);

/** Address of a place. */
static inline unsigned char *sim_at(const sim_rank_t *rank, mca_coll_pschedule_place_t place)
{
    return rank->space[place.space] + place.offset;
}

#endif /* MPIX_UNIT_SIMULATOR_H */
