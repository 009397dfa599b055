/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MCA variables, and the check of what the user set.
 */
#include "mpi/part_ucx_variables.h"

#include "api/part_ucx_device.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_params.h"

#include "ompi/constants.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/base/mca_base_var_enum.h"

static const mca_base_var_enum_value_t method_values[] = {{PART_UCX_METHOD_AUTO, "auto"},
                                                          {PART_UCX_METHOD_MESSAGE, "message"},
                                                          {PART_UCX_METHOD_FLUSH, "flush"},
                                                          {PART_UCX_METHOD_CHAINED, "chained"},
                                                          {0, NULL}};

static const mca_base_var_enum_value_t async_values[] = {{PART_UCX_ASYNC_AUTO, "auto"},
                                                         {PART_UCX_ASYNC_ON, "on"},
                                                         {PART_UCX_ASYNC_OFF, "off"},
                                                         {0, NULL}};

static const mca_base_var_enum_value_t copy_values[] = {{PART_UCX_COPY_BOTH, "both"},
                                                        {PART_UCX_COPY_RECEIVER, "receiver"},
                                                        {PART_UCX_COPY_SENDER, "sender"},
                                                        {0, NULL}};

static const mca_base_var_enum_value_t regroup_values[] = {{PART_UCX_REGROUP_AUTO, "auto"},
                                                          {PART_UCX_REGROUP_ON, "on"},
                                                          {PART_UCX_REGROUP_OFF, "off"},
                                                          {0, NULL}};

static const mca_base_var_enum_value_t switch_values[] = {{0, "off"}, {1, "on"}, {0, NULL}};

static const mca_base_var_enum_value_t zero_values[] = {{0, "error"}, {1, "allow"}, {0, NULL}};

/* ---- the variables ---- */

/* Larger sizes are taken for a mistake: -1, for one, would be the largest of all. */
#define MOST_BYTES (1LL << 40)

#define MOST_PATHS (PART_UCX_MAX_PATHS - 1)

/* Values from `least` to `most` are accepted. */
typedef struct integer_var_t {
    const char *name;
    int *storage;
    int initial;
    int least;
    int most;
    mca_base_var_info_lvl_t level;
    const char *text;
} integer_var_t;

static const integer_var_t integers[] = {
    {"priority", &mca_part_ucx_params.priority, 50, 2, 100, OPAL_INFO_LVL_6,
     "Priority of this component; Open MPI's own component persist has 1"},
    /* Above 3 for those who set all of Open MPI's verbosities to 100. */
    {"verbose", &mca_part_ucx_params.verbose, 0, 0, 100, OPAL_INFO_LVL_3,
     "How much the component tells on stderr: 0 nothing, 1 paths and a summary of their traffic "
     "in MPI_Finalize, 2 how processes meet, 3 and more every channel"},
    {"paths", &mca_part_ucx_params.paths, 0, 0, MOST_PATHS, OPAL_INFO_LVL_2,
     "Number of network paths to use, nearest devices first (0: one per device, or "
     "part_ucx_paths_per_device). More paths than devices are spread over the devices. Should be "
     "the same on all processes"},
    {"paths_per_device", &mca_part_ucx_params.paths_per_device, 0, 0, MOST_PATHS, OPAL_INFO_LVL_4,
     "Paths on each device (0: one, or what part_ucx_paths needs). For fabrics on which every "
     "queue pair takes another route. Should be the same on all processes"},
    {"hold", &mca_part_ucx_params.hold, 50, 0, 1000000, OPAL_INFO_LVL_6,
     "Microseconds that a ready partition may wait for neighbours to be aggregated with, while no "
     "thread waits inside MPI. In a collective: that small partitions may wait for the next one"},
    {"stall_warning", &mca_part_ucx_params.stall, 30, 0, 86400, OPAL_INFO_LVL_4,
     "Seconds after which a send that is all ready, that may leave, and that does not advance is "
     "reported; with part_ucx_verbose 1 also what any other request waits for (0: never)"},
    {"path_timeout", &mca_part_ucx_params.path_timeout, 3, 1, 3600, OPAL_INFO_LVL_4,
     "Seconds without an acknowledgement of the other host's system after which a path to it "
     "counts as dead (part_ucx_failover)"},
};

typedef struct size_var_t {
    const char *name;
    size_t *storage;
    size_t initial;
    long long least;
    const char *text;
} size_var_t;

