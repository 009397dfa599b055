/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Channel keys: never given twice, stale ones find nothing and remove nothing, and look-up by other
 * threads never finds a wrong object while entries come and go. And the nonces beside them.
 */
#include "unit.h"

#include "base/part_ucx_random.h"
#include "base/part_ucx_table.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static uint32_t slots_of(const mca_part_ucx_table_t *table)
{
    return table->chunks * PART_UCX_TABLE_CHUNK;
}

/* Over several chunks: the index in each key is a slot of its own, and each finds its object. */
static void growth(void **state)
{
    enum { COUNT = 5 * PART_UCX_TABLE_CHUNK + 17 };
    static uint64_t key[COUNT];
    static char object[COUNT];
    mca_part_ucx_table_t table = {NULL};
    uint32_t next = 0;

    (void) state;
    assert_null(mca_part_ucx_table_find(&table, 1)); /* nothing is there yet, not even memory */
    assert_null(mca_part_ucx_table_next(&table, &next));
    for (int i = 0; i < COUNT; ++i) {
        key[i] = mca_part_ucx_table_add(&table, &object[i]);
        assert_true(0 != key[i]);
    }
    assert_uint_in_range(slots_of(&table), COUNT, COUNT + PART_UCX_TABLE_CHUNK);
    for (int i = 0; i < COUNT; ++i) {
        assert_ptr_equal(&object[i], mca_part_ucx_table_find(&table, key[i]));
        assert_ptr_equal(&object[i], mca_part_ucx_table_next(&table, &next));
    }
    assert_null(mca_part_ucx_table_next(&table, &next));
    for (int i = 0; i < COUNT; i += 2) {
        mca_part_ucx_table_remove(&table, key[i]);
    }
    next = 0;
    for (int i = 1; i < COUNT; i += 2) {
        assert_ptr_equal(&object[i], mca_part_ucx_table_next(&table, &next));
    }
    assert_null(mca_part_ucx_table_next(&table, &next));
    for (int i = 0; i < COUNT; ++i) {
        assert_ptr_equal(i % 2 ? &object[i] : NULL, mca_part_ucx_table_find(&table, key[i]));
    }
    /* Free slots are used again before the table grows. */
    for (int i = 0; i < COUNT; i += 2) {
        key[i] = mca_part_ucx_table_add(&table, &object[i]);
    }
    assert_uint_in_range(slots_of(&table), COUNT, COUNT + PART_UCX_TABLE_CHUNK);
    for (int i = 0; i < COUNT; ++i) {
        assert_ptr_equal(&object[i], mca_part_ucx_table_find(&table, key[i]));
    }
    mca_part_ucx_table_destroy(&table);
    assert_null(mca_part_ucx_table_find(&table, key[0]));
}

static int by_value(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *) a;
    uint64_t second = *(const uint64_t *) b;

    return first < second ? -1 : first > second;
}

/* However often a slot is used again, no key is given twice, and old keys find nothing. */
static void keys_are_unique(void **state)
{
    const uint32_t count = unit_repeat(200000);
    uint64_t *key = calloc(count, sizeof(*key));
    unit_random_t random = unit_stream(1);
    mca_part_ucx_table_t table = {NULL};
    char object[8];
    uint64_t owner[8] = {0};

    (void) state;
    assert_non_null(key);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t which = unit_below(&random, 8);

        if (0 != owner[which]) {
            mca_part_ucx_table_remove(&table, owner[which]);
            assert_null(mca_part_ucx_table_find(&table, owner[which]));
        }
        key[i] = owner[which] = mca_part_ucx_table_add(&table, &object[which]);
        assert_ptr_equal(&object[which], mca_part_ucx_table_find(&table, key[i]));
    }
    assert_int_equal(PART_UCX_TABLE_CHUNK, slots_of(&table));
    for (uint32_t i = 0; i < count; ++i) {
        void *found = mca_part_ucx_table_find(&table, key[i]);

        for (int which = 0; which < 8; ++which) {
            found = owner[which] == key[i] && found == &object[which] ? NULL : found;
        }
        UNIT_CHECK(NULL == found, "an old key finds an object");
    }
    qsort(key, count, sizeof(*key), by_value);
    for (uint32_t i = 1; i < count; ++i) {
        assert_true(key[i - 1] != key[i]);
    }
    mca_part_ucx_table_destroy(&table);
    free(key);
}

