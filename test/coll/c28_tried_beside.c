/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In mode auto a persistent collective is tried beside that of the component that would have made
 * it: the program's rounds are served by the one and by the other, and then by who was faster. Here
 * the program is slow in the rounds of one of them, which has to lose. The results are right in
 * every round, whoever serves it, whoever wins, and wherever the request is freed.
 *
 * The program sets its MCA variables itself: everything is served, and the trial begins early.
 */

#include "../support/pcoll.h"
#include "../support/usage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { THIS, OTHER } way_t;

/* coll_pschedule_contest.c: the turns of a trial whose rounds are long. In the first one a rank is
 * late, so they are. */
#define BEGINS 3
#define FIRST  8

static const struct {
    way_t way;
    int rounds;
} turns[] = {{THIS, BEGINS}, {THIS, FIRST}, {OTHER, 2}, {OTHER, 4},  {THIS, 8}, {OTHER, 8},
             {THIS, 16},     {OTHER, 16},   {THIS, 16}, {OTHER, 16}, {THIS, 1}};

#define ALL    (BEGINS + FIRST + 87)
#define ROUNDS (ALL + 4)

/* Who serves a round while nothing is decided? */
static way_t way_of(int round)
{
    int turn = 0;

    for (; round >= turns[turn].rounds; turn++) {
        round -= turns[turn].rounds;
    }
    return turns[turn].way;
}

/* ---- settings ---- */

static void set(const char *name, const char *value)
{
    char variable[100];

    snprintf(variable, sizeof(variable), "OMPI_MCA_coll_pschedule_%s", name);
    setenv(variable, value, 1);
}

/* ---- rounds ---- */

/* So that it is far more than a round takes, also on a busy machine when it is tried again. */
static int times_longer = 1;

static double delay(void)
{
    return times_longer * (mt_slow() ? 0.006 : 0.001);
}

static pc_spec_t spec_of(pc_kind_t kind, MPI_Comm comm)
{
    pc_spec_t spec = pc_plain(kind, comm, 1, 60, 28);

    spec.number = PC_NUMBER_INT;
    spec.op = PC_OP_SUM;
    spec.root = (int) kind % mt_size();
    return spec;
}

/* Open MPI's own alltoalls among neighbours are wrong in a ring of two. */
static bool is_tried(const pc_trait_t *trait)
{
    return mt_size() > 2 || !trait->neighbors || !trait->many_to;
}

/* A rank that others wait for, in every collective. */
static int late_rank(const pc_t *pc)
{
    bool spreads = pc->trait->rooted && !pc->trait->reduces && PC_GATHER != pc->spec.kind
                   && PC_GATHERV != pc->spec.kind;

    if (PC_SCAN == pc->spec.kind || PC_EXSCAN == pc->spec.kind) {
        return 0;
    }
    return spreads ? pc->spec.root : (pc->spec.root + 1) % mt_size();
}

static void be_late_first(int late, int round)
{
    if (round >= BEGINS && round < BEGINS + FIRST && mt_rank() == late) {
        mt_sleep(0.002);
    }
}

/* Rounds in which those of one way are slow, from `since` on. If they all are, it loses. */
static void go(pc_t *pc, int rounds, way_t slow, int since)
{
    for (int round = 0; round < rounds; round++) {
        if (round >= since && round < ALL && slow == way_of(round) && mt_rank() == late_rank(pc)) {
            mt_sleep(delay());
        } else {
            be_late_first(late_rank(pc), round);
        }
        pc_start(pc, round);
        pc_finish(pc);
    }
}

