/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Conclusions: what processes have found, once for all that have found the same; and where
 * processes differ that should not (see report.h).
 */
#include "report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* Names of hosts in a text before the rest is counted. */
enum { NAMES = 6 };

const char *info_report_host(const info_report_t *report, int rank)
{
    return report->process[rank].host_name;
}

info_finding_t *info_report_tell(info_report_t *report, info_severity_t severity,
                                 const char *format, ...)
{
    info_told_t *told = info_list_add(&report->told);
    va_list args;

    told->finding.severity = severity;
    va_start(args, format);
    vsnprintf(told->finding.what, sizeof(told->finding.what), format, args);
    va_end(args);
    return &told->finding;
}

static bool *flags(int count)
{
    bool *all = calloc((size_t) count, sizeof(*all));

    if (NULL == all) {
        info_die("out of memory");
    }
    return all;
}

/* The hosts of processes that are marked, "h0, h1 and 3 more"; how many processes. */
static int name_hosts(const info_report_t *report, const bool *marked, char *text, size_t size)
{
    bool *named = flags(report->hosts);
    int hosts = 0, processes = 0;

    text[0] = '\0';
    for (int rank = 0; rank < report->processes; ++rank) {
        int host = report->process[rank].host;

        processes += marked[rank] ? 1 : 0;
        if (marked[rank] && !named[host]) {
            named[host] = true;
            if (++hosts <= NAMES) {
                info_append(text, size, "%s%s", 1 == hosts ? "" : ", ",
                            info_report_host(report, rank));
            }
        }
    }
    if (hosts > NAMES) {
        info_append(text, size, " and %d more", hosts - NAMES);
    }
    free(named);
    return processes;
}

/* ---- findings of processes ---- */

static bool is_same(const info_finding_t *a, const info_finding_t *b)
{
    return a->severity == b->severity && 0 == strcmp(a->what, b->what)
           && 0 == strcmp(a->todo, b->todo);
}

static bool is_told(const info_report_t *report, const info_finding_t *finding)
{
    for (int i = 0; i < report->told.count; ++i) {
        if (is_same(finding, &((info_told_t *) info_list_at(&report->told, i))->finding)) {
            return true;
        }
    }
    return false;
}

static bool has_finding(const info_report_t *report, int rank, const info_finding_t *finding)
{
    for (int i = 0; i < report->process[rank].findings; ++i) {
        if (is_same(finding, &report->findings[rank][i])) {
            return true;
        }
    }
    return false;
}

static void tell_once(info_report_t *report, const info_finding_t *finding)
{
    info_told_t *told;
    bool *marked;

    if (is_told(report, finding)) {
        return;
    }
    marked = flags(report->processes);
    for (int rank = 0; rank < report->processes; ++rank) {
        marked[rank] = has_finding(report, rank, finding);
    }
    told = info_list_add(&report->told);
    told->finding = *finding;
    told->processes = name_hosts(report, marked, told->where, sizeof(told->where));
    if (told->processes == report->processes) {
        told->where[0] = '\0';
    }
    free(marked);
}

static void merge_findings(info_report_t *report)
{
    for (int rank = 0; rank < report->processes; ++rank) {
        for (int i = 0; i < report->process[rank].findings; ++i) {
            tell_once(report, &report->findings[rank][i]);
        }
    }
}

/* ---- processes that differ ---- */

/* One value of a process, as text; empty when it has none, which is told elsewhere. */
typedef void value_of_t(const info_process_t *process, char *text, size_t size);

static void value_of_mpi(const info_process_t *process, char *text, size_t size)
{
    info_copy(text, size, process->mpi_version);
}

static void value_of_ucx(const info_process_t *process, char *text, size_t size)
{
    info_copy(text, size, process->ucx_version);
}

static void value_of_package(const info_process_t *process, char *text, size_t size)
{
    text[0] = '\0';
    if (0 != process->wire) {
        info_append(text, size, "%s (messages of version %d)", process->package, process->wire);
    }
}

static void value_of_paths(const info_process_t *process, char *text, size_t size)
{
    text[0] = '\0';
    if (INFO_LOAD_USED == process->part.load) {
        info_append(text, size, "%d", process->paths);
    }
}

static void value_of_persistent(const info_process_t *process, char *text, size_t size)
{
    info_copy(text, size, process->persistent);
}

