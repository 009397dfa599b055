/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Datatypes of every shape with one signature: six ints per element, whatever the extent.
 */

#include "types.h"

#define INTS 6
#define WORD ((MPI_Aint) sizeof(int))

static MPI_Datatype resized(MPI_Datatype inner, MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype outer;

    MPI_Type_create_resized(inner, lower, extent, &outer);
    MPI_Type_free(&inner);
    return outer;
}

static MPI_Datatype contiguous(void)
{
    MPI_Datatype type;

    MPI_Type_contiguous(INTS, MPI_INT, &type);
    return type;
}

static MPI_Datatype vector(int blocks, int length, int stride)
{
    MPI_Datatype type;

    MPI_Type_vector(blocks, length, stride, MPI_INT, &type);
    return type;
}

static MPI_Datatype indexed(void)
{
    const int lengths[3] = {1, 3, 2};
    const int displacements[3] = {9, 0, 5};
    MPI_Datatype type;

    MPI_Type_indexed(3, lengths, displacements, MPI_INT, &type);
    return type;
}

static MPI_Datatype structure(void)
{
    int lengths[3] = {2, 3, 1};
    MPI_Aint displacements[3] = {2 * WORD, 5 * WORD, 0};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Datatype type;

    MPI_Type_create_struct(3, lengths, displacements, types, &type);
    return type;
}

/* Blocks of this element end inside the extent of the next one: elements interleave in memory. */
static MPI_Datatype interleaved(void)
{
    return resized(vector(2, 3, 6), 0, 12 * WORD);
}

static MPI_Datatype subarray(void)
{
    int sizes[2] = {4, 5};
    int parts[2] = {2, 3};
    int starts[2] = {1, 2};
    MPI_Datatype type;

    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
    return type;
}

void mt_types_make(mt_named_type_t types[MT_TYPES])
{
    types[0] = (mt_named_type_t){"contiguous", contiguous()};
    types[1] = (mt_named_type_t){"vector", vector(3, 2, 4)};
    types[2] =
        (mt_named_type_t){"contiguous with a gap behind", resized(contiguous(), 0, 8 * WORD)};
    types[3] = (mt_named_type_t){"contiguous with a gap in front",
                                 resized(contiguous(), -3 * WORD, 9 * WORD)};
    types[4] = (mt_named_type_t){"indexed", indexed()};
    types[5] = (mt_named_type_t){"struct", structure()};
    types[6] = (mt_named_type_t){"interleaved", interleaved()};
    types[7] = (mt_named_type_t){"subarray", subarray()};
    types[8] = (mt_named_type_t){"negative stride", vector(3, 2, -3)};
    for (int i = 0; i < MT_TYPES; i++) {
        MPI_Type_commit(&types[i].type);
    }
}

void mt_types_free(mt_named_type_t types[MT_TYPES])
{
    for (int i = 0; i < MT_TYPES; i++) {
        MPI_Type_free(&types[i].type);
    }
}
