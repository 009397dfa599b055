/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of a CUDA device (see cuda.h). The types are those of CUDA's driver interface.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "cuda.h"

#include <ctype.h>
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_DEVICES = 64 };

typedef int result_t; /* CUresult, 0: it is done */
typedef int device_t;
typedef unsigned long long address_t;

static struct {
    result_t (*init)(unsigned flags);
    result_t (*count)(int *count);
    result_t (*get)(device_t *device, int ordinal);
    result_t (*name)(char *name, int length, device_t device);
    result_t (*bus)(char *id, int length, device_t device);
    result_t (*retain)(void **context, device_t device);
    result_t (*use)(void *context);
    result_t (*synchronize)(void);
    result_t (*allocate)(address_t *address, size_t bytes);
    result_t (*release)(address_t address);
    result_t (*write)(address_t to, const void *from, size_t bytes);
    result_t (*read)(void *to, address_t from, size_t bytes);
    result_t (*set)(address_t to, unsigned char value, size_t bytes);
} driver;

/* Where each function of the driver goes. */
static const struct {
    const char *symbol;
    void *place;
} wanted[] = {
    {"cuInit", &driver.init},
    {"cuDeviceGetCount", &driver.count},
    {"cuDeviceGet", &driver.get},
    {"cuDeviceGetName", &driver.name},
    {"cuDeviceGetPCIBusId", &driver.bus},
    {"cuDevicePrimaryCtxRetain", &driver.retain},
    {"cuCtxSetCurrent", &driver.use},
    {"cuCtxSynchronize", &driver.synchronize},
    {"cuMemAlloc_v2", &driver.allocate},
    {"cuMemFree_v2", &driver.release},
    {"cuMemcpyHtoD_v2", &driver.write},
    {"cuMemcpyDtoH_v2", &driver.read},
    {"cuMemsetD8_v2", &driver.set},
};

static char text[160];

static const char *load(void)
{
    static char why[120];
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (NULL == library) {
        return "there is no CUDA driver here (libcuda.so.1)";
    }
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); ++i) {
        void *found = dlsym(library, wanted[i].symbol);
        if (NULL == found) {
            snprintf(why, sizeof(why), "the CUDA driver has no %s", wanted[i].symbol);
            return why;
        }
        *(void **) wanted[i].place = found; /* as POSIX has it */
    }
    return NULL;
}

/* ---- which device ---- */

/* Is one of this process's processors in a list such as "0-15,32"? */
static bool are_ours(const char *list)
{
    cpu_set_t ours;
    if (0 != sched_getaffinity(0, sizeof(ours), &ours)) {
        return true;
    }
    while (isdigit((unsigned char) *list)) {
        char *end;
        const long first = strtol(list, &end, 10);
        const long last = '-' == *end ? strtol(end + 1, &end, 10) : first;
        for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET((size_t) cpu, &ours)) {
                return true;
            }
        }
        list = ',' == *end ? end + 1 : end;
    }
    return false;
}

/* True also where the system does not say. */
static bool is_near(device_t device)
{
    char id[32], path[100], list[400];
    bool near = true;
    if (0 != driver.bus(id, sizeof(id), device)) {
        return true;
    }
    for (char *c = id; '\0' != *c; ++c) {
        *c = (char) tolower((unsigned char) *c);
    }
    snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/local_cpulist", id);
    FILE *file = fopen(path, "r");
    if (NULL == file) {
        return true;
    }
    if (NULL != fgets(list, sizeof(list), file) && isdigit((unsigned char) list[0])) {
        near = are_ours(list);
    }
    fclose(file);
    return near;
}

/* Near ones first; returns how many are, or all if none is. */
static int candidates(device_t *list, int count)
{
    int near = 0;
    for (int i = 0; i < count; ++i) {
        device_t device;
        if (0 == driver.get(&device, i) && is_near(device)) {
            list[near++] = device;
        }
    }
    if (0 < near) {
        return near;
    }
    for (int i = 0; i < count; ++i) {
        (void) driver.get(&list[i], i);
    }
    return count;
}

const char *cuda_open(int turn)
{
    device_t list[MOST_DEVICES], device;
    char name[80] = "", id[32] = "";
    void *context;
    int count = 0;
    const char *why = load();
    if (NULL != why) {
        return why;
    }
    if (0 != driver.init(0) || 0 != driver.count(&count) || count < 1) {
        return "the CUDA driver has no device";
    }
    count = candidates(list, count < MOST_DEVICES ? count : MOST_DEVICES);
    device = list[turn % count];
    if (0 != driver.retain(&context, device) || 0 != driver.use(context)) {
        return "the CUDA device cannot be used";
    }
    (void) driver.name(name, sizeof(name), device);
    (void) driver.bus(id, sizeof(id), device);
    snprintf(text, sizeof(text), "memory of CUDA device %d (%s, %s)", device, name, id);
    return NULL;
}

const char *cuda_text(void)
{
    return text;
}

/* ---- memory ---- */

static void must(const char *what, result_t result)
{
    if (0 != result) {
        fprintf(stderr, "CUDA: %s: error %d\n", what, result);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static address_t address_of(const char *buffer)
{
    return (address_t) (uintptr_t) buffer;
}

char *cuda_allocate(size_t bytes)
{
    address_t address;
    must("memory", driver.allocate(&address, 0 < bytes ? bytes : 1));
    return (char *) (uintptr_t) address;
}

void cuda_free(char *buffer)
{
    if (NULL != buffer) {
        must("release of memory", driver.release(address_of(buffer)));
    }
}

void cuda_write(char *buffer, const void *from, size_t bytes)
{
    if (0 < bytes) {
        must("copy to the device", driver.write(address_of(buffer), from, bytes));
        must("end of a copy", driver.synchronize()); /* small ones may still be under way */
    }
}

void cuda_read(void *to, const char *buffer, size_t bytes)
{
    if (0 < bytes) {
        must("copy from the device", driver.read(to, address_of(buffer), bytes));
    }
}

void cuda_set(char *buffer, unsigned char value, size_t bytes)
{
    if (0 < bytes) {
        must("setting memory", driver.set(address_of(buffer), value, bytes));
        must("end of setting memory", driver.synchronize());
    }
}
