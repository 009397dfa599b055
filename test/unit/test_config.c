/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a path asks of UCX by the kind of its device, above all the strict order of writes that
 * arrival flags rest on with RDMA; and how data are delivered there. The configuration is UCX's
 * own; what it is asked is written down on the way, and a word that it is to refuse is refused.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel/part_ucx_method.h"
#include "path/part_ucx_config.h"
#include "process/part_ucx_params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

static struct {
    char text[1024];      /* " NAME=VALUE NAME=VALUE ", names without the transport's */
    const char *unwanted; /* a name that is refused, or NULL */
    ucp_config_t *config;
} asked;

ucs_status_t __wrap_ucp_config_modify(ucp_config_t *config, const char *name, const char *value);

ucs_status_t __wrap_ucp_config_modify(ucp_config_t *config, const char *name, const char *value)
{
    static const char *const transports[] = {"TCP_", "IB_"};
    size_t used = strlen(asked.text);

    assert_ptr_equal(asked.config, config);
    for (size_t i = 0; i < sizeof(transports) / sizeof(*transports); ++i) {
        if (0 == strncmp(name, transports[i], strlen(transports[i]))) {
            name += strlen(transports[i]);
        }
    }
    snprintf(asked.text + used, sizeof(asked.text) - used, "%s=%s ", name, value);
    return NULL != asked.unwanted && 0 == strcmp(name, asked.unwanted) ? UCS_ERR_NO_ELEM : UCS_OK;
}

static int bind_path(mca_part_ucx_device_kind_t kind, const char *name, const char *transports,
                     const char *unwanted)
{
    mca_part_ucx_device_t device = {.kind = kind};
    int rc;

    snprintf(device.name, sizeof(device.name), "%s", name);
    snprintf(device.transports, sizeof(device.transports), "%s", transports);
    strcpy(asked.text, " ");
    asked.unwanted = unwanted;
    assert_int_equal(UCS_OK, ucp_config_read(NULL, NULL, &asked.config));
    rc = mca_part_ucx_config_bind(asked.config, &device);
    ucp_config_release(asked.config);
    return rc;
}

static bool was_asked(const char *what)
{
    return NULL != strstr(asked.text, what);
}

static void tcp_has_its_device(void **state)
{
    (void) state;
    mca_part_ucx_params.tcp_send_buffer = 65536;
    assert_int_equal(OMPI_SUCCESS, bind_path(PART_UCX_DEVICE_TCP, "eth3", "tcp", NULL));
    assert_true(was_asked(" TLS=tcp,self "));
    assert_true(was_asked(" NET_DEVICES=eth3 "));
    assert_true(was_asked(" CONN_NB=y "));
    assert_true(was_asked(" SNDBUF=65536 "));
    assert_true(was_asked(" RX_SEG_SIZE=266240 "));
    assert_true(was_asked(" RX_BUFS_GROW=2 "));
    assert_true(was_asked(" SEG_SIZE=512 "));
    assert_false(was_asked("RELAXED"));
    mca_part_ucx_params.tcp_send_buffer = 0;
    assert_int_equal(OMPI_SUCCESS, bind_path(PART_UCX_DEVICE_TCP, "eth3", "tcp", NULL));
    assert_false(was_asked("SNDBUF"));
}

