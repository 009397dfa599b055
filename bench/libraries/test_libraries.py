# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What libraries.sh makes of numbers that are known. Run by bench/check.sh."""

import contextlib
import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "figures"), str(HERE.parent / "scripts")]

import clusters  # noqa: E402
import command  # noqa: E402
import contenders  # noqa: E402
import judge  # noqa: E402
import machine  # noqa: E402
import patience  # noqa: E402
import places  # noqa: E402
import results as numbers  # noqa: E402
import rules  # noqa: E402

KEY = ("bcast", "blocking", 1024)


def row(median):
    return {"iterations": 10.0, "mean": median, "median": median, "p5": 0.9 * median,
            "p95": 1.1 * median, "worst": 2.0 * median}


def results_of(**medians):
    """name: medians of its runs, all at KEY, or {key: medians}."""
    results = numbers.Results()
    for name, values in medians.items():
        results.labels[name] = f"label of {name}"
        for key, runs in (values if isinstance(values, dict) else {KEY: values}).items():
            for median in runs:
                results.add("2x1", name, {key: row(median)})
    return results


def attempt(name, base, rule=None, algorithm=None, **mca):
    return types.SimpleNamespace(name=name, base=types.SimpleNamespace(name=base), rule=rule,
                                 algorithm=algorithm, own_mca=mca, own_env={}, set="something")


def pair(name, base):
    return contenders.Pair(attempt(name, base))


class Rows(unittest.TestCase):
    def test_what_the_program_prints(self):
        text = ("# mpi_compare: 2 ranks\nrow bcast blocking 1024 100 2e-06 1e-06 9e-07 3e-06 1e-05\n"
                "refused bcast partitioned 4\nrow broken\nrow a b c d e f g h i\n")
        rows = numbers.parse(text)
        self.assertEqual([KEY], list(rows))
        self.assertEqual(1e-5, rows[KEY]["worst"])
        self.assertEqual(100.0, rows[KEY]["iterations"])

    def test_what_has_begun(self):
        text = ("# trial latency blocking 1\nrow latency blocking 1 2\n# trial latency blocking 8\n"
                "# trial latency persistent 1\n# trial bcast")
        self.assertEqual([("latency", "blocking"), ("latency", "persistent")],
                         numbers.trials(text))

    def test_why_it_would_not_begin(self):
        self.assertEqual("rank 1: there is no device",
                         numbers.refusal("x\n# cannot: rank 1: there is no device\n"))
        self.assertIsNone(numbers.refusal("# done\n"))

    def test_several_runs(self):
        series = numbers.Series([row(1.0), row(3.0), row(2.0)])
        self.assertEqual((2.0, 1.0), (series.time, series.spread()))
        self.assertEqual((1.8, 6.0), (series.summary()["p5"], series.summary()["worst"]))

    def test_rounds_that_pay_for_others(self):
        bursts = dict(row(1.0), mean=4.0)  # the median does not show what the fourth one takes
        self.assertEqual(4.0, numbers.Series([bursts]).time)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            results_of(a=[1.0, 2.0]).write(path)
            again = numbers.Results.read(folder)
            self.assertEqual([1.0, 2.0], again.of("2x1", "a")[KEY].column("median"))
            for text, said in (("{", "no file of results"), ('{"version": 7}', "another version"),
                               ("[]", "another version")):
                pathlib.Path(path).write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(numbers.ResultsError, said):
                    numbers.Results.read(path)
            with self.assertRaisesRegex(numbers.ResultsError, "No such file"):
                numbers.Results.read(os.path.join(folder, "nothing"))


