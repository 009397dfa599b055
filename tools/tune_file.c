/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing a tuning file (see tune_file.h).
 */
#include "tune_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_constant(FILE *file, const char *name, int value, const char *text)
{
    if (value > 0) {
        (void) fprintf(file, "%s = %d # %s\n", name, value, text);
    }
}

static void write_wish(FILE *file, const tune_hosts_t *hosts, const char *prefix,
                       const tune_wish_t *wish)
{
    (void) fprintf(file, "%s%s = %s ranks %d hosts %d bytes %llu-", prefix, wish->collective,
                   wish->word, hosts->size, hosts->hosts, (unsigned long long) wish->least);
    if (0 != wish->most) {
        (void) fprintf(file, "%llu", (unsigned long long) wish->most);
    }
    (void) fprintf(file, " # %.3f ms instead of %.3f\n", wish->seconds * 1e3,
                   wish->other_seconds * 1e3);
}

static void write_wishes(FILE *file, const tune_hosts_t *hosts, const char *prefix,
                         const tune_wishes_t *wishes, const char *heading)
{
    if (wishes->count > 0) {
        (void) fprintf(file, "\n# %s\n", heading);
    }
    for (size_t i = 0; i < wishes->count; ++i) {
        write_wish(file, hosts, prefix, &wishes->wish[i]);
    }
}

static void write_all(FILE *file, const tune_hosts_t *hosts, const tune_findings_t *findings)
{
    const tune_constants_t *constants = &findings->constants;

    (void) fprintf(file,
                   "# Written by pschedule_tune, on %d hosts of %d to %d ranks. To use it:\n"
                   "#   mpirun --mca coll_pschedule_tuning_file FILE ...\n"
                   "version = 1\n\n# What the model for the choice of algorithms knows.\n",
                   hosts->hosts, hosts->fewest, hosts->most);
    write_constant(file, "latency", constants->latency,
                   hosts->hosts > 1 ? "us, of a round between hosts"
                                    : "us, of a round on one host");
    write_constant(file, "local_latency", constants->local_latency, "us, of a round within a host");
    write_constant(file, "bandwidth", constants->bandwidth, "MB/s of a process");
    write_constant(file, "host_bandwidth", constants->host_bandwidth,
                   "MB/s of all processes of a host");
    write_constant(file, "copy_bandwidth", constants->copy_bandwidth,
                   "MB/s at which a process reduces");
    write_wishes(file, hosts, "", &findings->rows,
                 "Where another algorithm was faster than the model's.");
    write_wishes(file, hosts, "persistent_", &findings->persistent,
                 "MPI's persistent collectives: time of this package, and of others.");
}

/* The bytes are on the disk before the name is. Returns what is wrong, or NULL. */
static const char *finish(FILE *file)
{
    const char *wrong = NULL;

    if (0 != fflush(file) || 0 != fsync(fileno(file))) {
        wrong = strerror(errno);
    } else if (0 != ferror(file)) {
        wrong = "it cannot be written";
    }
    if (0 != fclose(file) && NULL == wrong) {
        wrong = strerror(errno);
    }
    return wrong;
}

/* The file until it is complete, made now. NULL: *wrong says why not. Else *draft is its name, to
 * be freed. */
static FILE *open_draft(const char *name, char **draft, const char **wrong)
{
    size_t size = strlen(name) + 32;
    struct stat there;
    FILE *file;

    *draft = NULL;
    if (0 == stat(name, &there) && !S_ISREG(there.st_mode)) { /* /dev/null would be replaced */
        *wrong = "it is there, and is not a regular file";
        return NULL;
    }
    *draft = malloc(size);
    if (NULL == *draft) {
        *wrong = "out of memory";
        return NULL;
    }
    (void) snprintf(*draft, size, "%s.%ld", name, (long) getpid());
    file = fopen(*draft, "wx");
    if (NULL == file) {
        *wrong = strerror(errno);
        free(*draft);
        *draft = NULL;
    }
    return file;
}

const char *tune_file_try(const char *name)
{
    const char *wrong = NULL;
    char *draft;
    FILE *file = open_draft(name, &draft, &wrong);

    if (NULL != file) {
        (void) fclose(file);
        (void) unlink(draft);
    }
    free(draft);
    return wrong;
}

const char *tune_file_write(const char *name, const tune_hosts_t *hosts,
                            const tune_findings_t *findings)
{
    const char *wrong = NULL;
    char *draft;
    FILE *file = open_draft(name, &draft, &wrong);

    if (NULL != file) {
        write_all(file, hosts, findings);
        wrong = finish(file);
        if (NULL == wrong && 0 != rename(draft, name)) {
            wrong = strerror(errno);
        }
        if (NULL != wrong) {
            (void) unlink(draft);
        }
    }
    free(draft);
    return wrong;
}
