/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * To be preloaded into a job: PMIx has no answer to the first questions about who serves persistent
 * collectives, as where its daemon is busy.
 */
#include <dlfcn.h>
#include <pmix.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { UNANSWERED = 3 };

typedef pmix_status_t get_t(const pmix_proc_t *proc, const char *key, const pmix_info_t *info,
                            size_t infos, pmix_value_cbfunc_t answer, void *context);

__attribute__((visibility("default"))) pmix_status_t
PMIx_Get_nb(const pmix_proc_t *proc, const char key[], const pmix_info_t info[], size_t infos,
            pmix_value_cbfunc_t answer, void *context)
{
    static atomic_int asked;
    get_t *get = (get_t *) dlsym(RTLD_NEXT, "PMIx_Get_nb");

    if (NULL != key && 0 == strcmp(key, "mpix.coll.pschedule")
        && atomic_fetch_add(&asked, 1) < UNANSWERED) {
        (void) printf("PMIx does not answer\n");
        (void) fflush(stdout);
        return PMIX_ERR_TIMEOUT;
    }
    return get(proc, key, info, infos, answer, context);
}
