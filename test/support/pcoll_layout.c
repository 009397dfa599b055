/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From a pc_spec_t to the buffers of a rank: which blocks there are, how they are cut, of which
 * datatypes they are, and where they lie.
 */

#include "pcoll_internal.h"
#include "types.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS 128
#define MARGIN     64
#define ELEMENT    24 /* bytes of an element of data movement */

const pc_trait_t pc_traits[PC_KINDS] = {
    [PC_BCAST] = {.name = "bcast", .rooted = true},
    [PC_GATHER] = {.name = "gather", .rooted = true, .in_place = true, .many_from = true},
    [PC_GATHERV] = {.name = "gatherv", .rooted = true, .in_place = true, .many_from = true,
                    .vector = true},
    [PC_SCATTER] = {.name = "scatter", .rooted = true, .in_place = true, .many_to = true},
    [PC_SCATTERV] = {.name = "scatterv", .rooted = true, .in_place = true, .many_to = true,
                     .vector = true},
    [PC_ALLGATHER] = {.name = "allgather", .in_place = true, .many_from = true},
    [PC_ALLGATHERV] = {.name = "allgatherv", .in_place = true, .many_from = true, .vector = true},
    [PC_ALLTOALL] = {.name = "alltoall", .many_to = true, .many_from = true},
    [PC_ALLTOALLV] = {.name = "alltoallv", .many_to = true, .many_from = true, .vector = true},
    [PC_ALLTOALLW] = {.name = "alltoallw", .many_to = true, .many_from = true, .vector = true,
                      .typed = true},
    [PC_REDUCE] = {.name = "reduce", .rooted = true, .reduces = true, .in_place = true},
    [PC_ALLREDUCE] = {.name = "allreduce", .reduces = true, .in_place = true},
    [PC_REDUCE_SCATTER_BLOCK] = {.name = "reduce_scatter_block", .reduces = true,
                                 .in_place = true, .many_to = true},
    [PC_REDUCE_SCATTER] = {.name = "reduce_scatter", .reduces = true, .in_place = true,
                           .many_to = true, .vector = true},
    [PC_SCAN] = {.name = "scan", .reduces = true, .in_place = true},
    [PC_EXSCAN] = {.name = "exscan", .reduces = true, .in_place = true},
    [PC_NEIGHBOR_ALLGATHER] = {.name = "neighbor_allgather", .neighbors = true,
                               .many_from = true},
    [PC_NEIGHBOR_ALLGATHERV] = {.name = "neighbor_allgatherv", .neighbors = true,
                                .many_from = true, .vector = true},
    [PC_NEIGHBOR_ALLTOALL] = {.name = "neighbor_alltoall", .neighbors = true, .many_to = true,
                              .many_from = true},
    [PC_NEIGHBOR_ALLTOALLV] = {.name = "neighbor_alltoallv", .neighbors = true, .many_to = true,
                               .many_from = true, .vector = true},
    [PC_NEIGHBOR_ALLTOALLW] = {.name = "neighbor_alltoallw", .neighbors = true, .many_to = true,
                               .many_from = true, .vector = true, .typed = true},
};

uint64_t pc_mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    mt_random_t random;

    mt_random_seed(&random, a * 0x9E3779B97F4A7C15u + b * 0xC2B2AE3D27D4EB4Fu + c * 1000003u + d);
    return mt_random_next(&random);
}

int pc_elements(const pc_spec_t *spec, int from, int to)
{
    const pc_trait_t *trait = &pc_traits[spec->kind];
    uint64_t draw;

    if (NULL != spec->blocks) {
        return spec->blocks[to] * spec->unit;
    }
    if (!spec->uneven || !trait->vector || 0 == spec->unit) {
        return spec->base * spec->unit;
    }
    if (!trait->many_to) {
        to = 0;
    } else if (!trait->many_from) {
        from = 0;
    }
    draw = pc_mix(spec->seed, 1, (uint64_t) (from + 2), (uint64_t) (to + 2));
    return 0 == draw % 4 ? 0 : spec->base * (1 + (int) (draw / 4 % (unsigned) (2 * spec->unit)));
}

static int draw_divisor(int base, uint64_t draw)
{
    int divisors[32];
    int count = 0;

    for (int i = 1; i <= base && count < 32; i++) {
        if (0 == base % i) {
            divisors[count++] = i;
        }
    }
    return divisors[draw % (unsigned) count];
}