static void the_user_comes_first(void **state)
{
    (void) state;
    mca_part_ucx_params.tcp_send_buffer = 65536;
    setenv("UCX_TCP_CONN_NB", "n", 1);
    setenv("UCX_TCP_SNDBUF", "1m", 1);
    setenv("UCX_TCP_RX_SEG_SIZE", "64k", 1);
    setenv("UCX_TCP_RX_BUFS_GROW", "8", 1);
    setenv("UCX_SEG_SIZE", "8k", 1);
    assert_int_equal(OMPI_SUCCESS, bind_path(PART_UCX_DEVICE_TCP, "eth3", "tcp", NULL));
    unsetenv("UCX_TCP_CONN_NB");
    unsetenv("UCX_TCP_SNDBUF");
    unsetenv("UCX_TCP_RX_SEG_SIZE");
    unsetenv("UCX_TCP_RX_BUFS_GROW");
    unsetenv("UCX_SEG_SIZE");
    assert_false(was_asked("CONN_NB"));
    assert_false(was_asked("SNDBUF"));
    assert_false(was_asked("RX_BUFS_GROW"));
    assert_true(was_asked(" RX_SEG_SIZE=266240 ")); /* that of all processes */
    assert_false(was_asked(" SEG_SIZE"));
}

static void shared_memory_has_no_device(void **state)
{
    (void) state;
    assert_int_equal(OMPI_SUCCESS, bind_path(PART_UCX_DEVICE_SHARED, "memory", "posix,cma", NULL));
    assert_true(was_asked(" TLS=posix,cma,self "));
    assert_true(was_asked(" MM_SEG_SIZE="));
    assert_false(was_asked("NET_DEVICES"));
}

/* Else a flag may overtake its data (docs/protocol.md 7.2). The environment does not count. */
static void rdma_writes_in_order(void **state)
{
    static const mca_part_ucx_method_t methods[] = {PART_UCX_METHOD_AUTO, PART_UCX_METHOD_FLUSH,
                                                    PART_UCX_METHOD_CHAINED};

    (void) state;
    setenv("UCX_IB_PCI_RELAXED_ORDERING", "y", 1);
    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); ++i) {
        mca_part_ucx_params.method = (int) methods[i];
        assert_int_equal(OMPI_SUCCESS,
                         bind_path(PART_UCX_DEVICE_RDMA, "mlx5_0:1", "rc_mlx5,dc_mlx5", NULL));
        assert_true(was_asked(" NET_DEVICES=mlx5_0:1 "));
        assert_true(was_asked(" PCI_RELAXED_ORDERING=n "));
    }
    unsetenv("UCX_IB_PCI_RELAXED_ORDERING");
    mca_part_ucx_params.method = PART_UCX_METHOD_AUTO;
}

/* Nothing is put then, and UCX sees to the order of its own messages. */
static void messages_need_no_order(void **state)
{
    (void) state;
    mca_part_ucx_params.method = PART_UCX_METHOD_MESSAGE;
    assert_int_equal(OMPI_SUCCESS, bind_path(PART_UCX_DEVICE_RDMA, "mlx5_0:1", "rc_mlx5", NULL));
    assert_false(was_asked("RELAXED"));
    mca_part_ucx_params.method = PART_UCX_METHOD_AUTO;
}

static void a_path_without_its_device_is_none(void **state)
{
    (void) state;
    assert_int_not_equal(OMPI_SUCCESS, bind_path(PART_UCX_DEVICE_TCP, "eth3", "tcp", "TLS"));
    assert_int_not_equal(OMPI_SUCCESS,
                         bind_path(PART_UCX_DEVICE_TCP, "eth3", "tcp", "NET_DEVICES"));
    /* Peers would write beyond its buffers. */
    assert_int_not_equal(OMPI_SUCCESS,
                         bind_path(PART_UCX_DEVICE_TCP, "eth3", "tcp", "RX_SEG_SIZE"));
}

/* UCX refuses a word of a transport that it was built without. */
static void what_ucx_does_not_know_it_need_not_do(void **state)
{
    (void) state;
    mca_part_ucx_params.tcp_send_buffer = 65536;
    assert_int_equal(OMPI_SUCCESS, bind_path(PART_UCX_DEVICE_TCP, "eth3", "tcp", "SNDBUF"));
    assert_int_equal(OMPI_SUCCESS,
                     bind_path(PART_UCX_DEVICE_RDMA, "gni0", "ugni_rdma", "PCI_RELAXED_ORDERING"));
}

