/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MCA variables, and the names that they use. One variable per collective, whose values are the
 * rows of the table of algorithms.
 */
#include "coll_pschedule.h"

#include "algorithms/coll_pschedule_algorithms.h"
#include "call/coll_pschedule_help.h"
#include "call/coll_pschedule_topology.h"
#include "persistent/coll_pschedule_persistent_params.h"
#include "plan/coll_pschedule_shapes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/mca/base/mca_base_var.h"

/* With its headers it fits in one packet that TCP hands to the kernel's lower layers (64 KiB, whole
 * segments of 1448 or of 8948 bytes); one of 64 KiB takes two. */
#define CHUNK        61440u
#define SHARED_CHUNK 524288u
#define BANDWIDTH    1000u

mca_coll_pschedule_params_t mca_coll_pschedule_params = {.priority = 20,
                                                         .chunk = CHUNK,
                                                         .shared_chunk = SHARED_CHUNK,
                                                         .rates = {.latency = 40,
                                                                   .local_latency = 10,
                                                                   .bandwidth = BANDWIDTH}};

/* All rows that serve a collective, as values of its variable. */
static mca_base_var_enum_t *enumerate(mca_coll_pschedule_collective_t collective, char *name)
{
    const mca_coll_pschedule_algorithm_t *const *rows = mca_coll_pschedule_algorithms;
    mca_base_var_enum_value_t *values;
    mca_base_var_enum_t *enumerator = NULL;
    int rows_count = 0, count = 0;

    while (NULL != rows[rows_count]) {
        ++rows_count;
    }
    values = calloc((size_t) rows_count + 2, sizeof(*values));
    if (NULL == values) {
        return NULL;
    }
    values[count++] = (mca_base_var_enum_value_t) {.value = 0, .string = "auto"};
    for (int i = 0; i < rows_count; ++i) {
        if (mca_coll_pschedule_serves(rows[i], collective)) {
            values[count++] = (mca_base_var_enum_value_t) {.value = 1 + i,
                                                           .string = rows[i]->name};
        }
    }
    /* The enumerator copies the values. */
    (void) mca_base_var_enum_create(name, values, &enumerator);
    free(values);
    return enumerator;
}

/* Returns Open MPI's number of it. What the choice of an algorithm looks at may change between
 * requests, through MPI_T, on all processes alike: init compares it. */
static int register_variable(const mca_base_component_t *component, const char *name,
                             const char *text, mca_base_var_type_t type,
                             mca_base_var_enum_t *enumerator, mca_base_var_info_lvl_t level,
                             void *storage)
{
    bool changes = MCA_BASE_VAR_TYPE_UNSIGNED_INT == type || NULL != enumerator;
    int flags = changes ? MCA_BASE_VAR_FLAG_SETTABLE : 0;

    return mca_base_component_var_register(
        component, name, text, type, enumerator, 0, (mca_base_var_flag_t) flags, level,
        changes ? MCA_BASE_VAR_SCOPE_ALL_EQ : MCA_BASE_VAR_SCOPE_READONLY, storage);
}

static void register_algorithm(const mca_base_component_t *component,
                               mca_coll_pschedule_collective_t collective)
{
    char name[64], text[256];
    mca_base_var_enum_t *enumerator;

    snprintf(name, sizeof(name), "%s_algorithm", mca_coll_pschedule_names[collective]);
    snprintf(text, sizeof(text),
             "Algorithm of MPIX_P%s_init; must be equal on all processes. auto: chosen by size, "
             "partitions, ranks and restrictions; a forced one that cannot serve a call gives "
             "way to the choice. Default: auto", mca_coll_pschedule_names[collective]);
    enumerator = enumerate(collective, name);
    (void) register_variable(component, name, text, MCA_BASE_VAR_TYPE_INT, enumerator,
                             OPAL_INFO_LVL_5, &mca_coll_pschedule_params.forced[collective]);
    if (NULL != enumerator) {
        OBJ_RELEASE(enumerator);
    }
}

