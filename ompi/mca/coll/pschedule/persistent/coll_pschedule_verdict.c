/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is served in mode auto (see coll_pschedule_verdict.h).
 */
#include "persistent/coll_pschedule_verdict.h"

#include "persistent/coll_pschedule_persistent_params.h"
#include "plan/coll_pschedule_mix.h"

#include <stddef.h>

#define KIB UINT64_C(1024)

/* From so many bytes to so many a collective is served: of the largest contribution, of the whole
 * for reductions. */
typedef struct range_t {
    uint64_t least; /* 0: never */
    uint64_t most;  /* 0: without limit */
} range_t;

typedef struct ranges_t {
    range_t one_host; /* all ranks are on one */
    range_t crowded;  /* and outnumber the processors that they may run on; nothing: as one_host */
    range_t flat;     /* several hosts with one rank each, and several paths between them */
    range_t nested;   /* several hosts, with several ranks on one of them; several paths */
    unsigned together; /* with so many ranks or more, flat also serves what goes on together */
} ranges_t;

/* On a ring, a torus of two dimensions and among all. */
#define NEIGHBORHOOD {.flat = {4 * KIB, 16 * KIB}, .nested = {8 * KIB, 32 * KIB}}

/* What goes into the boxes of one host (docs/protocol.md, section 5.5). */
#define BOXED {512, 4 * KIB}

/* Where each run was at least as fast (docs/persistent.md, which says of one host why it is served
 * although more ranks than two had not a processor each). What nobody has measured is not served;
 * but more hosts are than there were (8). */
static const ranges_t ranges[COLL_PSCHEDULE_COLLECTIVES] = {
    [COLL_PSCHEDULE_BCAST] = {.one_host = BOXED, .flat = {1, 0}, .nested = {1, 0}},
    [COLL_PSCHEDULE_GATHER] = {.one_host = BOXED,
                               .flat = {1 * KIB, 128 * KIB},
                               .nested = {256, 128 * KIB}},
    [COLL_PSCHEDULE_GATHERV] = {.one_host = BOXED, .nested = {1 * KIB, 128 * KIB}},
    [COLL_PSCHEDULE_SCATTER] = {.one_host = BOXED,
                                .flat = {1 * KIB, 128 * KIB},
                                .nested = {1, 128 * KIB}},
    [COLL_PSCHEDULE_SCATTERV] = {.one_host = BOXED,
                                 .flat = {1 * KIB, 128 * KIB},
                                 .nested = {1 * KIB, 128 * KIB}},
    [COLL_PSCHEDULE_ALLGATHER] = {.one_host = BOXED,
                                  .flat = {1 * KIB, 0},
                                  .nested = {1, 0},
                                  .together = 6},
    [COLL_PSCHEDULE_ALLGATHERV] = {.one_host = {512, 8 * KIB},
                                   .flat = {16 * KIB, 0},
                                   .nested = {1 * KIB, 0},
                                   .together = 6},
    [COLL_PSCHEDULE_ALLTOALL] = {.one_host = {1 * KIB, 4 * KIB},
                                 .flat = {16 * KIB, 4096 * KIB},
                                 .nested = {1, 512 * KIB},
                                 .together = 6},
    [COLL_PSCHEDULE_ALLTOALLV] = {.one_host = {1 * KIB, 4 * KIB},
                                  .flat = {16 * KIB, 512 * KIB},
                                  .nested = {1 * KIB, 256 * KIB}},
    [COLL_PSCHEDULE_ALLTOALLW] = {.one_host = {1 * KIB, 4 * KIB},
                                  .flat = {16 * KIB, 512 * KIB},
                                  .nested = {1 * KIB, 128 * KIB}},
    [COLL_PSCHEDULE_REDUCE] = {.one_host = BOXED,
                               .crowded = {1, 0},
                               .flat = {1, 0},
                               .nested = {1, 0}},
    [COLL_PSCHEDULE_ALLREDUCE] = {.one_host = {512, 0}, .flat = {4 * KIB, 0}, .nested = {1, 0}},
    [COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK] = {.one_host = {4 * KIB, 0},
                                             .flat = {2 * KIB, 0},
                                             .nested = {16 * KIB, 0}},
    [COLL_PSCHEDULE_REDUCE_SCATTER] = {.one_host = {2 * KIB, 0},
                                       .flat = {2 * KIB, 0},
                                       .nested = {16 * KIB, 0}},
    [COLL_PSCHEDULE_SCAN] = {.one_host = BOXED},
    [COLL_PSCHEDULE_EXSCAN] = {.one_host = BOXED},
    [COLL_PSCHEDULE_NEIGHBOR_ALLGATHER] = NEIGHBORHOOD,
    [COLL_PSCHEDULE_NEIGHBOR_ALLGATHERV] = NEIGHBORHOOD,
    [COLL_PSCHEDULE_NEIGHBOR_ALLTOALL] = NEIGHBORHOOD,
    [COLL_PSCHEDULE_NEIGHBOR_ALLTOALLV] = NEIGHBORHOOD,
    [COLL_PSCHEDULE_NEIGHBOR_ALLTOALLW] = NEIGHBORHOOD,
};

