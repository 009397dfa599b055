/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random programs of partitioned collectives of all kinds and partitioned channels, all of them
 * active at the same time on several communicators: random kinds, roots, operators, datatypes,
 * cuts, sizes, in place or not. Threads mark partitions in random orders and poll others; requests
 * are started and waited for in random orders and ways; ranks pause at random; some requests are
 * freed without having been started. Every byte of a result partition is checked the moment
 * MPI_Parrived reports it, everything after completion.
 *
 * All ranks draw a round from the same numbers, and orders and pauses from numbers of their own. A
 * failure names the round: --seed S --first R --rounds 1 plays it again.
 */

#include "blend.h"
#include "rounds.h"

#include <string.h>

static mt_option_t options[] = {
    ROUNDS_OPTIONS,
    {"threads", "at most, in each rank", 3, false},
    {"collectives", "at most, in a round", 8, false},
    {"channels", "at most, in a round", 6, false},
    {"kib", "largest buffer, KiB", 1024, false},
    {NULL, NULL, 0, false},
};

static void world_make(blend_world_t *world)
{
    world->threads = (int) mt_option(options, "threads");
    world->max_collectives = (int) mt_option(options, "collectives");
    world->max_channels = (int) mt_option(options, "channels");
    world->max_bytes = (size_t) mt_option(options, "kib") * 1024;
    world->threads = world->threads > BLEND_MAX_THREADS ? BLEND_MAX_THREADS : world->threads;
    if (world->max_collectives > BLEND_MAX_COLLECTIVES) {
        world->max_collectives = BLEND_MAX_COLLECTIVES;
    }
    if (world->max_channels > BLEND_MAX_CHANNELS) {
        world->max_channels = BLEND_MAX_CHANNELS;
    }
    world->comm[0] = pc_ring();
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){mt_size(), 1}, (int[]){0, 1}, 0, &world->comm[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -mt_rank(), &world->comm[2]);
    MPI_Comm_split(MPI_COMM_WORLD, mt_rank() % 2, mt_rank(), &world->comm[3]);
}

/* Small numbers are frequent, large ones happen. */
static int skewed(mt_random_t *random, int bound)
{
    int value = mt_random_below(random, bound);
    int other = mt_random_below(random, bound);

    return value < other ? value : other;
}

/* Elements in a block, 0 now and then, so that no buffer becomes too large. */
static int draw_unit(mt_random_t *random, int base, size_t max_bytes)
{
    int most = (int) (max_bytes / ((size_t) base * 24 * (size_t) mt_size() * 2));
    int bits = 0;

    while (bits < 24 && (1 << (bits + 1)) <= most) {
        bits++;
    }
    if (0 == mt_random_below(random, 20)) {
        return 0;
    }
    return 1 + mt_random_below(random, 1 << mt_random_below(random, bits + 1));
}

static void draw_numbers(mt_random_t *random, pc_spec_t *spec)
{
    spec->op = mt_random_below(random, PC_OPS);
    do {
        spec->number = mt_random_below(random, PC_NUMBERS);
    } while (!pc_op_fits(spec->op, spec->number));
}

static void draw_spec(mt_random_t *random, const blend_world_t *world, pc_spec_t *spec)
{
    static const int bases[] = {1, 2, 6, 12, 24, 60};
    int comm = mt_random_below(random, BLEND_COMMUNICATORS);
    int size = 3 == comm && mt_size() > 1 ? mt_size() / 2 : mt_size();
    int same = mt_random_below(random, 2);

    spec->kind = (pc_kind_t) mt_random_below(random, comm < 2 ? PC_KINDS : PC_EXSCAN + 1);
    spec->comm = world->comm[comm];
    spec->root = mt_random_below(random, size);
    spec->in_place = 0 == mt_random_below(random, 3);
    spec->uneven = 0 == mt_random_below(random, 2);
    spec->seed = mt_random_next(random);
    spec->base = bases[mt_random_below(random, 6)];
    spec->unit = draw_unit(random, spec->base, world->max_bytes);
    spec->send_type = same ? PC_TYPE_INT : PC_TYPE_DRAWN;
    spec->recv_type = same ? PC_TYPE_INT : PC_TYPE_DRAWN;
    draw_numbers(random, spec);
}

static void draw_channel(mt_random_t *random, const blend_world_t *world, blend_channel_t *channel)
{
    channel->source = mt_random_below(random, mt_size());
    channel->dest = mt_random_below(random, mt_size());
    channel->send_cut = 1 + skewed(random, 40);
    channel->recv_cut = 1 + skewed(random, 40);
    size_t step = (size_t) channel->send_cut * (size_t) channel->recv_cut;
    channel->bytes = step * (size_t) (1 + skewed(random, (int) (world->max_bytes / step)));
    channel->iterations = 1 + skewed(random, 5);
}

static void draw(blend_t *blend, const blend_world_t *world, uint64_t seed, int round)
{
    mt_random_t random;

    memset(blend, 0, sizeof(*blend));
    mt_random_seed(&random, seed * 104729u + (uint64_t) round * 1000000007u);
    blend->seed = seed;
    blend->round = round;
    blend->collectives = 1 + mt_random_below(&random, world->max_collectives);
    blend->channels = mt_random_below(&random, world->max_channels + 1);
    for (int c = 0; c < blend->collectives; c++) {
        draw_spec(&random, world, &blend->spec[c]);
        blend->coll_iterations[c] = skewed(&random, 6);
        if (blend->coll_iterations[c] > blend->iterations) {
            blend->iterations = blend->coll_iterations[c];
        }
    }
    for (int c = 0; c < blend->channels; c++) {
        draw_channel(&random, world, &blend->channel[c]);
        if (blend->channel[c].iterations > blend->iterations) {
            blend->iterations = blend->channel[c].iterations;
        }
    }
}

static void play(void *context, uint64_t seed, int round)
{
    static blend_t blend;
    const blend_world_t *world = context;

    draw(&blend, world, seed, round);
    if (0 != mt_option(options, "verbose") && 0 == mt_rank()) {
        mt_note("round %d: %d collectives, %d channels, %d iterations", round, blend.collectives,
                blend.channels, blend.iterations);
    }
    blend_run(&blend, world);
}

int main(int argc, char **argv)
{
    blend_world_t world;
    uint64_t seed;

    mt_options_read(options, argc, argv);
    int threads = (int) mt_option(options, "threads");
    mt_begin(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, 1);
    pc_world_make();
    world_make(&world);
    int done = rounds_play(options, &seed, play, &world);
    for (int i = 0; i < BLEND_COMMUNICATORS; i++) {
        MPI_Comm_free(&world.comm[i]);
    }
    pc_world_drop();
    mt_result("%d rounds of random collectives and channels, seed %llu", done,
              (unsigned long long) seed);
    return mt_end();
}
