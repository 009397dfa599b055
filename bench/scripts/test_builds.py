# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What builds.py and rows.py make of numbers that are known: which rows are worse. Run by
bench/check.sh; python3 -m unittest discover -s bench/scripts does, too."""

import contextlib
import io
import math
import os
import pathlib
import random
import tempfile
import types
import unittest
import unittest.mock

import builds
import contest
import rows

HERE = pathlib.Path(__file__).parent
CASE = {"name": "made up", "before": "x before", "after": "x after", "sizes": ["1K"],
        "row": [{"says": "speed at {size}", "column": "speed", "better": "higher"}]}


def case_of(better):
    return {**CASE, "row": [{**CASE["row"][0], "better": better}]}


def results_of(before, after):
    results = contest.Results("made up")
    for name, runs in (("x before", before), ("x after", after)):
        for value in runs:
            results.add(name, [{"_size": 1024, "speed": value}], 1.0)
    return results


def judge(before, after, better="higher", outside=0.05):
    row = rows.rows_of(case_of(better))[0]
    return rows.judge(row, results_of(before, after), outside)


class Rows(unittest.TestCase):
    def test_cells(self):
        cells, word = judge([100.0] * 11, [102.0] * 11)
        self.assertEqual(["speed at 1 KiB", "100.0", "102.0", "1.020", "1.020 to 1.020"], cells)
        self.assertEqual(rows.NOT_WORSE, word)

    def test_less_time_is_better(self):
        self.assertEqual(rows.WORSE, judge([100.0] * 11, [103.0] * 11, "lower")[1])
        cells, word = judge([103.0] * 11, [100.0] * 11, "lower")
        self.assertEqual(("1.030", rows.NOT_WORSE), (cells[3], word))

    def test_runs_that_followed_each_other_are_compared(self):
        # The machine changes its speed; the build after is always 5 % slower.
        before = [10.0, 20.0, 40.0, 10.0, 80.0, 5.0, 10.0, 20.0, 10.0]
        cells, word = judge(before, [0.95 * value for value in before])
        self.assertEqual("0.950", cells[3])
        self.assertEqual(rows.WORSE, word)

    def test_two_percent_are_allowed(self):
        self.assertEqual(rows.NOT_WORSE, judge([100.0] * 11, [98.5] * 11)[1])
        self.assertEqual(rows.WORSE, judge([100.0] * 11, [97.5] * 11)[1])

    def test_one_run_that_differs_leaves_it_open_when_runs_are_few(self):
        self.assertEqual(rows.UNCLEAR, judge([100.0] * 6, [90.0] * 5 + [100.0])[1])
        self.assertEqual(rows.WORSE, judge([100.0] * 20, [90.0] * 19 + [100.0])[1])

    def test_few_runs_are_no_proof(self):
        row = rows.rows_of(CASE)[0]
        few = results_of([100.0] * 5, [90.0] * 5)
        self.assertEqual(rows.LOOKS_WORSE, rows.judge(row, few, 0.05)[1])
        self.assertTrue(rows.is_undecided([row], few, 0.05))
        enough = results_of([100.0] * 6, [90.0] * 6)
        self.assertEqual(rows.WORSE, rows.judge(row, enough, 0.05)[1])
        self.assertFalse(rows.is_undecided([row], enough, 0.05))
        self.assertEqual(rows.SEEMS_FINE, judge([100.0] * 5, [100.0] * 5)[1])
        self.assertFalse(rows.is_bad(rows.LOOKS_WORSE))
        self.assertTrue(rows.is_bad(rows.WORSE))

    def test_failures_are_bad(self):
        row = rows.rows_of(CASE)[0]
        results = results_of([1.0] * 6, [1.0] * 6)
        results.fail("x after", "crashed")
        word = rows.judge(row, results, 0.05)[1]
        self.assertIn("after crashed", word)
        self.assertTrue(rows.is_bad(word))
        self.assertFalse(rows.is_undecided([row], results, 0.05))
        self.assertTrue(rows.is_bad(judge([], [])[1]))
        self.assertEqual(rows.NOT_RUN, rows.judge(row, None, 0.05)[1])

    def test_markdown(self):
        lines = rows.markdown([judge([1.0] * 6, [1.0] * 6)]).splitlines()
        self.assertEqual(3, len(lines))
        self.assertEqual("| speed at 1 KiB | 1.00 | 1.00 | 1.000 | 1.000 to 1.000 | not worse |",
                         lines[2])


class Intervals(unittest.TestCase):
    def test_as_many_values_as_the_range_needs(self):
        for outside in (0.05, 0.0025, 0.001):
            count = contest.values_for_interval(outside)
            self.assertLessEqual(2.0 / 2 ** count, outside)
            self.assertGreater(2.0 / 2 ** (count - 1), outside)

    def test_more_certainty_is_a_wider_interval(self):
        values = list(range(1, 22))
        self.assertEqual((6, 16), contest.median_interval(values))
        self.assertEqual((4, 18), contest.median_interval(values, 0.002))
        self.assertEqual((1, 21), contest.median_interval(values, 1e-6))

    def test_equal_builds_are_called_equal(self):
        """Twenty rows with noise of 30 %: some row may be called worse in one of forty
        comparisons, by the rule's own promise."""
        noise = random.Random(1)
        wrong = 0
        for _ in range(400):
            outside = rows.MOST_WRONG / 20
            words = [rows.verdict([math.exp(noise.gauss(0.0, 0.3)) for _ in range(11)], outside)
                     for _ in range(20)]
            wrong += rows.WORSE in words
        self.assertLessEqual(wrong, 20)

    def test_a_tenth_less_is_noticed(self):
        noise = random.Random(2)
        found = sum(rows.verdict([0.9 * math.exp(noise.gauss(0.0, 0.03)) for _ in range(11)],
                                 rows.MOST_WRONG / 20) == rows.WORSE for _ in range(200))
        self.assertGreater(found, 180)


