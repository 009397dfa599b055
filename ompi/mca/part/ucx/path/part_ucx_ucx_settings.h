/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What UCX has been told about transports and devices, by the environment or by a file ucx.conf
 * (UCX's FAQ says where it is looked for).
 */
#ifndef PART_UCX_UCX_SETTINGS_H
#define PART_UCX_UCX_SETTINGS_H

/** UCX_TLS, or NULL: all. The text stays. */
const char *mca_part_ucx_settings_transports(void);

/** UCX_NET_DEVICES, or NULL: all. The text stays. */
const char *mca_part_ucx_settings_devices(void);

#endif /* PART_UCX_UCX_SETTINGS_H */
