/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Persistent collectives that coll/pschedule does not make: because one rank alone cannot, because
 * of what is asked for, or because the communicator has another kind. All ranks hand them on, and
 * they do what they must. Thousands of those that it makes come and go, and memory stays as it is.
 *
 * Run with coll_pschedule_persistent on.
 */

#include "../support/pcoll.h"
#include "../support/usage.h"

#define COUNT  100
#define CYCLES 10000

static int from[64 * COUNT];
static int to[64 * COUNT];

static void run(MPI_Request *request)
{
    mt_success(MPI_Start(request), "MPI_Start");
    mt_finish(request, MPI_STATUS_IGNORE);
    mt_free(request);
}

/* A rank has absolute addresses, the others have not. */
static void absolute_on(int rank)
{
    long long handed_on = pc_handed_on(), served = pc_served();
    bool absolute = rank == mt_rank();
    MPI_Datatype type;
    MPI_Request request;
    MPI_Aint address;
    int length = COUNT;

    MPI_Get_address(to, &address);
    MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < COUNT; i++) {
        to[i] = 0 == mt_rank() ? i + rank : -1;
    }
    if (absolute) {
        MPI_Bcast_init(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    } else {
        MPI_Bcast_init(to, COUNT, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    }
    run(&request);
    MPI_Type_free(&type); /* not before: Open MPI's own requests do not keep it, as ours do */
    for (int i = 0; i < COUNT; i++) {
        mt_check(i + rank == to[i], "element %d is %d", i, to[i]);
    }
    mt_check(pc_handed_on() == handed_on + 1 && pc_served() == served, "it was served");
}

/* An element has ints one after the other, and what is not one of them. */
static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint begin, bytes, lower, extent;

    MPI_Type_get_true_extent(*type, &begin, &bytes);
    MPI_Type_get_extent(*type, &lower, &extent);
    for (int i = 0; i < *count; i++) {
        for (MPI_Aint at = i * extent + begin; at < i * extent + begin + bytes; at += sizeof(int)) {
            *(int *) ((char *) inout + at) += *(int *) ((char *) in + at);
        }
    }
}

/* Of elements that have `ints` of `room`, from the `first` on. */
static void reduce_elements(int ints, int room, int first)
{
    long long handed_on = pc_handed_on(), served = pc_served();
    MPI_Aint at = first * (MPI_Aint) sizeof(int);
    MPI_Datatype part, type;
    MPI_Request request;
    MPI_Op op;

    MPI_Type_create_hindexed(1, &ints, &at, MPI_INT, &part);
    MPI_Type_create_resized(part, 0, room * (MPI_Aint) sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < room * COUNT; i++) {
        from[i] = i / room;
        to[i] = -1;
    }
    MPI_Allreduce_init(from, to, COUNT, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    run(&request);
    for (int i = 0; i < room * COUNT; i++) {
        bool data = i % room >= first && i % room < first + ints;

        mt_check((data ? mt_size() * (i / room) : -1) == to[i], "int %d is %d", i, to[i]);
    }
    mt_check(pc_handed_on() == handed_on + 1 && pc_served() == served, "it was served");
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Type_free(&part);
}

/* Elements of as many bytes, but not alike on rank 0 and the others. Users' operators are given
 * elements of other ranks. */
static void elements_differ(void)
{
    reduce_elements(2, 3, 0 == mt_rank() ? 0 : 1);
}

/* What would travel is 64 times the data. */
static void mostly_gaps(void)
{
    reduce_elements(1, 64, 5);
}

static void alltoall_in_place(void)
{
    long long handed_on = pc_handed_on();
    MPI_Request request;

    for (int i = 0; i < mt_size() * COUNT; i++) {
        to[i] = 1000 * mt_rank() + i / COUNT;
    }
    MPI_Alltoall_init(MPI_IN_PLACE, 0, MPI_INT, to, COUNT, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &request);
    run(&request);
    for (int i = 0; i < mt_size() * COUNT; i++) {
        mt_check(1000 * (i / COUNT) + mt_rank() == to[i], "element %d is %d", i, to[i]);
    }
    mt_check(pc_handed_on() == handed_on + 1, "it was not handed on");
}

static void intercommunicator(void)
{
    long long handed_on = pc_handed_on(), served = pc_served();
    int half = mt_rank() % 2, other = 0;
    MPI_Request request;
    MPI_Comm local, inter;

    MPI_Comm_split(MPI_COMM_WORLD, half, mt_rank(), &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - half, 25, &inter);
    for (int i = 0; i < COUNT; i++) {
        from[i] = i;
    }
    MPI_Allreduce_init(from, to, COUNT, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL, &request);
    run(&request);
    MPI_Comm_remote_size(inter, &other);
    for (int i = 0; i < COUNT; i++) {
        mt_check(other * i == to[i], "element %d is %d", i, to[i]);
    }
    mt_check(pc_handed_on() == handed_on && pc_served() == served, "we were asked");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

/* Links cannot be set up there: nobody may receive from anybody. */
static void no_any_source(void)
{
    long long handed_on = pc_handed_on(), served = pc_served();
    MPI_Request request;
    MPI_Comm comm = mt_dup_with(MPI_COMM_WORLD, "mpi_assert_no_any_source", "true");

    for (int i = 0; i < COUNT; i++) {
        from[i] = i;
    }
    MPI_Allreduce_init(from, to, COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    run(&request);
    for (int i = 0; i < COUNT; i++) {
        mt_check(mt_size() * i == to[i], "element %d is %d", i, to[i]);
    }
    mt_check(pc_handed_on() == handed_on + 1 && pc_served() == served, "it was served");
    MPI_Comm_free(&comm);
}

static void one_process(void)
{
    long long handed_on = pc_handed_on(), served = pc_served();
    MPI_Request request;

    from[0] = 25;
    to[0] = -1;
    MPI_Allreduce_init(from, to, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL, &request);
    run(&request);
    mt_check(25 == to[0], "the sum is %d", to[0]);
    mt_check(pc_handed_on() == handed_on && pc_served() == served, "we were asked");
}

static void many_cycles(void)
{
    mt_watch_t watch = {.look = {{0}}};
    int cycles = mt_slow() ? CYCLES / 50 : CYCLES;
    long long served = pc_served();

    for (int i = 0; i < cycles; i++) {
        MPI_Request request;

        mt_look(&watch, i, cycles);
        from[0] = i;
        MPI_Allreduce_init(from, to, 1 + i % COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                           MPI_INFO_NULL, &request);
        if (0 == i % 4) { /* some are never started */
            mt_free(&request);
            continue;
        }
        run(&request);
        mt_check(mt_size() * i == to[0], "cycle %d: the sum is %d", i, to[0]);
    }
    mt_expect_flat(&watch, "cycles");
    mt_check(pc_served() == served + cycles, "%lld of %d were served", pc_served() - served,
             cycles);
}

int main(int argc, char **argv)
{
    mt_watch_begin();
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int rank = 0; rank < mt_size(); rank++) {
        absolute_on(rank);
    }
    mt_result("all ranks hand on what one rank alone cannot");
    elements_differ();
    mt_result("all hand on what users' operators would see differently");
    mostly_gaps();
    mt_result("a reduction of elements that are mostly gaps is handed on");
    alltoall_in_place();
    mt_result("alltoall in place is handed on");
    intercommunicator();
    one_process();
    mt_result("intercommunicators and single processes are left alone");
    no_any_source();
    mt_result("communicators with mpi_assert_no_any_source are handed on");
    many_cycles();
    mt_result("thousands come and go");
    return mt_end();
}