class Builds(unittest.TestCase):
    def test_the_file_of_cases_is_sound(self):
        settings, cases = builds.load(HERE / "builds.toml")
        for case in cases:
            with self.subTest(case["name"]):
                self.assertIn(case["contender"], settings)
                self.assertTrue(rows.rows_of(case))
                self.assertIn("quick_reps", case)
        everything = sum((rows.rows_of(case) for case in cases), [])
        says = [row.says for row in everything]
        self.assertEqual(len(says), len(set(says)))

    def test_cases_by_name_program_or_place(self):
        _, cases = builds.load(HERE / "builds.toml")
        self.assertEqual(["setup"], [case["name"] for case in builds.choose(cases, ["setup"])])
        self.assertEqual(["latency", "latency-cluster"],
                         [case["name"] for case in builds.choose(cases, ["part_latency"])])
        self.assertEqual(len(cases), len(builds.choose(cases, ["host", "cluster"])))
        with self.assertRaises(builds.WrongUse):
            builds.choose(cases, ["nonsense"])

    def test_no_list_names_either_build(self):
        clean = builds.without({"PATH": "/b/tools:/usr/bin", "LD_LIBRARY_PATH": "/b/lib",
                                "HOME": "/b/home"}, ["/b"])
        self.assertEqual({"PATH": "/usr/bin", "HOME": "/b/home"}, clean)

    def test_a_build_takes_its_own_component(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(builds.WrongUse):
                builds.build_environment("before", folder, dict(os.environ))
            path = pathlib.Path(folder, "env.sh")
            line = "export OMPI_MCA_mca_base_component_path={}/openmpi:SYSTEM_DEFAULT\n"
            path.write_text(line.format(folder), encoding="utf-8")
            made = builds.build_environment("before", folder, dict(os.environ))
            self.assertTrue(made["OMPI_MCA_mca_base_component_path"].startswith(folder))
            path.write_text(line.format("/elsewhere"), encoding="utf-8")
            with self.assertRaises(builds.WrongUse):
                builds.build_environment("before", folder, dict(os.environ))


class Clusters(unittest.TestCase):
    def test_a_cluster_that_cannot_be_made_spoils_its_own_rows_only(self):
        settings, cases = builds.load(HERE / "builds.toml")
        with tempfile.TemporaryDirectory() as folder:
            options = types.SimpleNamespace(quick=True, reps=1, claims_only=False, only=[], later=0,
                                            rate=None, out=folder)
            made = builds.Comparison(options, {name: settings[case["contender"]] for case in cases
                                               for name in case["contenders"]}, cases)
            made.run_case = lambda runner, case, clock: made.results.setdefault(
                case["name"], contest.Results(case["name"]))
            with unittest.mock.patch.object(builds.Clusters, "use",
                                            side_effect=builds.ClusterError("no room")), \
                    contextlib.redirect_stderr(io.StringIO()):
                made.run()
        self.assertEqual({"host": {False}, "cluster": {True}},
                         {where: {bool(made.results[case["name"]].failures) for case in cases
                                  if case["where"] == where} for where in ("host", "cluster")})


if __name__ == "__main__":
    unittest.main()