static void value_of_trial(const info_process_t *process, char *text, size_t size)
{
    info_copy(text, size, process->persistent_trial);
}

static void value_of_failover(const info_process_t *process, char *text, size_t size)
{
    info_copy(text, size, process->failover);
}

/* Mark the processes that have the value of one; all of them are seen now. */
static void mark_equal(const info_report_t *report, value_of_t *value_of, const char *wanted,
                       bool *marked, bool *seen)
{
    char value[INFO_LINE];

    for (int rank = 0; rank < report->processes; ++rank) {
        value_of(&report->process[rank], value, sizeof(value));
        marked[rank] = 0 == strcmp(wanted, value);
        seen[rank] = seen[rank] || marked[rank];
    }
}

/* Name every value with its hosts. */
static void compare(info_report_t *report, const char *what, value_of_t *value_of, const char *todo)
{
    char value[INFO_LINE], names[INFO_LINE], text[INFO_TEXT] = "";
    bool *marked = flags(report->processes);
    bool *seen = flags(report->processes);
    int values = 0;

    for (int rank = 0; rank < report->processes; ++rank) {
        value_of(&report->process[rank], value, sizeof(value));
        if (seen[rank] || '\0' == value[0]) {
            continue;
        }
        mark_equal(report, value_of, value, marked, seen);
        (void) name_hosts(report, marked, names, sizeof(names));
        info_append(text, sizeof(text), "%s%s on %s", 0 == values++ ? "" : "; ", value, names);
    }
    if (values > 1) {
        info_todo(info_report_tell(report, INFO_ATTENTION, "Processes differ in %s: %s.", what,
                                   text),
                  "%s", todo);
    }
    free(marked);
    free(seen);
}

static void compare_all(info_report_t *report)
{
    compare(report, "Open MPI", value_of_mpi, "Use the same installation on all hosts.");
    compare(report, "UCX", value_of_ucx, "Use the same version on all hosts.");
    compare(report, "mpix-partitioned", value_of_package,
            "All processes of a job need the same version.");
    compare(report, "the number of network paths", value_of_paths,
            "What one host has more than another is not used. See above why devices are not used, "
            "and set part_ucx_devices and part_ucx_paths alike.");
    compare(report, "part_ucx_failover", value_of_failover,
            "Set it alike: where it differs, requests end with an error when a path dies.");
    compare(report, "coll_pschedule_persistent", value_of_persistent,
            "Set it alike: where it differs, other components make MPI's persistent collectives.");
    compare(report, "coll_pschedule_persistent_trial or _inexact", value_of_trial,
            "Set them alike: where they differ, other components make MPI's persistent "
            "collectives.");
}

/* ---- pairs ---- */

/* A device of a process that no other of the pair meets. */
static bool is_met(const info_pair_t *pair, const info_device_t *device, bool sender)
{
    char word[INFO_WORD + 2];
    size_t length;

    snprintf(word, sizeof(word), sender ? "%s-" : "-%s", device->name);
    length = strlen(word);
    for (const char *at = strstr(pair->meets, word); NULL != at; at = strstr(at + 1, word)) {
        char before = at == pair->meets ? ' ' : at[-1];

        if (sender ? ' ' == before : ' ' == at[length] || '\0' == at[length]) {
            return true;
        }
    }
    return false;
}

/* A bridge of containers, say: the same address on both hosts, and no way between them. */
static bool is_private(const info_report_t *report, const info_device_t *device, int other)
{
    for (int i = 0; i < report->process[other].devices; ++i) {
        if ('\0' != device->address[0]
            && 0 == strcmp(device->address, report->devices[other][i].address)) {
            return true;
        }
    }
    return false;
}

static void judge_meeting(info_report_t *report, const info_pair_t *pair, int rank, int other)
{
    const info_process_t *process = &report->process[rank];

    for (int i = 0; i < process->devices; ++i) {
        const info_device_t *device = &report->devices[rank][i];

        if (0 == device->paths || device->slow || is_met(pair, device, rank == pair->from)) {
            continue; /* slow ones are left out where others meet */
        }
        if (is_private(report, device, other)) {
            info_todo(info_report_tell(report, INFO_NOTE,
                                       "%s has the same address on %s and %s, so it is taken for "
                                       "private to each, and carries nothing between them.",
                                       device->name, info_report_host(report, rank),
                                       info_report_host(report, other)),
                      "Leave it out with part_ucx_devices.");
        } else {
            info_todo(info_report_tell(report, INFO_ATTENTION,
                                       "%s of %s meets no device of %s, and carries nothing "
                                       "between them.",
                                       device->name, info_report_host(report, rank),
                                       info_report_host(report, other)),
                      "Its other end is down, excluded, or in another subnet there: TCP devices "
                      "meet by subnet, RDMA devices by name.");
        }
    }
}

