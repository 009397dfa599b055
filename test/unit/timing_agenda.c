/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Events by time, in a binary heap (see timing_world.h).
 */
#include "timing_world.h"

#include <stdlib.h>

void *timing_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (NULL == memory) {
        abort();
    }
    return memory;
}

void *timing_grown(void *array, size_t count, size_t size)
{
    void *larger = realloc(array, (count + 1) * size);

    if (NULL == larger) {
        abort();
    }
    return larger;
}

static bool before(const timing_event_t *a, const timing_event_t *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void timing_foresee(timing_world_t *world, timing_t time, timing_kind_t kind, uint32_t item)
{
    timing_agenda_t *agenda = &world->agenda;
    timing_event_t event
        = {.time = time, .order = agenda->order++, .item = item, .kind = (uint32_t) kind};
    size_t at = agenda->count++;

    if (at >= agenda->capacity) {
        agenda->capacity = 2 * agenda->capacity + 64;
        agenda->event = timing_grown(agenda->event, agenda->capacity, sizeof(*agenda->event));
    }
    while (at > 0 && before(&event, &agenda->event[(at - 1) / 2])) {
        agenda->event[at] = agenda->event[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    agenda->event[at] = event;
}

/* Put an event in at the top, and let it sink. */
static void sink(timing_agenda_t *agenda, timing_event_t event)
{
    size_t at = 0;

    for (size_t child = 1; child < agenda->count; child = 2 * at + 1) {
        if (child + 1 < agenda->count && before(&agenda->event[child + 1], &agenda->event[child])) {
            ++child;
        }
        if (!before(&agenda->event[child], &event)) {
            break;
        }
        agenda->event[at] = agenda->event[child];
        at = child;
    }
    agenda->event[at] = event;
}

bool timing_next(timing_world_t *world, timing_event_t *event)
{
    timing_agenda_t *agenda = &world->agenda;

    if (0 == agenda->count) {
        return false;
    }
    *event = agenda->event[0];
    if (0 != --agenda->count) {
        sink(agenda, agenda->event[agenda->count]);
    }
    world->now = event->time;
    return true;
}
