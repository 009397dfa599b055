/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A device that can carry a path: a network device that UCX reports, or shared memory.
 */
#ifndef PART_UCX_DEVICE_H
#define PART_UCX_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#define PART_UCX_NAME_MAX      64
#define PART_UCX_TRANSPORT_MAX 256

/** Of a process. */
#define PART_UCX_MAX_PATHS 32

typedef enum mca_part_ucx_device_kind_t {
    PART_UCX_DEVICE_SHARED, /**< shared memory and cross-memory attach, one host */
    PART_UCX_DEVICE_TCP,    /**< a network interface under TCP */
    PART_UCX_DEVICE_RDMA    /**< a device whose puts need no processor */
} mca_part_ucx_device_kind_t;

/** Where a TCP device's peers are: its network. All zero for others. */
typedef struct mca_part_ucx_subnet_t {
    uint8_t network[16]; /**< network part of the address, network byte order */
    uint8_t address[16]; /**< the device's own address */
    uint8_t family;      /**< 4, 6, or 0 when unknown */
    uint8_t prefix;      /**< bits of the network part */
} mca_part_ucx_subnet_t;

/** Why a device is used, or is not. */
typedef enum mca_part_ucx_use_t {
    PART_UCX_USE_PATH,         /**< it can carry a path */
    PART_UCX_USE_NO_TRANSPORT, /**< none of its transports is allowed */
    PART_UCX_USE_NOT_NAMED,    /**< the user names others, to us or to Open MPI */
    PART_UCX_USE_BESIDE_RDMA,  /**< TCP where there are RDMA devices */
    PART_UCX_USE_LOOPBACK,     /**< only where there is nothing else: loopback, bridges */
    PART_UCX_USE_SAME_SUBNET,  /**< the kernel routes its network through `instead` */
    PART_UCX_USE_FEWER_PATHS,  /**< farther away than the paths wanted reach */
    PART_UCX_USE_FAILED        /**< its path cannot be opened */
} mca_part_ucx_use_t;

typedef struct mca_part_ucx_device_t {
    mca_part_ucx_device_kind_t kind;
    char name[PART_UCX_NAME_MAX];              /**< as UCX_NET_DEVICES wants it, e.g. mlx5_0:1 */
    char transports[PART_UCX_TRANSPORT_MAX];   /**< comma separated, as UCX_TLS wants it */
    mca_part_ucx_subnet_t subnet;
    unsigned speed;                            /**< Mbit/s that it is made for; 0: not known, or
                                                * the user has named it */
    bool slow;                                 /**< beside the fastest of this process */
    unsigned distance;                         /**< 0 near; larger is farther from this process */
    mca_part_ucx_use_t use;
    char instead[PART_UCX_NAME_MAX];           /**< with PART_UCX_USE_SAME_SUBNET */
} mca_part_ucx_device_t;

#endif /* PART_UCX_DEVICE_H */
