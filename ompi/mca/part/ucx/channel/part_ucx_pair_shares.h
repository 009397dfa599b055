/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shares of pairs that do not carry the same: each unit goes to the pair that will be through with
 * it first, by the rates that the receiver has told (part_ucx_rate_message.h). Pure.
 *
 * Where processors are the limit, and not links, a pair is found to carry what it was given, for
 * all are through at the same time, whatever the shares. So shares do not simply follow rates: they
 * are left alone until a pair is late by what is no chance, and then they follow slowly.
 */
#ifndef PART_UCX_PAIR_SHARES_H
#define PART_UCX_PAIR_SHARES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mca_part_ucx_pair_shares_t {
    bool dealt; /**< units are; else they take turns */
    uint32_t pairs;
    struct {
        double rate; /**< its share: what it is taken to carry, bytes per millisecond; 0: it gets
                      * nothing */
        double busy; /**< until when, in milliseconds; less than 0: it was through earlier than
                      * others in the last epoch, and may be the first now */
    } pair[];
} mca_part_ucx_pair_shares_t;

/** What is known of a pair. */
typedef struct mca_part_ucx_known_t {
    uint32_t rate; /**< bytes per millisecond, 0: not known */
    bool old;      /**< for some time nothing has been heard */
    bool quiet;    /**< nothing has been heard for many epochs that were dealt: with what it is
                    * given it is not what others wait for */
    bool dead;     /**< its path is, and others carry all (docs/protocol.md, section 9) */
} mca_part_ucx_known_t;

/** These are the rates now. One is known, or a pair is dead, but not all, or units are dealt: adapt
 * the shares. True: units are to be dealt. */
bool mca_part_ucx_pair_shares_adapt(mca_part_ucx_pair_shares_t *share,
                                    const mca_part_ucx_known_t *known);

/** The pair that is through first with so many bytes more, which it is given. */
uint32_t mca_part_ucx_pair_shares_next(mca_part_ucx_pair_shares_t *share, uint64_t bytes);

/** An epoch of units of so many bytes has been dealt: see what pairs carry over to the next one. */
void mca_part_ucx_pair_shares_carry_over(mca_part_ucx_pair_shares_t *share, uint64_t unit_bytes);

/** Rates that are all at least this share of the fastest change nothing while units take turns. */
#define PART_UCX_PAIR_SHARES_EVEN 0.88

#endif /* PART_UCX_PAIR_SHARES_H */
