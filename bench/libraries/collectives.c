/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective trials; the root is rank 0.
 */
#include "trial.h"

#if TRIAL_HAVE_MPIX
#    include <mpix_partitioned.h>
#endif

#define WORLD MPI_COMM_WORLD

static int bytes_of(const trial_t *t)
{
    return (int) t->bytes;
}

static int floats_of(const trial_t *t)
{
    return (int) (t->bytes / sizeof(float));
}

static int barrier(trial_t *t)
{
    (void) t;
    return MPI_Barrier(WORLD);
}

static int bcast(trial_t *t)
{
    return MPI_Bcast(t->in, bytes_of(t), MPI_BYTE, 0, WORLD);
}

static int gather(trial_t *t)
{
    return MPI_Gather(t->out, bytes_of(t), MPI_BYTE, t->in, bytes_of(t), MPI_BYTE, 0, WORLD);
}

static int scatter(trial_t *t)
{
    return MPI_Scatter(t->out, bytes_of(t), MPI_BYTE, t->in, bytes_of(t), MPI_BYTE, 0, WORLD);
}

static int allgather(trial_t *t)
{
    return MPI_Allgather(t->out, bytes_of(t), MPI_BYTE, t->in, bytes_of(t), MPI_BYTE, WORLD);
}

static int alltoall(trial_t *t)
{
    return MPI_Alltoall(t->out, bytes_of(t), MPI_BYTE, t->in, bytes_of(t), MPI_BYTE, WORLD);
}

static int allreduce(trial_t *t)
{
    return MPI_Allreduce(t->out, t->in, floats_of(t), MPI_FLOAT, MPI_SUM, WORLD);
}

static int reduce_scatter(trial_t *t)
{
    return MPI_Reduce_scatter_block(t->out, t->in, floats_of(t), MPI_FLOAT, MPI_SUM, WORLD);
}

#if TRIAL_HAVE_MPI4
static int barrier_persistent(trial_t *t)
{
    return MPI_Barrier_init(WORLD, MPI_INFO_NULL, &t->request[t->requests++]);
}

static int bcast_persistent(trial_t *t)
{
    return MPI_Bcast_init(t->in, bytes_of(t), MPI_BYTE, 0, WORLD, MPI_INFO_NULL,
                          &t->request[t->requests++]);
}

static int gather_persistent(trial_t *t)
{
    return MPI_Gather_init(t->out, bytes_of(t), MPI_BYTE, t->in, bytes_of(t), MPI_BYTE, 0, WORLD,
                           MPI_INFO_NULL, &t->request[t->requests++]);
}

static int scatter_persistent(trial_t *t)
{
    return MPI_Scatter_init(t->out, bytes_of(t), MPI_BYTE, t->in, bytes_of(t), MPI_BYTE, 0, WORLD,
                            MPI_INFO_NULL, &t->request[t->requests++]);
}

static int allgather_persistent(trial_t *t)
{
    return MPI_Allgather_init(t->out, bytes_of(t), MPI_BYTE, t->in, bytes_of(t), MPI_BYTE, WORLD,
                              MPI_INFO_NULL, &t->request[t->requests++]);
}

static int alltoall_persistent(trial_t *t)
{
    return MPI_Alltoall_init(t->out, bytes_of(t), MPI_BYTE, t->in, bytes_of(t), MPI_BYTE, WORLD,
                             MPI_INFO_NULL, &t->request[t->requests++]);
}

static int allreduce_persistent(trial_t *t)
{
    return MPI_Allreduce_init(t->out, t->in, floats_of(t), MPI_FLOAT, MPI_SUM, WORLD,
                              MPI_INFO_NULL, &t->request[t->requests++]);
}

static int reduce_scatter_persistent(trial_t *t)
{
    return MPI_Reduce_scatter_block_init(t->out, t->in, floats_of(t), MPI_FLOAT, MPI_SUM, WORLD,
                                         MPI_INFO_NULL, &t->request[t->requests++]);
}
#    define PERSISTENT(name) name##_persistent
#else
#    define PERSISTENT(name) NULL
#endif

#if TRIAL_HAVE_MPIX
/* Elements of a partition. */
static MPI_Count part(const trial_t *t, size_t element)
{
    return (MPI_Count) (t->bytes / element / (size_t) t->partitions);
}

static int bcast_partitioned(trial_t *t)
{
    return MPIX_Pbcast_init(t->in, t->partitions, part(t, 1), MPI_BYTE, 0, WORLD, MPI_INFO_NULL,
                            &t->request[t->requests++]);
}

