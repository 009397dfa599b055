/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages on their way: the window of a process on a path, turns of the processes of a host on
 * it, and the path of the other host (see timing_world.h).
 */
#include "timing_world.h"

/* Two messages may always be under way on a path, as in part/ucx. */
enum { ALWAYS = 2 };

/* ---- lists of messages ---- */

static void append(timing_world_t *world, timing_list_t *list, uint32_t message)
{
    world->message[message].next = TIMING_NONE;
    if (TIMING_NONE == list->first) {
        list->first = message;
    } else {
        world->message[list->last].next = message;
    }
    list->last = message;
}

static uint32_t take(timing_world_t *world, timing_list_t *list)
{
    uint32_t message = list->first;

    list->first = world->message[message].next;
    return message;
}

uint32_t timing_message(timing_world_t *world, timing_message_t content)
{
    uint32_t message = world->message_free;

    if (TIMING_NONE == message) {
        message = world->messages++;
        if (0 == (message & (message + 1))) { /* room for twice as many */
            world->message = timing_grown(world->message, 2 * (size_t) message + 2,
                                          sizeof(*world->message));
        }
    } else {
        world->message_free = world->message[message].next;
    }
    content.next = content.along = TIMING_NONE;
    world->message[message] = content;
    return message;
}

void timing_message_free(timing_world_t *world, uint32_t message)
{
    world->message[message].next = world->message_free;
    world->message_free = message;
}

/* ---- the window ---- */

/* Small transfers that wait for the same rank go along with the first. */
static void bundle(timing_world_t *world, timing_lane_t *lane, uint32_t first)
{
    timing_message_t *head = &world->message[first];
    uint32_t *end = &head->along;

    while (TIMING_NONE != lane->waiting.first && TIMING_NONE != head->transfer) {
        const timing_message_t *other = &world->message[lane->waiting.first];

        if (other->to != head->to || TIMING_NONE == other->transfer
            || head->bytes + other->bytes > world->machine->bundle) {
            break;
        }
        head->bytes += other->bytes;
        *end = take(world, &lane->waiting);
        end = &world->message[*end].along;
    }
}

/* Have the process send what the window lets through. */
static void feed(timing_world_t *world, uint32_t process, uint32_t path)
{
    timing_lane_t *lane = &world->process[process].lane[path];
    uint64_t window = world->machine->window;

    while (TIMING_NONE != lane->waiting.first
           && (0 == window || lane->messages < ALWAYS
               || lane->flying + world->message[lane->waiting.first].bytes <= window)) {
        uint32_t message = take(world, &lane->waiting);

        if (0 != world->machine->bundle) {
            bundle(world, lane, message);
        }
        ++world->counted[path == world->machine->paths];
        ++lane->messages;
        lane->flying += world->message[message].bytes;
        timing_do(world, process, TIMING_POST, message);
    }
}

/* Has a process several messages that begin at the same time, they spread over the paths. */
static uint32_t best_path(const timing_world_t *world, const timing_process_t *process)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < world->machine->paths; ++i) {
        best = process->lane[i].queued < process->lane[best].queued ? i : best;
    }
    return best;
}

void timing_send(timing_world_t *world, uint32_t index)
{
    timing_message_t *message = &world->message[index];
    timing_process_t *process = &world->process[message->from];
    bool local = process->host == world->process[message->to].host;

    message->path = local ? world->machine->paths
                          : TIMING_NONE == message->transfer ? 0 : best_path(world, process);
    process->lane[message->path].queued += message->bytes;
    append(world, &process->lane[message->path].waiting, index);
    feed(world, message->from, message->path);
}

/* ---- a path of a host ---- */

static timing_port_t *port_of(timing_world_t *world, uint32_t process, uint32_t path)
{
    return &world->port[world->process[process].host * world->machine->paths + path];
}

/* After a pause some bytes pass at once. */
static timing_t pass(const timing_machine_t *machine, timing_t *until, timing_t from,
                     uint64_t bytes)
{
    timing_t credit = machine->burst * machine->wire;
    timing_t begin = from > credit ? from - credit : 0;

    *until = (*until > begin ? *until : begin) + (bytes + machine->header) * machine->wire;
    return *until > from ? *until : from;
}

/* The next message begins to leave. When it will be there is known at once, because what comes to
 * a host has the same latency and waits in the order in which it comes. */
static void carry(timing_world_t *world, timing_port_t *port, uint32_t process, uint32_t path)
{
    timing_lane_t *lane = &world->process[process].lane[path];
    uint32_t index = take(world, &lane->posted);
    const timing_message_t *message = &world->message[index];
    timing_port_t *other = port_of(world, message->to, path);
    timing_t left, arrived;

    port->busy = true;
    left = pass(world->machine, &port->out, world->now, message->bytes);
    arrived = pass(world->machine, &other->in, world->now + world->machine->latency,
                   message->bytes);
    arrived = arrived > left + world->machine->latency ? arrived : left + world->machine->latency;
    timing_foresee(world, left, TIMING_LEFT, index);
    timing_foresee(world, arrived, TIMING_ARRIVED, index);
}

/* The process is the last to have its turn. */
static void queue_up(timing_world_t *world, timing_port_t *port, uint32_t process, uint32_t path)
{
    world->process[process].lane[path].next = TIMING_NONE;
    if (TIMING_NONE == port->turn.first) {
        port->turn.first = process;
    } else {
        world->process[port->turn.last].lane[path].next = process;
    }
    port->turn.last = process;
}

static void next_turn(timing_world_t *world, timing_port_t *port, uint32_t path)
{
    uint32_t process = port->turn.first;

    if (port->busy || TIMING_NONE == process) {
        return;
    }
    port->turn.first = world->process[process].lane[path].next;
    carry(world, port, process, path);
    if (TIMING_NONE != world->process[process].lane[path].posted.first) {
        queue_up(world, port, process, path);
    }
}

void timing_posted(timing_world_t *world, uint32_t index)
{
    timing_message_t *message = &world->message[index];
    timing_lane_t *lane = &world->process[message->from].lane[message->path];
    timing_port_t *port;
    bool first;

    if (timing_is_local(world, message)) {
        timing_foresee(world, world->now + world->machine->local_latency, TIMING_ARRIVED, index);
        return;
    }
    port = port_of(world, message->from, message->path);
    first = TIMING_NONE == lane->posted.first;
    append(world, &lane->posted, index);
    if (first) {
        queue_up(world, port, message->from, message->path);
    }
    next_turn(world, port, message->path);
}

static void gone(timing_world_t *world, const timing_message_t *message)
{
    timing_lane_t *lane = &world->process[message->from].lane[message->path];

    lane->queued -= message->bytes;
    lane->flying -= message->bytes;
    --lane->messages;
    feed(world, message->from, message->path);
}

void timing_left(timing_world_t *world, uint32_t index)
{
    timing_message_t message = world->message[index];
    timing_port_t *port = port_of(world, message.from, message.path);

    world->moved[1][world->process[message.from].host] += message.bytes;
    world->moved[0][world->process[message.to].host] += message.bytes;
    port->busy = false;
    gone(world, &message);
    next_turn(world, port, message.path);
}

void timing_copied(timing_world_t *world, uint32_t index)
{
    timing_message_t message = world->message[index];

    gone(world, &message);
}
