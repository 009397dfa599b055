/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A listener whose receive fails, or cannot be posted, hears again later. The PML is a stand-in.
 */
#include "ompi_config.h"

#include "unit.h"

#include "wireup/part_ucx_listener.h"

#include <string.h>

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"

/* Looks that are enough for a listener to try again. */
#define LOOKS 1000

static struct {
    int failures;            /* so many receives cannot be posted */
    int posted;
    ompi_request_t request;  /* the last one that could */
} pml;

static ompi_communicator_t comm;
static int heard;

static int free_request(ompi_request_t **request)
{
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int irecv(void *buffer, size_t count, struct ompi_datatype_t *datatype, int source, int tag,
                 ompi_communicator_t *of, ompi_request_t **request)
{
    (void) buffer, (void) count, (void) datatype, (void) source, (void) tag, (void) of;
    if (pml.failures > 0) {
        --pml.failures;
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ++pml.posted;
    memset(&pml.request, 0, sizeof(pml.request));
    pml.request.req_complete = REQUEST_PENDING;
    pml.request.req_free = free_request;
    *request = &pml.request;
    return OMPI_SUCCESS;
}

static void message(ompi_communicator_t *of, int source, const void *text, size_t length)
{
    (void) of, (void) source, (void) text, (void) length;
    ++heard;
}

static void look(int times)
{
    for (int i = 0; i < times; ++i) {
        (void) mca_part_ucx_listeners_progress(message);
    }
}

/* The posted receive ends like this. */
static void end_receive(int error)
{
    pml.request.req_status.MPI_ERROR = error;
    pml.request.req_complete = REQUEST_COMPLETED;
}

static mca_part_ucx_listener_t *listener_open(void)
{
    mca_part_ucx_listener_t *listener;

    memset(&pml, 0, sizeof(pml));
    heard = 0;
    comm.super.s_base.obj_reference_count = LOOKS; /* more than are given back */
    mca_pml.pml_irecv = irecv;
    mca_part_ucx_listeners_open();
    listener = mca_part_ucx_listener_get(&comm);
    assert_non_null(listener);
    assert_int_equal(1, pml.posted);
    return listener;
}

static void listener_close(mca_part_ucx_listener_t *listener)
{
    listener->users = 0;
    listener->receive = NULL;
    look(1);
}

/* After a message there was no memory for the next receive. */
static void it_could_not_be_posted(void **state)
{
    mca_part_ucx_listener_t *listener = listener_open();

    (void) state;
    pml.failures = 3;
    end_receive(MPI_SUCCESS);
    look(LOOKS);
    assert_int_equal(1, heard);
    assert_int_equal(2, pml.posted);
    end_receive(MPI_SUCCESS);
    look(1);
    assert_int_equal(2, heard);
    listener_close(listener);
}

/* As when a process of the communicator dies. Not in every look: it may fail for ever. */
static void it_has_failed(void **state)
{
    mca_part_ucx_listener_t *listener = listener_open();

    (void) state;
    end_receive(MPI_ERR_OTHER);
    look(1);
    assert_int_equal(1, pml.posted);
    look(LOOKS);
    assert_int_equal(2, pml.posted);
    end_receive(MPI_SUCCESS);
    look(1);
    assert_int_equal(1, heard);
    listener_close(listener);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_could_not_be_posted),
        cmocka_unit_test(it_has_failed),
    };

    return UNIT_RUN(tests);
}