/* Has it been handed back? */
static bool decide(pc_kind_t kind, MPI_Comm comm, way_t slow, int since)
{
    long long served = pc_served(), back = pc_handed_back();
    pc_spec_t spec = spec_of(kind, comm);
    pc_t pc;

    spec.in_place = 0 != since && PC_ALLTOALL != kind && PC_ALLTOALLV != kind
                    && PC_ALLTOALLW != kind; /* those are handed on in place */
    spec.uneven = 0 != since; /* some blocks are empty: nobody waits for those */
    pc_make(&pc, &spec, 3);
    if (pc_open(&pc)) {
        mt_check(pc_served() == served + 1, "%s: it was handed on", pc_text(&pc));
        go(&pc, ROUNDS, slow, since);
    }
    pc_drop(&pc);
    return pc_handed_back() > back;
}

/* A busy machine may hold up rounds of the other way for longer. */
static void expect(pc_kind_t kind, MPI_Comm comm, way_t slow)
{
    bool back = false, wanted = THIS == slow && is_tried(&pc_traits[kind]);

    for (int i = 0; i < 5; i++, times_longer *= 3) {
        back = decide(kind, comm, slow, 0);
        if (back == wanted) {
            times_longer = 1;
            return;
        }
    }
    times_longer = 1;
    mt_check(false, "%s: it was %shanded back", pc_traits[kind].name, back ? "" : "not ");
}

static void decisions(MPI_Comm comm)
{
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind += mt_slow() ? 3 : 1) {
        expect(kind, comm, OTHER);
        expect(kind, comm, THIS);
        (void) decide(kind, comm, OTHER, BEGINS + FIRST + 22); /* either may win */
        mt_result("%s: who is slow loses, and every round is right", pc_traits[kind].name);
    }
}

/* Who adds them in another order gets other last bits. */
static void rounded_sums(MPI_Comm comm)
{
    long long served = pc_served(), back = pc_handed_back();
    pc_spec_t spec = spec_of(PC_ALLREDUCE, comm);
    pc_t pc;

    spec.number = PC_NUMBER_DOUBLE;
    pc_make(&pc, &spec, 3);
    if (pc_open(&pc)) {
        go(&pc, ROUNDS, THIS, 0);
    }
    mt_check(pc_served() == served + 1 && pc_handed_back() == back, "it was tried");
    pc_drop(&pc);
    mt_result("sums of rounded numbers are not tried");
}

/* After any number of rounds; several requests at once, whose communicator is freed before. (A
 * process has no more than 256 trials.) */
static void freed_at_any_time(void)
{
    enum { REQUESTS = 2 };
    static const pc_kind_t kinds[2][REQUESTS] = {{PC_ALLTOALLV, PC_BCAST},
                                                 {PC_ALLREDUCE, PC_NEIGHBOR_ALLTOALLW}};
    pc_t pc[REQUESTS];

    for (int rounds = 0; rounds <= ROUNDS; rounds += mt_slow() ? 7 : rounds < 60 ? 2 : 1) {
        MPI_Comm comm = pc_ring();

        for (int i = 0; i < REQUESTS; i++) {
            pc_spec_t spec = spec_of(kinds[rounds / 2 % 2][i], comm);

            pc_make(&pc[i], &spec, 2);
            pc_open(&pc[i]);
        }
        MPI_Comm_free(&comm);
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < REQUESTS; i++) { /* each rank begins with another one */
                pc_t *next = &pc[(i + mt_rank()) % REQUESTS];

                be_late_first(late_rank(next), round);
                pc_start(next, round);
            }
            for (int i = 0; i < REQUESTS; i++) {
                pc_finish(&pc[i]);
            }
        }
        for (int i = 0; i < REQUESTS; i++) {
            pc_drop(&pc[i]);
        }
    }
    mt_result("they may be freed after any round");
}