static const size_var_t sizes[] = {
    {"message_limit", &mca_part_ucx_params.message_limit, 8192, 0,
     "Bytes up to which a unit is one message with data and header, whatever the path; larger "
     "ones are puts where the network puts without the receiver's processor"},
    {"eager_limit", &mca_part_ucx_params.eager_limit, 1048576, 0,
     "Bytes up to which a message over a network carries its data; larger ones are fetched by the "
     "receiver (rendezvous)"},
    {"shared_eager_limit", &mca_part_ucx_params.shared_eager_limit, 16384, 0,
     "Bytes: like part_ucx_eager_limit, between processes of one host; from 8 KiB on a message "
     "carries its data only while that is found to cost less than a system call"},
    {"credit", &mca_part_ucx_params.credit, 4096, 0,
     "Bytes of a whole message up to which its sender may be some epochs ahead of the receiver, "
     "which keeps what comes early in memory of its own; 0: in each epoch it waits for MPI_Start "
     "of the receiver"},
    {"unit_min", &mca_part_ucx_params.unit_min, 16384, 0,
     "Bytes: smaller neighbouring partitions leave together, up to this size, or down to a quarter "
     "of it where that gives every path something to do (network)"},
    {"unit_max", &mca_part_ucx_params.unit_max, 262144, 4096,
     "Bytes: larger partitions are cut into slices no larger than this (network)"},
    {"stripe_min", &mca_part_ucx_params.stripe_min, 16384, 64,
     "Bytes: a partition is not cut into slices smaller than this to fill more paths"},
    {"shared_unit_min", &mca_part_ucx_params.shared_unit_min, 262144, 0,
     "Bytes: like part_ucx_unit_min, between processes of one host"},
    {"shared_unit_max", &mca_part_ucx_params.shared_unit_max, 1048576, 4096,
     "Bytes: like part_ucx_unit_max, between processes of one host"},
    {"window", &mca_part_ucx_params.window, 524288, 4096,
     "Bytes in flight on a path; two units always may be. A small window lets the flags of early "
     "partitions out early, a larger one covers longer round trips"},
    {"tcp_send_buffer", &mca_part_ucx_params.tcp_send_buffer, 131072, 0,
     "Bytes of the send buffer of a TCP path's sockets, unless UCX_TCP_SNDBUF is set; 0: as the "
     "kernel chooses. What lies there is out of sight: a small buffer keeps paths and ranks in "
     "step, a larger one covers longer round trips"},
    {"staging_limit", &mca_part_ucx_params.staging_limit, 67108864, 0,
     "Bytes of memory in a process for packing non-contiguous data"},
};

typedef struct string_var_t {
    const char *name;
    char **storage;
    const char *text;
} string_var_t;

static const string_var_t strings[] = {
    {"devices", &mca_part_ucx_params.devices,
     "Comma-separated network devices to use, as UCX names them (mlx5_0:1, eth0), in any order; "
     "empty: UCX_NET_DEVICES if set, else all RDMA devices, or all TCP interfaces if there are "
     "none, which btl_tcp_if_include and _exclude allow; all: whatever those and UCX_NET_DEVICES "
     "say"},
    {"transports", &mca_part_ucx_params.transports,
     "Comma-separated UCX transports to use (tcp, rc, shm, ...), ^ first to exclude; empty: "
     "UCX_TLS if set, else all"},
};

/* One of some words. */
typedef struct choice_var_t {
    const char *name;
    int *storage;
    int initial;
    const mca_base_var_enum_value_t *words;
    const char *text;
} choice_var_t;

static const choice_var_t choices[] = {
    {"delivery", &mca_part_ucx_params.method, PART_UCX_METHOD_AUTO, method_values,
     "How data are delivered: message (one message with the data), flush (put, flush, flag put), "
     "chained (flag put as soon as the put completes: only where that means in place), auto"},
    {"async", &mca_part_ucx_params.async, PART_UCX_ASYNC_AUTO, async_values,
     "Helper thread that moves early partitions while the application computes: off, on (it takes "
     "part whenever no thread has made progress for 1 ms), auto (and that thread is not inside MPI "
     "without a processor)"},
    {"shared_copy", &mca_part_ucx_params.shared_copy, PART_UCX_COPY_BOTH, copy_values,
     "Who copies units above part_ucx_shared_eager_limit between processes of one host: both (in "
     "turns, at the same time; in reductions the sender), receiver, sender; the receiver alone "
     "where the system does not let processes write to each other's memory"},
    {"spread", &mca_part_ucx_params.spread, PART_UCX_REGROUP_AUTO, regroup_values,
     "Whether a message that is too small to give every network path a unit is cut further, so "
     "that each carries a part: on, off, auto (tried now and then, and done where rounds become "
     "shorter)"},
    {"join", &mca_part_ucx_params.join, PART_UCX_REGROUP_AUTO, regroup_values,
     "Whether neighbouring units of a message leave together, all of them up to 32 KiB, else in "
     "messages of 32 to 256 KiB, and pieces of a collective in bundles of up to 64 KiB (network): "
     "on, off, auto (tried now and then, and done where rounds become shorter)"},
    {"failover", &mca_part_ucx_params.failover, 0, switch_values,
     "Whether partitioned requests and collectives go on over the other TCP paths when one to "
     "their peer dies: on or off. Must be on in all processes"},
    {"zero_partitions", &mca_part_ucx_params.zero_partitions, 0, zero_values,
     "What a partition count of zero is: error or allow"},
};

