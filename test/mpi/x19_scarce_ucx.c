/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What x18_scarce_memory does where memory runs out, where UCX refuses something: it has no memory
 * for an endpoint, a key or a transfer, say, once, from the making of a communicator to the end of
 * a channel on it. The same program, linked with scarce_ucx.c.
 */
#include "x18_scarce_memory.c"
