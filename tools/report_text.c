/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The report as text (see report.h). Processes about which there is the same to say are described
 * once.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "wrap.h"

/* As wide as the longest head. */
#define HEAD "  %-15s "

/* ---- a process ---- */

static void print_component(FILE *out, const char *name, const info_component_t *component,
                            const char *version)
{
    static const char *const states[] = {
        [INFO_LOAD_UNKNOWN] = "NOT KNOWN",
        [INFO_LOAD_MISSING] = "NOT INSTALLED",
        [INFO_LOAD_OFF_PATH] = "NOT USED, not on the component path",
        [INFO_LOAD_BROKEN] = "NOT USED, cannot be loaded",
        [INFO_LOAD_MISFIT] = "NOT USED, declines",
        [INFO_LOAD_EXCLUDED] = "NOT USED, excluded by a variable",
        [INFO_LOAD_UNUSED] = "NOT USED, another one was chosen",
        [INFO_LOAD_USED] = "used",
    };

    fprintf(out, HEAD "%s%s%s%s%s\n", name, states[component->load],
            '\0' == version[0] ? "" : ", version ", version,
            '\0' == component->file[0] ? "" : ": ", component->file);
}

static void print_library(FILE *out, const char *name, const char *version, const char *file,
                          const char *built_for)
{
    if ('\0' == version[0]) {
        fprintf(out, HEAD "not found\n", name);
        return;
    }
    fprintf(out, HEAD "%s", name, version);
    if ('\0' != built_for[0]) {
        fprintf(out, " (part/ucx is built for %s)", built_for);
    }
    fprintf(out, ": %s\n", file);
}

/* "auto; MPI_Allreduce_init of 1 MiB, tried here: served" */
static void print_persistent(FILE *out, const info_process_t *process)
{
    if ('\0' == process->persistent[0]) {
        return;
    }
    fprintf(out, HEAD "%s", "persistent", process->persistent);
    if (process->persistent_tried >= 0) {
        fprintf(out, "; MPI_Allreduce_init of 1 MiB, tried here: %s",
                process->persistent_tried ? "served" : "handed on to another component");
    }
    fprintf(out, "\n");
}

static void print_versions(FILE *out, const info_process_t *process)
{
    print_library(out, "Open MPI", process->mpi_version, process->mpi_library,
                  process->built_for_mpi);
    print_library(out, "UCX", process->ucx_version, process->ucx_library, process->built_for_ucx);
    print_component(out, "part/ucx", &process->part, process->package);
    if (INFO_LOAD_USED != process->part.load && '\0' != process->part_in_use[0]) {
        fprintf(out, HEAD "part/%s\n", "instead", process->part_in_use);
    }
    print_component(out, "coll/pschedule", &process->coll, "");
    print_persistent(out, process);
    if ('\0' != process->pml_in_use[0]) {
        fprintf(out, HEAD "pml/%s\n", "set-up over", process->pml_in_use);
    }
}

static void print_path(FILE *out, const info_device_t *device, const char *head)
{
    fprintf(out, HEAD "%-3d %-10s %s", head, device->first_path, device->name, device->transports);
    if ('\0' != device->network[0]) {
        fprintf(out, ", %s", device->network);
    }
    if ('\0' != device->speed[0]) {
        fprintf(out, ", %s", device->speed);
    }
    if (device->numa_node >= 0) {
        fprintf(out, ", NUMA node %d", device->numa_node);
    }
    fprintf(out, ", distance %d", device->distance);
    if (device->paths > 1) {
        fprintf(out, ", %d paths", device->paths);
    }
    if (1 == device->relaxed_ordering && 0 == strcmp(device->kind, "rdma")) {
        fprintf(out, ", PCIe relaxed ordering enabled (not used, unless firmware forces it: "
                     "docs/limits.md of the sources)");
    }
    fprintf(out, "\n");
}

/* The devices that are no path: those with the same reason together. */
static void print_others(FILE *out, const info_device_t *devices, int count)
{
    const char *head = "not used";

    for (int i = 0; i < count; ++i) {
        char names[INFO_TEXT] = "";
        bool told = 0 != devices[i].paths;

        for (int before = 0; before < i && !told; ++before) {
            told = 0 == strcmp(devices[before].why_not, devices[i].why_not);
        }
        if (told) {
            continue;
        }
        for (int j = i; j < count; ++j) {
            if (0 == devices[j].paths && 0 == strcmp(devices[j].why_not, devices[i].why_not)) {
                info_append(names, sizeof(names), "%s%s", j == i ? "" : " ", devices[j].name);
            }
        }
        fprintf(out, HEAD "%s: %s\n", head, names,
                '\0' == devices[i].why_not[0] ? "no path was made" : devices[i].why_not);
        head = "";
    }
}

