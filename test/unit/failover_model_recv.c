/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiver in the model of failing over (see failover_model.h).
 */
#include "failover_model_ends.h"

bool model_start_recv(model_t *model)
{
    if (0 != model->running || model->recv_epoch == model_limits->epochs) {
        return false;
    }
    ++model->recv_epoch;
    model->running = 1;
    model->missing = model_limits->units;
    model->report = 1;
    return true;
}

bool model_send_report(model_t *model)
{
    unsigned path = model_live_path(model, RECEIVER, 0);

    if (0 == model->report || path == model_limits->paths) {
        return false;
    }
    model->report = 0;
    model->report_path = (uint8_t) path;
    return model_post(model, RECEIVER, path,
                (model_message_t) {.kind = MODEL_REPORT, .what = model->recv_epoch,
                                   .epoch = model->done});
}

/* A handler has found a message, and looks at its epoch. */
void model_hear_data(model_t *model, unsigned path, const model_message_t *message)
{
    unsigned unit = message->what;

    if (message->epoch > model->recv_epoch) {
        model->wrong = 1; /* its buffer is not the receive's yet */
        return;
    }
    if (0 == model->running || message->epoch < model->recv_epoch
        || model->recv_epoch == model->flag[unit]) {
        return;
    }
    model->hand[path] = (uint8_t) (unit + 1);
    model->hand_byte[path] = message->byte;
    model->hand_epoch[path] = message->epoch;
}

static void empty_hand(model_t *model, unsigned path)
{
    model->hand[path] = model->hand_byte[path] = 0;
    model->hand_epoch[path] = model->hand_claimed[path] = 0;
}

/* Perhaps much later it claims the unit, to copy it. */
bool model_claim(model_t *model, unsigned path)
{
    uint8_t epoch = model->hand_epoch[path];
    uint8_t *claimed;

    if (0 == model->hand[path] || 0 != model->hand_claimed[path]) {
        return false;
    }
    claimed = &model->claimed[model->hand[path] - 1u];
    if (model_rule(RULE_CLAIM)
        && (epoch == *claimed || (model_rule(RULE_FORWARD) && epoch < *claimed))) {
        empty_hand(model, path);
        return true;
    }
    *claimed = epoch;
    model->hand_claimed[path] = 1;
    return true;
}

/* It has copied. */
bool model_finish_copy(model_t *model, unsigned path)
{
    unsigned unit = model->hand[path] - 1u;

    if (0 == model->hand_claimed[path]) {
        return false;
    }
    if (0 == model->running || model->hand_epoch[path] != model->recv_epoch
        || model->flag[unit] == model->recv_epoch) {
        model->wrong = 1; /* the buffer is the program's, or holds what a plan has made of it */
        return true;
    }
    model->buffer[unit] = model->hand_byte[path];
    model->flag[unit] = model->recv_epoch;
    empty_hand(model, path);
    if (0 == --model->missing) {
        for (unsigned i = 0; i < model_limits->units; ++i) {
            model->wrong |= model->buffer[i] != model->recv_epoch;
        }
        model->running = 0;
        model->done = model->recv_epoch;
        model->report = 1;
    }
    return true;
}
