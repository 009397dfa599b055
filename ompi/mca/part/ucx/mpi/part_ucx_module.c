/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the framework calls: argument checks, then dispatch; and the life of the module, from the
 * first partitioned request to the end of MPI.
 */
#include "mpi/part_ucx_error.h"
#include "base/part_ucx_help.h"
#include "wireup/part_ucx_listener.h"
#include "mpi/part_ucx_owed.h"
#include "channel/part_ucx_request.h"
#include "wireup/part_ucx_setup.h"
#include "wireup/part_ucx_watch.h"

#include <limits.h>

#include "ompi/attribute/attribute.h"
#include "ompi/errhandler/errcode.h"
#include "ompi/instance/instance.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/runtime/opal_progress.h"

/* An idle process looks at its paths only every so many calls of opal_progress(): peers may
 * still need it (wire-up, acknowledgements), but not urgently. */
#define IDLE_CALLS 32u

/* Set-up messages are looked for in every call while a request is unmatched, else seldom. */
#define SETUP_CALLS 32u

/* And every so many calls while requests give up: a program may call only now and then. */
#define HURRY_CALLS 4u

/* Deferred tasks that one call of opal_progress() runs before it looks at the paths again. */
#define TASKS_PER_CALL 4

/* ---- argument checks ---- */

static int check_counts(const mca_part_ucx_init_t *init)
{
    size_t size, elements;

    /* The binding passes an int and an MPI_Count on as size_t. */
    if (init->partitions > INT_MAX
        || (0 == init->partitions && !mca_part_ucx.params.zero_partitions)) {
        return MPI_ERR_ARG;
    }
    if (init->count > SIZE_MAX / 2
        || (0 != init->count && init->partitions > SIZE_MAX / 2 / init->count)) {
        return MPI_ERR_COUNT;
    }
    elements = init->partitions * init->count;
    ompi_datatype_type_size(init->datatype, &size);
    if (0 != size && elements > SIZE_MAX / 2 / size) {
        return MPI_ERR_COUNT;
    }
    if (NULL == init->buffer && 0 != elements && 0 != size) {
        return MPI_ERR_BUFFER; /* also MPI_BOTTOM with absolute displacements */
    }
    return MPI_SUCCESS;
}

static int check_arguments(const mca_part_ucx_init_t *init)
{
    if (NULL == init->comm || ompi_comm_invalid(init->comm)) {
        return MPI_ERR_COMM;
    }
    if (NULL == init->datatype || MPI_DATATYPE_NULL == init->datatype
        || !ompi_datatype_is_committed(init->datatype)
        || !opal_datatype_is_valid(&init->datatype->super)) {
        return MPI_ERR_TYPE;
    }
    if (init->tag < 0 || init->tag > mca_pml.pml_max_tag) {
        return MPI_ERR_TAG;
    }
    if (MPI_PROC_NULL != init->peer && ompi_comm_peer_invalid(init->comm, init->peer)) {
        return MPI_ERR_RANK;
    }
    if (OMPI_COMM_CHECK_ASSERT_NO_ANY_SOURCE(init->comm)) {
        mca_part_ucx_help("no-any-source");
        return MPI_ERR_COMM;
    }
    return check_counts(init);
}

static int report(const mca_part_ucx_init_t *init, int error)
{
    const char *function = init->is_send ? "MPI_Psend_init" : "MPI_Precv_init";

    if (NULL == init->comm || ompi_comm_invalid(init->comm)) {
        return error; /* no handler of its own */
    }
    mca_part_ucx_help("bad-argument", function, ompi_mpi_errnum_get_string(error),
                      (int) (init->partitions > INT_MAX ? -1 : (int) init->partitions),
                      (long long) init->count, init->peer, init->tag);
    return mca_part_ucx_error_raise(init->comm, error, function, PART_UCX_RAISED_ON_WORLD);
}

static int init_request(const mca_part_ucx_init_t *init, ompi_request_t **request)
{
    int error = check_arguments(init);

    if (MPI_SUCCESS != error) {
        return report(init, error);
    }
    error = mca_part_ucx_request_create(init, request);
    if (MPI_SUCCESS != error) {
        return mca_part_ucx_error_raise(init->comm, error,
                                        init->is_send ? "MPI_Psend_init" : "MPI_Precv_init",
                                        PART_UCX_RAISED_ON_WORLD);
    }
    return OMPI_SUCCESS;
}

/* ---- the framework's entry points ---- */

