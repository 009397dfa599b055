/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the health check (tools/part_ucx_info) asks the component about itself, so that it need not
 * guess. Components are opened privately; so the program finds the table of functions by its name
 * in the file of the component, whether Open MPI has loaded that or not. Plain C, with no type of
 * Open MPI but what MPI_Comm points to.
 */
#ifndef PART_UCX_INFO_H
#define PART_UCX_INFO_H

#include "api/part_ucx_device.h"

#include <stdbool.h>
#include <stddef.h>

struct ompi_communicator_t;

/** Changes with every incompatible change in this header. */
#define PART_UCX_INFO_VERSION 3

/** The table's name in the component's file. */
#define PART_UCX_INFO_SYMBOL "mca_part_ucx_info"

/** A network device, whether used or not. */
typedef struct mca_part_ucx_info_device_t {
    mca_part_ucx_device_t device;
    int first_path; /**< its first path, or -1 */
    int paths;      /**< number of its paths */
} mca_part_ucx_info_device_t;

/** All that there is to know of the devices. */
typedef struct mca_part_ucx_info_devices_t {
    mca_part_ucx_info_device_t *list; /**< network devices; to be freed with free() */
    int count;
    mca_part_ucx_device_t shared;
    bool has_shared;
} mca_part_ucx_info_devices_t;

/** How a path of this process meets one of a peer's. */
typedef struct mca_part_ucx_info_pair_t {
    mca_part_ucx_device_kind_t kind;
    char local[PART_UCX_NAME_MAX];
    char remote[PART_UCX_NAME_MAX];
    /** Transports that UCX has chosen, else those that it may choose from. */
    char transports[PART_UCX_TRANSPORT_MAX];
    bool chosen;
} mca_part_ucx_info_pair_t;

typedef struct mca_part_ucx_info_t {
    unsigned version; /**< PART_UCX_INFO_VERSION */
    unsigned wire;    /**< version of the messages between processes */
    const char *built_ompi;
    const char *built_ucx;

    /** The version of the component. */
    const char *(*package)(void);
    /** Is this the Open MPI and the UCX it was built for? If not, what a user would be told. */
    bool (*fits)(char *why, size_t size);
    /** Are its MCA variables, once registered, in range? */
    bool (*variables)(char *why, size_t size);

    /* From here on only if it fits. */

    /** The part component in use, after MPI_Init. */
    const char *(*part)(void);
    /** Is it this one? */
    bool (*in_use)(void);
    /** The PML in use, which carries set-up messages. */
    const char *(*pml)(void);
    /** UCX_TLS and UCX_NET_DEVICES, of the environment or of ucx.conf; NULL: all. */
    const char *(*ucx_transports)(void);
    const char *(*ucx_devices)(void);
    /** Create the paths, as the first partitioned call does; messages go to `why`. If in use. */
    bool (*prepare)(char *why, size_t size);
    /** The devices, with their paths if those have been created. False without memory. */
    bool (*devices)(mca_part_ucx_info_devices_t *devices);
    /** How paths meet those of a rank that this process has received from; returns how many. */
    int (*pairs)(struct ompi_communicator_t *comm, int rank, mca_part_ucx_info_pair_t *list,
                 int room);
    /** How a unit of so many bytes is delivered over a kind of device: message, flush, chained. */
    const char *(*delivery)(mca_part_ucx_device_kind_t kind, uint64_t bytes);
    /** Receives that are matched from now on use only this pair (-1: all): to measure it. */
    void (*only_pair)(int pair);
} mca_part_ucx_info_t;

#endif /* PART_UCX_INFO_H */
