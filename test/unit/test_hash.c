/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hash: entries are found while its buckets grow, those of one value in their order; one that
 * goes back finds its place; without memory it still works; and it does not get slow.
 */
#include "unit.h"

#include "base/part_ucx_hash.h"

#include <stdlib.h>
#include <time.h>

typedef struct numbered_t {
    mca_part_ucx_hashed_t in; /* first */
    uint64_t order;
} numbered_t;

/* ---- memory may be short (linked with --wrap) ---- */

static bool memory_short;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return memory_short ? NULL : __real_malloc(bytes);
}

static uint64_t order_of(const mca_part_ucx_hashed_t *entry)
{
    return ((const numbered_t *) (const void *) entry)->order;
}

/* Hash values collide on purpose: `values` of them, for all entries. */
static void check_order(const mca_part_ucx_hash_t *hash, uint64_t values, uint64_t wanted)
{
    uint64_t seen = 0;

    for (uint64_t value = 0; value < values; ++value) {
        uint64_t last = 0;

        for (mca_part_ucx_hashed_t *entry = mca_part_ucx_hash_first(hash, value); NULL != entry;
             entry = mca_part_ucx_hash_next(hash, entry)) {
            if (entry->value == value) {
                assert_true(order_of(entry) > last);
                last = order_of(entry);
                ++seen;
            }
        }
    }
    assert_int_equal(wanted, seen);
}

/* Some of many leave and come back, in any order. */
static void order_stays(void **state)
{
    enum { COUNT = 3000 };
    static numbered_t entry[COUNT];
    static uint32_t order[COUNT];

    (void) state;
    for (uint32_t values = 1; values <= 3000; values *= 55) {
        mca_part_ucx_hash_t hash = {0};
        unit_random_t random = unit_stream(values);

        for (uint64_t i = 0; i < COUNT; ++i) {
            entry[i] = (numbered_t) {.order = i + 1};
            mca_part_ucx_hash_insert(&hash, &entry[i].in, i % values, NULL);
        }
        check_order(&hash, values, COUNT);
        for (int round = 0; round < 3; ++round) {
            uint32_t gone = 1 + unit_below(&random, COUNT);

            unit_order(&random, order, COUNT);
            for (uint32_t i = 0; i < gone; ++i) {
                assert_true(mca_part_ucx_hash_remove(&entry[order[i]].in));
                assert_false(mca_part_ucx_hash_remove(&entry[order[i]].in));
            }
            check_order(&hash, values, COUNT - gone);
            unit_order(&random, order, gone);
            for (uint32_t i = 0; i < COUNT; ++i) {
                if (NULL == entry[i].in.in) {
                    mca_part_ucx_hash_insert(&hash, &entry[i].in, i % values, order_of);
                }
            }
            check_order(&hash, values, COUNT);
        }
        mca_part_ucx_hash_destroy(&hash);
    }
}

static uint64_t visited; /* the sum of their orders */

static void visit(mca_part_ucx_hashed_t *entry)
{
    visited += ((numbered_t *) entry)->order;
}

static void without_memory(void **state)
{
    enum { COUNT = 300 };
    static numbered_t entry[COUNT];
    mca_part_ucx_hash_t hash = {0};
    uint64_t from = 0;

    (void) state;
    memory_short = true;
    for (uint64_t i = 0; i < COUNT; ++i) {
        memory_short = i < 100 || i > 200;
        entry[i] = (numbered_t) {.order = i + 1};
        mca_part_ucx_hash_insert(&hash, &entry[i].in, i, NULL);
    }
    memory_short = false;
    check_order(&hash, COUNT, COUNT);
    visited = 0;
    mca_part_ucx_hash_each(&hash, visit);
    assert_int_equal(COUNT * (COUNT + 1) / 2, visited);
    for (int i = 0; i < COUNT; ++i) {
        mca_part_ucx_hashed_t *any = mca_part_ucx_hash_any(&hash, &from);

        assert_non_null(any);
        assert_true(mca_part_ucx_hash_remove(any));
    }
    assert_null(mca_part_ucx_hash_any(&hash, &from));
    mca_part_ucx_hash_destroy(&hash);
}

/* Of processor time: what else runs on the machine does not count. */
static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Nanoseconds for an entry to come, be found, and go back to its place, the least of several. They
 * go and come back from the first on in one round, from the last on in the next: the slower one. */
static double cost(numbered_t *entry, uint64_t count, uint64_t same)
{
    double least[2] = {1e9, 1e9};

    for (int round = 0; round < 6; ++round) {
        mca_part_ucx_hash_t hash = {0};
        double began = seconds(), took;

        for (uint64_t i = 0; i < count; ++i) {
            entry[i] = (numbered_t) {.order = i + 1};
            mca_part_ucx_hash_insert(&hash, &entry[i].in, mca_part_ucx_hash_mix(0, i / same), NULL);
        }
        for (uint64_t i = 0; i < count; ++i) {
            uint64_t which = 1 == same ? i * 7919 % count : 0 != round % 2 ? i : count - 1 - i;
            mca_part_ucx_hashed_t *found = mca_part_ucx_hash_first(&hash, entry[which].in.value);

            while (1 == same && found != &entry[which].in) {
                found = mca_part_ucx_hash_next(&hash, found);
            }
            assert_true(mca_part_ucx_hash_remove(&entry[which].in));
        }
        for (uint64_t i = 0; i < count; ++i) {
            uint64_t which = 0 != round % 2 ? i : count - 1 - i;

            mca_part_ucx_hash_insert(&hash, &entry[which].in,
                                     mca_part_ucx_hash_mix(0, which / same), order_of);
        }
        took = seconds() - began;
        least[round % 2] = took < least[round % 2] ? took : least[round % 2];
        mca_part_ucx_hash_destroy(&hash);
    }
    return 1e9 * (least[0] > least[1] ? least[0] : least[1]) / (double) count;
}

/* A list, or buckets that do not grow, would take fifty times as long for each of fifty times as
 * many; caches take their part. */
static void does_not_get_slow(void **state)
{
    enum { FEW = 1000, MANY = 50 * FEW };
    numbered_t *entry = calloc(MANY, sizeof(*entry));

    (void) state;
    assert_non_null(entry);
    for (uint64_t same = 1; same <= MANY; same *= MANY) {
        double few = cost(entry, FEW, same), many = cost(entry, MANY, same);

        print_message("%u entries: %.0f ns each, %u: %.0f ns (%s keys)\n", FEW, few, MANY, many,
                      1 == same ? "different" : "equal");
        UNIT_CHECK(many < 25 * few, "%.0f ns is more than 25 times %.0f ns", many, few);
    }
    free(entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_stays),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(does_not_get_slow),
    };

    return UNIT_RUN(tests);
}
