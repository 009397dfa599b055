/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the two files of the model of failing over share (see failover_model.h).
 */
#ifndef FAILOVER_MODEL_ENDS_H
#define FAILOVER_MODEL_ENDS_H

#include "failover_model.h"

enum { SENDER, RECEIVER };

/* Of the present step. */
extern const model_limits_t *model_limits;

/* Is it kept? */
bool model_rule(rule_t which);

/* The first path that an end may use, from one on; `paths`: none. */
unsigned model_live_path(const model_t *model, unsigned end, unsigned from);

/* False: there is no room. */
bool model_post(model_t *model, unsigned end, unsigned path, model_message_t message);

/* Steps of the receiver. */
bool model_start_recv(model_t *model);
bool model_send_report(model_t *model);
bool model_claim(model_t *model, unsigned path);
bool model_finish_copy(model_t *model, unsigned path);

/* Data have come. */
void model_hear_data(model_t *model, unsigned path, const model_message_t *message);

#endif /* FAILOVER_MODEL_ENDS_H */
