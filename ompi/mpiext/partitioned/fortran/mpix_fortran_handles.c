/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Handles of Fortran (see mpix_fortran.h), one by one and in arrays.
 */
#include "mpix_fortran.h"

#include <stdlib.h>

MPI_Comm mpix_fortran_comm(const MPI_Fint *comm)
{
    MPI_Comm known = PMPI_Comm_f2c(*comm);

    return NULL == known ? MPI_COMM_NULL : known;
}

MPI_Datatype mpix_fortran_datatype(const MPI_Fint *datatype)
{
    MPI_Datatype known = PMPI_Type_f2c(*datatype);

    return NULL == known ? MPI_DATATYPE_NULL : known;
}

MPI_Info mpix_fortran_info(const MPI_Fint *info)
{
    return PMPI_Info_f2c(*info); /* NULL is refused, MPI_INFO_NULL is not */
}

MPI_Op mpix_fortran_op(const MPI_Fint *op)
{
    MPI_Op known = PMPI_Op_f2c(*op);

    return NULL == known ? MPI_OP_NULL : known;
}

MPI_Request mpix_fortran_request(const MPI_Fint *request)
{
    return PMPI_Request_f2c(*request); /* NULL is refused, MPI_REQUEST_NULL need not be */
}

MPI_Request *mpix_fortran_requests(int count, const MPI_Fint *requests)
{
    MPI_Request *list = count < 0 ? NULL : malloc(((size_t) count + 1) * sizeof(*list));

    for (int i = 0; NULL != list && i < count; ++i) {
        list[i] = mpix_fortran_request(&requests[i]);
    }
    return list;
}

/* ---- how many blocks there are ---- */

static int graph_degree(MPI_Comm comm)
{
    int rank, degree = 0;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &degree);
    return degree;
}

static int distributed_degree(MPI_Comm comm, mpix_fortran_side_t side)
{
    int sources = 0, destinations = 0, weighted;

    PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
    return MPIX_FORTRAN_SENDS == side ? destinations : sources;
}

/* None where there is no topology: init says so, and looks at no datatype. */
static int neighbors_of(MPI_Comm comm, mpix_fortran_side_t side)
{
    int topology = MPI_UNDEFINED, dimensions = 0;

    PMPI_Topo_test(comm, &topology);
    switch (topology) {
    case MPI_CART:
        PMPI_Cartdim_get(comm, &dimensions);
        return 2 * dimensions;
    case MPI_GRAPH:
        return graph_degree(comm);
    case MPI_DIST_GRAPH:
        return distributed_degree(comm, side);
    default:
        return 0;
    }
}

/* None on an intercommunicator, which init refuses. */
static int ranks_of(MPI_Comm comm)
{
    int inter = 0, size = 0;

    PMPI_Comm_test_inter(comm, &inter);
    if (!inter) {
        PMPI_Comm_size(comm, &size);
    }
    return size;
}

MPI_Datatype *mpix_fortran_types(const MPI_Fint *types, const MPI_Fint *comm,
                                 mpix_fortran_side_t side, int neighborhood)
{
    MPI_Comm known = mpix_fortran_comm(comm);
    int blocks = MPI_COMM_NULL == known ? 0
                 : neighborhood         ? neighbors_of(known, side)
                                        : ranks_of(known);
    MPI_Datatype *list = malloc(((size_t) blocks + 1) * sizeof(*list));

    for (int i = 0; NULL != list && i < blocks; ++i) {
        list[i] = mpix_fortran_datatype(&types[i]);
    }
    return list;
}

void mpix_fortran_return(MPI_Fint *ierror, int error)
{
    if (NULL != ierror) {
        *ierror = error;
    }
}