static bool is_in(const range_t *range, uint64_t bytes)
{
    return 0 != range->least && bytes >= range->least
           && (0 == range->most || bytes <= range->most);
}

static bool may_be_in(const range_t *range, uint64_t bytes)
{
    return UINT64_MAX == bytes ? 0 != range->least : is_in(range, bytes);
}

/* Few bytes of many ranks, each on a host of its own. */
static bool goes_together(const ranges_t *row, const mca_coll_pschedule_problem_t *problem)
{
    return 0 != row->together && (unsigned) problem->size >= row->together
           && problem->common_bytes > 0 && mca_coll_pschedule_goes_together(problem);
}

static bool may_go_together(const ranges_t *row, uint64_t bytes)
{
    return 0 != row->together && bytes <= COLL_PSCHEDULE_TOGETHER / row->together;
}

static uint32_t mix_range(uint32_t mixed, range_t range)
{
    return mca_coll_pschedule_mix(mca_coll_pschedule_mix(mixed, range.least), range.most);
}

uint32_t mca_coll_pschedule_verdict_number(void)
{
    uint32_t mixed = 0;

    for (size_t i = 0; i < COLL_PSCHEDULE_COLLECTIVES; ++i) {
        const ranges_t *row = &ranges[i];

        mixed = mix_range(mix_range(mixed, row->one_host), row->crowded);
        mixed = mix_range(mix_range(mixed, row->flat), row->nested);
        mixed = mca_coll_pschedule_mix(mixed, row->together);
    }
    return mixed;
}

/* One node may still be several hosts, to processes that see neither memory nor network of each
 * other; nobody gains there. */
bool mca_coll_pschedule_verdict_early(mca_coll_pschedule_collective_t collective, uint64_t bytes,
                                      mca_coll_pschedule_where_t place)
{
    const ranges_t *row = &ranges[collective];

    if (mca_coll_pschedule_tuning_may_serve(mca_coll_pschedule_persistent_params.tuning, collective,
                                            bytes)) {
        return true;
    }
    switch (place) {
    case COLL_PSCHEDULE_ONE_NODE:
        return may_be_in(&row->one_host, bytes) || may_be_in(&row->crowded, bytes);
    case COLL_PSCHEDULE_NODES:
        return may_be_in(&row->flat, bytes) || may_be_in(&row->nested, bytes)
               || may_go_together(row, bytes);
    default:
        return false;
    }
}

static const range_t *range_of(const ranges_t *row, const mca_coll_pschedule_problem_t *problem)
{
    if (problem->one_host) {
        return 0 != row->crowded.least && mca_coll_pschedule_hosts_are_crowded(problem->hosts)
                   ? &row->crowded
                   : &row->one_host;
    }
    return mca_coll_pschedule_hosts_nested(problem->hosts) ? &row->nested : &row->flat;
}

/* Where nobody has measured on this machine. */
static bool is_known_to_gain(const mca_coll_pschedule_problem_t *problem)
{
    const ranges_t *row = &ranges[problem->collective];
    const range_t *range;

    if (problem->lone_path && !problem->one_host) {
        return false;
    }
    range = range_of(row, problem);
    return is_in(range, problem->common_bytes)
           || (range == &row->flat && goes_together(row, problem));
}

bool mca_coll_pschedule_verdict(const mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_tuning_t *tuning = mca_coll_pschedule_persistent_params.tuning;
    mca_coll_pschedule_tuned_t tuned = mca_coll_pschedule_tuning_persistent(tuning, problem);

    if (NULL == problem->hosts) {
        return false;
    }
    return COLL_PSCHEDULE_TUNED_NOT == tuned ? is_known_to_gain(problem)
                                             : COLL_PSCHEDULE_TUNED_SERVED == tuned;
}