static void register_persistent(const mca_base_component_t *component)
{
    static const mca_base_var_enum_value_t modes[] = {{COLL_PSCHEDULE_MODE_OFF, "off"},
                                                      {COLL_PSCHEDULE_MODE_AUTO, "auto"},
                                                      {COLL_PSCHEDULE_MODE_ON, "on"},
                                                      {0, NULL}};
    mca_base_var_enum_t *enumerator = NULL;

    (void) mca_base_var_enum_create("coll_pschedule_persistent", modes, &enumerator);
    /* Other processes are told of it when the component is opened: it cannot change later. */
    (void) mca_base_component_var_register(
        component, "persistent",
        "Who makes MPI's persistent collectives (MPI_Allreduce_init, ...). auto: this component "
        "where it is at least as fast as the others by measurement; on: this component whenever it "
        "can; off: the others. Where it differs between processes, as with off. Default: auto",
        MCA_BASE_VAR_TYPE_INT, enumerator, 0, 0, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY,
        &mca_coll_pschedule_persistent_params.mode);
    if (NULL != enumerator) {
        OBJ_RELEASE(enumerator);
    }
    (void) mca_base_component_var_register(
        component, "persistent_trial",
        "With coll_pschedule_persistent auto: after so many starts of a request it is tried, in "
        "some of the next ones, whether the component that would have made it is faster, which "
        "then serves it. 0: nothing is tried. Where it differs between processes, as with "
        "coll_pschedule_persistent off. Default: 64",
        MCA_BASE_VAR_TYPE_UNSIGNED_INT, NULL, 0, 0, OPAL_INFO_LVL_5, MCA_BASE_VAR_SCOPE_READONLY,
        &mca_coll_pschedule_persistent_params.trial);
    (void) mca_base_component_var_register(
        component, "persistent_inexact",
        "Whether coll_pschedule_persistent_trial is for reductions of floating-point numbers and "
        "with operators of the user, too. Who adds in another order finds other last bits, so "
        "results may then differ from run to run. Where it differs between processes, as with "
        "coll_pschedule_persistent off. Default: false",
        MCA_BASE_VAR_TYPE_BOOL, NULL, 0, 0, OPAL_INFO_LVL_5, MCA_BASE_VAR_SCOPE_READONLY,
        &mca_coll_pschedule_persistent_params.inexact);
}

/* The variables that are numbers or texts. */
static const struct {
    const char *name;
    mca_base_var_type_t type;
    mca_base_var_info_lvl_t level;
    void *storage;
    const char *text;
} plain[] = {
    {"priority", MCA_BASE_VAR_TYPE_INT, OPAL_INFO_LVL_9, &mca_coll_pschedule_params.priority,
     "Place among the collective components. Of MPI's own collectives this one offers the "
     "persistent ones: who has a higher place makes them instead. Negative: excluded. Default: 20"},
    {"verbose", MCA_BASE_VAR_TYPE_INT, OPAL_INFO_LVL_5, &mca_coll_pschedule_params.verbose,
     "Verbosity: 1 tells the algorithm of each collective and why, 2 the plan's size. Default: 0"},
    {"chunk", MCA_BASE_VAR_TYPE_SIZE_T, OPAL_INFO_LVL_5, &mca_coll_pschedule_params.chunk,
     "Largest transfer of a collective in bytes; larger blocks are pipelined, and reductions use "
     "smaller transfers where a rank would have fewer than four. Must be equal on all processes. "
     "Default: 61440"},
    {"shared_chunk", MCA_BASE_VAR_TYPE_SIZE_T, OPAL_INFO_LVL_5,
     &mca_coll_pschedule_params.shared_chunk,
     "The same for communicators whose processes are all on one host. Default: 524288"},
    {"latency", MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_5,
     &mca_coll_pschedule_params.rates.latency,
     "Time of one round of messages between hosts in microseconds, for the choice of algorithms. "
     "Must be equal on all processes. Default: 40"},
    {"local_latency", MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_5,
     &mca_coll_pschedule_params.rates.local_latency,
     "Time of one round of messages within a host in microseconds, for the choice of algorithms "
     "where hosts have several processes. Must be equal on all processes. Default: 10"},
    {"bandwidth", MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_5,
     &mca_coll_pschedule_params.rates.bandwidth,
     "Bandwidth of a process in megabytes per second, for the choice of algorithms. Must be equal "
     "on all processes. Default: 1000"},
    {"host_bandwidth", MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_5,
     &mca_coll_pschedule_params.rates.host_bandwidth,
     "Bandwidth of the network of a host, in each direction, in megabytes per second, for the "
     "choice of algorithms where hosts have several processes. 0: that of one process. Must be "
     "equal on all processes. Default: 0"},
    {"copy_bandwidth", MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_5,
     &mca_coll_pschedule_params.rates.copy_bandwidth,
     "Megabytes per second that a process copies or reduces in its memory, for the choice of "
     "algorithms. 0: eight times coll_pschedule_bandwidth. Must be equal on all processes. "
     "Default: 0"},
    {"tuning_file", MCA_BASE_VAR_TYPE_STRING, OPAL_INFO_LVL_5,
     &mca_coll_pschedule_params.tuning_file,
     "Text file that pschedule_tune has written, with what it has measured for the choice of "
     "algorithms: values for latency, local_latency, bandwidth, host_bandwidth and copy_bandwidth, "
     "for those of these variables that are not set, and algorithms for certain calls. Must say "
     "the same on all processes. Default: none"},
    {"hosts", MCA_BASE_VAR_TYPE_STRING, OPAL_INFO_LVL_9, &mca_coll_pschedule_params.hosts,
     "Made-up hosts, for trying placements on one machine: a list of numbers such as 0,0,1,1, the "
     "host of each process by its rank in its job, from the beginning again where the list is "
     "shorter. Algorithms are chosen and built for these hosts; how bytes move depends on the real "
     "ones. Default: none, the real hosts"}};

