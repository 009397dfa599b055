/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX that has no memory (see scarce.h): functions of libucp that this program has, too, and hands
 * on to libucp. It is linked so that libraries find these first (--export-dynamic).
 *
 * ucp_am_recv_data_nbx is left out: what UCX has no memory to receive can neither be received later
 * nor let go, so the sender waits until it has waited for long enough (PART_UCX_LEAVE_PATIENCE).
 */
#include "scarce.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>

static void *real(const char *name)
{
    static void *libucp;
    void *found;

    if (NULL == libucp) {
        libucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    }
    found = NULL == libucp ? NULL : dlsym(libucp, name);
    if (NULL == found) {
        (void) fprintf(stderr, "no %s\n", name);
        abort();
    }
    return found;
}

/* A function of libucp: `none` is what it returns if it is refused. */
#define SERVICE(type, none, name, parameters, arguments)           \
    __attribute__((visibility("default"))) type name parameters    \
    {                                                              \
        static type(*next) parameters;                             \
                                                                   \
        if (mt_scarce_refused(__builtin_return_address(0))) {      \
            return none;                                           \
        }                                                          \
        if (NULL == next) {                                        \
            *(void **) &next = real(#name);                        \
        }                                                          \
        return next arguments;                                     \
    }

#define STATUS  UCS_ERR_NO_MEMORY
#define POINTER UCS_STATUS_PTR(UCS_ERR_NO_MEMORY)

SERVICE(ucs_status_t, STATUS, ucp_init_version,
        (unsigned major, unsigned minor, const ucp_params_t *params, const ucp_config_t *config,
         ucp_context_h *context),
        (major, minor, params, config, context))
SERVICE(ucs_status_t, STATUS, ucp_worker_create,
        (ucp_context_h context, const ucp_worker_params_t *params, ucp_worker_h *worker),
        (context, params, worker))
SERVICE(ucs_status_t, STATUS, ucp_worker_get_address,
        (ucp_worker_h worker, ucp_address_t **address, size_t *length), (worker, address, length))
SERVICE(ucs_status_t, STATUS, ucp_worker_get_efd, (ucp_worker_h worker, int *fd), (worker, fd))
SERVICE(ucs_status_t, STATUS, ucp_worker_set_am_recv_handler,
        (ucp_worker_h worker, const ucp_am_handler_param_t *param), (worker, param))
SERVICE(ucs_status_t, STATUS, ucp_ep_create,
        (ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *endpoint),
        (worker, params, endpoint))
SERVICE(ucs_status_t, STATUS, ucp_mem_map,
        (ucp_context_h context, const ucp_mem_map_params_t *params, ucp_mem_h *memory),
        (context, params, memory))
SERVICE(ucs_status_t, STATUS, ucp_rkey_pack,
        (ucp_context_h context, ucp_mem_h memory, void **buffer, size_t *size),
        (context, memory, buffer, size))
SERVICE(ucs_status_t, STATUS, ucp_ep_rkey_unpack,
        (ucp_ep_h endpoint, const void *buffer, ucp_rkey_h *key), (endpoint, buffer, key))
SERVICE(ucs_status_ptr_t, POINTER, ucp_am_send_nbx,
        (ucp_ep_h endpoint, unsigned id, const void *header, size_t header_length,
         const void *buffer, size_t count, const ucp_request_param_t *param),
        (endpoint, id, header, header_length, buffer, count, param))
SERVICE(ucs_status_ptr_t, POINTER, ucp_put_nbx,
        (ucp_ep_h endpoint, const void *buffer, size_t count, uint64_t address, ucp_rkey_h key,
         const ucp_request_param_t *param),
        (endpoint, buffer, count, address, key, param))
SERVICE(ucs_status_ptr_t, POINTER, ucp_ep_flush_nbx,
        (ucp_ep_h endpoint, const ucp_request_param_t *param), (endpoint, param))
SERVICE(ucs_status_ptr_t, POINTER, ucp_worker_flush_nbx,
        (ucp_worker_h worker, const ucp_request_param_t *param), (worker, param))

bool mt_scarce_later(void)
{
    return true;
}