class Judging(unittest.TestCase):
    def test_winner(self):
        results = results_of(a=[2.0, 2.0, 2.0], b=[1.0, 1.0, 1.0], c=[3.0, 3.0, 3.0])
        won = judge.winner(results, "2x1", ["a", "b", "c"], "bcast", 1024, ("blocking",))
        self.assertEqual(("b", 2.0, True), (won.contender, won.factor, won.sure))
        self.assertIsNone(judge.winner(results, "2x1", ["a"], "bcast", 1, ("blocking",)))

    def test_a_winner_in_some_runs_only_is_not_sure(self):
        results = results_of(a=[2.0, 1.0, 2.0], b=[1.0, 1.5, 1.0])
        won = judge.winner(results, "2x1", ["a", "b"], "bcast", 1024, ("blocking",))
        self.assertEqual(("b", False), (won.contender, won.sure))

    def test_a_winner_must_beat_all_others_surely(self):
        results = results_of(a=[1.0, 1.0, 1.0], b=[1.2, 1.2, 1.2], c=[9.0, 0.9, 9.0])
        won = judge.winner(results, "2x1", ["a", "b", "c"], "bcast", 1024, ("blocking",))
        self.assertEqual(("a", False), (won.contender, won.sure))

    def test_runs_of_the_same_turn_belong_together(self):
        results = numbers.Results()
        for name, turns in (("slow", {0: 2.0, 1: 20.0, 2: 2.0}), ("fast", {1: 10.0, 2: 1.0})):
            for turn, median in turns.items():
                results.add("2x1", name, {KEY: row(median)}, turn)
        with tempfile.TemporaryDirectory() as folder:
            results.write(os.path.join(folder, "results.json"))
            results = numbers.Results.read(folder)
        self.assertEqual([2.0, 2.0], judge.ratios(*(results.of("2x1", name)[KEY]
                                                    for name in ("slow", "fast"))))

    def test_slow_defaults(self):
        sizes = {("bcast", "blocking", 2 ** i): [6.0] * 3 for i in range(6)}
        fast = {key: [1.0 if key[2] >= 8 else 6.0] * 3 for key in sizes}
        results = results_of(base=sizes, better=fast, worse={key: [9.0] * 3 for key in sizes})
        found = judge.slow_defaults(results, "2x1", [pair("better", "base"),
                                                     pair("worse", "base")])
        self.assertEqual([("better", (8, 32), 6.0)],
                         [(f.attempt.name, f.sizes(), f.most) for f in found])

    def test_noise_is_no_slow_default(self):
        noise = random.Random(1)

        def drawn():
            return {("bcast", "blocking", size): [noise.lognormvariate(0.0, 0.05)
                                                  for _ in range(5)] for size in range(1, 201)}

        results = results_of(base=drawn(), other=drawn())
        self.assertEqual([], judge.slow_defaults(results, "2x1", [pair("other", "base")]))

    def test_one_run_makes_a_suspect_only(self):
        results = results_of(base=[2.0, 2.1, 1.9], better=[1.0], same=[1.9])
        pairs = [pair("better", "base"), pair("same", "base")]
        self.assertEqual([("better", 2.0)], [(f.attempt.name, f.most) for f in
                                             judge.suspects(results, "2x1", pairs)])
        self.assertEqual([], judge.slow_defaults(results, "2x1", pairs))

    def test_two_turns_that_do_not_agree_end_it(self):
        for fast, agrees in (([1.0], True), ([1.0, 1.9], True), ([1.0, 2.1], False), ([], False)):
            results = results_of(slow=[2.0, 2.0], fast=fast)
            self.assertEqual(agrees, judge.agree_so_far(results, "2x1", pair("fast", "slow")))

    def test_became_slower(self):
        old, new = results_of(a=[1.0, 1.1, 1.05]), results_of(a=[1.3, 1.2, 1.25])
        self.assertEqual(([(1.25 / 1.05, "2x1", "a", KEY)], 1), judge.became_slower(old, new))
        self.assertEqual(([], 1), judge.became_slower(new, old))
        self.assertEqual(([], 1), judge.became_slower(old, results_of(a=[1.3, 1.2, 1.1])))
        self.assertEqual(([], 0), judge.became_slower(old, results_of(a=[1.3, 1.3])))
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertTrue(command.tell_slower(old, results_of(b=[1.0, 1.0, 1.0])))
            self.assertTrue(command.tell_slower(old, new))
            self.assertFalse(command.tell_slower(new, old))
        self.assertIn("nothing could be compared", said.getvalue())

    def test_what_varies(self):
        results = results_of(a={KEY: [1.0, 1.3], ("bcast", "blocking", 1): [1.0, 1.1]})
        self.assertEqual([KEY], [key for _, key in judge.varying(results, "2x1", "a")])


