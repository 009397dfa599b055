/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The five neighbourhood collectives give what MPI's blocking ones give, on cartesian communicators
 * (periodic or not, dimensions of one and two processes, where both neighbours are the same),
 * graphs and distributed graphs with edges to oneself, several edges between two ranks, and ranks
 * without neighbours.
 */

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ITERATIONS 2

/* Extents as given; the first is what is left for it. */
static MPI_Comm cartesian(int dimensions, int second, int periodic)
{
    int extents[2] = {mt_size() / second, second};
    int periods[2] = {periodic, periodic};
    MPI_Comm comm = MPI_COMM_NULL;

    if (1 == dimensions) {
        extents[0] = mt_size();
    }
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, extents, periods, 0, &comm);
    return comm;
}

/* A ring, with one more edge from each even rank to itself and a second one to its neighbour. */
static MPI_Comm graph(void)
{
    int size = mt_size();
    int *ends = mt_alloc((size_t) size * sizeof(int));
    int *edges = mt_alloc((size_t) size * 6 * sizeof(int));
    int count = 0;
    MPI_Comm comm = MPI_COMM_NULL;

    for (int r = 0; r < size; r++) {
        edges[count++] = (r + size - 1) % size;
        edges[count++] = (r + 1) % size;
        if (0 == r % 2) {
            edges[count++] = r;
        }
        ends[r] = count;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &comm);
    free(ends);
    free(edges);
    return comm;
}

/* Edges of rank r: to itself, twice to the next, to all of higher rank when r is 0. */
static int edges_from(int rank, int *list)
{
    int size = mt_size();
    int count = 0;

    if (size > 2 && rank == size - 1) {
        return 0;
    }
    list[count++] = rank;
    list[count++] = (rank + 1) % size;
    list[count++] = (rank + 1) % size;
    for (int r = 1; 0 == rank && r < size; r++) {
        list[count++] = r;
    }
    return count;
}

static int edges_to(int rank, int *list)
{
    int *out = mt_alloc((size_t) (mt_size() + 3) * sizeof(int));
    int count = 0;

    for (int from = mt_size() - 1; from >= 0; from--) { /* sources in falling order */
        int edges = edges_from(from, out);
        for (int e = 0; e < edges; e++) {
            if (out[e] == rank) {
                list[count++] = from;
            }
        }
    }
    free(out);
    return count;
}

static MPI_Comm distributed(void)
{
    int room = 2 * mt_size() + 6;
    int *from = mt_alloc((size_t) room * sizeof(int));
    int *to = mt_alloc((size_t) room * sizeof(int));
    int *weights = mt_alloc((size_t) room * sizeof(int));
    int in = edges_to(mt_rank(), from);
    int out = edges_from(mt_rank(), to);
    MPI_Comm comm = MPI_COMM_NULL;

    for (int i = 0; i < room; i++) {
        weights[i] = 1;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from, weights, out, to, weights,
                                   MPI_INFO_NULL, 0, &comm);
    free(weights);
    free(from);
    free(to);
    return comm;
}

/* Several cuts, datatypes and sizes of one kind. */
static void use(MPI_Comm comm, pc_kind_t kind, mt_random_t *random)
{
    for (int v = 0; v < 5; v += mt_slow() && pc_is_persistent() ? 2 : 1) {
        pc_spec_t spec = {.kind = kind,
                          .comm = comm,
                          .seed = (uint64_t) (10 * (int) kind + v),
                          .base = 12,
                          .unit = 3 == v ? 0 : 1 + 4 * v,
                          .uneven = v > 0,
                          .send_cut = 0 == v ? 3 : 0,
                          .recv_cut = 0 == v ? 4 : 0,
                          .send_type = v < 2 ? PC_TYPE_INT : PC_TYPE_DRAWN,
                          .recv_type = v < 2 ? PC_TYPE_INT : PC_TYPE_DRAWN};
        if (4 == v) {
            spec.unit = 3000;
            spec.uneven = false;
        }
        pc_run(&spec, ITERATIONS, random);
    }
}

static void use_all(MPI_Comm comm, const char *what, mt_random_t *random)
{
    mt_stage("%s", what);
    if (MPI_COMM_NULL != comm) {
        for (pc_kind_t kind = PC_NEIGHBOR_ALLGATHER; kind <= PC_NEIGHBOR_ALLTOALLW; kind++) {
            use(comm, kind, random);
        }
        MPI_Comm_free(&comm);
    }
    mt_result("neighbourhood collectives give what MPI's give: %s", what);
}

/* What comes from MPI_PROC_NULL has arrived from the beginning, and nothing is written, also where
 * the receive buffer has gaps. */
