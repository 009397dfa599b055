/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests of MPI-4's persistent collectives: many in flight, started with each other and with
 * requests of other kinds, of other components too; every completion call; the communicator freed
 * before them; calls that are refused; one that a rank has freed while others start it.
 *
 * Run with MPIX_TEST_PERSISTENT and coll_pschedule_persistent on.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#include <stdlib.h>

#define ROUNDS 4
#define COUNT  3000

enum { SUM, OTHERS_SUM, BCAST, SEND, RECV, PARTITIONED, MIXED };

static int from[MIXED][COUNT];
static int to[MIXED][COUNT];

/* A communicator on which another component makes them. */
static MPI_Comm without_us(void)
{
    return mt_dup_with(MPI_COMM_WORLD, "ompi_comm_coll_preference", "^pschedule");
}

static int next(void)
{
    return (mt_rank() + 1) % mt_size();
}

static int last(void)
{
    return (mt_rank() + mt_size() - 1) % mt_size();
}

/* ---- mixtures ---- */

static void make_mixture(MPI_Comm other, MPI_Request request[MIXED])
{
    MPI_Comm comm = MPI_COMM_WORLD;

    MPI_Allreduce_init(from[SUM], to[SUM], COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                       &request[SUM]);
    MPI_Allreduce_init(from[OTHERS_SUM], to[OTHERS_SUM], COUNT, MPI_INT, MPI_SUM, other,
                       MPI_INFO_NULL, &request[OTHERS_SUM]);
    MPI_Bcast_init(to[BCAST], COUNT, MPI_INT, 0, comm, MPI_INFO_NULL, &request[BCAST]);
    MPI_Send_init(from[SEND], COUNT, MPI_INT, next(), 24, comm, &request[SEND]);
    MPI_Recv_init(to[RECV], COUNT, MPI_INT, last(), 24, comm, &request[RECV]);
    MPIX_Pallreduce_init(from[PARTITIONED], to[PARTITIONED], 1, COUNT, MPI_INT, MPI_SUM, comm,
                         MPI_INFO_NULL, &request[PARTITIONED]);
}

static int number(int which, int rank, int i, int round)
{
    return 1000 * which + 7 * i + 100 * round + rank;
}

static void fill_mixture(int round)
{
    for (int which = 0; which < MIXED; which++) {
        for (int i = 0; i < COUNT; i++) {
            from[which][i] = number(which, mt_rank(), i, round);
            to[which][i] = BCAST == which && 0 == mt_rank() ? from[which][i] : -1;
        }
    }
}

static int expected(int which, int i, int round)
{
    int sum = 0;

    switch (which) {
    case BCAST:
        return number(which, 0, i, round);
    case RECV:
        return number(SEND, last(), i, round);
    default:
        for (int rank = 0; rank < mt_size(); rank++) {
            sum += number(which, rank, i, round);
        }
        return sum;
    }
}

static void check_mixture(int round)
{
    for (int which = 0; which < MIXED; which++) {
        for (int i = 0; i < COUNT && SEND != which; i++) {
            if (!mt_check(expected(which, i, round) == to[which][i], "request %d: element %d is %d",
                          which, i, to[which][i])) {
                return;
            }
        }
    }
}

/* Each call that completes several, and the requests in an order that goes round. */
static void complete_mixture(MPI_Request request[MIXED], int round)
{
    int indices[MIXED], count = 0, done = 0, flag = 0;

    switch (round % 4) {
    case 0:
        mt_success(MPI_Waitall(MIXED, request, MPI_STATUSES_IGNORE), "MPI_Waitall");
        break;
    case 1:
        while (done < MIXED) {
            mt_success(MPI_Waitsome(MIXED, request, &count, indices, MPI_STATUSES_IGNORE),
                       "MPI_Waitsome");
            done += count;
        }
        break;
    case 2:
        for (; done < MIXED; done++) {
            mt_success(MPI_Waitany(MIXED, request, &count, MPI_STATUS_IGNORE), "MPI_Waitany");
        }
        break;
    default:
        while (!flag) {
            mt_success(MPI_Testall(MIXED, request, &flag, MPI_STATUSES_IGNORE), "MPI_Testall");
        }
    }
}

static void mixtures(void)
{
    MPI_Comm other = without_us();
    long long served = pc_served();
    MPI_Request request[MIXED];

    make_mixture(other, request);
    mt_check(pc_served() == served + 2, "%lld were served", pc_served() - served);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        fill_mixture(round);
        mt_success(MPI_Startall(MIXED, request), "MPI_Startall");
        mt_success(MPI_Pready(0, request[PARTITIONED]), "MPI_Pready");
        complete_mixture(request, round);
        check_mixture(round);
    }
    for (int which = 0; which < MIXED; which++) {
        mt_free(&request[which]);
    }
    MPI_Comm_free(&other);
    mt_result("persistent collectives are started and completed with all other kinds of requests");
}

/* ---- many at once, on a communicator that is freed before ---- */

static void many_at_once(void)
{
    pc_t *pcs = mt_alloc(PC_KINDS * sizeof(*pcs));
    MPI_Comm comm = pc_ring();

    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        pc_spec_t spec = pc_plain(kind, comm, 1, 400, 24);

        pc_make(&pcs[kind], &spec, 2);
        pc_open(&pcs[kind]);
    }
    MPI_Comm_free(&comm);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < PC_KINDS; k++) { /* each rank begins with another one */
            pc_start(&pcs[(k + mt_rank()) % PC_KINDS], round);
        }
        for (int k = PC_KINDS - 1; k >= 0; k--) {
            pc_finish(&pcs[k]);
        }
    }
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        pc_drop(&pcs[kind]);
    }
    free(pcs);
    mt_result("one of each is in flight, and their communicator is freed");
}

