/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan of one rank for one collective: a graph of nodes, built once, then constant. Pure: no
 * MPI, no UCX; offsets instead of addresses.
 *
 *   READY    the user has marked a partition of the contribution; fired by MPI_Pready
 *   ARRIVE   a transfer has come in; fired by the network
 *   SEND     a transfer leaves; done when its source may be overwritten
 *   REDUCE   to = from op to, element by element
 *   COPY     to = from
 *   RESULT   a partition of the result is there: MPI_Parrived sees it when this is done
 *   TURN     some sends may begin; see mca_coll_pschedule_plan_turn()
 *   POINT    nothing: what waits for several nodes may wait for this one
 *
 * A node runs when all nodes that it depends on are done. Nodes that depend on nothing (other than
 * READY and ARRIVE) run at MPI_Start. Every partition has one READY or RESULT node, which exists
 * from the beginning; the plan is done when all nodes are.
 *
 * How ranks fit together: a transfer is known by (sender, receiver, key). Both ends name the same
 * key and number of bytes. No two transfers of a pair and direction may have the same key. Keys
 * also give the order in which transfers are spread over the network paths, so they should grow
 * with the time at which a transfer is expected: mca_coll_pschedule_key().
 *
 * A receiver's memory must be free whenever the transfer might come, which is from MPI_Start on.
 * Where it becomes free only later, the receiver lets the sender know by a transfer of no bytes in
 * the opposite direction (grant), on which the sender makes its SEND depend.
 */
#ifndef COLL_PSCHEDULE_PLAN_H
#define COLL_PSCHEDULE_PLAN_H

#include "plan/coll_pschedule_pieces.h"

#include <stddef.h>

/** Number of a node. */
typedef uint32_t mca_coll_pschedule_node_t;

/** No node: depending on it, or making it depend, does nothing. */
#define COLL_PSCHEDULE_NONE UINT32_MAX

typedef enum mca_coll_pschedule_kind_t {
    COLL_PSCHEDULE_NODE_READY,
    COLL_PSCHEDULE_NODE_ARRIVE,
    COLL_PSCHEDULE_NODE_SEND,
    COLL_PSCHEDULE_NODE_REDUCE,
    COLL_PSCHEDULE_NODE_COPY,
    COLL_PSCHEDULE_NODE_RESULT,
    COLL_PSCHEDULE_NODE_TURN,
    COLL_PSCHEDULE_NODE_POINT
} mca_coll_pschedule_kind_t;

typedef enum mca_coll_pschedule_space_t {
    COLL_PSCHEDULE_SPACE_SEND,
    COLL_PSCHEDULE_SPACE_RECV,
    COLL_PSCHEDULE_SPACE_SCRATCH
} mca_coll_pschedule_space_t;

/** A position in one of the three buffers, in bytes. */
typedef struct mca_coll_pschedule_place_t {
    mca_coll_pschedule_space_t space;
    uint64_t offset;
} mca_coll_pschedule_place_t;

/** The place `bytes` further on. */
static inline mca_coll_pschedule_place_t mca_coll_pschedule_at(mca_coll_pschedule_place_t place,
                                                               uint64_t bytes)
{
    place.offset += bytes;
    return place;
}

typedef struct mca_coll_pschedule_plan_t mca_coll_pschedule_plan_t;

/** The fault of a plan for which there was no memory. */
extern const char mca_coll_pschedule_no_memory[];

/* ---- building ---- */

/**
 * A new plan with its READY nodes (for all partitions of the send blocks) and RESULT nodes (of the
 * receive blocks). NULL: no memory.
 */
mca_coll_pschedule_plan_t *
mca_coll_pschedule_plan_new(const mca_coll_pschedule_problem_t *problem);

/** The READY node of a partition of the contribution, counted over all send blocks. */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_ready(mca_coll_pschedule_plan_t *plan,
                                                        uint32_t partition);

/** The RESULT node of a partition of the result, counted over all receive blocks. */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_result(mca_coll_pschedule_plan_t *plan,
                                                         uint32_t partition);

/** `bytes` go from `place` to rank `peer`, when `after` is done. */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_send(mca_coll_pschedule_plan_t *plan,
                                                       int32_t peer, uint64_t key,
                                                       mca_coll_pschedule_place_t place,
                                                       uint64_t bytes,
                                                       mca_coll_pschedule_node_t after);

/** `bytes` come from rank `peer` to `place`, which is free from MPI_Start on or by a grant. */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_receive(mca_coll_pschedule_plan_t *plan,
                                                          int32_t peer, uint64_t key,
                                                          mca_coll_pschedule_place_t place,
                                                          uint64_t bytes);

/** Tell rank `peer`, when `after` is done, that it may send: its end is a receive of no bytes. */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_grant(mca_coll_pschedule_plan_t *plan,
                                                        int32_t peer, uint64_t key,
                                                        mca_coll_pschedule_node_t after);

/** The other end of a grant: done when rank `peer` has granted. */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_granted(mca_coll_pschedule_plan_t *plan,
                                                          int32_t peer, uint64_t key);

/** to = from op to, when `after` is done; whole elements. `from` is the left operand. */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_reduce(mca_coll_pschedule_plan_t *plan,
                                                         mca_coll_pschedule_place_t from,
                                                         mca_coll_pschedule_place_t to,
                                                         uint64_t bytes,
                                                         mca_coll_pschedule_node_t after);