/* A constant of the file counts where the user has not set the variable. */
static void take_constants(const int *variable)
{
    mca_coll_pschedule_params_t *params = &mca_coll_pschedule_params;

    for (int i = 0; i < COLL_PSCHEDULE_CONSTANTS; ++i) {
        mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
        bool known = variable[i] >= 0
                     && OPAL_SUCCESS == mca_base_var_get_value(variable[i], NULL, &source, NULL);

        if (0 != (params->tuning.given & 1u << i)
            && (!known || MCA_BASE_VAR_SOURCE_DEFAULT == source)) {
            *mca_coll_pschedule_constant(&params->rates, i)
                = *mca_coll_pschedule_constant(&params->tuning.rates, i);
        }
    }
}

/* What is wrong with the file is told when a collective is asked for: then all ranks hear of it. */
static void read_tuning(const int *variable)
{
    mca_coll_pschedule_params_t *params = &mca_coll_pschedule_params;
    FILE *file;

    if (NULL == params->tuning_file || '\0' == params->tuning_file[0]) {
        return;
    }
    file = fopen(params->tuning_file, "r");
    if (NULL == file) {
        snprintf(params->tuning.fault, sizeof(params->tuning.fault), "%s: %s",
                 params->tuning_file, strerror(errno));
        return;
    }
    if (mca_coll_pschedule_tuning_read(&params->tuning, file, params->tuning_file)) {
        take_constants(variable);
    }
    (void) fclose(file);
}

/* `variable`: gets Open MPI's numbers of the constants. */
static void register_plain(const mca_base_component_t *component, int *variable)
{
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); ++i) {
        int index = register_variable(component, plain[i].name, plain[i].text, plain[i].type, NULL,
                                      plain[i].level, plain[i].storage);

        for (int k = 0; k < COLL_PSCHEDULE_CONSTANTS; ++k) {
            if (0 == strcmp(plain[i].name, mca_coll_pschedule_constants[k].name)) {
                variable[k] = index;
            }
        }
    }
}

/* Zero bytes or megabytes per second would divide by zero. */
static void not_zero(const char *name, size_t *value, size_t instead)
{
    char number[24];

    if (0 == *value) {
        *value = instead;
        (void) snprintf(number, sizeof(number), "%zu", instead);
        mca_coll_pschedule_help("bad-variable", name, "0", number);
    }
}

static void check_values(void)
{
    mca_coll_pschedule_params_t *params = &mca_coll_pschedule_params;
    size_t bandwidth = params->rates.bandwidth;

    not_zero("chunk", &params->chunk, CHUNK);
    not_zero("shared_chunk", &params->shared_chunk, SHARED_CHUNK);
    not_zero("bandwidth", &bandwidth, BANDWIDTH);
    params->rates.bandwidth = (unsigned) bandwidth;
    if (NULL != params->hosts && !mca_coll_pschedule_topology_is_list(params->hosts)) {
        mca_coll_pschedule_help("bad-variable", "hosts", params->hosts, "the real hosts");
        params->hosts = NULL;
    }
}

void mca_coll_pschedule_params_register(const mca_base_component_t *component)
{
    int variable[COLL_PSCHEDULE_CONSTANTS] = {-1, -1, -1, -1, -1};

    register_plain(component, variable);
    read_tuning(variable);
    register_persistent(component);
    for (int i = 0; i < COLL_PSCHEDULE_COLLECTIVES; ++i) {
        register_algorithm(component, (mca_coll_pschedule_collective_t) i);
    }
    check_values();
}
