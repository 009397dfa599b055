/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Settings of plan_time by name (see plan_time_settings.h).
 */
#include "plan_time_settings.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
    const char *text;
} field[] = {
#define FIELD(name, text) {#name, offsetof(plan_settings_t, name), text}
    FIELD(hosts, "hosts"),
    FIELD(per_host, "ranks on each host"),
    FIELD(round_robin, "1: rank r is on host r modulo hosts; 0: ranks of a host are neighbours"),
    FIELD(blind, "1: algorithms are chosen and built as if each rank were on a host of its own"),
    FIELD(partitions, "partitions that a contribution has"),
    FIELD(chunk, "bytes: coll_pschedule_chunk"),
    FIELD(most_memory, "MiB that the plans of all ranks may take; a row that needs more is left "
                       "out"),
    FIELD(paths, "network paths of a host"),
    FIELD(rate, "MB/s of a path, in either direction"),
    FIELD(latency, "us until the first byte arrives at another host"),
    FIELD(local_latency, "us until a process of the same host sees a message"),
    FIELD(overhead, "us of a process for each message, on either side"),
    FIELD(handle, "MB/s at which a process handles bytes of the network; 0: it costs nothing"),
    FIELD(copy, "MB/s at which a process copies within its host"),
    FIELD(reduce, "MB/s at which a process reduces"),
    FIELD(memory, "MB/s at which all processes of a host copy and reduce together"),
    FIELD(wake, "us until a process that had nothing to do goes on"),
    FIELD(header, "bytes on a path beside those of a message"),
    FIELD(burst, "bytes that a path lets pass at once after a pause"),
    FIELD(window, "bytes that a process has under way on a path; 0: any number"),
    FIELD(bundle, "bytes up to which small transfers to one rank leave together; 0: never"),
    FIELD(cores, "processors that the processes of a host share; 0: each has its own"),
    FIELD(one_machine, "1: the processors are of all hosts together"),
    FIELD(ready, "1: receivers tell senders that they have started, as part/ucx does"),
    FIELD(rounds, "epochs, one after the other; the time is that of one")
#undef FIELD
};

enum { FIELDS = sizeof(field) / sizeof(field[0]) };

static double *value_of(const plan_settings_t *settings, int index)
{
    return (double *) (void *) ((char *) (uintptr_t) settings + field[index].offset);
}

/* Hosts with two adapters of 100 Gbit/s, a processor for each process; as told by their makers. */
static const plan_settings_t nodes = {
    .hosts = 4, .per_host = 4, .partitions = 1, .chunk = 61440, .most_memory = 4096,
    .paths = 2, .rate = 12500, .latency = 1.5, .local_latency = 0.3, .overhead = 0.3,
    .copy = 8000, .reduce = 6000, .memory = 100000, .window = 524288, .ready = 1, .rounds = 1};

/* test/vcluster with four paths of 100 Mbit/s on a machine of two processors, measured
 * (docs/nodes.md, section 4). */
static const plan_settings_t cluster = {
    .hosts = 4, .per_host = 4, .partitions = 4, .chunk = 61440, .most_memory = 4096,
    .paths = 4, .rate = 12.4, .latency = 30, .local_latency = 2, .overhead = 3, .handle = 1500,
    .copy = 4000, .reduce = 4000, .memory = 8000, .wake = 20, .header = 100, .burst = 4096,
    .window = 524288, .cores = 2, .one_machine = 1, .ready = 1,
    .rounds = 8};

bool plan_settings_machine(plan_settings_t *settings, const char *name)
{
    if (0 == strcmp(name, "nodes")) {
        *settings = nodes;
    } else if (0 == strcmp(name, "cluster")) {
        *settings = cluster;
    } else {
        return false;
    }
    return true;
}

bool plan_settings_take(plan_settings_t *settings, const char *word)
{
    for (int i = 0; i < FIELDS; ++i) {
        size_t length = strlen(field[i].name);
        char *end;

        if (0 == strncmp(word, field[i].name, length) && '=' == word[length]) {
            *value_of(settings, i) = strtod(word + length + 1, &end);
            return '\0' != word[length + 1] && '\0' == *end && *value_of(settings, i) >= 0;
        }
    }
    return false;
}

void plan_settings_print(const plan_settings_t *settings)
{
    for (int i = 0; i < FIELDS; ++i) {
        (void) printf("  %s=%g%*s%s\n", field[i].name, *value_of(settings, i),
                      (int) (24 - strlen(field[i].name)) > 0 ? 4 : 1, "", field[i].text);
    }
}

/* ---- units ---- */

static timing_t per_message(double microseconds)
{
    return (timing_t) (microseconds * 1e6 + 0.5);
}

static timing_t per_byte(double megabytes)
{
    return 0 == megabytes ? 0 : (timing_t) (1e6 / megabytes + 0.5);
}

timing_machine_t plan_settings_timing(const plan_settings_t *s)
{
    return (timing_machine_t) {.paths = s->paths < 1 ? 1 : (uint32_t) s->paths,
                               .wire = per_byte(s->rate),
                               .latency = per_message(s->latency),
                               .local_latency = per_message(s->local_latency),
                               .overhead = per_message(s->overhead),
                               .handle = per_byte(s->handle),
                               .copy = per_byte(s->copy),
                               .reduce = per_byte(s->reduce),
                               .memory = per_byte(s->memory),
                               .wake = per_message(s->wake),
                               .header = (uint64_t) s->header,
                               .burst = (uint64_t) s->burst,
                               .window = (uint64_t) s->window,
                               .bundle = (uint64_t) s->bundle,
                               .cores = (uint32_t) s->cores,
                               .one_machine = 0 != s->one_machine,
                               .ready = 0 != s->ready,
                               .rounds = (uint32_t) s->rounds};
}

static unsigned whole(double value)
{
    return value < 1 ? 1 : (unsigned) (value + 0.5);
}

mca_coll_pschedule_rates_t plan_settings_rates(const plan_settings_t *s)
{
    /* A round is a message: out, over, and in. */
    return (mca_coll_pschedule_rates_t) {
        .latency = whole(s->latency + 2 * s->overhead + s->wake),
        .local_latency = whole(s->local_latency + 2 * s->overhead + s->wake),
        .bandwidth = whole(s->paths * s->rate),
        .host_bandwidth = whole(s->paths * s->rate)};
}
