/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The method of a channel, which its receiver chooses when the two ends meet: messages or puts. How
 * the sender then delivers each unit, part_ucx_delivery.h says.
 */
#ifndef PART_UCX_METHOD_H
#define PART_UCX_METHOD_H

#include "api/part_ucx_device.h"
#include "process/part_ucx_params.h"

/** How units of contiguous data are delivered over a kind of device; docs/protocol.md argues each
 * case. */
mca_part_ucx_method_t mca_part_ucx_method_choose(mca_part_ucx_device_kind_t kind, uint64_t bytes);

/** Its name, as part_ucx_delivery has it. */
const char *mca_part_ucx_method_name(mca_part_ucx_method_t method);

#endif /* PART_UCX_METHOD_H */
