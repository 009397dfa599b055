/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Telling what a request waits for (see part_ucx_stuck.h).
 */
#include "wireup/part_ucx_stuck.h"

#include "process/part_ucx_log.h"

#include <stdio.h>
#include <string.h>

#include "ompi/communicator/communicator.h"

/* As much of a list as is read. */
#define LIST_LENGTH 96

/* Partitions that are missing, as in "3, 5-6"; the end of a long list is left out. How many. */
static uint32_t list_missing(mca_part_ucx_channel_t *channel, char list[LIST_LENGTH])
{
    uint32_t count = 0;
    size_t length = 0;

    list[0] = '\0';
    for (uint32_t first = 0, next; first < channel->partitions; first = next + 1) {
        for (next = first; next < channel->partitions && !channel->side->has(channel, next);) {
            ++next;
        }
        if (next == first) {
            continue;
        }
        count += next - first;
        if (length + 30 < LIST_LENGTH) {
            const char *comma = 0 == length ? "" : ", ";

            length += (size_t) (next - first > 1
                                    ? snprintf(list + length, LIST_LENGTH - length, "%s%u-%u",
                                               comma, first, next - 1)
                                    : snprintf(list + length, LIST_LENGTH - length, "%s%u", comma,
                                               first));
        } else if (NULL == strstr(list, "...")) {
            strcat(list, ", ...");
        }
    }
    return count;
}

static void tell_open(const char *who, int seconds)
{
    PART_UCX_VERBOSE(1, "%s, started %d s ago, has met no request of that rank: it has initialised "
                     "none that fits (communicator, tag, and as many before it), or has not been "
                     "in MPI since", who, seconds);
}

static void tell_matched(mca_part_ucx_channel_t *channel, const char *who, int seconds)
{
    char list[LIST_LENGTH];
    uint32_t missing = list_missing(channel, list);
    bool idle = NULL != channel->side->answered && !channel->side->answered(channel);
    static const char receive[] = "its receive has not been started, or cannot say so";

    if (0 != missing) {
        PART_UCX_VERBOSE(1, "%s, started %d s ago: %u of %u partitions are %s: %s%s%s", who,
                         seconds, missing, channel->partitions, channel->side->lacks, list,
                         idle ? "; and " : "", idle ? receive : "");
    } else if (idle) {
        PART_UCX_VERBOSE(1, "%s, started %d s ago: %s", who, seconds, receive);
    }
}

void mca_part_ucx_stuck_tell(mca_part_ucx_channel_t *channel, int seconds)
{
    char who[256];

    if (!opal_output_check_verbosity(1, mca_part_ucx_output)) {
        return;
    }
    (void) snprintf(who, sizeof(who), "%s of rank %d of %s, peer rank %d on host %s, tag %d",
                    channel->side->name, ompi_comm_rank(channel->comm), channel->comm->c_name,
                    channel->peer_rank, mca_part_ucx_peer_host(channel->peer), channel->tag);
    if (PART_UCX_OPEN == mca_part_ucx_channel_state(channel)) {
        tell_open(who, seconds);
    } else if (PART_UCX_MATCHED == mca_part_ucx_channel_state(channel)) {
        tell_matched(channel, who, seconds);
    }
}
