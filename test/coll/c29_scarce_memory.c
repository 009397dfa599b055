/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory runs out on one rank, once, somewhere between the making of a communicator and the end of
 * a collective on it. Init gives a request to all ranks or to none. What is started ends, with the
 * right data or with an error. The next collective, with enough memory, is right, on the same
 * communicator and on a new one.
 *
 *   c29_scarce_memory [RANK FIRST LAST]   only of this rank, and the FIRST to LAST request for
 *                                         memory; else of two, all, but with larger and larger gaps
 */
#include "../support/pcoll.h"
#include "../support/scarce/scarce.h"

#include <stdlib.h>

#define ROUNDS 2

/* Where persistent ones are tried from the first round on: to the first turn of the other
 * component, into which no rank may go alone (coll_pschedule_contest.c). */
#define TRIED_ROUNDS 11

static int rounds(void)
{
    const char *trial = getenv("OMPI_MCA_coll_pschedule_persistent_trial");

    return NULL == trial || 0 == atoi(trial) ? ROUNDS : TRIED_ROUNDS;
}

static MPI_Comm ring; /* with enough memory: for pc_make, and what the ranks tell each other */

/* One round. A rank that has an error tells the others by its end. */
static int round_of(pc_t *pc, int iteration)
{
    int code;

    pc_wipe(pc, iteration);
    for (int p = 0; p < pc->gives; p++) {
        pc_fill(pc, p);
    }
    code = MPI_Start(&pc->request);
    for (int p = 0; MPI_SUCCESS == code && !pc_is_persistent() && p < pc->gives; p++) {
        code = MPI_Pready(p, pc->request);
    }
    if (MPI_SUCCESS == code && !mt_wait(&pc->request, 40.0, MPI_STATUS_IGNORE, &code)) {
        mt_give_up("%s, memory %ld of rank %d: no end", pc_text(pc), mt_scarce_nth, mt_scarce_rank);
    }
    if (MPI_SUCCESS == code) {
        pc_verify(pc);
    }
    return code;
}

/* From init to free. With enough memory there must be no error. */
static void use(pc_t *pc)
{
    long long served = pc_served();
    int code = pc_init(pc, &pc->request);
    bool made = mt_scarce_all(ring, MPI_SUCCESS == code);
    bool none = mt_scarce_all(ring, MPI_SUCCESS != code);

    mt_check(made || none, "%s, memory %ld of rank %d: init gives %d here, and not to all",
             pc_text(pc), mt_scarce_nth, mt_scarce_rank, code);
    mt_check(!pc_is_persistent() || 0 != mt_scarce_nth || served + 1 == pc_served(),
             "%s: not served with enough memory", pc_text(pc));
    for (int i = 0; i < rounds() && made && MPI_SUCCESS == code; i++) {
        code = round_of(pc, i);
    }
    mt_check(MPI_SUCCESS == code || 0 != mt_scarce_nth, "%s: error %d with enough memory",
             pc_text(pc), code);
    if (MPI_REQUEST_NULL != pc->request) {
        MPI_Request_free(&pc->request);
    }
}

/* Memory `nth` of a rank fails; says whether it has been asked for. */
static bool try_it(pc_t *pc, int rank, long nth)
{
    MPI_Comm comm[2];
    bool asked;

    mt_limit(120.0);
    mt_stage("%s, memory %ld of rank %d", pc_text(pc), nth, rank);
    mt_scarce_begin(rank, nth);
    MPI_Comm_dup(ring, &comm[0]);
    pc->spec.comm = comm[0];
    use(pc);
    asked = mt_scarce_end(ring);
    use(pc);
    MPI_Comm_dup(ring, &comm[1]);
    pc->spec.comm = comm[1];
    use(pc);
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    return asked;
}

static void kind(pc_kind_t kind, int rank, long first, long last)
{
    pc_spec_t spec = pc_plain(kind, ring, 4, 300, (uint64_t) kind);
    long nth = first, tries = 0;
    pc_t pc;

    pc_make(&pc, &spec, rounds());
    if (mt_scarce_later()) {
        use(&pc);
    }
    while (nth <= last && try_it(&pc, rank, nth)) {
        tries++;
        nth += last < 0x10000 ? 1 : 1 + nth / (mt_slow() ? 3 : 8);
    }
    if (0 == mt_rank()) {
        mt_note("%s, rank %d: %ld tries, up to memory %ld", pc.trait->name, rank, tries, nth);
    }
    mt_check(first > 1 || tries > 0, "%s: no memory was asked for", pc.trait->name);
    pc_drop(&pc);
}

int main(int argc, char **argv)
{
    long first, last;
    int only;

    pc_serve_all();
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    pc_serve_all_over();
    pc_world_make();
    only = argc > 3 ? atoi(argv[1]) : -1;
    first = argc > 3 ? atol(argv[2]) : 1;
    last = argc > 3 ? atol(argv[3]) : 0x10000;
    ring = pc_ring();
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int rank = 0; rank < 2; rank++) {
        if (mt_scarce(0) < 0) {
            mt_skip("the components are not files of their own", "memory runs out");
            continue;
        }
        if (only >= 0 && only != rank) {
            continue;
        }
        /* What a trial adds does not depend on the kind. */
        for (int k = 0; k < PC_KINDS; k++) {
            if (mt_slow() && rounds() > ROUNDS && k % 3 != rank) {
                continue;
            }
            if (pc_due((pc_kind_t) k)) {
                kind((pc_kind_t) k, rank, first, last);
            }
        }
        mt_result("memory runs out on rank %d, anywhere", rank);
    }
    MPI_Comm_free(&ring);
    pc_world_drop();
    return mt_end();
}
