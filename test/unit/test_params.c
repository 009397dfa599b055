/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MCA variables: what they are by default is accepted, a value outside its limits is refused
 * with a message that names the variable, limits themselves are accepted; and values reach the
 * component through Open MPI's variable system.
 */
#include "ompi_config.h"

#include "unit.h"

#include "fakehelp.h"
#include "part_ucx.h"
#include "part_ucx_link.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/runtime/opal.h"

#define PARAMS (mca_part_ucx.params)

/* What mca_part_ucx_params_register() set without any wish of a user. */
static mca_part_ucx_params_t defaults;

static int set_up(void **state)
{
    int argc = 0;
    char **argv = NULL;

    (void) state;
    if (OPAL_SUCCESS != opal_init_util(&argc, &argv)
        || OMPI_SUCCESS
               != mca_part_ucx_params_register(&mca_part_ucx_component.super.partm_version)) {
        return -1;
    }
    defaults = PARAMS;
    return 0;
}

static int clean_up(void **state)
{
    (void) state;
    return OPAL_SUCCESS == opal_finalize_util() ? 0 : -1;
}

/* Is the present setting accepted? If not, the message must name the variable. */
static bool accepted(const char *name)
{
    int rc;

    fakehelp_reset();
    rc = mca_part_ucx_params_check();
    if (OMPI_SUCCESS == rc) {
        assert_int_equal(0, fakehelp_count());
        return true;
    }
    assert_int_equal(1, fakehelp_count());
    UNIT_CHECK(fakehelp_said("bad-variable", name), "the message does not name %s", name);
    return false;
}

static void defaults_are_accepted(void **state)
{
    (void) state;
    PARAMS = defaults;
    assert_true(accepted("(none)"));
    assert_int_equal(0, PARAMS.paths);
    assert_string_equal("", PARAMS.devices);
    assert_string_equal("", PARAMS.transports);
    assert_int_equal(PART_UCX_METHOD_AUTO, PARAMS.method);
    assert_int_equal(PART_UCX_ASYNC_AUTO, PARAMS.async);
    assert_true(PARAMS.unit_min <= PARAMS.unit_max);
    assert_true(PARAMS.shared_unit_min <= PARAMS.shared_unit_max);
}

static void check_int(int *variable, const char *name, int low, int high)
{
    const int good[] = {low, low + 1, high - 1, high};
    const int bad[] = {low - 1, high + 1, INT_MIN, INT_MAX};

    for (int i = 0; i < 4; ++i) {
        PARAMS = defaults;
        *variable = good[i];
        UNIT_CHECK(accepted(name), "%s = %d is refused", name, good[i]);
        PARAMS = defaults;
        *variable = bad[i];
        UNIT_CHECK(!accepted(name), "%s = %d is accepted", name, bad[i]);
    }
}

static void integers(void **state)
{
    (void) state;
    check_int(&PARAMS.paths, "part_ucx_paths ", 0, PART_UCX_MAX_PATHS - 1);
    check_int(&PARAMS.paths_per_device, "part_ucx_paths_per_device ", 0, PART_UCX_MAX_PATHS - 1);
    check_int(&PARAMS.hold, "part_ucx_hold ", 0, 1000000);
    check_int(&PARAMS.stall, "part_ucx_stall_warning ", 0, 86400);
}

static void check_size(size_t *variable, const char *name, size_t low, size_t high)
{
    const mca_part_ucx_params_t before = PARAMS;
    /* The last two become negative where they are taken for signed numbers. */
    const size_t bad[] = {high + 1, high * 2, (size_t) SSIZE_MAX + 1, SIZE_MAX};

    for (int i = 0; i < 4; ++i) {
        PARAMS = before;
        *variable = bad[i];
        UNIT_CHECK(!accepted(name), "%s = %zu is accepted", name, bad[i]);
    }
    PARAMS = before;
    *variable = low;
    UNIT_CHECK(accepted(name), "%s = %zu is refused", name, low);
    *variable = high;
    UNIT_CHECK(accepted(name), "%s = %zu is refused", name, high);
    if (0 != low) {
        *variable = low - 1;
        UNIT_CHECK(!accepted(name), "%s = %zu is accepted", name, low - 1);
        *variable = 0;
        UNIT_CHECK(!accepted(name), "%s = 0 is accepted", name);
    }
    PARAMS = before;
}

static void sizes(void **state)
{
    const size_t terabyte = (size_t) 1 << 40;

    (void) state;
    PARAMS = defaults;
    check_size(&PARAMS.unit_min, "part_ucx_unit_min ", 0, defaults.unit_max);
    check_size(&PARAMS.shared_unit_min, "part_ucx_shared_unit_min ", 0, defaults.shared_unit_max);
    check_size(&PARAMS.stripe_min, "part_ucx_stripe_min ", 64, terabyte);
    check_size(&PARAMS.window, "part_ucx_window ", 4096, terabyte);
    PARAMS.unit_min = PARAMS.shared_unit_min = 0; /* at most what is checked next */
    check_size(&PARAMS.unit_max, "part_ucx_unit_max ", 4096, terabyte);
    check_size(&PARAMS.shared_unit_max, "part_ucx_shared_unit_max ", 4096, terabyte);
}

