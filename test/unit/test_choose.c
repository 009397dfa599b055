/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How a channel is cut: aggregation and striping keep to the limits that the MCA variables set, for
 * small numbers exhaustively and for the sizes around each limit.
 */
#include "unit.h"

#include "channel/part_ucx_map.h"

#define MOST_PARTITIONS 40u
#define MOST_PATHS      8u

typedef struct choice_t {
    mca_part_ucx_map_limits_t limits;
    uint64_t bytes; /* of a send partition */
    uint32_t partitions;
    uint32_t slices;
    uint32_t group;
} choice_t;

static void expect(bool good, const choice_t *choice, const char *what)
{
    UNIT_CHECK(good,
               "%s: %u partitions of %llu bytes on %u paths, unit_min %llu unit_max %llu "
               "stripe_min %llu: %u slices, groups of %u",
               what, choice->partitions, (unsigned long long) choice->bytes, choice->limits.pairs,
               (unsigned long long) choice->limits.unit_min,
               (unsigned long long) choice->limits.unit_max,
               (unsigned long long) choice->limits.stripe_min, choice->slices, choice->group);
}

/*
 * Small partitions leave together: not more than unit_min, as much of it as leaves a unit for every
 * path, and for the sake of the paths not less than a quarter of it. Groups are powers of two.
 */
static void check_group(const choice_t *choice)
{
    const mca_part_ucx_map_limits_t *limits = &choice->limits;
    uint64_t bytes = choice->bytes;
    uint64_t group = choice->group;

    expect(1 == group || group * bytes <= limits->unit_min, choice, "group larger than unit_min");
    expect(group == choice->partitions || 2 * group * bytes > limits->unit_min / 4, choice,
           "group smaller than a quarter of unit_min");
    expect(2 * group * bytes > limits->unit_min || 2 * group * limits->pairs > choice->partitions,
           choice, "a larger group would have left all paths a unit");
    expect(1 == group || group * bytes <= limits->unit_min / 4
               || group * limits->pairs <= choice->partitions,
           choice, "paths left without a unit");
}

/* Every partition is cut alike, so one is looked at; of very many slices some at either end. */
static uint64_t longest_slice(const mca_part_ucx_map_t *map, uint64_t *shortest)
{
    uint64_t longest = 0;

    *shortest = UINT64_MAX;
    for (uint32_t i = 0; i < map->slices; ++i) {
        uint64_t offset, length;

        i = 5000 == i && map->slices > 10000 ? map->slices - 5000 : i;
        mca_part_ucx_map_range(map, i, 1, &offset, &length);
        longest = length > longest ? length : longest;
        *shortest = length < *shortest ? length : *shortest;
    }
    return longest;
}

/* One slice less on each path would be too few, or nearly so where slices have unequal lengths. */
static bool as_few_as_possible(const choice_t *choice)
{
    uint64_t fewer = choice->slices - choice->limits.pairs;
    uint64_t slack = 0;

    if (choice->slices <= choice->limits.pairs) {
        return true;
    }
    if (0 != choice->bytes % (64 * fewer)) {
        slack = 65;
    }
    return choice->bytes / fewer + slack > choice->limits.unit_max - (0 == slack ? 0 : 1);
}

/* Slices are no larger than unit_max, and as many as fill the paths without being too small. */
static void check_slices(const choice_t *choice, const mca_part_ucx_map_t *map)
{
    const mca_part_ucx_map_limits_t *limits = &choice->limits;
    bool cut_by_size = 0 != limits->unit_max && choice->bytes > limits->unit_max * limits->pairs;
    uint64_t shortest, longest = longest_slice(map, &shortest);

    expect(0 == limits->unit_max || limits->unit_max < 64 || longest <= limits->unit_max, choice,
           "slice larger than unit_max");
    if (cut_by_size && limits->unit_max >= 64) {
        expect(0 == choice->slices % limits->pairs, choice, "paths loaded unevenly");
        expect(as_few_as_possible(choice), choice, "more slices than needed");
    }
    if (choice->bytes >= limits->stripe_min * limits->pairs && limits->stripe_min >= 64
        && choice->bytes >= limits->unit_min) {
        expect(choice->slices >= limits->pairs, choice, "paths left idle");
    }
    if (choice->slices > 1
        && (0 == limits->unit_max || choice->bytes <= limits->unit_max / 64 * 64)) {
        expect(choice->slices <= limits->pairs, choice, "more slices than paths");
        /* Slices begin at multiples of 64, so one may be shorter by less than that. */
        expect(shortest + 63 >= limits->stripe_min, choice, "slice smaller than stripe_min");
    }
}

static void check_choice(const mca_part_ucx_map_limits_t *limits, uint32_t partitions,
                         uint64_t bytes)
{
    choice_t choice = {.limits = *limits, .bytes = bytes, .partitions = partitions};
    mca_part_ucx_map_t map;

    mca_part_ucx_map_choose(bytes * partitions, partitions, limits, &choice.slices, &choice.group);
    expect(choice.slices >= 1 && choice.group >= 1, &choice, "nothing chosen");
    expect(1 == choice.slices || 1 == choice.group, &choice, "striped and aggregated");
    expect(mca_part_ucx_map_init(&map, bytes * partitions, partitions, 1, choice.slices,
                                 choice.group, limits->pairs),
           &choice, "no map can be made of it");
    if (0 != bytes) {
        check_group(&choice);
    }
    if (0 != bytes && 1 == choice.group) {
        check_slices(&choice, &map);
    }
}

