/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file that pschedule_tune writes: what coll_pschedule_tuning_file names.
 */
#ifndef TOOLS_TUNE_FILE_H
#define TOOLS_TUNE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "tune_hosts.h"

/** The constants of the model; 0: not measured. */
typedef struct tune_constants_t {
    int latency, local_latency, bandwidth, host_bandwidth, copy_bandwidth;
} tune_constants_t;

enum { TUNE_WORD = 64 };

/** An algorithm for a range of bytes; or what is done with a persistent collective of MPI. */
typedef struct tune_wish_t {
    const char *collective;
    char word[TUNE_WORD]; /**< the algorithm; or "served", "handed_on" */
    uint64_t least, most; /**< as the choice counts bytes; most 0: no end */
    double seconds;       /**< measured, with the algorithm; or of this package */
    double other_seconds; /**< with what the model takes; or of the other components */
} tune_wish_t;

typedef struct tune_wishes_t {
    tune_wish_t *wish;
    size_t count;
} tune_wishes_t;

typedef struct tune_findings_t {
    tune_constants_t constants;
    tune_wishes_t rows;
    tune_wishes_t persistent;
} tune_findings_t;

/** Can it be written? Returns NULL, or why not. Leaves nothing behind. */
const char *tune_file_try(const char *name);

/** Write it, all or nothing: a file that is there is replaced when the new one is complete. Returns
 * NULL, or what is wrong. */
const char *tune_file_write(const char *name, const tune_hosts_t *hosts,
                            const tune_findings_t *findings);

#endif /* TOOLS_TUNE_FILE_H */
