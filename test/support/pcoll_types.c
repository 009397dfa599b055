/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Datatypes and operators of the tests of collectives.
 */

#include "pcoll.h"
#include "types.h"

#include <stdint.h>
#include <string.h>

#define WORD ((MPI_Aint) sizeof(int))

/* Extents of the three kinds of pairs; user functions know them by these. */
#define EXTENT_PAIR   (2 * WORD)
#define EXTENT_VECTOR (4 * WORD)
#define EXTENT_GAPS   (7 * WORD)

static struct {
    mt_named_type_t types[MT_TYPES];
    MPI_Datatype pair[3];
    MPI_Op commutes;
    MPI_Op ordered;
} world;

/* Where the two words of a pair are. */
static void words_of(MPI_Aint extent, MPI_Aint offset[2])
{
    offset[0] = EXTENT_GAPS == extent ? -WORD : 0;
    offset[1] = EXTENT_PAIR == extent ? WORD : EXTENT_VECTOR == extent ? 3 * WORD : 2 * WORD;
}

typedef struct {
    uint32_t a;
    uint32_t b;
} pair_t;

static pair_t load(const char *element, const MPI_Aint offset[2])
{
    pair_t pair;

    memcpy(&pair.a, element + offset[0], sizeof(pair.a));
    memcpy(&pair.b, element + offset[1], sizeof(pair.b));
    return pair;
}

static void store(char *element, const MPI_Aint offset[2], pair_t pair)
{
    memcpy(element + offset[0], &pair.a, sizeof(pair.a));
    memcpy(element + offset[1], &pair.b, sizeof(pair.b));
}

static pair_t add_up(pair_t left, pair_t right)
{
    return (pair_t){left.a + right.a, left.b ^ right.b};
}

/* x -> a x + b, first left, then right: associative, and of no other order. */
static pair_t compose(pair_t left, pair_t right)
{
    return (pair_t){left.a * right.a, left.b * right.a + right.b};
}

static void apply(pair_t (*operation)(pair_t, pair_t), const char *in, char *inout, int count,
                  MPI_Datatype type)
{
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Aint offset[2];

    MPI_Type_get_extent(type, &lower, &extent);
    words_of(extent, offset);
    for (int i = 0; i < count; i++) {
        store(inout + i * extent, offset,
              operation(load(in + i * extent, offset), load(inout + i * extent, offset)));
    }
}

static void user_commutes(void *in, void *inout, int *count, MPI_Datatype *type)
{
    apply(add_up, in, inout, *count, *type);
}

static void user_ordered(void *in, void *inout, int *count, MPI_Datatype *type)
{
    apply(compose, in, inout, *count, *type);
}

static MPI_Datatype pair_with_gaps(void)
{
    int lengths[2] = {1, 1};
    MPI_Aint displacements[2] = {-WORD, 2 * WORD};
    MPI_Datatype words[2] = {MPI_INT, MPI_INT};
    MPI_Datatype inner;
    MPI_Datatype outer;

    MPI_Type_create_struct(2, lengths, displacements, words, &inner);
    MPI_Type_create_resized(inner, -2 * WORD, EXTENT_GAPS, &outer);
    MPI_Type_free(&inner);
    return outer;
}

void pc_world_make(void)
{
    mt_types_make(world.types);
    MPI_Type_contiguous(2, MPI_INT, &world.pair[0]);
    MPI_Type_vector(2, 1, 3, MPI_INT, &world.pair[1]);
    world.pair[2] = pair_with_gaps();
    for (int i = 0; i < 3; i++) {
        MPI_Type_commit(&world.pair[i]);
    }
    MPI_Op_create(user_commutes, 1, &world.commutes);
    MPI_Op_create(user_ordered, 0, &world.ordered);
}

void pc_world_drop(void)
{
    mt_types_free(world.types);
    for (int i = 0; i < 3; i++) {
        MPI_Type_free(&world.pair[i]);
    }
    MPI_Op_free(&world.commutes);
    MPI_Op_free(&world.ordered);
}

MPI_Datatype pc_type(int index)
{
    switch (index) {
    case PC_TYPE_INT:
        return MPI_INT;
    case PC_TYPE_DOUBLE:
        return MPI_DOUBLE;
    case PC_TYPE_FLOAT:
        return MPI_FLOAT;
    default:
        return world.types[index].type;
    }
}