/* Each value is possible, the two together are not. */
static void contradictions(void **state)
{
    (void) state;
    PARAMS = defaults;
    PARAMS.unit_min = PARAMS.unit_max = 65536;
    assert_true(accepted("(none)"));
    PARAMS.unit_min = 65537;
    assert_false(accepted("part_ucx_unit_min "));
    PARAMS = defaults;
    PARAMS.shared_unit_min = PARAMS.shared_unit_max = 4096;
    assert_true(accepted("(none)"));
    PARAMS.shared_unit_min = 4097;
    assert_false(accepted("part_ucx_shared_unit_min "));
}

/* ---- through Open MPI's variable system ---- */

static int find_variable(const char *name)
{
    int index = mca_base_var_find("ompi", "part", "ucx", name);

    UNIT_CHECK(index >= 0, "part_ucx_%s is not registered", name);
    return index;
}

static void every_variable_is_documented(void **state)
{
    static const char *names[] = {
        "devices",       "paths",        "paths_per_device", "transports", "delivery",
        "message_limit", "unit_min",     "unit_max",         "stripe_min", "window",
        "staging_limit", "async",        "zero_partitions",  "verbose",    "priority",
        "hold",          "stall_warning"};

    (void) state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        const mca_base_var_t *variable = NULL;

        assert_int_equal(OPAL_SUCCESS, mca_base_var_get(find_variable(names[i]), &variable));
        UNIT_CHECK(NULL != variable->mbv_description && strlen(variable->mbv_description) > 20,
                   "part_ucx_%s is not described", names[i]);
        UNIT_CHECK(variable->mbv_scope == MCA_BASE_VAR_SCOPE_READONLY,
                   "part_ucx_%s can be changed, but nobody looks again", names[i]);
    }
}

/* The words of a choice, and that another word is none. */
static void check_words(const char *name, const char *const *words)
{
    const mca_base_var_t *variable = NULL;
    int value;

    assert_int_equal(OPAL_SUCCESS, mca_base_var_get(find_variable(name), &variable));
    assert_non_null(variable->mbv_enumerator);
    for (int i = 0; NULL != words[i]; ++i) {
        mca_base_var_enum_t *choices = variable->mbv_enumerator;

        assert_int_equal(OPAL_SUCCESS, choices->value_from_string(choices, words[i], &value));
        assert_int_equal(i, value);
        assert_int_not_equal(OPAL_SUCCESS, choices->value_from_string(choices, "nonsense", &value));
    }
}

static void choices(void **state)
{
    static const char *delivery[] = {"auto", "message", "flush", "chained", NULL};
    static const char *async[] = {"auto", "on", "off", NULL};
    static const char *zero[] = {"error", "allow", NULL};

    (void) state;
    check_words("delivery", delivery);
    check_words("async", async);
    check_words("zero_partitions", zero);
}

static void values_from_the_environment(void **state)
{
    (void) state;
    assert_int_equal(0, setenv("OMPI_MCA_part_ucx_paths", "7", 1));
    assert_int_equal(0, setenv("OMPI_MCA_part_ucx_devices", "eth1,eth2", 1));
    assert_int_equal(0, setenv("OMPI_MCA_part_ucx_unit_max", "123456789012", 1));
    assert_int_equal(0, setenv("OMPI_MCA_part_ucx_delivery", "chained", 1));
    assert_int_equal(0, clean_up(NULL));
    assert_int_equal(0, set_up(NULL));
    assert_int_equal(7, PARAMS.paths);
    assert_string_equal("eth1,eth2", PARAMS.devices);
    assert_true(UINT64_C(123456789012) == PARAMS.unit_max);
    assert_int_equal(PART_UCX_METHOD_CHAINED, PARAMS.method);
    assert_true(accepted("(none)"));
}

/* What the user of this shell has set is not the default. */
static void forget_wishes(void)
{
    static const char prefix[] = "OMPI_MCA_part_ucx_";

    for (char **entry = environ; NULL != *entry;) {
        char name[128];

        if (0 != strncmp(*entry, prefix, sizeof(prefix) - 1)) {
            ++entry;
            continue;
        }
        (void) snprintf(name, sizeof(name), "%.*s", (int) strcspn(*entry, "="), *entry);
        (void) unsetenv(name);
        entry = environ;
    }
    (void) setenv("OMPI_MCA_mca_base_param_files", "none", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_accepted),
        cmocka_unit_test(integers),
        cmocka_unit_test(sizes),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(every_variable_is_documented),
        cmocka_unit_test(choices),
        cmocka_unit_test(values_from_the_environment),
    };

    unit_deadline();
    forget_wishes();
    return cmocka_run_group_tests(tests, set_up, clean_up);
}