static void print_devices(FILE *out, const info_device_t *devices, int count)
{
    const char *head = "paths";
    bool rdma = false;

    for (int i = 0; i < count; ++i) {
        rdma = rdma || 0 == strcmp(devices[i].kind, "rdma");
        if (devices[i].paths > 0) {
            print_path(out, &devices[i], head);
            head = "";
        }
    }
    if ('\0' != head[0]) {
        fprintf(out, HEAD "none\n", head);
    }
    print_others(out, devices, count);
    fprintf(out, HEAD "%s\n", "RDMA", rdma ? "there are devices" : "no device");
}

static void print_amount(FILE *out, const char *what, long long bytes)
{
    if (bytes < 0) {
        fprintf(out, "%s unlimited", what);
    } else if (bytes < 10LL << 30) {
        fprintf(out, "%s %lld MiB", what, bytes >> 20);
    } else {
        fprintf(out, "%s %lld GiB", what, bytes >> 30);
    }
}

static void print_host(FILE *out, const info_process_t *process)
{
    fprintf(out, HEAD "%s", "shared memory", process->has_shared ? process->shared : "not used");
    if (process->cma_tried >= 0) {
        fprintf(out, "; CMA between processes %s", process->cma_tried ? "works" : "FAILS");
    }
    if (process->ptrace_scope >= 0) {
        fprintf(out, "; ptrace_scope %d", process->ptrace_scope);
    }
    fprintf(out, "\n" HEAD, "limits");
    print_amount(out, "locked memory", process->memlock);
    if (process->files < 0) {
        fprintf(out, ", open files unlimited");
    } else {
        fprintf(out, ", open files %lld", process->files);
    }
    if (process->shm_size >= 0) {
        print_amount(out, ", /dev/shm", process->shm_size);
    }
    fprintf(out, ", %d processors", process->processors);
    if ('\0' != process->numa_nodes[0]) {
        fprintf(out, " on NUMA node %s", process->numa_nodes);
    }
    fprintf(out, "\n");
}

/* All that is printed of a process; to be freed. */
static char *describe(const info_report_t *report, int rank)
{
    const info_process_t *process = &report->process[rank];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (NULL == out) {
        info_die("out of memory");
    }
    print_versions(out, process);
    print_devices(out, report->devices[rank], process->devices);
    print_host(out, process);
    fclose(out);
    return text;
}

/* ---- processes ---- */

/* "h0 (2 processes), h1" of those whose description is the same as this one's. */
static void print_owners(FILE *out, const info_report_t *report, char *const *texts, int first)
{
    bool *named = calloc((size_t) report->hosts, sizeof(*named));
    char names[4096] = "";
    int hosts = 0, processes = 0;

    if (NULL == named) {
        info_die("out of memory");
    }

    for (int rank = first; rank < report->processes; ++rank) {
        const info_process_t *process = &report->process[rank];

        if (0 != strcmp(texts[first], texts[rank])) {
            continue;
        }
        ++processes;
        if (!named[process->host]) {
            named[process->host] = true;
            info_append(names, sizeof(names), "%s%s", 0 == hosts++ ? "" : ", ",
                        process->host_name);
        }
    }
    free(named);
    fprintf(out, "\n%s", names);
    if (processes != hosts) {
        fprintf(out, " (%d processes)", processes);
    }
    fprintf(out, "\n");
}

static void print_processes(FILE *out, const info_report_t *report)
{
    char **texts = calloc((size_t) report->processes, sizeof(*texts));

    for (int rank = 0; NULL != texts && rank < report->processes; ++rank) {
        texts[rank] = describe(report, rank);
    }
    for (int rank = 0; NULL != texts && rank < report->processes; ++rank) {
        bool told = false;

        for (int before = 0; before < rank && !told; ++before) {
            told = 0 == strcmp(texts[before], texts[rank]);
        }
        if (!told) {
            print_owners(out, report, texts, rank);
            fputs(texts[rank], out);
        }
    }
    for (int rank = 0; NULL != texts && rank < report->processes; ++rank) {
        free(texts[rank]);
    }
    free(texts);
}

/* ---- pairs ---- */

static bool is_like(const info_pair_t *a, const info_pair_t *b)
{
    return a->tried == b->tried && a->works == b->works && a->paths == b->paths
           && 0 == strcmp(a->meets, b->meets) && 0 == strcmp(a->dead, b->dead)
           && 0 == strcmp(a->transports, b->transports)
           && 0 == strcmp(a->delivery, b->delivery) && 0 == strcmp(a->problem, b->problem);
}

