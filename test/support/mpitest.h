/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Support library of the MPI test programs: properties reported as TAP by rank 0, deadlines that
 * turn a hang into a failure with context, byte patterns, counted error handlers.
 *
 * A test program reads like this:
 *
 *     mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);      MPI_Init and the watchdog
 *     mt_check(x == y, "x is %d", x);                    local, silent when true
 *     mt_result("a send completes after the last Pready");   all ranks: one TAP line
 *     return mt_end();                                   plan, MPI_Finalize, exit status
 *
 * mt_result is the only place where results meet: every rank calls it the same number of times.
 * A property fails when any check failed on any rank since the last mt_result.
 */

#ifndef MPIX_TEST_MPITEST_H
#define MPIX_TEST_MPITEST_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MT_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* ---- life cycle ---- */

/* Initialises MPI at the thread level asked for and starts the watchdog. A job with fewer ranks
 * than min_ranks, or a library that does not give the level, skips the whole program (exit 0). */
void mt_begin(int *argc, char ***argv, int level, int min_ranks);

/* The same for programs that bring their own communicator (sessions): it is duplicated. */
void mt_begin_on(MPI_Comm comm);

/* Only the watchdog, before MPI is there: its rank is the launcher's. mt_begin_on may follow. */
void mt_watch(void);

/* A communicator of all processes from a session, with a name of its own; MPI_COMM_NULL: this MPI
 * makes none. */
MPI_Comm mt_session_world(MPI_Session session, const char *name);

/* Such a session, and that communicator of it; MPI_COMM_NULL: there is none, and a result that has
 * failed is printed. */
MPI_Comm mt_session_open(MPI_Session *session, const char *name);

/* Prints the plan, finalises MPI unless the program brought its own communicator (mt_begin_on),
 * and gives the exit status. */
int mt_end(void);

/* Instead of mt_end where a rank of MPI_COMM_WORLD, not 0, is dead (MPI_PROC_NULL: none is), and
 * MPI_Finalize is not to be called: ends the job when all others are as far. */
_Noreturn void mt_end_without(int victim);

int mt_rank(void);
int mt_size(void);

/* ---- results ---- */

/* A local check: returns the condition; when false prints one comment line with the rank and makes
 * the current property fail. */
bool mt_check(bool condition, const char *format, ...) MT_PRINTF(2, 3);

/* Ends the current property: combines the checks of all ranks, rank 0 prints "ok" or "not ok". */
bool mt_result(const char *format, ...) MT_PRINTF(1, 2);

/* Reports a property as skipped, with the reason (all ranks call it). */
void mt_skip(const char *reason, const char *format, ...) MT_PRINTF(2, 3);

/* A comment line of this rank in the output. */
void mt_note(const char *format, ...) MT_PRINTF(1, 2);

/* A line "RESULT rank N: ..." for a script, which judges instead of mt_result. */
void mt_report(const char *format, ...) MT_PRINTF(1, 2);

/* The same, and the job ends. */
void mt_give_up(const char *format, ...) MT_PRINTF(1, 2);

/* Number of local checks that failed since the last mt_result. */
int mt_failures(void);

/* Like mt_check for a return code that must be MPI_SUCCESS. */
bool mt_success(int code, const char *what);

/* ---- time ---- */

double mt_now(void);

/* Names what happens next, for the message of the watchdog. */
void mt_stage(const char *format, ...) MT_PRINTF(1, 2);

/* Gives the program this many seconds from now before the watchdog ends it. */
void mt_limit(double seconds);

/* Stays outside MPI for this long. */
void mt_sleep(double seconds);

/* Drives MPI's progress for this long without touching any request of the test. */
void mt_progress(double seconds);

/* A copy of a communicator with an info key. */
MPI_Comm mt_dup_with(MPI_Comm comm, const char *key, const char *value);

/* Meets all ranks (barrier on a private communicator). */
void mt_sync(void);

/* Polls MPI_Test until the request completes or the seconds, from 1 on times MPIX_TEST_SCALE, are
 * over: then false. The code of the completing MPI_Test is stored in *code when code is given,
 * else it must be MPI_SUCCESS. */
bool mt_wait(MPI_Request *request, double seconds, MPI_Status *status, int *code);

/* Polls MPI_Parrived until true or these seconds are over. */
bool mt_arrives(MPI_Request request, int partition, double seconds);

/* One call of MPI_Parrived: the flag (an error counts as a failed check). */
bool mt_arrived(MPI_Request request, int partition);

/* MPI_Request_get_status: is the request complete? */
bool mt_complete(MPI_Request request);

/* Completes a request that must complete without error; a hang ends the program (watchdog). */
void mt_finish(MPI_Request *request, MPI_Status *status);

/* Frees a request; the handle must become MPI_REQUEST_NULL. */
void mt_free(MPI_Request *request);