MPI_Datatype pc_number(int index)
{
    const MPI_Datatype named[PC_NUMBER_PAIR] = {
        MPI_INT,      MPI_LONG,     MPI_INT8_T,         MPI_INT16_T,         MPI_UINT8_T,
        MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T,       MPI_FLOAT,           MPI_DOUBLE,
        MPI_C_FLOAT_COMPLEX,        MPI_C_DOUBLE_COMPLEX, MPI_C_BOOL,        MPI_BYTE,
        MPI_2INT,     MPI_FLOAT_INT, MPI_DOUBLE_INT,    MPI_SHORT_INT,       MPI_LONG_INT};

    return index < PC_NUMBER_PAIR ? named[index] : world.pair[index - PC_NUMBER_PAIR];
}

MPI_Op pc_op(int index)
{
    const MPI_Op named[PC_OP_USER_COMMUTES] = {MPI_SUM,  MPI_PROD, MPI_MIN,    MPI_MAX,
                                               MPI_LAND, MPI_LOR,  MPI_LXOR,   MPI_BAND,
                                               MPI_BOR,  MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};

    if (PC_OP_USER_COMMUTES == index) {
        return world.commutes;
    }
    return PC_OP_USER_ORDERED == index ? world.ordered : named[index];
}

const char *pc_number_name(int index)
{
    static const char *const names[PC_NUMBERS] = {
        "MPI_INT", "MPI_LONG", "MPI_INT8_T", "MPI_INT16_T", "MPI_UINT8_T", "MPI_UINT16_T",
        "MPI_UINT32_T", "MPI_UINT64_T", "MPI_FLOAT", "MPI_DOUBLE", "MPI_C_FLOAT_COMPLEX",
        "MPI_C_DOUBLE_COMPLEX", "MPI_C_BOOL", "MPI_BYTE", "MPI_2INT", "MPI_FLOAT_INT",
        "MPI_DOUBLE_INT", "MPI_SHORT_INT", "MPI_LONG_INT", "pairs", "pairs with a gap",
        "pairs with gaps"};

    return names[index];
}

const char *pc_op_name(int index)
{
    static const char *const names[PC_OPS] = {
        "MPI_SUM", "MPI_PROD", "MPI_MIN", "MPI_MAX", "MPI_LAND", "MPI_LOR", "MPI_LXOR", "MPI_BAND",
        "MPI_BOR", "MPI_BXOR", "MPI_MINLOC", "MPI_MAXLOC", "user's operator",
        "user's ordered operator"};

    return names[index];
}

static bool is_integer(int number)
{
    return number <= PC_NUMBER_UINT64;
}

bool pc_op_fits(int op, int number)
{
    switch (op) {
    case PC_OP_SUM:
    case PC_OP_PROD:
        return number <= PC_NUMBER_DOUBLE_COMPLEX;
    case PC_OP_MIN:
    case PC_OP_MAX:
        return number <= PC_NUMBER_DOUBLE;
    case PC_OP_LAND:
    case PC_OP_LOR:
    case PC_OP_LXOR:
        return is_integer(number) || PC_NUMBER_BOOL == number;
    case PC_OP_BAND:
    case PC_OP_BOR:
    case PC_OP_BXOR:
        return is_integer(number) || PC_NUMBER_BYTE == number;
    case PC_OP_MINLOC:
    case PC_OP_MAXLOC:
        return number >= PC_NUMBER_2INT && number <= PC_NUMBER_LONG_INT;
    default:
        return number >= PC_NUMBER_PAIR;
    }
}

pc_spec_t pc_plain(pc_kind_t kind, MPI_Comm comm, int cut, int unit, uint64_t seed)
{
    return (pc_spec_t){.kind = kind,
                       .comm = comm,
                       .seed = seed * PC_KINDS + (uint64_t) kind,
                       .base = cut,
                       .unit = unit,
                       .send_cut = cut,
                       .recv_cut = cut,
                       .send_type = PC_TYPE_INT,
                       .recv_type = PC_TYPE_INT,
                       .op = PC_OP_SUM,
                       .number = PC_NUMBER_DOUBLE};
}

MPI_Comm pc_ring(void)
{
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){mt_size()}, (int[]){1}, 0, &comm);
    return comm;
}
