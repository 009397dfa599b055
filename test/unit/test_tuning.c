/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tuning files: what is read, what is refused and how that is told, and which calls a line is for.
 */
#include "algorithms/coll_pschedule_tuning.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static bool read_text(mca_coll_pschedule_tuning_t *tuning, const char *text)
{
    FILE *file = fmemopen((void *) (uintptr_t) text, strlen(text), "r");
    bool good;

    *tuning = (mca_coll_pschedule_tuning_t) {.given = 0};
    assert_non_null(file);
    good = mca_coll_pschedule_tuning_read(tuning, file, "FILE");
    (void) fclose(file);
    return good;
}

static void reads(void **state)
{
    mca_coll_pschedule_tuning_t tuning;

    (void) state;
    assert_true(read_text(&tuning, "# a comment\n\nversion = 1\n latency=7 # more\nbandwidth = 90\n"
                                   "host_bandwidth = 0\ncopy_bandwidth\t=\t4000"));
    assert_int_equal(tuning.given, 1u << 0 | 1u << 2 | 1u << 3 | 1u << 4);
    assert_int_equal(tuning.rates.latency, 7);
    assert_int_equal(tuning.rates.bandwidth, 90);
    assert_int_equal(tuning.rates.copy_bandwidth, 4000);
    assert_int_equal(tuning.wishes, 0);
    mca_coll_pschedule_tuning_free(&tuning);
}

/* The text, and what is said of it. */
static const struct {
    const char *text, *fault;
} bad[] = {
    {"", "FILE, line 0: there is no \"version = 1\""},
    {"latency = 3\n", "FILE, line 1: \"version = 1\" must come first"},
    {"version = 2\n", "FILE, line 1: version \"2\" is not known here; this is 1"},
    {"version = 1\nlatencies = 3\n", "FILE, line 2: \"latencies\" is not known"},
    {"version = 1\n\nlatency = 3us\n",
     "FILE, line 3: latency is \"3us\", not a number from 0 to 2147483647"},
    {"version = 1\nlatency = -3\n",
     "FILE, line 2: latency is \"-3\", not a number from 0 to 2147483647"},
    {"version = 1\nlatency = \n",
     "FILE, line 2: latency is \"\", not a number from 0 to 2147483647"},
    {"version = 1\nlatency = 99999999999999999999\n",
     "FILE, line 2: latency is \"99999999999999999999\", not a number from 0 to 2147483647"},
    {"version = 1\nbandwidth = 0\n",
     "FILE, line 2: bandwidth is \"0\", not a number from 1 to 2147483647"},
    {"version = 1\nlatency = 3\nlatency = 4\n", "FILE, line 3: latency is there twice"},
    {"version = 1\nlatency 3\n", "FILE, line 2: no NAME = VALUE"},
    {"version = 1\nallgather = quick\n", "FILE, line 2: allgather has no algorithm \"quick\""},
    {"version = 1\nallgather =\n", "FILE, line 2: allgather has no algorithm \"\""},
    {"version = 1\nbcast = rabenseifner\n",
     "FILE, line 2: bcast has no algorithm \"rabenseifner\""},
    {"version = 1\npersistent_bcast = chain\n",
     "FILE, line 2: \"chain\" is neither served nor handed_on"},
    {"version = 1\npersistent_bcast =\n",
     "FILE, line 2: \"\" is neither served nor handed_on"},
    {"version = 1\npersistent_latency = 3\n", "FILE, line 2: \"persistent_latency\" is not known"},
    {"version = 1\nbcast = served\n", "FILE, line 2: bcast has no algorithm \"served\""},
    {"version = 1\nbcast = chain size 5\n",
     "FILE, line 2: \"size\" is none of ranks, hosts, bytes"},
    {"version = 1\nbcast = chain ranks\n", "FILE, line 2: \"\" is no range of ranks"},
    {"version = 1\nbcast = chain ranks 5-4\n", "FILE, line 2: \"5-4\" is no range of ranks"},
    {"version = 1\nbcast = chain hosts -\n", "FILE, line 2: \"-\" is no range of hosts"},
    {"version = 1\nbcast = chain bytes 1K\n", "FILE, line 2: \"1K\" is no range of bytes"}};

