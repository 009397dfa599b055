/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a path carries is found out from when messages come, and from nothing else that
 * happens: pauses, bursts, packets that bring several messages, threads that come late. Shares:
 * pairs that do not carry the same are through at the same time.
 */
#include "unit.h"

#include "channel/part_ucx_pair_shares.h"
#include "path/part_ucx_rate_measure.h"

#include <stdlib.h>
#include <string.h>

/* ---- a link ---- */

/* A link as it is made of: a rate, so many bytes that it lets through at once after a pause, and
 * packets, of which each comes as a whole. */
typedef struct wire_t {
    double rate;     /* bytes per ms */
    double burst;    /* bytes */
    double packet;   /* bytes */
    double tokens;   /* of the burst, left */
    double until_ns; /* when it has carried all */
    double sent;     /* bytes so far */
    double drift;    /* how much faster the receiver's clock is */
    uint64_t posted; /* when the last message was */
    uint32_t idle;
} wire_t;

enum { BASE_NS = 50000, START_NS = 1000000000 };

/* A message is posted: when it arrives, by the receiver's clock. */
static uint64_t carry(wire_t *wire, uint64_t posted_ns, uint64_t bytes)
{
    double packet_end, idle = (double) posted_ns - wire->until_ns;

    if (idle > 0) {
        wire->tokens += idle * wire->rate / 1e6;
        wire->tokens = wire->tokens < wire->burst ? wire->tokens : wire->burst;
        wire->until_ns = (double) posted_ns;
        wire->sent = 0;
    }
    wire->sent += (double) bytes;
    if (wire->tokens >= (double) bytes) {
        wire->tokens -= (double) bytes;
    } else {
        wire->until_ns += ((double) bytes - wire->tokens) * 1e6 / wire->rate;
        wire->tokens = 0;
    }
    packet_end = wire->packet - (double) ((uint64_t) wire->sent % (uint64_t) wire->packet);
    packet_end = wire->packet > 1 && packet_end < wire->packet ? packet_end : 0;
    return (uint64_t) ((wire->until_ns + packet_end * 1e6 / wire->rate + BASE_NS)
                       * (1 + wire->drift));
}

/* An epoch: `count` messages, so long apart; the next one begins when all are there. */
static uint64_t epoch(wire_t *wire, mca_part_ucx_rate_measure_t *measure, uint64_t begin,
                      unsigned count, uint64_t bytes, uint64_t apart_ns)
{
    uint64_t came = 0;

    for (unsigned i = 0; i < count; ++i) {
        uint64_t now = begin + i * apart_ns;
        uint64_t arrives = carry(wire, now, bytes);

        came = arrives > came + 3000 ? arrives : came + 3000; /* the thread takes it */
        mca_part_ucx_rate_measure_note(measure, came, ++wire->idle,
                                       mca_part_ucx_rate_measure_gap(wire->posted, now), bytes);
        wire->posted = now;
    }
    return begin + (uint64_t) ((double) (came - begin) / (1 + wire->drift)) + BASE_NS;
}

static void check_rate(mca_part_ucx_rate_measure_t *measure, double expected, double tolerance,
                       const char *what)
{
    double rate = atomic_load(&measure->rate);

    UNIT_CHECK(rate > expected * (1 - tolerance) && rate < expected * (1 + tolerance),
               "%s: %.0f bytes per ms are found where %.0f are right", what, rate, expected);
}

static void measure(const char *what, wire_t wire, unsigned count, uint64_t bytes)
{
    mca_part_ucx_rate_measure_t measure = {.last_ns = 0};
    uint64_t now = START_NS;

    for (unsigned i = 0; i < 20; ++i) {
        now = epoch(&wire, &measure, now, count, bytes, 15000);
    }
    check_rate(&measure, wire.rate, 0.1, what);
}

