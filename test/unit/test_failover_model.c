/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of failing over (failover_model.h), explored: every state that any order of steps leads
 * to. In none may a byte be torn, wrong, delivered twice or come too early, and from each both ends
 * must be able to come to their end without any further fault. Without any single one of the rules
 * one of the two does not hold: so each is needed, and the search finds what it is for.
 */
#include "unit.h"

#include "failover_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* States in the order in which they were found, and where each is, by its hash. */
static model_t *state;
static uint32_t states, room;
static uint32_t *slot, slots;

/* Steps that are no faults, from state to state. */
typedef struct edge_t {
    uint32_t from, to;
} edge_t;

static edge_t *edge;
static uint32_t edges, edge_room;

static uint64_t hash_of(const model_t *model)
{
    const unsigned char *bytes = (const unsigned char *) model;
    uint64_t hash = UINT64_C(14695981039346656037), word;

    for (size_t i = 0; i < sizeof(*model); i += sizeof(word)) {
        size_t left = sizeof(*model) - i;

        word = 0;
        memcpy(&word, &bytes[i], left < sizeof(word) ? left : sizeof(word));
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 29; /* what is high in a word counts below, too */
    }
    return hash ^ hash >> 32;
}

static uint32_t *slot_of(const model_t *model)
{
    uint32_t at = (uint32_t) hash_of(model) & (slots - 1);

    while (0 != slot[at] && 0 != memcmp(&state[slot[at] - 1], model, sizeof(*model))) {
        at = (at + 1) & (slots - 1);
    }
    return &slot[at];
}

static void grow(void)
{
    room *= 2;
    state = realloc(state, room * sizeof(*state));
    assert_non_null(state);
    free(slot);
    slots = 4 * room;
    slot = calloc(slots, sizeof(*slot));
    assert_non_null(slot);
    for (uint32_t i = 0; i < states; ++i) {
        *slot_of(&state[i]) = i + 1;
    }
}

/* Its number; it is new if that is the last one. */
static uint32_t number_of(const model_t *model)
{
    uint32_t *at = slot_of(model);

    if (0 == *at) {
        if (states == room) {
            grow();
            at = slot_of(model);
        }
        state[states] = *model;
        *at = ++states;
    }
    return *at - 1;
}

static void note_edge(uint32_t from, uint32_t to)
{
    if (edges == edge_room) {
        edge_room *= 2;
        edge = realloc(edge, edge_room * sizeof(*edge));
        assert_non_null(edge);
    }
    edge[edges++] = (edge_t) {from, to};
}

static void begin(const model_limits_t *limits)
{
    model_t first;

    room = 1u << 12;
    states = edges = 0;
    edge_room = 1u << 14;
    state = malloc(room * sizeof(*state));
    edge = malloc(edge_room * sizeof(*edge));
    assert_non_null(state);
    assert_non_null(edge);
    slot = NULL;
    room /= 2;
    grow();
    model_begin(&first, limits);
    (void) number_of(&first);
}

static void end(void)
{
    free(state);
    free(slot);
    free(edge);
}

/* All that can follow a state; false: one of these is wrong. */
static bool expand(uint32_t number, const model_limits_t *limits, unsigned without)
{
    for (unsigned step = 0; step < model_steps(); ++step) {
        model_t next = state[number];

        if (!model_step(&next, limits, without, step)) {
            continue;
        }
        if (0 != next.wrong) {
            return false;
        }
        if (model_is_fault(step)) {
            (void) number_of(&next);
        } else {
            note_edge(number, number_of(&next));
        }
    }
    return true;
}

/* Does every state lead to the end? Edges mostly lead from states to later ones. */
static bool all_end(const model_limits_t *limits)
{
    bool *ends = calloc(states, sizeof(*ends));
    bool changed = true, all = true;

    assert_non_null(ends);
    for (uint32_t i = 0; i < states; ++i) {
        ends[i] = model_is_over(&state[i], limits);
    }
    while (changed) {
        changed = false;
        for (uint32_t i = edges; i-- > 0;) {
            if (ends[edge[i].to] && !ends[edge[i].from]) {
                ends[edge[i].from] = changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < states && all; ++i) {
        all = ends[i];
    }
    free(ends);
    return all;
}

/* What is wrong; NULL: nothing, in any order of steps. */
static const char *explore(const model_limits_t *limits, unsigned without)
{
    const char *wrong = NULL;

    begin(limits);
    for (uint32_t i = 0; i < states && NULL == wrong; ++i) {
        if (!expand(i, limits, without)) {
            wrong = "bytes";
        }
    }
    if (NULL == wrong && !all_end(limits)) {
        wrong = "waits for ever";
    }
    print_message("%u paths, %u epochs, without %#x: %u states: %s\n", limits->paths,
                  limits->epochs, without, states, NULL == wrong ? "all well" : wrong);
    end();
    return wrong;
}

static const model_limits_t searches[] = {
    {.paths = 2, .units = 2, .epochs = 2, .cuts = 0, .alarms = 1, .backs = 0},
    {.paths = 2, .units = 2, .epochs = 1, .cuts = 0, .alarms = 1, .backs = 1},
    {.paths = 2, .units = 2, .epochs = 2, .cuts = 1, .alarms = 0, .backs = 0},
    {.paths = 2, .units = 1, .epochs = 1, .cuts = 1, .alarms = 0, .backs = 1},
    {.paths = 2, .units = 2, .epochs = 2, .cuts = 1, .alarms = 0, .backs = 1},
    {.paths = 2, .units = 2, .epochs = 2, .cuts = 0, .alarms = 1, .backs = 1},
    {.paths = 2, .units = 2, .epochs = 1, .cuts = 0, .alarms = 2, .backs = 1},
    {.paths = 2, .units = 2, .epochs = 2, .cuts = 1, .alarms = 0, .backs = 0, .plan = 1},
    {.paths = 2, .units = 2, .epochs = 1, .cuts = 0, .alarms = 1, .backs = 1, .plan = 1},
    {.paths = 3, .units = 1, .epochs = 1, .cuts = 1, .alarms = 1, .backs = 0},
    {.paths = 3, .units = 1, .epochs = 1, .cuts = 0, .alarms = 2, .backs = 0},
};

#define SEARCHES (sizeof(searches) / sizeof(searches[0]))

static void no_order_of_events_does_harm(void **unused)
{
    (void) unused;
    for (size_t i = 0; i < SEARCHES; ++i) {
        const char *wrong = explore(&searches[i], 0);

        UNIT_CHECK(NULL == wrong, "search %zu: %s", i, wrong);
    }
}

static void every_rule_is_needed(void **unused)
{
    (void) unused;
    for (unsigned rule = 0; rule < RULES; ++rule) {
        bool found = false;

        for (size_t i = 0; i < SEARCHES && !found; ++i) {
            found = NULL != explore(&searches[i], 1u << rule);
        }
        UNIT_CHECK(found, "nothing goes wrong without rule %u", rule);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_order_of_events_does_harm),
        cmocka_unit_test(every_rule_is_needed),
    };

    return UNIT_RUN(tests);
}
