/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Copying into shared memory: every byte and no other, whatever the alignment; and of the two ways
 * the cheaper one, also after it has become the other one.
 */
#include "unit.h"

#include "part_ucx_copy.h"

#include <stdlib.h>
#include <string.h>

#define MOST  300u
#define GUARD 64u

static void fill(unsigned char *at, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; ++i) {
        at[i] = (unsigned char) (seed + i * 7 + i / 256);
    }
}

static void copies_all(void **state)
{
    unsigned char source[MOST + GUARD], expected[MOST + 3 * GUARD], target[MOST + 3 * GUARD];

    (void) state;
    fill(source, sizeof(source), 1);
    for (size_t bytes = 0; bytes <= MOST; ++bytes) {
        for (size_t from = 0; from < GUARD; from += 5) {
            for (size_t to = 0; to < GUARD; to += 3) {
                fill(target, sizeof(target), 99);
                memcpy(expected, target, sizeof(target));
                memcpy(expected + GUARD + to, source + from, bytes);
                mca_part_ucx_copy_past(target + GUARD + to, source + from, bytes);
                assert_memory_equal(expected, target, sizeof(target));
            }
        }
    }
}

/* Through the whole of it, so both ways, tries, and copies that are not measured. */
static void copies_again_and_again(void **state)
{
    static const size_t sizes[] = {1, 1000, 16384, 40000, 65537};
    const size_t room = 70000;
    unsigned char *source = malloc(room), *target = malloc(room);
    mca_part_ucx_copier_t copier = {.wait = 0};
    unsigned known = 0; /* the ways whose cost has been */

    (void) state;
    assert_non_null(source);
    assert_non_null(target);
    for (unsigned i = 0; i < 2000; ++i) {
        size_t bytes = sizes[i % (sizeof(sizes) / sizeof(sizes[0]))];

        fill(source, bytes, i);
        memset(target, 0, bytes);
        mca_part_ucx_copy(&copier, target, source, bytes);
        assert_memory_equal(source, target, bytes);
        known |= 0 != copier.cost[PART_UCX_COPY_THROUGH] ? 1 : 0;
        known |= 0 != copier.cost[PART_UCX_COPY_PAST] ? 2 : 0;
    }
    assert_int_equal(3, known);
    free(source);
    free(target);
}

/* What memory costs here: ns for 64 KiB. The first copies through the cache after some past it have
 * to bring the lines back. */
typedef struct memory_t {
    uint64_t through, past;
    unsigned cold; /* lines that are not in the cache, in copies */
} memory_t;

#define LINES 12u

static uint64_t cost(memory_t *memory, mca_part_ucx_copy_way_t way)
{
    if (PART_UCX_COPY_PAST == way) {
        memory->cold = LINES;
        return memory->past;
    }
    memory->cold -= 0 < memory->cold ? 1 : 0;
    return 0 < memory->cold ? 8 * memory->past : memory->through;
}

/* Percent of `copies` that went a way. Every 50th is interrupted for 4 ms. */
static unsigned share(mca_part_ucx_copier_t *copier, memory_t *memory, unsigned copies,
                      mca_part_ucx_copy_way_t way)
{
    unsigned count = 0;

    for (unsigned i = 0; i < copies; ++i) {
        mca_part_ucx_copy_way_t now = mca_part_ucx_copy_choose(copier);

        count += way == now ? 1 : 0;
        mca_part_ucx_copy_note(copier, now, 65536,
                               cost(memory, now) + (0 == i % 50 ? 4000000 : 0));
    }
    return 100 * count / copies;
}

static void takes_the_cheaper(void **state)
{
    memory_t near = {.through = 2000, .past = 3000}, far = {.through = 30000, .past = 2800};
    mca_part_ucx_copier_t copier = {.wait = 0};

    (void) state;
    for (int i = 0; i < 3; ++i) {
        /* The first copies find out. */
        (void) share(&copier, &near, 8500, PART_UCX_COPY_THROUGH);
        assert_uint_in_range(share(&copier, &near, 20000, PART_UCX_COPY_THROUGH), 90, 100);
        (void) share(&copier, &far, 200, PART_UCX_COPY_PAST);
        assert_uint_in_range(share(&copier, &far, 20000, PART_UCX_COPY_PAST), 90, 100);
    }
}

/* Neither a clock that stands still nor one that jumps keeps it from going on. */
static void survives_clocks(void **state)
{
    mca_part_ucx_copier_t copier = {.wait = 0};

    (void) state;
    for (unsigned i = 0; i < 100000; ++i) {
        mca_part_ucx_copy_way_t way = mca_part_ucx_copy_choose(&copier);

        assert_uint_in_range(way, 0, PART_UCX_COPY_WAYS - 1);
        mca_part_ucx_copy_note(&copier, way, 16384 + i, 0 == i % 3 ? UINT64_MAX >> (i % 64) : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_all),
        cmocka_unit_test(copies_again_and_again),
        cmocka_unit_test(takes_the_cheaper),
        cmocka_unit_test(survives_clocks),
    };

    return UNIT_RUN(tests);
}
