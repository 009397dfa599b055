/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Contributions and results of the tests of collectives. Whole numbers only, so that sums are
 * exact in any order.
 */

#include "pcoll_internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int as_int(size_t value)
{
    if (value > INT_MAX) {
        abort(); /* a test asked for more than MPI_Pack takes */
    }
    return (int) value;
}

void pc_pack(const pc_part_t *part, unsigned char *out)
{
    int position = 0;

    if (0 == part->bytes) {
        return;
    }
    if (part->dense) {
        memcpy(out, part->address, part->bytes);
        return;
    }
    MPI_Pack(part->address, as_int((size_t) part->count), part->type, out, as_int(part->bytes),
             &position, MPI_COMM_SELF);
}

void pc_unpack(const pc_part_t *part, const unsigned char *in)
{
    int position = 0;

    if (0 == part->bytes) {
        return;
    }
    if (part->dense) {
        memcpy(part->address, in, part->bytes);
        return;
    }
    MPI_Unpack(in, as_int(part->bytes), &position, part->address, as_int((size_t) part->count),
               part->type, MPI_COMM_SELF);
}

/* ---- numbers ---- */

/* Of many ranks' numbers sums and products are still exact if these are smaller. */
static bool are_many(void)
{
    return mt_size() > 8;
}

/* A small number: sums and products of them are exact. Of operators on bits all that there are;
 * those of contributions do not all become equal. */
static int64_t draw_value(const pc_spec_t *spec, uint64_t draw)
{
    switch (spec->op) {
    case PC_OP_PROD:
        return 1 + (int64_t) (draw % (are_many() ? 2 : 3));
    case PC_OP_LAND:
        return 0 != draw % 8;
    case PC_OP_LOR:
        return 0 == draw % 8;
    case PC_OP_LXOR:
        return (int64_t) (draw % 2);
    case PC_OP_BAND:
        return (int64_t) (draw | draw >> 17 | draw << 23);
    case PC_OP_BOR:
        return (int64_t) (draw & draw >> 17 & draw << 23);
    case PC_OP_BXOR:
        return (int64_t) draw;
    case PC_OP_MINLOC:
    case PC_OP_MAXLOC:
        return (int64_t) (draw % 5); /* often equal, so that the location decides */
    default:
        /* Nothing overflows: vectors of Open MPI saturate, its single numbers wrap. */
        if (PC_NUMBER_INT8 == spec->number || PC_NUMBER_UINT8 == spec->number) {
            return (int64_t) (draw % (are_many() ? 128u / (unsigned) mt_size() : 16u));
        }
        return (int64_t) (draw % 2001)
               - (spec->number >= PC_NUMBER_UINT16 && spec->number <= PC_NUMBER_UINT64 ? 0 : 1000);
    }
}

static unsigned char *put(unsigned char *out, const void *value, size_t bytes)
{
    memcpy(out, value, bytes);
    return out + bytes;
}

static unsigned char *put_float(unsigned char *out, int64_t value)
{
    float number = (float) value;

    return put(out, &number, sizeof(number));
}

static unsigned char *put_double(unsigned char *out, int64_t value)
{
    double number = (double) value;

    return put(out, &number, sizeof(number));
}

/* What is left of the value in an integer of that many bytes, with or without a sign. */
static unsigned char *put_integer(unsigned char *out, int64_t value, size_t bytes)
{
    uint8_t byte = (uint8_t) value;
    uint16_t half = (uint16_t) value;
    uint32_t word = (uint32_t) value;

    switch (bytes) {
    case sizeof(byte):
        return put(out, &byte, sizeof(byte));
    case sizeof(half):
        return put(out, &half, sizeof(half));
    case sizeof(word):
        return put(out, &word, sizeof(word));
    default:
        return put(out, &value, sizeof(value));
    }
}

