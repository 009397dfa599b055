/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The map from partitions to transfer units, exhaustively for small numbers: every byte belongs to
 * exactly one segment, units and flags are complete and in order, and the segments said to cover a
 * receive partition are those that own its bytes. How a channel is cut is tested in test_choose.c.
 */
#include "unit.h"

#include "channel/part_ucx_map.h"

#include <stdlib.h>
#include <string.h>

#define MOST       40u     /* partitions on either side */
#define MOST_PATHS 8u      /* paths */
#define MOST_BYTES 400000u /* of a message that is checked byte by byte */
#define NOBODY     UINT32_MAX

/* The segment that owns a byte. */
static uint32_t owner[MOST_BYTES];

static void wrong(const mca_part_ucx_map_t *map, const char *what, uint64_t where)
{
    fail_msg("%s at %llu: %llu bytes, %u to %u partitions, %u slices, groups of %u, %u paths", what,
             (unsigned long long) where, (unsigned long long) map->total, map->send_partitions,
             map->recv_partitions, map->slices, map->group, map->pairs);
}

static inline void expect(bool good, const mca_part_ucx_map_t *map, const char *what,
                          uint64_t where)
{
    if (!good) {
        wrong(map, what, where);
    }
}

/* Segments lie end to end, inside their partitions, slices at multiples of 64 bytes in them. */
static void check_tiling(const mca_part_ucx_map_t *map)
{
    uint64_t bytes = map->total / map->send_partitions;
    uint64_t end = 0;

    expect(map->segments == map->send_partitions * map->slices, map, "number of segments", 0);
    for (uint32_t i = 0; i < map->segments; ++i) {
        uint64_t base = bytes * mca_part_ucx_map_partition_of(map, i);
        uint64_t offset, length;

        mca_part_ucx_map_range(map, i, 1, &offset, &length);
        expect(offset == end, map, "gap or overlap before segment", i);
        expect(length > 0, map, "no bytes in segment", i);
        expect(offset >= base && offset + length <= base + bytes, map, "two partitions in segment",
               i);
        expect(1 == map->slices || 0 == (offset - base) % 64, map, "begin of slice", i);
        for (uint64_t byte = offset; byte < offset + length; ++byte) {
            owner[byte] = i;
        }
        end = offset + length;
    }
    expect(end == map->total, map, "end of the last segment", end);
}

/* Units hold whole segments, each exactly one unit; all but the last are full. */
static void check_units(const mca_part_ucx_map_t *map)
{
    uint32_t next = 0;

    for (uint32_t unit = 0; unit < map->units; ++unit) {
        uint64_t begin, length, at, part;
        uint32_t first, count;

        mca_part_ucx_map_unit(map, unit, &first, &count);
        expect(first == next, map, "first segment of unit", unit);
        expect(count > 0 && count <= map->group, map, "length of unit", unit);
        expect(count == map->group || unit + 1 == map->units, map, "short unit", unit);
        mca_part_ucx_map_range(map, first, count, &begin, &length);
        for (uint32_t i = first; i < first + count; ++i) {
            expect(mca_part_ucx_map_unit_of(map, i) == unit, map, "unit of segment", i);
            mca_part_ucx_map_range(map, i, 1, &at, &part);
            expect(at >= begin && at + part <= begin + length, map, "range of unit", unit);
        }
        next += count;
    }
    expect(next == map->segments, map, "segments in units", next);
}

/* Flags are unique; those of a path follow each other in the order of its units. */
static void check_flags(const mca_part_ucx_map_t *map)
{
    static uint8_t used[MOST_BYTES];
    uint32_t least = map->units / map->pairs;

    expect(map->flags >= map->segments && map->flags - map->segments < map->group, map,
           "number of flags", map->flags);
    memset(used, 0, map->flags);
    for (uint32_t path = 0; path < map->pairs; ++path) {
        uint32_t next = NOBODY;
        uint32_t units = 0;

        for (uint32_t unit = 0; unit < map->units; ++unit) {
            uint32_t first, count;

            if (mca_part_ucx_map_pair(map, unit) != path) {
                continue;
            }
            ++units;
            mca_part_ucx_map_unit(map, unit, &first, &count);
            for (uint32_t i = first; i < first + count; ++i) {
                uint32_t flag = mca_part_ucx_map_flag(map, i);

                expect(flag < map->flags, map, "flag out of range, segment", i);
                expect(0 == used[flag]++, map, "flag used twice, segment", i);
                expect(NOBODY == next || flag == next, map, "flags not in a row, segment", i);
                next = flag + 1;
            }
        }
        expect(units == least || units == least + 1, map, "units not spread evenly, path", path);
    }
}

