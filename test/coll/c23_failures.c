/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A link fails in the middle of an iteration: one rank frees its request, which the others have
 * started once more. Its neighbours end with an error, and so does everybody who needs something
 * from them, however far away; nobody waits for ever, and the communicator works afterwards. With
 * the argument "threads" another thread makes progress all the time.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define FOREVER 1e9 /* the watchdog shows who waits */

static bool leaves(int leaver)
{
    return mt_rank() == leaver;
}

/* All ranks have done an iteration; the leaver frees its request before or after the others have
 * begun the next one. */
static void leave(pc_t *pc, int leaver, bool early)
{
    pc_cycle(pc, 0, &(mt_random_t){19});
    if (early && leaves(leaver)) {
        mt_free(&pc->request);
    } else if (!leaves(leaver)) {
        pc_start(pc, 1);
    }
    mt_sync();
    if (!early && leaves(leaver)) {
        mt_free(&pc->request);
    }
}

static int wait_for(pc_t *pc)
{
    int code = MPI_SUCCESS;

    mt_wait(&pc->request, FOREVER, MPI_STATUS_IGNORE, &code);
    return code;
}

static void expect_error(pc_t *pc, int code)
{
    mt_expect(pc->spec.comm, code, MPI_ERR_OTHER, pc_text(pc));
    mt_free_failed(&pc->request);
}

static void works(MPI_Comm comm)
{
    pc_spec_t spec = pc_plain(PC_ALLREDUCE, comm, 4, 5, 19);

    pc_run(&spec, 2, &(mt_random_t){19});
    mt_expect_quiet("the communicator afterwards");
}

static bool open_one(pc_t *pc, pc_kind_t kind, MPI_Comm comm, int leaver)
{
    pc_spec_t spec = pc_plain(kind, comm, 4, 20, (uint64_t) leaver);

    pc_make(pc, &spec, 2);
    mt_stage("%s, rank %d leaves", pc_text(pc), leaver);
    return pc_open(pc);
}

/* Nobody marks anything, so nobody can have done its part before the failure. */
static void nothing_marked(pc_kind_t kind, MPI_Comm comm, int leaver, bool early)
{
    pc_t pc;

    if (open_one(&pc, kind, comm, leaver)) {
        leave(&pc, leaver, early);
        if (!leaves(leaver)) {
            expect_error(&pc, wait_for(&pc));
        }
    }
    pc_drop(&pc);
}

/* Data are on their way when the failure is passed on. Whoever needs nothing from the leaver, or
 * had it before, may succeed; then its results are right. */
static void all_marked(pc_kind_t kind, MPI_Comm comm, int leaver, bool early)
{
    pc_t pc;

    if (open_one(&pc, kind, comm, leaver)) {
        leave(&pc, leaver, early);
        if (!leaves(leaver)) {
            pc_mark_all(&pc);
            int code = wait_for(&pc);

            if (MPI_SUCCESS == code) {
                pc_verify(&pc);
                mt_expect_quiet(pc_text(&pc));
            } else {
                expect_error(&pc, code);
            }
        }
    }
    pc_drop(&pc);
}

/* All ranks but one wait for something else, which this one does only after its collective has
 * ended: they pass the failure on all the same. */
static void wait_elsewhere(pc_kind_t kind, MPI_Comm comm, int leaver)
{
    int last = (leaver + mt_size() / 2) % mt_size(); /* far away in chains and rings */
    int code = MPI_SUCCESS;
    pc_t pc;

    if (open_one(&pc, kind, comm, leaver)) {
        leave(&pc, leaver, false);
        if (mt_rank() == last) {
            code = wait_for(&pc);
        }
        mt_sync();
        if (!leaves(leaver)) {
            expect_error(&pc, mt_rank() == last ? code : wait_for(&pc));
        }
    }
    pc_drop(&pc);
}

/* MPIX_Pbuf_prepare waits for all ranks, but not for one that will not come. Where it has waited in
 * vain, nonblocking collectives of the communicator do not match any more: each leaver has one. */
static void prepare_alone(int leaver)
{
    MPI_Comm comm;
    pc_t pc;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    if (open_one(&pc, PC_ALLREDUCE, comm, leaver)) {
        leave(&pc, leaver, 0 == leaver % 2);
        if (!leaves(leaver)) {
            mt_expect(comm, MPIX_Pbuf_prepare(&pc.request), MPI_ERR_OTHER, "MPIX_Pbuf_prepare");
            expect_error(&pc, wait_for(&pc));
        }
    }
    pc_drop(&pc);
    works(comm);
    MPI_Comm_free(&comm);
}

static atomic_bool over;

static void *helper(void *unused)
{
    while (!atomic_load(&over)) {
        mt_progress(0.001);
    }
    return unused;
}

int main(int argc, char **argv)
{
    bool threads = argc > 1 && 0 == strcmp("threads", argv[1]);
    pthread_t thread;
    MPI_Comm comm;

    mt_begin(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, 3);
    pc_world_make();
    threads = threads && 0 == pthread_create(&thread, NULL, helper, NULL);
    comm = pc_ring();
    mt_errors_watch(comm);
    for (pc_kind_t kind = PC_BCAST; kind < PC_KINDS; kind++) {
        if (!pc_due(kind)) {
            continue;
        }
        for (int leaver = 0; leaver < mt_size(); leaver++) {
            nothing_marked(kind, comm, leaver, 0 == leaver % 2);
            all_marked(kind, comm, leaver, 0 != leaver % 2);
            wait_elsewhere(kind, comm, leaver);
        }
        works(comm);
        mt_result("%s: a rank leaves, and all ranks end with an error", pc_traits[kind].name);
    }
    for (int leaver = 0; leaver < mt_size(); leaver++) {
        prepare_alone(leaver);
    }
    mt_result("a rank leaves, and MPIX_Pbuf_prepare ends with an error on the others");
    atomic_store(&over, true);
    if (threads) {
        pthread_join(thread, NULL);
    }
    MPI_Comm_free(&comm);
    pc_world_drop();
    return mt_end();
}
