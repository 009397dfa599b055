/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The ten collectives that move data give what MPI's blocking ones give: all roots, in place,
 * equal and different cuts and datatypes on both sides, empty blocks, blocks of different sizes in
 * any order with space between.
 */

#include "../support/pcoll.h"

#define ITERATIONS 2

typedef struct {
    int base;
    int unit;
    int send_cut;
    int recv_cut;
    int send_type;
    int recv_type;
    bool uneven;
    bool in_place;
} variant_t;

static const variant_t variants[] = {
    {1, 1, 1, 1, PC_TYPE_INT, PC_TYPE_INT, false, false},
    {12, 5, 4, 4, PC_TYPE_DOUBLE, PC_TYPE_DOUBLE, false, false},
    {12, 1, 12, 1, PC_TYPE_FLOAT, PC_TYPE_FLOAT, false, false},
    {12, 40, 3, 4, PC_TYPE_INT, PC_TYPE_INT, false, false},
    {12, 0, 3, 2, PC_TYPE_INT, PC_TYPE_INT, false, false},
    {12, 2, 0, 0, PC_TYPE_DRAWN, PC_TYPE_DRAWN, false, false},
    {60, 7, 0, 0, PC_TYPE_DRAWN, PC_TYPE_DRAWN, true, false},
    {6, 3, 0, 0, 1, PC_TYPE_INT, true, false},
    {6, 3, 0, 0, PC_TYPE_INT, 3, true, false},
    {12, 3, 0, 0, 5, 8, false, true},
    {12, 10, 0, 0, PC_TYPE_INT, PC_TYPE_INT, true, true},
};

#define VARIANTS ((int) (sizeof(variants) / sizeof(variants[0])))

static pc_spec_t spec_of(pc_kind_t kind, const variant_t *variant, int number)
{
    pc_spec_t spec = {.kind = kind,
                      .comm = MPI_COMM_WORLD,
                      .root = number % mt_size(),
                      .in_place = variant->in_place,
                      .uneven = variant->uneven,
                      .seed = (uint64_t) (100 * (int) kind + number),
                      .base = variant->base,
                      .unit = variant->unit,
                      .send_cut = variant->send_cut,
                      .recv_cut = variant->recv_cut,
                      .send_type = variant->send_type,
                      .recv_type = variant->recv_type};
    return spec;
}

/* A variant that says nothing new of a kind. */
static bool is_new(pc_kind_t kind, const variant_t *variant)
{
    const pc_trait_t *trait = &pc_traits[kind];

    return (trait->vector || !variant->uneven) && (trait->in_place || !variant->in_place);
}

static void every_root(pc_kind_t kind, mt_random_t *random)
{
    for (int root = 0; root < mt_size(); root++) {
        pc_spec_t spec = spec_of(kind, &variants[root % 2 ? 3 : 5], 50 + root);

        spec.root = root;
        spec.in_place = 0 == root % 3;
        pc_run(&spec, ITERATIONS, random);
    }
}

/* More than one transfer for a partition. */
static void large(pc_kind_t kind, mt_random_t *random)
{
    pc_spec_t spec = spec_of(kind, &variants[3], 90);

    spec.unit = 24000 / (mt_size() * (pc_traits[kind].many_to ? 2 : 1));
    pc_run(&spec, ITERATIONS, random);
}

int main(int argc, char **argv)
{
    mt_random_t random;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    mt_random_seed(&random, (uint64_t) (1 + mt_rank()));
    pc_world_make();
    for (pc_kind_t kind = PC_BCAST; kind <= PC_ALLTOALLW; kind++) {
        if (!pc_due(kind)) {
            continue;
        }
        for (int v = 0; v < VARIANTS; v++) {
            if (is_new(kind, &variants[v])) {
                pc_spec_t spec = spec_of(kind, &variants[v], v);
                pc_run(&spec, ITERATIONS, &random);
            }
        }
        if (pc_traits[kind].rooted) {
            every_root(kind, &random);
        }
        large(kind, &random);
        mt_result("%s gives what MPI's gives", pc_traits[kind].name);
    }
    pc_world_drop();
    return mt_end();
}
