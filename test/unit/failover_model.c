/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of the model of failing over (see failover_model.h).
 */
#include "failover_model_ends.h"

#include <string.h>

/* A byte of no epoch. */
#define MODEL_OTHER 99u

const model_limits_t *model_limits;
static unsigned left_out;

bool model_rule(rule_t which)
{
    return 0 == (left_out & which);
}

void model_begin(model_t *model, const model_limits_t *most)
{
    memset(model, 0, sizeof(*model));
    model->cuts = most->cuts;
    model->alarms = most->alarms;
    model->backs = most->backs;
    model->send_epoch = 1;
}

bool model_is_over(const model_t *model, const model_limits_t *most)
{
    return model->send_epoch > most->epochs && model->done == most->epochs;
}

/* ---- paths ---- */

static bool is_up(const model_t *model, unsigned end, unsigned path)
{
    return MODEL_UP == model->endpoint[end][path].state;
}

static bool is_open(const model_t *model, unsigned end, unsigned path)
{
    return is_up(model, end, path) || MODEL_TRYING == model->endpoint[end][path].state;
}

/* The first path that an end may use, from one on; `paths`: none. */
unsigned model_live_path(const model_t *model, unsigned end, unsigned from)
{
    for (unsigned i = 0; i < model_limits->paths; ++i) {
        unsigned path = (from + i) % model_limits->paths;

        if (is_up(model, end, path)) {
            return path;
        }
    }
    return model_limits->paths;
}

/* Is there a path with which nothing is wrong, but for this one? */
static bool others_live(const model_t *model, unsigned except)
{
    for (unsigned path = 0; path < model_limits->paths; ++path) {
        if (path != except && 0 == model->cut[path] && is_up(model, SENDER, path)
            && is_up(model, RECEIVER, path)) {
            return true;
        }
    }
    return false;
}

/* False: there is no room. */
bool model_post(model_t *model, unsigned end, unsigned path, model_message_t message)
{
    uint8_t *length = &model->length[end][path];

    if (MODEL_QUEUE == *length) {
        return false;
    }
    message.generation = model->endpoint[end][path].generation;
    model->queue[end][path][(*length)++] = message;
    return true;
}

static model_message_t take(model_t *model, unsigned end, unsigned path)
{
    model_message_t *queue = model->queue[end][path];
    model_message_t first = queue[0];

    memmove(queue, queue + 1, (MODEL_QUEUE - 1) * sizeof(*queue));
    memset(&queue[MODEL_QUEUE - 1], 0, sizeof(*queue));
    --model->length[end][path];
    return first;
}

/* ---- an end gives a path up ---- */

static void recover_units(model_t *model, unsigned path)
{
    for (unsigned i = 0; i < model_limits->units; ++i) {
        model_unit_t *unit = &model->unit[i];
        bool lost = path == unit->path
                    && ((MODEL_POSTED == unit->state && model_rule(RULE_PURGE))
                        || (MODEL_LEFT == unit->state && model_rule(RULE_AGAIN)));

        if (lost && model->send_epoch > model->acknowledged) {
            unit->state = MODEL_QUEUED;
        } else if (lost) {
            unit->state = MODEL_LEFT; /* the receiver has it */
        }
    }
}

static void give_up(model_t *model, unsigned end, unsigned path)
{
    model->endpoint[end][path].state = MODEL_DOWN_ASKING;
    if (SENDER == end) {
        recover_units(model, path);
    } else if (path == model->report_path && model_rule(RULE_REPORT)) {
        model->report = 1;
    }
}

/* Not acknowledged by the other host's system; or an alarm for nothing. */
static bool notice(model_t *model, unsigned end, unsigned path)
{
    bool posted = false;

    for (unsigned i = 0; SENDER == end && i < model_limits->units; ++i) {
        posted = posted || (MODEL_POSTED == model->unit[i].state && path == model->unit[i].path);
    }
    if (!is_open(model, end, path) || 0 == model->cut[path]
        || (0 == model->length[end][path] && !posted)) {
        return false;
    }
    give_up(model, end, path);
    return true;
}

static bool alarm_falsely(model_t *model, unsigned end, unsigned path)
{
    if (0 == model->alarms || !is_up(model, end, path) || !others_live(model, path)) {
        return false;
    }
    --model->alarms;
    give_up(model, end, path);
    return true;
}

/* ---- DOWN, and a path anew ---- */

static bool is_about(const model_message_t *message, unsigned path)
{
    return path == message->what
           && (MODEL_DOWN == message->kind || MODEL_ANSWER == message->kind);
}

