/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The life of the component in a process (see part_ucx_life.h).
 */
#include "mpi/part_ucx_life.h"

#include "base/part_ucx_shm.h"
#include "channel/part_ucx_channel.h"
#include "channel/part_ucx_path_user.h"
#include "mpi/part_ucx_counters.h"
#include "mpi/part_ucx_errors.h"
#include "mpi/part_ucx_farewell.h"
#include "mpi/part_ucx_kept_comms.h"
#include "mpi/part_ucx_progress.h"
#include "path/part_ucx_headroom.h"
#include "path/part_ucx_helper.h"
#include "path/part_ucx_network.h"
#include "path/part_ucx_paths.h"
#include "path/part_ucx_peer.h"
#include "path/part_ucx_unmapping.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_listener.h"
#include "wireup/part_ucx_meet.h"
#include "wireup/part_ucx_wireup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/attribute/attribute.h"
#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/instance/instance.h"
#include "ompi/runtime/mpiruntime.h"
#include "ompi/runtime/params.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/proc.h"

static int finalize_keyval = MPI_KEYVAL_INVALID;

/* Where MPI is, not for the first time perhaps (sessions). Under the set-up lock. */
static enum {
    ENDED,  /* or not begun */
    BEGUN,
    LEAVING /* it is ending: nothing begins, and no set-up message is heard any more */
} phase;

/* Paths have been asked for, by which process, and what has come of it; under the set-up lock. */
static bool paths_asked;
static pid_t owner;
static int outcome;

/* All that was posted had reached the peers when MPI ended. */
static bool quiet;

/* Only this instance of MPI ends (NULL: all of them), and another one has channels. Under the
 * set-up lock. */
static bool others_go_on(const ompi_instance_t *instance)
{
    return NULL != instance && mca_part_ucx_listeners_of_others(instance);
}

/* See off what is on its way to peers. `instance`: only this one of MPI ends, so nothing is done,
 * and false returned, while another one has channels; NULL: all of them. */
static bool leave(double patience, const ompi_instance_t *instance)
{
    bool goes_on;

    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    goes_on = others_go_on(instance);
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    if (goes_on) {
        mca_part_ucx_errors_forget();
        return false;
    }
    mca_part_ucx_helper_stop();
    quiet = mca_part_ucx_paths_quiet(patience);
    if (!quiet) {
        PART_UCX_VERBOSE(1, "some paths still hold unsent data after %.0f s", patience);
    }
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    if (others_go_on(instance)) { /* another thread has made a session's first channel meanwhile */
        mca_part_ucx_helper_start();
        goes_on = true;
    } else {
        phase = LEAVING;
        mca_part_ucx_process.closing = true;
    }
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    mca_part_ucx_errors_forget();
    if (!goes_on) {
        mca_part_ucx_counters_summary();
    }
    return !goes_on;
}

/* Does MPI_Finalize wait for all processes that may be peers? For those of the job it does with
 * Open MPI's mpirun, which is known by the names that it gives to jobs. Slurm's does not. A process
 * that was started alone has no peers. */
static bool finalize_waits(void)
{
    const char *job = getenv("PMIX_NAMESPACE");
    bool waits = NULL != job && 0 == strncmp(job, "prte", 4) && !ompi_async_mpi_finalize;

    return (waits || opal_process_info.is_singleton) && 0 == ompi_comm_num_dyncomm;
}

/* Set-up messages that have come, such as that a peer has freed its request, are read and dropped.
 * If they still lay in its sockets when Open MPI's TCP closes them, that would be a reset for the
 * peers: the last word that TCP sends then ends a peer with SIGPIPE. */
static void hear_out(void)
{
    for (int i = 0; i < 100; ++i) { /* where nobody is connected, not every one looks */
        opal_progress();
    }
}

/*
 * Beginning of MPI_Finalize: peers are still there. Only the World Model ends; while a session has
 * channels everything goes on, as all of Open MPI does. Where MPI_Finalize waits for nobody, this
 * must not call opal_progress(): a peer may have left before a set-up message has reached it, and
 * up to here the PML ends the job for that. From the next step on it does not.
 */
static int finalize_begins(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) keyval, (void) value, (void) extra;
    if (leave(10.0, comm->instance) && finalize_waits()) {
        hear_out();
    }
    return MPI_SUCCESS;
}

/*
 * All of MPI ends, the PML last: speak to nobody any more. A program of sessions only has no
 * MPI_COMM_SELF whose end could be noticed before; its peers may have gone already. In the World
 * Model MPI_Finalize has made progress meanwhile, if it has waited for anybody; now that would be
 * too late, as parts of Open MPI's TCP have gone.
 */
static void instance_ends(void)
{
    bool only_sessions = BEGUN == phase;

    if (!finalize_waits()) {
        mca_part_ucx_farewell();
    }
    if (only_sessions) {
        (void) leave(1.0, NULL);
    }
    quiet = quiet && mca_part_ucx_paths_quiet(1.0); /* requests may have been freed since */
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    if (LEAVING == phase) {
        mca_part_ucx_meet_forget(); /* first: it has users of listeners */
        mca_part_ucx_listeners_close(only_sessions);
        atomic_store(&mca_part_ucx_process.progressing, false);
        phase = ENDED;
    }
    mca_part_ucx_peers_forget_processes();
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    mca_part_ucx_kept_comms_release();
}