int pc_cut(const pc_spec_t *spec, int rank, bool sending, int block)
{
    const pc_trait_t *trait = &pc_traits[spec->kind];

    if (NULL != spec->blocks) {
        return spec->blocks[block];
    }
    if (trait->reduces || PC_BCAST == spec->kind) { /* one cut for all */
        rank = 0;
        sending = true;
    }
    int wanted = sending ? spec->send_cut : spec->recv_cut;
    if (0 != wanted) {
        return wanted;
    }
    return draw_divisor(spec->base,
                        pc_mix(spec->seed, sending ? 2 : 3, (uint64_t) rank,
                               trait->vector ? (uint64_t) block : 0));
}

static bool works_in_place(const pc_t *pc)
{
    return pc->spec.in_place && pc->trait->in_place
           && (!pc->trait->rooted || pc->rank == pc->spec.root);
}

/* ---- who is at the other end of the blocks ---- */

static int cartesian_neighbors(MPI_Comm comm, int *list)
{
    int dimensions = 0;

    MPI_Cartdim_get(comm, &dimensions);
    for (int d = 0; d < dimensions; d++) {
        MPI_Cart_shift(comm, d, 1, &list[2 * d], &list[2 * d + 1]);
    }
    return 2 * dimensions;
}

static int graph_neighbors(MPI_Comm comm, int rank, int *list)
{
    int count = 0;

    MPI_Graph_neighbors_count(comm, rank, &count);
    MPI_Graph_neighbors(comm, rank, count, list);
    return count;
}

static int distributed_neighbors(MPI_Comm comm, bool sending, int *list)
{
    int in = 0;
    int out = 0;
    int weighted = 0;
    int others[MAX_BLOCKS];
    int weights[2][MAX_BLOCKS];

    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(comm, in, sending ? others : list, weights[0], out,
                             sending ? list : others, weights[1]);
    return sending ? out : in;
}

static int find_peers(const pc_t *pc, bool sending, int *list)
{
    int topology = MPI_UNDEFINED;

    if (!pc->trait->neighbors) {
        for (int i = 0; i < pc->size; i++) {
            list[i] = i;
        }
        return pc->size;
    }
    MPI_Topo_test(pc->spec.comm, &topology);
    switch (topology) {
    case MPI_CART:
        return cartesian_neighbors(pc->spec.comm, list);
    case MPI_GRAPH:
        return graph_neighbors(pc->spec.comm, pc->rank, list);
    default:
        return distributed_neighbors(pc->spec.comm, sending, list);
    }
}

/* ---- what the blocks are made of ---- */

static int draw_type(const pc_t *pc, bool sending, int block)
{
    int wanted = sending ? pc->spec.send_type : pc->spec.recv_type;

    if (PC_TYPE_DRAWN != wanted) {
        return wanted;
    }
    return (int) (pc_mix(pc->spec.seed, sending ? 4 : 5, (uint64_t) pc->rank,
                         pc->trait->typed ? (uint64_t) block : 0)
                  % (PC_TYPE_INT + 1));
}

static MPI_Count per_element(MPI_Datatype type)
{
    int size = 1;

    MPI_Type_size(type, &size);
    return ELEMENT / size;
}

static void describe_block(const pc_t *pc, pc_side_t *side, bool sending, int block, int peer)
{
    const pc_spec_t *spec = &pc->spec;
    int from = sending ? pc->rank : peer;
    int to = sending ? peer : pc->rank;
    int elements;

    if (pc->trait->reduces) {
        elements = pc_elements(spec, 0, peer);
        side->types[block] = pc_number(spec->number);
    } else {
        side->types[block] = pc_type(draw_type(pc, sending, block));
        elements = pc_elements(spec, from, to) * (int) per_element(side->types[block]);
    }
    side->cuts[block] =
        pc_cut(spec, pc->rank, sending, pc->trait->reduces && pc->trait->many_to ? peer : block);
    side->counts[block] = elements / side->cuts[block];
}

static void make_blocks(const pc_t *pc, pc_side_t *side, bool sending, bool many)
{
    int peers[MAX_BLOCKS];
    int count = find_peers(pc, sending, peers);

    if (!many) {
        count = 1;
        peers[0] = pc->trait->reduces ? pc->rank : pc->spec.root;
    }
    side->blocks = count;
    side->cuts = mt_alloc((size_t) count * sizeof(int));
    side->counts = mt_alloc((size_t) count * sizeof(MPI_Count));
    side->displs = mt_alloc((size_t) count * sizeof(MPI_Aint));
    side->types = mt_alloc((size_t) count * sizeof(MPI_Datatype));
    side->places = mt_alloc((size_t) count * sizeof(MPI_Aint));
    for (int b = 0; b < count; b++) {
        describe_block(pc, side, sending, b, peers[b]);
    }
}