static int gather_partitioned(trial_t *t)
{
    return MPIX_Pgather_init(t->out, t->partitions, part(t, 1), MPI_BYTE, t->in, t->partitions,
                             part(t, 1), MPI_BYTE, 0, WORLD, MPI_INFO_NULL,
                             &t->request[t->requests++]);
}

static int scatter_partitioned(trial_t *t)
{
    return MPIX_Pscatter_init(t->out, t->partitions, part(t, 1), MPI_BYTE, t->in, t->partitions,
                              part(t, 1), MPI_BYTE, 0, WORLD, MPI_INFO_NULL,
                              &t->request[t->requests++]);
}

static int allgather_partitioned(trial_t *t)
{
    return MPIX_Pallgather_init(t->out, t->partitions, part(t, 1), MPI_BYTE, t->in, t->partitions,
                                part(t, 1), MPI_BYTE, WORLD, MPI_INFO_NULL,
                                &t->request[t->requests++]);
}

static int alltoall_partitioned(trial_t *t)
{
    return MPIX_Palltoall_init(t->out, t->partitions, part(t, 1), MPI_BYTE, t->in, t->partitions,
                               part(t, 1), MPI_BYTE, WORLD, MPI_INFO_NULL,
                               &t->request[t->requests++]);
}

static int allreduce_partitioned(trial_t *t)
{
    return MPIX_Pallreduce_init(t->out, t->in, t->partitions, part(t, sizeof(float)), MPI_FLOAT,
                                MPI_SUM, WORLD, MPI_INFO_NULL, &t->request[t->requests++]);
}

static int reduce_scatter_partitioned(trial_t *t)
{
    return MPIX_Preduce_scatter_block_init(t->out, t->in, t->partitions, part(t, sizeof(float)),
                                           MPI_FLOAT, MPI_SUM, WORLD, MPI_INFO_NULL,
                                           &t->request[t->requests++]);
}
#    define PARTITIONED(name) name##_partitioned
#else
#    define PARTITIONED(name) NULL
#endif

#define CALLS(name) \
    .blocking = name, .persistent = PERSISTENT(name), .partitioned = PARTITIONED(name), \
    .both_ways = 1
#define DATA(out, out_count, in, in_count, from) \
    .sized = true, .unit = 1, .out_where = (out), .out_blocks = (out_count), .in_where = (in), \
    .in_blocks = (in_count), .source = (from)
#define SUMS(out_count, from) \
    .sized = true, .unit = sizeof(float), .out_where = TRIAL_AT_ALL, .out_blocks = (out_count), \
    .in_where = TRIAL_AT_ALL, .in_blocks = TRIAL_ONE, .source = (from)

const trial_operation_t trial_collectives[] = {
    {.name = "scatter",
     CALLS(scatter),
     DATA(TRIAL_AT_ROOT, TRIAL_PER_RANK, TRIAL_AT_ALL, TRIAL_ONE, TRIAL_ROOT_SHARE)},
    {.name = "gather",
     CALLS(gather),
     DATA(TRIAL_AT_ALL, TRIAL_ONE, TRIAL_AT_ROOT, TRIAL_PER_RANK, TRIAL_FROM_EACH)},
    {.name = "bcast",
     CALLS(bcast),
     DATA(TRIAL_AT_ROOT, TRIAL_ONE, TRIAL_AT_ALL, TRIAL_ONE, TRIAL_FROM_ROOT)},
    {.name = "allgather",
     CALLS(allgather),
     DATA(TRIAL_AT_ALL, TRIAL_ONE, TRIAL_AT_ALL, TRIAL_PER_RANK, TRIAL_FROM_EACH)},
    {.name = "alltoall",
     CALLS(alltoall),
     DATA(TRIAL_AT_ALL, TRIAL_PER_RANK, TRIAL_AT_ALL, TRIAL_PER_RANK, TRIAL_EACH_SHARE)},
    {.name = "allreduce", CALLS(allreduce), SUMS(TRIAL_ONE, TRIAL_SUM)},
    {.name = "reduce_scatter", CALLS(reduce_scatter), SUMS(TRIAL_PER_RANK, TRIAL_SHARE_OF_SUM)},
    {.name = "barrier",
     .blocking = barrier,
     .persistent = PERSISTENT(barrier),
     .both_ways = 1,
     .unit = 1,
     .source = TRIAL_NOTHING},
    {.name = NULL}};