class Rules(unittest.TestCase):
    PIPELINE, TREE = {"algorithm": 3, "segment": 131072}, {"algorithm": 6, "segment": 0}
    PLACE = types.SimpleNamespace(ranks=8, hosts=2, key="2x4")

    @staticmethod
    def finding(operation, ratios, form="blocking", **of_attempt):
        found = judge.Finding(attempt("try", "base", **of_attempt), "2x1", operation, form)
        found.ratios = ratios
        return found

    @staticmethod
    def written(kind, chosen, step=2):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rules")
            kind.write(path, chosen, Rules.PLACE, step)
            return pathlib.Path(path).read_text(encoding="utf-8").splitlines()

    def test_the_best_at_each_size(self):
        chosen = rules.Tuned.choose(
            [self.finding("bcast", {64: 2.0, 128: 3.0, 256: 3.0}, rule=self.PIPELINE),
             self.finding("bcast", {32: 1.5, 64: 4.0}, rule=self.TREE),
             self.finding("bcast", {64: 9.0}, "persistent", rule=self.PIPELINE),
             self.finding("allreduce", {4: 9.0}),
             self.finding("latency", {4: 9.0}, rule=self.TREE)], None)
        self.assertEqual({"bcast": [(32, 64, self.TREE), (128, 256, self.PIPELINE)]}, chosen)

    def test_file_of_tuned(self):
        lines = self.written(rules.Tuned, {"bcast": [(32, 64, self.TREE),
                                                     (512, 1024, self.PIPELINE)],
                                           "allgather": [(1, 16, self.TREE)]})
        self.assertEqual(["2", "0", "1", "8", "2", "0 6 0 0", "256 0 0 0",
                          "7", "1", "8", "5", "0 0 0 0", "32 6 0 0", "128 0 0 0",
                          "512 3 0 131072", "2048 0 0 0"],
                         [line.partition(" #")[0] for line in lines])

    def test_file_of_pschedule(self):
        chosen = rules.Pschedule.choose(
            [self.finding("allreduce", {64: 2.0, 128: 3.0}, "partitioned", algorithm="ring"),
             self.finding("reduce_scatter", {8: 2.0}, "partitioned", algorithm="direct")], None)
        self.assertEqual(["version = 1", "allreduce = ring ranks 8 hosts 2 bytes 64-128",
                          "reduce_scatter_block = direct ranks 8 hosts 2 bytes 64-64"],
                         self.written(rules.Pschedule, chosen))

    def test_parameters_that_gain_on_the_whole(self):
        rows = {("bcast", "blocking", size): [4.0] for size in (1, 2)}
        gains = self.finding("bcast", {1: 2.0}, links="2")
        loses = self.finding("bcast", {1: 3.0}, limit="9")
        for finding, name in ((gains, "gains"), (loses, "loses")):
            finding.attempt.name = name
        results = results_of(base=rows, gains={key: [2.0] for key in rows},
                             loses={key: [1.0 if key[2] == 1 else 40.0] for key in rows})
        chosen = rules.Parameters.choose([gains, loses], results)
        self.assertEqual({"links": "2"}, chosen)
        self.assertEqual([True, False], [rules.Parameters.covers(chosen, finding)
                                         for finding in (gains, loses)])
        self.assertEqual(["links = 2"], self.written(rules.Parameters, chosen))

    def test_a_file_wins_over_what_the_base_sets(self):
        base = contenders.Contender("a", {"mca": {"coll": "^x", "part": "ucx"}}, "a")
        table = {"mca": rules.Parameters.settings("/f", {"coll": "^y"})}
        self.assertEqual({"part": "ucx", "mca_base_param_files": "/f"},
                         contenders.Contender("b", table, "b", None, base).mca)

    def test_no_file_of_an_earlier_run_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tuned-base-2x4.conf")
            for findings in ([self.finding("bcast", {1: 2.0}, rule=self.TREE)], []):
                rules.repair(rules.Tuned, findings, None, self.PLACE, folder, "base", 2)
                self.assertEqual(bool(findings), os.path.exists(path))

    def test_nothing_to_repair_with(self):
        self.assertIsNone(rules.repair(rules.Tuned, [self.finding("bcast", {1: 2.0})], None,
                                       self.PLACE, "/nowhere", "base", 2))


