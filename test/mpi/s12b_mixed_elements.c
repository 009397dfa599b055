/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S12. Elements of basic types of different sizes, with gaps between them, on one side or on both.
 * Where a large partition is cut in slices, it is cut in the middle of basic elements.
 */

#include "../support/side.h"

#include <stdlib.h>
#include <string.h>

#define TAG    12
#define FIELDS 3

typedef struct {
    const char *name;
    int fields;
    int bytes[FIELDS];
    int at[FIELDS]; /* with gaps */
    int extent;     /* with gaps */
    const char *kinds; /* of the fields, see basic() */
} shape_t;

static const shape_t shapes[] = {
    {"char, double", 2, {1, 8}, {0, 8}, 16, "cd"},
    {"int, double", 2, {4, 8}, {0, 8}, 16, "id"},
    {"short, int", 2, {2, 4}, {0, 4}, 8, "si"},
    {"char, int", 2, {1, 4}, {0, 4}, 8, "ci"},
    {"double, char, complex double", 3, {8, 1, 16}, {16, 4, 24}, 48, "dcz"},
    {"complex long double, short", 2, {32, 2}, {16, 0}, 48, "ls"},
};

typedef struct {
    int partitions[2]; /* sender, receiver */
    int count[2];      /* elements of a partition */
} cut_t;

static const cut_t cuts[] = {
    {{1, 1}, {30000, 30000}}, {{4, 4}, {3000, 3000}}, {{4, 3}, {3000, 4000}},
    {{1, 7}, {7000, 1000}},   {{5, 5}, {7, 7}},
};

/* One side: the memory, and where each packed byte of the message is in it. */
typedef struct {
    MPI_Datatype type;
    size_t elements, extent, size; /* of an element: in memory and packed */
    const shape_t *shape;
    bool gaps;
    unsigned char *memory;
} area_t;

static MPI_Datatype basic(char kind)
{
    switch (kind) {
    case 'c': return MPI_CHAR;
    case 's': return MPI_SHORT;
    case 'i': return MPI_INT;
    case 'd': return MPI_DOUBLE;
    case 'z': return MPI_C_DOUBLE_COMPLEX;
    default: return MPI_C_LONG_DOUBLE_COMPLEX;
    }
}

static MPI_Datatype type_of(const shape_t *shape, const MPI_Aint at[FIELDS], size_t extent)
{
    const int lengths[FIELDS] = {1, 1, 1};
    MPI_Datatype types[FIELDS], inner, outer;

    for (int f = 0; f < shape->fields; f++) {
        types[f] = basic(shape->kinds[f]);
    }
    MPI_Type_create_struct(shape->fields, lengths, at, types, &inner);
    MPI_Type_create_resized(inner, 0, (MPI_Aint) extent, &outer);
    MPI_Type_free(&inner);
    MPI_Type_commit(&outer);
    return outer;
}

static void area_make(area_t *area, const shape_t *shape, bool gaps, size_t elements)
{
    MPI_Aint at[FIELDS];

    area->size = 0;
    for (int f = 0; f < shape->fields; f++) {
        at[f] = gaps ? shape->at[f] : (MPI_Aint) area->size;
        area->size += (size_t) shape->bytes[f];
    }
    area->shape = shape;
    area->gaps = gaps;
    area->elements = elements;
    area->extent = gaps ? (size_t) shape->extent : area->size;
    area->type = type_of(shape, at, area->extent);
    area->memory = mt_alloc(elements * area->extent);
    memset(area->memory, (int) MT_SENTINEL, elements * area->extent);
}

static void area_drop(area_t *area)
{
    MPI_Type_free(&area->type);
    free(area->memory);
}

/* Of a byte of the packed message. */
static unsigned char content(size_t position, int iteration)
{
    unsigned value = (unsigned) (position * 2654435761u >> 7) + 77u * (unsigned) iteration;

    return (unsigned char) (value % 251);
}

/* Bytes of a long double that are none of its value; Open MPI does not always copy them. */
static bool is_padding(char kind, int byte)
{
    return 'l' == kind && byte % 16 >= 10;
}

/* Fills an element, or counts its bytes that are wrong, those of gaps among them. */
static size_t visit_element(area_t *area, size_t element, int iteration, bool fill)
{
    unsigned char *memory = area->memory + element * area->extent;
    const shape_t *shape = area->shape;
    size_t position = element * area->size;
    size_t kept = 0, wrong = 0;

    for (int f = 0; f < shape->fields; f++) {
        size_t at = area->gaps ? (size_t) shape->at[f] : position - element * area->size;
        for (int b = 0; b < shape->bytes[f]; b++) {
            unsigned char expected = content(position++, iteration);
            if (fill) {
                memory[at + (size_t) b] = expected;
            }
            kept += MT_SENTINEL == memory[at + (size_t) b] ? 1 : 0;
            wrong += expected != memory[at + (size_t) b] && !is_padding(shape->kinds[f], b) ? 1 : 0;
        }
    }
    /* Those of gaps are sentinels: no others differ from that. */
    return wrong + mt_differ(memory, area->extent, MT_SENTINEL) - (area->size - kept);
}

static size_t visit(area_t *area, int iteration, bool fill)
{
    size_t wrong = 0;

    for (size_t e = 0; e < area->elements; e++) {
        wrong += visit_element(area, e, iteration, fill);
    }
    return wrong;
}

static void run(const shape_t *shape, const cut_t *cut, bool sender_gaps, bool receiver_gaps)
{
    int me = mt_rank();
    int partitions = cut->partitions[me], count = cut->count[me];
    MPI_Request request = MPI_REQUEST_NULL;
    area_t area;

    area_make(&area, shape, 0 == me ? sender_gaps : receiver_gaps, (size_t) partitions * count);
    if (0 == me) {
        mt_success(MPI_Psend_init(area.memory, partitions, count, area.type, 1, TAG,
                                  MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                   "MPI_Psend_init");
    } else {
        mt_success(MPI_Precv_init(area.memory, partitions, count, area.type, 0, TAG,
                                  MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                   "MPI_Precv_init");
    }
    for (int iteration = 0; iteration < 2; iteration++) {
        mt_success(MPI_Start(&request), "MPI_Start");
        if (0 == me) {
            (void) visit(&area, iteration, true);
            for (int i = partitions - 1; i >= 0; i--) {
                mt_success(MPI_Pready(i, request), "MPI_Pready");
            }
        }
        mt_finish(&request, MPI_STATUS_IGNORE);
        size_t wrong = visit(&area, iteration, false);
        mt_check(0 == wrong, "%d x %d elements, iteration %d: %zu bytes are wrong", partitions,
                 count, iteration, wrong);
    }
    mt_free(&request);
    area_drop(&area);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++) {
            for (int gaps = 1; gaps < 4; gaps++) {
                mt_stage("%s, cut %zu, gaps %d", shapes[s].name, c, gaps);
                run(&shapes[s], &cuts[c], 0 != (gaps & 1), 0 != (gaps & 2));
            }
        }
        mt_result("elements of %s, with gaps on one side or both", shapes[s].name);
    }
    return mt_end();
}
