/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The line that describes a run of the simulator (see simulator.h).
 */
#include "simulator.h"

#include "plan/coll_pschedule_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sim_collective(mca_coll_pschedule_collective_t collective)
{
    return mca_coll_pschedule_names[collective];
}

bool sim_reduces(mca_coll_pschedule_collective_t collective)
{
    return COLL_PSCHEDULE_REDUCE <= collective && collective <= COLL_PSCHEDULE_EXSCAN;
}

bool sim_in_place(mca_coll_pschedule_collective_t collective)
{
    return COLL_PSCHEDULE_BCAST != collective && collective <= COLL_PSCHEDULE_EXSCAN
           && (collective < COLL_PSCHEDULE_ALLTOALL || sim_reduces(collective));
}

bool sim_mixed(mca_coll_pschedule_collective_t collective)
{
    return COLL_PSCHEDULE_REDUCE_SCATTER == collective || COLL_PSCHEDULE_SCAN == collective
           || COLL_PSCHEDULE_EXSCAN == collective;
}

/* At least one rank of those that choose does. */
bool sim_is_in_place(sim_world_t *world, uint32_t rank)
{
    const sim_params_t *params = &world->params;

    return 0 != params->in_place
           && (0 == params->mixed || rank == params->seed % params->ranks
               || 0 == unit_below(&world->random, 2));
}

bool sim_rooted(mca_coll_pschedule_collective_t collective)
{
    return collective <= COLL_PSCHEDULE_SCATTERV || COLL_PSCHEDULE_REDUCE == collective;
}

/* ---- numbers by name ---- */

typedef struct field_t {
    const char *name;
    size_t offset;
} field_t;

#define FIELD(name) {#name, offsetof(sim_params_t, name)}
static const field_t field[]
    = {FIELD(ranks),   FIELD(partitions), FIELD(count),   FIELD(element),  FIELD(root),
       FIELD(hosts),   FIELD(placement),  FIELD(chunk),   FIELD(epochs),   FIELD(threads),
       FIELD(in_place), FIELD(mixed),     FIELD(ordered), FIELD(exact),    FIELD(uneven),
       FIELD(staging), FIELD(strict),     FIELD(whole)};
#undef FIELD

enum { FIELDS = sizeof(field) / sizeof(field[0]) };

static uint32_t *value_of(sim_params_t *params, int index)
{
    return (uint32_t *) (void *) ((char *) params + field[index].offset);
}

const char *sim_line(const sim_params_t *params)
{
    static char line[SIM_LINE];
    sim_params_t copy = *params;
    size_t length = (size_t) snprintf(line, sizeof(line), "%s/%s",
                                      sim_collective(params->collective), params->row->name);

    for (int i = 0; i < FIELDS; ++i) {
        length += (size_t) snprintf(line + length, sizeof(line) - length, " %s=%u", field[i].name,
                                    *value_of(&copy, i));
    }
    (void) snprintf(line + length, sizeof(line) - length, " seed=%llu",
                    (unsigned long long) params->seed);
    return line;
}

static bool set(sim_params_t *params, const char *word)
{
    for (int i = 0; i < FIELDS; ++i) {
        size_t length = strlen(field[i].name);

        if (0 == strncmp(word, field[i].name, length) && '=' == word[length]) {
            *value_of(params, i) = (uint32_t) strtoul(word + length + 1, NULL, 10);
            return true;
        }
    }
    if (0 == strncmp(word, "seed=", 5)) {
        params->seed = strtoull(word + 5, NULL, 10);
        return true;
    }
    return false;
}

static bool set_row(sim_params_t *params, const char *word)
{
    for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
        for (int k = 0; k < COLL_PSCHEDULE_COLLECTIVES; ++k) {
            char name[100];

            params->row = mca_coll_pschedule_algorithms[i];
            params->collective = (mca_coll_pschedule_collective_t) k;
            (void) snprintf(name, sizeof(name), "%s/%s", mca_coll_pschedule_names[k],
                            params->row->name);
            if (mca_coll_pschedule_serves(params->row, params->collective)
                && 0 == strcmp(name, word)) {
                return true;
            }
        }
    }
    return false;
}

bool sim_parse(const char *line, sim_params_t *params)
{
    char copy[SIM_LINE];
    char *rest = NULL;
    bool good;

    (void) snprintf(copy, sizeof(copy), "%s", line);
    *params = (sim_params_t) {.ranks = 4,
                              .partitions = 2,
                              .count = 5,
                              .element = 8,
                              .chunk = 16,
                              .epochs = 2,
                              .threads = 1};
    good = set_row(params, strtok_r(copy, " ", &rest));
    for (char *word = strtok_r(NULL, " ", &rest); NULL != word && good;
         word = strtok_r(NULL, " ", &rest)) {
        good = set(params, word);
    }
    return good;
}
