/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks of a call (see coll_pschedule_arguments.h). Only what MPI calls significant on this rank
 * is looked at.
 */
#include "call/coll_pschedule_arguments.h"


#include "call/coll_pschedule_help.h"
#include "call/coll_pschedule_op.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/info/info.h"

typedef mca_coll_pschedule_arguments_t arguments_t;

static bool is_among(const arguments_t *arguments, mca_coll_pschedule_who_t who)
{
    return mca_coll_pschedule_is_among(who, arguments->rank == arguments->call->root);
}

static uint32_t number_of(const arguments_t *arguments, mca_coll_pschedule_number_t number)
{
    switch (number) {
    case COLL_PSCHEDULE_PER_RANK:
        return (uint32_t) arguments->size;
    case COLL_PSCHEDULE_PER_SOURCE:
        return arguments->neighbors.sources;
    case COLL_PSCHEDULE_PER_DESTINATION:
        return arguments->neighbors.destinations;
    default:
        return 1;
    }
}

static int check_common(const mca_coll_pschedule_call_t *call, const arguments_t *arguments,
                        const char **why)
{
    if (NULL == call->info || ompi_info_is_freed(call->info)) {
        *why = "the info object is not valid";
        return MPI_ERR_INFO;
    }
    if (arguments->shape->rooted && (call->root < 0 || call->root >= arguments->size)) {
        *why = "the root is not a rank of the communicator";
        return MPI_ERR_ROOT;
    }
    return MPI_SUCCESS;
}

/* Does MPI_IN_PLACE stand only where it may? Sets what follows from it. */
static int check_in_place(arguments_t *arguments, const char **why)
{
    const mca_coll_pschedule_call_t *call = arguments->call;
    mca_coll_pschedule_in_place_t allowed = arguments->shape->in_place;
    bool bcast = COLL_PSCHEDULE_BCAST == call->collective; /* its one buffer is in `send` */
    bool root = arguments->rank == call->root;
    bool send = MPI_IN_PLACE == call->send.buffer
                && (bcast || is_among(arguments, arguments->shape->senders));
    bool recv = MPI_IN_PLACE == call->recv.buffer
                && is_among(arguments, arguments->shape->receivers);

    arguments->in_place = send
                          && (COLL_PSCHEDULE_FOR_SEND == allowed
                              || (COLL_PSCHEDULE_FOR_SEND_AT_ROOT == allowed && root));
    arguments->stays = recv && COLL_PSCHEDULE_FOR_RECV_AT_ROOT == allowed && root;
    if (send != arguments->in_place || recv != arguments->stays) {
        *why = COLL_PSCHEDULE_NOWHERE == allowed && !bcast
                   ? "MPI_IN_PLACE is not supported here: what arrives would overwrite partitions "
                     "that are not marked ready yet"
                   : "MPI_IN_PLACE stands where it is not allowed";
        return MPI_ERR_ARG;
    }
    return MPI_SUCCESS;
}

/* ---- data movement ---- */

/* It keeps its partitions. */
static void empty(mca_coll_pschedule_area_t *area)
{
    area->count = 0;
    area->bytes = 0;
}

/* Blocks whose neighbour is MPI_PROC_NULL. */
static void empty_nobodys(mca_coll_pschedule_layout_t *layout,
                          const mca_coll_pschedule_edge_t *edge, uint32_t edges)
{
    for (uint32_t i = 0; i < edges && i < layout->blocks; ++i) {
        if (COLL_PSCHEDULE_NOBODY == edge[i].rank) {
            empty(&layout->area[i]);
        }
    }
}

static void empty_all_nobodys(arguments_t *arguments)
{
    const mca_coll_pschedule_neighbors_t *neighbors = &arguments->neighbors;

    empty_nobodys(&arguments->recv, neighbors->source, neighbors->sources);
    if (COLL_PSCHEDULE_PER_DESTINATION == arguments->shape->send_blocks) {
        empty_nobodys(&arguments->send, neighbors->destination, neighbors->destinations);
    } else if (0 == neighbors->destinations && 0 != arguments->send.blocks) {
        empty(&arguments->send.area[0]); /* what all neighbours get, and there is none */
    }
}

