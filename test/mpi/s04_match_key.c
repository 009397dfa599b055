/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S4. The match key is (communicator, source, tag): channels of different communicators with equal
 * ranks and tags, of different tags, and of different sources, do not cross-match, whatever the
 * order of the init calls on either side.
 */

#include "../support/side.h"

#define COMMUNICATORS 4
#define TAGS          3
#define CHANNELS      (COMMUNICATORS * TAGS)

/* Sender and receiver go through the channels in opposite order; the data names the channel. */
static void open_all(mt_side_t *side, MPI_Comm *comm, bool sending, bool forward)
{
    for (int i = 0; i < CHANNELS; i++) {
        int c = forward ? i : CHANNELS - 1 - i;
        int tag = 100 + c % TAGS;
        MPI_Comm where = comm[c / TAGS];
        if (sending) {
            mt_psend(&side[c], 2, 500, 1, tag, where);
        } else {
            mt_precv(&side[c], 2, 500, 0, tag, where);
        }
        side[c].seed = (uint64_t) c;
    }
}

static void communicators_and_tags(void)
{
    MPI_Comm comm[COMMUNICATORS];
    mt_side_t side[CHANNELS];

    for (int i = 0; i < COMMUNICATORS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    }
    if (mt_rank() < 2) {
        open_all(side, comm, 0 == mt_rank(), 0 == mt_rank());
        for (int iteration = 0; iteration < 2; iteration++) {
            for (int c = 0; c < CHANNELS; c++) {
                mt_start(&side[c]);
                if (side[c].sending) {
                    mt_side_fill(&side[c], -1, iteration);
                    mt_ready(&side[c], -1);
                }
            }
            for (int c = 0; c < CHANNELS; c++) {
                mt_finish(&side[c].request, MPI_STATUS_IGNORE);
                if (!side[c].sending) {
                    mt_side_verify(&side[c], -1, iteration);
                }
            }
        }
        for (int c = 0; c < CHANNELS; c++) {
            mt_drop(&side[c]);
        }
    }
    for (int i = 0; i < COMMUNICATORS; i++) {
        MPI_Comm_free(&comm[i]);
    }
}

/* A communicator whose ranks are those of MPI_COMM_WORLD reversed: equal numbers, other
 * processes. */
static void reversed_ranks(void)
{
    MPI_Comm reversed;
    mt_side_t a;
    mt_side_t b;
    int last = mt_size() - 1;

    MPI_Comm_split(MPI_COMM_WORLD, 0, last - mt_rank(), &reversed);
    if (0 == mt_rank()) {
        mt_psend(&a, 1, 64, last, 7, MPI_COMM_WORLD);
        mt_precv(&b, 1, 64, 0, 7, reversed); /* rank 0 of reversed is the last process */
    } else if (last == mt_rank()) {
        mt_psend(&b, 1, 64, last, 7, reversed);
        mt_precv(&a, 1, 64, 0, 7, MPI_COMM_WORLD);
    }
    if (0 == mt_rank() || last == mt_rank()) {
        a.seed = 1;
        b.seed = 2;
        mt_side_t *sending = a.sending ? &a : &b;
        mt_side_t *receiving = a.sending ? &b : &a;
        mt_start(receiving);
        mt_cycle(sending, 0);
        mt_finish(&receiving->request, MPI_STATUS_IGNORE);
        mt_side_verify(receiving, -1, 0);
        mt_drop(&a);
        mt_drop(&b);
    }
    MPI_Comm_free(&reversed);
}

static void sources(void)
{
    mt_side_t side[2];

    if (0 == mt_rank()) {
        mt_precv(&side[0], 2, 300, 2, 9, MPI_COMM_WORLD);
        mt_precv(&side[1], 2, 300, 1, 9, MPI_COMM_WORLD);
        side[0].seed = 2;
        side[1].seed = 1;
        mt_cycle(&side[0], 0);
        mt_cycle(&side[1], 0);
        mt_drop(&side[0]);
        mt_drop(&side[1]);
    } else if (mt_rank() < 3) {
        mt_psend(&side[0], 2, 300, 0, 9, MPI_COMM_WORLD);
        side[0].seed = (uint64_t) mt_rank();
        mt_cycle(&side[0], 0);
        mt_drop(&side[0]);
    }
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 3);
    communicators_and_tags();
    mt_result("%d communicators x %d tags do not cross-match", COMMUNICATORS, TAGS);
    reversed_ranks();
    mt_result("equal ranks of different communicators are different processes");
    sources();
    mt_result("equal tags from different sources do not cross-match");
    return mt_end();
}
