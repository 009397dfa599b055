/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is part/ucx used, and all that it could use? README.md says how the parts of this program
 * belong together.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bandwidth.h"
#include "collective.h"
#include "common/machine.h"
#include "component.h"
#include "environment.h"
#include "host.h"
#include "interfaces.h"
#include "options.h"
#include "pairs.h"
#include "report.h"
#include "transfer.h"

enum { SELF_BYTES = 1 << 18 };
static const double self_seconds = 10.0;

/* Where the report goes. */
static FILE *report_out;

/* What this process has found. */
typedef struct own_t {
    info_process_t process;
    info_list_t devices;  /* of info_device_t */
    info_list_t findings; /* of info_finding_t */
    info_list_t pairs;    /* of info_pair_t */
    info_list_t rates;    /* of info_rate_t */
} own_t;

/* ---- MPI_Init ---- */

/* Libraries write to standard output, too (UCX does): theirs goes to standard error, so that there
 * is nothing but the report. */
static void separate_output(void)
{
    int own = dup(STDOUT_FILENO);

    report_out = own < 0 ? NULL : fdopen(own, "w");
    if (NULL == report_out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        info_die("standard output or standard error is closed");
    }
}

/* MPI_Init ends a program that it cannot serve; a session, which needs the same, returns. */
static void begin_mpi(info_mca_t *mca)
{
    MPI_Session session;
    int provided;

    info_mca_probe(mca);
    info_mca_permit(mca);
    info_step("in MPI_Init");
    if (MPI_SUCCESS != MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session)) {
        info_die("MPI cannot begin here, for the reasons above: no program can run.");
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
    MPI_Session_finalize(&session);
    info_mca_permitted(mca);
    bench_machine_open();
}

/* ---- this process ---- */

/* The paths are made now, and say what is wrong with them. */
static void make_paths(const info_job_t *job, const mca_part_ucx_info_t *table, own_t *own)
{
    info_process_t *process = &own->process;
    char why[INFO_TEXT] = "";
    info_outcome_t outcome;

    if (INFO_LOAD_USED != process->part.load) {
        return;
    }
    info_step("making the paths");
    if (!table->prepare(why, sizeof(why))) {
        info_find(&own->findings, INFO_ATTENTION, "No partitioned request can be made. %s", why);
        return;
    }
    if ('\0' != why[0]) {
        info_find(&own->findings, INFO_ATTENTION, "%s", why);
    }
    info_step("moving data from rank %d to itself", job->rank);
    outcome = info_transfer_to_self(job->world, job->rank, SELF_BYTES, self_seconds);
    process->works = INFO_ARRIVED == outcome;
    if (!process->works) {
        info_find(&own->findings, INFO_ATTENTION, "A transfer of a process to itself fails: %s.",
                  info_transfer_text(outcome));
    }
}

static const mca_part_ucx_info_t *inspect(const info_job_t *job, const info_mca_t *mca, own_t *own)
{
    const mca_part_ucx_info_t *table;

    info_step("looking at this host");
    info_host_inspect(job, &own->process);
    table = info_component_inspect(mca, &own->process);
    info_component_judge(mca, &own->process, &own->findings);
    info_collective_inspect(&own->process);
    make_paths(job, table, own);
    info_step("listing devices");
    info_interfaces_list(table, &own->process, &own->devices);
    info_interfaces_judge(&own->process, &own->devices, &own->findings);
    info_host_judge(job, &own->process, &own->devices, &own->findings);
    info_environment_judge(&own->process, &own->devices, &own->findings);
    return table;
}

/* ---- all processes ---- */

/* Everything that was tried with others worked. */
static bool reaches_others(const own_t *own)
{
    for (int i = 0; i < own->pairs.count; ++i) {
        if (!((const info_pair_t *) info_list_at(&own->pairs, i))->works) {
            return false;
        }
    }
    return true;
}

