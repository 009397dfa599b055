/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which host this process is on (see part_ucx_host.h).
 */
#include "base/part_ucx_host.h"

#include "base/part_ucx_hash.h"

#include <fcntl.h>
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
