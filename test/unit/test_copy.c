/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Copying into shared memory: every byte and no other, whatever the alignment and
 * in both ways.
 */
#include "unit.h"

#include "base/part_ucx_shared_copy.h"

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
                mca_part_ucx_shared_copy_past(target + GUARD + to, source + from, bytes);
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
    mca_part_ucx_cheaper_t cheaper = {.wait = 0};
    unsigned known = 0; /* the ways whose cost has been */

    (void) state;
    assert_non_null(source);
    assert_non_null(target);
    for (unsigned i = 0; i < 2000; ++i) {
        size_t bytes = sizes[i % (sizeof(sizes) / sizeof(sizes[0]))];

        fill(source, bytes, i);
        memset(target, 0, bytes);
        mca_part_ucx_shared_copy(&cheaper, target, source, bytes);
        assert_memory_equal(source, target, bytes);
        known |= 0 != cheaper.cost[PART_UCX_COPY_THROUGH] ? 1 : 0;
        known |= 0 != cheaper.cost[PART_UCX_COPY_PAST] ? 2 : 0;
    }
    assert_int_equal(3, known);
    free(source);
    free(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_all),
        cmocka_unit_test(copies_again_and_again),
    };

    return UNIT_RUN(tests);
}
