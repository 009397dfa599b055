/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S12. Types whose description holds loops, or blocks of several elements beside others, in
 * partitions of a few elements and of a part of one large element, marked in several orders, with
 * gaps on one side or both. What must be in the buffers is said by MPI_Pack and MPI_Unpack of the
 * whole message.
 */

#include "../support/side.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TAG     12
#define REPEATS 700 /* in a large element */

/* A type with gaps, or one of the same signature without. */
typedef MPI_Datatype (*make_t)(bool gaps);

static MPI_Datatype take(MPI_Datatype inner, MPI_Datatype outer)
{
    MPI_Type_free(&inner);
    return outer;
}

static MPI_Datatype resized(MPI_Datatype inner, MPI_Aint extent)
{
    MPI_Datatype outer;

    MPI_Type_create_resized(inner, 0, extent, &outer);
    return take(inner, outer);
}

static MPI_Datatype contiguous(int count, MPI_Datatype inner)
{
    MPI_Datatype outer;

    MPI_Type_contiguous(count, inner, &outer);
    return take(inner, outer);
}

static MPI_Datatype doubles(int count)
{
    MPI_Datatype type;

    MPI_Type_contiguous(count, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype subarray(bool gaps)
{
    int sizes[3] = {6, 7, 8};
    int parts[3] = {3, 4, 5};
    int starts[3] = {1, 2, 1};
    MPI_Datatype type;

    if (!gaps) {
        return doubles(60);
    }
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype int_and_double(bool gaps)
{
    int lengths[2] = {1, 1};
    MPI_Aint at[2] = {0, gaps ? 8 : 4};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype type;

    MPI_Type_create_struct(2, lengths, at, types, &type);
    return resized(type, gaps ? 16 : 12);
}

static MPI_Datatype blocks(bool gaps)
{
    int lengths[3] = {3, 5, 2};
    MPI_Aint at[3] = {0, gaps ? 16 : 12, gaps ? 64 : 52};
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};
    MPI_Datatype type;

    MPI_Type_create_struct(3, lengths, at, types, &type);
    return resized(type, gaps ? 72 : 56);
}

static MPI_Datatype row_of_structs(bool gaps)
{
    return contiguous(10, int_and_double(gaps));
}

static MPI_Datatype vector_of_vectors(bool gaps)
{
    MPI_Datatype inner, outer;

    if (!gaps) {
        return doubles(4 * 3 * 3 * 2);
    }
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &inner);
    MPI_Type_vector(4, 3, 5, inner, &outer);
    return take(inner, outer);
}

static MPI_Datatype vector_of_structs(bool gaps)
{
    MPI_Datatype inner = blocks(gaps);
    MPI_Datatype outer;

    if (!gaps) {
        return contiguous(6, inner);
    }
    MPI_Type_vector(3, 2, 3, inner, &outer);
    return take(inner, outer);
}

static const struct {
    const char *name;
    make_t make;
} types[] = {
    {"a subarray of three dimensions", subarray},
    {"structs of blocks", blocks},
    {"rows of structs", row_of_structs},
    {"vectors of vectors", vector_of_vectors},
    {"vectors of structs", vector_of_structs},
};

typedef struct {
    int partitions, count;
    bool large; /* an element is REPEATS of the type */
} cut_t;

static const cut_t cuts[] = {{8, 1, false}, {5, 37, false}, {1, 1, true}, {4, 2, true}};

static MPI_Datatype make(int type, const cut_t *cut, bool gaps)
{
    MPI_Datatype made = types[type].make(gaps);

    if (cut->large) {
        made = contiguous(REPEATS, made);
    }
    MPI_Type_commit(&made);
    return made;
}

typedef struct {
    MPI_Datatype type;
    int elements, packed; /* packed bytes of all */
    unsigned char *memory, *expected, *content;
    size_t span;
} area_t;

static void area_make(area_t *area, int type, const cut_t *cut, bool gaps)
{
    MPI_Aint lower, extent;
    int size;

    area->type = make(type, cut, gaps);
    area->elements = cut->partitions * cut->count;
    MPI_Type_get_extent(area->type, &lower, &extent);
    MPI_Type_size(area->type, &size);
    area->packed = size * area->elements;
    area->span = (size_t) extent * (size_t) area->elements;
    area->memory = mt_alloc(area->span);
    area->expected = mt_alloc(area->span);
    area->content = mt_alloc((size_t) area->packed);
    memset(area->memory, (int) MT_SENTINEL, area->span);
    memset(area->expected, (int) MT_SENTINEL, area->span);
}

static void area_drop(area_t *area)
{
    MPI_Type_free(&area->type);
    free(area->memory);
    free(area->expected);
    free(area->content);
}

/* What the memory must hold. */
static void expect(area_t *area, int iteration)
{
    int position = 0;

    for (int i = 0; i < area->packed; i++) {
        area->content[i] = (unsigned char) (((unsigned) i * 2654435761u >> 9) % 249
                                            + (unsigned) iteration);
    }
    MPI_Unpack(area->content, area->packed, &position, area->expected, area->elements, area->type,
               MPI_COMM_SELF);
}

/* In order; backwards; every other one, then the rest. */
static int nth(int i, int partitions, int iteration)
{
    int even = (partitions + 1) / 2;

    switch (iteration) {
    case 0: return i;
    case 1: return partitions - 1 - i;
    default: return i < even ? 2 * i : 2 * (i - even) + 1;
    }
}

static void mark(int partitions, int iteration, MPI_Request request)
{
    for (int i = 0; i < partitions; i++) {
        mt_success(MPI_Pready(nth(i, partitions, iteration), request), "MPI_Pready");
    }
}

static void run(int type, const cut_t *cut, bool gaps)
{
    MPI_Request request = MPI_REQUEST_NULL;
    area_t area;

    area_make(&area, type, cut, gaps);
    if (0 == mt_rank()) {
        mt_success(MPI_Psend_init(area.memory, cut->partitions, cut->count, area.type, 1, TAG,
                                  MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                   "MPI_Psend_init");
    } else {
        mt_success(MPI_Precv_init(area.memory, cut->partitions, cut->count, area.type, 0, TAG,
                                  MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                   "MPI_Precv_init");
    }
    for (int iteration = 0; iteration < 3; iteration++) {
        expect(&area, iteration);
        mt_success(MPI_Start(&request), "MPI_Start");
        mt_sync();
        if (0 == mt_rank()) {
            mt_progress(0.001); /* the receiver is known to be ready: what is marked leaves */
            memcpy(area.memory, area.expected, area.span);
            mark(cut->partitions, iteration, request);
        }
        mt_finish(&request, MPI_STATUS_IGNORE);
        mt_check(0 == memcmp(area.memory, area.expected, area.span),
                 "%d x %d%s elements, iteration %d: bytes are wrong", cut->partitions, cut->count,
                 cut->large ? " large" : "", iteration);
    }
    mt_free(&request);
    area_drop(&area);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++) {
            for (int gaps = 1; gaps < 4; gaps++) {
                mt_stage("%s, cut %zu, gaps %d", types[t].name, c, gaps);
                run((int) t, &cuts[c], 0 != (gaps >> mt_rank() & 1));
            }
        }
        mt_result("%s, with gaps on one side or both", types[t].name);
    }
    return mt_end();
}
