/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine that is made up: stands in for what UCT lists, for the network interfaces, and for
 * /sys and processor binding (linked with --wrap).
 */
#ifndef MPIX_UNIT_FAKEMACHINE_H
#define MPIX_UNIT_FAKEMACHINE_H

#include <uct/api/uct.h>

/** A transport on a device, as a memory domain reports it. */
typedef struct fakemachine_transport_t {
    unsigned domain; /**< 0 to 3; domains 0 and 1 belong to one UCT component, 2 and 3 to another */
    const char *transport;
    const char *device;
    uct_device_type_t type;
} fakemachine_transport_t;

/** An address of a network interface, "10.0.1.2" or "fd00::2". */
typedef struct fakemachine_address_t {
    const char *interface;
    const char *address;
    const char *mask;
} fakemachine_address_t;

/** Where a device hangs, by what /sys says. */
typedef struct fakemachine_place_t {
    const char *device;
    const char *above;   /**< "" if its own folder says it, or "/.." or "/../.." */
    uint64_t processors; /**< near it */
} fakemachine_place_t;

/** What a device says that it carries. */
typedef struct fakemachine_speed_t {
    const char *device;
    unsigned mbit;
} fakemachine_speed_t;

/** The machine; each list ends with an entry whose names are NULL. */
typedef struct fakemachine_t {
    const fakemachine_transport_t *transports;
    const fakemachine_address_t *addresses;
    const fakemachine_place_t *places; /**< NULL: none has one */
    const fakemachine_speed_t *speeds; /**< NULL: none says it */
    const char *down;                  /**< a device that is there, and that UCX does not see */
    uint64_t processors;               /**< that this process is bound to; 0: that is not known */
    unsigned broken;                   /**< bit n: domain n cannot be opened */
} fakemachine_t;

/** From now on this is the machine. */
void fakemachine_set(const fakemachine_t *machine);

/** What was got from UCT and the system, and not given back. */
int fakemachine_leaks(void);

#endif /* MPIX_UNIT_FAKEMACHINE_H */
