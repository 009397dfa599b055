/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When pieces of the gradients were handed over and when their sums arrived, and how long the
 * program did nothing but exchange. exchange.c writes it; progress line and overlap report read it.
 *
 *   forward | backward ......................... | rest
 *                  ^ first piece handed over            ^ last sum seen
 *                  |<----------- in flight ------------>|
 *
 * in flight  from the first piece that is handed over to the last sum that is seen
 * spent      how long the main thread was inside the exchange: marking, looking, waiting. Stepping
 *            parameters does not count, wherever it happens. This is what the exchange has made the
 *            step longer by.
 * hidden     1 - spent / in flight: the share of the exchange during which the program computed.
 *            Of a blocking exchange nothing is hidden: all of it is spent.
 */
#ifndef GPT2_TIMELINE_H
#define GPT2_TIMELINE_H

typedef struct {
    /* Of this step; times of bench_now(), or seconds. */
    double begin; /* of the backward pass */
    double entered;
    double excluded; /* stepping, when the exchange was entered */
    double first;    /* piece handed over; 0 if none */
    double last;     /* sum seen */
    double spent;
    double stepping;
    /* Sums over all steps since the last reset; of pieces from the beginning of backward. */
    int pieces;
    int steps;
    double backward; /* how long it took */
    double *ready;
    double *arrived;
    double *stepped;
} gpt2_timeline_t;

void gpt2_timeline_create(gpt2_timeline_t *timeline, int pieces);
void gpt2_timeline_destroy(gpt2_timeline_t *timeline);

/* Forgets the steps until now: the first ones are not like the others. */
void gpt2_timeline_reset(gpt2_timeline_t *timeline);

/* A step begins; later its backward pass does. It ended when the exchange was entered last. */
void gpt2_timeline_step(gpt2_timeline_t *timeline);
void gpt2_timeline_backward(gpt2_timeline_t *timeline);
void gpt2_timeline_backward_done(gpt2_timeline_t *timeline);

/* The main thread enters the exchange, and leaves it. */
void gpt2_timeline_enter(gpt2_timeline_t *timeline);
void gpt2_timeline_leave(gpt2_timeline_t *timeline);

void gpt2_timeline_ready(gpt2_timeline_t *timeline, int piece);
void gpt2_timeline_arrived(gpt2_timeline_t *timeline, int piece);

/* The parameters of a piece are stepped; that began at a time of bench_now(). */
void gpt2_timeline_stepped(gpt2_timeline_t *timeline, int piece, double began);

/* Of this step, in seconds and as a share. */
double gpt2_timeline_in_flight(const gpt2_timeline_t *timeline);
double gpt2_timeline_hidden(const gpt2_timeline_t *timeline);

#endif