/* Removing what is not there (twice, long gone, never given, 0) changes nothing. */
static void stale_keys_remove_nothing(void **state)
{
    static char object[4];
    mca_part_ucx_table_t table = {NULL};
    uint64_t old, key[4];

    (void) state;
    mca_part_ucx_table_remove(&table, 1);
    old = mca_part_ucx_table_add(&table, &object[0]);
    mca_part_ucx_table_remove(&table, old);
    mca_part_ucx_table_remove(&table, old);
    mca_part_ucx_table_remove(&table, 0);
    mca_part_ucx_table_remove(&table, old + 1);
    mca_part_ucx_table_remove(&table, UINT64_MAX);
    assert_null(mca_part_ucx_table_find(&table, 0));
    assert_null(mca_part_ucx_table_find(&table, UINT64_MAX));
    for (int i = 0; i < 4; ++i) {
        key[i] = mca_part_ucx_table_add(&table, &object[i]);
        mca_part_ucx_table_remove(&table, old);
        mca_part_ucx_table_remove(&table, 0);
    }
    for (int i = 0; i < 4; ++i) {
        assert_ptr_equal(&object[i], mca_part_ucx_table_find(&table, key[i]));
    }
    mca_part_ucx_table_destroy(&table);
}

/* A generation that wraps around gives no key 0, which would mean "none". */
static void generations_wrap(void **state)
{
    mca_part_ucx_table_t table = {NULL};
    char object;
    uint64_t key = mca_part_ucx_table_add(&table, &object);

    (void) state;
    mca_part_ucx_table_remove(&table, key);
    atomic_store(&atomic_load(&table.chunk[0])[(uint32_t) key].generation, UINT32_MAX);
    key = mca_part_ucx_table_add(&table, &object);
    assert_true(0 != key && 0 != key >> 32);
    assert_ptr_equal(&object, mca_part_ucx_table_find(&table, key));
    mca_part_ucx_table_destroy(&table);
}

/* ---- look-up while entries come and go ---- */

enum {
    OBJECTS = 3000, /* so that the table grows while it is read */
    ADDERS = 2,
    FINDERS = 2
};

typedef struct object_t {
    _Atomic uint64_t key; /* its present key, or an old one */
    atomic_bool live;     /* the key is in the table now */
} object_t;

typedef struct shared_t {
    mca_part_ucx_table_t table;
    pthread_mutex_t lock; /* adding and removing, as the set-up lock */
    object_t object[OBJECTS];
    atomic_uint adders;
    uint32_t rounds;
} shared_t;

static void come_and_go(shared_t *shared, unit_random_t *random)
{
    object_t *object = &shared->object[unit_below(random, OBJECTS)];

    pthread_mutex_lock(&shared->lock);
    if (atomic_load(&object->live)) {
        atomic_store(&object->live, false);
        mca_part_ucx_table_remove(&shared->table, atomic_load(&object->key));
    } else {
        atomic_store(&object->key, mca_part_ucx_table_add(&shared->table, object));
        atomic_store(&object->live, true);
    }
    pthread_mutex_unlock(&shared->lock);
}

/* A key belongs to one object for ever: it is found, or nothing is. */
static void look_up(shared_t *shared, unit_random_t *random)
{
    object_t *object = &shared->object[unit_below(random, OBJECTS)];
    uint64_t key = atomic_load(&object->key);
    bool live = atomic_load(&object->live);
    object_t *found = 0 == key ? NULL : mca_part_ucx_table_find(&shared->table, key);

    if (NULL != found && found != object) {
        unit_thread_fail("a key finds the object of another one");
    }
    /* In the table before and after, and no key is given twice: it was there all the time. */
    if (NULL == found && live && atomic_load(&object->live) && key == atomic_load(&object->key)) {
        unit_thread_fail("a live key finds nothing");
    }
}