/* An attribute of MPI_COMM_SELF is deleted first thing in MPI_Finalize. Open MPI makes attributes
 * under the lock that it also holds around instance_ends: so not under setup_lock. */
static void hook_finalize(void)
{
    static pthread_mutex_t hook_lock = PTHREAD_MUTEX_INITIALIZER;
    ompi_attribute_fn_ptr_union_t copy = {.attr_communicator_copy_fn = MPI_COMM_NULL_COPY_FN};
    ompi_attribute_fn_ptr_union_t delete = {.attr_communicator_delete_fn = finalize_begins};

    pthread_mutex_lock(&hook_lock);
    if (MPI_KEYVAL_INVALID == finalize_keyval && OMPI_MPI_STATE_INIT_COMPLETED == ompi_mpi_state
        && OMPI_SUCCESS == ompi_attr_create_keyval(COMM_ATTR, copy, delete, &finalize_keyval, NULL,
                                                   0, NULL)) {
        (void) ompi_attr_set_c(COMM_ATTR, &ompi_mpi_comm_self.comm,
                               &ompi_mpi_comm_self.comm.c_keyhash, finalize_keyval,
                               &mca_part_ucx_process, false);
    }
    pthread_mutex_unlock(&hook_lock);
}

/* What the end of the World Model takes away. When a session that was there all the time has its
 * first channel after it, this is all that is done. */
static void go_on(void)
{
    mca_part_ucx_helper_start();
    mca_part_ucx_process.closing = false;
    phase = BEGUN;
}

/* What the end of MPI takes away. */
static int begin(void)
{
    int rc = opal_progress_register(mca_part_ucx_progress);

    if (OMPI_SUCCESS == rc) {
        go_on();
        mca_part_ucx_listeners_open();
        ompi_mpi_instance_append_finalize(instance_ends);
        /* Open MPI lets other threads call what is registered without ordering it before. */
        atomic_store_explicit(&mca_part_ucx_process.progressing, true, memory_order_release);
    }
    return rc;
}

static int create_paths(void)
{
    static bool told;

    if (!mca_part_ucx_headroom()) {
        if (!told) {
            mca_part_ucx_help("no-headroom");
        }
        told = true;
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_part_ucx_shm_among(opal_process_info.num_local_peers + 1);
    return mca_part_ucx_paths_create(&mca_part_ucx_channels_on_path);
}

static int begin_once(void)
{
    if (ENDED == phase) {
        mca_part_ucx_unmapping_share();
    }
    if (!paths_asked) {
        paths_asked = true;
        owner = getpid();
        outcome = create_paths();
        if (OMPI_SUCCESS == outcome && NULL == mca_part_ucx_paths.shared) {
            outcome = mca_part_ucx_network_open();
        }
        if (OMPI_ERR_OUT_OF_RESOURCE == outcome) { /* the next one tries again */
            mca_part_ucx_paths_destroy();
            paths_asked = false;
        }
    }
    if (OMPI_SUCCESS == outcome && ENDED == phase) {
        return begin();
    }
    if (OMPI_SUCCESS == outcome && LEAVING == phase) {
        go_on();
    }
    return outcome;
}

int mca_part_ucx_life_begin(void)
{
    int rc;

    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    rc = begin_once();
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    if (OMPI_SUCCESS == rc) {
        hook_finalize();
    }
    return rc;
}

int mca_part_ucx_life_wire_up(mca_part_ucx_channel_t *channel)
{
    int rc;

    do {
        rc = mca_part_ucx_life_begin();
        rc = OMPI_SUCCESS == rc ? mca_part_ucx_wireup_begin(channel) : rc;
    } while (PART_UCX_WIREUP_CLOSING == rc);
    return rc;
}

bool mca_part_ucx_life_has_begun(void)
{
    return paths_asked;
}

void mca_part_ucx_life_end(void)
{
    /* A child of fork() has copies of the descriptors: what UCX takes out of an epoll set there, it
     * has taken out of the parent's. */
    if (!paths_asked || getpid() != owner) {
        return;
    }
    paths_asked = false;
    atomic_store(&mca_part_ucx_process.progressing, false);
    /* Otherwise the program ends without MPI_Finalize, or operations may still run: nothing is in
     * order, so leave it. */
    if (mca_part_ucx_process.closing && quiet) {
        mca_part_ucx_helper_stop();
        mca_part_ucx_helper_close();
        mca_part_ucx_channels_unregister();
        mca_part_ucx_paths_destroy();
        mca_part_ucx_peers_destroy();
        mca_part_ucx_meet_close();
        mca_part_ucx_table_destroy(&mca_part_ucx_channels);
    }
}

/* Open MPI 5.0 never closes the part framework. The component stays where it is to the end of the
 * process (nodelete). */
__attribute__((destructor)) static void unloaded(void)
{
    mca_part_ucx_life_end();
}
