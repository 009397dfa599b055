/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the algorithms that move data have in common. A flow is one contribution on its way from
 * its contributor to one or more ranks; an algorithm says for every flow which way it takes, and
 * calls on every rank of that way what this rank does with it:
 *
 *   leave   the contributor sends it                          READY -> SEND
 *   keep    the contributor gets it itself                    READY -> (COPY) -> RESULT
 *   pass    it comes to its final place, and goes on to others  ARRIVE -> RESULT, SEND ...
 *   relay   it only goes through this rank                    ARRIVE in a slot -> SEND
 *
 * A flow moves in pieces that do not span two partitions of its contributor, and no piece waits for
 * a piece of another partition or of another flow. So whatever the order in which partitions are
 * marked, a partition of a result arrives when the last of its own bytes has been marked and moved.
 * For the same reason small contributions are never put together in one transfer. (Flows in turns
 * wait for others, but not for marks: coll_pschedule_alltoall_turns.c. Where nobody can tell, small
 * ones do wait for each other: coll_pschedule_together.h.)
 *
 * Hazards: every byte of a result is written once, in its final place, and read (passed on) after
 * that. What a rank has contributed never comes back to it, so in place it is not written.
 * Algorithms say only what differs.
 *
 * A relay has slots for the pieces of each partition of the flow (coll_pschedule_reduction.h), from
 * which they leave.
 */
#ifndef COLL_PSCHEDULE_FLOW_H
#define COLL_PSCHEDULE_FLOW_H

#include "patterns/coll_pschedule_cost.h"
#include "plan/coll_pschedule_plan.h"

/** How many flows between the same two ranks can be told apart. */
#define COLL_PSCHEDULE_FLOW_STEPS (UINT32_C(1) << 19)

typedef struct mca_coll_pschedule_flow_t {
    mca_coll_pschedule_plan_t *plan;
    mca_coll_pschedule_cut_t cut;           /**< as its contributor cut it */
    uint64_t limit;                         /**< no piece has more bytes; the same on all ranks */
    mca_coll_pschedule_space_t space;       /**< of `from` */
    const mca_coll_pschedule_block_t *from; /**< where its contributor has it; NULL elsewhere */
    const mca_coll_pschedule_block_t *to;   /**< where this rank wants it in RECV, or NULL */
    mca_coll_pschedule_node_t turn;         /**< what is sent waits for it, too, or NONE */
    mca_coll_pschedule_node_t came;         /**< waits for all that comes to this rank, or NONE */
} mca_coll_pschedule_flow_t;

/** The next, or the last, rank on the way of a flow. */
typedef struct mca_coll_pschedule_hop_t {
    int32_t rank;
    uint32_t step; /**< tells flows between the same two ranks apart, and orders them; less than
                    * COLL_PSCHEDULE_FLOW_STEPS */
    bool relays;   /**< the next rank relays: its slots are granted */
    const mca_coll_pschedule_node_t *together; /**< what goes there waits for it, too; or NULL */
} mca_coll_pschedule_hop_t;

/** A flow in pieces of up to a chunk; `from` and `to` as in the structure. */
mca_coll_pschedule_flow_t mca_coll_pschedule_flow(mca_coll_pschedule_plan_t *plan,
                                                  const mca_coll_pschedule_problem_t *problem,
                                                  mca_coll_pschedule_cut_t cut,
                                                  const mca_coll_pschedule_block_t *from,
                                                  const mca_coll_pschedule_block_t *to);

/** Key of a transfer without bytes about the flow of a step, to either side; `number` tells those
 * of a pair and direction apart. For flows that no rank relays. */
uint64_t mca_coll_pschedule_flow_note_key(uint32_t step, uint32_t number);

/** How many pieces a flow has. */
uint32_t mca_coll_pschedule_flow_pieces(const mca_coll_pschedule_flow_t *flow);

/** The contributor should send this flow behind those for which it has called this before, when all
 * its partitions are marked at once. If at all, called for every flow of a contributor. */
void mca_coll_pschedule_flow_order(const mca_coll_pschedule_flow_t *flow);

/** The contributor sends piece `index` to `count` ranks. */
void mca_coll_pschedule_flow_leave_piece(const mca_coll_pschedule_flow_t *flow, uint32_t index,
                                         const mca_coll_pschedule_hop_t *hop, uint32_t count);

/** Piece `index` comes from a rank to its final place, and goes on to `count` ranks. */
void mca_coll_pschedule_flow_pass_piece(const mca_coll_pschedule_flow_t *flow, uint32_t index,
                                        mca_coll_pschedule_hop_t from,
                                        const mca_coll_pschedule_hop_t *hop, uint32_t count);

/** All pieces leave, in order. */
void mca_coll_pschedule_flow_leave(const mca_coll_pschedule_flow_t *flow,
                                   const mca_coll_pschedule_hop_t *hop, uint32_t count);

/** All pieces pass. */
void mca_coll_pschedule_flow_pass(const mca_coll_pschedule_flow_t *flow,
                                  mca_coll_pschedule_hop_t from,
                                  const mca_coll_pschedule_hop_t *hop, uint32_t count);

/** The contributor gets all pieces: copied, unless they are in place. */
void mca_coll_pschedule_flow_keep(const mca_coll_pschedule_flow_t *flow);

/** All pieces go through slots of this rank. */
void mca_coll_pschedule_flow_relay(const mca_coll_pschedule_flow_t *flow,
                                   mca_coll_pschedule_hop_t from, mca_coll_pschedule_hop_t hop);

/** Upper bound of the scratch memory of one relayed flow, from what all ranks know. */
uint64_t mca_coll_pschedule_flow_scratch(const mca_coll_pschedule_problem_t *problem);

/** Cost of a binomial tree that brings a flow from or to each rank, relayed by those between. */
mca_coll_pschedule_cost_t
mca_coll_pschedule_flow_tree_cost(const mca_coll_pschedule_problem_t *problem);

#endif /* COLL_PSCHEDULE_FLOW_H */