/* ---- where they lie ---- */

typedef struct {
    MPI_Aint extent;
    MPI_Aint low;  /* first byte of an element, from its address */
    MPI_Aint high; /* behind its last */
} shape_t;

static shape_t shape_of(MPI_Datatype type)
{
    shape_t shape;
    MPI_Aint lower = 0;
    MPI_Aint length = 0;

    MPI_Type_get_extent(type, &lower, &shape.extent);
    MPI_Type_get_true_extent(type, &shape.low, &length);
    shape.high = shape.low + length;
    return shape;
}

/* Blocks in any order with space between, also below the address of the buffer; or dense. */
static void place_blocks(const pc_t *pc, pc_side_t *side, bool sending)
{
    bool loose = pc->spec.uneven && pc->trait->vector && !pc->trait->reduces;
    MPI_Aint cursor = 0;
    int order[MAX_BLOCKS];
    mt_random_t random;

    mt_random_seed(&random, pc_mix(pc->spec.seed, 6, (uint64_t) pc->rank, sending));
    for (int b = 0; b < side->blocks; b++) {
        order[b] = b;
    }
    if (loose && (sending ? pc->trait->many_to : pc->trait->many_from)) {
        mt_random_shuffle(&random, order, side->blocks);
        cursor = -2;
    }
    cursor *= pc->trait->typed ? ELEMENT : 1;
    for (int i = 0; i < side->blocks; i++) {
        int b = order[i];
        shape_t shape = shape_of(side->types[b]);
        MPI_Aint unit = pc->trait->typed ? 1 : shape.extent;
        MPI_Aint elements = side->cuts[b] * (MPI_Aint) side->counts[b];

        if (pc->trait->typed) { /* of bytes: ints stay aligned */
            cursor += shape.low < 0 ? -shape.low : 0;
        }
        side->displs[b] = cursor;
        side->places[b] = cursor * unit;
        cursor += elements * (pc->trait->typed ? shape.extent : 1);
        cursor += loose ? mt_random_below(&random, 3) * (pc->trait->typed ? 8 : 1) : 0;
        cursor += pc->trait->typed ? shape.high : 0;
    }
}

static void allocate(pc_side_t *side, unsigned char gap)
{
    MPI_Aint low = 0;
    MPI_Aint high = 0;

    for (int b = 0; b < side->blocks; b++) {
        shape_t shape = shape_of(side->types[b]);
        MPI_Aint elements = side->cuts[b] * (MPI_Aint) side->counts[b];
        MPI_Aint first = side->places[b] + shape.low;
        MPI_Aint behind =
            side->places[b] + (elements > 0 ? elements - 1 : 0) * shape.extent + shape.high;
        low = first < low ? first : low;
        high = behind > high ? behind : high;
    }
    low -= (MARGIN + low % MARGIN) % MARGIN; /* numbers stay aligned */
    side->span = (size_t) (high - low) + 2 * MARGIN;
    side->memory = mt_alloc(side->span);
    side->mask = mt_alloc(side->span);
    side->origin = side->memory + MARGIN - low;
    side->gap = gap;
    memset(side->memory, gap, side->span);
    memset(side->mask, 0, side->span);
}

/* ---- partitions ---- */

static bool is_dense(MPI_Datatype type)
{
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_COMBINER_NAMED;
    int size = 0;

    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    MPI_Type_size(type, &size);
    return MPI_COMBINER_NAMED == combiner && size == shape_of(type).extent;
}

static int list_block(pc_part_t *parts, const pc_side_t *side, int block, unsigned char *address,
                      size_t offset)
{
    MPI_Datatype type = side->types[block];
    MPI_Aint step = shape_of(type).extent * (MPI_Aint) side->counts[block];
    int size = 0;

    MPI_Type_size(type, &size);
    for (int p = 0; p < side->cuts[block]; p++) {
        size_t bytes = (size_t) side->counts[block] * (size_t) size;
        parts[p] = (pc_part_t){.address = address + p * step,
                               .count = side->counts[block],
                               .type = type,
                               .bytes = bytes,
                               .offset = offset + (size_t) p * bytes,
                               .dense = is_dense(type)};
    }
    return side->cuts[block];
}

