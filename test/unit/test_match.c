/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Matching of sends with receives: first in first out per key, keys never cross, entries can be
 * withdrawn as long as they wait; and random operations beside a plain list that does the same.
 */
#include "unit.h"

#include "wireup/part_ucx_match.h"

#include <string.h>

typedef mca_part_ucx_match_entry_t entry_t;

/* The two sides do the same with their roles exchanged. */
typedef entry_t *side_t(mca_part_ucx_match_t *match, entry_t *entry, uint64_t order);

static side_t *const sides[2] = {mca_part_ucx_match_announce, mca_part_ucx_match_receive};

/* Communicators are known by their addresses. */
static char comms[3][256];

static mca_part_ucx_match_key_t key_of(unsigned comm, int source, int tag)
{
    return (mca_part_ucx_match_key_t) {.comm = comms[comm], .source = source, .tag = tag};
}

static void first_in_first_out(void **state)
{
    mca_part_ucx_match_t match = {0};
    entry_t waiting[10] = {0}, later[10] = {0};

    (void) state;
    for (int i = 0; i < 10; ++i) {
        waiting[i].key = key_of(0, 3, 7);
        later[i].key = key_of(0, 3, 7);
    }
    for (int round = 0; round < 4; ++round) {
        side_t *first = sides[round % 2];
        side_t *second = sides[1 - round % 2];

        for (int i = 0; i < 10; ++i) {
            assert_null(first(&match, &waiting[i], 0));
        }
        for (int i = 0; i < 10; ++i) {
            assert_ptr_equal(&waiting[i], second(&match, &later[i], 0));
        }
        /* Nobody waits any more, neither those who were met nor those who met. */
        for (int i = 0; i < 10; ++i) {
            assert_false(mca_part_ucx_match_withdraw(&waiting[i]));
            assert_false(mca_part_ucx_match_withdraw(&later[i]));
        }
    }
    mca_part_ucx_match_destroy(&match);
}

/* Keys that differ in one part only do not meet, whatever bucket they share. */
static void keys_do_not_cross(void **state)
{
    enum { SIDE = 7 };
    static entry_t waiting[3][SIDE][SIDE], later[3][SIDE][SIDE];
    static const int numbers[SIDE] = {0, 1, 2, 31, 62, 1 << 20, 0x7fffffff};
    mca_part_ucx_match_t match = {0};

    (void) state;
    for (unsigned i = 0; i < 3 * SIDE * SIDE; ++i) {
        entry_t *entry = &waiting[0][0][0] + i;

        entry->key = key_of(i / (SIDE * SIDE), numbers[i / SIDE % SIDE], numbers[i % SIDE]);
        assert_null(mca_part_ucx_match_announce(&match, entry, 0));
    }
    for (unsigned i = 3 * SIDE * SIDE; i-- > 0;) {
        entry_t *entry = &later[0][0][0] + i;

        entry->key = key_of(i / (SIDE * SIDE), numbers[i / SIDE % SIDE], numbers[i % SIDE]);
        assert_ptr_equal(&waiting[0][0][0] + i, mca_part_ucx_match_receive(&match, entry, 0));
    }
    mca_part_ucx_match_destroy(&match);
}

/* Any subset of a queue is withdrawn, one more is appended: the rest is met in order. */
static void withdrawn_entries(void **state)
{
    enum { COUNT = 5 };

    (void) state;
    for (unsigned gone = 0; gone < 1u << (COUNT + 1); ++gone) {
        side_t *first = sides[gone >> COUNT];
        side_t *second = sides[1 - (gone >> COUNT)];
        mca_part_ucx_match_t match = {0};
        entry_t waiting[COUNT + 1] = {0}, later[COUNT + 2] = {0};
        unsigned met = 0;

        for (int i = 0; i <= COUNT; ++i) {
            waiting[i].key = later[i].key = later[i + 1].key = key_of(1, 0, 0);
            if (i < COUNT) {
                assert_null(first(&match, &waiting[i], 0));
            }
        }
        for (int i = 0; i < COUNT; ++i) {
            if (0 != (gone >> i & 1)) {
                assert_true(mca_part_ucx_match_withdraw(&waiting[i]));
                assert_false(mca_part_ucx_match_withdraw(&waiting[i]));
            }
        }
        assert_null(first(&match, &waiting[COUNT], 0));
        for (int i = 0; i <= COUNT; ++i) {
            if (COUNT == i || 0 == (gone >> i & 1)) {
                assert_ptr_equal(&waiting[i], second(&match, &later[met++], 0));
            }
        }
        assert_null(second(&match, &later[met], 0)); /* nobody is left */
        mca_part_ucx_match_destroy(&match);
    }
}

/* Some that had met lose their match, in any order: they wait in the order of their first coming,
 * in front of later ones and behind earlier ones. */
