/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S12. Any part of a message of any type is packed and unpacked rightly, in any order: random types
 * of several levels, random parts, beside MPI_Pack and MPI_Unpack of the whole. This looks at
 * part_ucx_datatype.c alone. No complex numbers: MPI_Pack of Open MPI 5.0.7 itself is wrong for
 * those of 16 bytes that do not lie at multiples of 16 bytes from each other.
 */

#include "ompi_config.h"

#include "../support/side.h"

#include "channel/part_ucx_datatype.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 200000 /* of an element, and ten times that of a message */
#define PACKS      60     /* parts of a message */
#define PIECES     38     /* at most, in which a message is unpacked ... */
#define CONVERTORS 3      /* ... over so many paths */

static mt_random_t dice;

static int any(int below)
{
    return mt_random_below(&dice, below);
}

static MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint lower, extent;

    MPI_Type_get_extent(type, &lower, &extent);
    return extent;
}

/* ---- random types ---- */

static MPI_Datatype basic(void)
{
    const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_FLOAT, MPI_DOUBLE};
    MPI_Datatype type;

    MPI_Type_dup(types[any(5)], &type);
    return type;
}

static MPI_Datatype strided(MPI_Datatype inner)
{
    int length = 1 + any(3);
    MPI_Datatype type;

    MPI_Type_vector(1 + any(5), length, length + any(3), inner, &type);
    return type;
}

static MPI_Datatype indexed(MPI_Datatype inner)
{
    int length[4], at[4];
    int blocks = 2 + any(3);
    MPI_Datatype type;

    for (int i = 0, next = 0; i < blocks; i++) {
        at[i] = next + any(3);
        length[i] = 1 + any(3);
        next = at[i] + length[i];
    }
    MPI_Type_indexed(blocks, length, at, inner, &type);
    return type;
}

static MPI_Datatype subarray(MPI_Datatype inner)
{
    int sizes[3] = {3, 4, 5}, parts[3], starts[3];
    MPI_Datatype type;

    for (int i = 0; i < 3; i++) {
        parts[i] = 1 + any(sizes[i]);
        starts[i] = any(sizes[i] - parts[i] + 1);
    }
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, inner, &type);
    return type;
}

static MPI_Datatype structure(MPI_Datatype inner, MPI_Datatype other)
{
    int length[2] = {1 + any(4), 1 + any(4)};
    MPI_Datatype types[2] = {inner, other};
    MPI_Aint at[2] = {8 * any(2), 0};
    MPI_Datatype type;

    at[1] = (at[0] + length[0] * extent_of(inner) + 15) / 8 * 8 + 8 * any(2);
    MPI_Type_create_struct(2, length, at, types, &type);
    return type;
}

static MPI_Datatype around(MPI_Datatype inner)
{
    MPI_Datatype type, other;

    switch (any(6)) {
    case 0: MPI_Type_contiguous(1 + any(6), inner, &type); break;
    case 1: type = strided(inner); break;
    case 2: type = indexed(inner); break;
    case 3: type = subarray(inner); break;
    case 4:
        other = basic();
        type = structure(inner, other);
        MPI_Type_free(&other);
        break;
    default: MPI_Type_create_resized(inner, 0, extent_of(inner) + 8 * any(3), &type); break;
    }
    MPI_Type_free(&inner);
    return type;
}

static MPI_Datatype random_type(void)
{
    MPI_Datatype type = basic();

    for (int level = 1 + any(5); level > 0; level--) {
        type = around(type);
    }
    MPI_Type_commit(&type);
    return type;
}

/* ---- a message ---- */

typedef struct {
    MPI_Datatype type;
    int elements;
    size_t packed, span; /* bytes of the message, and of the memory that it lies in */
    unsigned char *memory, *message;
} sample_t;

static bool sample_make(sample_t *sample)
{
    MPI_Aint lower, true_extent;
    int size, position = 0;

    sample->type = random_type();
    MPI_Type_size(sample->type, &size);
    MPI_Type_get_true_extent(sample->type, &lower, &true_extent);
    if (size > MOST_BYTES || extent_of(sample->type) > 10 * MOST_BYTES) {
        MPI_Type_free(&sample->type);
        return false;
    }
    sample->elements = 1 + any(size < 10 ? 60 : 6);
    sample->packed = (size_t) size * (size_t) sample->elements;
    sample->span = (size_t) (extent_of(sample->type) * (sample->elements - 1) + lower
                             + true_extent);
    sample->memory = mt_alloc(sample->span);
    sample->message = mt_alloc(sample->packed);
    for (size_t i = 0; i < sample->span; i++) {
        sample->memory[i] = (unsigned char) (i * 2654435761u >> 11);
    }
    MPI_Pack(sample->memory, sample->elements, sample->type, sample->message,
             (int) sample->packed, &position, MPI_COMM_SELF);
    return true;
}

