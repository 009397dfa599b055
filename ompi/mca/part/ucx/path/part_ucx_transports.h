/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of UCX's transports: lists of them as UCX_TLS has them, and what a transport can do.
 */
#ifndef PART_UCX_TRANSPORTS_H
#define PART_UCX_TRANSPORTS_H

#include <stdbool.h>
#include <stddef.h>

/** Is a word in a list like "tcp,shm"? */
bool mca_part_ucx_transports_has(const char *list, const char *word);

/** Append a word to such a list, unless it is there already, or there is no room. */
void mca_part_ucx_transports_append(char *list, size_t size, const char *word);

/** Does a list allow a transport: one like "tcp,shm" that names it, or one like "^tcp" that does
 * not, or an empty one? Words may be UCX's aliases. */
bool mca_part_ucx_transports_allow(const char *list, const char *transport);

/** Does the word mean anything to UCX on some machine, or here, where there are those `found`? */
bool mca_part_ucx_transports_known(const char *word, const char *found);

/** Can a path be made of a transport of the network? Not of those that only GPUs or copies within a
 * card use: no message can be sent by them. */
bool mca_part_ucx_transports_message(const char *transport);

/** Does the hardware place what is put by one of these, in order with what is put later? Others, as
 * UD's and EFA's, make messages of puts, which the receiver's processor has to handle. */
bool mca_part_ucx_transports_put(const char *list);

/** What RC needs to connect where it has nothing else, if the list is one of exclusions that leaves
 * it out: UD, for that alone. NULL: nothing, or it is there. */
const char *mca_part_ucx_transports_aid(const char *list, const char *transport);

#endif /* PART_UCX_TRANSPORTS_H */
