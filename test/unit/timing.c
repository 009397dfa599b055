/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A world of processes that run their plans on the engine, and its course (see timing.h).
 */
#include "timing_world.h"

#include <stdlib.h>

/* ---- the engine's backend ---- */

static bool backend_send(void *context, uint32_t transfer)
{
    timing_process_t *process = context;
    timing_world_t *world = process->world;
    uint32_t link = process->plan->transfer[transfer].link;
    timing_link_t *port = &process->link[link];
    uint32_t message = timing_message(
        world, (timing_message_t) {.from = (uint32_t) (process - world->process),
                                   .to = (uint32_t) process->plan->link[link].peer,
                                   .link = link,
                                   .transfer = transfer,
                                   .bytes = process->plan->transfer[transfer].bytes});

    if (port->opened >= process->epoch) {
        timing_send(world, message);
        return false;
    }
    if (TIMING_NONE == port->held.first) {
        port->held.first = message;
    } else {
        world->message[port->held.last].next = message;
    }
    port->held.last = message;
    return false;
}

static bool backend_defer(void *context, uint32_t node, bool at_once)
{
    timing_process_t *process = context;

    (void) at_once;
    timing_do(process->world, (uint32_t) (process - process->world->process), TIMING_OPERATE, node);
    return false;
}

static void backend_result(void *context, uint32_t partition)
{
    (void) context, (void) partition;
}

static void backend_done(void *context)
{
    timing_process_t *process = context;

    ++process->world->done;
    process->world->end = process->world->now;
    if (process->epoch < process->world->machine->rounds) {
        timing_do(process->world, (uint32_t) (process - process->world->process), TIMING_START, 0);
    }
}

static const mca_coll_pschedule_backend_t backend = {.send = backend_send,
                                                     .defer = backend_defer,
                                                     .result = backend_result,
                                                     .done = backend_done};

/* ---- jobs ---- */

/* Of the process, or of the memory of its host, whichever takes longer. */
static timing_t pass_memory(timing_world_t *world, uint32_t host, uint64_t bytes, timing_t each)
{
    timing_t *memory = &world->memory[host];
    timing_t own = bytes * each;

    *memory = (*memory > world->now ? *memory : world->now) + bytes * world->machine->memory;
    return *memory > world->now + own ? *memory - world->now : own;
}

static timing_t operation_length(timing_world_t *world, const timing_process_t *process,
                                 uint32_t node)
{
    const mca_coll_pschedule_vertex_t *vertex = &process->plan->vertex[node];
    bool reduces = COLL_PSCHEDULE_NODE_REDUCE == vertex->kind;

    return pass_memory(world, process->host, process->plan->operation[vertex->item].bytes,
                       reduces ? world->machine->reduce : world->machine->copy);
}

timing_t timing_length(timing_world_t *world, const timing_process_t *process,
                       const timing_job_t *job)
{
    const timing_machine_t *machine = world->machine;
    const timing_message_t *message;

    if (TIMING_START == job->task) {
        return machine->overhead;
    }
    if (TIMING_OPERATE == job->task) {
        return operation_length(world, process, job->item);
    }
    message = &world->message[job->item];
    if (!timing_is_local(world, message)) {
        return machine->overhead + message->bytes * machine->handle;
    }
    return machine->overhead
           + (TIMING_POST == job->task
                  ? 0
                  : pass_memory(world, process->host, message->bytes, machine->copy));
}

/* The receiver has started: what was held may leave. */
static void open_link(timing_world_t *world, const timing_message_t *message)
{
    timing_process_t *sender = &world->process[message->to];
    timing_link_t *port
        = &sender->link[world->process[message->from].link[message->link].partner];
    uint32_t next;

    if (++port->opened < sender->epoch) {
        return;
    }
    for (uint32_t i = port->held.first; TIMING_NONE != i; i = next) {
        next = world->message[i].next;
        timing_send(world, i);
    }
    port->held.first = TIMING_NONE;
}