/* The segments of each receive partition are those that own its bytes. */
static void check_cover(const mca_part_ucx_map_t *map)
{
    uint64_t bytes = map->total / map->recv_partitions;

    for (uint32_t i = 0; i < map->recv_partitions; ++i) {
        uint32_t first, last;

        mca_part_ucx_map_cover(map, i, &first, &last);
        /* Segments lie in order, so the owners of the bytes between are all between these two. */
        expect(first == owner[i * bytes], map, "first segment of receive partition", i);
        expect(last == owner[(i + 1) * bytes - 1], map, "last segment of receive partition", i);
    }
}

/* Everything about one way of cutting a message: paths and receive partitions in all numbers. */
static void check_cut(uint64_t total, uint32_t send, uint32_t slices, uint32_t group)
{
    mca_part_ucx_map_t map;

    assert_uint_in_range(total, 1, MOST_BYTES);
    for (uint32_t paths = 1; paths <= MOST_PATHS; ++paths) {
        UNIT_CHECK(mca_part_ucx_map_init(&map, total, send, 1, slices, group, paths),
                   "refused: %llu bytes, %u partitions, %u slices, group %u, %u paths",
                   (unsigned long long) total, send, slices, group, paths);
        if (1 == paths) {
            check_tiling(&map);
            check_units(&map);
        }
        check_flags(&map);
    }
    for (uint32_t recv = 1; recv <= MOST; ++recv) {
        if (0 == total % recv) {
            assert_true(mca_part_ucx_map_init(&map, total, send, recv, slices, group, 3));
            check_cover(&map);
        }
    }
}

/* All groups and slices that make sense for `send` partitions of `bytes`. */
static void check_all_cuts(uint32_t send, uint64_t bytes)
{
    for (uint32_t group = 1; group <= send; group += group < 5 || group + 3 > send ? 1 : 3) {
        check_cut(send * bytes, send, 1, group);
    }
    for (uint32_t slices = 2; slices <= 9 && bytes / slices >= 64; ++slices) {
        check_cut(send * bytes, send, slices, 1);
    }
    if (bytes / 64 > 9) {
        check_cut(send * bytes, send, (uint32_t) (bytes / 64), 1);
    }
}

static void every_byte_once(void **state)
{
    static const uint64_t sizes[] = {1,   2,   3,   5,   7,    12,   31,   60,   63,   64,
                                     65,  97,  127, 128, 129,  191,  192,  193,  255,  256,
                                     257, 420, 512, 521, 1000, 1021, 1024, 2520, 4096, 4099};

    (void) state;
    for (uint32_t send = 1; send <= MOST; ++send) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
            check_all_cuts(send, sizes[i]);
        }
    }
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    return 0 == b ? a : common_divisor(b, a % b);
}

/* Each pair of partition counts, whether one divides the other or not. */
static void every_pair_of_counts(void **state)
{
    static const uint32_t factors[] = {1, 2, 64, 131};

    (void) state;
    for (uint32_t send = 1; send <= MOST; ++send) {
        for (uint32_t recv = 1; recv <= MOST; ++recv) {
            /* Bytes of a send partition, so that the message divides both ways. */
            uint32_t least = recv / common_divisor(send, recv);

            for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); ++i) {
                uint32_t bytes = least * factors[i];
                uint32_t slices = bytes / 64 < 5 ? bytes / 64 : 5;

                check_cut((uint64_t) send * bytes, send, 1, 1);
                check_cut((uint64_t) send * bytes, send, 1, send < 3 ? send : 3);
                if (slices > 1) {
                    check_cut((uint64_t) send * bytes, send, slices, 1);
                }
            }
        }
    }
}

/*
 * Without bytes the partitions still have an order: partition i of n is the interval from i/n to
 * (i+1)/n, and a receive partition needs the send partitions that share some of its interval.
 */
static void check_empty(const mca_part_ucx_map_t *map)
{
    uint32_t send = map->send_partitions;
    uint32_t recv = map->recv_partitions;

    for (uint32_t i = 0; i < map->segments; ++i) {
        uint64_t offset, length;

        mca_part_ucx_map_range(map, i, 1, &offset, &length);
        expect(0 == offset && 0 == length, map, "bytes in segment", i);
    }
    for (uint32_t j = 0; j < recv; ++j) {
        uint32_t first, last;

        mca_part_ucx_map_cover(map, j, &first, &last);
        for (uint32_t i = 0; i < send; ++i) {
            bool shared = i * recv < (j + 1) * send && j * send < (i + 1) * recv;

            expect(shared == (i >= first && i <= last), map, "cover of receive partition", j);
        }
    }
}

