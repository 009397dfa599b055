/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Showing messages to the user, for this component and for coll/pschedule, which has texts of its
 * own.
 *
 * Open MPI 6 compiles its help files into its own library and reads none at run time, so a
 * component from outside cannot add topics to opal_show_help(). The texts are therefore part of the
 * component. Where the runtime is PRRTE they are delivered the way opal_show_help() delivers: it
 * shows a message that many processes send once and counts the rest. Other runtimes show none of
 * them; there they go to stderr.
 */
#ifndef PART_UCX_SHOW_H
#define PART_UCX_SHOW_H

#include <stdarg.h>

typedef struct mca_part_ucx_help_topic_t {
    const char *name; /**< NULL ends the table */
    const char *text; /**< a printf format */
} mca_part_ucx_help_topic_t;

/** The messages of a component. */
typedef struct mca_part_ucx_help_file_t {
    const char *component; /**< as messages name it */
    const char *name;      /**< of the file; the runtime counts by it and the topic */
    const mca_part_ucx_help_topic_t *topics; /**< made of it at build time by help-to-c.awk */
} mca_part_ucx_help_file_t;

/**
 * Show the text of a topic, its conversions filled in from `args`, to the user. Any thread, at any
 * time; never fails: what the runtime does not take goes to stderr at once.
 */
void mca_part_ucx_show(const mca_part_ucx_help_file_t *file, const char *topic, va_list args);

/** The text alone; to be freed, NULL when there is no such topic or no memory. */
char *mca_part_ucx_show_text(const mca_part_ucx_help_file_t *file, const char *topic,
                             va_list args);

#endif /* PART_UCX_SHOW_H */
