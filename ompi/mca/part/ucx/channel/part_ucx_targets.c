/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a send's bytes go at a receiver on the same host (see part_ucx_targets.h).
 */
#include "channel/part_ucx_targets.h"

#include "path/part_ucx_cma.h"
#include "process/part_ucx_log.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* May the receive buffer be written to? Only a range of memory without gaps. */
static bool may_copy(const mca_part_ucx_send_t *send)
{
    return PART_UCX_METHOD_MESSAGE == send->super.method && send->super.contiguous
           && !send->eager_only && PART_UCX_COPY_RECEIVER != mca_part_ucx_params.shared_copy;
}

/* The receiver's list of the pieces of a link, as long as it may be. */
static bool read_targets(const mca_part_ucx_send_t *send, int32_t process, uint64_t bytes)
{
    mca_part_ucx_targets_t *targets = send->targets;
    const char *list = mca_part_ucx_shm_at(&targets->view, send->remote_data, bytes);

    if (NULL != list) {
        memcpy(targets->piece, list, bytes);
    } else if (0 == process
               || !mca_part_ucx_cma_read(process, send->remote_data, targets->piece, bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < send->super.map.segments; ++i) {
        if (targets->piece[i].bytes != send->super.piece[i].bytes) {
            return false;
        }
    }
    return true;
}

void mca_part_ucx_targets_forget(mca_part_ucx_send_t *send)
{
    mca_part_ucx_targets_end(send);
    free(send->targets);
    send->targets = NULL;
}

/* Learn where the pieces of a link go. False: that cannot be found out. */
static bool learn_targets(mca_part_ucx_send_t *send, int32_t process, const mca_part_ucx_shm_t *shm)
{
    uint64_t bytes = (uint64_t) send->super.map.segments * sizeof(mca_part_ucx_piece_t);

    mca_part_ucx_targets_forget(send);
    send->targets = calloc(1, sizeof(*send->targets) + bytes);
    if (NULL == send->targets) {
        return false;
    }
    if (0 != shm->bytes && getpid() != shm->process) {
        (void) mca_part_ucx_shm_open(&send->targets->view, shm);
    }
    if (!read_targets(send, process, bytes)) {
        mca_part_ucx_targets_forget(send);
        return false;
    }
    if (NULL != send->targets->view.here) {
        PART_UCX_VERBOSE(3, "pieces to rank %d are copied into shared memory",
                         send->super.peer_rank);
    }
    return true;
}

void mca_part_ucx_targets_find(mca_part_ucx_send_t *send, bool allowed,
                               const mca_part_ucx_shm_t *shm)
{
    bool may = may_copy(send);
    int32_t process = may && allowed ? send->super.peer->process : 0;

    if (NULL != send->super.piece && may && (0 != process || 0 != shm->bytes)
        && !learn_targets(send, process, shm)) {
        process = 0;
    }
    atomic_store(&send->cma_process, process);
}

void mca_part_ucx_targets_end(mca_part_ucx_send_t *send)
{
    if (NULL != send->targets) {
        mca_part_ucx_shm_close(&send->targets->view);
    }
}

char *mca_part_ucx_targets_view(const mca_part_ucx_send_t *send, uint32_t piece, uint64_t length)
{
    const mca_part_ucx_targets_t *targets = send->targets;

    return NULL == targets
               ? NULL
               : mca_part_ucx_shm_at(&targets->view, targets->piece[piece].address, length);
}
