/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a path asks of UCX (see part_ucx_config.h).
 */
#include "path/part_ucx_config.h"

#include "path/part_ucx_transports.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_params.h"

#include <stdbool.h>
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

#define NAME_MAX_BYTES 64

/* A variable of a transport. It goes by its name in the environment; before UCX 1.17 without the
 * transport's. */
static int set(ucp_config_t *config, const char *transport, const char *name, const char *value)
{
    char full[NAME_MAX_BYTES];

    snprintf(full, sizeof(full), "%s_%s", transport, name);
    return modify(config, UCP_API_VERSION >= UCP_VERSION(1, 17) ? full : name, value);
}

static bool set_by_user(const char *transport, const char *name)
{
    char variable[NAME_MAX_BYTES];

    snprintf(variable, sizeof(variable), "UCX_%s_%s", transport, name);
    return NULL != getenv(variable);
}

/*
 * A sender cuts what does not fit in one buffer of UCX's receiver, which puts it together by one
 * copy more. UCX's own 64 KiB are too short for a unit of 64 KiB and its headers; these hold a unit
 * of the default part_ucx_unit_max. A constant, whatever the user's environment says: the sender
 * goes by its own value, and UCX would write beyond a receiver's that is shorter. So no path is
 * opened without it.
 */
#define TCP_RX_SEGMENT "266240"

/* Buffers that are made at a time, each of two segments. There is one for each connection of which
 * a part of a message has come; UCX's own 8 would be 4 MiB for each path. */
#define TCP_RX_BUFFERS "2"

static int configure_tcp_receiving(ucp_config_t *config)
{
    if (!set_by_user("TCP", "RX_BUFS_GROW")) {
        (void) set(config, "TCP", "RX_BUFS_GROW", TCP_RX_BUFFERS);
    }
    return set(config, "TCP", "RX_SEG_SIZE", TCP_RX_SEGMENT);
}

static void configure_tcp_sending(ucp_config_t *config)
{
    /*
     * Else the thread that makes an endpoint, under the lock of its path, waits until the peer's
     * host has answered, which one that is gone never does. And where the peer dies in just that
     * moment, UCX (1.13 to 1.22 at least) goes on with a connection that it has freed, and crashes.
     */
    if (!set_by_user("TCP", "CONN_NB")) {
        (void) set(config, "TCP", "CONN_NB", "y");
    }
    /* What waits in a socket is out of sight: a rank that was behind had megabytes there while
     * others had nothing to send, and a path that was behind did not look busy. */
    if (0 != mca_part_ucx_params.tcp_send_buffer && !set_by_user("TCP", "SNDBUF")) {
        char bytes[24];

        snprintf(bytes, sizeof(bytes), "%zu", mca_part_ucx_params.tcp_send_buffer);
        (void) set(config, "TCP", "SNDBUF", bytes);
    }
}

/*
 * What UCX's shared memory is made of: a ring of messages, which all processes of the host write
 * to, and a segment for each place of the ring. Whoever writes to a segment for the first time, and
 * whoever reads it, pays for its pages; so the ring is no longer than it must be.
 */
static const struct {
    const char *name, *value;
} shared_variables[] = {
    /* Room for a message of the default part_ucx_shared_eager_limit and its headers: the receiver
     * copies one that comes in several segments once more, to put it together. A constant, because
     * the sender fills segments of its own size, whatever the receiver's are; and UCX has 16 bits
     * for it. */
    {"SEG_SIZE", "16640"},
    {"FIFO_SIZE", "64"},
    /* Segments that are made at a time: those of the ring, and a few that UCX keeps for a while. */
    {"RX_BUFS_GROW", "72"},
};

static void configure_shared(ucp_config_t *config)
{
    static const char *const transports[] = {"MM", "POSIX", "SYSV", "XPMEM"};
    bool user = false;

    for (size_t i = 0; i < sizeof(shared_variables) / sizeof(shared_variables[0]); ++i) {
        const char *name = shared_variables[i].name;
        char all[NAME_MAX_BYTES];

        for (size_t j = 0; j < sizeof(transports) / sizeof(transports[0]); ++j) {
            user = user || set_by_user(transports[j], name);
        }
        if (!user) {
            snprintf(all, sizeof(all), "MM_%s", name); /* of all these, in any version */
            (void) modify(config, all, shared_variables[i].value);
        }
        user = false;
    }
}

/*
 * Where UCX copies headers of messages whose data it does not copy: 128 of these buffers are made,
 * and touched, with the first such message of each path. UCX's own 8 KiB make that 1 MiB, for which
 * it takes a huge page of 2 MiB; where the system has to clear, or first to make, one, all of a
 * path waits for 0.3 to 5 ms. No header of ours has more than 32 bytes
 * (channel/part_ucx_message.h). In UCX's table of its own variables the name stands without a
 * transport.
 */
static void configure_headers(ucp_config_t *config)
{
    if (NULL == getenv("UCX_SEG_SIZE")) {
        (void) modify(config, "SEG_SIZE", "512");
    }
}

/* Where the hardware does not place them, a message is better: the receiver's processor has to look
 * at it once, not at a put, a flush and a flag. */
bool mca_part_ucx_config_puts(const mca_part_ucx_device_t *device)
{
    return PART_UCX_METHOD_AUTO == mca_part_ucx_params.method
               ? PART_UCX_DEVICE_RDMA == device->kind
                     && mca_part_ucx_transports_put(device->transports)
               : PART_UCX_METHOD_MESSAGE != mca_part_ucx_params.method;
}

/* Of RDMA it is not known what a connection that fails leaves behind; what is put cannot be sent
 * again before that is. */
bool mca_part_ucx_config_fails_over(const mca_part_ucx_device_t *device)
{
    return 0 != mca_part_ucx_params.failover && PART_UCX_DEVICE_TCP == device->kind
           && !mca_part_ucx_config_puts(device);
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
    configure_headers(config);
    if (PART_UCX_DEVICE_TCP == device->kind) {
        configure_tcp_sending(config);
        if (OMPI_SUCCESS != configure_tcp_receiving(config)) {
            return OMPI_ERROR;
        }
    }
    if (PART_UCX_DEVICE_SHARED == device->kind) {
        configure_shared(config);
    }
    if (PART_UCX_DEVICE_RDMA == device->kind && mca_part_ucx_config_puts(device)) {
        /* Relaxed ordering lets a flag overtake data even after a flush (docs/protocol.md). A UCX
         * that does not know the word has no such device, and one whose device knows no other order
         * does not open it. */
        (void) set(config, "IB", "PCI_RELAXED_ORDERING", "n");
    }
    return OMPI_SUCCESS;
}
