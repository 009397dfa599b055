/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Paths that slow the others down (see report.h). Small messages take all paths alike, so all of
 * them together are as fast as the slowest times their number: leaving slow ones out may be faster.
 * Large ones do not, so what all together were measured to carry says nothing of that.
 */
#include "report.h"

#include <stdlib.h>

enum { MAX_PATHS = 32 };

/* Less is not worth a word: measurements scatter. */
static const double worth = 1.3;

typedef struct way_t {
    int from;
    int to;
    const info_rate_t *path[MAX_PATHS]; /* fastest first */
    int paths;
} way_t;

static int fastest_first(const void *a, const void *b)
{
    double first = (*(const info_rate_t *const *) a)->bytes;
    double second = (*(const info_rate_t *const *) b)->bytes;

    return (first < second) - (first > second);
}

static void collect(const info_report_t *report, const info_rate_t *of, way_t *way)
{
    *way = (way_t) {.from = of->from, .to = of->to};
    for (int i = 0; i < report->rates.count && way->paths < MAX_PATHS; ++i) {
        const info_rate_t *rate = info_list_at(&report->rates, i);

        if (rate->from != of->from || rate->to != of->to) {
            continue;
        }
        if (rate->path >= 0 && rate->bytes > 0) {
            way->path[way->paths++] = rate;
        }
    }
    qsort(way->path, (size_t) way->paths, sizeof(way->path[0]), fastest_first);
}

/* How many of the fastest paths are fastest together. */
static int best_count(const way_t *way)
{
    int best = way->paths;

    for (int count = way->paths - 1; count > 0; --count) {
        if (count * way->path[count - 1]->bytes > best * way->path[best - 1]->bytes) {
            best = count;
        }
    }
    return best;
}

static void judge_way(info_report_t *report, const way_t *way)
{
    int best = best_count(way);
    double now, then, slowest;
    char names[INFO_LINE] = "", kept[INFO_LINE] = "";

    if (0 == way->paths) {
        return;
    }
    now = way->paths * way->path[way->paths - 1]->bytes;
    then = best * way->path[best - 1]->bytes;
    if (best == way->paths || then < worth * now) {
        return;
    }
    slowest = way->path[best - 1]->bytes;
    for (int i = 0; i < report->rates.count; ++i) {
        const info_rate_t *rate = info_list_at(&report->rates, i);

        if (rate->from == way->from && rate->to == way->to && rate->path >= 0 && rate->bytes > 0) {
            char *text = rate->bytes >= slowest ? kept : names;

            info_append(text, INFO_LINE, "%s%s", '\0' == text[0] ? "" : ",", rate->name);
        }
    }
    info_todo(info_report_tell(report, INFO_ATTENTION,
                               "From %s to %s, %s is much slower than the others: %.1f and %.1f "
                               "MB/s. Messages below 512 KiB take all alike, and it slows them.",
                               info_report_host(report, way->from),
                               info_report_host(report, way->to), names,
                               way->path[way->paths - 1]->bytes / 1e6,
                               way->path[best - 1]->bytes / 1e6),
              "Repair it, or leave it out: part_ucx_devices=%s gives those about %.0f instead of "
              "%.0f MB/s.",
              kept, then / 1e6, now / 1e6);
}

/* Was the pair tried? Then what is dead was told with it. */
static bool was_tried(const info_report_t *report, int from, int to)
{
    for (int i = 0; i < report->pairs.count; ++i) {
        const info_pair_t *pair = info_list_at(&report->pairs, i);

        if (pair->from == from && pair->to == to) {
            return pair->tried;
        }
    }
    return false;
}

/* All together are measured only when each path has carried something. */
static void judge_silence(info_report_t *report, const info_rate_t *rate)
{
    const char *to = info_report_host(report, rate->to);
    const char *from = info_report_host(report, rate->from);

    if (rate->path < 0) {
        info_todo(info_report_tell(report, INFO_ATTENTION,
                                   "Not everything arrives at %s from %s over all paths together, "
                                   "although each of them carried something just before.",
                                   to, from),
                  "Has a link gone down meanwhile? Run the check again: it names the path.");
    } else {
        info_todo(info_report_tell(report, INFO_ATTENTION, "Nothing arrives at %s from %s over %s.",
                                   to, from, rate->name),
                  "A request that uses this path ends with an error after many minutes at the "
                  "earliest. Repair it, or leave it out with part_ucx_devices.");
    }
}

void info_report_judge_rates(info_report_t *report)
{
    for (int i = 0; i < report->rates.count; ++i) {
        const info_rate_t *rate = info_list_at(&report->rates, i);

        if (0.0 == rate->bytes && !(rate->dead && was_tried(report, rate->from, rate->to))) {
            judge_silence(report, rate);
        }
        if (0 == rate->path) {
            way_t way;

            collect(report, rate, &way);
            judge_way(report, &way);
        }
    }
}
