/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Looking after channels that do not get on: a peer that has died or has not this component ends
 * them with an error, a link that does not move is reported. Nobody should wait without a message.
 */
#ifndef PART_UCX_WATCHDOG_H
#define PART_UCX_WATCHDOG_H

/** Look at all channels, if it is time. Under the set-up lock, in threads of the application. */
void mca_part_ucx_watchdog(void);

#endif /* PART_UCX_WATCHDOG_H */
