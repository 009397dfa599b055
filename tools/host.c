/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What this host allows (see host.h).
 */
#include "host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/machine.h"
#include "kernel.h"

/* A path of shared memory, and what Open MPI itself takes, per process. */
static const long long shm_per_process = 16LL << 20;

/* ---- inspection ---- */

static long long limit_of(int resource)
{
    struct rlimit limit;

    if (0 != getrlimit(resource, &limit) || RLIM_INFINITY == limit.rlim_cur) {
        return -1;
    }
    return (long long) limit.rlim_cur;
}

static void inspect_shm(info_process_t *process)
{
    struct statvfs shm;

    process->shm_size = process->shm_free = -1;
    if (0 == statvfs("/dev/shm", &shm)) {
        process->shm_size = (long long) shm.f_blocks * (long long) shm.f_frsize;
        process->shm_free = (long long) shm.f_bavail * (long long) shm.f_frsize;
    }
}

/* As many as a kernel may be made for. */
#define PROCESSORS_MAX 8192

typedef struct nodes_t {
    const cpu_set_t *mine;
    char *text;
    size_t size;
} nodes_t;

/* "0-3,8" has one of the processors? */
static bool list_has_any(const char *list, const cpu_set_t *processors)
{
    char *end = NULL;

    for (const char *at = list; '\0' != *at; at = end + strspn(end, ",")) {
        long first = strtol(at, &end, 10);
        long last = first;

        if (end == at) {
            return false;
        }
        if ('-' == *end) {
            last = strtol(end + 1, &end, 10);
        }
        for (long i = first; i <= last && i < PROCESSORS_MAX; ++i) {
            if (CPU_ISSET_S((int) i, CPU_ALLOC_SIZE(PROCESSORS_MAX), processors)) {
                return true;
            }
        }
    }
    return false;
}

static void visit_node(const char *name, void *context)
{
    nodes_t *nodes = context;
    char list[4096];
    int number;

    if (1 == sscanf(name, "node%d", &number)
        && info_kernel_line(list, sizeof(list), "/sys/devices/system/node/%s/cpulist", name)
        && list_has_any(list, nodes->mine)) {
        info_append(nodes->text, nodes->size, "%s%d", '\0' == nodes->text[0] ? "" : ",", number);
    }
}

static void inspect_processors(info_process_t *process)
{
    cpu_set_t *mine = CPU_ALLOC(PROCESSORS_MAX);
    nodes_t nodes = {.mine = mine, .text = process->numa_nodes,
                     .size = sizeof(process->numa_nodes)};

    if (NULL != mine && 0 == sched_getaffinity(0, CPU_ALLOC_SIZE(PROCESSORS_MAX), mine)) {
        process->processors = CPU_COUNT_S(CPU_ALLOC_SIZE(PROCESSORS_MAX), mine);
        info_kernel_names("/sys/devices/system/node", visit_node, &nodes);
    }
    CPU_FREE(mine);
}

/* The first two processes of the host try to read each other's memory, as UCX does. */
static int try_cma(const info_job_t *job)
{
    static const char text[] = "part/ucx health check";
    struct {
        long long process, address;
    } mine = {.process = getpid(), .address = (long long) (size_t) text}, other = {0};
    char copy[sizeof(text)] = "";
    struct iovec to = {.iov_base = copy, .iov_len = sizeof(copy)};
    struct iovec from = {.iov_len = sizeof(text)};
    int works;

    if (job->mate < 0) {
        return -1;
    }
    MPI_Sendrecv(&mine, sizeof(mine), MPI_BYTE, job->mate, 0, &other, sizeof(other), MPI_BYTE,
                 job->mate, 0, job->world, MPI_STATUS_IGNORE);
    from.iov_base = (void *) (size_t) other.address;
    works = sizeof(copy) == (size_t) process_vm_readv((pid_t) other.process, &to, 1, &from, 1, 0)
            && 0 == memcmp(copy, text, sizeof(text));
    /* The other's memory must stay until here. */
    MPI_Sendrecv_replace(&works, 1, MPI_INT, job->mate, 0, job->mate, 0, job->world,
                         MPI_STATUS_IGNORE);
    return works;
}

