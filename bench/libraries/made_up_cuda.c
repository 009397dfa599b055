/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands in for CUDA's driver in the tests: two devices whose memory is the host's. It says at the
 * end what was done with it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int used = -1;
static long allocated, released, writes, reads;

int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int length, int device);
int cuDeviceGetPCIBusId(char *id, int length, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuMemAlloc_v2(unsigned long long *address, size_t bytes);
int cuMemFree_v2(unsigned long long address);
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes);
int cuMemsetD8_v2(unsigned long long to, unsigned char value, size_t bytes);

static void *memory(unsigned long long address)
{
    return (void *) (size_t) address;
}

static void report(void)
{
    if (0 <= used) {
        printf("made-up device %d: %ld allocated, %ld released, %s\n", used, allocated, released,
               0 < writes && 0 < reads ? "written and read" : "not used");
    }
}

int cuInit(unsigned flags)
{
    return 0 != flags || 0 != atexit(report);
}

int cuDeviceGetCount(int *count)
{
    *count = NULL != getenv("MADE_UP_NONE") ? 0 : 2;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int length, int device)
{
    snprintf(name, (size_t) length, "made-up %d", device);
    return 0;
}

int cuDeviceGetPCIBusId(char *id, int length, int device)
{
    snprintf(id, (size_t) length, "FFFF:%02X:00.0", device);
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    static int contexts[2] = {0, 1};
    *context = &contexts[device];
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    used = *(int *) context;
    return 0;
}

int cuCtxSynchronize(void)
{
    return 0;
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes)
{
    void *made = malloc(bytes);
    ++allocated;
    *address = (unsigned long long) (size_t) made;
    return NULL == made;
}

int cuMemFree_v2(unsigned long long address)
{
    ++released;
    free(memory(address));
    return 0;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes)
{
    ++writes;
    memcpy(memory(to), from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes)
{
    ++reads;
    memcpy(to, memory(from), bytes);
    return 0;
}

int cuMemsetD8_v2(unsigned long long to, unsigned char value, size_t bytes)
{
    memset(memory(to), value, bytes);
    return 0;
}
