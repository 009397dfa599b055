/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measuring the constants (see tune_constants.h).
 */
#include "tune_constants.h"

#include <stdlib.h>

/* A ring is a chain of as many rounds as there are others: seconds of one of them. On all ranks the
 * time of the slowest communicator; those that take no part wait. */
static double time_of_ring(const tune_t *tune, MPI_Comm comm, bool takes_part, size_t bytes)
{
    int size;
    double seconds = 0, most;

    MPI_Comm_size(comm, &size);
    if (takes_part && size > 1) {
        seconds = tune_time(tune_collective("allgather"), comm, bytes, 1, &tune->patience)
                  / (size - 1);
    }
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int microseconds(double seconds)
{
    return seconds > 1e-6 ? (int) (seconds * 1e6 + 0.5) : seconds > 0 ? 1 : 0;
}

static int megabytes(double bytes, double seconds)
{
    double rate = seconds > 0 ? bytes / seconds * 1e-6 : 0;

    return rate > 2e9 ? 2000000000 : rate > 1 ? (int) (rate + 0.5) : seconds > 0 ? 1 : 0;
}

/* All ranks at the same time, because they will be busy at the same time. */
static double time_of_reducing(size_t bytes)
{
    int *a = tune_memory(bytes, 1), *b = tune_memory(bytes, 1);
    double seconds, most;
    enum { TIMES = 20 };

    MPI_Reduce_local(a, b, (int) (bytes / sizeof(*a)), MPI_INT, MPI_SUM);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime();
    for (int i = 0; i < TIMES; ++i) {
        MPI_Reduce_local(a, b, (int) (bytes / sizeof(*a)), MPI_INT, MPI_SUM);
    }
    seconds = (MPI_Wtime() - seconds) / TIMES;
    free(a);
    free(b);
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

void tune_constants_measure(tune_t *tune)
{
    const tune_hosts_t *hosts = &tune->hosts;
    tune_constants_t *constants = &tune->findings.constants;
    const size_t large = tune->quick ? 256 << 10 : 1 << 20;
    const size_t reduced = 4 << 20; /* not what a small cache holds */

    tune_force("allgather", "ring");
    constants->latency = microseconds(time_of_ring(tune, hosts->lane, hosts->leads, 8));
    constants->local_latency = microseconds(time_of_ring(tune, hosts->local, true, 8));
    tune_say(tune, "a round takes %d us between hosts, %d us within one", constants->latency,
             constants->local_latency);
    constants->bandwidth
        = megabytes((double) large, time_of_ring(tune, hosts->lane, hosts->leads, large));
    if (1 == hosts->hosts) { /* the model takes the same constants for all rounds and bytes there */
        constants->latency = constants->local_latency;
        constants->bandwidth
            = megabytes((double) large, time_of_ring(tune, hosts->local, true, large));
    } else {
        constants->host_bandwidth
            = megabytes((double) large * hosts->fewest,
                        time_of_ring(tune, hosts->lane, hosts->rides, large));
    }
    constants->copy_bandwidth = megabytes((double) reduced, time_of_reducing(reduced));
    tune_say(tune,
             "a process moves %d MB/s, all of a host %d MB/s between hosts; it reduces %d MB/s",
             constants->bandwidth, constants->host_bandwidth, constants->copy_bandwidth);
    tune_force("allgather", "auto");
}

void tune_constants_use(const tune_constants_t *constants)
{
    const struct {
        const char *name;
        int value;
    } all[] = {{"latency", constants->latency},
               {"local_latency", constants->local_latency},
               {"bandwidth", constants->bandwidth},
               {"host_bandwidth", constants->host_bandwidth},
               {"copy_bandwidth", constants->copy_bandwidth}};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        if (all[i].value > 0) {
            tune_set(all[i].name, all[i].value);
        }
    }
}