static void refuses(void **state)
{
    mca_coll_pschedule_tuning_t tuning;

    (void) state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        assert_false(read_text(&tuning, bad[i].text));
        assert_string_equal(tuning.fault, bad[i].fault);
        mca_coll_pschedule_tuning_free(&tuning);
    }
}

static void refuses_long_lines(void **state)
{
    mca_coll_pschedule_tuning_t tuning;
    char text[2000] = "version = 1\n#";

    (void) state;
    memset(text + strlen(text), 'x', 1000);
    assert_false(read_text(&tuning, text));
    assert_non_null(strstr(tuning.fault, "more than"));
    mca_coll_pschedule_tuning_free(&tuning);
}

static const char *row_for(const mca_coll_pschedule_tuning_t *tuning, uint32_t ranks,
                           uint32_t hosts, uint64_t bytes)
{
    mca_coll_pschedule_hosts_t map = {.count = hosts};
    mca_coll_pschedule_problem_t problem = {.collective = COLL_PSCHEDULE_ALLGATHER,
                                            .size = (int32_t) ranks,
                                            .common_bytes = bytes,
                                            .hosts = &map};
    int row = mca_coll_pschedule_tuning_row(tuning, &problem);

    return 0 == row ? "" : mca_coll_pschedule_algorithms[row - 1]->name;
}

/* The first line that fits counts. */
static void finds_rows(void **state)
{
    mca_coll_pschedule_tuning_t tuning;

    (void) state;
    assert_true(read_text(&tuning, "version = 1\n"
                                   "bcast = chain\n"
                                   "allgather = linear ranks 2-7 bytes -99\n"
                                   "allgather = lanes_tree hosts 4 bytes 100-\n"
                                   "allgather = bruck ranks 9-\n"));
    assert_int_equal(tuning.wishes, 4);
    assert_string_equal(row_for(&tuning, 7, 4, 99), "linear");
    assert_string_equal(row_for(&tuning, 1, 4, 99), "");
    assert_string_equal(row_for(&tuning, 8, 4, 99), "");
    assert_string_equal(row_for(&tuning, 8, 4, 100), "lanes_tree");
    assert_string_equal(row_for(&tuning, 9, 4, 100), "lanes_tree");
    assert_string_equal(row_for(&tuning, 9, 5, 100), "bruck");
    assert_string_equal(row_for(&tuning, 9, 4, 99), "bruck");
    mca_coll_pschedule_tuning_free(&tuning);
}

/* Components are registered again, in another session for example. */
static void reads_again(void **state)
{
    const char *text = "version = 1\nlatency = 5\nbcast = chain\n";
    mca_coll_pschedule_tuning_t tuning;
    FILE *file = fmemopen((void *) (uintptr_t) text, strlen(text), "r");

    (void) state;
    assert_true(read_text(&tuning, "version = 1\nlatency = 7\nbandwidth = 3\nscan = chain\n"));
    assert_true(mca_coll_pschedule_tuning_read(&tuning, file, "FILE"));
    assert_int_equal(tuning.given, 1);
    assert_int_equal(tuning.rates.latency, 5);
    assert_int_equal(tuning.wishes, 1);
    assert_int_equal(tuning.wish[0].collective, COLL_PSCHEDULE_BCAST);
    (void) fclose(file);
    mca_coll_pschedule_tuning_free(&tuning);
}

