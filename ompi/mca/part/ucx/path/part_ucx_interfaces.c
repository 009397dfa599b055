/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's choice of interfaces (see part_ucx_interfaces.h).
 */
#include "ompi_config.h"

#include "path/part_ucx_interfaces.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/util/argv.h"

mca_part_ucx_interfaces_t mca_part_ucx_interfaces;

/* The value of a variable of Open MPI that somebody has set, or NULL. Without its component it is
 * not registered; then what mpirun has put into the environment tells. */
static const char *value_of(const char *name, const char *variable, bool *from_file)
{
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
    const char *const *value = NULL;
    const char *found;
    int index;

    if (OPAL_SUCCESS == mca_base_var_find_by_name(name, &index)
        && OPAL_SUCCESS == mca_base_var_get_value(index, &value, &source, NULL)) {
        found = MCA_BASE_VAR_SOURCE_DEFAULT == source || NULL == value ? NULL : *value;
    } else {
        found = getenv(variable);
    }
    if (NULL == found || '\0' == found[0]) {
        return NULL;
    }
    *from_file = *from_file || MCA_BASE_VAR_SOURCE_FILE == source;
    return found;
}

void mca_part_ucx_interfaces_learn(bool follow)
{
    mca_part_ucx_interfaces_t *wish = &mca_part_ucx_interfaces;

    *wish = (mca_part_ucx_interfaces_t) {0};
    if (!follow) {
        return;
    }
    wish->include = value_of("btl_tcp_if_include", "OMPI_MCA_btl_tcp_if_include",
                             &wish->from_file);
    wish->exclude = value_of("btl_tcp_if_exclude", "OMPI_MCA_btl_tcp_if_exclude",
                             &wish->from_file);
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    uint8_t last = (uint8_t) (0xff00u >> bits % 8);

    return 0 == memcmp(a, b, bits / 8)
           && (0 == bits % 8 || 0 == ((a[bits / 8] ^ b[bits / 8]) & last));
}

/* Is it an address of a network like 10.1.0.0/16? */
static bool is_in(const mca_part_ucx_subnet_t *subnet, const char *word)
{
    bool six = 6 == subnet->family;
    const char *slash = strchr(word, '/');
    size_t length = NULL == slash ? 0 : (size_t) (slash - word);
    char text[INET6_ADDRSTRLEN] = "";
    uint8_t network[16];
    char *end;
    long bits;

    if (0 == length || length >= sizeof(text) || 0 == subnet->family) {
        return false;
    }
    memcpy(text, word, length);
    bits = strtol(slash + 1, &end, 10);
    return '\0' == *end && end != slash + 1 && bits >= 0 && bits <= (six ? 128 : 32)
           && 1 == inet_pton(six ? AF_INET6 : AF_INET, text, network)
           && same_bits(network, subnet->address, (unsigned) bits);
}

static bool is_listed(const char *list, const mca_part_ucx_device_t *device)
{
    char **words = opal_argv_split(list, ',');
    bool found = false;

    for (char **word = words; NULL != word && NULL != *word && !found; ++word) {
        const char *name = *word + strspn(*word, " ");

        found = 0 == strcmp(name, device->name) || is_in(&device->subnet, name);
    }
    opal_argv_free(words);
    return found;
}

bool mca_part_ucx_interfaces_allow(const mca_part_ucx_device_t *device)
{
    const mca_part_ucx_interfaces_t *wish = &mca_part_ucx_interfaces;

    return PART_UCX_DEVICE_TCP != device->kind
           || ((NULL == wish->include || is_listed(wish->include, device))
               && (NULL == wish->exclude || !is_listed(wish->exclude, device)));
}