/* One element, as MPI_Pack would give it. */
static unsigned char *put_number(const pc_spec_t *spec, uint64_t draw, unsigned char *out)
{
    int64_t value = draw_value(spec, draw);
    int64_t location = (int64_t) (draw >> 40) % 50;
    /* Of many ranks' products a part becomes 0, whose sign depends on the order. */
    int64_t imaginary = PC_OP_PROD == spec->op ? location % (are_many() ? 1 : 3) : location;

    switch (spec->number) {
    case PC_NUMBER_INT8:
    case PC_NUMBER_UINT8:
    case PC_NUMBER_BOOL:
    case PC_NUMBER_BYTE:
        return put_integer(out, value, 1);
    case PC_NUMBER_INT16:
    case PC_NUMBER_UINT16:
        return put_integer(out, value, 2);
    case PC_NUMBER_INT:
    case PC_NUMBER_UINT32:
        return put_integer(out, value, 4);
    case PC_NUMBER_LONG:
    case PC_NUMBER_UINT64:
        return put_integer(out, value, 8);
    case PC_NUMBER_FLOAT:
        return put_float(out, value);
    case PC_NUMBER_DOUBLE:
        return put_double(out, value);
    case PC_NUMBER_FLOAT_COMPLEX:
        return put_float(put_float(out, value), imaginary);
    case PC_NUMBER_DOUBLE_COMPLEX:
        return put_double(put_double(out, value), imaginary);
    case PC_NUMBER_2INT:
        return put_integer(put_integer(out, value, 4), location, 4);
    case PC_NUMBER_FLOAT_INT:
        return put_integer(put_float(out, value), location, 4);
    case PC_NUMBER_DOUBLE_INT:
        return put_integer(put_double(out, value), location, 4);
    case PC_NUMBER_SHORT_INT:
        return put_integer(put_integer(out, value, 2), location, 4);
    case PC_NUMBER_LONG_INT:
        return put_integer(put_integer(out, value, 8), location, 4);
    default:
        return put_integer(put_integer(out, (int64_t) (draw | 1), 4), (int64_t) (draw >> 32), 4);
    }
}

void pc_stream(const pc_t *pc, const pc_part_t *part, int version, unsigned char *out)
{
    uint64_t seed = pc_mix(pc->spec.seed, 7, (uint64_t) pc->rank, (uint64_t) version);
    size_t size = 0 == part->count ? 1 : part->bytes / (size_t) part->count;
    size_t first = part->offset / size;

    if (!pc->trait->reduces) {
        mt_fill(out, part->bytes, seed, part->offset);
        return;
    }
    for (size_t i = 0; i < (size_t) part->count; i++) {
        out = put_number(&pc->spec, pc_mix(seed, 8, first + i, 0), out);
    }
}

/* ---- making and dropping ---- */

void pc_make(pc_t *pc, const pc_spec_t *spec, int versions)
{
    memset(pc, 0, sizeof(*pc));
    pc->spec = *spec;
    pc->trait = &pc_traits[spec->kind];
    pc->versions = versions;
    pc->request = MPI_REQUEST_NULL;
    MPI_Comm_rank(spec->comm, &pc->rank);
    MPI_Comm_size(spec->comm, &pc->size);
    pc->nothing_comes = PC_EXSCAN == spec->kind && 0 == pc->rank;
    mt_stage("%s: made", pc_text(pc));
    pc_layout(pc);
    pc->expected = mt_alloc((size_t) versions * sizeof(*pc->expected));
    for (int v = 0; v < versions; v++) {
        pc->expected[v] = mt_alloc(pc->take_bytes);
        pc_reference(pc, v, pc->expected[v]);
    }
}

void pc_drop(pc_t *pc)
{
    if (MPI_REQUEST_NULL != pc->request) {
        mt_free(&pc->request);
    }
    for (int v = 0; v < pc->versions; v++) {
        free(pc->expected[v]);
    }
    free(pc->expected);
    pc_layout_free(pc);
    memset(pc, 0, sizeof(*pc));
    pc->request = MPI_REQUEST_NULL;
}

const char *pc_text(const pc_t *pc)
{
    static __thread char text[300];
    const pc_spec_t *spec = &pc->spec;
    int used = snprintf(text, sizeof(text), "%s of %d x %d on %d ranks, cuts %d %d",
                        pc->trait->name, spec->base, spec->unit, pc->size, spec->send_cut,
                        spec->recv_cut);

    if (pc->trait->rooted) {
        used += snprintf(text + used, sizeof(text) - (size_t) used, ", root %d", spec->root);
    }
    if (pc->trait->reduces) {
        used += snprintf(text + used, sizeof(text) - (size_t) used, ", %s of %s",
                         pc_op_name(spec->op), pc_number_name(spec->number));
    } else {
        used += snprintf(text + used, sizeof(text) - (size_t) used, ", types %d %d",
                         spec->send_type, spec->recv_type);
    }
    snprintf(text + used, sizeof(text) - (size_t) used, "%s%s, seed %llu",
             spec->in_place ? ", in place" : "", spec->uneven ? ", uneven" : "",
             (unsigned long long) spec->seed);
    return text;
}

