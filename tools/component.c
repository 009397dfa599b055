/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The libraries and components of this process (see component.h).
 */
#include "component.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "folders.h"

/* ---- libraries ---- */

/* "Open MPI v5.0.7, package: ..." */
static void inspect_mpi(info_process_t *process)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    const char *version;
    int length;

    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    version = strstr(text, "Open MPI v");
    INFO_COPY(process->mpi_version, NULL == version ? text : version + strlen("Open MPI v"));
    info_folders_mpi_library(process->mpi_library, sizeof(process->mpi_library));
}

/* The one in the process; else the one that a component would get. */
static void inspect_ucx(info_process_t *process)
{
    const char *(*version)(void) = NULL;
    void *handle;

    if (!info_mca_loaded("libucp.so", process->ucx_library, sizeof(process->ucx_library))) {
        INFO_COPY(process->ucx_library, "libucp.so.0");
    }
    handle = dlopen(process->ucx_library, RTLD_LAZY | RTLD_LOCAL);
    if (NULL == handle) {
        process->ucx_library[0] = '\0';
        return;
    }
    (void) info_mca_loaded("libucp.so", process->ucx_library, sizeof(process->ucx_library));
    *(void **) &version = dlsym(handle, "ucp_get_version_string");
    if (NULL != version) {
        INFO_COPY(process->ucx_version, version());
    }
}

/* ---- components ---- */

static void copy_setting(char *to, size_t size, const char *value)
{
    info_copy(to, size, NULL == value ? "" : value);
}

static void inspect_part(const mca_part_ucx_info_t *table, const info_mca_t *mca,
                         info_process_t *process)
{
    info_component_t *part = &process->part;

    if (NULL != table) {
        INFO_COPY(process->part_in_use, table->part());
        INFO_COPY(process->pml_in_use, table->pml());
    }
    if (INFO_LOAD_USED != part->load) {
        return; /* as it was before MPI_Init */
    }
    if (NULL == table || !table->in_use()) {
        part->load = info_mca_allows(mca->part, "ucx") ? INFO_LOAD_UNUSED : INFO_LOAD_EXCLUDED;
        return;
    }
    (void) bench_cvar_text("part_ucx_failover", process->failover, sizeof(process->failover));
    copy_setting(process->ucx_transports, sizeof(process->ucx_transports),
                 table->ucx_transports());
    copy_setting(process->ucx_devices, sizeof(process->ucx_devices), table->ucx_devices());
}

static void inspect_coll(const info_mca_t *mca, info_process_t *process)
{
    info_component_t *coll = &process->coll;
    char priority[INFO_WORD] = "-1"; /* without the variable it is not loaded */

    (void) bench_cvar_text("coll_pschedule_priority", priority, sizeof(priority));
    if (INFO_LOAD_USED == coll->load && strtol(priority, NULL, 10) < 0) {
        coll->load
            = info_mca_allows(mca->coll, "pschedule") ? INFO_LOAD_UNUSED : INFO_LOAD_EXCLUDED;
    }
}

const mca_part_ucx_info_t *info_component_inspect(const info_mca_t *mca, info_process_t *process)
{
    const mca_part_ucx_info_t *table = NULL;

    inspect_mpi(process);
    inspect_ucx(process);
    process->part = mca->part_component;
    process->coll = mca->coll_component;
    process->wire = mca->wire;
    INFO_COPY(process->package, mca->package);
    INFO_COPY(process->built_for_mpi, mca->built_for_mpi);
    INFO_COPY(process->built_for_ucx, mca->built_for_ucx);
    /* What does not fit must not be asked more: it would read other structures than there are. */
    if (INFO_LOAD_MISSING != process->part.load && INFO_LOAD_BROKEN != process->part.load) {
        table = info_mca_table(&process->part);
    }
    if (NULL != table) {
        char why[INFO_TEXT];

        table = table->fits(why, sizeof(why)) ? table : NULL;
    }
    inspect_part(table, mca, process);
    inspect_coll(mca, process);
    return table;
}

/* ---- judgement ---- */

