/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counted error handlers: which communicator's handler ran, how often, with which class.
 */

#include "internal.h"

#include <stdio.h>
#include <string.h>

#define MAX_WATCHED 16

static struct {
    MPI_Comm comm[MAX_WATCHED];
    int invoked[MAX_WATCHED];
    int watched;
    int elsewhere; /* invoked with a communicator that nobody watches */
    MPI_Errhandler handler;
} errors = {.handler = MPI_ERRHANDLER_NULL};

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void) code;
    for (int i = 0; i < errors.watched; i++) {
        if (errors.comm[i] == *comm) {
            errors.invoked[i]++;
            return;
        }
    }
    errors.elsewhere++;
}

static void watch_one(MPI_Comm comm)
{
    for (int i = 0; i < errors.watched; i++) {
        if (errors.comm[i] == comm) {
            MPI_Comm_set_errhandler(comm, errors.handler); /* a new object may have an old handle */
            return;
        }
    }
    if (MAX_WATCHED == errors.watched) {
        mt_check(false, "more than %d communicators watched", MAX_WATCHED);
        return;
    }
    MPI_Comm_set_errhandler(comm, errors.handler);
    errors.comm[errors.watched] = comm;
    errors.invoked[errors.watched] = 0;
    errors.watched++;
}

void mt_errors_watch(MPI_Comm comm)
{
    if (MPI_ERRHANDLER_NULL == errors.handler) {
        MPI_Comm_create_errhandler(count_error, &errors.handler);
        watch_one(MPI_COMM_WORLD);
        watch_one(MPI_COMM_SELF);
    }
    watch_one(comm);
}

void mt_errors_release(void)
{
    if (MPI_ERRHANDLER_NULL != errors.handler) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
        MPI_Errhandler_free(&errors.handler);
    }
}

void mt_errors_clear(void)
{
    memset(errors.invoked, 0, sizeof(errors.invoked));
    errors.elsewhere = 0;
}

int mt_errors_of(MPI_Comm comm)
{
    for (int i = 0; i < errors.watched; i++) {
        if (errors.comm[i] == comm) {
            return errors.invoked[i];
        }
    }
    return 0;
}

int mt_errors_total(void)
{
    int total = errors.elsewhere;

    for (int i = 0; i < errors.watched; i++) {
        total += errors.invoked[i];
    }
    return total;
}

int mt_error_class(int code)
{
    int error_class = MPI_ERR_LASTCODE;

    if (MPI_SUCCESS == code) {
        return MPI_SUCCESS;
    }
    MPI_Error_class(code, &error_class);
    return error_class;
}

const char *mt_class_name(int error_class)
{
    static const struct {
        int value;
        const char *name;
    } names[] = {
        {MPI_SUCCESS, "MPI_SUCCESS"},
        {MPI_ERR_ARG, "MPI_ERR_ARG"},
        {MPI_ERR_BUFFER, "MPI_ERR_BUFFER"},
        {MPI_ERR_COMM, "MPI_ERR_COMM"},
        {MPI_ERR_COUNT, "MPI_ERR_COUNT"},
        {MPI_ERR_INTERN, "MPI_ERR_INTERN"},
        {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM"},
        {MPI_ERR_OTHER, "MPI_ERR_OTHER"},
#ifdef MPI_ERR_PROC_FAILED
        {MPI_ERR_PROC_FAILED, "MPI_ERR_PROC_FAILED"},
        {MPI_ERR_REVOKED, "MPI_ERR_REVOKED"},
#endif
        {MPI_ERR_RANK, "MPI_ERR_RANK"},
        {MPI_ERR_REQUEST, "MPI_ERR_REQUEST"},
        {MPI_ERR_TAG, "MPI_ERR_TAG"},
        {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE"},
        {MPI_ERR_TYPE, "MPI_ERR_TYPE"},
        {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN"},
        {MPI_ERR_INFO, "MPI_ERR_INFO"},
        {MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS"},
        {MPI_ERR_OP, "MPI_ERR_OP"},
        {MPI_ERR_ROOT, "MPI_ERR_ROOT"},
        {MPI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY"},
        {MPI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION"},
    };
    static __thread char number[32];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].value == error_class) {
            return names[i].name;
        }
    }
    snprintf(number, sizeof(number), "class %d", error_class);
    return number;
}

bool mt_expect_class(int code, int error_class, const char *what)
{
    char got[32];

    snprintf(got, sizeof(got), "%s", mt_class_name(mt_error_class(code)));
    mt_errors_clear();
    return mt_check(mt_error_class(code) == error_class, "%s: returned %s, expected %s", what, got,
                    mt_class_name(error_class));
}

bool mt_expect(MPI_Comm comm, int code, int error_class, const char *what)
{
    int here = mt_errors_of(comm);
    int total = mt_errors_total();
    bool good = mt_expect_class(code, error_class, what);

    return mt_check(1 == here && 1 == total,
                    "%s: the communicator's handler ran %d times, others %d times", what, here,
                    total - here)
           && good;
}

bool mt_expect_quiet(const char *what)
{
    int total = mt_errors_total();

    mt_errors_clear();
    return mt_check(0 == total, "%s: error handlers ran %d times", what, total);
}
