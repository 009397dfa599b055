/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The job (see job.h).
 */
#include "job.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Seconds without a new step until the program gives up. */
enum { PATIENCE = 60 };

/* ---- ends ---- */

static char present_step[256];
static unsigned patience = PATIENCE;

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

    (void) ignored;
}

/* In a signal handler: MPI itself may be what is stuck. */
static void give_up(int number)
{
    (void) number;
    say("part_ucx_info: nothing has happened for too long. It was ");
    say(present_step);
    say(".\nMPI's own messages do not get through, it seems: check the PML and the network.\n");
    _exit(2);
}

void info_step(const char *format, ...)
{
    va_list args;

    alarm(0);
    va_start(args, format);
    vsnprintf(present_step, sizeof(present_step), format, args);
    va_end(args);
    signal(SIGALRM, give_up);
    alarm(patience);
}

void info_step_longer(double seconds)
{
    patience = PATIENCE + (unsigned) seconds;
}

void info_die(const char *format, ...)
{
    int begun = 0, ended = 0;
    va_list args;

    fprintf(stderr, "part_ucx_info: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    exit(2);
}

double info_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* ---- hosts ---- */

static void find_hosts(info_job_t *job)
{
    int place[2];

    MPI_Comm_split_type(job->world, MPI_COMM_TYPE_SHARED, job->rank, MPI_INFO_NULL, &job->local);
    MPI_Comm_rank(job->local, &job->local_rank);
    MPI_Comm_size(job->local, &job->local_size);
    MPI_Comm_split(job->world, 0 == job->local_rank ? 0 : MPI_UNDEFINED, job->rank, &job->leaders);
    if (0 == job->local_rank) {
        MPI_Comm_rank(job->leaders, &place[0]);
        MPI_Comm_size(job->leaders, &place[1]);
    }
    MPI_Bcast(place, 2, MPI_INT, 0, job->local);
    job->host = place[0];
    job->hosts = place[1];
}

static void find_mate(info_job_t *job)
{
    int *ranks = calloc((size_t) job->local_size, sizeof(*ranks));

    if (NULL == ranks) {
        info_die("out of memory");
    }
    MPI_Allgather(&job->rank, 1, MPI_INT, ranks, 1, MPI_INT, job->local);
    job->mate = job->local_size > 1 && job->local_rank < 2 ? ranks[1 - job->local_rank] : -1;
    free(ranks);
}

void info_job_begin(info_job_t *job)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &job->world);
    MPI_Comm_set_errhandler(job->world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(job->world, &job->rank);
    MPI_Comm_size(job->world, &job->size);
    find_hosts(job);
    find_mate(job);
}

/* What this rank has printed goes through mpirun, whose own message about MPI_Abort may come by
 * another way, and be printed in the middle of it. */
static void let_output_through(void)
{
    struct timespec moment = {.tv_nsec = 20000000};

    /* Until mpirun has had half a second for what it has taken, but not for ever. */
    for (int moments = 0, taken = 0; moments < 125 && taken < 25; ++moments) {
        int unread = 0;

        taken = 0 == ioctl(STDOUT_FILENO, FIONREAD, &unread) && unread > 0 ? 0 : taken + 1;
        (void) nanosleep(&moment, NULL);
    }
}

void info_job_end(info_job_t *job, bool stuck, int status)
{
    info_step("ending MPI");
    if (stuck) {
        /* Active requests can neither be cancelled nor freed. */
        fflush(NULL);
        if (0 == job->rank) {
            let_output_through();
        }
        MPI_Barrier(job->world);
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    if (MPI_COMM_NULL != job->leaders) {
        MPI_Comm_free(&job->leaders);
    }
    MPI_Comm_free(&job->local);
    MPI_Comm_free(&job->world);
    MPI_Finalize();
    alarm(0);
}

/* ---- records ---- */

static int *starts_of(const int *lengths, int count, size_t *total)
{
    int *starts = calloc((size_t) count, sizeof(*starts));

    *total = 0;
    for (int i = 0; NULL != starts && i < count; ++i) {
        if (*total > INT_MAX - (size_t) lengths[i]) {
            info_die("the job is too large: run it with fewer processes on a host");
        }
        starts[i] = (int) *total;
        *total += (size_t) lengths[i];
    }
    return starts;
}

void info_gather(const info_job_t *job, const void *bytes, size_t length, char **all, size_t *total)
{
    int mine = (int) length;
    int *lengths = NULL, *starts = NULL;

    *all = NULL;
    *total = 0;
    if (0 == job->rank) {
        lengths = calloc((size_t) job->size, sizeof(*lengths));
        if (NULL == lengths) {
            info_die("out of memory");
        }
    }
    MPI_Gather(&mine, 1, MPI_INT, lengths, 1, MPI_INT, 0, job->world);
    if (0 == job->rank) {
        starts = starts_of(lengths, job->size, total);
        *all = malloc(*total + 1);
        if (NULL == *all || NULL == starts) {
            info_die("out of memory");
        }
    }
    MPI_Gatherv(bytes, mine, MPI_BYTE, *all, lengths, starts, MPI_BYTE, 0, job->world);
    free(lengths);
    free(starts);
}
