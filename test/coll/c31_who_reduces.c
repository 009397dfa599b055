/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It makes no difference which thread reduces.
 *
 *   in its mode       a program rounds otherwise from an iteration on, and computes outside MPI, so
 *                     that it is the helper thread that reduces: in the new mode, too
 *   one at a time     operators of the program run in threads that are inside MPI, and never in two
 *                     of them at once
 *
 * Any argument: without the second one, in which a thread that the thread sanitizer does not follow
 * through Open MPI completes requests.
 */

#include "../support/mpitest.h"

#include <fenv.h>
#include <float.h>
#include <pthread.h>
#include <unistd.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <mpix_partitioned.h>

#define OUTSIDE 0.1 /* seconds */
#define PARTS   4

/* Rank 0 adds 1, the others what is less than half of the last bit of that. */
static float small_float(int rank)
{
    return 0 == rank ? 1.0f : FLT_EPSILON / 64;
}

static double small_double(int rank)
{
    return 0 == rank ? 1.0 : DBL_EPSILON / 64;
}

static long double small_long_double(int rank)
{
    return 0 == rank ? 1.0L : LDBL_EPSILON / 64;
}

#define REDUCE_IN(kind, type, mpi_type, value)                                                     \
    static void kind(int count, int mode, bool up)                                                 \
    {                                                                                              \
        type *in = mt_alloc((size_t) count * PARTS * sizeof(type));                                \
        type *out = mt_alloc((size_t) count * PARTS * sizeof(type));                               \
        MPI_Request request;                                                                       \
                                                                                                   \
        for (int i = 0; i < count * PARTS; i++) {                                                  \
            in[i] = value(mt_rank());                                                              \
        }                                                                                          \
        MPIX_Pallreduce_init(in, out, PARTS, count, mpi_type, MPI_SUM, MPI_COMM_WORLD,             \
                             MPI_INFO_NULL, &request);                                             \
        for (int iteration = 0; iteration < 3; iteration++) {                                      \
            int before = fegetround();                                                             \
                                                                                                   \
            mt_sync();                                                                             \
            fesetround(1 == iteration ? mode : before);                                            \
            MPI_Start(&request);                                                                   \
            MPI_Pready_range(0, PARTS - 1, request);                                               \
            mt_sleep(OUTSIDE);                                                                     \
            mt_finish(&request, MPI_STATUS_IGNORE);                                                \
            fesetround(before);                                                                    \
            for (int i = 0; i < count * PARTS; i++) {                                              \
                if (!mt_check((1 == iteration && up) == (out[i] > value(0)),                       \
                              #type ", iteration %d: element %d of %d has the other rounding",     \
                              iteration, i, count * PARTS)) {                                      \
                    break;                                                                         \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        mt_free(&request);                                                                         \
        free(in);                                                                                  \
        free(out);                                                                                 \
    }

REDUCE_IN(reduce_floats, float, MPI_FLOAT, small_float)
REDUCE_IN(reduce_doubles, double, MPI_DOUBLE, small_double)
REDUCE_IN(reduce_long_doubles, long double, MPI_LONG_DOUBLE, small_long_double)

static void in_its_mode(void)
{
    const int counts[] = {4, 40, 20000};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        reduce_floats(counts[i], FE_UPWARD, true);
        reduce_doubles(counts[i], FE_UPWARD, true);
        if (106 != LDBL_MANT_DIG) { /* two doubles, which do not round so */
            reduce_long_doubles(counts[i], FE_UPWARD, true);
        }
        reduce_floats(counts[i], FE_DOWNWARD, false);
        mt_result("%d x %d numbers are added as the program rounds when it starts", PARTS,
                  counts[i]);
    }
}

/* ---- one at a time ---- */

#define INTS       40000
#define ITERATIONS 20

static atomic_int inside, overlaps, calls;
static atomic_bool over;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *from = in;
    int *to = inout;

    (void) type;
    if (0 != atomic_fetch_add(&inside, 1)) {
        atomic_fetch_add(&overlaps, 1);
    }
    atomic_fetch_add(&calls, 1);
    usleep(200); /* time for the other thread */
    for (int i = 0; i < *count; i++) {
        to[i] += from[i];
    }
    atomic_fetch_sub(&inside, 1);
}

/* Inside MPI all the time, for something else. */
static void *probe(void *comm)
{
    int found;

    while (!atomic_load(&over)) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *(MPI_Comm *) comm, &found, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void reduce_beside(void)
{
    int *in = mt_alloc(INTS * sizeof(*in));
    int *out = mt_alloc(INTS * sizeof(*out));
    MPI_Request request;
    MPI_Op op;

    MPI_Op_create(add, 1, &op);
    MPIX_Pallreduce_init(in, out, PARTS, INTS / PARTS, MPI_INT, op, MPI_COMM_WORLD, MPI_INFO_NULL,
                         &request);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        for (int i = 0; i < INTS; i++) {
            in[i] = i + iteration;
        }
        MPI_Start(&request);
        MPI_Pready_range(0, PARTS - 1, request);
        mt_finish(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < INTS; i++) {
            if (!mt_check(out[i] == mt_size() * (i + iteration), "sum %d is %d", i, out[i])) {
                break;
            }
        }
    }
    mt_free(&request);
    MPI_Op_free(&op);
    free(in);
    free(out);
}

static void one_at_a_time(void)
{
    pthread_t thread;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    if (!mt_check(0 == pthread_create(&thread, NULL, probe, &comm), "there is no thread")) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    reduce_beside();
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    MPI_Comm_free(&comm);
    mt_check(0 == atomic_load(&overlaps), "%d of %d calls of the operator met another one",
             atomic_load(&overlaps), atomic_load(&calls));
    mt_result("an operator of the program is called by one thread at a time");
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    in_its_mode();
    if (argc < 2) {
        one_at_a_time();
    }
    return mt_end();
}
