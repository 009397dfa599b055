/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What UCX's transports are called, and what they can do (see part_ucx_transports.h).
 */
#include "ompi_config.h"

#include "path/part_ucx_transports.h"

#include <stdio.h>
#include <string.h>

#include "opal/util/argv.h"

/* Names that stand for several transports, as UCX_TLS accepts them. */
static const struct {
    const char *alias;
    const char *members[8];
} transport_aliases[] = {
    {"shm", {"posix", "sysv", "xpmem", "cma", "knem"}},
    {"sm", {"posix", "sysv", "xpmem", "cma", "knem"}},
    {"mm", {"posix", "sysv", "xpmem"}},
    {"ib", {"rc_verbs", "rc_mlx5", "ud_verbs", "ud_mlx5", "dc_mlx5", "srd"}},
    {"rc", {"rc_verbs", "rc_mlx5", "ud_verbs", "ud_mlx5"}},
    {"rc_x", {"rc_mlx5", "ud_mlx5"}},
    {"rc_v", {"rc_verbs", "ud_verbs"}},
    {"ud", {"ud_verbs", "ud_mlx5"}},
    {"ud_x", {"ud_mlx5"}},
    {"ud_v", {"ud_verbs"}},
    {"dc", {"dc_mlx5"}},
    {"dc_x", {"dc_mlx5"}},
};

bool mca_part_ucx_transports_has(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(list, word); NULL != at; at = strstr(at + 1, word)) {
        if ((at == list || ',' == at[-1]) && ('\0' == at[length] || ',' == at[length])) {
            return true;
        }
    }
    return false;
}

void mca_part_ucx_transports_append(char *list, size_t size, const char *word)
{
    size_t used = strlen(list);

    if (!mca_part_ucx_transports_has(list, word) && used + strlen(word) + 2 <= size) {
        snprintf(list + used, size - used, "%s%s", 0 == used ? "" : ",", word);
    }
}

static bool names_transport(const char *word, const char *transport)
{
    word += strspn(word, " ");
    if ('\\' == word[0]) { /* UCX: this very name, no alias */
        return 0 == strcmp(word + 1, transport);
    }
    if (0 == strcmp(word, transport) || 0 == strcmp(word, "all")) {
        return true;
    }
    for (size_t i = 0; i < sizeof(transport_aliases) / sizeof(transport_aliases[0]); ++i) {
        if (0 != strcmp(word, transport_aliases[i].alias)) {
            continue;
        }
        for (const char *const *member = transport_aliases[i].members; NULL != *member; ++member) {
            if (0 == strcmp(*member, transport)) {
                return true;
            }
        }
    }
    return false;
}

bool mca_part_ucx_transports_allow(const char *list, const char *transport)
{
    bool exclude = '^' == list[0];
    bool named = false;
    char **words;

    if ('\0' == list[0]) {
        return true;
    }
    words = opal_argv_split(list + (exclude ? 1 : 0), ',');
    for (char **word = words; NULL != word && NULL != *word; ++word) {
        named = named || names_transport(*word, transport);
    }
    opal_argv_free(words);
    return named != exclude;
}

bool mca_part_ucx_transports_known(const char *word, const char *found)
{
    static const char others[] = "all,tcp,self,srd,gga_mlx5,rc_gda,cuda,cuda_copy,cuda_ipc,"
                                 "gdr_copy,rocm,rocm_copy,rocm_ipc,rocm_gdr,ze,ze_copy,ze_ipc,"
                                 "ze_gdr,ugni,ugni_smsg,ugni_rdma,ugni_udt";
    bool known;

    word += '\\' == word[0]; /* UCX: no alias */
    known = mca_part_ucx_transports_has(others, word) || mca_part_ucx_transports_has(found, word);

    for (size_t i = 0; i < sizeof(transport_aliases) / sizeof(transport_aliases[0]); ++i) {
        known = known || 0 == strcmp(word, transport_aliases[i].alias);
        for (const char *const *member = transport_aliases[i].members; NULL != *member; ++member) {
            known = known || 0 == strcmp(word, *member);
        }
    }
    return known;
}

bool mca_part_ucx_transports_message(const char *transport)
{
    return !mca_part_ucx_transports_has("rc_gda,gga_mlx5", transport);
}

bool mca_part_ucx_transports_put(const char *list)
{
    return mca_part_ucx_transports_has(list, "rc_verbs")
           || mca_part_ucx_transports_has(list, "rc_mlx5")
           || mca_part_ucx_transports_has(list, "dc_mlx5")
           || mca_part_ucx_transports_has(list, "ugni_rdma");
}

const char *mca_part_ucx_transports_aid(const char *list, const char *transport)
{
    const char *aid = 0 == strcmp("rc_verbs", transport)  ? "ud_verbs"
                      : 0 == strcmp("rc_mlx5", transport) ? "ud_mlx5"
                                                          : NULL;

    if (NULL == aid || '^' != list[0] || mca_part_ucx_transports_allow(list, aid)) {
        return NULL;
    }
    return 0 == strcmp("ud_verbs", aid) ? "ud_verbs:aux" : "ud_mlx5:aux";
}