/* Both directions have the same to say, unless a transfer over another path has failed, too. */
static void judge_dead(info_report_t *report, const info_pair_t *pair)
{
    int low = pair->from < pair->to ? pair->from : pair->to;
    info_finding_t finding = {.severity = INFO_ATTENTION};

    info_append(finding.what, sizeof(finding.what), "Between %s and %s, %s.",
                info_report_host(report, low),
                info_report_host(report, low == pair->from ? pair->to : pair->from),
                pair->problem);
    info_todo(&finding, "Is it a dead link, or a firewall? A request that uses this path ends with "
                        "an error after many minutes at the earliest, and UCX, and so MPI, may be "
                        "stuck meanwhile. Repair it, or leave the device out with "
                        "part_ucx_devices.");
    if (!is_told(report, &finding)) {
        ((info_told_t *) info_list_add(&report->told))->finding = finding;
    }
}

static void judge_pair(info_report_t *report, const info_pair_t *pair)
{
    bool same_host = report->process[pair->from].host == report->process[pair->to].host;

    if (!pair->tried) {
        return; /* that one of them lacks the component, or the right one, is told anyway */
    }
    if ('\0' != pair->dead[0]) {
        judge_dead(report, pair);
    } else if (!pair->works) {
        info_todo(info_report_tell(report, INFO_ATTENTION,
                                   "A transfer from rank %d on %s to rank %d on %s fails: %s.",
                                   pair->from, info_report_host(report, pair->from), pair->to,
                                   info_report_host(report, pair->to), pair->problem),
                  "Is a firewall or a dead link between them? part_ucx_devices leaves a path out; "
                  "part_ucx_verbose 2 shows how paths meet.");
    }
    if (!same_host && pair->from < pair->to && pair->paths > 0) {
        judge_meeting(report, pair, pair->from, pair->to);
        judge_meeting(report, pair, pair->to, pair->from);
    }
}

/* ---- all ---- */

static void judge_extent(info_report_t *report)
{
    if (1 == report->processes) {
        info_todo(info_report_tell(report, INFO_NOTE,
                                   "One process: nothing was tried with others."),
                  "Run it across a job, such as mpirun --host A,B part_ucx_info.");
    }
    if (0 != report->untried) {
        info_report_tell(report, INFO_NOTE, "%d of %d pairs of hosts were not tried: too many.",
                         report->untried, report->hosts * (report->hosts - 1) / 2);
    }
}

/* Those of a sender together; of a pair, all paths come after the single ones. */
static int order_pairs(const void *a, const void *b)
{
    const info_pair_t *first = a, *second = b;

    return first->from != second->from ? first->from - second->from : first->to - second->to;
}

static int order_rates(const void *a, const void *b)
{
    const info_rate_t *first = a, *second = b;

    if (first->from != second->from) {
        return first->from - second->from;
    }
    return first->to != second->to ? first->to - second->to
           : first->path < 0       ? 1
           : second->path < 0      ? -1
                                   : first->path - second->path;
}

static void sort(const info_list_t *list, int (*order)(const void *, const void *))
{
    if (list->count > 1) {
        qsort(list->items, (size_t) list->count, list->size, order);
    }
}

void info_report_judge(info_report_t *report)
{
    sort(&report->pairs, order_pairs);
    sort(&report->rates, order_rates);
    merge_findings(report);
    compare_all(report);
    for (int i = 0; i < report->pairs.count; ++i) {
        judge_pair(report, info_list_at(&report->pairs, i));
    }
    info_report_judge_rates(report);
    judge_extent(report);
}

bool info_report_attention(const info_report_t *report)
{
    for (int i = 0; i < report->told.count; ++i) {
        const info_told_t *told = info_list_at(&report->told, i);

        if (INFO_ATTENTION == told->finding.severity) {
            return true;
        }
    }
    return false;
}
