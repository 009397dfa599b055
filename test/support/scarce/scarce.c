/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who is refused, and when (see scarce.h).
 */
#include "scarce.h"

#include "../mpitest.h"

#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct range_t {
    uintptr_t begin, end;
} range_t;

static range_t components[2];
static atomic_long left;  /* so many requests are granted, then one is not; 0: all are */
static atomic_long asked; /* since mt_scarce */

/* The code of a component, whose file is called so. */
static int find(struct dl_phdr_info *info, size_t size, void *data)
{
    const char *names[] = {"mca_part_ucx.so", "mca_coll_pschedule.so"};

    (void) size, (void) data;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; NULL != strstr(info->dlpi_name, names[i]) && j < info->dlpi_phnum; ++j) {
            if (PT_LOAD == info->dlpi_phdr[j].p_type && 0 != (info->dlpi_phdr[j].p_flags & PF_X)) {
                components[i].begin = info->dlpi_addr + info->dlpi_phdr[j].p_vaddr;
                components[i].end = components[i].begin + info->dlpi_phdr[j].p_memsz;
            }
        }
    }
    return 0;
}

long mt_scarce(long nth)
{
    (void) dl_iterate_phdr(find, NULL);
    if (0 == components[0].begin || 0 == components[1].begin) {
        return -1;
    }
    atomic_store(&left, nth);
    return atomic_exchange(&asked, 0);
}

long mt_scarce_nth;
int mt_scarce_rank;

void mt_scarce_begin(int rank, long nth)
{
    mt_scarce_rank = rank;
    mt_scarce_nth = nth;
    if (mt_rank() == rank) {
        (void) mt_scarce(nth);
    }
}

bool mt_scarce_end(MPI_Comm comm)
{
    long asked = mt_rank() == mt_scarce_rank ? mt_scarce(0) : 0, nth = mt_scarce_nth;

    mt_scarce_nth = 0;
    return !mt_scarce_all(comm, asked < nth);
}

bool mt_scarce_all(MPI_Comm comm, bool good)
{
    int every = good;

    MPI_Allreduce(MPI_IN_PLACE, &every, 1, MPI_INT, MPI_MIN, comm);
    return 0 != every;
}

EARLY bool mt_scarce_refused(void *caller)
{
    uintptr_t at = (uintptr_t) caller;
    void *frames[24];

    for (int i = 0; i < 2; ++i) {
        if (at >= components[i].begin && at < components[i].end) {
            (void) atomic_fetch_add(&asked, 1);
            if (atomic_load(&left) <= 0 || 1 != atomic_fetch_sub(&left, 1)) {
                return false;
            }
            if (NULL != getenv("MPIX_TEST_SCARCE_SHOW")) { /* who gets none */
                backtrace_symbols_fd(frames, backtrace(frames, 24), STDERR_FILENO);
            }
            return true;
        }
    }
    return false;
}