static void tell_off_path(const info_component_t *component, info_finding_t *finding)
{
    char folder[INFO_FILE], script[INFO_FILE] = "the env.sh of mpix-partitioned";

    INFO_COPY(folder, component->file);
    info_folders_up(folder, 1);
    (void) info_folders_env(component->file, script, sizeof(script));
    info_todo(finding,
              "Source %s before mpirun, or set "
              "OMPI_MCA_mca_base_component_path=%s:SYSTEM_DEFAULT:USER_DEFAULT.",
              script, folder);
}

static void tell_excluded(const char *framework, const char *component, const char *list,
                          info_list_t *findings)
{
    info_todo(info_find(findings, INFO_ATTENTION,
                        "The variable %s is \"%s\", which leaves out %s/%s.", framework, list,
                        framework, component),
              "Take it away: from mpirun's --mca options, from OMPI_MCA_%s in the environment, "
              "from openmpi-mca-params.conf and ~/.openmpi/mca-params.conf.",
              framework);
}

/* Both are missing for one reason: say so once. */
static bool judge_both(const info_component_t *part, const info_component_t *coll,
                       info_list_t *findings)
{
    info_finding_t *finding;

    if (part->load != coll->load) {
        return false;
    }
    if (INFO_LOAD_UNKNOWN == part->load) {
        info_find(findings, INFO_ATTENTION,
                  "It could not be found out how Open MPI loads components, and so not whether it "
                  "uses these: there was no second process to ask it, or MPI_T fails there.");
        return true;
    }
    if (INFO_LOAD_MISSING == part->load) {
        finding = info_find(findings, INFO_ATTENTION, "mpix-partitioned is not installed here.");
        info_todo(finding, "Install it on every host, in the same version.");
        return true;
    }
    if (INFO_LOAD_OFF_PATH == part->load) {
        finding = info_find(findings, INFO_ATTENTION,
                            "The components are there, but Open MPI does not look there: %s, %s.",
                            part->file, coll->file);
        tell_off_path(part, finding);
        return true;
    }
    return false;
}

static void judge_one(const info_component_t *component, const char *framework, const char *name,
                      const char *list, info_list_t *findings)
{
    info_finding_t *finding;

    switch (component->load) {
    case INFO_LOAD_UNKNOWN:
        break; /* for both the same */
    case INFO_LOAD_MISSING:
        finding = info_find(findings, INFO_ATTENTION, "%s/%s is not installed here.", framework,
                            name);
        info_todo(finding, "Install mpix-partitioned on every host, in the same version.");
        break;
    case INFO_LOAD_OFF_PATH:
        finding = info_find(findings, INFO_ATTENTION,
                            "%s/%s is in %s, but Open MPI does not look there.", framework, name,
                            component->file);
        tell_off_path(component, finding);
        break;
    case INFO_LOAD_BROKEN:
        finding = info_find(findings, INFO_ATTENTION, "%s cannot be loaded: %s", component->file,
                            component->why);
        info_todo(finding, "Build mpix-partitioned for this Open MPI and the UCX that it uses.");
        break;
    case INFO_LOAD_MISFIT:
        finding = info_find(findings, INFO_ATTENTION, "%s/%s is loaded, but not used: %s",
                            framework, name, component->why);
        info_todo(finding, "Build it for this Open MPI and UCX, or correct the variable.");
        break;
    case INFO_LOAD_EXCLUDED:
        tell_excluded(framework, name, list, findings);
        break;
    case INFO_LOAD_UNUSED:
        finding = info_find(findings, INFO_ATTENTION,
                            "%s/%s is loaded, but Open MPI has chosen another component.",
                            framework, name);
        info_todo(finding, "Look at %s_%s_priority.", framework, name);
        if (0 == strcmp(framework, "part")) { /* of coll a job needs others, too */
            info_append(finding->todo, sizeof(finding->todo), " --mca part %s demands it.", name);
        }
        break;
    case INFO_LOAD_USED:
        break;
    }
}

void info_component_judge(const info_mca_t *mca, const info_process_t *process,
                          info_list_t *findings)
{
    if (!judge_both(&process->part, &process->coll, findings)) {
        judge_one(&process->part, "part", "ucx", mca->part, findings);
        judge_one(&process->coll, "coll", "pschedule", mca->coll, findings);
    }
    if (mca->overridden) {
        info_find(findings, INFO_ATTENTION,
                  "The variable part is \"%s\": programs end in MPI_Init, because part/ucx cannot "
                  "be used. (This check goes on without it.)",
                  mca->part);
    }
}
