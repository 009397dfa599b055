/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Life cycle and results of a test program: one TAP line for each property, printed by rank 0.
 */

#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One failing loop must not bury the log: further failures of a property are only counted. */
#define MAX_LINES_PER_PROPERTY 8

static struct {
    MPI_Comm comm; /* private: results and mt_sync travel here */
    int rank;
    int size;
    int properties; /* reported so far */
    int failed;     /* properties that failed */
    int local;      /* failed checks of the current property on this rank */
    bool borrowed;  /* mt_begin_on: the program finalises MPI itself */
} state = {.comm = MPI_COMM_NULL};

/* One write per line: the output of several ranks and threads meets in one pipe. */
static void print_line(const char *prefix, const char *format, va_list arguments)
{
    char text[1024];
    int used = snprintf(text, sizeof(text), "%s", prefix);
    used += vsnprintf(text + used, sizeof(text) - (size_t) used - 1, format, arguments);
    if (used > (int) sizeof(text) - 2) {
        used = (int) sizeof(text) - 2;
    }
    text[used] = '\n';
    fwrite(text, 1, (size_t) used + 1, stdout);
    fflush(stdout);
}

/* The same of this rank: "# " or "RESULT " before it. */
static void print_mine(const char *kind, const char *format, va_list arguments)
{
    char prefix[32];

    snprintf(prefix, sizeof(prefix), "%srank %d: ", kind, state.rank);
    print_line(prefix, format, arguments);
}

static void print_plan_skip(const char *reason)
{
    if (0 == state.rank) {
        printf("1..0 # SKIP %s\n", reason);
        fflush(stdout);
    }
}

static void take_communicator(MPI_Comm comm)
{
    MPI_Comm_dup(comm, &state.comm);
    MPI_Comm_rank(state.comm, &state.rank);
    MPI_Comm_size(state.comm, &state.size);
    mt_watchdog_start(state.rank);
}

void mt_begin(int *argc, char ***argv, int level, int min_ranks)
{
    int provided = MPI_THREAD_SINGLE;
    char reason[128];

    setvbuf(stdout, NULL, _IOLBF, 4096);
    MPI_Init_thread(argc, argv, level, &provided);
    take_communicator(MPI_COMM_WORLD);
    reason[0] = '\0';
    if (provided < level) {
        snprintf(reason, sizeof(reason), "this MPI gives thread level %d, the test needs %d",
                 provided, level);
    } else if (state.size < min_ranks) {
        snprintf(reason, sizeof(reason), "needs %d ranks, has %d", min_ranks, state.size);
    }
    if ('\0' != reason[0]) {
        print_plan_skip(reason);
        MPI_Comm_free(&state.comm);
        MPI_Finalize();
        exit(0);
    }
}

void mt_begin_on(MPI_Comm comm)
{
    setvbuf(stdout, NULL, _IOLBF, 4096);
    state.borrowed = true;
    take_communicator(comm);
}

void mt_watch(void)
{
    const char *rank = getenv("PMIX_RANK");

    setvbuf(stdout, NULL, _IOLBF, 4096);
    state.rank = NULL == rank ? 0 : atoi(rank);
    mt_watchdog_start(state.rank);
}

MPI_Comm mt_session_world(MPI_Session session, const char *name)
{
    MPI_Group group;
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    return comm;
}

MPI_Comm mt_session_open(MPI_Session *session, const char *name)
{
    MPI_Comm comm = MPI_COMM_NULL;

    if (MPI_SUCCESS == MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)) {
        comm = mt_session_world(*session, name);
    }
    if (MPI_COMM_NULL == comm && 0 == state.rank) {
        printf("not ok 1 - a communicator of a session\n1..1\n");
    }
    return comm;
}

int mt_end(void)
{
    /* Checks after the last property meet nowhere: the exit status of this rank tells of them. */
    int failed = state.failed + state.local;

    mt_stage("MPI_Finalize");
    if (0 == state.rank) {
        printf("1..%d\n", state.properties);
        fflush(stdout);
    }
    mt_watchdog_plan_printed();
    mt_errors_release();
    MPI_Comm_free(&state.comm);
    if (!state.borrowed) {
        MPI_Finalize();
        mt_watchdog_stop();
    }
    return 0 == failed ? 0 : 1;
}