static void messages_without_bytes(void **state)
{
    mca_part_ucx_map_t map;

    (void) state;
    for (uint32_t send = 1; send <= MOST; ++send) {
        for (uint32_t recv = 1; recv <= MOST; ++recv) {
            for (uint32_t group = 1; group <= send; ++group) {
                assert_true(mca_part_ucx_map_init(&map, 0, send, recv, 1, group, 1 + group % 8));
                check_units(&map);
                check_flags(&map);
                check_empty(&map);
            }
        }
    }
}

static bool accepted(uint64_t total, uint32_t send, uint32_t recv, uint32_t slices, uint32_t group,
                     uint32_t paths)
{
    mca_part_ucx_map_t map;

    return mca_part_ucx_map_init(&map, total, send, recv, slices, group, paths);
}

static void contradictions_are_refused(void **state)
{
    (void) state;
    assert_true(accepted(1280, 4, 8, 5, 1, 2));
    assert_false(accepted(1280, 0, 8, 1, 1, 2)); /* a count of zero */
    assert_false(accepted(1280, 4, 0, 1, 1, 2));
    assert_false(accepted(1280, 4, 8, 0, 1, 2));
    assert_false(accepted(1280, 4, 8, 1, 0, 2));
    assert_false(accepted(1280, 4, 8, 1, 1, 0));
    assert_false(accepted(1281, 4, 1, 1, 1, 2)); /* not a multiple of one count */
    assert_false(accepted(1281, 1, 4, 1, 1, 2));
    assert_true(accepted(1281, 3, 7, 1, 1, 2));
    assert_false(accepted(1280, 4, 8, 2, 2, 2)); /* striped and aggregated */
    assert_true(accepted(1280, 4, 8, 1, 4, 2));
    assert_false(accepted(1280, 4, 8, 1, 5, 2)); /* a group of more than there are */
    assert_false(accepted(1280, 4, 8, 6, 1, 2)); /* slices below 64 bytes */
    assert_false(accepted(0, 4, 8, 2, 1, 2));    /* slices of nothing */
    assert_true(accepted(0, 4, 8, 1, 2, 2));
    /* More segments than 31 bits can count. */
    assert_true(accepted(UINT64_C(64) << 31, 1u << 15, 1, 1u << 15, 1, 2));
    assert_false(accepted(UINT64_C(64) << 32, 1u << 16, 1, 1u << 15, 1, 2));
    assert_false(accepted(UINT64_C(64) << 40, 1u << 20, 1, 1u << 20, 1, 2));
    assert_false(accepted(UINT64_C(1) << 31, 1u << 31, 1, 1, 1, 2));
}

/* ---- numbers that do not fit into 32 bits ---- */

/* A flag's place by counting: full groups of all units on paths before, then on its own path. */
static uint64_t flag_by_counting(const mca_part_ucx_map_t *map, uint64_t segment)
{
    uint64_t unit = segment / map->group;
    uint64_t path = unit % map->pairs;
    uint64_t before = 0;

    for (uint64_t other = 0; other < path; ++other) {
        before += map->units > other ? (map->units - other - 1) / map->pairs + 1 : 0;
    }
    return (before + unit / map->pairs) * map->group + segment % map->group;
}

/* A segment and its neighbour, chosen at random; and the receive partition of its first byte. */
static void check_sample(const mca_part_ucx_map_t *map, uint32_t segment)
{
    uint64_t bytes = map->total / map->recv_partitions;
    uint64_t offset, length, next, rest;
    uint32_t first, last;

    mca_part_ucx_map_range(map, segment, 1, &offset, &length);
    expect(length > 0 && offset + length <= map->total, map, "range of segment", segment);
    expect(length <= map->total / map->segments + 64, map, "length of segment", segment);
    if (segment + 1 < map->segments) {
        mca_part_ucx_map_range(map, segment + 1, 1, &next, &rest);
        expect(next == offset + length, map, "gap or overlap after segment", segment);
    } else {
        expect(map->total == offset + length, map, "end of segment", segment);
    }
    expect(flag_by_counting(map, segment) == mca_part_ucx_map_flag(map, segment), map,
           "flag of segment", segment);
    mca_part_ucx_map_cover(map, (uint32_t) (offset / bytes), &first, &last);
    expect(first <= segment && last >= segment, map, "cover of segment", segment);
    mca_part_ucx_map_range(map, first, last - first + 1, &next, &rest);
    expect(next <= offset / bytes * bytes && next + rest >= (offset / bytes + 1) * bytes, map,
           "bytes of the cover of segment", segment);
}

