/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Variables that matter (see environment.h). docs/tuning.md section 5 says what part/ucx makes of
 * UCX's.
 */
#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/machine.h"
#include "api/part_ucx_info.h"

extern char **environ;

/* ---- variables that mean the same everywhere ---- */

static bool always(const char *value)
{
    (void) value;
    return true;
}

/* A level of UCX that prints something for every message. */
static bool is_talkative(const char *value)
{
    static const char *const levels[] = {"debug", "trace", "req", "data", "async", "func", "poll"};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); ++i) {
        if (0 == strncasecmp(value, levels[i], strlen(levels[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_off(const char *value)
{
    return 0 == strcasecmp(value, "n") || 0 == strcasecmp(value, "no") || 0 == strcmp(value, "0")
           || 0 == strcasecmp(value, "off");
}

static const struct {
    const char *name;
    info_severity_t severity;
    bool (*applies)(const char *value);
    const char *what;
    const char *todo;
} rules[] = {
    {"UCX_RNDV_THRESH", INFO_NOTE, always, "has no effect on part/ucx",
     "part_ucx_eager_limit and part_ucx_shared_eager_limit decide instead."},
    {"UCX_RNDV_SCHEME", INFO_NOTE, always,
     "decides how part/ucx fetches units above part_ucx_eager_limit",
     "Unset it unless it was measured with part/ucx."},
    {"UCX_MAX_RNDV_RAILS", INFO_NOTE, always,
     "has no effect on part/ucx, which has one device in each of its paths", ""},
    {"UCX_MAX_EAGER_RAILS", INFO_NOTE, always,
     "has no effect on part/ucx, which has one device in each of its paths", ""},
    {"UCX_MAX_RMA_RAILS", INFO_NOTE, always,
     "has no effect on part/ucx, which has one device in each of its paths", ""},
    {"UCX_IB_PCI_RELAXED_ORDERING", INFO_NOTE, always,
     "has no effect on part/ucx, which asks for strict ordering unless it puts nothing", ""},
    {"UCX_TCP_RX_SEG_SIZE", INFO_NOTE, always,
     "has no effect on part/ucx, which needs the same in all processes", ""},
    {"UCX_PROTO_ENABLE", INFO_NOTE, is_off, "takes UCX's older protocols, which are slower",
     "Unset it."},
    {"UCX_LOG_LEVEL", INFO_ATTENTION, is_talkative, "makes UCX print while data move",
     "Unset it, or set it to warn."},
    {"UCX_PROFILE_MODE", INFO_ATTENTION, always, "makes UCX measure itself all the time",
     "Unset it."},
    {"UCX_TCP_SNDBUF", INFO_NOTE, always, "fixes the size of the socket buffers of TCP paths",
     "Too small for bandwidth times round trip, it is the limit of a path."},
    {"UCX_TCP_RCVBUF", INFO_NOTE, always, "fixes the size of the socket buffers of TCP paths",
     "Too small for bandwidth times round trip, it is the limit of a path."},
};

static void judge_rules(info_list_t *findings)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i) {
        const char *value = getenv(rules[i].name);

        if (NULL != value && '\0' != value[0] && rules[i].applies(value)) {
            info_todo(info_find(findings, rules[i].severity, "%s=%s %s.", rules[i].name, value,
                                rules[i].what),
                      "%s", rules[i].todo);
        }
    }
}

/* ---- variables whose effect shows in the devices ---- */

/* The value of an MCA variable if it has one that is not empty. */
static bool mca_value(const char *name, char *value, size_t size)
{
    return bench_cvar_text(name, value, size) && '\0' != value[0];
}

/* The devices with a reason, loopback apart. */
static int count_left_out(const info_list_t *devices, mca_part_ucx_use_t reason, char *names,
                          size_t size)
{
    int count = 0;

    names[0] = '\0';
    for (int i = 0; i < devices->count; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        if ((int) reason == device->reason && 0 != strcmp(device->name, "lo")) {
            info_append(names, size, "%s%s", 0 == count++ ? "" : ", ", device->name);
        }
    }
    return count;
}

static const char *from_file(const char *variable)
{
    return NULL == getenv(variable) ? " of UCX's file ucx.conf" : "";
}

/* What was said to part/ucx itself is a wish, what was said to UCX may be a remainder. */
static void judge_devices(const info_process_t *process, const info_list_t *devices,
                          info_list_t *findings)
{
    char value[INFO_LINE], names[INFO_LINE];

    if (0 == count_left_out(devices, PART_UCX_USE_NOT_NAMED, names, sizeof(names))) {
        return;
    }
    if (mca_value("part_ucx_devices", value, sizeof(value))) {
        info_find(findings, INFO_NOTE, "part_ucx_devices=%s leaves out %s.", value, names);
    } else if ('\0' != process->ucx_devices[0]) {
        info_todo(info_find(findings, INFO_ATTENTION, "UCX_NET_DEVICES=%s%s leaves out %s.",
                            process->ucx_devices, from_file("UCX_NET_DEVICES"), names),
                  "Unset it; or name all devices in part_ucx_devices, which comes first.");
    } else {
        info_todo(info_find(findings, INFO_NOTE,
                            "Open MPI's btl_tcp_if_include or btl_tcp_if_exclude leaves out %s.",
                            names),
                  "If it is meant for part/ucx, name it in part_ucx_devices, or set that to all.");
    }
}

static void judge_lost_devices(const info_list_t *devices, const char *variable, const char *value,
                               info_severity_t severity, info_list_t *findings)
{
    char names[INFO_LINE];

    if (0 != count_left_out(devices, PART_UCX_USE_NO_TRANSPORT, names, sizeof(names))) {
        info_todo(info_find(findings, severity, "%s=%s leaves out %s.", variable, value, names),
                  "Unset it, or set part_ucx_transports, which comes first, to all.");
    }
}

static void judge_transports(const info_process_t *process, const info_list_t *devices,
                             info_list_t *findings)
{
    bool own, alone = 1 == process->processes;
    const char *value = process->ucx_transports;
    const char *variable = "UCX_TLS";
    char own_value[INFO_LINE];

    own = mca_value("part_ucx_transports", own_value, sizeof(own_value));
    if (own) {
        value = own_value;
        variable = "part_ucx_transports";
    }
    if ('\0' == value[0]) {
        return;
    }
    judge_lost_devices(devices, variable, value, own ? INFO_NOTE : INFO_ATTENTION, findings);
    if (!process->has_shared) {
        info_todo(info_find(findings, own || alone ? INFO_NOTE : INFO_ATTENTION,
                            "%s=%s takes shared memory away: processes of one host talk over the "
                            "network.",
                            variable, value),
                  "Unset it, or set part_ucx_transports, which comes first, to all.");
    } else if (!own) {
        info_find(findings, INFO_NOTE, "UCX_TLS=%s%s is obeyed by part/ucx, too.", value,
                  from_file("UCX_TLS"));
    }
}

/* Of a version "1.13.1". */
static bool is_before(const char *version, int major, int minor)
{
    int has_major, has_minor;

    return 2 == sscanf(version, "%d.%d", &has_major, &has_minor)
           && (has_major < major || (has_major == major && has_minor < minor));
}

/* It goes on over other TCP paths, and needs some. */
static void judge_failover(const info_process_t *process, const info_list_t *devices,
                           info_list_t *findings)
{
    int paths = 0;

    if (0 != strcmp(process->failover, "on")) {
        return;
    }
    for (int i = 0; i < devices->count; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        paths += 0 == strcmp(device->kind, "tcp") && !device->slow ? device->paths : 0;
    }
    if (paths < 2) {
        info_todo(info_find(findings, INFO_ATTENTION,
                            "part_ucx_failover is on, but there %s here: nothing can go on when "
                            "one dies.",
                            0 == paths ? "is no TCP path" : "is one TCP path only"),
                  "See above why devices are not used; or turn it off.");
    } else if (is_before(process->ucx_version, 1, 14)) {
        info_todo(info_find(findings, INFO_NOTE,
                            "part_ucx_failover is on: UCX %s may still end a process when a path "
                            "dies in the moment in which it comes back.",
                            process->ucx_version),
                  "Use UCX 1.14 or later.");
    }
}

/* ---- variables of Open MPI and PMIx ---- */

static void judge_own(info_list_t *findings)
{
    char value[INFO_LINE];

    if (mca_value("part_ucx_async", value, sizeof(value)) && 0 == strcmp(value, "off")) {
        info_todo(info_find(findings, INFO_NOTE,
                            "part_ucx_async=off: what is marked ready moves only while some thread "
                            "is inside MPI."),
                  "Unset it unless threads enter MPI often.");
    }
    if (mca_value("part_ucx_delivery", value, sizeof(value)) && 0 == strcmp(value, "chained")) {
        info_todo(info_find(findings, INFO_ATTENTION,
                            "part_ucx_delivery=chained is right only where a completed put is in "
                            "place."),
                  "Unset it, or see docs/protocol.md of the sources, section 7.3.");
    }
}

/* Is it one of part/ucx and coll/pschedule, or of what they stand on? */
static bool is_ours(const char *name)
{
    static const char *const begins[] = {"part=", "part_ucx_", "coll=", "coll_pschedule_",
                                         "pml=",  "btl=",      "mtl="};

    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); ++i) {
        if (0 == strncmp(name, begins[i], strlen(begins[i]))) {
            return true;
        }
    }
    return false;
}

/* One of a component that is loaded; Open MPI takes no notice of others. */
static void judge_name(const char *setting, info_list_t *findings)
{
    char name[INFO_LINE], value[INFO_LINE];

    (void) snprintf(name, sizeof(name), "%.*s", (int) strcspn(setting, "="), setting);
    if (!bench_cvar_text(name, value, sizeof(value))) {
        info_todo(info_find(findings, INFO_ATTENTION, "%s is set, and there is no such variable.",
                            name),
                  "ompi_info --param all all --level 9 lists those that there are.");
    }
}

/* The variables that somebody has set, in the environment or for mpirun, "a=1 b=2". */
static void list_own(bool loaded, info_list_t *findings)
{
    static const char prefix[] = "OMPI_MCA_";
    char text[INFO_LINE] = "";

    for (char **entry = environ; NULL != *entry; ++entry) {
        if (0 == strncmp(*entry, prefix, strlen(prefix)) && is_ours(*entry + strlen(prefix))) {
            info_append(text, sizeof(text), " %s", *entry + strlen(prefix));
            if (loaded) {
                judge_name(*entry + strlen(prefix), findings);
            }
        }
    }
    if ('\0' != text[0]) {
        info_find(findings, INFO_NOTE, "Set:%s.", text);
    }
}

static void judge_paths_of_components(info_list_t *findings)
{
    if (NULL != getenv("OMPI_MCA_mca_base_component_path")
        && NULL == getenv("PMIX_MCA_mca_base_component_path")) {
        info_todo(info_find(findings, INFO_NOTE,
                            "OMPI_MCA_mca_base_component_path is set alone: Open MPI hands it on "
                            "to PMIx, which complains about folders without its components."),
                  "Source env.sh, or set PMIX_MCA_mca_base_component_path=: as well.");
    }
}

void info_environment_judge(const info_process_t *process, const info_list_t *devices,
                            info_list_t *findings)
{
    /* The component must have said what these do. */
    if (INFO_LOAD_USED == process->part.load) {
        judge_devices(process, devices, findings);
        judge_transports(process, devices, findings);
        judge_failover(process, devices, findings);
    }
    judge_rules(findings);
    judge_own(findings);
    list_own(INFO_LOAD_USED == process->part.load, findings);
    judge_paths_of_components(findings);
}