/* Is DOWN, or its answer, still under way? A second one would only make more states. */
static bool under_way(const model_t *model, unsigned path)
{
    for (unsigned i = 0; i < 2 * model_limits->paths; ++i) {
        unsigned from = i % 2, via = i / 2;

        for (unsigned j = 0; j < model->length[from][via]; ++j) {
            if (is_about(&model->queue[from][via][j], path) && is_open(model, from, via)) {
                return true;
            }
        }
    }
    return false;
}

/* Say DOWN, or answer it. False: there is no way. */
static bool say_down(model_t *model, unsigned end, model_kind_t kind, unsigned path)
{
    model_message_t message = {.kind = (uint8_t) kind,
                               .what = (uint8_t) path,
                               .epoch = model->endpoint[end][path].generation};
    bool tried = false, said = false;

    for (unsigned via = 0; via < model_limits->paths; ++via) {
        if (is_up(model, end, via) && (!tried || model_rule(RULE_EVERYWHERE))) {
            tried = true;
            said = model_post(model, end, via, message) || said;
        }
    }
    return said;
}

static bool tell(model_t *model, unsigned end, unsigned path)
{
    if (MODEL_DOWN_ASKING != model->endpoint[end][path].state || !model_rule(RULE_TELL)
        || under_way(model, path)) {
        return false;
    }
    return say_down(model, end, MODEL_DOWN, path);
}

static void hear_down(model_t *model, unsigned end, const model_message_t *message)
{
    model_endpoint_t *endpoint = &model->endpoint[end][message->what];

    if (message->epoch < endpoint->generation) {
        return; /* it is of the past */
    }
    if (is_open(model, end, message->what)) {
        give_up(model, end, message->what);
    }
    endpoint->generation = message->epoch;
    endpoint->state = MODEL_DOWN_BOTH;
    if (MODEL_DOWN == message->kind) {
        (void) say_down(model, end, MODEL_ANSWER, message->what);
    }
}

static bool open_anew(model_t *model, unsigned end, unsigned path)
{
    model_endpoint_t *endpoint = &model->endpoint[end][path];

    if (0 == model->backs || 0 != model->length[end][path]
        || (MODEL_DOWN_BOTH != endpoint->state
            && (model_rule(RULE_BACK) || MODEL_DOWN_ASKING != endpoint->state))) {
        return false;
    }
    --model->backs;
    ++endpoint->generation;
    endpoint->state = model_rule(RULE_BACK) ? MODEL_TRYING : MODEL_UP;
    return model_post(model, end, path,
                      (model_message_t) {.kind = MODEL_HELLO, .what = (uint8_t) path});
}

/* Also the answer is a HELLO. */
static void hear_hello(model_t *model, unsigned end, const model_message_t *message)
{
    model_endpoint_t *endpoint = &model->endpoint[end][message->what];

    if (MODEL_TRYING == endpoint->state && message->generation == endpoint->generation) {
        endpoint->state = MODEL_UP;
    } else if (MODEL_DOWN_BOTH == endpoint->state && message->generation > endpoint->generation) {
        endpoint->generation = message->generation;
        endpoint->state = MODEL_UP;
        (void) model_post(model, end, message->what,
                          (model_message_t) {.kind = MODEL_HELLO, .what = message->what});
    }
}

/* ---- the sender ---- */

static bool post_unit(model_t *model, unsigned index)
{
    model_unit_t *unit = &model->unit[index];
    unsigned path = model_live_path(model, SENDER, index);

    if (index >= model_limits->units || MODEL_QUEUED != unit->state
        || model->send_epoch > model_limits->epochs || model->heeded < model->send_epoch
        || path == model_limits->paths) {
        return false;
    }
    unit->state = MODEL_POSTED;
    unit->path = (uint8_t) path;
    return true;
}

/* What is sent of a unit. */
static uint8_t source_of(const model_t *model, const model_unit_t *unit)
{
    return 0 == unit->overwritten || model_rule(RULE_COPY) ? model->send_epoch : MODEL_OTHER;
}

/* A plan writes over a source that has been copied, or read. */
static bool overwrite_unit(model_t *model, unsigned index)
{
    model_unit_t *unit = &model->unit[index];

    if (0 == model_limits->plan || 0 != unit->overwritten
        || (MODEL_LEFT != unit->state && (MODEL_POSTED != unit->state || !model_rule(RULE_COPY)))) {
        return false;
    }
    unit->overwritten = 1;
    return true;
}

/* UCX reads the source. */
static bool read_unit(model_t *model, unsigned index)
{
    model_unit_t *unit = &model->unit[index];

    if (MODEL_POSTED != unit->state || !is_up(model, SENDER, unit->path)) {
        return false;
    }
    unit->state = MODEL_LEFT;
    return model_post(model, SENDER, unit->path,
                      (model_message_t) {.kind = MODEL_DATA, .what = (uint8_t) index,
                                         .epoch = model->send_epoch,
                                         .byte = source_of(model, unit)});
}