class Running(unittest.TestCase):
    def options(self, **changed):
        values = {"sizes": (1, 1 << 20), "step": 4, "operations": ("bcast", "latency"),
                  "forms": contenders.FORMS, "warmup": 1, "iterations": 2, "large_iterations": 3,
                  "budget": 0.5, "longest": 2.0, "memory": 9, "partitions": 4, "buffers": "host"}
        return types.SimpleNamespace(**{**values, **changed})

    def test_the_file_of_settings_is_sound(self):
        everyone, tries = contenders.load(HERE / "libraries.toml", [])
        self.assertEqual({"package", "openmpi"}, {one.name for one in everyone})
        for one in everyone + tries:
            with self.subTest(one.label):
                self.assertIsNotNone(one.words(self.options(
                    sizes=(1, 64 << 20), operations=[*rules.COLLECTIVES, "barrier", "latency",
                                                     "bandwidth", "bidirectional"])))
        self.assertTrue(all(one.base in everyone and one.set for one in tries))
        names = [one.name for one in everyone + tries]
        self.assertEqual(len(names), len(set(names)))

    def test_sizes_of_tries_are_sizes_of_their_base(self):
        table = {"sizes": "64K:64M", "operations": ["bcast"]}
        words = contenders.Contender("a", table, "a").words(self.options(sizes=(3, 1 << 20)))
        self.assertEqual(str(3 * 4 ** 8), words[words.index("--smallest") + 1])
        self.assertIsNone(contenders.Contender("a", table, "a").words(self.options(sizes=(1, 8))))
        self.assertIsNone(contenders.Contender("a", {"operations": ["gather"]}, "a").words(
            self.options()))

    def test_settings_are_tried_where_virtual_hosts_are_most(self):
        shape = clusters.Shape(4, 4, 100)
        real = [places.Place(hosts, 1, None, ["a", "b", "c"]) for hosts in (2, 3)]
        made = [places.Place(hosts, ppn, shape) for hosts in (2, 4) for ppn in (1, 4)]
        self.assertEqual(real, places.to_try(real))
        self.assertEqual(made[2:], places.to_try(made))
        self.assertEqual([], places.to_try([]))

    def test_looking_again_at_the_rows_of_findings(self):
        base = contenders.Contender("a", {"mca": {"x": "1"}}, "A")
        tried = contenders.Contender("a+0", {"mca": {"y": "2"}, "operations": ["bcast"]}, "A, y",
                                     None, base)
        finding = judge.Finding(tried, "2x1", "bcast", "blocking")
        finding.ratios = {64: 2.0, 1024: 3.0}
        twice = contenders.Pair(tried, [finding])
        self.assertEqual(["a/beside-a+0", "a+0/again"], [one.name for one in twice.both])
        self.assertEqual([{"x": "1"}, {"x": "1", "y": "2"}], [one.mca for one in twice.both])
        for one in twice.both:
            words = one.words(self.options())
            self.assertEqual(["bcast", "blocking", "64", "1024"],
                             [words[words.index(f"--{name}") + 1] for name in
                              ("operations", "forms", "smallest", "largest")])
        self.assertIs(tried, twice.attempt)

    def test_a_run_that_hangs_is_ended_by_what_others_took(self):
        patient, many, one = patience.Patience(), ["--operations", "a,b,c,d"], ["--operations", "a"]
        self.assertEqual(patience.LIMIT, patient.limit("2x1", None, one))
        patient.learn("2x1", None, many, 80.0)
        patient.learn("2x1", None, one, 10.0)
        self.assertEqual(15 + 5 * 20, patient.limit("2x1", None, one))
        self.assertEqual(15 + 5 * 80, patient.limit("2x1", None, many))
        self.assertEqual(patience.LIMIT, patient.limit("4x1", None, one))
        patient.learn("4x1", "mpich", one, 1000.0)
        self.assertEqual(patience.LIMIT, patient.limit("4x1", "mpich", one))

    def test_commands(self):
        own = contenders.Contender("a", {"mca": {"part": "ucx"}, "env": {"X": "1"}}, "a")
        place = places.Place(2, 3, None, ["n1", "n2", "n3"])
        self.assertEqual(["mpirun", "--host", "n1:3,n2:3", "--map-by", "ppr:3:node:OVERSUBSCRIBE",
                          "--mca", "part", "ucx", "-x", "X", "prog"],
                         place.command(own, ["prog"]))
        slurm = places.Place(2, 3, None, ["n1", "n2"], "srun")
        self.assertEqual(["srun", "-N", "2", "-n", "6", "--ntasks-per-node=3",
                          "--nodelist=n1,n2", "--mpi=pmix", "prog"], slurm.command(own, ["prog"]))
        full = slurm.environment(own, None)
        self.assertEqual(("ucx", "1"), (full["OMPI_MCA_part"], full["X"]))
        self.assertNotIn("OMPI_MCA_part", place.environment(own, None))
        hydra = types.SimpleNamespace(hydra=True, mpiexec="/m/bin/mpiexec", version="MPICH 5")
        mpich = contenders.Contender("m", {}, "m", hydra)
        self.assertEqual(["/m/bin/mpiexec", "-hosts", "n1:3,n2:3", "-n", "6", "prog"],
                         place.command(mpich, ["prog"]))

    def test_counts(self):
        self.assertEqual([[1], [1, 2], [1, 2, 3], [1, 2, 4], [1, 2, 4, 6]],
                         [places.counts_up_to(most) for most in (1, 2, 3, 4, 6)])

    def test_host_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hosts")
            pathlib.Path(path).write_text("# ours\nn1 slots=4\n\n  n2 # second\n",
                                          encoding="utf-8")
            self.assertEqual(["n1", "n2"], places.read_hosts(path))
            pathlib.Path(path).write_text("# none\n", encoding="utf-8")
            with self.assertRaisesRegex(places.PlaceError, "names no host"):
                places.read_hosts(path)
            with self.assertRaisesRegex(places.PlaceError, "cannot be read"):
                places.read_hosts(path + "x")


