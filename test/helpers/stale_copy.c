/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * To be preloaded into a job of two hosts whose ranks lie in turns: makes what this host's daemon
 * has copied of a process older than what the process has published. Odd ranks publish that they
 * have the component three seconds late. Even ranks have fetched by then what the next rank had
 * published before that, as the PML does when it makes a connection while MPI_Init goes on.
 */
#include <dlfcn.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRESENCE_KEY "mpix.part.ucx"

typedef pmix_status_t put_t(pmix_scope_t scope, const char *key, pmix_value_t *value);

/* One that every process of the job has published. */
static char fetched[PMIX_MAX_KEYLEN + 1];

static void fetch(pmix_rank_t rank)
{
    pmix_value_t *value = NULL;
    pmix_proc_t other;

    PMIX_LOAD_PROCID(&other, getenv("PMIX_NAMESPACE"), rank);
    if (PMIX_SUCCESS == PMIx_Get(&other, fetched, NULL, 0, &value)) {
        (void) printf("%s of rank %u is known\n", fetched, (unsigned) rank);
        (void) fflush(stdout);
        PMIX_VALUE_RELEASE(value);
    }
}

__attribute__((visibility("default"))) pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[],
                                                              pmix_value_t *value)
{
    put_t *put = (put_t *) dlsym(RTLD_NEXT, "PMIx_Put");
    pmix_rank_t rank = (pmix_rank_t) atoi(getenv("PMIX_RANK"));

    if (0 == strncmp(key, "btl.tcp", strlen("btl.tcp"))) {
        (void) snprintf(fetched, sizeof(fetched), "%s", key);
    } else if (0 == strcmp(key, PRESENCE_KEY) && 1 == rank % 2) {
        (void) sleep(3);
    } else if (0 == strcmp(key, PRESENCE_KEY)) {
        (void) sleep(1);
        fetch(rank + 1);
    }
    return put(scope, key, value);
}