static void from_nobody(void)
{
    MPI_Comm line = cartesian(1, 1, 0);
    int nobody[2] = {0 == mt_rank(), mt_size() - 1 == mt_rank()}; /* on the left, on the right */
    int out[4] = {1, 2, 3, 4};
    int in[6] = {-1, -1, -1, -1, -1, -1};
    MPI_Datatype gappy;
    MPI_Request request;

    MPI_Type_vector(2, 1, 2, MPI_INT, &gappy);
    MPI_Type_commit(&gappy);
    mt_success(MPIX_Pneighbor_alltoall_init(out, 1, 2, MPI_INT, in, 1, 1, gappy, line,
                                            MPI_INFO_NULL, &request),
               "MPIX_Pneighbor_alltoall_init");
    for (int i = 0; i < ITERATIONS; i++) {
        mt_success(MPI_Start(&request), "MPI_Start");
        for (int side = 0; side < 2; side++) {
            mt_check(!nobody[side] || mt_arrived(request, side),
                     "partition %d comes from MPI_PROC_NULL and has not arrived", side);
        }
        mt_success(MPI_Pready_range(0, 1, request), "MPI_Pready_range");
        mt_finish(&request, MPI_STATUS_IGNORE);
        for (int side = 0; side < 2; side++) {
            int first = nobody[side] ? -1 : 0 == side ? 3 : 1;
            int second = nobody[side] ? -1 : first + 1;
            mt_check(first == in[3 * side] && -1 == in[3 * side + 1]
                         && second == in[3 * side + 2],
                     "block %d is %d %d %d", side, in[3 * side], in[3 * side + 1],
                     in[3 * side + 2]);
        }
    }
    mt_free(&request);
    MPI_Type_free(&gappy);
    MPI_Comm_free(&line);
    mt_result("partitions from MPI_PROC_NULL have arrived from the beginning");
}

/* Buffers of which nothing is sent or received may be anything: of a process alone on a line, and
 * of one that sends to nobody. So may displacements of empty blocks. */
static void nothing_is_there(void)
{
    MPI_Count none[2] = {0, 0};
    MPI_Aint far[2] = {PTRDIFF_MAX, PTRDIFF_MIN};
    int partitions[2] = {1, 1}, dims[1] = {1}, periods[1] = {0}, first = 0, last = mt_size() - 1;
    int ends = first == mt_rank() && last != first, in[4] = {-1, -1, -1, -1}, out[4] = {5, 6, 7, 8};
    int gets = last == mt_rank() && last != first;
    MPI_Comm alone, arrow;
    MPI_Request request[3];

    MPI_Cart_create(MPI_COMM_SELF, 1, dims, periods, 0, &alone);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, gets, &first, dims, ends, &last, dims,
                                   MPI_INFO_NULL, 0, &arrow); /* weights of 1 */
    mt_success(MPIX_Pneighbor_alltoall_init(NULL, 1, 5, MPI_INT, NULL, 1, 5, MPI_INT, alone,
                                            MPI_INFO_NULL, &request[0]),
               "MPIX_Pneighbor_alltoall_init without neighbours");
    mt_success(MPIX_Pneighbor_alltoallv_init(out, partitions, none, far, MPI_INT, in, partitions,
                                             none, far, MPI_INT, alone, MPI_INFO_NULL, &request[1]),
               "MPIX_Pneighbor_alltoallv_init of empty blocks");
    mt_success(MPIX_Pneighbor_allgather_init(ends ? out : NULL, 1, 4, MPI_INT, gets ? in : NULL, 1,
                                             4, MPI_INT, arrow, MPI_INFO_NULL, &request[2]),
               "MPIX_Pneighbor_allgather_init");
    for (int i = 0; i < 3; i++) {
        mt_success(MPI_Start(&request[i]), "MPI_Start");
        mt_success(MPI_Pready_range(0, 2 == i ? 0 : 1, request[i]), "MPI_Pready_range");
        mt_finish(&request[i], MPI_STATUS_IGNORE);
        mt_free(&request[i]);
    }
    mt_check(!gets || 0 == memcmp(in, out, sizeof(in)), "%d %d %d %d have come", in[0], in[1],
             in[2], in[3]);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&arrow);
    mt_result("where nothing is sent and received, buffers and displacements may be anything");
}

int main(int argc, char **argv)
{
    mt_random_t random;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    mt_random_seed(&random, (uint64_t) (1 + mt_rank()));
    pc_world_make();
    use_all(cartesian(1, 1, 0), "a line", &random);
    use_all(cartesian(1, 1, 1), "a ring", &random);
    use_all(cartesian(2, 1, 1), "a ring of rings of one process", &random);
    if (mt_size() > 1) {
        use_all(cartesian(2, 2, 1), "a torus with two processes in a dimension", &random);
        use_all(cartesian(2, 2, 0), "a grid with two processes in a dimension", &random);
    }
    use_all(graph(), "a graph with edges to oneself", &random);
    use_all(distributed(), "a distributed graph with edges to oneself and double ones", &random);
    if (!pc_is_persistent()) {
        from_nobody();
        nothing_is_there();
    }
    pc_world_drop();
    return mt_end();
}