static void given_back(void **state)
{
    enum { COUNT = 6, MET = 4 };

    (void) state;
    for (uint32_t round = 0; round < unit_repeat(2000); ++round) {
        unit_random_t random = unit_stream(round);
        side_t *first = sides[round % 2], *second = sides[1 - round % 2];
        entry_t early[COUNT] = {0}, late[MET + COUNT + 1] = {0};
        mca_part_ucx_match_t match = {0};
        uint32_t order[MET];
        unsigned lost = 1 + unit_below(&random, MET);
        bool waits[COUNT] = {[MET] = true, [MET + 1] = true};
        unsigned next = MET;

        for (int i = 0; i <= MET + COUNT; ++i) {
            late[i].key = early[i % COUNT].key = key_of(1, 0, 0);
        }
        for (int i = 0; i < COUNT; ++i) {
            assert_null(first(&match, &early[i], 0));
        }
        for (int i = 0; i < MET; ++i) {
            assert_ptr_equal(&early[i], second(&match, &late[i], 0));
        }
        unit_order(&random, order, MET);
        for (unsigned i = 0; i < lost; ++i) {
            assert_null(first(&match, &early[order[i]], early[order[i]].order));
            waits[order[i]] = true;
        }
        for (int i = 0; i < COUNT; ++i) {
            if (waits[i]) {
                assert_ptr_equal(&early[i], second(&match, &late[next++], 0));
            }
        }
        assert_null(second(&match, &late[next], 0)); /* nobody is left */
        mca_part_ucx_match_destroy(&match);
    }
}

/* All announced sends are found, each once, and no receive. */
static void all_announced(void **state)
{
    enum { COUNT = 300 };
    static entry_t send[COUNT], receive;
    static bool seen[COUNT];
    mca_part_ucx_match_t match = {0};
    uint64_t from = 0;

    (void) state;
    receive.key = key_of(2, 1, 1);
    assert_null(mca_part_ucx_match_receive(&match, &receive, 0));
    assert_null(mca_part_ucx_match_any_announce(&match, &from));
    for (int i = 0; i < COUNT; ++i) {
        send[i].key = key_of(0, i / 3, 5);
        assert_null(mca_part_ucx_match_announce(&match, &send[i], 0));
    }
    from = 0;
    for (int i = 0; i < COUNT; ++i) {
        entry_t *entry = mca_part_ucx_match_any_announce(&match, &from);

        assert_true(entry >= send && entry < send + COUNT && !seen[entry - send]);
        seen[entry - send] = true;
        assert_true(mca_part_ucx_match_withdraw(entry));
    }
    assert_null(mca_part_ucx_match_any_announce(&match, &from));
    mca_part_ucx_match_destroy(&match);
}

/* ---- random operations beside a list ---- */

enum { ENTRIES = 400 };

typedef struct model_t {
    entry_t entry[ENTRIES];
    int side[ENTRIES];  /* 0 send, 1 receive; -1 not waiting */
    int order[ENTRIES]; /* those that wait, oldest first */
    int waiting;
} model_t;

static void model_drop(model_t *model, int position)
{
    model->side[model->order[position]] = -1;
    --model->waiting;
    memmove(&model->order[position], &model->order[position + 1],
            (size_t) (model->waiting - position) * sizeof(model->order[0]));
}

/* The oldest one of the other side with the same key, or NULL. */
static entry_t *model_enter(model_t *model, int who, int side)
{
    const mca_part_ucx_match_key_t *key = &model->entry[who].key;

    for (int i = 0; i < model->waiting; ++i) {
        int other = model->order[i];
        const mca_part_ucx_match_key_t *its = &model->entry[other].key;

        if (model->side[other] == 1 - side && its->comm == key->comm && its->source == key->source
            && its->tag == key->tag) {
            model_drop(model, i);
            return &model->entry[other];
        }
    }
    model->side[who] = side;
    model->order[model->waiting++] = who;
    return NULL;
}

static void step(mca_part_ucx_match_t *match, model_t *model, unit_random_t *random, int keys)
{
    int who = (int) unit_below(random, ENTRIES);
    int side = model->side[who];

    if (side >= 0) { /* it waits: withdraw it */
        int position = 0;

        assert_true(mca_part_ucx_match_withdraw(&model->entry[who]));
        while (model->order[position] != who) {
            ++position;
        }
        model_drop(model, position);
        return;
    }
    side = (int) unit_below(random, 2);
    model->entry[who].key = key_of(unit_below(random, 3), (int) unit_below(random, 1 + keys / 2),
                                   (int) unit_below(random, keys));
    assert_ptr_equal(model_enter(model, who, side), sides[side](match, &model->entry[who], 0));
}

static void random_operations(void **state)
{
    static model_t model;
    mca_part_ucx_match_t match;

    (void) state;
    for (int keys = 1; keys <= 64; keys *= 2) {
        unit_random_t random = unit_stream((uint64_t) keys);

        memset(&model, 0, sizeof(model));
        memset(model.side, -1, sizeof(model.side));
        match = (mca_part_ucx_match_t) {0};
        for (uint32_t i = unit_repeat(100000); i > 0; --i) {
            step(&match, &model, &random, keys);
        }
        mca_part_ucx_match_destroy(&match);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_in_first_out), cmocka_unit_test(keys_do_not_cross),
        cmocka_unit_test(withdrawn_entries),  cmocka_unit_test(given_back),
        cmocka_unit_test(all_announced),      cmocka_unit_test(random_operations),
    };

    return UNIT_RUN(tests);
}
