/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ASK: the sender of a channel with credit, who hears READY now and then only, asks for it in each
 * epoch. So MPIX_Pbuf_prepare returns when the receiver has started the epoch, as without credit.
 */
#ifndef PART_UCX_ASK_H
#define PART_UCX_ASK_H

#include "channel/part_ucx_send.h"

/** Ask, if that has not been done. READY has been heard once. From the thread that owns the
 * request. */
void mca_part_ucx_ask(mca_part_ucx_send_t *send);

#endif /* PART_UCX_ASK_H */
