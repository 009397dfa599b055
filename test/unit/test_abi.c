/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component declines to load into an Open MPI, or beside a UCX, that it was not built for, and
 * says what differs. What the process holds is made up.
 */
#include "ompi_config.h"

#include "unit.h"

#include "fakehelp.h"
#include "api/part_ucx_link.h"
#include "mpi/part_ucx_abi.h"
#include "mpi/part_ucx_component.h"
#include "process/part_ucx_process.h"

#include <ucp/api/ucp.h>

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/group/group.h"
#include "ompi/mca/part/base/base.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/mca/threads/mutex.h"
#include "opal/runtime/opal.h"

#define TEXT_OF(token)  #token
#define VALUE_OF(token) TEXT_OF(token)
#define BUILT_OMPI                                                             \
    VALUE_OF(OMPI_MAJOR_VERSION) "." VALUE_OF(OMPI_MINOR_VERSION) "." VALUE_OF( \
        OMPI_RELEASE_VERSION)
#define BUILT_UCX VALUE_OF(UCP_API_MAJOR) "." VALUE_OF(UCP_API_MINOR)

/* What the process holds. */
static struct {
    char ompi[128]; /* what MPI_Get_library_version says */
    unsigned ucx[3];
    const char *const *libraries; /* those that are loaded, by their paths */
} process;

static const char *const one_ucx[] = {"", "/usr/lib/libmpi.so.40", "/usr/lib/libucp.so.0",
                                      "/usr/lib/libucs.so.0", "/opt/libucp/libuct.so.0", NULL};

/* ---- stand-ins (linked with --wrap) ---- */

int __wrap_PMPI_Get_library_version(char *version, int *length);

int __wrap_PMPI_Get_library_version(char *version, int *length)
{
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "%s", process.ompi);
    return MPI_SUCCESS;
}

void __wrap_ucp_get_version(unsigned *major, unsigned *minor, unsigned *release);

void __wrap_ucp_get_version(unsigned *major, unsigned *minor, unsigned *release)
{
    *major = process.ucx[0];
    *minor = process.ucx[1];
    *release = process.ucx[2];
}

int __wrap_dl_iterate_phdr(int (*look)(struct dl_phdr_info *info, size_t size, void *data),
                           void *data);

int __wrap_dl_iterate_phdr(int (*look)(struct dl_phdr_info *info, size_t size, void *data),
                           void *data)
{
    int stop = 0;

    for (const char *const *library = process.libraries; NULL != *library && 0 == stop; ++library) {
        struct dl_phdr_info info = {.dlpi_name = *library};

        stop = look(&info, sizeof(info), data);
    }
    return stop;
}

/* ---- what is compared ---- */

static int begin(void **state)
{
    int argc = 0;
    char **argv = NULL;

    (void) state;
    return OPAL_SUCCESS == opal_init_util(&argc, &argv) ? 0 : -1;
}

static int end(void **state)
{
    (void) state;
    return OPAL_SUCCESS == opal_finalize_util() ? 0 : -1;
}

/* All as the component was built for. */
static int set_up(void **state)
{
    (void) state;
    (void) snprintf(process.ompi, sizeof(process.ompi),
                    "Open MPI v" BUILT_OMPI ", package: made up");
    process.ucx[0] = UCP_API_MAJOR;
    process.ucx[1] = UCP_API_MINOR;
    process.ucx[2] = 0;
    process.libraries = one_ucx;
    fakehelp_reset();
    return 0;
}

static bool matches(void)
{
    bool result;

    fakehelp_reset();
    result = mca_part_ucx_abi_matches();
    assert_int_equal(result ? 0 : 1, fakehelp_count());
    return result;
}

static void what_it_was_built_for(void **state)
{
    (void) state;
    assert_true(matches());
}

static void other_open_mpi(void **state)
{
    static const char *const others[] = {
        "Open MPI v" BUILT_OMPI "1, package: made up", /* one more digit: another release */
        "Open MPI v4.1.6, package: made up",
        "Open MPI v99.0.0a1, package: made up",
        "MPICH Version: 4.3.0",
        "",
    };

    (void) state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        char named[128];

        (void) snprintf(process.ompi, sizeof(process.ompi), "%s", others[i]);
        (void) snprintf(named, sizeof(named), "and this is %.*s.", (int) strcspn(others[i], ","),
                        others[i]);
        UNIT_CHECK(!matches(), "\"%s\" is accepted", others[i]);
        UNIT_CHECK(fakehelp_said("abi-ompi", "built for Open MPI " BUILT_OMPI ","),
                   "\"%s\": the message does not name " BUILT_OMPI, others[i]);
        UNIT_CHECK(fakehelp_said("abi-ompi", named), "\"%s\": the message does not name it",
                   others[i]);
    }
    /* A pre-release has the headers of its release. */
    (void) snprintf(process.ompi, sizeof(process.ompi), "Open MPI v" BUILT_OMPI "rc2, package");
    assert_true(matches());
}

