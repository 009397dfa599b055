/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Agreements (see coll_pschedule_agree.h).
 *
 * Numbers travel as pairs: v and ~v. The maximum over all ranks then gives the largest v and the
 * complement of the smallest. A rank that has nothing to say about a number leaves both 0, which
 * changes neither.
 */
#include "call/coll_pschedule_agree.h"

#include "call/coll_pschedule_hash.h"
#include "call/coll_pschedule_help.h"
#include "call/coll_pschedule_op.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/errhandler/errcode.h"
#include "ompi/op/op.h"

typedef mca_coll_pschedule_arguments_t arguments_t;
typedef mca_coll_pschedule_common_t common_t;

/* The numbers. */
enum {
    COLLECTIVE,
    ROOT,
    OPERATOR,
    CHUNK,
    SHARED_CHUNK,
    ALGORITHM,
    PARTITIONS,
    BYTES,
    LISTS,
    ELEMENT,
    KIND,
    PLACE,
    NUMBERS
};

/* As messages name them. */
static const char *const number_names[NUMBERS] = {
    [COLLECTIVE] = "the function",
    [ROOT] = "the root",
    [OPERATOR] = "the operator",
    [CHUNK] = "the MCA variable coll_pschedule_chunk",
    [SHARED_CHUNK] = "the MCA variable coll_pschedule_shared_chunk",
    [ALGORITHM] = "the MCA variables, or tuning files, that choose an algorithm (mixed)",
    [PARTITIONS] = "the number of partitions",
    [BYTES] = "the bytes of the buffer",
    [LISTS] = "the partitions and counts of the blocks (a hash of them)",
    [ELEMENT] = "the bytes of an element",
    [KIND] = "the kind of the datatype (integers, floating point, complex, which pair; with an "
             "operator of the user a hash of how an element lies in memory)",
    [PLACE] = "the use of MPI_IN_PLACE"};

/* What the ranks agree on, in one message. */
typedef struct ballot_t {
    uint64_t failed;
    uint64_t in_place;
    uint64_t lone_path;
    uint64_t uncontested;
    uint64_t most[NUMBERS];
    uint64_t least[NUMBERS]; /* complements */
} ballot_t;

_Static_assert(sizeof(ballot_t) == (4 + 2 * NUMBERS) * sizeof(uint64_t), "no padding");

static int allreduce_max(MPI_Comm comm, const void *mine, void *all, int count)
{
    mca_coll_base_comm_coll_t *coll = comm->c_coll;
    int rc = coll->coll_allreduce(mine, all, count, &ompi_mpi_uint64_t.dt, &ompi_mpi_op_max.op,
                                  comm, coll->coll_allreduce_module);

    return OMPI_SUCCESS == rc ? MPI_SUCCESS : ompi_errcode_get_mpi_code(rc);
}

/* ---- filling in ---- */

static void say(ballot_t *ballot, int number, uint64_t value)
{
    if (ballot->most[number] < value) {
        ballot->most[number] = value;
    }
    if (ballot->least[number] < ~value) {
        ballot->least[number] = ~value;
    }
}

static uint64_t operator_number(MPI_Op op)
{
    /* Handles of users' operators differ between ranks. */
    return ompi_op_is_intrinsic(op) ? (uint64_t) op->o_f_to_c_index
                                    : UINT64_C(1) << 32 | ompi_op_is_commute(op);
}

/* Integers, floating point, or complex: names of one type, as MPI_LONG and MPI_INT64_T, may differ.
 * Of pairs, which have two kinds, it is the name. A user's operator is given elements of other
 * ranks as they lie there: so they must look the same. */
static uint64_t kind_number(MPI_Op op, MPI_Datatype datatype)
{
    if (!ompi_op_is_intrinsic(op)) {
        return mca_coll_pschedule_element_layout(datatype);
    }
    return MPI_MAXLOC == op || MPI_MINLOC == op
               ? (uint64_t) datatype->id
               : (uint64_t) (datatype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE);
}

/* Of data movement: each contribution by itself. Of a reduction or bcast: the whole buffer. */
static void say_sizes(ballot_t *ballot, const arguments_t *arguments)
{
    bool whole = COLL_PSCHEDULE_CUTS_KNOWN == arguments->shape->cuts;
    const mca_coll_pschedule_layout_t *layout = &arguments->send;
    uint64_t bytes = 0, partitions = 0, lists = COLL_PSCHEDULE_HASH_SEED;

    if (whole && 0 == layout->blocks) {
        layout = &arguments->recv; /* bcast, not the root */
    }
    for (uint32_t i = 0; i < layout->blocks; ++i) {
        mca_coll_pschedule_cut_t cut
            = mca_coll_pschedule_arguments_cut(arguments, &layout->area[i]);

        if (!whole) {
            say(ballot, PARTITIONS, cut.partitions);
            say(ballot, BYTES, cut.bytes);
        }
        partitions += cut.partitions;
        bytes += cut.bytes;
        lists = mca_coll_pschedule_hash(mca_coll_pschedule_hash(lists, cut.partitions), cut.bytes);
    }
    if (whole) {
        say(ballot, PARTITIONS, partitions);
        say(ballot, BYTES, bytes);
        say(ballot, LISTS, lists);
    }
}

