/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which host this process is on (see part_ucx_host.h).
 */
#include "base/part_ucx_host.h"

#include "base/part_ucx_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static uint64_t mix_text(uint64_t value, const char *text)
{
    for (; '\0' != *text; ++text) {
        value = mca_part_ucx_hash_mix(value, (unsigned char) *text);
    }
    return mca_part_ucx_hash_mix(value, 0x100);
}

/* The name keeps copies of a virtual machine apart, which share all else. */
static uint64_t mix_machine(uint64_t value)
{
    struct utsname name;
    char boot[64] = "";
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    if (file >= 0) {
        if (read(file, boot, sizeof(boot) - 1) < 0) {
            boot[0] = '\0';
        }
        (void) close(file);
    }
    return mix_text(mix_text(value, boot), 0 == uname(&name) ? name.nodename : "");
}

/* A namespace, or a folder. */
static uint64_t mix_place(uint64_t value, const char *path)
{
    struct stat found;

    if (0 != stat(path, &found)) {
        return mca_part_ucx_hash_mix(value, 0);
    }
    value = mca_part_ucx_hash_mix(value, (uint64_t) found.st_dev);
    return mca_part_ucx_hash_mix(value, (uint64_t) found.st_ino);
}

mca_part_ucx_host_t mca_part_ucx_host(void)
{
    static const char *const memory[] = {"/proc/self/ns/ipc", "/proc/self/ns/pid",
                                         "/proc/self/ns/user", "/dev/shm"};
    uint64_t machine = mix_machine(0);
    mca_part_ucx_host_t host = {.memory = machine};

    for (unsigned i = 0; i < sizeof(memory) / sizeof(memory[0]); ++i) {
        host.memory = mix_place(host.memory, memory[i]);
    }
    host.network = mix_place(machine, "/proc/self/ns/net");
    return host;
}

const mca_part_ucx_host_t *mca_part_ucx_host_ours(void)
{
    static mca_part_ucx_host_t host;

    if (0 == host.memory) {
        host = mca_part_ucx_host();
    }
    return &host;
}

/* ---- where the processes are that have started this one ---- */

/* What is in host.memory, and the numbers that the kernel gives to the first of each kind. */
static const struct {
    const char *name;
    ino_t first;
} spaces[] = {{"ipc", 0xefffffff}, {"uts", 0xeffffffe}, {"user", 0xeffffffd}, {"pid", 0xeffffffc}};

enum {
    SPACES = sizeof(spaces) / sizeof(spaces[0])
};

/* `process`: a number, or "self". A kernel that has no such spaces: all zero, as all are in one. */
static bool find_space(const char *process, unsigned space, struct stat *found)
{
    char path[64];

    memset(found, 0, sizeof(*found));
    snprintf(path, sizeof(path), "/proc/%s/ns/%s", process, spaces[space].name);
    return 0 == stat(path, found) || ENOENT == errno;
}

/* In none that somebody has made. */
static bool is_on_bare_system(void)
{
    for (unsigned i = 0; i < SPACES; ++i) {
        struct stat own;

        if (!find_space("self", i, &own) || (0 != own.st_ino && own.st_ino != spaces[i].first)) {
            return false;
        }
    }
    return true;
}

static bool is_beside(pid_t process)
{
    char number[32];

    snprintf(number, sizeof(number), "%ld", (long) process);
    for (unsigned i = 0; i < SPACES; ++i) {
        struct stat own, other;

        if (!find_space("self", i, &own) || !find_space(number, i, &other)
            || own.st_dev != other.st_dev || own.st_ino != other.st_ino) {
            return false;
        }
    }
    return true;
}

static bool is_launcher(const char *name)
{
    static const char *const names[] = {"prted", "prterun", "mpirun", "mpiexec", "slurmstepd"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (0 == strcmp(names[i], name)) {
            return true;
        }
    }
    return false;
}

/* Its parent; 0: there is none that can be seen from here, or need be, as it is what starts the
 * processes of a job. */
static pid_t next_parent(pid_t process)
{
    char path[64], line[512] = "";
    char *name, *rest;
    long parent = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/stat", (long) process);
    file = fopen(path, "re");
    if (NULL == file) {
        return 0;
    }
    /* The name, in brackets, may hold anything. */
    name = NULL != fgets(line, sizeof(line), file) ? strchr(line, '(') : NULL;
    rest = NULL != name ? strrchr(name, ')') : NULL;
    (void) fclose(file);
    if (NULL == rest || 1 != sscanf(rest, ") %*c %ld", &parent)) {
        return 0;
    }
    *rest = '\0';
    return is_launcher(name + 1) ? 0 : (pid_t) parent;
}

/* The launcher's daemon is among them, perhaps behind a script. Beyond it, or the first process of
 * a container, is nothing that counts. */
bool mca_part_ucx_host_is_parents(void)
{
    pid_t process = getppid();
    bool beside = is_on_bare_system();

    if (beside || 0 == process) {
        return beside;
    }
    for (beside = true; beside && 0 != process; process = next_parent(process)) {
        beside = is_beside(process);
    }
    return beside;
}