/* A class of the library has another size than in the headers. */
static void check_class(opal_class_t *class, size_t size)
{
    const size_t before = class->cls_sizeof;
    char sizes[128];

    assert_int_equal(size, before);
    for (int step = -1; step <= 1; step += 2) {
        bool result;

        class->cls_sizeof = before + (size_t) (step * 8);
        (void) snprintf(sizes, sizeof(sizes), "%s has %zu bytes in this Open MPI and %zu in",
                        class->cls_name, class->cls_sizeof, size);
        fakehelp_reset();
        result = mca_part_ucx_abi_matches();
        class->cls_sizeof = before;
        UNIT_CHECK(!result, "%s of another size is accepted", class->cls_name);
        UNIT_CHECK(fakehelp_said("abi-structure", sizes), "the message has not: %s", sizes);
        UNIT_CHECK(fakehelp_said("abi-structure", "(Open MPI " BUILT_OMPI ")"),
                   "the message does not name " BUILT_OMPI);
    }
    assert_true(matches());
}

static void other_structures(void **state)
{
    (void) state;
    check_class(OBJ_CLASS(ompi_request_t), sizeof(ompi_request_t));
    check_class(OBJ_CLASS(ompi_communicator_t), sizeof(ompi_communicator_t));
    check_class(OBJ_CLASS(ompi_group_t), sizeof(ompi_group_t));
    check_class(OBJ_CLASS(ompi_datatype_t), sizeof(ompi_datatype_t));
    check_class(OBJ_CLASS(ompi_op_t), sizeof(ompi_op_t));
    check_class(OBJ_CLASS(ompi_proc_t), sizeof(ompi_proc_t));
    check_class(OBJ_CLASS(opal_convertor_t), sizeof(opal_convertor_t));
    check_class(OBJ_CLASS(opal_mutex_t), sizeof(opal_mutex_t));
}

static void other_ucx(void **state)
{
    static const unsigned others[][2] = {{UCP_API_MAJOR, UCP_API_MINOR + 1},
                                         {UCP_API_MAJOR, UCP_API_MINOR - 1},
                                         {UCP_API_MAJOR, UCP_API_MINOR * 10},
                                         {UCP_API_MAJOR + 1, UCP_API_MINOR}};

    (void) state;
    process.ucx[2] = 7; /* releases of a minor version have one interface */
    assert_true(matches());
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        char named[64];

        process.ucx[0] = others[i][0];
        process.ucx[1] = others[i][1];
        (void) snprintf(named, sizeof(named), "uses UCX %u.%u.", others[i][0], others[i][1]);
        UNIT_CHECK(!matches(), "%s is accepted", named);
        assert_true(fakehelp_said("abi-ucx", "built for UCX " BUILT_UCX ","));
        UNIT_CHECK(fakehelp_said("abi-ucx", named), "the message has not: %s", named);
    }
}

static void two_ucx(void **state)
{
    static const char *const two[] = {"", "/usr/lib/libucp.so.0", "/opt/ucx/lib/libucp.so.0", NULL};
    static const char *const none[] = {"", "/usr/lib/libmpi.so.40", NULL}; /* linked statically */

    (void) state;
    process.libraries = two;
    assert_false(matches());
    assert_true(fakehelp_said("abi-two-ucx", "2 copies of UCX"));
    process.libraries = none;
    assert_true(matches());
}

/* ---- what comes of it ---- */

/* Open MPI considers only the components that this list names. */
static bool is_eligible(void)
{
    for (int i = 0; i < opal_pointer_array_get_size(&mca_part_base_part); ++i) {
        const char *name = opal_pointer_array_get_item(&mca_part_base_part, i);

        if (NULL != name && 0 == strcmp("ucx", name)) {
            return true;
        }
    }
    return false;
}

static void open_declines(void **state)
{
    const mca_base_component_t *component = &mca_part_ucx_component.super.partm_version;

    (void) state;
    OBJ_CONSTRUCT(&mca_part_base_part, opal_pointer_array_t);
    process.ucx[1] = UCP_API_MINOR + 1;
    assert_int_equal(OPAL_ERR_NOT_AVAILABLE, component->mca_open_component());
    assert_false(is_eligible());
    assert_int_equal(OMPI_SUCCESS, component->mca_close_component());
    process.ucx[1] = UCP_API_MINOR;
    assert_int_equal(OMPI_SUCCESS, component->mca_open_component());
    assert_true(is_eligible());
    assert_int_equal(OMPI_SUCCESS, component->mca_close_component());
    for (int i = 0; i < opal_pointer_array_get_size(&mca_part_base_part); ++i) {
        free(opal_pointer_array_get_item(&mca_part_base_part, i));
    }
    OBJ_DESTRUCT(&mca_part_base_part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_it_was_built_for, set_up),
        cmocka_unit_test_setup(other_open_mpi, set_up),
        cmocka_unit_test_setup(other_structures, set_up),
        cmocka_unit_test_setup(other_ucx, set_up),
        cmocka_unit_test_setup(two_ucx, set_up),
        cmocka_unit_test_setup(open_declines, set_up),
    };

    unit_deadline();
    return cmocka_run_group_tests(tests, begin, end);
}
