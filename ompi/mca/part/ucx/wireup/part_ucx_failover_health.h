/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Looking after paths that may die while their channels go on: whether they are alive, and what is
 * to be done when one is not (docs/protocol.md, section 9).
 */
#ifndef PART_UCX_FAILOVER_HEALTH_H
#define PART_UCX_FAILOVER_HEALTH_H

/** Look, if it is time. Under the set-up lock. */
void mca_part_ucx_failover_health(void);

#endif /* PART_UCX_FAILOVER_HEALTH_H */
