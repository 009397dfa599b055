/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the component tells about itself (see part_ucx_info.h).
 */
#include "api/part_ucx_info.h"

#include "api/part_ucx_link.h"
#include "api/part_ucx_release.h"
#include "channel/part_ucx_method.h"
#include "mpi/part_ucx_abi.h"
#include "mpi/part_ucx_component.h"
#include "mpi/part_ucx_life.h"
#include "mpi/part_ucx_module.h"
#include "mpi/part_ucx_variables.h"
#include "path/part_ucx_device_distance.h"
#include "path/part_ucx_network.h"
#include "path/part_ucx_paths.h"
#include "path/part_ucx_pairing.h"
#include "path/part_ucx_peer.h"
#include "path/part_ucx_transports.h"
#include "path/part_ucx_ucx_settings.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_decide.h"
#include "wireup/part_ucx_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/mca/part/base/base.h"
#include "ompi/mca/pml/base/base.h"

/* ---- component ---- */

static const char *package(void)
{
    const mca_base_component_t *component = &mca_part_ucx_component.super.partm_version;
    static char text[32];

    snprintf(text, sizeof(text), "%d.%d.%d", component->mca_component_major_version,
             component->mca_component_minor_version, component->mca_component_release_version);
    return text;
}

static bool fits(char *why, size_t size)
{
    bool matches;

    mca_part_ucx_help_divert(why, size);
    matches = mca_part_ucx_abi_matches();
    mca_part_ucx_help_divert(NULL, 0);
    return matches;
}

static bool variables(char *why, size_t size)
{
    int rc;

    mca_part_ucx_help_divert(why, size);
    rc = mca_part_ucx_variables_check();
    mca_part_ucx_help_divert(NULL, 0);
    return OMPI_SUCCESS == rc;
}

static const char *part_in_use(void)
{
    return mca_part_base_selected_component.partm_version.mca_component_name;
}

static bool in_use(void)
{
    return mca_part.part_psend_init == mca_part_ucx_module.part_psend_init;
}

static const char *pml_in_use(void)
{
    return mca_pml_base_selected_component.pmlm_version.mca_component_name;
}

static bool prepare(char *why, size_t size)
{
    int rc;

    mca_part_ucx_help_divert(why, size);
    rc = mca_part_ucx_life_begin();
    if (OMPI_SUCCESS == rc) { /* to see whether they can be opened */
        pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
        rc = mca_part_ucx_network_open();
        pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    }
    mca_part_ucx_help_divert(NULL, 0);
    return OMPI_SUCCESS == rc;
}

/* ---- devices ---- */

static void count_paths(mca_part_ucx_info_device_t *entry)
{
    entry->first_path = -1;
    entry->paths = 0;
    for (int i = 0; i < mca_part_ucx_paths.network; ++i) {
        if (mca_part_ucx_path_is_open(&mca_part_ucx_paths.path[i])
            && 0 == strcmp(mca_part_ucx_paths.path[i].device.name, entry->device.name)) {
            entry->first_path = entry->first_path < 0 ? i : entry->first_path;
            ++entry->paths;
        }
    }
}

/* Why one that can carry a path has none. */
static void explain(mca_part_ucx_info_device_t *entry, int place, int wanted)
{
    if (PART_UCX_USE_PATH == entry->device.use && 0 == entry->paths
        && mca_part_ucx_life_has_begun()) {
        entry->device.use = place < wanted ? PART_UCX_USE_FAILED : PART_UCX_USE_FEWER_PATHS;
    }
}

static bool copy_devices(const mca_part_ucx_devices_t *found, mca_part_ucx_info_devices_t *devices)
{
    int wanted = mca_part_ucx_paths_number(found, false);

    devices->list = calloc((size_t) found->known + 1, sizeof(*devices->list));
    if (NULL == devices->list) {
        return false;
    }
    devices->count = found->known;
    devices->shared = found->shared;
    devices->has_shared = found->has_shared;
    mca_part_ucx_devices_measure(found->list, found->known);
    for (int i = 0; i < found->known; ++i) {
        devices->list[i].device = found->list[i];
        count_paths(&devices->list[i]);
        explain(&devices->list[i], i, wanted);
    }
    return true;
}

