/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of the simulation with time (timing.h): events in order, processes that work, and paths
 * that carry.
 */
#ifndef MPIX_UNIT_TIMING_WORLD_H
#define MPIX_UNIT_TIMING_WORLD_H

#include "plan/coll_pschedule_engine.h"
#include "timing.h"

/** No entry of a list. */
#define TIMING_NONE UINT32_MAX

/** What happens at a certain time. */
typedef enum timing_kind_t {
    TIMING_WORKED,  /**< process `item` has done what it did */
    TIMING_LEFT,    /**< message `item` has left its host */
    TIMING_ARRIVED  /**< it is at its receiver */
} timing_kind_t;

typedef struct timing_event_t {
    timing_t time;
    uint64_t order; /**< equal times in the order in which they were foreseen */
    uint32_t item;
    uint32_t kind; /**< timing_kind_t */
} timing_event_t;

/** Events by time: a heap. */
typedef struct timing_agenda_t {
    timing_event_t *event;
    size_t count;
    size_t capacity;
    uint64_t order;
} timing_agenda_t;

/** A list of numbered entries through their `next`. */
typedef struct timing_list_t {
    uint32_t first;
    uint32_t last;
} timing_list_t;

/** One message; transfers that leave with it are a list through `along`. */
typedef struct timing_message_t {
    uint32_t from, to;
    uint32_t link;     /**< of the sender, or of the receiver that says "started" */
    uint32_t transfer; /**< of the sender; TIMING_NONE: "started" */
    uint32_t path;     /**< the number of paths: within the host */
    uint32_t next;
    uint32_t along;
    uint64_t bytes; /**< of all that leave together */
} timing_message_t;

/** What a process is to do. */
typedef enum timing_task_t {
    TIMING_POST,
    TIMING_ACCEPT,
    TIMING_OPERATE,
    TIMING_START /**< the next epoch */
} timing_task_t;

typedef struct timing_job_t {
    uint32_t task; /**< timing_task_t */
    uint32_t item; /**< message, or node, or nothing */
    uint32_t next;
} timing_job_t;

/** What a process has for one path, or for its host. */
typedef struct timing_lane_t {
    timing_list_t waiting; /**< messages that the window keeps back */
    timing_list_t posted;  /**< messages that wait for the path */
    uint64_t queued;       /**< bytes of both, and of what is leaving */
    uint64_t flying;       /**< bytes that the window has let through and that have not left */
    uint32_t messages;     /**< the same in messages */
    uint32_t next;         /**< process that has its turn after this one */
} timing_lane_t;

/** A link as this world needs it. */
typedef struct timing_link_t {
    uint32_t partner; /**< number of the link at its other end */
    uint32_t opened;  /**< epochs that the receiver has started, as far as is known here */
    timing_list_t held;
} timing_link_t;

typedef struct timing_process_t {
    struct timing_world_t *world;
    const mca_coll_pschedule_plan_t *plan;
    mca_coll_pschedule_engine_t engine;
    uint32_t host;
    timing_list_t jobs;
    timing_lane_t *lane; /**< per path, and one for the host */
    timing_link_t *link;
    uint32_t epoch; /**< that it has started, from 1 */
    enum { TIMING_IDLE, TIMING_WAITING, TIMING_RUNNING } state;
    bool fresh;     /**< it has just got its processor */
    uint32_t next;  /**< that waits for a processor after this one */
    timing_t since; /**< it has run since then */
    timing_t busy;
} timing_process_t;

/** One direction of a path of a host. */
typedef struct timing_port_t {
    timing_list_t turn; /**< processes that have something for it */
    bool busy;
    timing_t out; /**< when it has sent what it was given */
    timing_t in;  /**< when it has received what is under way to it */
} timing_port_t;

/** Processors that processes share. */
typedef struct timing_cores_t {
    uint32_t idle;
    timing_list_t waiting;
} timing_cores_t;

typedef struct timing_world_t {
    const timing_machine_t *machine;
    const mca_coll_pschedule_hosts_t *hosts;
    uint32_t ranks;
    timing_t now;
    timing_agenda_t agenda;
    timing_process_t *process;
    timing_port_t *port;   /**< per host and path */
    timing_t *memory;      /**< per host: when its memory has done what it was given */
    timing_cores_t *cores; /**< per host, or one */
    uint64_t *moved[2];    /**< per host: bytes received and sent */
    timing_message_t *message;
    uint32_t messages, message_free;
    timing_job_t *job;
    uint32_t jobs, job_free;
    uint64_t done; /**< epochs of all ranks */
    timing_t end;  /**< when the last of them was */
    uint64_t counted[2]; /**< messages between hosts, and within them */
} timing_world_t;

/* ---- events (timing_agenda.c) ---- */

void timing_foresee(timing_world_t *world, timing_t time, timing_kind_t kind, uint32_t item);

/** The next event, which is removed; false when there is none. Sets the time. */
bool timing_next(timing_world_t *world, timing_event_t *event);

/* ---- messages (timing_network.c) ---- */

/** A message may leave: it is queued on a path, or within the host. */
void timing_send(timing_world_t *world, uint32_t message);

uint32_t timing_message(timing_world_t *world, timing_message_t content);
void timing_message_free(timing_world_t *world, uint32_t message);

static inline bool timing_is_local(const timing_world_t *world, const timing_message_t *message)
{
    return message->path == world->machine->paths;
}

/** A process has done its part of sending one. */
void timing_posted(timing_world_t *world, uint32_t message);

/** It has left its host: its path is free, and so is room in the window of its process. */
void timing_left(timing_world_t *world, uint32_t message);

/** Within a host: the receiver has copied it. */
void timing_copied(timing_world_t *world, uint32_t message);

/* ---- processes (timing_process.c) ---- */

void timing_do(timing_world_t *world, uint32_t process, timing_task_t task, uint32_t item);

/** The first of its jobs is done. */
void timing_worked(timing_world_t *world, uint32_t process);

/* ---- what jobs come to (timing.c) ---- */

/** How long a job takes that begins now. */
timing_t timing_length(timing_world_t *world, const timing_process_t *process,
                       const timing_job_t *job);

/** A job is done. */
void timing_finish(timing_world_t *world, timing_process_t *process, const timing_job_t *job);

/* ---- lists ---- */

/** Memory or the end of the program. */
void *timing_zeroed(size_t count, size_t size);
void *timing_grown(void *array, size_t count, size_t size);

#endif /* MPIX_UNIT_TIMING_WORLD_H */