/** to = from, when `after` is done. */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_copy(mca_coll_pschedule_plan_t *plan,
                                                       mca_coll_pschedule_place_t from,
                                                       mca_coll_pschedule_place_t to,
                                                       uint64_t bytes,
                                                       mca_coll_pschedule_node_t after);

/**
 * A turn: sends of what the user marks that are made to depend on it, so that they leave one group
 * after the other. It ends when `received` is done, which means that the receiver has all of them;
 * or when it begins, if the user has not marked all of them by then: they leave when they are
 * marked, and whose turn is next does not wait for that.
 *
 * @param[in] received   a node that waits, at least, for all these sends
 * @param[out] over      done when the turn has ended; something must depend on it
 */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_turn(mca_coll_pschedule_plan_t *plan,
                                                       mca_coll_pschedule_node_t received,
                                                       mca_coll_pschedule_node_t *over);

/** A node that does nothing. */
mca_coll_pschedule_node_t mca_coll_pschedule_plan_point(mca_coll_pschedule_plan_t *plan);

/** `node` runs only when `before` is done, too. Either may be COLL_PSCHEDULE_NONE. */
void mca_coll_pschedule_plan_depend(mca_coll_pschedule_plan_t *plan,
                                    mca_coll_pschedule_node_t node,
                                    mca_coll_pschedule_node_t before);

/** Memory of the plan's own, aligned to 64 bytes. */
mca_coll_pschedule_place_t mca_coll_pschedule_plan_scratch(mca_coll_pschedule_plan_t *plan,
                                                           uint64_t bytes);

/**
 * The RESULT nodes of all partitions of a receive block that overlap a range of it depend on a
 * node. The range counts from the beginning of the block. Partitions without bytes are left alone.
 */
void mca_coll_pschedule_plan_covers(mca_coll_pschedule_plan_t *plan,
                                    const mca_coll_pschedule_block_t *block,
                                    mca_coll_pschedule_range_t range,
                                    mca_coll_pschedule_node_t node);

/**
 * The order in which partitions of the contribution should leave when all are marked at once: this
 * call appends some that follow each other. Once for every partition, or never.
 */
void mca_coll_pschedule_plan_order(mca_coll_pschedule_plan_t *plan, uint32_t first,
                                   uint32_t partitions);

void mca_coll_pschedule_plan_free(mca_coll_pschedule_plan_t *plan);

/* ---- what a frozen plan consists of ---- */

/** A node of a frozen plan. */
typedef struct mca_coll_pschedule_vertex_t {
    uint8_t kind;          /**< mca_coll_pschedule_kind_t */
    uint32_t dependencies; /**< how many nodes must be done before it runs */
    uint32_t first;        /**< its successors: edge[first] to edge[first of the next vertex - 1] */
    uint32_t item;         /**< partition, transfer, operation, or node in which a turn ends */
} mca_coll_pschedule_vertex_t;

/** Bytes between this rank and another; sorted by link, then by key. */
typedef struct mca_coll_pschedule_transfer_t {
    uint64_t key;
    uint64_t bytes;
    mca_coll_pschedule_place_t place;
    uint32_t node; /**< its SEND or ARRIVE */
    uint32_t link; /**< index of its link */
} mca_coll_pschedule_transfer_t;

/** All transfers to, or from, one other rank. */
typedef struct mca_coll_pschedule_link_t {
    int32_t peer;
    bool is_send;
    uint32_t first; /**< its transfers: transfer[first] to transfer[first + count - 1] */
    uint32_t count; /**< at least 1 */
} mca_coll_pschedule_link_t;

/** A reduction or a copy. */
typedef struct mca_coll_pschedule_operation_t {
    mca_coll_pschedule_place_t from;
    mca_coll_pschedule_place_t to;
    uint64_t bytes;
} mca_coll_pschedule_operation_t;

struct mca_coll_pschedule_plan_t {
    uint32_t nodes;
    uint32_t edges;
    uint32_t transfers;
    uint32_t links;
    uint32_t operations;
    uint32_t send_partitions; /**< READY of partition i is node i */
    uint32_t recv_partitions; /**< RESULT of partition i is node send_partitions + i */
    uint32_t leaves;          /**< nodes without successors: the plan is done when these are */
    uint32_t starters;        /**< nodes that run at MPI_Start */
    uint32_t ordered;         /**< entries of `order` */
    uint64_t scratch;         /**< bytes of scratch memory */
    mca_coll_pschedule_vertex_t *vertex; /**< one more than nodes, for the end of the edges */
    uint32_t *edge;
    uint32_t *starter;
    uint32_t *order; /**< all partitions of the contribution, as they should leave when all are
                      * marked at once; NULL: by number */
    mca_coll_pschedule_transfer_t *transfer;
    mca_coll_pschedule_link_t *link;
    mca_coll_pschedule_operation_t *operation;
    struct mca_coll_pschedule_build_t *build; /**< NULL when frozen */
    const char *fault; /**< what was wrong, a constant string; or NULL */
};

#endif /* COLL_PSCHEDULE_PLAN_H */