static int list_movement(arguments_t *arguments, const char **why)
{
    const mca_coll_pschedule_shape_t *shape = arguments->shape;
    const mca_coll_pschedule_call_t *call = arguments->call;
    bool bcast = COLL_PSCHEDULE_BCAST == call->collective;
    int error = MPI_SUCCESS;

    if (is_among(arguments, shape->senders) && !arguments->in_place) {
        error = mca_coll_pschedule_layout_make(&arguments->send, &call->send, shape->send_form,
                                               number_of(arguments, shape->send_blocks), why);
    }
    if (MPI_SUCCESS == error && is_among(arguments, shape->receivers) && !arguments->stays) {
        error = mca_coll_pschedule_layout_make(&arguments->recv,
                                               bcast ? &call->send : &call->recv,
                                               shape->recv_form,
                                               number_of(arguments, shape->recv_blocks), why);
    }
    if (MPI_SUCCESS == error && shape->neighbors) {
        empty_all_nobodys(arguments);
    }
    error = MPI_SUCCESS == error ? mca_coll_pschedule_layout_check(&arguments->send, why) : error;
    error = MPI_SUCCESS == error ? mca_coll_pschedule_layout_check(&arguments->recv, why) : error;
    if (MPI_SUCCESS == error && arguments->in_place) {
        const mca_coll_pschedule_area_t *own = &arguments->recv.area[arguments->rank];

        error = mca_coll_pschedule_layout_single(&arguments->send, arguments->recv.buffer, own,
                                                 own->offset);
    }
    return error;
}

/* ---- reductions ---- */

/* MPI does not look at the receive buffer of rank 0 of an exclusive scan. */
static bool gets_nothing(const arguments_t *arguments)
{
    return COLL_PSCHEDULE_EXSCAN == arguments->call->collective && 0 == arguments->rank
           && !arguments->in_place;
}

/* The block that this rank gets, which is like one of the contribution. */
static int list_result(arguments_t *arguments, const char **why)
{
    const mca_coll_pschedule_call_t *call = arguments->call;
    bool many = COLL_PSCHEDULE_PER_RANK == arguments->shape->send_blocks;
    uint32_t own = many ? (uint32_t) arguments->rank : 0;
    int error = mca_coll_pschedule_layout_single(&arguments->recv,
                                                 (char *) (uintptr_t) call->recv.buffer,
                                                 &arguments->send.area[own], 0);

    if (MPI_SUCCESS != error) {
        return error;
    }
    if (gets_nothing(arguments)) {
        empty(&arguments->recv.area[0]);
    }
    return mca_coll_pschedule_layout_address(call->recv.buffer, arguments->recv.area[0].bytes, why);
}

static int list_reduction(arguments_t *arguments, const char **why)
{
    const mca_coll_pschedule_shape_t *shape = arguments->shape;
    const mca_coll_pschedule_call_t *call = arguments->call;
    mca_coll_pschedule_side_t send = call->send;
    int error;

    if (arguments->in_place) {
        send.buffer = call->recv.buffer;
    }
    error = mca_coll_pschedule_layout_make(&arguments->send, &send, shape->send_form,
                                           number_of(arguments, shape->send_blocks), why);
    error = MPI_SUCCESS == error ? mca_coll_pschedule_layout_check(&arguments->send, why) : error;
    if (MPI_SUCCESS == error && is_among(arguments, shape->receivers)) {
        error = list_result(arguments, why);
    }
    return error;
}

static int check_reduction(arguments_t *arguments, const char **why)
{
    MPI_Datatype datatype = arguments->call->send.datatype;
    int error = mca_coll_pschedule_op_check(arguments->call->op, datatype, why);
    uint64_t total = 0;
    size_t size;

    if (MPI_SUCCESS != error) {
        return error;
    }
    arguments->element = mca_coll_pschedule_element(datatype).bytes;
    if (arguments->element > UINT32_MAX) {
        *why = "an element of the datatype is larger than 4 GiB";
        return MPI_ERR_COUNT;
    }
    /* Gaps travel with their elements. Other makers of persistent collectives leave them out. */
    (void) ompi_datatype_type_size(datatype, &size);
    if (NULL != arguments->call->front && arguments->element > 4 * size) {
        *why = "elements of the datatype are mostly gaps";
        return MPI_ERR_UNSUPPORTED_OPERATION;
    }
    for (uint32_t i = 0; i < arguments->send.blocks; ++i) {
        const mca_coll_pschedule_area_t *area = &arguments->send.area[i];
        uint64_t bytes;

        if (__builtin_mul_overflow((uint64_t) area->count * area->partitions, arguments->element,
                                   &bytes)
            || __builtin_add_overflow(total, bytes, &total) || total > INT64_MAX) {
            *why = "the buffer is larger than the address space";
            return MPI_ERR_COUNT;
        }
    }
    return MPI_SUCCESS;
}

