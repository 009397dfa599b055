/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The six reductions give what MPI's blocking ones give: every operator on every datatype that it
 * fits, operators of the user's that commute and that do not, datatypes with gaps, all roots, in
 * place, no elements, blocks of different sizes.
 *
 * Of predefined datatypes these are missing: those of Fortran, and MPI_LONG_DOUBLE, whose padding
 * makes equal numbers differ.
 */

#include "../support/pcoll.h"

#define ITERATIONS 2
#define KINDS      (PC_EXSCAN - PC_REDUCE + 1)

static pc_spec_t spec_of(pc_kind_t kind, int op, int number)
{
    int draw = op * PC_NUMBERS + number;
    pc_spec_t spec = {.kind = kind,
                      .comm = MPI_COMM_WORLD,
                      .root = draw % mt_size(),
                      .in_place = 0 != draw % 2,
                      .uneven = 0 != draw % 3,
                      .seed = (uint64_t) (1000 * (int) kind + draw),
                      .base = 12,
                      .unit = 5,
                      .op = op,
                      .number = number};
    return spec;
}

/* What programs use most. */
static bool is_common(int number)
{
    switch (number) {
    case PC_NUMBER_INT:
    case PC_NUMBER_LONG:
    case PC_NUMBER_FLOAT:
    case PC_NUMBER_DOUBLE:
    case PC_NUMBER_2INT:
    case PC_NUMBER_FLOAT_INT:
    case PC_NUMBER_DOUBLE_INT:
        return true;
    default:
        return number >= PC_NUMBER_PAIR;
    }
}

/* Algorithms do not see operators and elements, but for the order: where one is forced, or there
 * are many ranks, only the pairs, whose operators have one, are common. */
static bool is_common_here(int number)
{
    return 0 == pc_forced() && mt_size() <= 5 ? is_common(number) : number >= PC_NUMBER_PAIR;
}

/* Operators and elements are the same for all kinds: what is common is reduced by each of them,
 * every other combination by one; with each algorithm that is forced by another one. */
static void every_operator(pc_kind_t kind, mt_random_t *random)
{
    for (int op = 0; op < PC_OPS; op++) {
        for (int number = 0; number < PC_NUMBERS; number++) {
            bool common = is_common_here(number);
            bool due = common || PC_REDUCE + (op + number + pc_forced()) % KINDS == (int) kind;

            if (due && pc_op_fits(op, number)) {
                pc_spec_t spec = spec_of(kind, op, number);
                pc_run(&spec, common ? ITERATIONS : 1, random);
            }
        }
    }
}

static void every_root(pc_kind_t kind, mt_random_t *random)
{
    for (int root = 0; root < mt_size(); root++) {
        pc_spec_t spec = root % 2 ? spec_of(kind, PC_OP_USER_ORDERED, PC_NUMBER_GAPS)
                                  : spec_of(kind, PC_OP_SUM, PC_NUMBER_DOUBLE);
        spec.root = root;
        spec.in_place = 0 == root % 3;
        pc_run(&spec, ITERATIONS, random);
    }
}

/* One partition, many, fewer elements than ranks, none, and more than one transfer can take. */
static void every_size(pc_kind_t kind, mt_random_t *random)
{
    static const int sizes[][3] = {{1, 1, 1}, {3, 1, 3}, {60, 11, 60}, {12, 0, 4}, {2, 50000, 2}};

    for (int i = 0; i < (int) (sizeof(sizes) / sizeof(sizes[0])); i++) {
        for (int in_place = 0; in_place < 2; in_place++) {
            pc_spec_t spec = spec_of(kind, PC_OP_SUM, PC_NUMBER_FLOAT);

            spec.base = sizes[i][0];
            spec.unit = sizes[i][1];
            spec.send_cut = sizes[i][2];
            spec.in_place = in_place;
            spec.uneven = false;
            pc_run(&spec, ITERATIONS, random);
        }
    }
}

/* Gaps and order in long partitions, too: the staging memory of the buffers is cut in transfers. */
static void large_pairs(pc_kind_t kind, mt_random_t *random)
{
    for (int number = PC_NUMBER_PAIR; number <= PC_NUMBER_GAPS; number++) {
        for (int op = PC_OP_USER_COMMUTES; op <= PC_OP_USER_ORDERED; op++) {
            pc_spec_t spec = spec_of(kind, op, number);

            spec.unit = 4000;
            spec.send_cut = 3;
            pc_run(&spec, ITERATIONS, random);
        }
    }
}

int main(int argc, char **argv)
{
    mt_random_t random;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    mt_random_seed(&random, (uint64_t) (1 + mt_rank()));
    pc_world_make();
    for (pc_kind_t kind = PC_REDUCE; kind <= PC_EXSCAN; kind++) {
        if (!pc_due(kind)) {
            continue;
        }
        const char *name = pc_traits[kind].name;

        every_operator(kind, &random);
        mt_result("%s gives what MPI's gives, with every operator", name);
        every_size(kind, &random);
        if (pc_traits[kind].rooted) {
            every_root(kind, &random);
        }
        mt_result("%s gives what MPI's gives, of every size", name);
        large_pairs(kind, &random);
        mt_result("%s gives what MPI's gives, of long partitions with gaps", name);
    }
    pc_world_drop();
    return mt_end();
}