/* Of a message and those that came along: tell an end's engine that they have moved. */
static void moved(timing_world_t *world, uint32_t index, bool sender)
{
    for (uint32_t i = index; TIMING_NONE != i; i = world->message[i].along) {
        timing_message_t message = world->message[i];
        timing_process_t *from = &world->process[message.from];
        timing_process_t *to = &world->process[message.to];
        uint32_t piece = message.transfer - from->plan->link[message.link].first;

        if (sender) {
            mca_coll_pschedule_engine_moved(&from->engine, message.transfer);
        } else {
            mca_coll_pschedule_engine_moved(
                &to->engine, to->plan->link[from->link[message.link].partner].first + piece);
        }
    }
}

static void forget(timing_world_t *world, uint32_t index)
{
    for (uint32_t i = index, next; TIMING_NONE != i; i = next) {
        next = world->message[i].along;
        timing_message_free(world, i);
    }
}

static void accept(timing_world_t *world, uint32_t index)
{
    timing_message_t message = world->message[index];

    if (timing_is_local(world, &message)) {
        timing_copied(world, index);
    }
    if (TIMING_NONE == message.transfer) {
        open_link(world, &message);
    } else {
        if (timing_is_local(world, &message)) {
            moved(world, index, true);
        }
        moved(world, index, false);
    }
    forget(world, index);
}

/* MPI_Start: says so to all that send, then begins. */
static void start(timing_world_t *world, uint32_t rank)
{
    timing_process_t *process = &world->process[rank];

    ++process->epoch;
    mca_coll_pschedule_engine_arm(&process->engine);
    for (uint32_t i = 0; i < process->plan->links && world->machine->ready; ++i) {
        const mca_coll_pschedule_link_t *link = &process->plan->link[i];

        if (!link->is_send) {
            timing_send(world, timing_message(world, (timing_message_t) {
                                                         .from = rank,
                                                         .to = (uint32_t) link->peer,
                                                         .link = i,
                                                         .transfer = TIMING_NONE}));
        }
    }
    mca_coll_pschedule_engine_start(&process->engine);
    for (uint32_t i = 0; i < process->plan->send_partitions; ++i) {
        mca_coll_pschedule_engine_ready(&process->engine, i);
    }
}

void timing_finish(timing_world_t *world, timing_process_t *process, const timing_job_t *job)
{
    switch (job->task) {
    case TIMING_POST:
        timing_posted(world, job->item);
        break;
    case TIMING_ACCEPT:
        accept(world, job->item);
        break;
    case TIMING_START:
        start(world, (uint32_t) (process - world->process));
        break;
    default:
        mca_coll_pschedule_engine_worked(&process->engine, job->item);
        break;
    }
}

/* ---- the world ---- */

