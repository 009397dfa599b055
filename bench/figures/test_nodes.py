# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Bounds, placements and claims of the report on hosts with several ranks, from numbers that are
known. Run by bench/check.sh."""

import os
import shlex
import shutil
import sys
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "scripts"))

import libraries  # noqa: E402
import nodes  # noqa: E402
import runner  # noqa: E402
import series  # noqa: E402
import simulation  # noqa: E402
from description import Case, Description  # noqa: E402

ROWS = {"bcast": nodes.Row("bcast", {"says": "bcast, 1 KiB", "operation": "bcast", "size": "1K"})}
CONTENDERS = {"ours-4": {"label": "ours", "ours": True}, "tuned": {"label": "tuned"},
              "han": {"label": "HAN"}, "mpich-rails": {"label": "MPICH", "library": None}}
TITLES = {"block": "block", "round": "round-robin"}


def numbers_of(bound=1.0, **runs):
    """runs: name = times of the only row."""
    numbers = series.Numbers()
    for name, times in runs.items():
        for rep, value in enumerate(times):
            numbers.add(name.replace("_", "-"), 0, "time", rep, value)
            numbers.add(name.replace("_", "-"), 0, "share", rep, bound / value)
    return numbers


def needs(table, **groups):
    judge = nodes.Judge(ROWS, groups, TITLES, CONTENDERS)
    return [(need.here, need.holds) for need in judge.needs("bcast", table)]


class Bounds(unittest.TestCase):
    def bound(self, operation, size, ranks, of="one", rate=100):
        row = nodes.Row("made up", {"says": "", "operation": operation, "size": size, "of": of})
        return row.bound_ms(ranks, 4, rate)

    def test_four_hosts_with_four_ranks(self):
        four = [4, 4, 4, 4]
        self.assertAlmostEqual(251.66, self.bound("allgather", "1M", four), 2)
        self.assertAlmostEqual(251.66, self.bound("allreduce", "8M", four), 2)
        self.assertAlmostEqual(167.77, self.bound("bcast", "8M", four), 2)
        self.assertAlmostEqual(125.83, self.bound("reduce_scatter_block", "8M", four, "all"), 2)
        self.assertAlmostEqual(15.73, self.bound("alltoall", "16K", four), 2)

    def test_other_hosts(self):
        # The host with the fewest ranks gets most; that with the most sends most to the others.
        self.assertEqual(13.0, nodes.busiest_bytes("allgather", 1, [3, 4, 4, 5]))
        self.assertEqual(55.0, nodes.busiest_bytes("alltoall", 1, [3, 4, 4, 5]))
        self.assertEqual(13.0, nodes.busiest_bytes("reduce_scatter_block", 1, [3, 4, 4, 5]))
        self.assertAlmostEqual(146.8, self.bound("alltoall", "1M", [1] * 8), 1)
        self.assertEqual(2 * self.bound("bcast", "1M", [4] * 8),
                         self.bound("bcast", "1M", [4] * 8, rate=50))
        self.assertEqual(0.0, nodes.busiest_bytes("bcast", 1, [8]))


class Places(unittest.TestCase):
    def case(self, **table):
        return Case("made up", {"program": "p", **table}, False, {})

    def test_ranks_of_hosts(self):
        self.assertEqual([4, 4, 3], self.case(np=11).host_ranks(3))
        self.assertEqual([1, 1], self.case(np=2).host_ranks(3))
        self.assertEqual([8, 8], self.case(np=16, per_host=8).host_ranks(2))
        listed = self.case(host_ranks=[3, 4, 5])
        self.assertEqual(([3, 4, 5], 12), (listed.host_ranks(3), listed.np))

    def test_words_for_the_launchers(self):
        listed = self.case(host_ranks=[3, 4], shared=True)
        self.assertEqual(["--host-ranks", "3,4", "--shared"], runner.placement(listed))
        self.assertEqual("h0:3,h1:4", libraries.hydra_hosts(listed, 2))
        self.assertEqual(["--ppn", "2"], runner.placement(self.case(np=4, per_host=2)))
        self.assertEqual("h0,h1", libraries.hydra_hosts(self.case(np=4), 2))

    def test_rows_are_told_by_their_blocks(self):
        case = self.case(np=16, rows=["bcast", "sum"])
        case.add_rows({**ROWS, "sum": nodes.Row("sum", {
            "says": "", "operation": "reduce_scatter_block", "size": "8M", "of": "all"})})
        self.assertTrue(case.args.endswith("--rows bcast:1024,reduce_scatter_block:524288"))


class Descriptions(unittest.TestCase):
    def test_a_folder_with_a_blank(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = os.path.join(folder, "a b", "bench")
            for name in ("figures", "scripts"):
                shutil.copytree(os.path.join(os.path.dirname(HERE), name),
                                os.path.join(bench, name))
            made = Description(os.path.join(bench, "figures", "figures.toml"), False, [])
            case = next(case for case in made.cases.values() if "--data" in case.args)
            words = shlex.split(case.args)
            self.assertEqual(os.path.join(bench, "gpt2", "data", "tinyshakespeare.txt"),
                             words[words.index("--data") + 1])


class Algorithms(unittest.TestCase):
    def test_they_are_told_one_by_one(self):
        said = """# pcoll_rows
[h0:00053] coll/pschedule: allgather of 1024 bytes in 4 partitions on 16 ranks: lanes_tree (least time)
    0   0.1   0.1   0.1  1024  allgather
