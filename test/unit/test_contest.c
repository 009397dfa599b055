/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of two ways of a persistent collective is faster: three ranks that see different times go
 * through the same rounds and come to the same decision, which is that of the slowest rank.
 */
#include "unit.h"

#include "persistent/coll_pschedule_contest.h"

#define RANKS  3
#define BEGINS 10
#define MANY   5000

/* Rounds of all turns of long rounds; of those of them whose time counts. */
#define COUNTED (8 + 8 + 4 * 16)
#define ALL     (8 + 2 + 4 + COUNTED + 1)

/* Nanoseconds of a round: by who serves it and for which rank. `percent`: there, of that here. */
typedef uint64_t (*cost_t)(mca_coll_pschedule_contestant_t who, uint64_t percent, int rank,
                           int round);

typedef struct course_t {
    int rounds;
    int there; /* of these */
    int votes;
    int timed;
    mca_coll_pschedule_result_t result;
} course_t;

static void vote(mca_coll_pschedule_contest_t contest[RANKS],
                 uint64_t most[COLL_PSCHEDULE_CONTESTANTS])
{
    for (int rank = 0; rank < RANKS; ++rank) {
        uint64_t ballot[COLL_PSCHEDULE_CONTESTANTS];

        mca_coll_pschedule_contest_ballot(&contest[rank], ballot);
        for (int who = 0; who < COLL_PSCHEDULE_CONTESTANTS; ++who) {
            most[who] = ballot[who] > most[who] ? ballot[who] : most[who];
        }
    }
}

/* Until there is a decision. */
static course_t run(uint32_t begins, cost_t cost, uint64_t percent)
{
    mca_coll_pschedule_contest_t contest[RANKS];
    course_t course = {.result = COLL_PSCHEDULE_GOES_ON};

    for (int rank = 0; rank < RANKS; ++rank) {
        mca_coll_pschedule_contest_make(&contest[rank], begins);
    }
    for (; course.rounds < MANY && COLL_PSCHEDULE_GOES_ON == course.result; ++course.rounds) {
        uint64_t most[COLL_PSCHEDULE_CONTESTANTS] = {0};
        mca_coll_pschedule_turn_t turn = {.votes = false};

        for (int rank = 0; rank < RANKS; ++rank) {
            mca_coll_pschedule_turn_t own = mca_coll_pschedule_contest_next(&contest[rank]);

            assert_true(0 == rank
                        || (own.who == turn.who && own.votes == turn.votes
                            && own.timed == turn.timed));
            turn = own;
        }
        if (turn.votes) {
            vote(contest, most);
        }
        for (int rank = 0; rank < RANKS && turn.timed; ++rank) {
            mca_coll_pschedule_contest_add(&contest[rank],
                                           cost(turn.who, percent, rank, course.rounds));
        }
        for (int rank = 0; rank < RANKS && turn.votes; ++rank) {
            mca_coll_pschedule_result_t own
                = mca_coll_pschedule_contest_count(&contest[rank], most);

            assert_true(0 == rank || own == course.result);
            course.result = own;
        }
        course.there += COLL_PSCHEDULE_THERE == turn.who;
        course.votes += turn.votes;
        course.timed += turn.timed;
    }
    return course;
}

/* Rounds of 1 ms, which are long enough for the shortest turns. */
static uint64_t steady(mca_coll_pschedule_contestant_t who, uint64_t percent, int rank, int round)
{
    (void) rank, (void) round;
    return COLL_PSCHEDULE_HERE == who ? 1000000 : 10000 * percent;
}

/* Rank 1 is the only one that does not gain. */
static uint64_t slow_on_one(mca_coll_pschedule_contestant_t who, uint64_t percent, int rank,
                            int round)
{
    return steady(who, 1 == rank ? 120 : percent, rank, round);
}

/* Something disturbs a turn of one of them. */
static uint64_t disturbed_here(mca_coll_pschedule_contestant_t who, uint64_t percent, int rank,
                               int round)
{
    bool disturbed = COLL_PSCHEDULE_HERE == who && round > BEGINS + 30 && round < BEGINS + 42;

    return (disturbed ? 50 : 1) * steady(who, percent, rank, round);
}

/* Who was there before is cold in its first turn. */
static uint64_t cold_there(mca_coll_pschedule_contestant_t who, uint64_t percent, int rank,
                           int round)
{
    return steady(who, round < BEGINS + 30 ? 190 : percent, rank, round);
}

static uint64_t short_rounds(mca_coll_pschedule_contestant_t who, uint64_t percent, int rank,
                             int round)
{
    return steady(who, percent, rank, round) / 1000;
}

static uint64_t medium_rounds(mca_coll_pschedule_contestant_t who, uint64_t percent, int rank,
                              int round)
{
    return steady(who, percent, rank, round) / 12;
}

static void who_wins(void **state)
{
    (void) state;
    assert_int_equal(run(BEGINS, steady, 500).result, COLL_PSCHEDULE_HERE_WINS);
    assert_int_equal(run(BEGINS, steady, 110).result, COLL_PSCHEDULE_HERE_WINS);
    assert_int_equal(run(BEGINS, steady, 97).result, COLL_PSCHEDULE_HERE_WINS);
    assert_int_equal(run(BEGINS, steady, 93).result, COLL_PSCHEDULE_THERE_WINS);
    assert_int_equal(run(BEGINS, steady, 30).result, COLL_PSCHEDULE_THERE_WINS);
    assert_int_equal(run(BEGINS, slow_on_one, 80).result, COLL_PSCHEDULE_HERE_WINS);
    assert_int_equal(run(BEGINS, disturbed_here, 105).result, COLL_PSCHEDULE_HERE_WINS);
    assert_int_equal(run(BEGINS, cold_there, 80).result, COLL_PSCHEDULE_THERE_WINS);
}

/* The more there is to lose or to gain, the sooner it ends. */
static void what_it_costs(void **state)
{
    course_t slow = run(BEGINS, steady, 500), close = run(BEGINS, steady, 110);
    course_t fast = run(BEGINS, steady, 30), twice = run(BEGINS, steady, 210);

    (void) state;
    assert_int_equal(slow.there, 2 + 4);
    assert_int_equal(twice.there, 2 + 4 + 8);
    assert_int_equal(close.there, 2 + 4 + 8 + 2 * 16);
    assert_int_equal(close.rounds, BEGINS + ALL);
    assert_true(slow.rounds < fast.rounds && fast.rounds < close.rounds);
}

/* So that votes do not hold the program up for much of its time. */
static void turns_of_short_rounds_are_longer(void **state)
{
    (void) state;
    assert_int_equal(run(BEGINS, medium_rounds, 110).rounds, BEGINS + ALL + 3 * COUNTED);
    assert_int_equal(run(BEGINS, short_rounds, 110).rounds, BEGINS + ALL + 15 * COUNTED);
}

static void it_begins_when_it_shall(void **state)
{
    static const uint32_t begins[] = {1, 2, 64};
    course_t none = run(0, steady, 110);

    (void) state;
    for (int i = 0; i < 3; ++i) {
        course_t course = run(begins[i], steady, 110);

        assert_int_equal(course.rounds, begins[i] + ALL);
        assert_int_equal(course.there, 46);
        assert_int_equal(course.votes, 11);
        assert_int_equal(course.timed, ALL - 2); /* no clock is read before it begins */
    }
    assert_int_equal(none.rounds, 1 + ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_wins),
        cmocka_unit_test(what_it_costs),
        cmocka_unit_test(turns_of_short_rounds_are_longer),
        cmocka_unit_test(it_begins_when_it_shall),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
