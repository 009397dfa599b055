/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators that stay until MPI ends (see part_ucx_kept_comms.h).
 */
#include "mpi/part_ucx_kept_comms.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct kept_t {
    struct kept_t *next;
    ompi_communicator_t *comm; /* a reference */
} kept_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static kept_t *kept; /* each once */

static bool is_kept(const ompi_communicator_t *comm)
{
    const kept_t *entry = kept;

    while (NULL != entry && comm != entry->comm) {
        entry = entry->next;
    }
    return NULL != entry;
}

void mca_part_ucx_kept_comms_add(ompi_communicator_t *comm)
{
    kept_t *entry;

    pthread_mutex_lock(&lock);
    if (!is_kept(comm)) {
        OBJ_RETAIN(comm); /* without memory for the entry it stays even longer */
        entry = malloc(sizeof(*entry));
        if (NULL != entry) {
            *entry = (kept_t) {.next = kept, .comm = comm};
            kept = entry;
        }
    }
    pthread_mutex_unlock(&lock);
}

void mca_part_ucx_kept_comms_release(void)
{
    kept_t *entry;

    pthread_mutex_lock(&lock);
    entry = kept;
    kept = NULL;
    pthread_mutex_unlock(&lock);
    while (NULL != entry) {
        kept_t *next = entry->next;

        OBJ_RELEASE(entry->comm);
        free(entry);
        entry = next;
    }
}
