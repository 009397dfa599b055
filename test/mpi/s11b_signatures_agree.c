/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S11. Datatypes and counts of the two sides may differ when the signatures agree: every pair of
 * contiguous, strided, indexed and mixed types, with gaps on either side (part/persist #12730).
 */

#include "../support/side.h"
#include "../support/types.h"

#define TAG 11

/* Elements of every type below hold 6 ints: partitions x count x 6 ints on both sides. */
static void run(const mt_named_type_t *send_type, const mt_named_type_t *recv_type)
{
    mt_typed_t typed;
    MPI_Request request = MPI_REQUEST_NULL;

    mt_stage("%s -> %s", send_type->name, recv_type->name);
    if (0 == mt_rank()) {
        mt_typed_make(&typed, 4, 6, send_type->type);
        mt_success(MPI_Psend_init(typed.origin, 4, 6, typed.type, 1, TAG, MPI_COMM_WORLD,
                                  MPI_INFO_NULL, &request),
                   "MPI_Psend_init");
    } else {
        mt_typed_make(&typed, 3, 8, recv_type->type);
        mt_success(MPI_Precv_init(typed.origin, 3, 8, typed.type, 0, TAG, MPI_COMM_WORLD,
                                  MPI_INFO_NULL, &request),
                   "MPI_Precv_init");
    }
    for (uint64_t iteration = 1; iteration <= 2; iteration++) {
        mt_success(MPI_Start(&request), "MPI_Start");
        for (int p = 0; 0 == mt_rank() && p < 4; p++) {
            mt_typed_fill(&typed, p, iteration);
            mt_success(MPI_Pready(p, request), "MPI_Pready");
        }
        mt_finish(&request, MPI_STATUS_IGNORE);
        if (1 == mt_rank()) {
            size_t wrong = mt_typed_wrong(&typed, -1, iteration);
            size_t spilled = mt_typed_spilled(&typed);
            mt_check(0 == wrong && 0 == spilled,
                     "%s -> %s: %zu wrong bytes, %zu bytes written into gaps", send_type->name,
                     recv_type->name, wrong, spilled);
            mt_typed_reset(&typed);
        }
    }
    mt_free(&request);
    mt_typed_drop(&typed);
}

int main(int argc, char **argv)
{
    mt_named_type_t types[MT_TYPES];

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_types_make(types);
    for (int s = 0; s < MT_TYPES; s++) {
        for (int r = 0; r < MT_TYPES; r++) {
            run(&types[s], &types[r]);
        }
        mt_result("%s sent, every type received", types[s].name);
    }
    mt_types_free(types);
    return mt_end();
}
