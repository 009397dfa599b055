/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters per path: MPI_T performance variables (one element per path, in the order of the
 * paths), and a summary at the end.
 */
#include "mpi/part_ucx_counters.h"

#include "path/part_ucx_paths.h"
#include "path/part_ucx_peer.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_process.h"

#include <stddef.h>

#include "mpi.h"
#include "opal/mca/base/mca_base_pvar.h"

static const struct {
    const char *name;
    const char *text;
    size_t offset;
} counters[] = {
    {"path_bytes", "Payload bytes sent, by path", offsetof(mca_part_ucx_counters_t, bytes)},
    {"path_units", "Transfer units sent, by path", offsetof(mca_part_ucx_counters_t, units)},
    {"path_flushes", "Endpoint flushes before arrival flags, by path",
     offsetof(mca_part_ucx_counters_t, flushes)},
    {"path_messages", "Data messages, data puts and flag puts posted, by path",
     offsetof(mca_part_ucx_counters_t, messages)},
    {"path_waits", "Units that were complete before the receiver was known to be ready, by path",
     offsetof(mca_part_ucx_counters_t, waits)},
};

/* Of the process: messages that have been dropped, paths to a peer that have died. */
static const struct {
    const char *name;
    const char *text;
    atomic_uint_least64_t *counter;
} totals[] = {
    {"dropped_strays",
     "Messages dropped because no channel of this process has, or has had, their key and nonce",
     &mca_part_ucx_process.strays},
    {"dropped_repeats", "Messages dropped because they had come before",
     &mca_part_ucx_process.repeats},
    {"paths_lost", "Paths to a peer that have died, with part_ucx_failover",
     &mca_part_ucx_endpoints_lost},
    {"paths_back", "Paths to a peer that had died and are used again",
     &mca_part_ucx_endpoints_back},
};

static uint64_t at(const mca_part_ucx_path_t *path, size_t offset)
{
    const atomic_uint_least64_t *counter
        = (const void *) ((const char *) &path->counters + offset);

    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Bytes and units are told together with those that went into boxes. */
static uint64_t read_counter(const mca_part_ucx_path_t *path, size_t offset)
{
    size_t boxed = offsetof(mca_part_ucx_counters_t, bytes) == offset
                       ? offsetof(mca_part_ucx_counters_t, boxed_bytes)
                   : offsetof(mca_part_ucx_counters_t, units) == offset
                       ? offsetof(mca_part_ucx_counters_t, boxed_units)
                       : 0;

    return at(path, offset) + (0 == boxed ? 0 : at(path, boxed));
}

#define READ(path, counter) \
    (unsigned long long) read_counter(path, offsetof(mca_part_ucx_counters_t, counter))

/* Tools read at any time, also in a thread of their own while MPI begins or ends. */
static int get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    size_t offset = (size_t) (uintptr_t) pvar->ctx;
    unsigned long long *values = value;

    (void) object;
    pthread_mutex_lock(&mca_part_ucx_paths.existence);
    for (int i = 0; i < PART_UCX_MAX_PATHS; ++i) {
        values[i]
            = i < mca_part_ucx_paths.count ? read_counter(&mca_part_ucx_paths.path[i], offset) : 0;
    }
    pthread_mutex_unlock(&mca_part_ucx_paths.existence);
    return OPAL_SUCCESS;
}

static int get_total(const mca_base_pvar_t *pvar, void *value, void *object)
{
    (void) object;
    *(unsigned long long *) value = atomic_load((atomic_uint_least64_t *) pvar->ctx);
    return OPAL_SUCCESS;
}

/* Handles are bound before the paths are known: always as many elements as there can be. */
static int notify(mca_base_pvar_t *pvar, mca_base_pvar_event_t event, void *object, int *count)
{
    (void) pvar, (void) object;
    if (MCA_BASE_PVAR_HANDLE_BIND == event) {
        *count = PART_UCX_MAX_PATHS;
    }
    return OPAL_SUCCESS;
}

static void register_one(const mca_base_component_t *component, const char *name, const char *text,
                         mca_base_get_value_fn_t get, mca_base_notify_fn_t bound, void *context)
{
    (void) mca_base_component_pvar_register(
        component, name, text, OPAL_INFO_LVL_4, MPI_T_PVAR_CLASS_COUNTER,
        MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MPI_T_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, get, NULL, bound, context);
}

void mca_part_ucx_counters_register(const mca_base_component_t *component)
{
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); ++i) {
        register_one(component, counters[i].name, counters[i].text, get_value, notify,
                     (void *) (uintptr_t) counters[i].offset);
    }
    for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); ++i) {
        register_one(component, totals[i].name, totals[i].text, get_total, NULL, totals[i].counter);
    }
}

void mca_part_ucx_counters_summary(void)
{
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        const mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];

        if (path == mca_part_ucx_paths.guests && 0 == READ(path, units)) {
            continue;
        }
        PART_UCX_VERBOSE(1,
                         "path %d %s: sent %llu bytes in %llu units, %llu messages, %llu flushes, "
                         "%llu waits",
                         i, path->device.name, READ(path, bytes), READ(path, units),
                         READ(path, messages), READ(path, flushes), READ(path, waits));
    }
    if (0 != atomic_load(&mca_part_ucx_process.strays)
        || 0 != atomic_load(&mca_part_ucx_process.repeats)) {
        PART_UCX_VERBOSE(1, "dropped %llu messages for no channel of this process, %llu repeated",
                         (unsigned long long) atomic_load(&mca_part_ucx_process.strays),
                         (unsigned long long) atomic_load(&mca_part_ucx_process.repeats));
    }
}