class MadeUp(command.Measuring):
    """Measures nothing: at a trial of `crashing` the program ends, having printed what it has."""

    def __init__(self, folder, crashing, trials=True, against=None):
        options = command.parse_arguments(["--bin", folder, "--out", folder, "--hosts", "x",
                                           *(["--against", against] if against else [])])
        facts = types.SimpleNamespace(hardware={}, software={}, commit="", versions=dict,
                                      source_state=lambda program: "")
        super().__init__(options, None, facts)
        self.crashing, self.trials, self.parts = crashing, trials, []

    def _execute(self, place, contender, words, command_line, cluster, stem, log):
        operations, forms = (words[words.index(name) + 1].split(",")
                             for name in ("--operations", "--forms"))
        self.parts.append((operations, forms))
        text = ""
        for pair in [(operation, form) for operation in operations for form in forms]:
            text += f"# trial {' '.join(pair)} 1\n" if self.trials else ""
            if pair in self.crashing:
                return text, "failed (exit 139)", 1.0
            text += f"row {' '.join(pair)} 1 10 1 1 1 1 1\n"
        return text + "# done\n", None, 1.0


class Crashes(unittest.TestCase):
    PLACE = places.Place(2, 1, None, ["x", "y"])
    TABLE = {"operations": ["latency", "bcast", "barrier"], "forms": ["blocking", "persistent"]}

    def measured(self, crashing, **more):
        with tempfile.TemporaryDirectory() as folder:
            made = MadeUp(folder, crashing, **more)
            with contextlib.redirect_stderr(io.StringIO()):
                made.run([(self.PLACE, [contenders.Contender("a", self.TABLE, "A")], [0, 1])], "")
            cached = len(os.listdir(os.path.join(folder, "cache")))
        rows = {key[:2]: len(series.runs) for key, series in made.results.of("2x1", "a").items()}
        return rows, [reason for _, _, reason in made.results.failures], cached, made

    def test_one_that_crashes_does_not_take_the_others_along(self):
        crashing = {("bcast", "blocking"), ("barrier", "persistent")}
        rows, failures, cached, made = self.measured(crashing)
        self.assertEqual({("latency", "blocking"): 2, ("latency", "persistent"): 2,
                          ("bcast", "persistent"): 2, ("barrier", "blocking"): 2}, rows)
        self.assertEqual(["bcast blocking: failed (exit 139)",
                          "barrier persistent: failed (exit 139)"], failures)
        self.assertEqual(0, cached)
        # The second turn leaves out what has failed.
        self.assertEqual([(["latency", "barrier"], ["blocking"]),
                          (["latency", "bcast"], ["persistent"])], made.parts[-2:])
        self.assertEqual({}, made.patience.paces)

    def test_all_crash(self):
        everything = {(operation, form) for operation in self.TABLE["operations"]
                      for form in self.TABLE["forms"]}
        rows, failures, _, made = self.measured(everything)
        self.assertEqual(({}, 6, 6), (rows, len(failures), len(made.parts)))

    def test_one_that_does_not_tell_what_it_begins(self):
        rows, failures, _, made = self.measured({("bcast", "blocking")}, trials=False)
        self.assertEqual(({}, ["failed (exit 139)"], 1), (rows, failures, len(made.parts)))
        rows, failures, cached, _ = self.measured(set(), trials=False)
        self.assertEqual((6, [], 2), (len(rows), failures, cached))


