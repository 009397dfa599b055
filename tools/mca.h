/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What Open MPI makes of the components: where it looks for them, whether it can load them, what
 * the user has told it. Found out before MPI_Init, which would end the program where a component
 * is demanded that is not there, and which would be disturbed if this were asked in its process.
 */
#ifndef TOOLS_MCA_H
#define TOOLS_MCA_H

#include "facts.h"
#include "api/part_ucx_info.h"

/** Longer than any value that MPI_T hands out. */
enum { INFO_VALUE = 4096 };

typedef struct info_mca_t {
    char path[INFO_VALUE];           /**< mca_base_component_path */
    char part[INFO_LINE];            /**< which part components the user wants, or empty */
    char coll[INFO_LINE];            /**< likewise coll */
    info_component_t part_component; /**< USED stands for "can be used" */
    info_component_t coll_component;
    char package[INFO_WORD];         /**< of part/ucx, if its table was found */
    char built_for_mpi[INFO_WORD];
    char built_for_ucx[INFO_WORD];
    int wire;
    bool overridden;                 /**< part/ucx was demanded, and MPI_Init would have failed */
} info_mca_t;

/** Find it out, in another process. Before MPI_Init. */
void info_mca_probe(info_mca_t *mca);

/** If MPI_Init would fail because part/ucx is demanded, demand it no longer. Before MPI_Init. */
void info_mca_permit(info_mca_t *mca);

/** After MPI_Init: the environment is as the user has left it. */
void info_mca_permitted(const info_mca_t *mca);

/** Does a list like "a,b" or "^a,b" allow a component? */
bool info_mca_allows(const char *list, const char *component);

/** The component's table of functions, loading its file if Open MPI has not; NULL if that fails. */
const mca_part_ucx_info_t *info_mca_table(const info_component_t *component);

/** The file that a loaded library came from: one whose name begins so. */
bool info_mca_loaded(const char *name, char *file, size_t size);

#endif /* TOOLS_MCA_H */
