/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The report as JSON (see report.h); README.md lists the keys.
 */
#include "json.h"
#include "report.h"

static const char *const loads[] = {[INFO_LOAD_UNKNOWN] = NULL,
                                    [INFO_LOAD_MISSING] = "missing",
                                    [INFO_LOAD_OFF_PATH] = "not on the component path",
                                    [INFO_LOAD_BROKEN] = "cannot be loaded",
                                    [INFO_LOAD_MISFIT] = "declines",
                                    [INFO_LOAD_EXCLUDED] = "excluded",
                                    [INFO_LOAD_UNUSED] = "not chosen",
                                    [INFO_LOAD_USED] = "used"};

static void write_component(info_json_t *json, const char *key, const info_component_t *component)
{
    info_json_open(json, key, '{');
    info_json_text(json, "state", loads[component->load]);
    info_json_text(json, "file", component->file);
    info_json_text(json, "why", component->why);
    info_json_close(json, '}');
}

static void write_versions(info_json_t *json, const info_process_t *process)
{
    info_json_text(json, "open_mpi", process->mpi_version);
    info_json_text(json, "open_mpi_library", process->mpi_library);
    info_json_text(json, "ucx", process->ucx_version);
    info_json_text(json, "ucx_library", process->ucx_library);
    info_json_text(json, "component_version", process->package);
    info_json_text(json, "built_for_open_mpi", process->built_for_mpi);
    info_json_text(json, "built_for_ucx", process->built_for_ucx);
    write_component(json, "part_ucx", &process->part);
    write_component(json, "coll_pschedule", &process->coll);
    info_json_text(json, "part_in_use", process->part_in_use);
    info_json_text(json, "pml_in_use", process->pml_in_use);
    info_json_open(json, "persistent_collectives", '{');
    info_json_text(json, "mode", process->persistent);
    info_json_text(json, "tried", process->persistent_tried < 0 ? NULL
                                  : process->persistent_tried  ? "served"
                                                               : "handed on");
    info_json_close(json, '}');
    info_json_bool(json, "works", process->works);
}

static void write_device(info_json_t *json, const info_device_t *device)
{
    info_json_open(json, NULL, '{');
    info_json_text(json, "name", device->name);
    info_json_text(json, "kind", device->kind);
    info_json_known(json, "path", device->first_path, -1);
    info_json_number(json, "paths", device->paths);
    info_json_text(json, "why_not", device->why_not);
    info_json_text(json, "transports", device->transports);
    info_json_text(json, "network", device->network);
    info_json_text(json, "address", device->address);
    info_json_text(json, "speed", device->speed);
    info_json_known(json, "distance", device->distance, -1);
    info_json_known(json, "numa_node", device->numa_node, -1);
    info_json_known(json, "pcie_relaxed_ordering", device->relaxed_ordering, -1);
    info_json_close(json, '}');
}

static void write_host(info_json_t *json, const info_process_t *process)
{
    info_json_open(json, "shared_memory", '{');
    info_json_bool(json, "used", process->has_shared);
    info_json_text(json, "transports", process->shared);
    info_json_known(json, "dev_shm_bytes", process->shm_size, -1);
    info_json_known(json, "dev_shm_free_bytes", process->shm_free, -1);
    info_json_known(json, "cma_tried", process->cma_tried, -1);
    info_json_known(json, "ptrace_scope", process->ptrace_scope, -1);
    info_json_close(json, '}');
    info_json_open(json, "limits", '{');
    info_json_known(json, "memlock_bytes", process->memlock, -1);
    info_json_known(json, "open_files", process->files, -1);
    info_json_number(json, "processors", process->processors);
    info_json_text(json, "numa_nodes", process->numa_nodes);
    info_json_close(json, '}');
}

static void write_process(info_json_t *json, const info_report_t *report, int rank)
{
    const info_process_t *process = &report->process[rank];

    info_json_open(json, NULL, '{');
    info_json_number(json, "rank", rank);
    info_json_text(json, "host", process->host_name);
    info_json_number(json, "processes_on_host", process->processes);
    write_versions(json, process);
    info_json_number(json, "network_paths", process->paths);
    info_json_open(json, "devices", '[');
    for (int i = 0; i < process->devices; ++i) {
        write_device(json, &report->devices[rank][i]);
    }
    info_json_close(json, ']');
    write_host(json, process);
    info_json_close(json, '}');
}

static void write_ends(info_json_t *json, const info_report_t *report, int from, int to)
{
    info_json_number(json, "from", from);
    info_json_text(json, "from_host", info_report_host(report, from));
    info_json_number(json, "to", to);
    info_json_text(json, "to_host", info_report_host(report, to));
}

static void write_pairs(info_json_t *json, const info_report_t *report)
{
    info_json_open(json, "pairs", '[');
    for (int i = 0; i < report->pairs.count; ++i) {
        const info_pair_t *pair = info_list_at(&report->pairs, i);

        info_json_open(json, NULL, '{');
        write_ends(json, report, pair->from, pair->to);
        info_json_bool(json, "tried", pair->tried);
        info_json_bool(json, "works", pair->works);
        info_json_text(json, "problem", pair->problem);
        info_json_number(json, "paths", pair->paths);
        info_json_text(json, "kind", pair->kind);
        info_json_text(json, "devices", pair->meets);
        info_json_text(json, "dead_devices", pair->dead);
        info_json_text(json, "transports", pair->transports);
        info_json_bool(json, "transports_chosen", pair->chosen);
        info_json_text(json, "delivery", pair->delivery);
        info_json_close(json, '}');
    }
    info_json_close(json, ']');
}

static void write_rates(info_json_t *json, const info_report_t *report)
{
    info_json_open(json, "bandwidth", '[');
    for (int i = 0; i < report->rates.count; ++i) {
        const info_rate_t *rate = info_list_at(&report->rates, i);

        info_json_open(json, NULL, '{');
        write_ends(json, report, rate->from, rate->to);
        info_json_known(json, "path", rate->path, -1);
        info_json_text(json, "device", rate->path < 0 ? NULL : rate->name);
        info_json_real(json, "mb_per_s", rate->bytes / 1e6);
        info_json_close(json, '}');
    }
    info_json_close(json, ']');
}

static void write_findings(info_json_t *json, const info_report_t *report)
{
    info_json_open(json, "findings", '[');
    for (int i = 0; i < report->told.count; ++i) {
        const info_told_t *told = info_list_at(&report->told, i);

        info_json_open(json, NULL, '{');
        info_json_text(json, "severity",
                       INFO_ATTENTION == told->finding.severity ? "attention" : "note");
        info_json_text(json, "hosts", told->where);
        info_json_text(json, "what", told->finding.what);
        info_json_text(json, "todo", told->finding.todo);
        info_json_close(json, '}');
    }
    info_json_close(json, ']');
}

void info_report_json(const info_report_t *report, FILE *out)
{
    info_json_t json = {.out = out};

    info_json_open(&json, NULL, '{');
    info_json_text(&json, "program", "part_ucx_info");
    info_json_text(&json, "version", MPIX_PARTITIONED_VERSION);
    info_json_text(&json, "status", info_report_attention(report) ? "attention" : "ok");
    info_json_number(&json, "hosts", report->hosts);
    info_json_open(&json, "processes", '[');
    for (int rank = 0; rank < report->processes; ++rank) {
        write_process(&json, report, rank);
    }
    info_json_close(&json, ']');
    write_pairs(&json, report);
    write_rates(&json, report);
    write_findings(&json, report);
    info_json_close(&json, '}');
}
