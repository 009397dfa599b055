/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicator, datatypes, operator and info may be freed after initialisation: the request keeps
 * what it needs.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#include <string.h>

#define CUT   3
#define COUNT 50

static void larger(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *left = in;
    int *right = inout;

    (void) type;
    for (int i = 0; i < 2 * *count; i++) {
        right[i] = left[i] > right[i] ? left[i] : right[i];
    }
}

static MPI_Datatype two_ints(int gap)
{
    MPI_Datatype inner;
    MPI_Datatype type;

    MPI_Type_contiguous(2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, (2 + gap) * (MPI_Aint) sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&inner);
    return type;
}

static void use(MPI_Request *request, int *from, const int *to, int stride, int mine, int expected)
{
    int elements = CUT * COUNT;

    for (int iteration = 0; iteration < 3; iteration++) {
        mt_success(MPI_Start(request), "MPI_Start");
        for (int i = 0; i < elements; i++) {
            from[stride * i] = mine + iteration + i;
            from[stride * i + 1] = mine + iteration;
        }
        mt_success(MPI_Pready_range(0, CUT - 1, *request), "MPI_Pready_range");
        mt_finish(request, MPI_STATUS_IGNORE);
        for (int i = 0; i < elements; i++) {
            mt_check(to[stride * i] == expected + iteration + i
                         && to[stride * i + 1] == expected + iteration,
                     "iteration %d: element %d is wrong", iteration, i);
        }
    }
    mt_free(request);
}

static void reduction(void)
{
    int from[2 * CUT * COUNT];
    int to[2 * CUT * COUNT];
    MPI_Comm comm;
    MPI_Op op;
    MPI_Info info;
    MPI_Datatype type = two_ints(0);
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Op_create(larger, 1, &op);
    MPI_Info_create(&info);
    MPI_Info_set(info, "some_key", "that nobody knows");
    mt_success(MPIX_Pallreduce_init(from, to, CUT, COUNT, type, op, comm, info, &request),
               "MPIX_Pallreduce_init");
    MPI_Comm_free(&comm);
    MPI_Op_free(&op);
    MPI_Info_free(&info);
    MPI_Type_free(&type);
    use(&request, from, to, 2, 1000 * mt_rank(), 1000 * (mt_size() - 1));
}

/* Each rank gives to the next; what comes is the one's before. */
static void movement(void)
{
    static int from[64][3 * CUT * COUNT];
    static int to[64][3 * CUT * COUNT];
    int size = mt_size();
    int rank = mt_rank();
    MPI_Comm comm;
    MPI_Datatype type = two_ints(1);
    MPI_Request request;

    if (size > 64) {
        return;
    }
    memset(to, 0, sizeof(to));
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    mt_success(MPIX_Pallgather_init(from[0], CUT, COUNT, type, to, CUT, COUNT, type, comm,
                                    MPI_INFO_NULL, &request),
               "MPIX_Pallgather_init");
    MPI_Comm_free(&comm);
    MPI_Type_free(&type);
    /* Blocks of ranks lie one after another. */
    use(&request, from[0], &to[0][0] + (rank + 1) % size * 3 * CUT * COUNT, 3, 100 * rank,
        100 * ((rank + 1) % size));
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    reduction();
    mt_result("an allreduce keeps communicator, datatype and operator");
    movement();
    mt_result("an allgather keeps communicator and datatypes");
    return mt_end();
}