/* Open MPI keeps no datatypes of persistent collectives; others take their place in memory. */
static void datatypes_freed(void)
{
    enum { THREE = 3, RANKS = 16 };
    static int from[RANKS * THREE], to[RANKS * THREE], from_w[RANKS * THREE], to_w[RANKS * THREE];
    int counts[RANKS], displs[RANKS];
    MPI_Datatype three, types[RANKS], other[2 * RANKS];
    MPI_Request request[2];

    MPI_Type_contiguous(THREE, MPI_INT, &three);
    MPI_Type_commit(&three);
    for (int i = 0; i < mt_size(); i++) {
        counts[i] = 1;
        displs[i] = i * THREE * (int) sizeof(int);
        MPI_Type_contiguous(THREE, MPI_INT, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    MPI_Alltoall_init(from, 1, three, to, 1, three, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Alltoallw_init(from_w, counts, displs, types, to_w, counts, displs, types, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request[1]);
    MPI_Type_free(&three);
    for (int i = 0; i < mt_size(); i++) {
        MPI_Type_free(&types[i]);
    }
    for (int i = 0; i < 2 * mt_size(); i++) {
        MPI_Type_vector(7, 1, 9, MPI_DOUBLE, &other[i]);
        MPI_Type_commit(&other[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < mt_size() * THREE; i++) {
            from[i] = from_w[i] = 1000 * round + 10 * mt_rank() + i / THREE;
            to[i] = to_w[i] = -1;
        }
        be_late_first(0, round);
        mt_success(MPI_Startall(2, request), "MPI_Startall");
        for (int i = 0; i < 2; i++) {
            int which = -1;

            mt_success(MPI_Waitany(2, request, &which, MPI_STATUS_IGNORE), "MPI_Waitany");
        }
        for (int i = 0; i < mt_size() * THREE; i++) {
            int right = 1000 * round + 10 * (i / THREE) + mt_rank();

            mt_check(right == to[i] && right == to_w[i], "round %d: element %d is %d, %d", round, i,
                     to[i], to_w[i]);
        }
    }
    for (int i = 0; i < 2 * mt_size(); i++) {
        MPI_Type_free(&other[i]);
    }
    mt_free(&request[0]);
    mt_free(&request[1]);
    mt_result("datatypes are freed right after init");
}

/* ---- where others would be wrong ---- */

/* Buffers that begin at one address, and whose blocks lie apart, are no MPI_IN_PLACE. */
static void one_workspace(void)
{
    enum { EACH = 256, RANKS = 16 };
    static int work[2 * RANKS * EACH];
    int counts[RANKS], out[RANKS], in[RANKS], size = mt_size();
    MPI_Request request[2];

    for (int i = 0; i < size; i++) {
        counts[i] = EACH;
        out[i] = i * EACH;
        in[i] = (size + i) * EACH;
    }
    MPI_Alltoallv_init(work, counts, out, MPI_INT, work, counts, in, MPI_INT, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request[0]);
    MPI_Allgatherv_init(work, EACH, MPI_INT, work, counts, in, MPI_INT, MPI_COMM_WORLD,
                        MPI_INFO_NULL, &request[1]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int which = 0; which < 2; which++) {
            for (int i = 0; i < size * EACH; i++) {
                work[i] = 1000 * round + 20 * mt_rank() + i / EACH;
                work[size * EACH + i] = -1;
            }
            be_late_first(0, round);
            mt_success(MPI_Start(&request[which]), "MPI_Start");
            mt_finish(&request[which], MPI_STATUS_IGNORE);
            for (int i = 0; i < size * EACH; i++) {
                int right = 1000 * round + 20 * (i / EACH) + (0 == which ? mt_rank() : 0);

                mt_check(right == work[size * EACH + i], "request %d, round %d: element %d is %d",
                         which, round, i, work[size * EACH + i]);
            }
        }
    }
    mt_free(&request[0]);
    mt_free(&request[1]);
    mt_result("buffers may begin at one address");
}

/* Vectors of them are added with saturation, and single ones without: what comes out depends on how
 * a buffer is cut, so who makes it must not change. */
static void small_integers(void)
{
    enum { COUNT = 4100 };
    static uint8_t from[16 * COUNT], first[COUNT], to[COUNT];
    MPI_Request request;

    memset(from, 200, sizeof(from));
    MPI_Reduce_scatter_block_init(from, to, COUNT, MPI_UINT8_T, MPI_SUM, MPI_COMM_WORLD,
                                  MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        be_late_first(0, round);
        memset(to, round + 1, sizeof(to)); /* nothing is right because it was before */
        mt_success(MPI_Start(&request), "MPI_Start");
        mt_finish(&request, MPI_STATUS_IGNORE);
        if (0 == round) {
            memcpy(first, to, sizeof(first));
        }
        mt_check(0 == memcmp(first, to, sizeof(to)), "round %d gives other sums", round);
    }
    mt_free(&request);
    mt_result("sums of small integers are the same in every round");
}

static void refusals(MPI_Comm comm)
{
    pc_spec_t spec = spec_of(PC_ALLTOALL, comm);
    pc_t pc;

    mt_errors_watch(comm);
    pc_make(&pc, &spec, 3);
    if (pc_open(&pc)) {
        for (int round = 0; round < ROUNDS; round++) {
            MPI_Request copy = pc.request;

            be_late_first(late_rank(&pc), round);
            pc_start(&pc, round);
            mt_expect_class(MPI_Start(&copy), MPI_ERR_REQUEST, "MPI_Start of an active request");
            mt_errors_clear();
            pc_finish(&pc);
        }
    }
    pc_drop(&pc);
    mt_result("an active one is not started again, whoever serves it");
}

/* What others make for a request may stay when it is freed, so it is asked for a few times only, on
 * whatever communicator. (Few of these: Open MPI's han does not give back all of one.) */
static void many_come_and_go(void)
{
    mt_watch_t watch = {.look = {{0}}};
    int cycles = mt_slow() ? 300 : 3000, from = 0, to = 0;
    MPI_Comm comm = MPI_COMM_NULL;

    for (int i = 0; i < cycles; i++) {
        MPI_Request request;

        if (0 == i % 1000) {
            if (MPI_COMM_NULL != comm) {
                MPI_Comm_free(&comm);
            }
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        }
        mt_look(&watch, i, cycles);
        from = i;
        MPI_Allreduce_init(&from, &to, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
        mt_success(MPI_Start(&request), "MPI_Start");
        mt_finish(&request, MPI_STATUS_IGNORE);
        mt_free(&request);
        mt_check(mt_size() * i == to, "cycle %d: the sum is %d", i, to);
    }
    if (!mt_slow()) { /* the address sanitizer keeps what was freed */
        mt_expect_flat(&watch, "cycles");
    }
    MPI_Comm_free(&comm);
    mt_result("thousands come and go");
}

/* ---- another thread completes what this one waits for ---- */

static atomic_bool over;

static void *progress(void *nothing)
{
    (void) nothing;
    while (!atomic_load(&over)) {
        int flag;

        MPI_Iprobe(MPI_ANY_SOURCE, 28, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void beside_a_thread(void (*check)(void))
{
    pthread_t thread;

    if (0 != pthread_create(&thread, NULL, progress, NULL)) {
        mt_give_up("no thread");
    }
    check();
    atomic_store(&over, true);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    bool threads = argc > 1 && 0 == strcmp(argv[1], "threads");
    MPI_Comm comm;

    mt_watch_begin();
    pc_serve_all();
    set("persistent", "auto");
    set("persistent_trial", "3");
    mt_begin(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, 2);
    pc_serve_all_over();
    pc_world_make();
    comm = pc_ring();
    decisions(comm);
    rounded_sums(comm);
    datatypes_freed();
    one_workspace();
    small_integers();
    refusals(comm);
    if (threads) {
        beside_a_thread(freed_at_any_time);
    } else {
        freed_at_any_time();
    }
    MPI_Comm_free(&comm);
    many_come_and_go();
    pc_world_drop();
    return mt_end();
}