/* The same for one that has failed, unless the completion call has freed it, as Open MPI before
 * 5.0.10 does. */
void mt_free_failed(MPI_Request *request);

/* ---- data ---- */

/* Allocates or ends the program. Freed with free(). */
void *mt_alloc(size_t bytes);

/* The byte that belongs at an offset of the stream named by seed. */
unsigned char mt_byte(uint64_t seed, size_t offset);

/* Writes, or counts the wrong bytes of, [offset, offset + bytes) of the stream into/at buffer. */
void mt_fill(void *buffer, size_t bytes, uint64_t seed, size_t offset);
size_t mt_wrong(const void *buffer, size_t bytes, uint64_t seed, size_t offset);

/* Number of bytes that differ from value. */
size_t mt_differ(const void *buffer, size_t bytes, unsigned char value);

/* Number of bytes in gaps, where the mask is 0 and not 0xff, that differ from the value that was
 * put there. */
size_t mt_spilled(const unsigned char *memory, const unsigned char *mask, size_t bytes,
                  unsigned char gap);

/* Of a buffer of gigabytes only some blocks are written and checked: around the edges of the buffer
 * and of 2^31 bytes, and one in each MiB. That tells shifted, truncated and missing data, too.
 * Moves *offset to the next such block, which begins there; false: there is none.
 *
 *     for (size_t at = 0; mt_sparse(&at, total); at += MT_BLOCK) ... */
#define MT_BLOCK ((size_t) 4096)
bool mt_sparse(size_t *offset, size_t total);

/* Typed buffers. The stream is what MPI_Pack would give, so both sides of a channel agree on it
 * whatever their datatypes. */
typedef struct mt_typed {
    unsigned char *memory; /* whole allocation */
    unsigned char *origin; /* address to give to MPI */
    unsigned char *mask;   /* 0xff where the datatype has a byte, 0 in gaps */
    unsigned char gap;     /* what a byte begins with */
    size_t span;           /* bytes of the allocation */
    MPI_Datatype type;
    int partitions;
    MPI_Count count;       /* elements of one partition */
    size_t partition_size; /* bytes of data in one partition */
    MPI_Aint extent;       /* of one element */
} mt_typed_t;

#define MT_SENTINEL 0xA5u
/* Every byte, gaps and a margin on both sides included, begins with the buffer's `gap`. Others have
 * another one, on this rank and on those near it, so what comes with the gaps of a sender shows. */
void mt_typed_make(mt_typed_t *typed, int partitions, MPI_Count count, MPI_Datatype type);
void mt_typed_drop(mt_typed_t *typed);
void mt_typed_reset(mt_typed_t *typed);
void mt_typed_fill(mt_typed_t *typed, int partition, uint64_t seed);
void mt_typed_fill_all(mt_typed_t *typed, uint64_t seed);
/* Wrong data bytes of a partition; -1: all bytes of all partitions. */
size_t mt_typed_wrong(const mt_typed_t *typed, int partition, uint64_t seed);
/* Bytes in gaps and margins that are no longer the sentinel. */
size_t mt_typed_spilled(const mt_typed_t *typed);
/* Bytes of the whole allocation that are no longer the sentinel. */
size_t mt_typed_touched(const mt_typed_t *typed);

/* ---- random numbers (same sequence for the same seed everywhere) ---- */

typedef struct mt_random {
    uint64_t state;
} mt_random_t;

void mt_random_seed(mt_random_t *random, uint64_t seed);
uint64_t mt_random_next(mt_random_t *random);
/* 0 .. bound-1 */
int mt_random_below(mt_random_t *random, int bound);
void mt_random_shuffle(mt_random_t *random, int *values, int count);

/* ---- errors ---- */

/* Attaches a handler that counts and returns to the communicator (at most 16 of them).
 * MPI_COMM_SELF and MPI_COMM_WORLD get one too, so that a handler of the wrong object is
 * noticed. */
void mt_errors_watch(MPI_Comm comm);
void mt_errors_clear(void);
int mt_errors_of(MPI_Comm comm);
int mt_errors_total(void);
int mt_error_class(int code);
const char *mt_class_name(int error_class);

/* The call must have returned this class, and the handler of this communicator, and no other, must
 * have been invoked exactly once. Clears the counters. */
bool mt_expect(MPI_Comm comm, int code, int error_class, const char *what);

/* The call must have returned this class; which object's handler ran is the library's business. */
bool mt_expect_class(int code, int error_class, const char *what);

/* No handler of any watched object may have been invoked since the last clear. */
bool mt_expect_quiet(const char *what);

/* ---- which library this is ---- */

/* True when the part component in use is the one named ("ucx", "persist"), as the runner
 * selected. */
bool mt_component_is(const char *name);

/* True when the runner asks tests that only repeat things to repeat them less often. */
bool mt_slow(void);

#endif