static void print_pair(FILE *out, const info_pair_t *pair)
{
    char text[2 * INFO_TEXT];

    if (!pair->tried) {
        fprintf(out, "    not tried: one of them does not use part/ucx, or another version\n");
        return;
    }
    if (0 == pair->paths) {
        info_wrap(out, "    FAILS: ", pair->problem);
        return;
    }
    text[0] = '\0';
    info_append(text, sizeof(text), "%d %s over %s; UCX %s %s; delivery: %s%s%s", pair->paths,
                1 == pair->paths ? "path" : "paths", pair->kind,
                pair->chosen || NULL == strchr(pair->transports, ',') ? "uses" : "chooses of",
                pair->transports, pair->delivery, pair->works ? "" : "; FAILS: ", pair->problem);
    info_wrap(out, "    ", text);
    if (0 != strcmp(pair->kind, "shared memory")) {
        info_wrap(out, "    ", pair->meets);
    }
}

/* Pairs that are alike are printed together. */
static void print_pairs(FILE *out, const info_report_t *report)
{
    enum { NAMES = 8 };

    for (int i = 0; i < report->pairs.count; ++i) {
        const info_pair_t *pair = info_list_at(&report->pairs, i);
        char names[INFO_TEXT] = "";
        int alike = 0;
        bool told = false;

        for (int before = 0; before < i && !told; ++before) {
            told = is_like(pair, info_list_at(&report->pairs, before));
        }
        for (int j = i; j < report->pairs.count && !told; ++j) {
            const info_pair_t *other = info_list_at(&report->pairs, j);

            if (is_like(pair, other) && alike++ < NAMES) {
                info_append(names, sizeof(names), "%s%s > %s", 1 == alike ? "" : ", ",
                            info_report_host(report, other->from),
                            info_report_host(report, other->to));
            }
        }
        if (alike > NAMES) {
            info_append(names, sizeof(names), " and %d more", alike - NAMES);
        }
        if (!told) {
            info_wrap(out, "  ", names);
            print_pair(out, pair);
        }
    }
}

static void print_rates(FILE *out, const info_report_t *report)
{
    for (int i = 0; i < report->rates.count; ++i) {
        const info_rate_t *rate = info_list_at(&report->rates, i);

        if (0 == rate->path) {
            fprintf(out, "%s  %s > %s ", 0 == i ? "" : "\n", info_report_host(report, rate->from),
                    info_report_host(report, rate->to));
        }
        if (rate->bytes > 0.0) {
            fprintf(out, "  %s %.1f", rate->name, rate->bytes / 1e6);
        } else {
            fprintf(out, "  %s DEAD", rate->name);
        }
    }
    fprintf(out, "\n");
}

/* ---- findings ---- */

static void print_findings(FILE *out, const info_report_t *report, info_severity_t severity,
                           const char *title)
{
    int number = 0;

    for (int i = 0; i < report->told.count; ++i) {
        const info_told_t *told = info_list_at(&report->told, i);
        char text[INFO_LINE + INFO_TEXT] = "";

        if (told->finding.severity != severity) {
            continue;
        }
        if (0 == number++) {
            fprintf(out, "\n%s\n", title);
        }
        info_append(text, sizeof(text), "%s%s%s", told->where,
                    '\0' == told->where[0] ? "" : ": ", told->finding.what);
        info_wrap(out, "  - ", text);
        if ('\0' != told->finding.todo[0]) {
            info_wrap(out, "    -> ", told->finding.todo);
        }
    }
}

static int count_attention(const info_report_t *report)
{
    int count = 0;

    for (int i = 0; i < report->told.count; ++i) {
        const info_told_t *told = info_list_at(&report->told, i);

        count += INFO_ATTENTION == told->finding.severity ? 1 : 0;
    }
    return count;
}

void info_report_text(const info_report_t *report, FILE *out)
{
    int attention = count_attention(report);

    fprintf(out, "part_ucx_info %s: %d %s on %d %s\n", MPIX_PARTITIONED_VERSION, report->processes,
            1 == report->processes ? "process" : "processes", report->hosts,
            1 == report->hosts ? "host" : "hosts");
    print_processes(out, report);
    if (report->pairs.count > 0) {
        fprintf(out, "\nHow they reach each other, from > to\n");
        print_pairs(out, report);
    }
    if (report->rates.count > 0) {
        fprintf(out, "\nBandwidth in MB/s, from > to, of each path\n");
        print_rates(out, report);
    }
    print_findings(out, report, INFO_ATTENTION, "Needs attention");
    print_findings(out, report, INFO_NOTE, "Notes");
    if (0 == attention) {
        fprintf(out, "\nNothing needs attention.\n");
    } else {
        fprintf(out, "\n%d %s attention.\n", attention,
                1 == attention ? "thing needs" : "things need");
    }
}