/* ---- both ---- */

/* The memory of a buffer, if its blocks are one range without gaps; else false. */
static bool find_range(const mca_coll_pschedule_layout_t *layout, uintptr_t *first, uint64_t *bytes)
{
    ptrdiff_t true_lb, true_extent;

    *bytes = 0;
    for (uint32_t i = 0; i < layout->blocks; ++i) {
        const mca_coll_pschedule_area_t *area = &layout->area[i];

        if (0 == area->bytes) {
            continue;
        }
        if (area->datatype != layout->area[0].datatype
            || !ompi_datatype_is_contiguous_memory_layout(area->datatype, 2)
            || (uint64_t) area->offset != *bytes) {
            return false;
        }
        *bytes += area->bytes;
    }
    if (0 == *bytes) {
        return false;
    }
    ompi_datatype_get_true_extent(layout->area[0].datatype, &true_lb, &true_extent);
    *first = (uintptr_t) (layout->buffer + true_lb);
    return true;
}

/* Buffers with gaps may lie within each other; those without must not overlap. */
static int check_overlap(const arguments_t *arguments, const char **why)
{
    uintptr_t send, recv;
    uint64_t send_bytes, recv_bytes;

    if (arguments->in_place || !find_range(&arguments->send, &send, &send_bytes)
        || !find_range(&arguments->recv, &recv, &recv_bytes)) {
        return MPI_SUCCESS;
    }
    if (send < recv + recv_bytes && recv < send + send_bytes) {
        *why = "the send and the receive buffer overlap";
        return MPI_ERR_BUFFER;
    }
    return MPI_SUCCESS;
}

static int check_buffers(arguments_t *arguments, const char **why)
{
    int error = check_in_place(arguments, why);

    if (MPI_SUCCESS != error) {
        return error;
    }
    error = arguments->shape->reduces ? list_reduction(arguments, why)
                                      : list_movement(arguments, why);
    if (MPI_SUCCESS == error && arguments->shape->reduces) {
        error = check_reduction(arguments, why);
    }
    return MPI_SUCCESS == error ? check_overlap(arguments, why) : error;
}

static int check_call(arguments_t *arguments, const char **why)
{
    const mca_coll_pschedule_call_t *call = arguments->call;
    int error = check_common(call, arguments, why);

    if (MPI_SUCCESS == error && arguments->shape->neighbors) {
        error = mca_coll_pschedule_neighbors_find(call->comm, &arguments->neighbors);
        if (MPI_ERR_TOPOLOGY == error) {
            *why = "the communicator has no process topology";
        }
    }
    return MPI_SUCCESS == error ? check_buffers(arguments, why) : error;
}

int mca_coll_pschedule_arguments_check(arguments_t *arguments,
                                       const mca_coll_pschedule_call_t *call, const char *refusal)
{
    const char *why = MPI_SUCCESS == call->error ? "memory is short" : refusal;
    int error = call->error;

    *arguments = (arguments_t) {.call = call,
                                .shape = &mca_coll_pschedule_shapes[call->collective],
                                .rank = ompi_comm_rank(call->comm),
                                .size = ompi_comm_size(call->comm),
                                .element = 1};
    if (MPI_SUCCESS == error) {
        error = check_call(arguments, &why);
    }
    if (MPI_SUCCESS != error && NULL == call->front && NULL != why) {
        mca_coll_pschedule_help("bad-argument", mca_coll_pschedule_names[call->collective],
                                arguments->rank, why);
    }
    return error;
}

mca_coll_pschedule_cut_t mca_coll_pschedule_arguments_cut(const arguments_t *arguments,
                                                          const mca_coll_pschedule_area_t *area)
{
    mca_coll_pschedule_cut_t cut = {.bytes = area->bytes, .partitions = area->partitions};

    /* Elements without data need no space, but plans divide by their size. */
    if (arguments->shape->reduces && 0 != area->bytes) {
        cut.bytes = (uint64_t) area->count * area->partitions * arguments->element;
    }
    return cut;
}

void mca_coll_pschedule_arguments_free(arguments_t *arguments)
{
    mca_coll_pschedule_layout_free(&arguments->send);
    mca_coll_pschedule_layout_free(&arguments->recv);
    mca_coll_pschedule_neighbors_free(&arguments->neighbors);
}