/* Files that say different things of a collective have different numbers. */
static void has_numbers(void **state)
{
    static const char *const text[]
        = {"version = 1\n", "version = 1\nallgather = ring\n", "version = 1\nallgather = linear\n",
           "version = 1\nallgather = ring ranks 5\n", "version = 1\nallgather = ring hosts 5\n",
           "version = 1\nallgather = ring bytes 5-\n", "version = 1\nallgather = ring bytes -5\n",
           "version = 1\nallgather = ring\nallgather = linear\n"};
    enum { TEXTS = sizeof(text) / sizeof(text[0]) };
    uint32_t number[TEXTS];

    (void) state;
    for (int i = 0; i < TEXTS; ++i) {
        mca_coll_pschedule_tuning_t tuning;

        assert_true(read_text(&tuning, text[i]));
        number[i] = mca_coll_pschedule_tuning_number(&tuning, COLL_PSCHEDULE_ALLGATHER);
        assert_int_equal(mca_coll_pschedule_tuning_number(&tuning, COLL_PSCHEDULE_BCAST), 0);
        for (int k = 0; k < i; ++k) {
            assert_int_not_equal(number[i], number[k]);
        }
        mca_coll_pschedule_tuning_free(&tuning);
    }
}

/* The same of what is said of persistent collectives, which is no business of partitioned ones. */
static void has_numbers_of_persistent_ones(void **state)
{
    static const char *const text[]
        = {"version = 1\n", "version = 1\npersistent_bcast = served\n",
           "version = 1\npersistent_bcast = handed_on\n",
           "version = 1\npersistent_scan = served\n",
           "version = 1\npersistent_bcast = served bytes 5-\n"};
    enum { TEXTS = sizeof(text) / sizeof(text[0]) };
    uint32_t number[TEXTS];
    mca_coll_pschedule_tuning_t tuning;

    (void) state;
    for (int i = 0; i < TEXTS; ++i) {
        assert_true(read_text(&tuning, text[i]));
        number[i] = mca_coll_pschedule_tuning_persistent_number(&tuning);
        assert_int_equal(mca_coll_pschedule_tuning_number(&tuning, COLL_PSCHEDULE_BCAST), 0);
        for (int k = 0; k < i; ++k) {
            assert_int_not_equal(number[i], number[k]);
        }
        mca_coll_pschedule_tuning_free(&tuning);
    }
    assert_true(read_text(&tuning, "version = 1\nbcast = chain\n"));
    assert_int_equal(0, mca_coll_pschedule_tuning_persistent_number(&tuning));
    mca_coll_pschedule_tuning_free(&tuning);
}

/* What copying costs changes the choice of who reduces much. */
static void counts_copies(void **state)
{
    mca_coll_pschedule_problem_t problem = {.collective = COLL_PSCHEDULE_ALLREDUCE,
                                            .size = 8,
                                            .element = 8,
                                            .chunk = 65536,
                                            .common_bytes = 1 << 20,
                                            .common_partitions = 1,
                                            .uniform = true};
    mca_coll_pschedule_rates_t rates = {.latency = 1, .bandwidth = 1000};
    const mca_coll_pschedule_algorithm_t *row = &mca_coll_pschedule_allreduce_recursive_doubling;
    uint64_t usual = mca_coll_pschedule_time(row, &problem, &rates);

    (void) state;
    rates.copy_bandwidth = 8000; /* what is assumed without it */
    assert_true(mca_coll_pschedule_time(row, &problem, &rates) <= usual + 1000);
    assert_true(mca_coll_pschedule_time(row, &problem, &rates) + 1000 >= usual);
    rates.copy_bandwidth = 100;
    assert_true(mca_coll_pschedule_time(row, &problem, &rates) > 2 * usual);
}

int main(void)
{
    const struct CMUnitTest tests[]
        = {cmocka_unit_test(reads),      cmocka_unit_test(refuses),
           cmocka_unit_test(refuses_long_lines),
           cmocka_unit_test(finds_rows), cmocka_unit_test(reads_again),
           cmocka_unit_test(has_numbers),
           cmocka_unit_test(has_numbers_of_persistent_ones),
           cmocka_unit_test(counts_copies)};

    return UNIT_RUN(tests);
}