int pc_forced(void)
{
    const char *number = getenv("MPIX_TEST_FORCED");

    return NULL == number ? 0 : atoi(number);
}

bool pc_due(pc_kind_t kind)
{
    char name[64];

    snprintf(name, sizeof(name), "OMPI_MCA_coll_pschedule_%s_algorithm", pc_traits[kind].name);
    return 0 == pc_forced() || NULL != getenv(name);
}

/* Open MPI makes a request of its own for a persistent reduction of nothing. */
static bool must_be_served(const pc_t *pc)
{
    size_t bytes = 0;
    int size;

    MPI_Comm_size(pc->spec.comm, &size);
    for (int p = 0; p < pc->gives; p++) {
        bytes += pc->give[p].bytes;
    }
    return pc_is_persistent() && size > 1 && (bytes > 0 || !pc->trait->reduces);
}

bool pc_open(pc_t *pc)
{
    long long served = pc_served();
    int code;

    mt_stage("%s: %s%s_init", pc_text(pc), pc_is_persistent() ? "MPI_" : "MPIX_P",
             pc->trait->name);
    code = pc_init(pc, &pc->request);
    mt_check(!must_be_served(pc) || served + 1 == pc_served(),
             "%s was not served: %lld, %lld before", pc_text(pc), pc_served(), served);
    return mt_success(code, pc_text(pc));
}

/* ---- an iteration ---- */

static int version_of(const pc_t *pc)
{
    return pc->iteration % pc->versions;
}

void pc_wipe(pc_t *pc, int iteration)
{
    pc->iteration = iteration;
    if (NULL != pc->send.memory) {
        memset(pc->send.memory, pc->send.gap, pc->send.span);
    }
    if (NULL != pc->recv.memory) {
        memset(pc->recv.memory, pc->recv.gap, pc->recv.span);
    }
}

void pc_start(pc_t *pc, int iteration)
{
    pc_wipe(pc, iteration);
    for (int p = 0; pc_is_persistent() && p < pc->gives; p++) {
        pc_fill(pc, p);
    }
    mt_success(MPI_Start(&pc->request), "MPI_Start");
}

void pc_fill(pc_t *pc, int partition)
{
    const pc_part_t *part = &pc->give[partition];
    unsigned char *stream = mt_alloc(part->bytes);

    pc_stream(pc, part, version_of(pc), stream);
    pc_unpack(part, stream);
    free(stream);
}

void pc_mark(pc_t *pc, int partition)
{
    if (pc_is_persistent()) {
        return;
    }
    pc_fill(pc, partition);
    mt_success(MPI_Pready(partition, pc->request), "MPI_Pready");
}

void pc_mark_all(pc_t *pc)
{
    for (int p = 0; p < pc->gives; p++) {
        pc_mark(pc, p);
    }
}

/* How many bytes of a partition are not those of a stream. */
static size_t differences(const pc_part_t *part, const unsigned char *stream)
{
    unsigned char *packed = mt_alloc(part->bytes);
    size_t wrong = 0;

    pc_pack(part, packed);
    if (0 != memcmp(packed, stream, part->bytes)) {
        for (size_t i = 0; i < part->bytes; i++) {
            wrong += packed[i] != stream[i];
        }
    }
    free(packed);
    return wrong;
}

bool pc_check_take(pc_t *pc, int partition)
{
    const pc_part_t *part = &pc->take[partition];
    size_t wrong = differences(part, pc->expected[version_of(pc)] + part->offset);

    return mt_check(0 == wrong, "%s: iteration %d: %zu of %zu bytes of partition %d are wrong",
                    pc_text(pc), pc->iteration, wrong, part->bytes, partition);
}