/* All ranks or none work in place. MPI leaves it to each rank of a scan, an exscan, and a
 * reduce_scatter, of which one whose block is empty may have no receive buffer; and with a root it
 * is the root's business. */
static bool places_must_agree(const arguments_t *arguments)
{
    return COLL_PSCHEDULE_ALLREDUCE == arguments->call->collective
           || COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK == arguments->call->collective;
}

static void fill_in(ballot_t *ballot, const arguments_t *arguments,
                    const mca_coll_pschedule_terms_t *terms)
{
    const mca_coll_pschedule_call_t *call = arguments->call;

    /* The persistent one of MPI is another function: its plan may differ. */
    say(ballot, COLLECTIVE,
        call->collective + (NULL != call->front ? COLL_PSCHEDULE_COLLECTIVES : 0));
    say(ballot, CHUNK, terms->chunk);
    say(ballot, SHARED_CHUNK, terms->shared_chunk);
    say(ballot, ALGORITHM, (uint64_t) terms->steering);
    if (arguments->shape->rooted) {
        say(ballot, ROOT, (uint64_t) call->root);
    }
    if (arguments->shape->reduces) {
        say(ballot, OPERATOR, operator_number(call->op));
        say(ballot, ELEMENT, arguments->element);
        say(ballot, KIND, kind_number(call->op, call->send.datatype));
    }
    if (places_must_agree(arguments)) {
        say(ballot, PLACE, arguments->in_place);
    }
    ballot->in_place = arguments->in_place || arguments->stays;
    ballot->lone_path = terms->lone_path;
    ballot->uncontested = terms->uncontested;
    say_sizes(ballot, arguments);
}

/* ---- counting ---- */

static bool same(const ballot_t *result, int number)
{
    return result->most[number] == ~result->least[number]
           || (0 == result->most[number] && 0 == result->least[number]);
}

static int compare(const ballot_t *result, const arguments_t *arguments)
{
    bool whole = COLL_PSCHEDULE_CUTS_KNOWN == arguments->shape->cuts;

    for (int i = 0; i < NUMBERS; ++i) {
        if (same(result, i) || (!whole && (PARTITIONS == i || BYTES == i))) {
            continue;
        }
        if (0 == arguments->rank && NULL == arguments->call->front) {
            mca_coll_pschedule_help("differ",
                                    mca_coll_pschedule_names[arguments->call->collective],
                                    number_names[i], (unsigned long long) ~result->least[i],
                                    (unsigned long long) result->most[i]);
        }
        return BYTES == i ? MPI_ERR_TRUNCATE : MPI_ERR_ARG;
    }
    return MPI_SUCCESS;
}

static void summarise(const ballot_t *result, common_t *common)
{
    uint64_t digest = COLL_PSCHEDULE_HASH_SEED;

    for (int i = 0; i < NUMBERS; ++i) {
        digest = mca_coll_pschedule_hash(digest, result->most[i]);
        digest = mca_coll_pschedule_hash(digest, result->least[i]);
    }
    digest ^= digest >> 32;
    *common = (common_t) {.bytes = result->most[BYTES],
                          .partitions = (uint32_t) result->most[PARTITIONS],
                          .in_place = 0 != result->in_place,
                          .lone_path = 0 != result->lone_path,
                          .uncontested = 0 != result->uncontested,
                          .uniform = same(result, BYTES) && same(result, PARTITIONS)
                                     && same(result, LISTS),
                          .fingerprint = (uint32_t) digest | 1};
    if (0 == common->partitions) {
        common->partitions = 1; /* nobody contributes: no rank has neighbours */
    }
}

int mca_coll_pschedule_agree_on_arguments(const arguments_t *arguments, int error,
                                          const mca_coll_pschedule_terms_t *terms,
                                          common_t *common)
{
    ballot_t mine = {.failed = MPI_SUCCESS != error};
    ballot_t result = {0};
    int rc;

    if (MPI_SUCCESS == error) {
        fill_in(&mine, arguments, terms);
    }
    rc = allreduce_max(arguments->call->comm, &mine, &result, sizeof(mine) / sizeof(uint64_t));
    if (MPI_SUCCESS != error) {
        return error;
    }
    if (MPI_SUCCESS != rc) {
        return rc;
    }
    if (0 != result.failed) {
        return MPI_ERR_OTHER;
    }
    summarise(&result, common);
    return compare(&result, arguments);
}

int mca_coll_pschedule_agree_on_all(MPI_Comm comm, bool mine, bool *all)
{
    uint64_t no = !mine, any = 1;
    int error = allreduce_max(comm, &no, &any, 1);

    *all = 0 == any;
    return error;
}

int mca_coll_pschedule_agree_on_outcome(MPI_Comm comm, int error)
{
    /* A difference in size concerns two ranks, one of which has found it: all shall hear of it. */
    uint64_t mine = MPI_SUCCESS == error ? 0 : MPI_ERR_TRUNCATE == error ? 2 : 1;
    uint64_t worst = 1;
    int broken = allreduce_max(comm, &mine, &worst, 1);

    if (MPI_SUCCESS != error) {
        return error;
    }
    if (MPI_SUCCESS != broken) {
        return broken; /* a persistent collective is not handed on where a process is dead */
    }
    return 0 == worst ? MPI_SUCCESS : 2 == worst ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
}