[h0:00053] coll/pschedule: bcast of 64 bytes in 1 partition on 2 ranks: chain (forced)
"""
        self.assertEqual(["lanes_tree", "chain"], runner.algorithms(said))


class Claims(unittest.TestCase):
    def test_the_best_other_counts(self):
        block = numbers_of(ours_4=[2, 2, 2], tuned=[9, 9, 9], han=[3, 3, 3])
        self.assertEqual([("1.500", "yes")], needs({"against": {"block": 1.5}}, block=block))
        self.assertEqual([("1.500", "no")], needs({"against": {"block": 1.6}}, block=block))

    def test_mpich_may_have_a_claim_of_its_own(self):
        block = numbers_of(ours_4=[2, 2, 2], tuned=[4, 4, 4], mpich_rails=[1, 1, 1])
        self.assertEqual([("0.500", "no")], needs({"against": {"block": 1.0}}, block=block))
        table = {"against": {"block": 1.0}, "against_mpich": 0.4}
        self.assertEqual([("2.000", "yes"), ("0.500", "yes")], needs(table, block=block))

    def test_share_of_the_bound_in_two_placements(self):
        groups = {"block": numbers_of(8, ours_4=[10, 10, 10]),
                  "round": numbers_of(8, ours_4=[16, 16, 16])}
        table = {"bound": 0.75, "bound_at": ["block", "round"]}
        self.assertEqual(["yes", "no"], [holds for _, holds in needs(table, **groups)])
        table = {"placed": 1.05, "placed_at": ["round"], "placed_base": "block"}
        self.assertEqual([("0.625", "no")], needs(table, **groups))

    def test_steady_needs_some_runs(self):
        table = {"steady": 1.3}
        self.assertEqual([("0.500", "no")], needs(table, block=numbers_of(ours_4=[1, 1, 2])))
        self.assertEqual([("0.833", "yes")], needs(table, block=numbers_of(ours_4=[1, 1, 1.2])))
        self.assertEqual("-", needs(table, block=numbers_of(ours_4=[1, 9]))[0][1])

    def test_what_has_not_run_does_not_hold(self):
        self.assertEqual([], needs({"against": {"block": 1.0}}, block=numbers_of(ours_4=[1])))
        found = needs({"bound": 0.1, "bound_at": ["block"]}, block=numbers_of(tuned=[1]))
        self.assertEqual([("no numbers", "-")], found)
        failed = numbers_of(tuned=[1, 1, 1])
        failed.failures["ours-4"] = ("failed (exit 1)", None)
        self.assertEqual([("failed (exit 1)", "no")],
                         needs({"against": {"block": 1.0}}, block=failed))

    def test_each_of_ours_has_its_own(self):
        numbers = numbers_of(ours_4=[2, 2, 2], tuned=[2, 2, 2])
        table = {"ours": ["ours-4"], "against_of": {"ours-4": {"block": 1.1}}}
        self.assertEqual([("1.000", "no")], needs(table, block=numbers))


class Simulated(unittest.TestCase):
    LINES = [
        {"bytes": "64", "hosts": "8", "row": "ring", "chosen": "0", "milliseconds": "0.5"},
        {"bytes": "64", "hosts": "8", "row": "tree", "chosen": "1", "milliseconds": "0.2"},
        {"bytes": "128", "hosts": "8", "row": "tree", "chosen": "1", "milliseconds": ""}]

    def read(self, **group):
        description = types.SimpleNamespace(contenders=CONTENDERS)
        group = {"curves": {"auto": "ours-4", "ring": "tuned", "tree": "nobody"}, **group}
        numbers = series.Numbers()
        simulation.add(numbers, description, group, self.LINES)
        return numbers

    def test_curves_by_size_and_by_hosts(self):
        numbers = self.read()
        self.assertEqual(0.2, numbers.median("ours-4", 64, "time"))
        self.assertEqual(0.5, numbers.median("tuned", 64, "time"))
        self.assertEqual({"ours-4", "tuned"}, set(numbers.values))
        self.assertEqual([64], numbers.places())
        self.assertEqual([8], self.read(x="hosts").places())

    def test_a_simulator_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            simulator = simulation.Simulator(os.path.join(folder, "bench"), folder, False)
            self.assertIn("is not there", simulator.missing())
            simulator.run({"simulated": ["x"]}, self.fail)
            numbers = simulator.read(series.Numbers(), None, {"simulated": ["x"]})
        self.assertEqual({}, numbers.values)


class Data(unittest.TestCase):
    def test_the_files_of_figures_are_sound(self):
        for name in ("figures.toml", "nodes.toml"):
            for quick in (False, True):
                with self.subTest(name=name, quick=quick):
                    description = Description(os.path.join(HERE, name), quick, [])
                    self.assertTrue(description.figures)

    def test_what_the_build_does_not_have_is_left_out(self):
        known = {"coll_pschedule_bcast_algorithm": ["auto", "lanes"]}
        description = Description(os.path.join(HERE, "nodes.toml"), False, [], known)
        case = description.cases["bcast-sizes"]
        self.assertIn("bcast-lanes", case.contenders)
        self.assertNotIn("bcast-binomial", case.contenders)
        self.assertIn("no such algorithm", case.skipped["bcast-binomial"])

    def test_every_need_names_groups_and_contenders(self):
        description = Description(os.path.join(HERE, "nodes.toml"), False, [])
        for figure in description.figures:
            keys = {group.get("key") for group in figure["groups"]}
            for table in figure["need"].values():
                named = [*table.get("against", {}), *table.get("bound_at", []),
                         *table.get("placed_at", [])]
                for ours, groups in table.get("against_of", {}).items():
                    self.assertIn(ours, description.contenders)
                    named += groups
                self.assertLessEqual(set(named), keys)


if __name__ == "__main__":
    unittest.main()
