/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Clocks, sleeping and computing.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

/* Seconds on a clock that never steps, the same for all processes of one machine. */
double bench_now(void);

/* Seconds of processor time that the calling thread has used. */
double bench_thread_cpu(void);

/* Seconds of processor time that the whole process has used, helper threads included. */
double bench_process_cpu(void);

/* Sleeps until the clock of bench_now() shows deadline. */
void bench_sleep_until(double deadline);

/* Keeps a core busy until the clock of bench_now() shows deadline, without entering MPI. */
void bench_spin_until(double deadline);

/* A fixed amount of arithmetic, about a nanosecond per unit; returns a value to keep it alive. */
double bench_compute(long units);

#endif