/* A value and its neighbours. */
static void check_around(const mca_part_ucx_map_limits_t *limits, uint32_t partitions,
                         uint64_t bytes)
{
    for (uint64_t distance = 0; distance <= 65;
         distance += 0 == distance || 63 <= distance ? 1 : 62) {
        check_choice(limits, partitions, bytes + distance);
        if (bytes > distance) {
            check_choice(limits, partitions, bytes - distance);
        }
    }
}

/* The sizes at which a decision may change, multiples of each limit. */
static void check_limits(const mca_part_ucx_map_limits_t *limits, uint32_t partitions)
{
    static const uint64_t primes[] = {1, 2, 3, 7, 61, 127, 521, 1021, 4099, 65537, 1000003};

    check_choice(limits, partitions, 0);
    for (size_t i = 0; i < sizeof(primes) / sizeof(primes[0]); ++i) {
        check_choice(limits, partitions, primes[i]);
    }
    for (uint64_t factor = 1; factor <= 2 * limits->pairs + 1; ++factor) {
        check_around(limits, partitions, factor * limits->unit_min);
        check_around(limits, partitions, factor * limits->unit_max);
        check_around(limits, partitions, factor * limits->stripe_min);
        check_around(limits, partitions, limits->unit_min / factor);
    }
}

static void keeps_to_the_limits(void **state)
{
    static const mca_part_ucx_map_limits_t limits[] = {
        {.unit_min = 4096, .unit_max = 262144, .stripe_min = 16384},  /* network, by default */
        {.unit_min = 8192, .unit_max = 1048576, .stripe_min = 16384}, /* one host, by default */
        {.unit_min = 0, .unit_max = 4096, .stripe_min = 64},          /* everything cut */
        {.unit_min = 4096, .unit_max = 4096, .stripe_min = 4096},
        {.unit_min = 0, .unit_max = 65536, .stripe_min = 1 << 20}, /* slices larger than units */
        {.unit_min = 65536, .unit_max = 1 << 20, .stripe_min = 1 << 20},
        {.unit_min = 1, .unit_max = 5000, .stripe_min = 1000}, /* no multiples of 64 */
        {.unit_min = 4097, .unit_max = 8191, .stripe_min = 65},
        {.unit_min = 64, .unit_max = 0, .stripe_min = 128}, /* no upper limit */
        {.unit_min = 0, .unit_max = 0, .stripe_min = 0},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); ++i) {
        for (uint32_t paths = 1; paths <= MOST_PATHS; ++paths) {
            mca_part_ucx_map_limits_t on_paths = limits[i];

            on_paths.pairs = paths;
            for (uint32_t partitions = 1; partitions <= MOST_PARTITIONS; ++partitions) {
                check_limits(&on_paths, partitions);
            }
        }
    }
}

/* What cannot be told apart by bytes is still not sent in one piece. */
static void messages_without_bytes(void **state)
{
    const mca_part_ucx_map_limits_t limits = {
        .pairs = 4, .unit_min = 4096, .unit_max = 262144, .stripe_min = 16384};
    mca_part_ucx_map_t map;
    uint32_t slices, group;

    (void) state;
    for (uint32_t partitions = 1; partitions < 100000; partitions += 1 + partitions / 3) {
        mca_part_ucx_map_choose(0, partitions, &limits, &slices, &group);
        assert_int_equal(1, slices);
        assert_true(mca_part_ucx_map_init(&map, 0, partitions, partitions, slices, group, 4));
        assert_true(map.units <= (partitions + 255) / 256);
    }
}

/* A terabyte; as many partitions as an int can count; and what both sides choose can be mapped. */
static void large_numbers(void **state)
{
    const uint64_t most = 0x7fffffff;
    const uint64_t unit_max[] = {4096, 262144, UINT64_C(1) << 40};
    mca_part_ucx_map_t map;
    uint32_t slices, group;

    (void) state;
    for (size_t i = 0; i < sizeof(unit_max) / sizeof(unit_max[0]); ++i) {
        const mca_part_ucx_map_limits_t limits = {
            .pairs = 31, .unit_min = 4096, .unit_max = unit_max[i], .stripe_min = 16384};
        const uint64_t terabyte = UINT64_C(1) << 40;

        check_choice(&limits, 1, terabyte);
        check_choice(&limits, 3, terabyte + 1);
        check_choice(&limits, 1u << 20, terabyte >> 20);
        mca_part_ucx_map_choose(most, (uint32_t) most, &limits, &slices, &group);
        assert_int_equal(4096, group);
        /* So many large partitions cannot be cut as unit_max asks, but must not be refused. */
        mca_part_ucx_map_choose(most << 24, (uint32_t) most, &limits, &slices, &group);
        assert_true(mca_part_ucx_map_init(&map, most << 24, (uint32_t) most, 1, slices, group, 31));
        mca_part_ucx_map_choose(UINT64_C(1) << 62, 1u << 20, &limits, &slices, &group);
        assert_true(mca_part_ucx_map_init(&map, UINT64_C(1) << 62, 1u << 20, 1, slices, group, 31));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_to_the_limits),
        cmocka_unit_test(messages_without_bytes),
        cmocka_unit_test(large_numbers),
    };

    return UNIT_RUN(tests);
}
