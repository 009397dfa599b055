/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls served and handed on (see coll_pschedule_counters.h).
 */
#include "ompi_config.h"

#include "persistent/coll_pschedule_counters.h"

#include "call/coll_pschedule_help.h"

#include <stdatomic.h>

#include "mpi.h"
#include "opal/mca/base/mca_base_pvar.h"

/* Since the process began. */
static atomic_ullong served;
static atomic_ullong handed_on;
static atomic_ullong handed_back;

static const struct {
    const char *name;
    const char *text;
    atomic_ullong *counter;
} counters[] = {
    {"persistent_served",
     "Persistent collectives of MPI (MPI_Allreduce_init, ...) that coll/pschedule has made",
     &served},
    {"persistent_handed_on",
     "Persistent collectives of MPI that coll/pschedule was asked for, and another component has "
     "made",
     &handed_on},
    {"persistent_handed_back",
     "Of the persistent collectives of MPI that coll/pschedule has made, those whose later starts "
     "go to another component, which was faster when both were tried",
     &handed_back},
};

static int get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    (void) object;
    *(unsigned long long *) value = atomic_load((atomic_ullong *) pvar->ctx);
    return OPAL_SUCCESS;
}

void mca_coll_pschedule_counters_register(const mca_base_component_t *component)
{
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); ++i) {
        (void) mca_base_component_pvar_register(component, counters[i].name, counters[i].text,
                                                OPAL_INFO_LVL_4, MPI_T_PVAR_CLASS_COUNTER,
                                                MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
                                                MPI_T_BIND_NO_OBJECT,
                                                MCA_BASE_PVAR_FLAG_READONLY
                                                    | MCA_BASE_PVAR_FLAG_CONTINUOUS,
                                                get_value, NULL, NULL, counters[i].counter);
    }
}

void mca_coll_pschedule_counters_add(bool here)
{
    atomic_fetch_add(here ? &served : &handed_on, 1);
}

void mca_coll_pschedule_counters_hand_back(void)
{
    atomic_fetch_add(&handed_back, 1);
}

void mca_coll_pschedule_counters_summary(void)
{
    if (0 != atomic_load(&served) + atomic_load(&handed_on)) {
        COLL_PSCHEDULE_VERBOSE(
            1, "persistent collectives: %llu served, %llu handed on, %llu handed back",
            atomic_load(&served), atomic_load(&handed_on), atomic_load(&handed_back));
    }
}
