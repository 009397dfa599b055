/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MCA variables: what they are by default is accepted, a value outside its limits is refused
 * with a message that names the variable, limits themselves are accepted; and values reach the
 * component through Open MPI's variable system. Which variables there are is asked of that, so none
 * can be forgotten here. Last, how many paths the variables give on so many devices.
 */
#include "ompi_config.h"

#include "unit.h"

#include "fakehelp.h"
#include "api/part_ucx_link.h"
#include "mpi/part_ucx_component.h"
#include "mpi/part_ucx_variables.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_params.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/base/mca_base_var_group.h"
#include "opal/runtime/opal.h"

#define PARAMS (mca_part_ucx_params)

/* What mca_part_ucx_variables_register() set without any wish of a user. */
static mca_part_ucx_params_t defaults;

static int set_up(void **state)
{
    int argc = 0;
    char **argv = NULL;

    (void) state;
    if (OPAL_SUCCESS != opal_init_util(&argc, &argv)
        || OMPI_SUCCESS
               != mca_part_ucx_variables_register(&mca_part_ucx_component.super.partm_version)) {
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
    rc = mca_part_ucx_variables_check();
    if (OMPI_SUCCESS == rc) {
        assert_int_equal(0, fakehelp_count());
        return true;
    }
    assert_int_equal(1, fakehelp_count());
    UNIT_CHECK(fakehelp_said("bad-variable", name) || fakehelp_said("contradiction", name),
               "the message does not name %s", name);
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
    check_int(&PARAMS.priority, "part_ucx_priority ", 2, 100);
    check_int(&PARAMS.verbose, "part_ucx_verbose ", 0, 100);
    check_int(&PARAMS.paths, "part_ucx_paths ", 0, PART_UCX_MAX_PATHS - 1);
    check_int(&PARAMS.paths_per_device, "part_ucx_paths_per_device ", 0, PART_UCX_MAX_PATHS - 1);
    check_int(&PARAMS.hold, "part_ucx_hold ", 0, 1000000);
    check_int(&PARAMS.stall, "part_ucx_stall_warning ", 0, 86400);
    check_int(&PARAMS.path_timeout, "part_ucx_path_timeout ", 1, 3600);
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
    check_size(&PARAMS.message_limit, "part_ucx_message_limit ", 0, terabyte);
    check_size(&PARAMS.eager_limit, "part_ucx_eager_limit ", 0, terabyte);
    check_size(&PARAMS.shared_eager_limit, "part_ucx_shared_eager_limit ", 0, terabyte);
    check_size(&PARAMS.staging_limit, "part_ucx_staging_limit ", 0, terabyte);
    check_size(&PARAMS.unit_min, "part_ucx_unit_min ", 0, defaults.unit_max);
    check_size(&PARAMS.shared_unit_min, "part_ucx_shared_unit_min ", 0, defaults.shared_unit_max);
    check_size(&PARAMS.stripe_min, "part_ucx_stripe_min ", 64, terabyte);
    check_size(&PARAMS.window, "part_ucx_window ", 4096, terabyte);
    check_size(&PARAMS.tcp_send_buffer, "part_ucx_tcp_send_buffer ", 0, terabyte);
    PARAMS.unit_min = PARAMS.shared_unit_min = 0; /* at most what is checked next */
    check_size(&PARAMS.unit_max, "part_ucx_unit_max ", 4096, terabyte);
    check_size(&PARAMS.shared_unit_max, "part_ucx_shared_unit_max ", 4096, terabyte);
    PARAMS.unit_max = PARAMS.shared_unit_max = terabyte;
    check_size(&PARAMS.unit_min, "part_ucx_unit_min ", 0, terabyte);
    check_size(&PARAMS.shared_unit_min, "part_ucx_shared_unit_min ", 0, terabyte);
}

/* Each value is possible, the two together are not: both are named, whichever the user has set. */
static void contradictions(void **state)
{
    (void) state;
    PARAMS = defaults;
    PARAMS.unit_min = PARAMS.unit_max = 65536;
    assert_true(accepted("(none)"));
    PARAMS.unit_min = 65537;
    assert_false(accepted("part_ucx_unit_min is 65537"));
    assert_true(fakehelp_said("contradiction", "more than part_ucx_unit_max (65536)"));
    PARAMS = defaults;
    PARAMS.shared_unit_min = PARAMS.shared_unit_max = 4096;
    assert_true(accepted("(none)"));
    PARAMS.shared_unit_min = 4097;
    assert_false(accepted("part_ucx_shared_unit_min is 4097"));
    assert_true(fakehelp_said("contradiction", "more than part_ucx_shared_unit_max (4096)"));
}

/* ---- through Open MPI's variable system ---- */

/* Look at every variable of the component; returns how many there are. */
static size_t each_variable(void (*look)(const mca_base_var_t *variable))
{
    const mca_base_var_group_t *group = NULL;
    int number = mca_base_var_group_find("ompi", "part", "ucx");
    const int *index;
    size_t count;

    UNIT_CHECK(number >= 0, "there is no group of variables part_ucx");
    assert_int_equal(OPAL_SUCCESS, mca_base_var_group_get(number, &group));
    index = OPAL_VALUE_ARRAY_GET_BASE(&group->group_vars, const int);
    count = opal_value_array_get_size((opal_value_array_t *) (uintptr_t) &group->group_vars);
    for (size_t i = 0; i < count; ++i) {
        const mca_base_var_t *variable = NULL;

        assert_int_equal(OPAL_SUCCESS, mca_base_var_get(index[i], &variable));
        look(variable);
    }
    return count;
}

static void look_at_description(const mca_base_var_t *variable)
{
    UNIT_CHECK(NULL != variable->mbv_description && strlen(variable->mbv_description) > 20,
               "%s is not described", variable->mbv_full_name);
    UNIT_CHECK(variable->mbv_scope == MCA_BASE_VAR_SCOPE_READONLY,
               "%s can be changed, but nobody looks again", variable->mbv_full_name);
}

static void every_variable_is_documented(void **state)
{
    (void) state;
    assert_true(each_variable(look_at_description) > 0);
}

/* A number that no variable can have a use for, -1 to the user, is refused. */
static void look_at_limit(const mca_base_var_t *variable)
{
    char name[128];

    (void) snprintf(name, sizeof(name), "%s ", variable->mbv_full_name);
    PARAMS = defaults;
    if (MCA_BASE_VAR_TYPE_SIZE_T == variable->mbv_type) {
        *(size_t *) variable->mbv_storage = SIZE_MAX;
    } else if (MCA_BASE_VAR_TYPE_INT == variable->mbv_type && NULL == variable->mbv_enumerator) {
        *(int *) variable->mbv_storage = -1;
    } else {
        UNIT_CHECK(NULL != variable->mbv_enumerator
                       || MCA_BASE_VAR_TYPE_STRING == variable->mbv_type,
                   "%s has a type that is not tested", variable->mbv_full_name);
        return;
    }
    UNIT_CHECK(!accepted(name), "%s = -1 is accepted", variable->mbv_full_name);
}

static void every_number_has_limits(void **state)
{
    (void) state;
    assert_true(each_variable(look_at_limit) > 0);
    PARAMS = defaults;
}

/* The words of the choices, in the order of their values. */
static const struct {
    const char *name;
    const char *words[8];
} choices[] = {
    {"part_ucx_delivery", {"auto", "message", "flush", "chained", NULL}},
    {"part_ucx_async", {"auto", "on", "off", NULL}},
    {"part_ucx_shared_copy", {"both", "receiver", "sender", NULL}},
    {"part_ucx_zero_partitions", {"error", "allow", NULL}},
    {"part_ucx_spread", {"auto", "on", "off", NULL}},
    {"part_ucx_join", {"auto", "on", "off", NULL}},
    {"part_ucx_failover", {"off", "on", NULL}},
};

#define CHOICES (sizeof(choices) / sizeof(choices[0]))

static size_t choices_seen;

/* Has it these words and no other, and is another word refused? */
static void check_words(mca_base_var_enum_t *enumeration, const char *const *words)
{
    int count = 0;
    int value;

    for (; NULL != words[count]; ++count) {
        assert_int_equal(OPAL_SUCCESS,
                         enumeration->value_from_string(enumeration, words[count], &value));
        assert_int_equal(count, value);
    }
    assert_int_equal(OPAL_SUCCESS, enumeration->get_count(enumeration, &value));
    assert_int_equal(count, value);
    assert_int_not_equal(OPAL_SUCCESS,
                         enumeration->value_from_string(enumeration, "nonsense", &value));
}

static void look_at_words(const mca_base_var_t *variable)
{
    size_t i = 0;

    if (NULL == variable->mbv_enumerator) {
        return;
    }
    while (i < CHOICES && 0 != strcmp(choices[i].name, variable->mbv_full_name)) {
        ++i;
    }
    UNIT_CHECK(i < CHOICES, "the words of %s are not tested", variable->mbv_full_name);
    check_words(variable->mbv_enumerator, choices[i].words);
    ++choices_seen;
}

static void words_of_choices(void **state)
{
    (void) state;
    choices_seen = 0;
    (void) each_variable(look_at_words);
    assert_int_equal(CHOICES, choices_seen);
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

/* ---- how many paths ---- */

/* A wish that the devices, or a process, cannot fulfil is told with what comes of it. */
static void paths_on_devices(void **state)
{
    static const struct {
        int devices, paths, per_device, count;
        const char *told;
    } cases[] = {
        {4, 0, 0, 4, NULL},  {2, 8, 0, 8, NULL},   {4, 8, 2, 8, NULL},
        {4, 2, 0, 2, NULL},  {2, 1, 2, 1, NULL},   {3, 0, 2, 6, NULL},
        {0, 8, 2, 0, NULL},  {40, 0, 0, 31, NULL}, {16, 31, 2, 31, NULL},
        {32, 0, 0, 31, NULL},
        {16, 0, 2, 31, "32 network paths"},
        {2, 8, 2, 4, "8 network paths"},
        {2, 31, 1, 2, "31 network paths"},
        {4, 0, 16, 31, "64 network paths"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const mca_part_ucx_devices_t devices = {.count = cases[i].devices};
        char used[32];

        PARAMS = defaults;
        PARAMS.paths = cases[i].paths;
        PARAMS.paths_per_device = cases[i].per_device;
        fakehelp_reset();
        assert_int_equal(cases[i].count, mca_part_ucx_paths_number(&devices, false));
        assert_int_equal(0, fakehelp_count());
        assert_int_equal(cases[i].count, mca_part_ucx_paths_number(&devices, true));
        assert_int_equal(NULL == cases[i].told ? 0 : 1, fakehelp_count());
        (void) snprintf(used, sizeof(used), " %d are used", cases[i].count);
        UNIT_CHECK(NULL == cases[i].told
                       || (fakehelp_said("fewer-paths", cases[i].told)
                           && fakehelp_said("fewer-paths", used)),
                   "case %zu: the message has not the numbers", i);
    }
    PARAMS = defaults;
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
        cmocka_unit_test(every_number_has_limits),
        cmocka_unit_test(words_of_choices),
        cmocka_unit_test(values_from_the_environment),
        cmocka_unit_test(paths_on_devices),
    };

    unit_deadline();
    forget_wishes();
    return cmocka_run_group_tests(tests, set_up, clean_up);
}
