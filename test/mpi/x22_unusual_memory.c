/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that is not of the heap, from which to send is right: a file that may only be read, what
 * lies between pages that must not be touched, and what the processor can load but no other process
 * can read by a system call (as memory of a device is; here the kernel's page with the time).
 */
#include "../support/mpitest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define BYTES  (1 << 18)
#define ROUNDS 3

static char expected[BYTES], received[BYTES];

/* ---- the memory ---- */

static char *file_to_read(size_t bytes)
{
    char name[] = "/tmp/mpix-x22-XXXXXX";
    int file = mkstemp(name);
    char *memory;

    if (-1 == file || (ssize_t) bytes != write(file, expected, bytes)) {
        mt_give_up("no file to map");
    }
    memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    unlink(name);
    close(file);
    return MAP_FAILED == memory ? NULL : memory;
}

/* The bytes end where the second guard begins, and begin where the first ends. */
static char *between_guards(size_t bytes)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    char *all = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (MAP_FAILED == all || 0 != mprotect(all + page, bytes, PROT_READ | PROT_WRITE)) {
        return NULL;
    }
    memcpy(all + page, expected, bytes);
    mprotect(all + page, bytes, PROT_READ);
    return all + page;
}

static bool is_only_loadable(char *memory, size_t bytes)
{
    char *copy = mt_alloc(bytes);
    struct iovec here = {copy, bytes}, there = {memory, bytes};
    bool refused = -1 == process_vm_readv(getpid(), &here, 1, &there, 1, 0) && EFAULT == errno;
    int ends[2];
    bool loads = 0 == pipe(ends) && (ssize_t) bytes == write(ends[1], memory, bytes);

    close(ends[0]);
    close(ends[1]);
    free(copy);
    return refused && loads;
}

/* NULL: this kernel has none. */
static char *only_loadable(size_t bytes)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], *memory = NULL;
    unsigned long begin;

    while (NULL != maps && NULL == memory && NULL != fgets(line, sizeof(line), maps)) {
        if (NULL != strstr(line, "[vvar]") && 1 == sscanf(line, "%lx", &begin)
            && is_only_loadable((char *) begin, bytes)) {
            memory = (char *) begin;
        }
    }
    if (NULL != maps) {
        fclose(maps);
    }
    return memory;
}

/* ---- sending from it ---- */

/* What does not change while it is sent must be right: nearly all does not. */
static int count_wrong(const char *before, const char *after, size_t bytes)
{
    int wrong = 0;

    for (size_t i = 0; i < bytes; i++) {
        wrong += before[i] == after[i] && received[i] != before[i];
    }
    return wrong;
}

static void send_from(char *memory, const char *what, int partitions, int bytes)
{
    char *before = mt_alloc((size_t) bytes), *after = mt_alloc((size_t) bytes);
    MPI_Request request;
    int code = MPI_SUCCESS;

    mt_stage("%s, %d partitions of %d bytes", what, partitions, bytes / partitions);
    if (0 == mt_rank()) {
        MPI_Psend_init(memory, partitions, bytes / partitions, MPI_BYTE, 1, 22, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request);
    } else {
        MPI_Precv_init(received, partitions, bytes / partitions, MPI_BYTE, 0, 22, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request);
    }
    for (int i = 0; i < ROUNDS && MPI_SUCCESS == code; i++) {
        memset(received, i, (size_t) bytes);
        if (0 == mt_rank()) {
            memcpy(before, memory, (size_t) bytes);
        }
        MPI_Start(&request);
        for (int j = 0; 0 == mt_rank() && j < partitions; j++) {
            MPI_Pready(j, request);
        }
        if (!mt_wait(&request, 10.0, MPI_STATUS_IGNORE, &code)) {
            mt_give_up("%s: no end", what);
        }
        mt_success(code, what);
        if (0 == mt_rank()) {
            memcpy(after, memory, (size_t) bytes);
        }
        MPI_Bcast(before, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Bcast(after, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        if (1 == mt_rank()) {
            mt_check(0 == count_wrong(before, after, (size_t) bytes), "%s: wrong bytes", what);
        }
    }
    MPI_Request_free(&request);
    free(before);
    free(after);
}

/* Rank 0 has the memory; all hear whether there is any. */
static void try_it(char *memory, const char *what, int bytes)
{
    int there = NULL != memory;

    MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!there) {
        mt_skip("this kernel has none that can be used", "%s", what);
        return;
    }
    send_from(memory, what, 1, bytes);
    send_from(memory, what, 4, bytes);
    mt_result("%s", what);
}

int main(int argc, char **argv)
{
    int page = (int) sysconf(_SC_PAGESIZE);
    char *memory[3] = {NULL, NULL, NULL};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_errors_watch(MPI_COMM_WORLD);
    mt_fill(expected, sizeof(expected), 22, 0);
    if (0 == mt_rank()) {
        memory[0] = file_to_read(BYTES);
        memory[1] = between_guards(BYTES);
        memory[2] = only_loadable((size_t) page);
    }
    try_it(memory[0], "from a file that may only be read", BYTES);
    try_it(memory[1], "between pages that must not be touched", BYTES);
    try_it(memory[2], "from memory that can only be loaded", page);
    return mt_end();
}
