# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What contest.py makes of numbers that are known: it decides which claims hold. Run by
bench/check.sh; python3 -m unittest discover -s bench/scripts does, too."""

import pathlib
import select
import subprocess
import sys
import time
import types
import unittest

import compare
import contest

HERE = pathlib.Path(__file__).parent


def results_of(**contenders):
    """contenders: name = {size: [one value per run]} of the column "speed"."""
    results = contest.Results("made up")
    for name, sizes in contenders.items():
        for size, runs in sizes.items():
            for value in runs:
                results.add(name, [{"_size": size, "speed": value}], 1.0)
    return results


def judge(results, **claim):
    case = {"name": "made up", "column": "speed", "contenders": ["us", "them"]}
    claim = {"says": "faster", "left": "us", "right": "them", **claim}
    return contest.judge(case, claim, results)


class Ratio(unittest.TestCase):
    def test_medians_are_compared_size_by_size(self):
        results = results_of(us={1: [4, 4, 100], 2: [3, 3, 3]}, them={1: [2, 2, 2], 2: [2, 2, 0.1]})
        self.assertTrue(judge(results, needed=1.5).ok)
        verdict = judge(results, needed=1.6)
        self.assertFalse(verdict.ok)
        self.assertIn("1.500 (worst, 2 B)", verdict.measured)

    def test_lower_may_be_better(self):
        results = results_of(us={1: [2]}, them={1: [10]})
        self.assertTrue(judge(results, needed=5, better="lower").ok)
        self.assertFalse(judge(results, needed=5).ok)

    def test_the_best_rival_counts(self):
        results = results_of(us={1: [10]}, them={1: [2]}, others={1: [9]})
        self.assertTrue(judge(results, needed=1.1, right=["them", "others"]).ok)
        self.assertFalse(judge(results, needed=1.2, right=["them", "others"]).ok)

    def test_no_run_is_much_worse_than_the_median(self):
        results = results_of(us={1: [10, 9, 11], 2: [10, 6, 10]})
        verdict = judge(results, rule="steady", right=[], needed=0.6)
        self.assertTrue(verdict.ok)
        self.assertIn("0.600 (worst, 2 B)", verdict.measured)
        self.assertFalse(judge(results, rule="steady", right=[], needed=0.7).ok)
        # Of times the longest is the worst.
        slow = results_of(us={1: [10, 10, 20]})
        self.assertFalse(judge(slow, rule="steady", right=[], needed=0.6, better="lower").ok)

    def test_few_runs_do_not_tell_how_steady_they_are(self):
        verdict = judge(results_of(us={1: [10]}), rule="steady", right=[], needed=0.7)
        self.assertEqual((None, "1 runs are too few to tell"), (verdict.ok, verdict.measured))

    def test_some_sizes_only_and_more_up_to_one(self):
        results = results_of(us={1024: [1], 2048: [3], 4096: [1.5]},
                             them={1024: [2], 2048: [1], 4096: [1]})
        self.assertTrue(judge(results, needed=1.0, sizes="2K:4K").ok)
        self.assertFalse(judge(results, needed=1.0).ok)
        raised = {"size": 2048, "ratio": 2.5}
        self.assertTrue(judge(results, needed=1.0, sizes="2K:4K", needed_to=raised).ok)
        raised = {"size": 4096, "ratio": 2.5}
        self.assertFalse(judge(results, needed=1.0, sizes="2K:4K", needed_to=raised).ok)

    def test_runs_that_followed_each_other(self):
        # The machine is slow in the first and the last run of both: medians would say 0.5.
        results = results_of(us={1: [2, 20, 2]}, them={1: [1, 10, 4]})
        self.assertTrue(judge(results, needed=2, pairs=True).ok)
        self.assertFalse(judge(results, needed=2).ok)


class OtherRules(unittest.TestCase):
    def test_noise(self):
        better = results_of(us={1: [1.0] * 9}, them={1: [1.0] * 9})
        worse = results_of(us={1: [0.9] * 8 + [1.5]}, them={1: [1.0] * 9})
        unclear = results_of(us={1: [0.9] * 5 + [1.1] * 4}, them={1: [1.0] * 9})
        self.assertTrue(judge(better, rule="noise").ok)
        self.assertFalse(judge(worse, rule="noise").ok)
        self.assertTrue(judge(unclear, rule="noise").ok)

    def test_no_more_holds_for_every_run(self):
        results = results_of(us={1: [1, 1, 2]}, them={1: [2, 2, 2]})
        self.assertTrue(judge(results, rule="no more").ok)
        results = results_of(us={1: [1, 1, 3]}, them={1: [2, 2, 2]})
        self.assertFalse(judge(results, rule="no more").ok)

    def test_least_of_all(self):
        results = results_of(us={1: [1.2], 2: [1.4]}, them={1: [1.1], 2: [1.3]})
        claim = {"rule": "least", "right": ["us", "them"]}
        self.assertTrue(judge(results, needed=1.1, **claim).ok)
        self.assertFalse(judge(results, needed=1.2, **claim).ok)


class Failures(unittest.TestCase):
    def test_nothing_is_no_success(self):
        self.assertFalse(judge(results_of(), needed=1).ok)
        self.assertIsNone(judge(None, needed=1).ok)
        self.assertFalse(judge(results_of(us={1: [1]}), needed=1).ok)

    def test_who_has_failed_has_not_won(self):
        for name in ("us", "them"):
            results = results_of(us={1: [9]}, them={1: [1]})
            results.fail(name, "crashed")
            verdict = judge(results, needed=1)
            self.assertFalse(verdict.ok)
            self.assertEqual("crashed", verdict.measured)

    def test_one_of_several_rivals_may_fail(self):
        results = results_of(us={1: [9]}, them={1: [1]})
        results.fail("others", "crashed")
        self.assertTrue(judge(results, needed=2, right=["them", "others"]).ok)


class Running(unittest.TestCase):
    def test_what_claims_name_takes_part_without_the_rest(self):
        options = types.SimpleNamespace(claims_only=True, only=[], reps=1, quick=False)
        case = {"contenders": ["us"], "info": ["them", "others"],
                "claim": [{"left": "us", "right": ["them"]}]}
        self.assertEqual(["us", "them"], [name for name, _ in compare.turns(options, case)])

    def test_what_does_not_end_is_left_behind(self):
        # Its child has the other end of the pipe, and does not hear the signals.
        process = subprocess.Popen(["sh", "-c", "trap '' TERM; echo said; setsid sleep 4 & wait"],
                                   stdout=subprocess.PIPE, text=True)
        begin = time.monotonic()
        while not select.select([process.stdout], [], [], 10)[0]:
            pass
        self.assertEqual("said\n", compare.end(process, 0.4))
        self.assertLess(time.monotonic() - begin, 3.5)
        process.wait()

    def test_a_contender_that_is_none(self):
        run = subprocess.run([sys.executable, HERE / "compare.py", "--only", "typo", "host"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        self.assertEqual((1, "compare.py: no contender 'typo' in these cases\n"),
                         (run.returncode, run.stdout))


class Numbers(unittest.TestCase):
    def test_sizes(self):
        self.assertEqual([65536, 131072, 262144], contest.doubled_sizes("64K:256K"))
        self.assertEqual("64 KiB", contest.size_text(65536))
        self.assertEqual("1000 B", contest.size_text(1000))

    def test_interval_of_the_median(self):
        self.assertEqual((1, 5), contest.median_interval([5, 1, 3]))
        self.assertEqual((2, 8), contest.median_interval([9, 8, 7, 6, 5, 4, 3, 2, 1]))


class Data(unittest.TestCase):
    def test_the_files_of_cases_are_sound(self):
        for name in ("claims.toml", "collectives.toml", "nodes.toml"):
            with self.subTest(name):
                _, cases = contest.load(HERE / name)
                self.assertTrue(cases)


if __name__ == "__main__":
    unittest.main()
