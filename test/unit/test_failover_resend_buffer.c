/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links when a path dies (docs/protocol.md, 9.6): what they send again is their copy, whatever has
 * become of the source; pieces of a bundle go one by one, and are taken once. On cables that are
 * made up, with the component's own code at both ends.
 */
#include "unit.h"

#include "line.h"
#include "twins.h"

static uint64_t repeats(void)
{
    return atomic_load(&mca_part_ucx_process.repeats);
}

static const uint64_t pieces[] = {16, 0, 40, 300, 5000, 64, 9000, 24};
#define PIECES ((uint32_t) (sizeof(pieces) / sizeof(pieces[0])))

static void line_begin(void)
{
    twins_open(2);
    twins_make_line(PIECES, pieces);
}

static void line_start(void)
{
    mca_part_ucx_channel_start_met(&line.recv->super);
    mca_part_ucx_channel_start_met(&line.send->super);
    twins_drive(5);
}

static void line_mark_all(void)
{
    for (uint32_t i = 0; i < PIECES; ++i) {
        line_mark(i);
    }
    twins_drive(5);
}

static void line_end(void)
{
    line_free();
    twins_close();
}

/* The source of a piece is overwritten with zeros as soon as the plan has it back (line.c); that is
 * at once, though the path by which it went is dead. */
static void a_link_sends_copies(void **state)
{
    (void) state;
    for (unsigned called_back = 0; called_back < 2; ++called_back) {
        line_begin();
        cables.cut[SIDE_A][0] = cables.cut[SIDE_A][1] = true;
        cables.silent[SIDE_A][0] = !called_back;
        line_start();
        line_mark_all();
        for (uint32_t i = 0; i < PIECES; ++i) {
            assert_int_equal(1, atomic_load(&line.sent[i]));
        }
        twins_give_up(SIDE_A, 0);
        cables.cut[SIDE_A][1] = false;
        twins_pass(0.5);
        line_finish(1);
        line_start();
        line_mark_all();
        line_finish(2);
        line_end();
    }
}

/* Bundles and pieces are in the queue of a path whose endpoint is lost before it is driven. */
static void what_is_queued_takes_another_path(void **state)
{
    (void) state;
    for (unsigned dead = 0; dead < 2; ++dead) {
        mca_part_ucx_path_t *path;
        unsigned posted = 0;

        line_begin();
        path = &mca_part_ucx_paths.path[cables_path(SIDE_A, dead)];
        line_start();
        mca_part_ucx_path_lock(path);
        line_mark_all();
        mca_part_ucx_endpoint_lose(twins_endpoint(SIDE_A, dead), "a test");
        mca_part_ucx_path_unlock(path);
        twins_pass(0.3);
        for (unsigned id = PART_UCX_AM_DATA; id <= PART_UCX_AM_OFFER; ++id) {
            posted += cables_posted(cables_path(SIDE_A, dead), id);
        }
        assert_int_equal(0, posted);
        line_finish(1);
        line_end();
    }
}

/* A bundle is lost, its pieces go one by one, and then it comes, in the same epoch or the next. */
static void a_bundle_comes_late(void **state)
{
    (void) state;
    for (unsigned next = 0; next < 2; ++next) {
        uint64_t before = repeats();
        unsigned dead;

        line_begin();
        cables.cut[SIDE_A][0] = cables.cut[SIDE_A][1] = true;
        cables.late = true;
        line_start();
        line_mark_all();
        dead = 0 == cables_posted(cables_path(SIDE_A, 0), PART_UCX_AM_BUNDLE);
        assert_true(cables_posted(cables_path(SIDE_A, dead), PART_UCX_AM_BUNDLE) > 0);
        cables.cut[SIDE_A][1 - dead] = false;
        twins_give_up(SIDE_A, dead);
        twins_pass(0.3);
        line_finish(1);
        if (next) {
            line_start();
        }
        cables.cut[SIDE_A][dead] = false;
        twins_drive(5);
        assert_true(repeats() > before);
        if (!next) {
            line_start();
        }
        line_mark_all();
        line_finish(2);
        line_end();
    }
}

static void the_next_epoch_of_the_link_passes(void)
{
    line_finish(1);
    line_start();
    line_mark_all();
    line_finish(2);
}

/* As a_handler_stands_still, with a piece: one that is too large for a bundle. */
static void a_piece_stands_still(void **state)
{
    (void) state;
    line_begin();
    cables.cut[SIDE_A][0] = cables.cut[SIDE_A][1] = true;
    cables.late = true;
    line_start();
    line_mark_all();
    twins_give_up(SIDE_A, 0);
    twins_give_up(SIDE_B, 0);
    twins_pass(0.1);
    twins_standing = the_next_epoch_of_the_link_passes;
    cables.cut[SIDE_A][1] = false;
    cables.cut[SIDE_A][0] = false;
    twins_drive(5);
    assert_null(twins_standing);
    line_finish(2);
    line_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_sends_copies),
        cmocka_unit_test(what_is_queued_takes_another_path),
        cmocka_unit_test(a_bundle_comes_late),
        cmocka_unit_test(a_piece_stands_still),
    };

    return UNIT_RUN(tests);
}