static void finds_rates(void **state)
{
    (void) state;
    measure("plain", (wire_t) {.rate = 31000, .packet = 1}, 16, 16384);
    measure("half", (wire_t) {.rate = 15500, .packet = 1}, 16, 16384);
    measure("bursts", (wire_t) {.rate = 31000, .packet = 1, .burst = 65536}, 20, 16384);
    measure("bursts, packets", (wire_t) {.rate = 31000, .packet = 65536, .burst = 65536}, 20,
            16384);
    measure("bursts, packets, half", (wire_t) {.rate = 15500, .packet = 65536, .burst = 65536}, 20,
            16384);
    measure("large units", (wire_t) {.rate = 31000, .packet = 65536, .burst = 65536}, 32, 262144);
    measure("fast", (wire_t) {.rate = 1250000, .packet = 9000, .burst = 65536}, 64, 262144);
    measure("slow", (wire_t) {.rate = 1000, .packet = 1500, .burst = 65536}, 20, 16384);
    measure("a clock that is fast", (wire_t) {.rate = 31000, .packet = 1, .drift = 1e-4}, 16,
            16384);
    measure("a clock that is slow", (wire_t) {.rate = 31000, .packet = 1, .drift = -1e-4}, 16,
            16384);
}

/* A program that has something to send now and then only tells nothing of the link. */
static void pauses_are_not_slow(void **state)
{
    wire_t wire = {.rate = 31000, .packet = 1};
    mca_part_ucx_rate_measure_t measure = {.last_ns = 0};
    uint64_t now = START_NS;

    (void) state;
    for (unsigned i = 0; i < 200; ++i) {
        now = epoch(&wire, &measure, now, 8, 16384, 5000000);
    }
    assert_int_equal(0, atomic_load(&measure.rate));
    for (unsigned i = 0; i < 20; ++i) {
        now = epoch(&wire, &measure, now, 16, 16384, 15000);
        now = epoch(&wire, &measure, now + UINT64_C(10000000000), 3, 16384, 20000000);
    }
    check_rate(&measure, wire.rate, 0.1, "with pauses");
}

/* Where messages wait for the receiver's threads nothing is found out. */
static void threads_are_no_link(void **state)
{
    mca_part_ucx_rate_measure_t measure = {.last_ns = 0};
    uint64_t now = START_NS;

    (void) state;
    for (unsigned i = 0; i < 5000; ++i) {
        now += 60000;
        mca_part_ucx_rate_measure_note(&measure, now, 7, 15000, 16384);
    }
    assert_int_equal(0, atomic_load(&measure.rate));
}

static void notices_changes(void **state)
{
    wire_t wire = {.rate = 31000, .packet = 1, .burst = 65536};
    mca_part_ucx_rate_measure_t measure = {.last_ns = 0};
    uint64_t now = START_NS, before;

    (void) state;
    for (unsigned i = 0; i < 6; ++i) {
        wire.rate = 0 == i % 2 ? 31000 : 10000;
        before = now;
        while (now - before < UINT64_C(500000000)) {
            now = epoch(&wire, &measure, now, 16, 16384, 15000);
        }
        check_rate(&measure, wire.rate, 0.15, "half a second after it has changed");
    }
}

/* Whatever comes, nothing divides by zero or hangs. */
static void takes_anything(void **state)
{
    mca_part_ucx_rate_measure_t measure = {.last_ns = 0};
    unit_random_t random = unit_stream(1);

    (void) state;
    for (unsigned i = 0; i < 100000; ++i) {
        mca_part_ucx_rate_measure_note(&measure, unit_below(&random, 1000000000),
                                       unit_below(&random, 2), unit_below(&random, UINT32_MAX),
                                       unit_below(&random, 1u << 30));
    }
}

/* ---- shares ---- */

enum { PAIRS = 4 };

static mca_part_ucx_pair_shares_t *new_share(void)
{
    mca_part_ucx_pair_shares_t *share = calloc(1, sizeof(*share) + PAIRS * sizeof(share->pair[0]));

    assert_non_null(share);
    share->pairs = PAIRS;
    return share;
}

static bool adapt(mca_part_ucx_pair_shares_t *share, const double rate[PAIRS],
                  const bool old[PAIRS])
{
    mca_part_ucx_known_t known[PAIRS];

    for (unsigned i = 0; i < PAIRS; ++i) {
        known[i] = (mca_part_ucx_known_t) {.rate = (uint32_t) rate[i],
                                            .old = NULL != old && old[i]};
    }
    return mca_part_ucx_pair_shares_adapt(share, known);
}

