/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S47 and S5. Channels of one key, some used, some freed without ever being started, with random
 * pauses on either side. In a row without any synchronisation: a freed request's messages may
 * arrive after those of the next one and after the peer's next init, which must not be disturbed.
 * Then many at once: when all are matched, some are freed in any order, and the others carry their
 * own data.
 */

#include "../support/side.h"

#define TAG      47
#define IN_A_ROW 300
#define ROUNDS   25
#define CHANNELS 6

typedef struct {
    mt_random_t plan; /* the same on both ranks */
    mt_random_t own;  /* pauses, orders */
} dice_t;

static void pause_somewhat(dice_t *dice)
{
    switch (mt_random_below(&dice->own, 8)) {
    case 0:
        mt_sleep(0.001);
        break;
    case 1:
        mt_progress(0.0005);
        break;
    default:
        break;
    }
}

static void open_side(mt_side_t *side, dice_t *dice, int number)
{
    int partitions = 1 + mt_random_below(&dice->plan, 4);
    size_t bytes = (size_t) 1 << mt_random_below(&dice->plan, 12);

    mt_one_way(side, partitions, bytes, TAG, MPI_COMM_WORLD);
    side->seed = (uint64_t) number;
}

/* Each request is freed before the next one of its side is initialised. */
static void in_a_row(dice_t *dice)
{
    mt_side_t side;

    for (int i = 0; i < IN_A_ROW; i++) {
        bool used = 0 == mt_random_below(&dice->plan, 3);
        mt_stage("request %d of a row, %s", i, used ? "used" : "freed unstarted");
        open_side(&side, dice, i);
        pause_somewhat(dice);
        if (used) {
            mt_cycle(&side, 0);
        }
        mt_drop(&side);
    }
}

static void use(mt_side_t *side, const bool *used, dice_t *dice)
{
    int order[CHANNELS];

    for (int c = 0; c < CHANNELS; c++) {
        order[c] = c;
    }
    mt_random_shuffle(&dice->own, order, CHANNELS);
    for (int i = 0; i < CHANNELS; i++) {
        mt_side_t *now = &side[order[i]];
        if (used[order[i]]) {
            mt_start(now);
            if (now->sending) {
                mt_side_fill(now, -1, 0);
                mt_ready(now, -1);
            }
        } else {
            mt_drop(now);
        }
        pause_somewhat(dice);
    }
    for (int c = 0; c < CHANNELS; c++) {
        if (used[c]) {
            mt_finish(&side[c].request, MPI_STATUS_IGNORE);
            if (!side[c].sending) {
                mt_side_verify(&side[c], -1, 0);
            }
            mt_drop(&side[c]);
        }
    }
}

static void many_at_once(dice_t *dice)
{
    mt_side_t side[CHANNELS];
    bool used[CHANNELS];

    for (int round = 0; round < ROUNDS; round++) {
        mt_stage("round %d", round);
        for (int c = 0; c < CHANNELS; c++) {
            used[c] = 0 != mt_random_below(&dice->plan, 2);
            open_side(&side[c], dice, round * CHANNELS + c);
            pause_somewhat(dice);
        }
        mt_sync();
        mt_progress(0.003); /* matched now */
        mt_sync();
        use(side, used, dice);
    }
}

int main(int argc, char **argv)
{
    dice_t dice;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_random_seed(&dice.plan, 4700);
    mt_random_seed(&dice.own, (uint64_t) (4701 + mt_rank()));
    in_a_row(&dice);
    mt_result("%d requests of one key in a row, most of them freed unstarted", IN_A_ROW);
    many_at_once(&dice);
    mt_result("%d x %d matched pairs of one key, half of them freed unstarted", ROUNDS, CHANNELS);
    return mt_end();
}