class Cache(unittest.TestCase):
    def test_what_makes_it_another_run(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as old:
            results_of(a=[1.0]).write(os.path.join(old, "results.json"))
            rule = os.path.join(folder, "rule")

            def stem(name="n1", against=None):
                contender = contenders.Contender("a", {"mca": {"file": rule}}, "A")
                return MadeUp(folder, set(), against=against)._stem(
                    places.Place(1, 2, None, [name]), contender, [], 0)

            stems = [stem(), stem("n2"), stem(against=old)]
            for text in ("one", "two"):
                pathlib.Path(rule).write_text(text, encoding="utf-8")
                stems.append(stem())
            self.assertEqual(5, len(set(stems)))
            self.assertEqual(stems[-1], stem())

    def test_settings_of_the_environment(self):
        with unittest.mock.patch.dict(os.environ, {"UCX_TLS": "tcp", "X": "1",
                                                   machine.OF_ENV_SH: "x"}):
            found = machine.Machine(str(HERE), [], "/nowhere").versions()["environment"]
        self.assertEqual("tcp", found["UCX_TLS"])
        self.assertFalse({"X", machine.OF_ENV_SH} & set(found))


class Mistakes(unittest.TestCase):
    def test_one_clear_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            hosts, kept = os.path.join(folder, "hosts"), os.path.join(folder, "cache", "kept.json")
            pathlib.Path(hosts).write_text("n1\n", encoding="utf-8")
            os.mkdir(os.path.dirname(kept))
            pathlib.Path(kept).write_text("{}", encoding="utf-8")
            for words, said in ((["--mpi", "x=/nowhere"], "there is no mpicc in /nowhere/bin"),
                                (["--mpi", "x"], "--mpi wants NAME=PREFIX"),
                                (["--hosts", "/nowhere"], "/nowhere cannot be read"),
                                (["--operations", "bcst"], "no \"bcst\"; there are latency"),
                                (["--sizes", "0:4"], "is no range of sizes"),
                                (["--ppn", "x"], "is no list of numbers"),
                                (["--runs", "0"], "are at least 1"),
                                (["--launcher", "srun"], "srun needs --hosts"),
                                (["--hosts", hosts, "--counts", "1", "--ppn", "1"],
                                 "nothing can be run"),
                                (["--hosts", hosts, "--fresh", "--report"],
                                 "would be nothing to report"),
                                (["--hosts", hosts, "--against", folder], "name another --out"),
                                (["--hosts", hosts, "--fresh", "--counts", "2"],
                                 "names 1 hosts")):
                run = subprocess.run([sys.executable, str(HERE / "command.py"), "--bin", folder,
                                      "--out", folder, *words], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                     check=False, timeout=60)
                self.assertEqual(2, run.returncode, run.stdout)
                self.assertIn(said, run.stdout)
                self.assertNotIn("Traceback", run.stdout)
            self.assertTrue(os.path.exists(kept))  # no mistake deletes anything


if __name__ == "__main__":
    unittest.main()
