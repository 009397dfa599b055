/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks by host: every list is the inverse of the other, whatever the placement, and lanes have
 * one rank on each host.
 */
#include "plan/coll_pschedule_hosts.h"
#include "unit.h"

enum { MOST = 40 };

static void check(const mca_coll_pschedule_hosts_t *hosts, const uint64_t *number, uint32_t ranks)
{
    uint32_t seen = 0;

    assert_int_equal(hosts->first[0], 0);
    assert_int_equal(hosts->first[hosts->count], ranks);
    for (uint32_t i = 0; i < ranks; ++i) {
        uint32_t host = hosts->host[i];

        assert_true(host <= seen); /* numbered in the order of their lowest ranks */
        seen = host == seen ? seen + 1 : seen;
        assert_int_equal(hosts->rank[hosts->ring[i]], i);
        assert_int_equal(mca_coll_pschedule_hosts_rank(hosts, host, hosts->index[i]), i);
        assert_uint_in_range(mca_coll_pschedule_hosts_on(hosts, host), hosts->fewest, hosts->most);
        for (uint32_t k = 0; k < i; ++k) {
            assert_int_equal(number[i] == number[k], host == hosts->host[k]);
            assert_true(host != hosts->host[k] || hosts->index[k] < hosts->index[i]);
        }
    }
    assert_int_equal(seen, hosts->count);
}

static void random_maps(void **state)
{
    unit_random_t random = unit_stream(1);

    (void) state;
    for (uint32_t i = 0; i < unit_repeat(2000); ++i) {
        uint32_t ranks = 1 + unit_below(&random, MOST);
        uint32_t most = 1 + unit_below(&random, ranks);
        mca_coll_pschedule_hosts_t hosts;
        uint64_t number[MOST];

        for (uint32_t k = 0; k < ranks; ++k) {
            number[k] = (uint64_t) unit_below(&random, most) * UINT64_C(0x9e3779b97f4a7c15);
        }
        assert_true(mca_coll_pschedule_hosts_make(&hosts, number, ranks));
        check(&hosts, number, ranks);
        mca_coll_pschedule_hosts_free(&hosts);
    }
}

static void known_maps(void **state)
{
    static const uint64_t block[] = {7, 7, 7, 3, 3}, mixed[] = {7, 3, 7, 3, 7};
    mca_coll_pschedule_hosts_t hosts;

    (void) state;
    assert_true(mca_coll_pschedule_hosts_make(&hosts, block, 5));
    assert_true(hosts.contiguous && mca_coll_pschedule_hosts_nested(&hosts));
    assert_int_equal(hosts.fewest, 2);
    assert_int_equal(hosts.most, 3);
    assert_int_equal(mca_coll_pschedule_lane(&hosts, 0, 2), 2);
    assert_int_equal(mca_coll_pschedule_lane(&hosts, 1, 2), 3); /* 2 modulo 2 */
    mca_coll_pschedule_hosts_free(&hosts);

    assert_true(mca_coll_pschedule_hosts_make(&hosts, mixed, 5));
    assert_false(hosts.contiguous);
    assert_int_equal(hosts.rank[2], 4);
    assert_int_equal(hosts.rank[3], 1);
    mca_coll_pschedule_hosts_free(&hosts);

    assert_true(mca_coll_pschedule_hosts_make(&hosts, block, 3));
    assert_false(mca_coll_pschedule_hosts_nested(&hosts)); /* one host */
    mca_coll_pschedule_hosts_free(&hosts);
    assert_true(mca_coll_pschedule_hosts_make(&hosts, block + 2, 2));
    assert_false(mca_coll_pschedule_hosts_nested(&hosts)); /* one rank on each */
    mca_coll_pschedule_hosts_free(&hosts);
    assert_false(mca_coll_pschedule_hosts_nested(NULL));
}

static void processors(void **state)
{
    static const uint64_t one[] = {4, 4, 4}, two[] = {4, 4, 5};
    mca_coll_pschedule_hosts_t hosts;

    (void) state;
    assert_true(mca_coll_pschedule_hosts_make(&hosts, one, 3));
    assert_false(mca_coll_pschedule_hosts_are_crowded(&hosts)); /* not known */
    hosts.processors = 3;
    assert_false(mca_coll_pschedule_hosts_are_crowded(&hosts));
    hosts.processors = 2;
    assert_true(mca_coll_pschedule_hosts_are_crowded(&hosts));
    mca_coll_pschedule_hosts_free(&hosts);
    assert_true(mca_coll_pschedule_hosts_make(&hosts, two, 3));
    assert_false(mca_coll_pschedule_hosts_are_crowded(&hosts));
    mca_coll_pschedule_hosts_free(&hosts);
    assert_false(mca_coll_pschedule_hosts_are_crowded(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_maps),
        cmocka_unit_test(known_maps),
        cmocka_unit_test(processors),
    };

    return UNIT_RUN(tests);
}