/* The same search that the paths came from: its result is not kept for the sake of this. */
static bool find_devices(mca_part_ucx_info_devices_t *devices)
{
    mca_part_ucx_devices_t found;
    bool copied;

    memset(devices, 0, sizeof(*devices));
    mca_part_ucx_paths_search(&found);
    copied = copy_devices(&found, devices);
    free(found.list);
    return copied;
}

/* ---- peers ---- */

static bool chosen_transports(const mca_part_ucx_endpoint_t *endpoint, char *text, size_t size)
{
    bool found = false;

#if UCP_API_VERSION >= UCP_VERSION(1, 14)
    ucp_transport_entry_t entries[16];
    ucp_ep_attr_t attributes = {.field_mask = UCP_EP_ATTR_FIELD_TRANSPORTS,
                                .transports = {.entries = entries,
                                               .num_entries = 16,
                                               .entry_size = sizeof(entries[0])}};

    if (NULL == endpoint) {
        return false;
    }
    mca_part_ucx_path_lock(endpoint->path);
    if (mca_part_ucx_endpoint_is_up(endpoint)
        && UCS_OK == ucp_ep_query(endpoint->ucp, &attributes)) {
        text[0] = '\0';
        for (unsigned i = 0; i < attributes.transports.num_entries; ++i) {
            mca_part_ucx_transports_append(text, size, entries[i].transport_name);
            found = true;
        }
    }
    mca_part_ucx_path_unlock(endpoint->path);
#else
    (void) endpoint, (void) text, (void) size;
#endif
    return found;
}

static void describe_pair(const mca_part_ucx_peer_t *peer, const mca_part_ucx_pairing_t *pairing,
                          mca_part_ucx_info_pair_t *pair)
{
    const mca_part_ucx_remote_t *remote = &peer->remote[pairing->remote];
    const mca_part_ucx_device_t *local = &mca_part_ucx_paths.path[pairing->local].device;

    memset(pair, 0, sizeof(*pair));
    pair->kind = local->kind;
    memcpy(pair->local, local->name, sizeof(pair->local));
    memcpy(pair->remote, remote->name, sizeof(pair->remote));
    pair->chosen = chosen_transports(remote->endpoint[pairing->local], pair->transports,
                                     sizeof(pair->transports));
    if (!pair->chosen) {
        memcpy(pair->transports, local->transports, sizeof(pair->transports));
    }
}

static int find_pairs(ompi_communicator_t *comm, int rank, mca_part_ucx_info_pair_t *list, int room)
{
    mca_part_ucx_peer_t *peer;
    int count = 0;

    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    peer = mca_part_ucx_peer_get(ompi_comm_peer_lookup(comm, rank));
    if (NULL != peer && 0 != peer->remotes) {
        count = (int) mca_part_ucx_pairing_make(peer);
        for (int i = 0; i < count && i < room; ++i) {
            describe_pair(peer, &peer->pair[i], &list[i]);
        }
    }
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    return count < room ? count : room;
}

static const char *delivery(mca_part_ucx_device_kind_t kind, uint64_t bytes)
{
    return mca_part_ucx_method_name(mca_part_ucx_method_choose(kind, bytes));
}

static void only_pair(int pair)
{
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    mca_part_ucx_decide_only_pair(pair);
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
}

extern const mca_part_ucx_info_t mca_part_ucx_info;
OMPI_DECLSPEC const mca_part_ucx_info_t mca_part_ucx_info = {
    .version = PART_UCX_INFO_VERSION,
    .wire = PART_UCX_WIRE_VERSION,
    .built_ompi = PART_UCX_RELEASE,
    .built_ucx = PART_UCX_BUILT_UCX,
    .package = package,
    .fits = fits,
    .variables = variables,
    .part = part_in_use,
    .in_use = in_use,
    .pml = pml_in_use,
    .ucx_transports = mca_part_ucx_settings_transports,
    .ucx_devices = mca_part_ucx_settings_devices,
    .prepare = prepare,
    .devices = find_devices,
    .pairs = find_pairs,
    .delivery = delivery,
    .only_pair = only_pair,
};