static void check_large(uint64_t total, uint32_t send, uint32_t recv, uint32_t slices,
                        uint32_t group)
{
    unit_random_t random = unit_stream(total + send);
    mca_part_ucx_map_t map;

    UNIT_CHECK(mca_part_ucx_map_init(&map, total, send, recv, slices, group, 7),
               "refused: %llu bytes in %u", (unsigned long long) total, send);
    check_sample(&map, 0);
    check_sample(&map, map.segments - 1);
    for (uint32_t i = 0; i < 2000; ++i) {
        check_sample(&map, unit_below(&random, map.segments));
    }
}

static void large_numbers(void **state)
{
    const uint32_t most = 0x7fffffffu; /* an int, the largest partition count there can be */
    const uint64_t terabyte = UINT64_C(1) << 40;

    (void) state;
    check_large(terabyte, 1, 1, 1, 1);
    check_large(terabyte, 1, 1u << 20, 1u << 22, 1);
    check_large(terabyte, 1u << 10, 1u << 20, 4099, 1);
    check_large(terabyte - terabyte % most, most, most, 1, 1);
    check_large(terabyte - terabyte % most, most, 1, 1, 4096);
    check_large(terabyte - terabyte % most, 1, most, 1, 1);
    check_large(UINT64_C(512) * most, 1, most, 1u << 20, 1);
    check_large(UINT64_C(4096) * most, most, most, 1, most);
    check_large(UINT64_C(1) << 62, 1u << 20, 1u << 30, 1u << 10, 1);
    check_large(UINT64_C(3) * 5 * 7 * 11 * 13 * 1000003, 3 * 7 * 13, 5 * 11, 1237, 1);
}

/* No two segments of a map with millions of them share a flag. */
static void many_flags(void **state)
{
    const uint32_t partitions = 5000011;
    mca_part_ucx_map_t map;
    uint8_t *used;

    (void) state;
    assert_true(mca_part_ucx_map_init(&map, partitions, partitions, 1, 1, 37, 6));
    used = calloc(1, map.flags);
    assert_non_null(used);
    for (uint32_t i = 0; i < map.segments; ++i) {
        uint32_t flag = mca_part_ucx_map_flag(&map, i);

        expect(flag < map.flags && 0 == used[flag]++, &map, "flag of segment", i);
    }
    free(used);
}

/* The map of a link: every piece a unit of its own, with the place and size that it was given. */
static void pieces(void **state)
{
    static const mca_part_ucx_piece_t piece[] = {{.address = 4096, .bytes = 100},
                                                 {.address = 17, .bytes = 0},
                                                 {.address = 4000, .bytes = 1},
                                                 {.address = 1, .bytes = UINT64_C(1) << 40}};
    mca_part_ucx_map_t map;
    uint64_t offset, length;
    uint32_t first, count;

    (void) state;
    assert_false(mca_part_ucx_map_init_pieces(&map, piece, 0, 2));
    assert_false(mca_part_ucx_map_init_pieces(&map, piece, 4, 0));
    assert_true(mca_part_ucx_map_init_pieces(&map, piece, 4, 3));
    assert_int_equal(101 + (UINT64_C(1) << 40), map.total);
    assert_int_equal(4, map.segments);
    assert_int_equal(4, map.units);
    for (uint32_t i = 0; i < 4; ++i) {
        mca_part_ucx_map_unit(&map, i, &first, &count);
        assert_int_equal(i, first);
        assert_int_equal(1, count);
        assert_int_equal(i, mca_part_ucx_map_unit_of(&map, i));
        mca_part_ucx_map_range(&map, i, 1, &offset, &length);
        assert_int_equal(piece[i].address, offset);
        assert_int_equal(piece[i].bytes, length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_once),        cmocka_unit_test(every_pair_of_counts),
        cmocka_unit_test(messages_without_bytes), cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(large_numbers),          cmocka_unit_test(many_flags),
        cmocka_unit_test(pieces),
    };

    return UNIT_RUN(tests);
}
