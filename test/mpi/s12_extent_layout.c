/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S12. count and datatype describe one partition; partitions lie back to back: partition i starts
 * at buf + i x count x extent. Types whose extent is larger, smaller or other than their size,
 * with a lower bound that is not zero; gaps of the receive buffer stay as they are.
 */

#include "../support/side.h"
#include "../support/types.h"

#define TAG        12
#define PARTITIONS 5
#define COUNT      3

/* Both sides use the same type; each partition is looked at alone. */
static void run(const mt_named_type_t *named, int first)
{
    mt_typed_t typed;
    MPI_Request request = MPI_REQUEST_NULL;
    uint64_t seed = (uint64_t) (12 + first);

    mt_stage("%s, partition %d", named->name, first);
    mt_typed_make(&typed, PARTITIONS, COUNT, named->type);
    if (0 == mt_rank()) {
        mt_typed_fill_all(&typed, seed);
        mt_success(MPI_Psend_init(typed.origin, PARTITIONS, COUNT, typed.type, 1, TAG,
                                  MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                   "MPI_Psend_init");
    } else {
        mt_success(MPI_Precv_init(typed.origin, PARTITIONS, COUNT, typed.type, 0, TAG,
                                  MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                   "MPI_Precv_init");
    }
    mt_success(MPI_Start(&request), "MPI_Start");
    if (0 == mt_rank()) {
        mt_success(MPI_Pready(first, request), "MPI_Pready");
        mt_sync();
        for (int p = 0; p < PARTITIONS; p++) {
            if (p != first) {
                mt_success(MPI_Pready(p, request), "MPI_Pready");
            }
        }
    } else {
        mt_check(mt_arrives(request, first, 5.0), "partition %d not there", first);
        size_t wrong = mt_typed_wrong(&typed, first, seed);
        size_t touched = mt_typed_touched(&typed);
        mt_check(0 == wrong && touched <= typed.partition_size,
                 "partition %d alone: %zu wrong bytes, %zu bytes written", first, wrong, touched);
        mt_sync();
    }
    mt_finish(&request, MPI_STATUS_IGNORE);
    if (1 == mt_rank()) {
        size_t wrong = mt_typed_wrong(&typed, -1, seed);
        size_t spilled = mt_typed_spilled(&typed);
        mt_check(0 == wrong && 0 == spilled, "%zu wrong bytes, %zu bytes written into gaps", wrong,
                 spilled);
    }
    mt_free(&request);
    mt_typed_drop(&typed);
}

int main(int argc, char **argv)
{
    mt_named_type_t types[MT_TYPES];

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    mt_types_make(types);
    for (int t = 0; t < MT_TYPES; t++) {
        for (int first = 0; first < PARTITIONS; first++) {
            run(&types[t], first);
        }
        mt_result("partitions of %s start at multiples of count x extent", types[t].name);
    }
    mt_types_free(types);
    return mt_end();
}
