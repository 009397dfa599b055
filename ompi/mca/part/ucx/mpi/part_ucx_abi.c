/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does the process hold what the component was compiled for? Structures of another Open MPI, or a
 * second UCX, would corrupt memory silently; so the component looks before it does anything.
 */
#include "ompi_config.h"

#include "mpi/part_ucx_abi.h"

#include "process/part_ucx_help.h"
#include "process/part_ucx_log.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/group/group.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/mca/threads/mutex.h"

static bool sizes_match(void)
{
    const struct {
        const opal_class_t *class;
        size_t size;
    } expected[] = {
        {OBJ_CLASS(ompi_request_t), sizeof(ompi_request_t)},
        {OBJ_CLASS(ompi_communicator_t), sizeof(ompi_communicator_t)},
        {OBJ_CLASS(ompi_group_t), sizeof(ompi_group_t)},
        {OBJ_CLASS(ompi_datatype_t), sizeof(ompi_datatype_t)},
        {OBJ_CLASS(ompi_op_t), sizeof(ompi_op_t)},
        {OBJ_CLASS(ompi_proc_t), sizeof(ompi_proc_t)},
        {OBJ_CLASS(opal_convertor_t), sizeof(opal_convertor_t)},
        {OBJ_CLASS(opal_mutex_t), sizeof(opal_mutex_t)},
    };

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        if (expected[i].class->cls_sizeof != expected[i].size) {
            mca_part_ucx_help("abi-structure", expected[i].class->cls_name,
                              (unsigned long) expected[i].class->cls_sizeof,
                              (unsigned long) expected[i].size, PART_UCX_RELEASE);
            return false;
        }
    }
    return true;
}

static bool ompi_version_matches(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    if (mca_part_ucx_release_matches(library)) {
        return true;
    }
    if (mca_part_ucx_speaks_forum_abi()) {
        PART_UCX_VERBOSE(1, "declined: the program uses the MPI Forum's ABI (libmpi_abi)");
        return false;
    }
    library[strcspn(library, ",")] = '\0';
    mca_part_ucx_help("abi-ompi", PART_UCX_RELEASE, library);
    return false;
}

/* One that somebody has bundled for himself alone has a name of its own: libucp-SUFFIX.so, from UCX
 * 1.22 on. */
#define PLAIN_UCX "libucp.so"

static int count_ucx(struct dl_phdr_info *info, size_t size, void *count)
{
    const char *name = strrchr(info->dlpi_name, '/');

    (void) size;
    if (NULL != name && 0 == strncmp(name + 1, PLAIN_UCX, strlen(PLAIN_UCX))) {
        ++*(int *) count;
    }
    return 0;
}

static bool ucx_matches(void)
{
    unsigned major, minor, release;
    char running[32];
    int copies = 0;

    ucp_get_version(&major, &minor, &release);
    /* Releases of one minor version have one interface. */
    snprintf(running, sizeof(running), "%u.%u", major, minor);
    if (0 != strcmp(running, PART_UCX_BUILT_UCX)) {
        mca_part_ucx_help("abi-ucx", PART_UCX_BUILT_UCX, running);
        return false;
    }
    (void) dl_iterate_phdr(count_ucx, &copies);
    if (copies > 1) {
        mca_part_ucx_help("abi-two-ucx", copies);
        return false;
    }
    return true;
}

bool mca_part_ucx_abi_matches(void)
{
    return ompi_version_matches() && sizes_match() && ucx_matches();
}
