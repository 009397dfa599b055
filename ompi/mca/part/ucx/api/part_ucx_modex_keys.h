/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What processes of Open MPI publish through PMIx, whether they have this component or not: the
 * addresses of their transports.
 */
#ifndef PART_UCX_MODEX_KEYS_H
#define PART_UCX_MODEX_KEYS_H

/** A key under which this process has published an address, as those have that use the same
 * transports. `*next`: 0 at first, counts on. To be freed; NULL: there are no more. */
char *mca_part_ucx_modex_key(unsigned *next);

#endif /* PART_UCX_MODEX_KEYS_H */