static void sample_drop(sample_t *sample)
{
    MPI_Type_free(&sample->type);
    free(sample->memory);
    free(sample->message);
}

static opal_convertor_t *convertors(const sample_t *sample, void *memory, bool is_send,
                                    uint32_t count)
{
    return mca_part_ucx_datatype_convertors((ompi_datatype_t *) sample->type,
                                            (size_t) sample->elements, memory, is_send, count);
}

static void pack_parts(const sample_t *sample)
{
    opal_convertor_t *convertor = convertors(sample, sample->memory, true, 1);
    size_t staging_size = 0;
    void *staging = NULL;

    for (int i = 0; i < PACKS; i++) {
        /* As slices begin, or anywhere. */
        size_t unit = 0 == any(2) ? 64 : 1;
        size_t offset = (size_t) any((int) sample->packed) / unit * unit;
        size_t length = 1 + (size_t) any((int) (sample->packed - offset));
        const void *part = mca_part_ucx_datatype_pack(convertor, offset, length, &staging,
                                                      &staging_size);
        mt_check(NULL != part && 0 == memcmp(part, sample->message + offset, length),
                 "packed wrongly: %zu bytes from %zu on, of %zu", length, offset, sample->packed);
    }
    free(staging);
    mca_part_ucx_datatype_release(convertor, 1);
}

/* Cuts of the message; returns their number. The last piece ends at cut[number]. */
static int cut_message(const sample_t *sample, size_t cut[PIECES + 1])
{
    int pieces = 0;

    for (size_t at = 0; at < sample->packed && pieces < PIECES - 1;) {
        cut[pieces++] = at;
        at += sample->packed / 30 + (size_t) (0 == any(2) ? 64 * (1 + any(8)) : 1 + any(700));
    }
    cut[pieces] = sample->packed;
    return pieces;
}

static void unpack_pieces(const sample_t *sample)
{
    unsigned char *got = mt_alloc(sample->span), *want = mt_alloc(sample->span);
    opal_convertor_t *convertor = convertors(sample, got, false, CONVERTORS);
    size_t cut[PIECES + 1];
    int order[PIECES];
    int pieces = cut_message(sample, cut);
    int position = 0;

    memset(got, 0, sample->span);
    memset(want, 0, sample->span);
    MPI_Unpack(sample->message, (int) sample->packed, &position, want, sample->elements,
               sample->type, MPI_COMM_SELF);
    for (int i = 0; i < pieces; i++) {
        order[i] = i;
    }
    if (0 != any(3)) {
        mt_random_shuffle(&dice, order, pieces);
    }
    for (int i = 0; i < pieces; i++) {
        size_t from = cut[order[i]], to = cut[order[i] + 1];
        mt_check(mca_part_ucx_datatype_unpack(&convertor[order[i] % CONVERTORS], from, to - from,
                                              sample->message + from),
                 "not unpacked: bytes %zu to %zu", from, to);
    }
    mt_check(0 == memcmp(got, want, sample->span), "unpacked wrongly: %zu bytes in %d pieces",
             sample->packed, pieces);
    mca_part_ucx_datatype_release(convertor, CONVERTORS);
    free(got);
    free(want);
}

int main(int argc, char **argv)
{
    int samples = 0, with_gaps = 0;
    char *data;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    int wanted = mt_slow() ? 500 : 10000;
    while (samples < wanted) {
        sample_t sample;

        mt_random_seed(&dice, (uint64_t) ++samples);
        mt_stage("type %d", samples);
        if (sample_make(&sample)) {
            if (!mca_part_ucx_datatype_contiguous((ompi_datatype_t *) sample.type,
                                                  (size_t) sample.elements, sample.memory, &data)) {
                pack_parts(&sample);
                unpack_pieces(&sample);
                ++with_gaps;
            }
            sample_drop(&sample);
        }
    }
    mt_check(with_gaps > samples / 4, "only %d types with gaps", with_gaps);
    mt_result("parts of messages of %d random types with gaps", with_gaps);
    return mt_end();
}