bool pc_arrived(pc_t *pc, int partition)
{
    if (pc_is_persistent() || !mt_arrived(pc->request, partition)) {
        return false;
    }
    if (!pc->nothing_comes) {
        pc_check_take(pc, partition);
    }
    return true;
}

bool pc_arrives(pc_t *pc, int partition, double seconds)
{
    if (!mt_arrives(pc->request, partition, seconds)) {
        return false;
    }
    if (!pc->nothing_comes) {
        pc_check_take(pc, partition);
    }
    return true;
}

bool pc_check_give(pc_t *pc, int partition)
{
    const pc_part_t *part = &pc->give[partition];
    unsigned char *stream = mt_alloc(part->bytes);

    pc_stream(pc, part, version_of(pc), stream);
    size_t wrong = differences(part, stream);
    free(stream);
    return mt_check(0 == wrong, "%s: iteration %d: %zu bytes of contribution %d have changed",
                    pc_text(pc), pc->iteration, wrong, partition);
}

static void verify_gaps(pc_t *pc, const pc_side_t *side, const char *what)
{
    size_t spilled = NULL == side->memory
                         ? 0
                         : mt_spilled(side->memory, side->mask, side->span, side->gap);

    mt_check(0 == spilled, "%s: iteration %d: %zu bytes of %s beside its blocks were written",
             pc_text(pc), pc->iteration, spilled, what);
}

void pc_verify(pc_t *pc)
{
    bool apart = pc->give != NULL && NULL != pc->send.memory; /* contributions stay */

    for (int p = 0; p < pc->takes; p++) {
        if (!pc->nothing_comes) {
            pc_check_take(pc, p);
        }
    }
    for (int p = 0; (apart || pc->nothing_comes) && p < pc->gives; p++) {
        pc_check_give(pc, p);
    }
    if (pc->nothing_comes && apart) {
        size_t touched = mt_differ(pc->recv.memory, pc->recv.span, pc->recv.gap);
        mt_check(0 == touched, "%s: %zu bytes were written where nothing comes", pc_text(pc),
                 touched);
    }
    verify_gaps(pc, &pc->send, "the contribution");
    verify_gaps(pc, &pc->recv, "the result");
}

void pc_finish(pc_t *pc)
{
    mt_stage("%s: iteration %d completes", pc_text(pc), pc->iteration);
    mt_finish(&pc->request, MPI_STATUS_IGNORE);
    pc_verify(pc);
}

/* With one call for all partitions. */
static void mark_at_once(pc_t *pc)
{
    if (pc_is_persistent()) {
        return;
    }
    for (int p = 0; p < pc->gives; p++) {
        pc_fill(pc, p);
    }
    mt_success(MPI_Pready_range(0, pc->gives - 1, pc->request), "MPI_Pready_range");
}

static void mark_in_any_order(pc_t *pc, mt_random_t *random)
{
    int *order = mt_alloc((size_t) pc->gives * sizeof(int));

    for (int p = 0; p < pc->gives; p++) {
        order[p] = p;
    }
    mt_random_shuffle(random, order, pc->gives);
    for (int i = 0; i < pc->gives; i++) {
        pc_mark(pc, order[i]);
        if (pc->takes > 0 && 0 == mt_random_below(random, 2)) {
            pc_arrived(pc, mt_random_below(random, pc->takes));
        }
    }
    free(order);
}

void pc_cycle(pc_t *pc, int iteration, mt_random_t *random)
{
    mt_stage("%s: iteration %d", pc_text(pc), iteration);
    pc_start(pc, iteration);
    if (pc->gives > 0 && 0 == mt_random_below(random, 4)) {
        mark_at_once(pc);
    } else {
        mark_in_any_order(pc, random);
    }
    for (int p = 0; p < pc->takes; p++) {
        pc_arrived(pc, p);
    }
    pc_finish(pc);
}

void pc_run(const pc_spec_t *spec, int iterations, mt_random_t *random)
{
    pc_t pc;

    pc_make(&pc, spec, iterations < 3 ? iterations : 3);
    if (pc_open(&pc)) {
        for (int i = 0; i < iterations; i++) {
            pc_cycle(&pc, i, random);
        }
    }
    pc_drop(&pc);
}