static _Noreturn void end_job(void)
{
    mt_sleep(0.3); /* mpirun drops what it has not yet shown */
    MPI_Abort(MPI_COMM_WORLD, 0);
    exit(0);
}

/* Not on the communicator of the test: where a process dies, Open MPI 5.0.7 now and then loses a
 * message of a survivor, and later ones on that communicator wait for it (docs/limits.md). */
void mt_end_without(int victim)
{
    if (0 != mt_rank()) {
        MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 0, NULL, 0, MPI_BYTE, 0, 0, state.comm,
                     MPI_STATUS_IGNORE);
        end_job();
    }
    for (int rank = 1; rank < mt_size(); rank++) {
        if (rank != victim) {
            MPI_Recv(NULL, 0, MPI_BYTE, rank, 0, state.comm, MPI_STATUS_IGNORE);
        }
    }
    for (int rank = 1; rank < mt_size(); rank++) {
        if (rank != victim) {
            MPI_Send(NULL, 0, MPI_BYTE, rank, 0, state.comm);
        }
    }
    end_job();
}

int mt_rank(void)
{
    return state.rank;
}

int mt_size(void)
{
    return state.size;
}

MPI_Comm mt_private_comm(void)
{
    return state.comm;
}

int mt_properties(void)
{
    return state.properties;
}

bool mt_check(bool condition, const char *format, ...)
{
    va_list arguments;

    if (condition) {
        return true;
    }
    int count = __atomic_add_fetch(&state.local, 1, __ATOMIC_RELAXED);
    if (count > MAX_LINES_PER_PROPERTY) {
        return false;
    }
    va_start(arguments, format);
    print_mine("# ", format, arguments);
    va_end(arguments);
    return false;
}

bool mt_success(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (MPI_SUCCESS == code) {
        return true;
    }
    MPI_Error_string(code, text, &length);
    return mt_check(false, "%s returned %s", what, text);
}

int mt_failures(void)
{
    return __atomic_load_n(&state.local, __ATOMIC_RELAXED);
}

static int combined_failures(void)
{
    int mine = __atomic_exchange_n(&state.local, 0, __ATOMIC_RELAXED);
    int all = 0;

    if (mine > MAX_LINES_PER_PROPERTY) {
        printf("# rank %d: %d further failures of this kind\n", state.rank,
               mine - MAX_LINES_PER_PROPERTY);
        fflush(stdout);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, state.comm);
    return all;
}

bool mt_result(const char *format, ...)
{
    char prefix[32];
    va_list arguments;
    char property[256];

    va_start(arguments, format);
    vsnprintf(property, sizeof(property), format, arguments);
    va_end(arguments);
    mt_stage("%s", property);
    int failures = combined_failures();
    state.properties++;
    if (0 != failures) {
        state.failed++;
    }
    if (0 == state.rank) {
        snprintf(prefix, sizeof(prefix), "%sok %d - ", 0 == failures ? "" : "not ",
                 state.properties);
        va_start(arguments, format);
        print_line(prefix, format, arguments);
        va_end(arguments);
    }
    mt_stage("after: %s", property);
    return 0 == failures;
}

void mt_skip(const char *reason, const char *format, ...)
{
    char text[512];
    va_list arguments;

    state.properties++;
    if (0 != state.rank) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    printf("ok %d - %s # SKIP %s\n", state.properties, text, reason);
    fflush(stdout);
}

void mt_note(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_mine("# ", format, arguments);
    va_end(arguments);
}

void mt_report(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_mine("RESULT ", format, arguments);
    va_end(arguments);
}

void mt_give_up(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_mine("RESULT ", format, arguments);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

bool mt_component_is(const char *name)
{
    const char *selected = getenv("MPIX_TEST_PART");

    return 0 == strcmp(name, NULL == selected ? "ucx" : selected);
}

bool mt_slow(void)
{
    const char *slow = getenv("MPIX_TEST_SLOW");

    return NULL != slow && 0 == strcmp(slow, "1");
}