static bool put(const mca_base_component_t *component, const char *name, const char *text,
                mca_base_var_type_t type, mca_base_var_enum_t *words, mca_base_var_info_lvl_t level,
                void *storage)
{
    return mca_base_component_var_register(component, name, text, type, words, 0, 0, level,
                                           MCA_BASE_VAR_SCOPE_READONLY, storage)
           >= 0;
}

static bool put_integers(const mca_base_component_t *component)
{
    bool good = true;

    for (size_t i = 0; good && i < sizeof(integers) / sizeof(integers[0]); ++i) {
        *integers[i].storage = integers[i].initial;
        good = put(component, integers[i].name, integers[i].text, MCA_BASE_VAR_TYPE_INT, NULL,
                   integers[i].level, integers[i].storage);
    }
    return good;
}

static bool put_sizes(const mca_base_component_t *component)
{
    bool good = true;

    for (size_t i = 0; good && i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        *sizes[i].storage = sizes[i].initial;
        good = put(component, sizes[i].name, sizes[i].text, MCA_BASE_VAR_TYPE_SIZE_T, NULL,
                   OPAL_INFO_LVL_5, sizes[i].storage);
    }
    return good;
}

static bool put_strings(const mca_base_component_t *component)
{
    bool good = true;

    for (size_t i = 0; good && i < sizeof(strings) / sizeof(strings[0]); ++i) {
        *strings[i].storage = ""; /* the variable system copies it */
        good = put(component, strings[i].name, strings[i].text, MCA_BASE_VAR_TYPE_STRING, NULL,
                   OPAL_INFO_LVL_2, strings[i].storage);
    }
    return good;
}

static bool put_choice(const mca_base_component_t *component, const choice_var_t *choice)
{
    mca_base_var_enum_t *words;
    bool good;

    *choice->storage = choice->initial;
    if (OPAL_SUCCESS != mca_base_var_enum_create(choice->name, choice->words, &words)) {
        return false;
    }
    good = put(component, choice->name, choice->text, MCA_BASE_VAR_TYPE_INT, words, OPAL_INFO_LVL_3,
               choice->storage);
    OBJ_RELEASE(words);
    return good;
}

static bool put_choices(const mca_base_component_t *component)
{
    bool good = true;

    for (size_t i = 0; good && i < sizeof(choices) / sizeof(choices[0]); ++i) {
        good = put_choice(component, &choices[i]);
    }
    return good;
}

int mca_part_ucx_variables_register(const mca_base_component_t *component)
{
    bool good = put_integers(component) && put_sizes(component) && put_strings(component)
                && put_choices(component);

    return good ? OMPI_SUCCESS : OMPI_ERROR;
}

/* ---- the check ---- */

static bool in_range(const char *name, long long value, long long low, long long high)
{
    if (value < low || value > high) {
        mca_part_ucx_help("bad-variable", name, value, low, high);
        return false;
    }
    return true;
}

/* The bound is named, too: it may be the one that the user has set. */
static bool not_above(const char *name, size_t value, const char *bound_name, size_t bound)
{
    if (value > bound) {
        mca_part_ucx_help("contradiction", name, (unsigned long long) value, bound_name,
                          (unsigned long long) bound);
        return false;
    }
    return true;
}

int mca_part_ucx_variables_check(void)
{
    const mca_part_ucx_params_t *params = &mca_part_ucx_params;

    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); ++i) {
        if (!in_range(integers[i].name, *integers[i].storage, integers[i].least,
                      integers[i].most)) {
            return OMPI_ERR_BAD_PARAM;
        }
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        if (!in_range(sizes[i].name, (long long) *sizes[i].storage, sizes[i].least, MOST_BYTES)) {
            return OMPI_ERR_BAD_PARAM;
        }
    }
    if (!not_above("unit_min", params->unit_min, "unit_max", params->unit_max)
        || !not_above("shared_unit_min", params->shared_unit_min, "shared_unit_max",
                      params->shared_unit_max)) {
        return OMPI_ERR_BAD_PARAM;
    }
    return OMPI_SUCCESS;
}
