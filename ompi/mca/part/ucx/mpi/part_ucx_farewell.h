/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The farewell of Open MPI's TCP, when MPI ends: a last word on each connection, which raises
 * SIGPIPE where the peer has left and reset the connection. A peer that leaves does so if a message
 * of ours lies in its socket that it has not read, such as that a request is freed. Where
 * MPI_Finalize waits for all processes everybody has read everything. Slurm's waits for nobody.
 *
 * So that signal, which the system sends to the thread that writes, is held back from that thread
 * until Open MPI's components are gone. Handlers, other threads and signals are left alone.
 */
#ifndef MCA_PART_UCX_FAREWELL_H
#define MCA_PART_UCX_FAREWELL_H

/* From now on SIGPIPE waits for the calling thread, if it has not held it back itself. */
void mca_part_ucx_farewell_begins(void);

/* On the same thread: drops what has come since, and lets signals through again. On another one, or
 * where nothing has begun: nothing. */
void mca_part_ucx_farewell_ends(void);

#endif /* MCA_PART_UCX_FAREWELL_H */