static int module_psend_init(const void *buf, size_t parts, size_t count,
                             ompi_datatype_t *datatype, int dst, int tag,
                             ompi_communicator_t *comm, ompi_info_t *info,
                             ompi_request_t **request)
{
    mca_part_ucx_init_t init = {.buffer = buf, .partitions = parts, .count = count,
                                .datatype = datatype, .peer = dst, .tag = tag, .comm = comm,
                                .is_send = true};

    (void) info; /* no keys are known yet; unknown ones are ignored */
    return init_request(&init, request);
}

static int module_precv_init(void *buf, size_t parts, size_t count, ompi_datatype_t *datatype,
                             int src, int tag, ompi_communicator_t *comm, ompi_info_t *info,
                             ompi_request_t **request)
{
    mca_part_ucx_init_t init = {.buffer = buf, .partitions = parts, .count = count,
                                .datatype = datatype, .peer = src, .tag = tag, .comm = comm,
                                .is_send = false};

    (void) info;
    return init_request(&init, request);
}

static int bad_use(ompi_request_t *request, int error, const char *function, size_t low,
                   size_t high)
{
    mca_part_ucx_help("bad-use", function, ompi_mpi_errnum_get_string(error), (int) low,
                      (int) high);
    return mca_part_ucx_error_raise(request->req_mpi_object.comm, error, function,
                                    PART_UCX_RAISED_ON_WORLD);
}

static int module_pready(size_t low, size_t high, ompi_request_t *request)
{
    mca_part_ucx_any_request_t *any = (mca_part_ucx_any_request_t *) request;
    int error = NULL == any->ops->pready ? MPI_ERR_REQUEST : any->ops->pready(any, low, high);

    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        return bad_use(request, error, "MPI_Pready", low, high);
    }
    return OMPI_SUCCESS;
}

static int dispatch_parrived(mca_part_ucx_any_request_t *any, size_t low, size_t high, int *flag)
{
    return NULL == any->ops->parrived ? MPI_ERR_REQUEST : any->ops->parrived(any, low, high, flag);
}

static int module_parrived(size_t low, size_t high, int *flag, ompi_request_t *request)
{
    mca_part_ucx_any_request_t *any = (mca_part_ucx_any_request_t *) request;
    int error;

    /* Everything has arrived: the usual case of a thread that looks at many partitions. */
    if (OPAL_LIKELY(low <= high
                    && high < atomic_load_explicit(&any->arrived, memory_order_acquire))) {
        *flag = 1;
        return OMPI_SUCCESS;
    }
    error = dispatch_parrived(any, low, high, flag);
    if (OPAL_UNLIKELY(MPI_SUCCESS != error)) {
        return bad_use(request, error, "MPI_Parrived", low, high);
    }
    return OMPI_SUCCESS;
}

/* part_progress stays NULL: a program that uses no partitioned request pays for no callback. */
mca_part_base_module_t mca_part_ucx_module = {.part_precv_init = module_precv_init,
                                              .part_psend_init = module_psend_init,
                                              .part_start = mca_part_ucx_requests_start,
                                              .part_pready = module_pready,
                                              .part_parrived = module_parrived};

/* ---- progress ---- */

static int setup_progress(void)
{
    int events = 0;

    if (0 == pthread_mutex_trylock(&mca_part_ucx.setup_lock)) {
        events = mca_part_ucx_setup_progress();
        mca_part_ucx_watch();
        pthread_mutex_unlock(&mca_part_ucx.setup_lock);
    }
    return events;
}

static int run_tasks(void)
{
    int events = 0;

    if (!mca_part_ucx_tasks_empty(&mca_part_ucx.tasks)) {
        events += mca_part_ucx_tasks_run(&mca_part_ucx.tasks, TASKS_PER_CALL);
    }
    if (!mca_part_ucx_tasks_empty(&mca_part_ucx.app_tasks)) {
        events += mca_part_ucx_tasks_run(&mca_part_ucx.app_tasks, TASKS_PER_CALL);
    }
    if (0 != events) {
        mca_part_ucx_paths_push();
    }
    return events;
}

static bool hurries(unsigned calls)
{
    return atomic_load_explicit(&mca_part_ucx.watch_soon, memory_order_relaxed)
           && 0 == calls % HURRY_CALLS;
}

int mca_part_ucx_progress(void)
{
    static _Thread_local unsigned calls __attribute__((tls_model("initial-exec")));
    int events = 0;

    ++calls;
    if ((0 == atomic_load_explicit(&mca_part_ucx.active, memory_order_relaxed)
         && 0 != calls % IDLE_CALLS && !hurries(calls))
        || !atomic_load_explicit(&mca_part_ucx.progressing, memory_order_acquire)) {
        return 0;
    }
    mca_part_ucx_async_note_app();
    events += mca_part_ucx_paths_drive(true);
    events += run_tasks();
    if (0 != atomic_load_explicit(&mca_part_ucx.unmatched, memory_order_relaxed)
        || 0 == calls % SETUP_CALLS || hurries(calls)) {
        events += setup_progress();
    }
    if (!mca_part_ucx_queue_empty(&mca_part_ucx.done)) {
        events += mca_part_ucx_requests_complete();
    }
    return events;
}