void info_host_inspect(const info_job_t *job, info_process_t *process)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;

    process->rank = job->rank;
    process->host = job->host;
    process->processes = job->local_size;
    MPI_Get_processor_name(name, &length);
    INFO_COPY(process->host_name, name);
    process->memlock = limit_of(RLIMIT_MEMLOCK);
    process->files = limit_of(RLIMIT_NOFILE);
    process->ptrace_scope = (int) info_kernel_number(-1, "/proc/sys/kernel/yama/ptrace_scope");
    process->cma_tried = try_cma(job);
    inspect_shm(process);
    inspect_processors(process);
}

/* ---- judgement ---- */

static void judge_memlock(const info_process_t *process, const info_list_t *devices,
                          info_list_t *findings)
{
    bool rdma = false;

    for (int i = 0; i < devices->count; ++i) {
        const info_device_t *device = info_list_at(devices, i);

        rdma = rdma || (0 == strcmp(device->kind, "rdma") && device->paths > 0);
    }
    if (rdma && process->memlock >= 0) {
        info_todo(info_find(findings, INFO_ATTENTION,
                            "Only %lld KiB of memory may be locked; RDMA locks all buffers.",
                            process->memlock / 1024),
                  "Set memlock to unlimited for users (/etc/security/limits.conf, or LimitMEMLOCK "
                  "of the batch system's daemon).");
    }
}

/* Two descriptors of every TCP path, two for every peer on it; and what MPI has open. */
static void judge_files(const info_job_t *job, const info_process_t *process,
                        info_list_t *findings)
{
    long long needed = 128 + 2LL * process->paths * (1 + job->size - job->local_size);

    if (process->files >= 0 && process->files < needed) {
        info_todo(info_find(findings, INFO_ATTENTION,
                            "A process may open %lld files; talking to all others of this job on "
                            "%d paths takes about %lld.",
                            process->files, process->paths, needed),
                  "Raise the limit (ulimit -n).");
    }
}

static void judge_shared(const info_process_t *process, info_list_t *findings)
{
    bool several = process->processes > 1;

    if (!process->has_shared) {
        return; /* settings do that, and are judged as such */
    }
    if (process->shm_free >= 0 && process->shm_free < shm_per_process * process->processes) {
        info_todo(info_find(findings, INFO_ATTENTION,
                            "/dev/shm has %lld MiB left for %d processes.",
                            process->shm_free >> 20, process->processes),
                  "Remove what is in it, or enlarge it (containers: --shm-size or --ipc=host).");
    }
    if (NULL != strstr(process->shared, "xpmem") || NULL != strstr(process->shared, "knem")) {
        return;
    }
    if (NULL == strstr(process->shared, "cma") || 0 == process->cma_tried) {
        info_todo(info_find(findings, several ? INFO_ATTENTION : INFO_NOTE,
                            "No process may read another's memory (CMA), so data between processes "
                            "of this host are copied twice%s.",
                            process->ptrace_scope > 0 ? ": kernel.yama.ptrace_scope is not 0"
                                                      : ""),
                  "Set kernel.yama.ptrace_scope to 0 (sysctl); in a container, allow ptrace "
                  "(--cap-add=SYS_PTRACE), and use one container, or the host's PID namespace, for "
                  "all processes of a host.");
    }
}

static void judge_processors(const info_process_t *process, info_list_t *findings)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    char yields[INFO_WORD] = "";

    (void) bench_cvar_text("mpi_yield_when_idle", yields, sizeof(yields));
    if (process->processes > online && 0 == strcmp(yields, "0")) {
        info_todo(info_find(findings, INFO_ATTENTION,
                            "%d processes share %ld processors, and wait without letting others "
                            "run.",
                            process->processes, online),
                  "Start fewer, or set mpi_yield_when_idle to 1.");
    }
}

void info_host_judge(const info_job_t *job, const info_process_t *process,
                     const info_list_t *devices, info_list_t *findings)
{
    judge_memlock(process, devices, findings);
    judge_files(job, process, findings);
    judge_shared(process, findings);
    judge_processors(process, findings);
}
