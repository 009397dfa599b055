/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The farewell of Open MPI's TCP, when MPI ends: a last word on each connection. It raises SIGPIPE
 * where the peer has left and reset the connection. A peer that leaves does so if a message of ours
 * lies in its socket that it has not read, such as that a request is freed. Where MPI_Finalize
 * waits for all processes everybody has read everything. Slurm's waits for nobody.
 */
#ifndef MCA_PART_UCX_FAREWELL_H
#define MCA_PART_UCX_FAREWELL_H

/**
 * From now on SIGPIPE, which the system sends to the thread that writes, does not reach the calling
 * thread, if it would end the process. That lasts until the process ends: Open MPI calls nobody of
 * ours after the farewell. Other threads and handlers are left alone.
 */
void mca_part_ucx_farewell(void);

#endif /* MCA_PART_UCX_FAREWELL_H */
