/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One output stream for the component. What a user must act on goes through part_ucx_help.h
 * (texts in help-part-ucx.txt); the rest are verbose lines, levels by volume:
 *   1  once per job or process: what was chosen, what was declined and why, closing summary
 *   2  once per pair of processes
 *   3  once per channel
 */
#ifndef PART_UCX_LOG_H
#define PART_UCX_LOG_H

#include "ompi_config.h"
#include "opal/util/output.h"

#define PART_UCX_VERBOSE(level, ...) \
    opal_output_verbose((level), mca_part_ucx_output, "part/ucx: " __VA_ARGS__)

/** Output stream of the component; its verbosity is part_ucx_verbose. */
extern int mca_part_ucx_output;

#endif /* PART_UCX_LOG_H */
