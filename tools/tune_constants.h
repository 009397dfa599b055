/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The constants of the model by which collectives choose their algorithms.
 */
#ifndef TOOLS_TUNE_CONSTANTS_H
#define TOOLS_TUNE_CONSTANTS_H

#include "tune_job.h"

/** Collective: measure them. */
void tune_constants_measure(tune_t *tune);

/** The model uses them from now on. */
void tune_constants_use(const tune_constants_t *constants);

#endif /* TOOLS_TUNE_CONSTANTS_H */
