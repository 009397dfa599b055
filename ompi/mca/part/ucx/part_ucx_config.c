/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a path asks of UCX (see part_ucx_config.h).
 */
#include "part_ucx_config.h"

#include "part_ucx.h"

#include <stdio.h>
#include <stdlib.h>

#include "ompi/constants.h"

static int modify(ucp_config_t *config, const char *name, const char *value)
{
    ucs_status_t status = ucp_config_modify(config, name, value);

    if (UCS_OK != status) {
        PART_UCX_VERBOSE(1, "UCX refuses %s=%s: %s", name, value, ucs_status_string(status));
        return OMPI_ERROR;
    }
    return OMPI_SUCCESS;
}

/* Variables of transports go by their names in the environment; before UCX 1.17 without prefix. */
#if UCP_API_VERSION >= UCP_VERSION(1, 17)
#define OF_TRANSPORT(prefix, name) prefix "_" name
#else
#define OF_TRANSPORT(prefix, name) name
#endif

/*
 * Else the thread that makes an endpoint, under the lock of its path, waits until the peer's host
 * has answered, which one that is gone never does. And where the peer dies in just that moment, UCX
 * (1.13 to 1.22 at least) goes on with a connection that it has freed, and crashes.
 */
static void connect_without_waiting(ucp_config_t *config)
{
    if (NULL == getenv("UCX_TCP_CONN_NB")) {
        (void) modify(config, OF_TRANSPORT("TCP", "CONN_NB"), "y");
    }
}

/* What waits in a socket is out of sight: a rank that was behind had megabytes there while others
 * had nothing to send, and a path that was behind did not look busy. */
static void limit_send_buffer(ucp_config_t *config)
{
    char bytes[24];

    if (0 != mca_part_ucx.params.tcp_send_buffer && NULL == getenv("UCX_TCP_SNDBUF")) {
        snprintf(bytes, sizeof(bytes), "%zu", mca_part_ucx.params.tcp_send_buffer);
        (void) modify(config, OF_TRANSPORT("TCP", "SNDBUF"), bytes);
    }
}

int mca_part_ucx_config_bind(ucp_config_t *config, const mca_part_ucx_device_t *device)
{
    char transports[PART_UCX_TRANSPORT_MAX + 8];

    /* "self" serves channels from a process to itself. */
    snprintf(transports, sizeof(transports), "%s,self", device->transports);
    if (OMPI_SUCCESS != modify(config, "TLS", transports)) {
        return OMPI_ERROR;
    }
    if (PART_UCX_DEVICE_SHARED != device->kind
        && OMPI_SUCCESS != modify(config, "NET_DEVICES", device->name)) {
        return OMPI_ERROR;
    }
    if (PART_UCX_DEVICE_TCP == device->kind) {
        connect_without_waiting(config);
        limit_send_buffer(config);
    }
    if (PART_UCX_DEVICE_RDMA == device->kind) {
        /* Relaxed ordering lets a flag overtake data even after a flush (docs/protocol.md). */
        (void) modify(config, OF_TRANSPORT("IB", "PCI_RELAXED_ORDERING"), "n");
    }
    return OMPI_SUCCESS;
}
