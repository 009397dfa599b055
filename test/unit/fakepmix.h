/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A PMIx that is asked for what processes publish, and answers when a test says so. For one source
 * file of a program that is linked with --wrap of the functions below.
 */
#ifndef MPIX_TEST_FAKEPMIX_H
#define MPIX_TEST_FAKEPMIX_H

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/proc.h"

/* Where it is to look: in what this host's daemon knows, at the process's daemon if it is not here,
 * or there in any case. */
typedef enum where_t { HERE, ASKED, AFRESH } where_t;

/* What PMIx has been asked and has not answered yet. */
static struct {
    unsigned count;
    char key[64];          /* the last question */
    where_t where;
    pmix_status_t at_once; /* what the question itself returns */
    pmix_value_cbfunc_t answer;
    void *context;
} asked;

pmix_status_t __wrap_PMIx_Get_nb(const pmix_proc_t *proc, const char key[],
                                 const pmix_info_t info[], size_t infos,
                                 pmix_value_cbfunc_t answer, void *context);

pmix_status_t __wrap_PMIx_Get_nb(const pmix_proc_t *proc, const char key[],
                                 const pmix_info_t info[], size_t infos,
                                 pmix_value_cbfunc_t answer, void *context)
{
    (void) proc;
    ++asked.count;
    (void) snprintf(asked.key, sizeof(asked.key), "%s", key);
    asked.where = ASKED;
    for (size_t i = 0; i < infos; ++i) {
        if (0 == strcmp(PMIX_IMMEDIATE, info[i].key)) {
            asked.where = HERE;
        } else if (0 == strcmp(PMIX_GET_REFRESH_CACHE, info[i].key)) {
            asked.where = AFRESH;
        }
    }
    asked.answer = answer;
    asked.context = context;
    return asked.at_once;
}

/* What this process has published, and others have, perhaps. */
char *__wrap_mca_part_ucx_modex_key(unsigned *next);

char *__wrap_mca_part_ucx_modex_key(unsigned *next)
{
    static const char *const keys[] = {"ours.alone", "address"};

    return *next < sizeof(keys) / sizeof(keys[0]) ? strdup(keys[(*next)++]) : NULL;
}

int __wrap_opal_pmix_convert_jobid(pmix_nspace_t nspace, opal_jobid_t jobid);

int __wrap_opal_pmix_convert_jobid(pmix_nspace_t nspace, opal_jobid_t jobid)
{
    (void) nspace, (void) jobid;
    return 0;
}

static void answer(pmix_status_t status, uint64_t version)
{
    pmix_value_t value = {.type = PMIX_UINT64, .data.uint64 = version};

    asked.answer(status, PMIX_SUCCESS == status ? &value : NULL, asked.context);
}

#endif
