/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up messages over the PML: one posted receive per communicator that has partitioned
 * requests, with a tag that no user call and no collective uses. All functions run under the
 * set-up lock, in threads of the application.
 */
#ifndef PART_UCX_LISTENER_H
#define PART_UCX_LISTENER_H

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/request/request.h"

#include <stdbool.h>

/**
 * The tag of set-up messages. Negative, so that wildcards never see it; outside the ranges of
 * collectives and communicator creation (-7 and below), and small, because pml/ucx carries 24 bits
 * of a tag. In these 24 bits the messages of neighbourhood collectives in the fourth dimension of a
 * grid have it, too. So where a grid has so many, and tags are cut, it is one that Open MPI keeps
 * for its fault tolerance, which such a PML has not, and does not send.
 */
#define PART_UCX_LISTENER_TAG (-5)
#define PART_UCX_LISTENER_TAG_OF_GRIDS MCA_COLL_BASE_TAG_FT_BASE

typedef struct mca_part_ucx_listener_t {
    struct mca_part_ucx_listener_t *next;
    ompi_communicator_t *comm; /**< reference held */
    ompi_request_t *receive;   /**< posted receive, NULL when none could be posted */
    int users;                 /**< requests and announcements; 0: to be closed */
    unsigned missed;           /**< looks since a receive could not be posted */
    void *buffer;
} mca_part_ucx_listener_t;

/** Called for each message: communicator, source rank in it, content. */
typedef void (*mca_part_ucx_message_fn_t)(ompi_communicator_t *comm, int source,
                                          const void *message, size_t length);

/** One user more of a communicator's listener; NULL when it cannot be made. */
mca_part_ucx_listener_t *mca_part_ucx_listener_get(ompi_communicator_t *comm);

/** One user less; the last one closes it. */
void mca_part_ucx_listener_put(mca_part_ucx_listener_t *listener);

/** Send a message; `message`, from malloc or the reserve, is freed when it has left. Open MPI
 * code. */
int mca_part_ucx_listener_send(ompi_communicator_t *comm, int rank, void *message, size_t length);

/** Send a copy of a message that nobody here waits for; the user is told when memory is short. */
void mca_part_ucx_listener_tell(ompi_communicator_t *comm, int rank, const void *message,
                                size_t length);

/** Deliver what has arrived, release what has left. Returns the number of messages. */
int mca_part_ucx_listeners_progress(mca_part_ucx_message_fn_t deliver);

/** Does any communicator of another instance of MPI than this one have a listener in use? Each
 * session is one, and the World Model. */
bool mca_part_ucx_listeners_of_others(const struct ompi_instance_t *instance);

/** MPI begins: listeners can be made. */
void mca_part_ucx_listeners_open(void);

/** Close all listeners (the end of MPI). `flush`: nobody has made progress for the PML since the
 * last message was sent, so do. */
void mca_part_ucx_listeners_close(bool flush);

#endif /* PART_UCX_LISTENER_H */