/* Deal an epoch; the time until all is through, against the least that there can be. */
static double deal(mca_part_ucx_pair_shares_t *share, const double rate[PAIRS], unsigned units,
                   unsigned count[PAIRS])
{
    double sum = 0, last = 0;

    for (unsigned i = 0; i < PAIRS; ++i) {
        count[i] = 0;
        sum += rate[i];
    }
    for (unsigned i = 0; i < units; ++i) {
        ++count[mca_part_ucx_pair_shares_next(share, 16384)];
    }
    mca_part_ucx_pair_shares_carry_over(share, 16384);
    for (unsigned i = 0; i < PAIRS; ++i) {
        double end = count[i] / rate[i];

        last = end > last ? end : last;
    }
    return last * sum / units;
}

static void all_are_through_together(void **state)
{
    static const double rates[][PAIRS] = {{31000, 31000, 31000, 15500},
                                          {31000, 15500, 15500, 3100},
                                          {100, 31000, 31000, 31000},
                                          {1, 2, 3, 4}};
    unsigned count[PAIRS], first[PAIRS] = {0};

    (void) state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); ++i) {
        mca_part_ucx_pair_shares_t *share = new_share();

        for (unsigned n = 0; n < 20; ++n) {
            assert_true(adapt(share, rates[i], NULL));
            UNIT_CHECK(deal(share, rates[i], 64, count) < 1.1, "64 units in case %zu", i);
            UNIT_CHECK(deal(share, rates[i], 2048, count) < 1.03, "2048 units in case %zu", i);
            (void) deal(share, rates[i], 4, first);
        }
        free(share);
    }
}

/* 64 units on 3.5 pairs: one has 19. It is not always the same. */
static void the_last_unit_goes_round(void **state)
{
    static const double rate[PAIRS] = {31000, 31000, 31000, 15500};
    mca_part_ucx_pair_shares_t *share = new_share();
    unsigned count[PAIRS], most = 0, sum[PAIRS] = {0};

    (void) state;
    for (unsigned n = 0; n < 300; ++n) {
        assert_true(adapt(share, rate, NULL));
        (void) deal(share, rate, 64, count);
        for (unsigned i = 0; i < PAIRS; ++i) {
            sum[i] += count[i];
        }
    }
    for (unsigned i = 0; i < PAIRS; ++i) {
        most = sum[i] > most ? sum[i] : most;
    }
    UNIT_CHECK(most < 300 * 18.6, "one pair has %u of 19200", most);
    free(share);
}

/* Rates of equal links scatter; so do those of no links, where each pair is found to carry what it
 * was given: shares must not be led away. */
static void chance_changes_nothing(void **state)
{
    mca_part_ucx_pair_shares_t *share = new_share();
    unit_random_t random = unit_stream(2);
    double rate[PAIRS];

    (void) state;
    for (unsigned n = 0; n < 10000; ++n) {
        for (unsigned i = 0; i < PAIRS; ++i) {
            rate[i] = 30000 + unit_below(&random, 3000);
        }
        assert_false(adapt(share, rate, NULL));
    }
    (void) adapt(share, (const double[PAIRS]){600, 300, 500, 400}, NULL);
    for (unsigned n = 0; n < 10000 && share->dealt; ++n) {
        for (unsigned i = 0; i < PAIRS; ++i) {
            rate[i] = share->pair[i].rate * (0.95 + unit_below(&random, 100) / 1000.0);
        }
        (void) adapt(share, rate, NULL);
    }
    assert_false(share->dealt);
    free(share);
}

/* A pair that is next to nothing gets nothing, but is tried later. One of which nothing is known is
 * as good as the best. */
static void what_is_not_known(void **state)
{
    static const double bad[PAIRS] = {31000, 31000, 31000, 31}, none[PAIRS] = {31000, 15500, 0, 0};
    static const bool old[PAIRS] = {false, false, false, true};
    mca_part_ucx_pair_shares_t *share = new_share();
    unsigned count[PAIRS];

    (void) state;
    assert_true(adapt(share, bad, NULL));
    (void) deal(share, bad, 64, count);
    assert_int_equal(0, count[3]);
    assert_true(adapt(share, bad, old));
    (void) deal(share, bad, 64, count);
    assert_uint_in_range(count[3], 3, 6);
    free(share);
    share = new_share();
    assert_true(adapt(share, none, NULL));
    (void) deal(share, none, 70, count);
    assert_uint_in_range(count[2], 19, 21);
    assert_uint_in_range(count[1], 9, 11);
    free(share);
}