static uint32_t find_link(const mca_coll_pschedule_plan_t *plan, int32_t peer, bool is_send)
{
    uint32_t low = 0, high = plan->links;

    while (low < high) { /* sorted by peer, those that receive first */
        uint32_t middle = low + (high - low) / 2;
        const mca_coll_pschedule_link_t *link = &plan->link[middle];

        if (link->peer < peer || (link->peer == peer && !link->is_send && is_send)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < plan->links && plan->link[low].peer == peer && plan->link[low].is_send == is_send
               ? low
               : TIMING_NONE;
}

static const char *make_links(timing_world_t *world, uint32_t rank,
                              mca_coll_pschedule_plan_t *const *plans)
{
    timing_process_t *process = &world->process[rank];
    const mca_coll_pschedule_plan_t *plan = plans[rank];

    process->link = timing_zeroed(plan->links, sizeof(*process->link));
    for (uint32_t i = 0; i < plan->links; ++i) {
        const mca_coll_pschedule_plan_t *its = plans[plan->link[i].peer];
        uint32_t partner = find_link(its, (int32_t) rank, !plan->link[i].is_send);

        if (TIMING_NONE == partner || its->link[partner].count != plan->link[i].count) {
            return "the plans of two ranks do not fit together";
        }
        process->link[i] = (timing_link_t) {.partner = partner,
                                            .opened = world->machine->ready ? 0 : UINT32_MAX,
                                            .held = {.first = TIMING_NONE}};
    }
    return NULL;
}

static const char *make_process(timing_world_t *world, uint32_t rank,
                                mca_coll_pschedule_plan_t *const *plans)
{
    timing_process_t *process = &world->process[rank];
    uint32_t lanes = world->machine->paths + 1;

    process->world = world;
    process->plan = plans[rank];
    process->host = world->hosts->host[rank];
    process->jobs.first = TIMING_NONE;
    process->lane = timing_zeroed(lanes, sizeof(*process->lane));
    for (uint32_t i = 0; i < lanes; ++i) {
        process->lane[i].waiting.first = process->lane[i].posted.first = TIMING_NONE;
    }
    if (!mca_coll_pschedule_engine_init(&process->engine, plans[rank], &backend, process)) {
        return "out of memory";
    }
    return make_links(world, rank, plans);
}

static void make_hosts(timing_world_t *world)
{
    uint32_t hosts = world->hosts->count;
    uint32_t ports = hosts * world->machine->paths;

    world->port = timing_zeroed(ports, sizeof(*world->port));
    for (uint32_t i = 0; i < ports; ++i) {
        world->port[i].turn.first = TIMING_NONE;
    }
    world->memory = timing_zeroed(hosts, sizeof(*world->memory));
    world->moved[0] = timing_zeroed(hosts, sizeof(*world->moved[0]));
    world->moved[1] = timing_zeroed(hosts, sizeof(*world->moved[1]));
    world->cores = timing_zeroed(hosts, sizeof(*world->cores));
    for (uint32_t i = 0; i < hosts; ++i) {
        world->cores[i] = (timing_cores_t) {.idle = world->machine->cores,
                                            .waiting = {.first = TIMING_NONE}};
    }
}

static void free_world(timing_world_t *world)
{
    for (uint32_t i = 0; i < world->ranks; ++i) {
        mca_coll_pschedule_engine_fini(&world->process[i].engine);
        free(world->process[i].lane);
        free(world->process[i].link);
    }
    free(world->process);
    free(world->agenda.event);
    free(world->port);
    free(world->memory);
    free(world->moved[0]);
    free(world->moved[1]);
    free(world->cores);
    free(world->message);
    free(world->job);
}

/* ---- the course ---- */

static void happen(timing_world_t *world, const timing_event_t *event)
{
    timing_message_t message;

    switch (event->kind) {
    case TIMING_WORKED:
        timing_worked(world, event->item);
        break;
    case TIMING_LEFT:
        timing_left(world, event->item);
        if (TIMING_NONE != world->message[event->item].transfer) {
            moved(world, event->item, true);
        }
        break;
    default:
        message = world->message[event->item];
        timing_do(world, message.to, TIMING_ACCEPT, event->item);
        break;
    }
}

static void report(const timing_world_t *world, timing_result_t *result)
{
    *result = (timing_result_t) {
        .end = world->end, .network = world->counted[0], .local = world->counted[1]};
    for (uint32_t i = 0; i < world->ranks; ++i) {
        timing_t busy = world->process[i].busy;

        result->busy = busy > result->busy ? busy : result->busy;
    }
    for (uint32_t i = 0; i < 2 * world->hosts->count; ++i) {
        uint64_t bytes = world->moved[i % 2][i / 2];

        result->host_bytes = bytes > result->host_bytes ? bytes : result->host_bytes;
    }
}

bool timing_run(const timing_machine_t *machine, const mca_coll_pschedule_hosts_t *hosts,
                mca_coll_pschedule_plan_t *const *plan, uint32_t ranks, timing_result_t *result,
                const char **fault)
{
    timing_world_t world = {.machine = machine, .hosts = hosts, .ranks = ranks,
                            .message_free = TIMING_NONE, .job_free = TIMING_NONE};
    const uint64_t rounds = machine->rounds > 1 ? machine->rounds : 1;
    timing_event_t event;

    *fault = NULL;
    world.process = timing_zeroed(ranks, sizeof(*world.process));
    make_hosts(&world);
    for (uint32_t i = 0; i < ranks && NULL == *fault; ++i) {
        *fault = make_process(&world, i, plan);
    }
    for (uint32_t i = 0; i < ranks && NULL == *fault; ++i) {
        start(&world, i);
    }
    while (NULL == *fault && timing_next(&world, &event)) {
        happen(&world, &event);
    }
    if (NULL == *fault && world.done < ranks * rounds) {
        *fault = "some ranks never end";
    }
    report(&world, result);
    free_world(&world);
    return NULL == *fault;
}