static void table_thread(unsigned index, void *context)
{
    shared_t *shared = context;
    unit_random_t random = unit_stream(index);

    if (index < ADDERS) {
        for (uint32_t i = 0; i < shared->rounds; ++i) {
            come_and_go(shared, &random);
        }
        atomic_fetch_sub(&shared->adders, 1);
        return;
    }
    while (0 != atomic_load(&shared->adders) && !unit_thread_failed()) {
        for (uint32_t i = 0; i < 100; ++i) {
            look_up(shared, &random);
        }
        sched_yield();
    }
}

static void look_up_while_entries_come_and_go(void **state)
{
    static shared_t shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

    (void) state;
    shared.rounds = unit_repeat(400000);
    atomic_store(&shared.adders, ADDERS);
    /* The first chunk is made before a peer can know a key. */
    mca_part_ucx_table_remove(&shared.table, mca_part_ucx_table_add(&shared.table, &shared));
    unit_threads(ADDERS + FINDERS, table_thread, &shared);
    for (int i = 0; i < OBJECTS; ++i) {
        object_t *object = &shared.object[i];

        assert_ptr_equal(atomic_load(&object->live) ? object : NULL,
                         mca_part_ucx_table_find(&shared.table, atomic_load(&object->key)));
    }
    mca_part_ucx_table_destroy(&shared.table);
}

/* One slot, given to one owner after the other as fast as can be. */
typedef struct slot_race_t {
    mca_part_ucx_table_t table;
    _Atomic uint64_t key; /* of the first owner, last time */
    char first, second;
    atomic_bool over;
    uint32_t rounds;
} slot_race_t;

static void race_thread(unsigned index, void *context)
{
    slot_race_t *race = context;

    for (uint32_t i = 0; 0 == index && i < race->rounds && !unit_thread_failed(); ++i) {
        uint64_t key = mca_part_ucx_table_add(&race->table, &race->first);

        atomic_store_explicit(&race->key, key, memory_order_relaxed);
        mca_part_ucx_table_remove(&race->table, key);
        key = mca_part_ucx_table_add(&race->table, &race->second);
        mca_part_ucx_table_remove(&race->table, key);
    }
    if (0 == index) {
        atomic_store(&race->over, true);
    }
    while (!atomic_load_explicit(&race->over, memory_order_relaxed)) {
        uint64_t key = atomic_load_explicit(&race->key, memory_order_relaxed);

        if (&race->second == mca_part_ucx_table_find(&race->table, key)) {
            unit_thread_fail("a key finds the next owner of its slot");
        }
    }
}

static void one_slot_changes_hands(void **state)
{
    static slot_race_t race;

    (void) state;
    race.rounds = unit_repeat(5000000);
    mca_part_ucx_table_remove(&race.table, mca_part_ucx_table_add(&race.table, &race.first));
    unit_threads(3, race_thread, &race);
    mca_part_ucx_table_destroy(&race.table);
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

    return (x > y) - (x < y);
}

/* Of 1,000 two are equal by chance once in 8,600 runs, and three pairs never. */
static void nonces_are_drawn_once(void **state)
{
    uint32_t word[1000], set = 0, clear = 0;
    unsigned equal = 0;
    (void) state;

    for (size_t i = 0; i < 1000; ++i) {
        assert_true(mca_part_ucx_random_word(&word[i]));
        set |= word[i];
        clear |= ~word[i];
    }
    assert_int_equal(set, UINT32_MAX);
    assert_int_equal(clear, UINT32_MAX);
    qsort(word, 1000, sizeof(word[0]), ascending);
    for (size_t i = 1; i < 1000; ++i) {
        equal += word[i] == word[i - 1];
    }
    assert_true(equal < 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth),
        cmocka_unit_test(nonces_are_drawn_once),
        cmocka_unit_test(keys_are_unique),
        cmocka_unit_test(stale_keys_remove_nothing),
        cmocka_unit_test(generations_wrap),
        cmocka_unit_test(look_up_while_entries_come_and_go),
        cmocka_unit_test(one_slot_changes_hands),
    };

    return UNIT_RUN(tests);
}