/* ---- what they use is freed right after init ---- */

static void sum_pairs(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void) datatype;
    for (int i = 0; i < 2 * *count; i++) {
        ((int *) inout)[i] += ((int *) in)[i];
    }
}

static void handles_freed(void)
{
    static int pairs[2 * 500], sums[2 * 500], holes[4 * 500];
    MPI_Datatype pair, gappy;
    MPI_Request sum, spread;
    MPI_Op op;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_vector(500, 2, 4, MPI_INT, &gappy);
    MPI_Type_commit(&gappy);
    MPI_Op_create(sum_pairs, 1, &op);
    MPI_Allreduce_init(pairs, sums, 500, pair, op, MPI_COMM_WORLD, MPI_INFO_NULL, &sum);
    MPI_Bcast_init(holes, 1, gappy, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &spread);
    MPI_Type_free(&pair);
    MPI_Type_free(&gappy);
    MPI_Op_free(&op);
    for (int i = 0; i < 1000; i++) {
        pairs[i] = i + mt_rank();
    }
    for (int i = 0; i < 2000; i++) {
        holes[i] = 0 == mt_rank() ? i : -1;
    }
    MPI_Start(&sum);
    MPI_Start(&spread);
    mt_finish(&spread, MPI_STATUS_IGNORE);
    mt_finish(&sum, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1000; i++) {
        mt_check(mt_size() * i + mt_size() * (mt_size() - 1) / 2 == sums[i], "sum %d", i);
    }
    for (int i = 0; i < 2000; i++) {
        mt_check((0 == mt_rank() || i % 4 < 2 ? i : -1) == holes[i], "element %d", i);
    }
    mt_free(&sum);
    mt_free(&spread);
    mt_result("datatypes and operators are freed right after init");
}

/* Buffers, too, where no start comes after. Large ones: what has been mapped or registered of them
 * must be gone before the next ones lie at the same place. */
static void buffers_freed(void)
{
    enum { LARGE = 1 << 20 };

    for (int round = 0; round < 2 * ROUNDS; round++) {
        MPI_Request started, unstarted;
        int *in = mt_alloc(LARGE * sizeof(int));
        int *out = mt_alloc(LARGE * sizeof(int));

        MPI_Allreduce_init(in, out, LARGE, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &unstarted);
        MPI_Allreduce_init(in, out, LARGE, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &started);
        for (int i = 0; i < LARGE; i++) {
            in[i] = i % 1000 + round;
            out[i] = -1;
        }
        MPI_Start(&started);
        mt_finish(&started, MPI_STATUS_IGNORE);
        for (int i = 0; i < LARGE; i++) {
            if (!mt_check(mt_size() * (i % 1000 + round) == out[i], "round %d: element %d is %d",
                          round, i, out[i])) {
                break;
            }
        }
        free(in);
        free(out);
        mt_free(&unstarted);
        mt_free(&started);
    }
    mt_result("buffers are freed before requests that are not started any more");
}

/* ---- refusals ---- */

static void refusals(void)
{
    MPI_Request request, copy;
    MPI_Comm comm;
    MPI_Status status;
    int flag = 0, count = -1;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    MPI_Allreduce_init(from[0], to[0], COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    copy = request;
    mt_success(MPI_Test(&request, &flag, &status), "MPI_Test of an inactive request");
    mt_check(flag && MPI_ANY_SOURCE == status.MPI_SOURCE, "an inactive request is not complete");
    mt_expect_class(MPI_Pready(0, request), MPI_ERR_REQUEST, "MPI_Pready");
    mt_success(MPI_Start(&request), "MPI_Start");
    mt_expect_class(MPI_Start(&copy), MPI_ERR_REQUEST, "MPI_Start of an active request");
    mt_errors_clear();
    mt_expect(comm, MPI_Request_free(&copy), MPI_ERR_REQUEST, "MPI_Request_free of an active one");
    mt_check(copy == request, "the handle has changed");
    mt_expect(comm, MPI_Cancel(&copy), MPI_ERR_REQUEST, "MPI_Cancel");
    mt_sync();
    mt_finish(&request, &status);
    MPI_Get_elements(&status, MPI_INT, &count);
    mt_check(0 == count && MPI_ANY_SOURCE == status.MPI_SOURCE, "the status is not empty");
    mt_expect_quiet("the request afterwards");
    mt_free(&request);
    MPI_Comm_free(&comm);
    mt_result("what must not be done to a persistent collective is refused");
}

/* ---- failure ---- */

/* Rank 0 frees its request, the others start theirs: all of these end with an error. The
 * communicator may have been freed before. */
static void freed_elsewhere(bool comm_freed)
{
    MPI_Request request;
    MPI_Comm comm, kept;
    int code;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    kept = comm;
    MPI_Allreduce_init(from[0], to[0], COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    mt_finish(&request, MPI_STATUS_IGNORE);
    if (comm_freed) {
        MPI_Comm_free(&comm);
    }
    if (0 == mt_rank()) {
        mt_free(&request);
    } else {
        mt_success(MPI_Start(&request), "MPI_Start");
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        mt_expect(kept, code, MPI_ERR_OTHER, "a collective that rank 0 has freed");
        mt_free_failed(&request);
    }
    mt_sync();
    if (!comm_freed) {
        MPI_Comm_free(&comm);
    }
    mt_result("a collective that a rank has freed ends with an error on the others%s",
              comm_freed ? ", also when its communicator has been freed" : "");
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    pc_world_make();
    mixtures();
    many_at_once();
    handles_freed();
    buffers_freed();
    refusals();
    freed_elsewhere(false);
    freed_elsewhere(true);
    pc_world_drop();
    return mt_end();
}