static void try_others(const info_job_t *job, const mca_part_ucx_info_t *table,
                       const info_options_t *options, own_t *own, info_pairs_t *pairs)
{
    info_pairs_begin(job, own->process.works ? own->process.wire : 0, pairs);
    info_pairs_try(job, table, pairs, &own->devices, &own->pairs);
    info_collective_try(job, own->process.works && reaches_others(own), &own->process,
                        &own->findings);
    if (options->bandwidth) {
        info_bandwidth_measure(job, table, pairs, &own->devices, options->seconds, &own->rates);
    }
}

/* ---- the report ---- */

static void gather_list(const info_job_t *job, const info_list_t *mine, info_list_t *all)
{
    size_t total;
    char *items;

    info_gather(job, mine->items, (size_t) mine->count * mine->size, &items, &total);
    all->items = items;
    all->count = (int) (total / mine->size);
    all->size = mine->size;
}

static void set_starts(info_report_t *report, const info_list_t *devices,
                       const info_list_t *findings)
{
    const info_device_t *device = devices->items;
    const info_finding_t *finding = findings->items;

    for (int rank = 0; rank < report->processes; ++rank) {
        report->devices[rank] = device;
        report->findings[rank] = finding;
        device += report->process[rank].devices;
        finding += report->process[rank].findings;
    }
}

static void print_report(info_report_t *report, const info_options_t *options)
{
    info_report_judge(report);
    if (options->json) {
        info_report_json(report, report_out);
    } else {
        info_report_text(report, report_out);
    }
    if (0 != fflush(report_out)) {
        info_die("the report cannot be written");
    }
}

/* Collective. Returns the exit status, the same everywhere. */
static int report(const info_job_t *job, const info_options_t *options, own_t *own, int untried)
{
    info_report_t all = {.processes = job->size, .hosts = job->hosts, .untried = untried,
                         .told = INFO_LIST_OF(info_told_t)};
    info_list_t processes = {.items = &own->process, .count = 1, .size = sizeof(own->process)};
    info_list_t devices, findings;
    int status = 0;

    info_step("putting the report together");
    own->process.devices = own->devices.count;
    own->process.findings = own->findings.count;
    gather_list(job, &processes, &processes);
    gather_list(job, &own->devices, &devices);
    gather_list(job, &own->findings, &findings);
    gather_list(job, &own->pairs, &all.pairs);
    gather_list(job, &own->rates, &all.rates);
    if (0 == job->rank) {
        all.process = processes.items;
        all.devices = calloc((size_t) job->size, sizeof(*all.devices));
        all.findings = calloc((size_t) job->size, sizeof(*all.findings));
        if (NULL == all.devices || NULL == all.findings) {
            info_die("out of memory");
        }
        set_starts(&all, &devices, &findings);
        print_report(&all, options);
        status = info_report_attention(&all) ? 1 : 0;
        free(all.devices);
        free(all.findings);
        info_list_free(&all.told);
        info_list_free(&processes);
        info_list_free(&devices);
        info_list_free(&findings);
        info_list_free(&all.pairs);
        info_list_free(&all.rates);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, job->world);
    return status;
}

int main(int argc, char **argv)
{
    own_t own = {.devices = INFO_LIST_OF(info_device_t),
                 .findings = INFO_LIST_OF(info_finding_t),
                 .pairs = INFO_LIST_OF(info_pair_t),
                 .rates = INFO_LIST_OF(info_rate_t)};
    const mca_part_ucx_info_t *table;
    info_options_t options;
    info_pairs_t pairs;
    info_mca_t mca;
    info_job_t job;
    int status, stuck, any_stuck;

    info_options_read(argc, argv, &options);
    separate_output();
    begin_mpi(&mca);
    info_job_begin(&job);
    table = inspect(&job, &mca, &own);
    try_others(&job, table, &options, &own, &pairs);
    status = report(&job, &options, &own, pairs.untried);
    stuck = info_transfer_any_stuck;
    MPI_Allreduce(&stuck, &any_stuck, 1, MPI_INT, MPI_MAX, job.world);
    info_pairs_free(&pairs);
    info_list_free(&own.devices);
    info_list_free(&own.findings);
    info_list_free(&own.pairs);
    info_list_free(&own.rates);
    bench_machine_close();
    info_job_end(&job, 0 != any_stuck, status);
    return 0 == job.rank ? status : 0;
}