/* ---- life ---- */

static int finalize_keyval = MPI_KEYVAL_INVALID;

/* MPI has begun, not for the first time perhaps (sessions), and not ended. Under the set-up
 * lock. */
static bool begun;

/* All that was posted had reached the peers when MPI ended. */
static bool quiet;

/* See off what is on its way to peers, and speak to nobody any more. */
static void end(double patience)
{
    mca_part_ucx_async_stop();
    quiet = mca_part_ucx_paths_quiet(patience);
    if (!quiet) {
        PART_UCX_VERBOSE(1, "some paths still hold unsent data after %.0f s", patience);
    }
    pthread_mutex_lock(&mca_part_ucx.setup_lock);
    begun = false;
    mca_part_ucx.closing = true;
    mca_part_ucx_listeners_close();
    mca_part_ucx_setup_forget();
    pthread_mutex_unlock(&mca_part_ucx.setup_lock);
    mca_part_ucx_owed_forget();
    mca_part_ucx_counters_summary();
}

/* Beginning of MPI_Finalize: peers are still there. */
static int finalize_begins(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm, (void) keyval, (void) value, (void) extra;
    end(10.0);
    return MPI_SUCCESS;
}

/* All of MPI ends, the PML last. A program of sessions only has no MPI_COMM_SELF whose end could
 * be noticed before; its peers may have gone already. */
static void instance_ends(void)
{
    if (begun) {
        end(1.0);
    }
}

/* An attribute of MPI_COMM_SELF is deleted first thing in MPI_Finalize. */
static void hook_finalize(void)
{
    ompi_attribute_fn_ptr_union_t copy = {.attr_communicator_copy_fn = MPI_COMM_NULL_COPY_FN};
    ompi_attribute_fn_ptr_union_t delete = {.attr_communicator_delete_fn = finalize_begins};

    if (MPI_KEYVAL_INVALID == finalize_keyval && OMPI_MPI_STATE_INIT_COMPLETED == ompi_mpi_state
        && OMPI_SUCCESS == ompi_attr_create_keyval(COMM_ATTR, copy, delete, &finalize_keyval, NULL,
                                                   0, NULL)) {
        (void) ompi_attr_set_c(COMM_ATTR, &ompi_mpi_comm_self.comm,
                               &ompi_mpi_comm_self.comm.c_keyhash, finalize_keyval,
                               &mca_part_ucx, false);
    }
}

/* What the end of MPI takes away. */
static int begin(void)
{
    int rc = mca_part_ucx_async_start();

    if (OMPI_SUCCESS == rc) {
        rc = opal_progress_register(mca_part_ucx_progress);
    }
    if (OMPI_SUCCESS == rc) {
        mca_part_ucx.closing = false;
        mca_part_ucx_listeners_open();
        hook_finalize();
        ompi_mpi_instance_append_finalize(instance_ends);
        begun = true;
        /* Open MPI lets other threads call what is registered without ordering it before. */
        atomic_store_explicit(&mca_part_ucx.progressing, true, memory_order_release);
    }
    return rc;
}

int mca_part_ucx_prepare_first(void)
{
    if (!mca_part_ucx.paths_ready) {
        mca_part_ucx.paths_ready = true;
        mca_part_ucx.paths_rc = mca_part_ucx_paths_create();
    }
    if (OMPI_SUCCESS == mca_part_ucx.paths_rc && !begun) {
        mca_part_ucx.paths_rc = begin();
    }
    return mca_part_ucx.paths_rc;
}

void mca_part_ucx_teardown(void)
{
    if (!mca_part_ucx.paths_ready) {
        return;
    }
    mca_part_ucx.paths_ready = false;
    atomic_store(&mca_part_ucx.progressing, false);
    /* Otherwise the program ends without MPI_Finalize, or operations may still run: nothing is in
     * order, so leave it. */
    if (mca_part_ucx.closing && quiet) {
        mca_part_ucx_async_stop();
        mca_part_ucx_requests_unregister();
        mca_part_ucx_paths_destroy();
        mca_part_ucx_peers_destroy();
        mca_part_ucx_table_destroy(&mca_part_ucx.table);
    }
}

/* Open MPI 5.0 never closes the part framework; the component is unloaded, though. */
__attribute__((destructor)) static void unloaded(void)
{
    mca_part_ucx_teardown();
}
