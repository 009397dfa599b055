/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of two ways the cheaper one, also after it has become the other one, whatever the clock says.
 */
#include "unit.h"

#include "base/part_ucx_cheaper.h"

/* Copying through the cache, or past it. */
enum {
    THROUGH,
    PAST
};

/* What memory costs here: ns for 64 KiB. The first copies through the cache after some past it have
 * to bring the lines back. */
typedef struct memory_t {
    uint64_t through, past;
    unsigned cold; /* lines that are not in the cache, in copies */
} memory_t;

#define LINES 12u

static uint64_t cost(memory_t *memory, uint32_t way)
{
    if (PAST == way) {
        memory->cold = LINES;
        return memory->past;
    }
    memory->cold -= 0 < memory->cold ? 1 : 0;
    return 0 < memory->cold ? 8 * memory->past : memory->through;
}

/* Percent of `copies` that went a way. Every 50th is interrupted for 4 ms. */
static unsigned share(mca_part_ucx_cheaper_t *cheaper, memory_t *memory, unsigned copies,
                      uint32_t way)
{
    unsigned count = 0;

    for (unsigned i = 0; i < copies; ++i) {
        uint32_t now = mca_part_ucx_cheaper_next(cheaper);

        count += way == now ? 1 : 0;
        mca_part_ucx_cheaper_note(cheaper, now, 65536,
                                  cost(memory, now) + (0 == i % 50 ? 4000000 : 0));
    }
    return 100 * count / copies;
}

static void takes_the_cheaper(void **state)
{
    memory_t near = {.through = 2000, .past = 3000}, far = {.through = 30000, .past = 2800};
    mca_part_ucx_cheaper_t cheaper = {.wait = 0};

    (void) state;
    for (int i = 0; i < 3; ++i) {
        /* The first copies find out. */
        (void) share(&cheaper, &near, 8500, THROUGH);
        assert_uint_in_range(share(&cheaper, &near, 20000, THROUGH), 90, 100);
        (void) share(&cheaper, &far, 200, PAST);
        assert_uint_in_range(share(&cheaper, &far, 20000, PAST), 90, 100);
    }
}

/* Neither a clock that stands still nor one that jumps keeps it from going on. */
static void survives_clocks(void **state)
{
    mca_part_ucx_cheaper_t cheaper = {.wait = 0};

    (void) state;
    for (unsigned i = 0; i < 100000; ++i) {
        uint32_t way = mca_part_ucx_cheaper_next(&cheaper);

        assert_uint_in_range(way, 0, PART_UCX_CHEAPER_WAYS - 1);
        mca_part_ucx_cheaper_note(&cheaper, way, 16384 + i,
                                  0 == i % 3 ? UINT64_MAX >> (i % 64) : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_cheaper),
        cmocka_unit_test(survives_clocks),
    };

    return UNIT_RUN(tests);
}