/* Who was found slow by chance is quiet with what it is given: it has its full share again. Who is
 * slow indeed gets no more than twice its share until that is heard. */
static void the_quiet_get_more(void **state)
{
    static const double chance[PAIRS] = {31000, 31000, 31000, 20000};
    static const double slow[PAIRS] = {31000, 31000, 31000, 7000};
    mca_part_ucx_pair_shares_t *share = new_share();
    mca_part_ucx_known_t known[PAIRS];
    unsigned count[PAIRS];

    (void) state;
    assert_true(adapt(share, chance, NULL));
    for (unsigned i = 0; i < PAIRS; ++i) {
        known[i] = (mca_part_ucx_known_t) {.rate = (uint32_t) chance[i], .quiet = 3 == i};
    }
    assert_false(mca_part_ucx_pair_shares_adapt(share, known));
    known[3].rate = (uint32_t) slow[3];
    assert_true(adapt(share, slow, NULL));
    assert_true(mca_part_ucx_pair_shares_adapt(share, known));
    (void) deal(share, slow, 107, count);
    assert_uint_in_range(count[3], 12, 15);
    known[3].quiet = false;
    for (unsigned n = 0; n < 40; ++n) {
        assert_true(mca_part_ucx_pair_shares_adapt(share, known));
    }
    (void) deal(share, slow, 100, count);
    assert_uint_in_range(count[3], 6, 8);
    free(share);
}

/* Small messages tell nothing of the link. */
static void small_messages_do_not_count(void **state)
{
    wire_t wire = {.rate = 31000, .packet = 1};
    mca_part_ucx_rate_measure_t measure = {.last_ns = 0};
    uint64_t now = START_NS;

    (void) state;
    for (unsigned i = 0; i < 200; ++i) {
        now = epoch(&wire, &measure, now, 16, 4096, 15000);
    }
    assert_int_equal(0, atomic_load(&measure.rate));
}

/* Others carry what a dead pair would have; when it is back all is as it was. */
static void the_dead_carry_nothing(void **state)
{
    static const mca_part_ucx_known_t even[PAIRS] = {
        {.rate = 31000}, {.rate = 31000}, {.rate = 31000}, {.rate = 31000}};
    mca_part_ucx_known_t known[PAIRS] = {
        {.rate = 31000}, {.rate = 30000, .dead = true}, {.rate = 31000}, {.rate = 31000}};
    static const double rate[PAIRS] = {31000, 31000, 31000, 31000};
    mca_part_ucx_pair_shares_t *share = new_share();
    unsigned count[PAIRS], sum[PAIRS] = {0};

    (void) state;
    for (unsigned n = 0; n < 30; ++n) {
        assert_true(mca_part_ucx_pair_shares_adapt(share, known));
        (void) deal(share, rate, 128, count);
        for (unsigned i = 0; i < PAIRS; ++i) {
            sum[i] += count[i];
        }
    }
    assert_int_equal(0, sum[1]);
    assert_uint_in_range(sum[0], 1275, 1285);
    assert_uint_in_range(sum[2], 1275, 1285);
    assert_false(mca_part_ucx_pair_shares_adapt(share, even));
    memset(known, 0, sizeof(known));
    known[0].dead = true; /* and of the others nothing is known */
    assert_true(mca_part_ucx_pair_shares_adapt(share, known));
    (void) deal(share, rate, 129, count);
    assert_int_equal(0, count[0]);
    assert_uint_in_range(count[3], 42, 44);
    free(share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_rates),
                                       cmocka_unit_test(pauses_are_not_slow),
                                       cmocka_unit_test(threads_are_no_link),
                                       cmocka_unit_test(notices_changes),
                                       cmocka_unit_test(takes_anything),
                                       cmocka_unit_test(all_are_through_together),
                                       cmocka_unit_test(the_last_unit_goes_round),
                                       cmocka_unit_test(chance_changes_nothing),
                                       cmocka_unit_test(what_is_not_known),
                                       cmocka_unit_test(the_quiet_get_more),
                                       cmocka_unit_test(small_messages_do_not_count),
                                       cmocka_unit_test(the_dead_carry_nothing)};

    return UNIT_RUN(tests);
}