static bool puts_over(mca_part_ucx_device_kind_t kind, const char *transports)
{
    mca_part_ucx_device_t device = {.kind = kind};

    (void) snprintf(device.transports, sizeof(device.transports), "%s", transports);
    return mca_part_ucx_config_puts(&device);
}

/* Whoever reaches a path over TCP could write where it wants: not asked for without need. */
static void remote_access_only_where_puts_are(void **state)
{
    static const struct {
        mca_part_ucx_method_t method;
        bool rdma, others;
    } cases[] = {{PART_UCX_METHOD_AUTO, true, false},
                 {PART_UCX_METHOD_MESSAGE, false, false},
                 {PART_UCX_METHOD_FLUSH, true, true},
                 {PART_UCX_METHOD_CHAINED, true, true}};

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
        mca_part_ucx_params.method = (int) cases[i].method;
        assert_int_equal(cases[i].rdma, puts_over(PART_UCX_DEVICE_RDMA, "rc_mlx5,ud_mlx5"));
        assert_int_equal(cases[i].rdma, puts_over(PART_UCX_DEVICE_RDMA, "ugni_rdma"));
        assert_int_equal(cases[i].others, puts_over(PART_UCX_DEVICE_RDMA, "ud_verbs,srd"));
        assert_int_equal(cases[i].others, puts_over(PART_UCX_DEVICE_TCP, "tcp"));
        assert_int_equal(cases[i].others, puts_over(PART_UCX_DEVICE_SHARED, "posix,cma"));
    }
    mca_part_ucx_params.method = PART_UCX_METHOD_AUTO;
}

/* ---- delivery ---- */

static void delivery_follows_the_device(void **state)
{
    (void) state;
    mca_part_ucx_params.message_limit = 8192;
    assert_int_equal(PART_UCX_METHOD_MESSAGE, mca_part_ucx_method_choose(PART_UCX_DEVICE_RDMA, 1));
    assert_int_equal(PART_UCX_METHOD_MESSAGE,
                     mca_part_ucx_method_choose(PART_UCX_DEVICE_RDMA, 8192));
    assert_int_equal(PART_UCX_METHOD_FLUSH, mca_part_ucx_method_choose(PART_UCX_DEVICE_RDMA, 8193));
    assert_int_equal(PART_UCX_METHOD_MESSAGE,
                     mca_part_ucx_method_choose(PART_UCX_DEVICE_TCP, UINT64_MAX));
    assert_int_equal(PART_UCX_METHOD_MESSAGE,
                     mca_part_ucx_method_choose(PART_UCX_DEVICE_SHARED, UINT64_MAX));
}

static void delivery_can_be_asked_for(void **state)
{
    (void) state;
    mca_part_ucx_params.message_limit = 8192;
    for (int method = PART_UCX_METHOD_MESSAGE; method <= PART_UCX_METHOD_CHAINED; ++method) {
        mca_part_ucx_params.method = method;
        assert_int_equal(method, mca_part_ucx_method_choose(PART_UCX_DEVICE_RDMA, 1));
        assert_int_equal(method, mca_part_ucx_method_choose(PART_UCX_DEVICE_TCP, UINT64_MAX));
    }
    mca_part_ucx_params.method = PART_UCX_METHOD_AUTO;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_has_its_device),
        cmocka_unit_test(the_user_comes_first),
        cmocka_unit_test(shared_memory_has_no_device),
        cmocka_unit_test(rdma_writes_in_order),
        cmocka_unit_test(messages_need_no_order),
        cmocka_unit_test(a_path_without_its_device_is_none),
        cmocka_unit_test(what_ucx_does_not_know_it_need_not_do),
        cmocka_unit_test(remote_access_only_where_puts_are),
        cmocka_unit_test(delivery_follows_the_device),
        cmocka_unit_test(delivery_can_be_asked_for),
    };

    unit_deadline();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
