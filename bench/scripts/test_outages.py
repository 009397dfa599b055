# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Do shares, times and claims of outages follow from made-up bandwidths? Is a timetable kept, and is
nothing left unplugged?"""

import contextlib
import io
import itertools
import os
import tempfile
import time
import types
import unittest
from unittest import mock

import outage_links
import outage_results
import outages
from outage_links import Outage, Timetable

OUTAGES = [Outage(4, 14, [(1, "h1")], "one"), Outage(24, 34, [(1, "h0"), (3, "h1")], "two")]
PATHS = 4


def run(rate_at, seconds=44, reason=None):
    """A run whose bandwidth is known at each time."""
    rows = [[(nth + 1) / 10, rate_at((nth + 0.5) / 10)] for nth in range(seconds * 10)]
    return {"rows": rows, "spans": [(4, 14), (24, 34)], "reason": reason}


def good(time_):
    if 4 <= time_ < 7.5 or 24 <= time_ < 27.5:
        return 2.0
    if time_ < 14.8:
        return 120.0 if time_ < 4 else 90.0
    return 60.0 if 27.5 <= time_ < 34.8 else 120.0


class Shares(unittest.TestCase):
    def test_seconds_and_shares_of_a_good_run(self):
        seen = outage_results.Seen([run(good)], 0, OUTAGES[0], PATHS)
        self.assertAlmostEqual(seen.needed, 0.74)
        self.assertAlmostEqual(seen.during[0], 0.75)
        self.assertAlmostEqual(seen.after_mean[0], 1.0)
        self.assertAlmostEqual(seen.cut_soon[0], 3.5)
        self.assertAlmostEqual(seen.back_soon[0], 0.8)
        self.assertAlmostEqual(outage_results.Seen([run(good)], 1, OUTAGES[1], PATHS).needed, 0.49)

    def test_the_worst_run_is_judged(self):
        slow = run(lambda time_: 0.9 * good(time_) if 16 < time_ < 24 else good(time_))
        verdicts = outage_results.judge_bandwidth([run(good), slow], OUTAGES, PATHS)
        self.assertEqual([v.ok for v in verdicts], [True, False, True, True, True])
        self.assertEqual(verdicts[1].measured, "0.900")

    def test_a_run_that_fails_or_hangs(self):
        hung = run(good, seconds=5, reason="hung (94 s)")
        verdicts = outage_results.judge_bandwidth([hung], OUTAGES, PATHS)
        self.assertFalse(any(v.ok for v in verdicts))
        seen = outage_results.Seen([hung], 0, OUTAGES[0], PATHS)
        self.assertEqual(seen.cut_soon, [None])
        self.assertFalse(any(v.ok for v in outage_results.judge_bandwidth([], OUTAGES, PATHS)))


class Trainings(unittest.TestCase):
    def judged(self, **changes):
        plain = {"loss": [4.5, 4.25], "hash": "ab", "pulled": 0, "lost": 0}
        cut = plain | {"pulled": 1, "lost": 2} | changes
        return [v.ok for v in outage_results.judge_training({"plain": plain, "cut": cut})]

    def test_the_same_to_the_bit(self):
        self.assertEqual(self.judged(), [True, True])
        self.assertEqual(self.judged(loss=[4.5, 4.2500001]), [False, True])
        self.assertEqual(self.judged(hash="ac"), [False, True])

    def test_without_an_outage_nothing_is_shown(self):
        self.assertEqual(self.judged(pulled=0, lost=0), [True, False])
        self.assertEqual(self.judged(lost=0), [True, False])
        self.assertEqual([v.ok for v in outage_results.judge_training({"reason": "hung"})], [False])


class Reports(unittest.TestCase):
    def report(self, results):
        """(how many claims do not hold, what is printed, names of files)."""
        contenders = {name: {"label": name, "needs": "ucx-bytes"} for name in outages.CONTENDERS}
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as out, contextlib.redirect_stdout(printed), \
                contextlib.redirect_stderr(io.StringIO()):
            failures = outages.report(types.SimpleNamespace(out=out), contenders,
                                      {"outages": OUTAGES} | results)
            return failures, printed.getvalue(), os.listdir(out)

    def test_tables_and_files(self):
        runs = {name: [run(good)] for name in outages.CONTENDERS}
        runs[outages.CONTENDERS[1]] = [run(good, seconds=5, reason="hung (94 s)")]
        failures, printed, files = self.report({"bandwidth": runs})
        self.assertEqual(failures, 0)
        self.assertIn("1 of 1 runs: hung (94 s)", printed)
        self.assertIn("bandwidth.csv", files)
        self.assertIn("never", printed)

    def test_what_was_not_finished_does_not_hold(self):
        self.assertEqual(self.report({"gpt2": {}})[0], 1)
        self.assertEqual(self.report({"bandwidth": {}})[0], 5)


class Timetables(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(outage_links, "link")
        self.link = patch.start()
        self.addCleanup(patch.stop)

    def test_it_is_kept_from_the_programs_beginning_on(self):
        outages = [Outage(0.1, 0.2, [(1, "h1"), (2, None)], "")]
        began = time.monotonic() + 0.1
        with Timetable(lambda: began if time.monotonic() >= began else None, outages) as timetable:
            timetable.join(5)
        self.assertEqual([call.args for call in self.link.call_args_list],
                         [(1, "h1", "down"), (2, None, "down"), (1, "h1", "up"), (2, None, "up")])
        [(cut, back)] = timetable.spans()
        self.assertTrue(0.1 <= cut < 0.2 <= back)

    def test_nothing_stays_unplugged(self):
        with Timetable(time.monotonic, [Outage(0, 60, [(1, "h1")], "")]):
            time.sleep(0.2)
        self.assertEqual([call.args for call in self.link.call_args_list],
                         [(1, "h1", "down"), (1, "h1", "up")])

    def test_a_program_that_never_begins(self):
        with Timetable(lambda: None, OUTAGES):
            pass
        self.link.assert_not_called()

    def test_every(self):
        some = list(itertools.islice(outage_links.every(20, 5, 8, 4, 4), 4))
        self.assertEqual([(o.at, o.back) for o in some], [(5, 13), (25, 33), (45, 53), (65, 73)])
        self.assertEqual([o.cables for o in some],
                         [[(1, "h1")], [(2, "h2")], [(3, "h3")], [(1, "h0")]])


if __name__ == "__main__":
    unittest.main()