static void list_parts(pc_side_t *side)
{
    size_t offset = 0;
    int total = 0;

    for (int b = 0; b < side->blocks; b++) {
        total += side->cuts[b];
    }
    side->parts = mt_alloc((size_t) total * sizeof(pc_part_t));
    for (int b = 0; b < side->blocks; b++) {
        int first = side->part_count;
        side->part_count +=
            list_block(side->parts + first, side, b, side->origin + side->places[b], offset);
        for (int p = first; p < side->part_count; p++) {
            offset += side->parts[p].bytes;
        }
    }
}

/* Gaps are nobody's to write, not those of MPI_DOUBLE_INT and the like either. */
static void mark_mask(pc_side_t *side)
{
    for (int p = 0; p < side->part_count; p++) {
        const pc_part_t *part = &side->parts[p];
        pc_part_t shadow = *part;
        unsigned char *ones = mt_alloc(part->bytes);

        shadow.address = side->mask + (part->address - side->memory);
        memset(ones, 0xff, part->bytes);
        pc_unpack(&shadow, ones);
        free(ones);
    }
}

static void make_side(pc_t *pc, pc_side_t *side, bool sending, bool many)
{
    make_blocks(pc, side, sending, many);
    place_blocks(pc, side, sending);
    allocate(side, (unsigned char) (MT_SENTINEL ^ (unsigned) (2 * pc->rank + sending)));
    list_parts(side);
    mark_mask(side);
}

static pc_part_t *copy_parts(const pc_part_t *parts, int count)
{
    pc_part_t *copy = mt_alloc((size_t) count * sizeof(*copy));

    for (int i = 0; i < count; i++) {
        copy[i] = parts[i];
        copy[i].offset -= parts[0].offset;
    }
    return copy;
}

/* In place: contributions are in the buffer of the result. */
static void list_in_place(pc_t *pc)
{
    int first = 0;

    pc->gives = pc->recv.part_count;
    if (pc->trait->many_from) { /* gather, allgather: the block of this rank */
        for (int b = 0; b < pc->rank; b++) {
            first += pc->recv.cuts[b];
        }
        pc->gives = pc->recv.cuts[pc->rank];
    }
    pc->give = copy_parts(pc->recv.parts + first, pc->gives);
    if (pc->trait->reduces && pc->trait->many_to) { /* the result goes to the beginning */
        free(pc->take);
        pc->take = mt_alloc((size_t) pc->recv.cuts[pc->rank] * sizeof(pc_part_t));
        pc->takes = list_block(pc->take, &pc->recv, pc->rank, pc->recv.origin, 0);
    }
}

static bool has_send_side(const pc_t *pc)
{
    bool root_only = PC_BCAST == pc->spec.kind
                     || (pc->trait->rooted && pc->trait->many_to);

    if (works_in_place(pc) && !(pc->trait->rooted && pc->trait->many_to)) {
        return false;
    }
    return !root_only || pc->rank == pc->spec.root;
}

static bool has_recv_side(const pc_t *pc)
{
    if (!pc->trait->rooted) {
        return true;
    }
    if (PC_BCAST == pc->spec.kind) {
        return pc->rank != pc->spec.root;
    }
    if (pc->trait->many_to) { /* scatter */
        return !works_in_place(pc);
    }
    return pc->rank == pc->spec.root;
}

void pc_layout(pc_t *pc)
{
    bool scattered = pc->trait->reduces && pc->trait->many_to && works_in_place(pc);

    if (has_send_side(pc)) {
        make_side(pc, &pc->send, true, pc->trait->many_to);
    }
    if (has_recv_side(pc)) {
        make_side(pc, &pc->recv, false, scattered || pc->trait->many_from);
    }
    pc->takes = pc->recv.part_count;
    pc->take = copy_parts(pc->recv.parts, pc->takes);
    if (has_send_side(pc) || !works_in_place(pc)) {
        pc->gives = pc->send.part_count;
        pc->give = copy_parts(pc->send.parts, pc->gives);
    } else {
        list_in_place(pc);
    }
    for (int p = 0; p < pc->takes; p++) {
        pc->take_bytes += pc->take[p].bytes;
    }
}

static void free_side(pc_side_t *side)
{
    free(side->cuts);
    free(side->counts);
    free(side->displs);
    free(side->types);
    free(side->places);
    free(side->memory);
    free(side->mask);
    free(side->parts);
}

void pc_layout_free(pc_t *pc)
{
    free_side(&pc->send);
    free_side(&pc->recv);
    free(pc->give);
    free(pc->take);
}
