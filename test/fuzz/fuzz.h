/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What targets of the fuzzer (libFuzzer) have in common, and how their inputs look. test/fuzz.sh
 * builds and runs them.
 */
#ifndef MPIX_FUZZ_H
#define MPIX_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel/part_ucx_message.h"

/** What must hold, whatever comes: else the fuzzer keeps the input. */
#define FUZZ_CHECK(condition)                                                        \
    do {                                                                             \
        if (!(condition)) {                                                          \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
            abort();                                                                 \
        }                                                                            \
    } while (0)

/** How an input of `setup` begins: a send that an ACCEPT may be for. The set-up message follows. */
typedef struct fuzz_send_t {
    uint64_t total;
    uint32_t partitions;
    uint32_t zero;
} fuzz_send_t;

/** How each message in an input of `messages` and `failover` begins. Its header follows. Then, of
 * one for the link, and of `failover`, as many bytes of data as are left, `length` at most; what is
 * missing is 0. */
typedef struct fuzz_message_t {
    uint8_t id;    /**< place in fuzz_ids, from 0; larger ones begin anew */
    uint8_t path;
    uint8_t right; /**< FUZZ_KEY and so on */
    uint8_t cut;   /**< so many bytes of the header are missing */
    uint16_t length;
    uint16_t zero;
} fuzz_message_t;

/** The active messages that may be said; PREFAULT may not. The corpus counts their places: append
 * only. */
static const unsigned fuzz_ids[] = {PART_UCX_AM_DATA, PART_UCX_AM_PLACED, PART_UCX_AM_READY,
                                    PART_UCX_AM_END, PART_UCX_AM_BUNDLE, PART_UCX_AM_DOWN,
                                    PART_UCX_AM_BACK, PART_UCX_AM_PROBE, PART_UCX_AM_OFFER,
                                    PART_UCX_AM_ASK};

#define FUZZ_IDS (sizeof(fuzz_ids) / sizeof(fuzz_ids[0]))

/** Bits of `right`: what the fuzzer cannot guess is put into the header. */
#define FUZZ_KEY        1u
#define FUZZ_NONCE      2u
#define FUZZ_FROM       4u
#define FUZZ_SECOND     8u  /**< of the second channel, not of the first */
#define FUZZ_RENDEZVOUS 16u /**< the data are offered */
#define FUZZ_START      32u /**< before, the channel's receive is started, and all is marked */
#define FUZZ_LINK       64u /**< of the link; the bytes of its messages follow their header */

/* In `failover`, where paths 0 and 1 are those of A, which sends, and 2 and 3 are B's:
 *   FUZZ_SECOND      it is for the other end of the channel than such messages are for
 *   FUZZ_RENDEZVOUS  before, the endpoint of `path` is given up
 *   FUZZ_START       afterwards, time passes */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* MPIX_FUZZ_H */
