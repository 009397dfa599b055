/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Touching shared memory before it is needed (see part_ucx_prefault.h). UCX does not say where its
 * memory is. But who packs a message himself is told where it goes.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif

#include "path/part_ucx_prefault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* UCX's memory for messages is smaller. */
#define MAPPING_MOST (UINT64_C(16) << 20)

/* More than UCX sends without a segment. */
#define MESSAGE_BYTES 512u

/* A message whose memory is touched when it has left. */
typedef struct prefault_t {
    mca_part_ucx_work_t work;
    mca_part_ucx_path_t *path;
    const void *segment; /* where it was packed */
} prefault_t;

/* The mapping of this process that an address lies in, if it is shared; its length, or 0. */
static size_t find_mapping(uintptr_t address, uintptr_t *begin)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], shared = 'p';
    uintptr_t end = 0;

    *begin = 0;
    while (NULL != maps && address >= end && NULL != fgets(line, sizeof(line), maps)) {
        if (3 != sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*3c%c", begin, &end, &shared)) {
            end = 0; /* the rest of a line that is longer */
        }
    }
    if (NULL != maps) {
        fclose(maps);
    }
    return address >= *begin && address < end && 's' == shared ? end - *begin : 0;
}

void mca_part_ucx_prefault(const void *address)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    uintptr_t begin;
    size_t length = find_mapping((uintptr_t) address, &begin);

    if (0 == length || length > MAPPING_MOST) {
        return;
    }
#ifdef MADV_POPULATE_READ
    if (0 == madvise((void *) begin, length, MADV_POPULATE_READ)) {
        return;
    }
#endif
    for (size_t at = 0; at < length; at += page) { /* others write to it meanwhile: only look */
        (void) __atomic_load_n((const char *) begin + at, __ATOMIC_RELAXED);
    }
}

/* ---- a message that UCX lets us pack ---- */

static void *start_pack(void *context, const void *prefault, size_t count)
{
    (void) context, (void) count;
    return (void *) (uintptr_t) prefault;
}

static size_t packed_size(void *prefault)
{
    (void) prefault;
    return MESSAGE_BYTES;
}

static size_t pack(void *prefault, size_t offset, void *target, size_t room)
{
    size_t bytes = MESSAGE_BYTES - offset < room ? MESSAGE_BYTES - offset : room;

    ((prefault_t *) prefault)->segment = target;
    memset(target, 0, bytes);
    return bytes;
}

static void finish(void *prefault)
{
    (void) prefault;
}

static const ucp_generic_dt_ops_t packing = {.start_pack = start_pack,
                                             .packed_size = packed_size,
                                             .pack = pack,
                                             .finish = finish};

static bool prefault_post(mca_part_ucx_path_t *path, mca_part_ucx_work_t *work)
{
    prefault_t *prefault = PART_UCX_CONTAINER(work, prefault_t, work);

    (void) path;
    mca_part_ucx_prefault(prefault->segment);
    free(prefault);
    return true;
}

static void sent(void *request, ucs_status_t status, void *user_data)
{
    prefault_t *prefault = user_data;

    mca_part_ucx_path_free_request(request);
    if (UCS_OK == status) {
        mca_part_ucx_path_push(prefault->path, &prefault->work);
    } else {
        free(prefault);
    }
}

void mca_part_ucx_prefault_peer(mca_part_ucx_endpoint_t *endpoint, unsigned id)
{
    static ucp_datatype_t datatype; /* until the process ends: UCX may hold a message for long */
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA
                                                 | UCP_OP_ATTR_FIELD_DATATYPE
                                                 | UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_AM_SEND_FLAG_EAGER,
                                 .cb.send = sent};
    prefault_t *prefault;
    ucs_status_ptr_t status;

    if (PART_UCX_DEVICE_SHARED != endpoint->path->device.kind || endpoint->prefaulted
        || (0 == datatype && UCS_OK != ucp_dt_create_generic(&packing, NULL, &datatype))) {
        return;
    }
    endpoint->prefaulted = true;
    prefault = calloc(1, sizeof(*prefault));
    if (NULL == prefault) {
        return;
    }
    prefault->work.post = prefault_post;
    prefault->path = endpoint->path;
    param.datatype = datatype;
    param.user_data = prefault;
    mca_part_ucx_path_lock(endpoint->path);
    atomic_store_explicit(&endpoint->path->dirty, true, memory_order_relaxed);
    status = ucp_am_send_nbx(endpoint->ucp, id, NULL, 0, prefault, 1, &param);
    if (!UCS_PTR_IS_PTR(status)) {
        sent(NULL, UCS_PTR_RAW_STATUS(status), prefault); /* UCX does not call it then */
    }
    mca_part_ucx_path_unlock(endpoint->path);
}