static bool complete_send(model_t *model)
{
    if (model->send_epoch > model_limits->epochs
        || (model_rule(RULE_ACKNOWLEDGE) && model->acknowledged < model->send_epoch)) {
        return false;
    }
    for (unsigned i = 0; i < model_limits->units; ++i) {
        if (MODEL_LEFT != model->unit[i].state) {
            if (MODEL_QUEUED == model->unit[i].state || model_rule(RULE_OWN_OVER)) {
                return false;
            }
            model->wrong = 1; /* UCX is going to read what the program has back */
        }
    }
    ++model->send_epoch;
    memset(model->unit, 0, sizeof(model->unit));
    return true;
}

static void hear_report(model_t *model, const model_message_t *message)
{
    if (message->epoch > model->acknowledged) {
        model->acknowledged = message->epoch;
    }
    if (message->what == model->heeded + 1 || !model_rule(RULE_ONCE)) {
        ++model->heeded;
    }
}

/* ---- the network ---- */

static bool deliver(model_t *model, unsigned from, unsigned path)
{
    unsigned to = 1 - from;
    model_message_t message;

    if (0 == model->length[from][path] || 0 != model->cut[path]
        || (RECEIVER == to && 0 != model->hand[path])) {
        return false;
    }
    message = take(model, from, path);
    if (MODEL_HELLO == message.kind) {
        hear_hello(model, to, &message);
        return true;
    }
    if (!is_open(model, to, path)
        || message.generation != model->endpoint[to][path].generation) {
        return true; /* UCX drops it, and says nothing */
    }
    if (MODEL_DOWN == message.kind || MODEL_ANSWER == message.kind) {
        hear_down(model, to, &message);
    } else if (MODEL_DATA == message.kind) {
        model_hear_data(model, path, &message);
    } else {
        hear_report(model, &message);
    }
    return true;
}

/* What was in a socket that has been closed may still get there, or not: the last is lost first. */
static bool lose(model_t *model, unsigned from, unsigned path)
{
    uint8_t *length = &model->length[from][path];

    if (0 == *length || is_open(model, from, path)) {
        return false;
    }
    memset(&model->queue[from][path][--*length], 0, sizeof(model_message_t));
    return true;
}

static bool cut(model_t *model, unsigned path)
{
    if (0 == model->cuts || 0 != model->cut[path] || !others_live(model, path)) {
        return false;
    }
    --model->cuts;
    model->cut[path] = 1;
    return true;
}

static bool plug(model_t *model, unsigned path)
{
    bool was = 0 != model->cut[path];

    model->cut[path] = 0;
    return was;
}

/* ---- all steps ---- */

/* Per end and path, per path, per unit, and single ones; faults first. */
static bool (*const at_end[])(model_t *, unsigned, unsigned)
    = {alarm_falsely, lose, open_anew, notice, tell, deliver};
static bool (*const at_path[])(model_t *, unsigned)
    = {cut, plug, model_claim, model_finish_copy};
static bool (*const at_unit[])(model_t *, unsigned) = {post_unit, read_unit, overwrite_unit};
static bool (*const at_once[])(model_t *) 
    = {complete_send, model_start_recv, model_send_report};

#define COUNT(list) ((unsigned) (sizeof(list) / sizeof((list)[0])))

enum {
    END_STEPS = 6 * 2 * MODEL_PATHS,
    PATH_STEPS = END_STEPS + 4 * MODEL_PATHS,
    UNIT_STEPS = PATH_STEPS + 3 * MODEL_UNITS
};

unsigned model_steps(void)
{
    return UNIT_STEPS + COUNT(at_once);
}

bool model_is_fault(unsigned step)
{
    return step < 3 * 2 * MODEL_PATHS || (step >= END_STEPS && step < END_STEPS + 2 * MODEL_PATHS);
}

bool model_step(model_t *model, const model_limits_t *most, unsigned without, unsigned step)
{
    unsigned path = step < PATH_STEPS ? step % MODEL_PATHS : 0;

    model_limits = most;
    left_out = without;
    if (path >= model_limits->paths) {
        return false;
    }
    if (step < END_STEPS) {
        return at_end[step / (2 * MODEL_PATHS)](model, step / MODEL_PATHS % 2, path);
    }
    if (step < PATH_STEPS) {
        return at_path[(step - END_STEPS) / MODEL_PATHS](model, path);
    }
    if (step < UNIT_STEPS) {
        return at_unit[(step - PATH_STEPS) / MODEL_UNITS](model,
                                                          (step - PATH_STEPS) % MODEL_UNITS);
    }
    return at_once[step - UNIT_STEPS](model);
}
