# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""bisect.sh on a made-up repository whose slow commit is known: a branch that is merged, commits that
do not build, noise of 10 %, a change of 20 %. Run by bench/check.sh."""

import importlib.util
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripts")]

import levels  # noqa: E402
import workshop  # noqa: E402
from history import History, HistoryError  # noqa: E402
from search import Answer, NoAnswer, Search  # noqa: E402

NOISE, CHANGE = 0.10, 1.20
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
               **{f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER")
                  for what, text in (("NAME", "nobody"), ("EMAIL", "nobody@example.org"))}}


def git(repo, *words):
    return subprocess.run(["git", "-C", repo, *words], env=ENVIRONMENT, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout.strip()


class Repository:
    """trunk: 18 commits; a branch of 6 leaves after the fifth and is merged after the twelfth."""

    def __init__(self, folder, slow, broken=()):
        self.folder = folder
        self.slow, self.broken = slow, broken
        self.speed, self.commits = 1.0, {}
        git(folder, "init", "--quiet", "--initial-branch=trunk")
        for i in range(6):
            self.commit(f"t{i}")
        git(folder, "checkout", "--quiet", "-b", "side")
        for i in range(6):
            self.commit(f"s{i}")
        side = self.speed
        git(folder, "checkout", "--quiet", "trunk")
        self.speed = CHANGE if slow.startswith("t") and int(slow[1:]) < 6 else 1.0
        for i in range(6, 13):
            self.commit(f"t{i}")
        self.speed = max(self.speed, side)
        git(folder, "merge", "--quiet", "--no-commit", "-X", "ours", "side")
        self.commit("merge")
        for i in range(13, 18):
            self.commit(f"t{i}")

    def commit(self, name):
        if name == self.slow:
            self.speed = CHANGE
        path = pathlib.Path(self.folder)
        (path / "speed").write_text(f"{self.speed}\n", encoding="utf-8")
        (path / name).write_text("", encoding="utf-8")
        (path / "broken").write_text("1\n" if name in self.broken else "0\n", encoding="utf-8")
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--allow-empty", "-m", name)
        self.commits[name] = git(self.folder, "rev-parse", "HEAD")

    def speed_of(self, commit):
        return float(git(self.folder, "show", f"{commit}:speed"))


class MadeUp:
    """A workshop without builds: values are drawn."""

    def __init__(self, repository, seed, drift=0.0):
        self.repository, self.random, self.drift = repository, random.Random(seed), drift
        self.known, self.measured = {}, 0
        self.broken = {repository.commits[name] for name in repository.broken}

    def build(self, commit):
        if commit in self.broken:
            raise workshop.Unusable("does not build")

    def measure(self, commit):
        self.build(commit)
        if commit not in self.known:
            self.known[commit] = self.repository.speed_of(commit)
        self.measured += 1
        level = math.exp(self.drift * math.sin(self.measured / 40.0))
        return self.known[commit] * level * math.exp(self.random.gauss(0.0, NOISE))

    @staticmethod
    def recorded():
        return []

    def record(self, values):
        pass


def find(repository, seed, **more):
    options = types.SimpleNamespace(least=0.05, runs=60, wrong=0.001)
    history = History(repository.folder, repository.commits["t0"], repository.commits["t17"])
    return Search(history, MadeUp(repository, seed, **more), options, lambda text: None).run()


class Searching(unittest.TestCase):
    def check(self, slow, broken=(), seeds=range(1), expected=None, **more):
        with tempfile.TemporaryDirectory() as folder:
            repository = Repository(folder, slow, broken)
            wanted = {repository.commits[name] for name in expected or [slow]}
            for seed in seeds:
                with self.subTest(slow=slow, seed=seed):
                    answer = find(repository, seed, **more)
                    self.assertEqual(wanted, set(answer.first))
                    self.assertLess(answer.wrong, 0.01)

    def test_twenty_of_twenty(self):
        self.check("t9", seeds=range(20))

    def test_on_the_branch(self):
        self.check("s3", seeds=range(3))

    def test_before_the_branch_and_right_after_the_good_end(self):
        self.check("t1", seeds=range(3))

    def test_the_merge_itself(self):
        self.check("merge", seeds=range(3))

    def test_the_bad_end_itself(self):
        self.check("t17", seeds=range(3))

    def test_commits_that_do_not_build_are_stepped_over(self):
        self.check("t9", broken=("t3", "t6", "t11", "s2", "t14"), seeds=range(3))

    def test_what_could_not_be_judged_may_be_it(self):
        self.check("t9", broken=("t8", "t9"), expected=("t8", "t9", "t10"))

    def test_a_machine_that_changes_its_speed(self):
        self.check("t9", seeds=range(3), drift=0.3)

    def test_more_rounds_than_runs_are_known_from_before(self):
        with tempfile.TemporaryDirectory() as folder:
            repository = Repository(folder, "t9")
            history = History(folder, repository.commits["t0"], repository.commits["t17"])
            options = types.SimpleNamespace(least=0.05, runs=8, wrong=0.001)
            search = Search(history, MadeUp(repository, 1), options, lambda text: None)
            commit, rounds = repository.commits["t12"], [(1.0, CHANGE, CHANGE)] * 40
            search.rounds[commit] = list(rounds)
            for good, bad, _ in rounds:
                search.ends.add(good, bad)
            self.assertEqual(levels.BAD, search.judge(commit, 3))
            self.assertEqual(43, len(search.rounds[commit]))

    def test_ends_that_do_not_differ(self):
        with tempfile.TemporaryDirectory() as folder:
            repository = Repository(folder, "none")
            with self.assertRaisesRegex(NoAnswer, "do not surely differ by more than 5.0%"):
                find(repository, 1)

    def test_an_end_that_does_not_build(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(NoAnswer, r"\(t17\) does not build"):
                find(Repository(folder, "t9", broken=("t17",)), 1)


class Levels(unittest.TestCase):
    def ends(self, noise, seed=1):
        ends, draw = levels.Ends(), random.Random(seed)
        for _ in range(20):
            ends.add(math.exp(draw.gauss(0.0, noise)), 1.2 * math.exp(draw.gauss(0.0, noise)))
        return ends

    def test_one_wild_value_decides_nothing(self):
        rounds = [(1.0, 1.2, 1000.0)]
        self.assertEqual(levels.UNDECIDED, levels.side(rounds * levels.FEWEST + rounds,
                                                       self.ends(0.3), 1e-9))
        self.assertLessEqual(levels.evidence(rounds, self.ends(0.01)), levels.MOST_PER_ROUND)

    def test_equal_to_an_end_without_noise(self):
        ends = self.ends(0.0)
        self.assertEqual(levels.GOOD, levels.side([(2.0, 2.4, 2.0)] * 4, ends, 1e-3))
        self.assertEqual(levels.BAD, levels.side([(2.0, 2.4, 2.4)] * 4, ends, 1e-3))

    def test_what_becomes_less_is_a_difference_as_well(self):
        ends = levels.Ends()
        for _ in range(levels.FEWEST_ENDS):
            ends.add(1.2, 1.0)
        self.assertTrue(ends.differ(0.05))
        self.assertEqual(levels.BAD, levels.side([(1.2, 1.0, 1.0)] * 4, ends, 1e-3))

    def test_decisions_are_as_sure_as_they_say(self):
        draw, wrong = random.Random(3), 0
        ends = self.ends(0.1)
        for _ in range(400):
            rounds = []
            while levels.side(rounds, ends, 0.02) == levels.UNDECIDED:
                rounds.append([level * math.exp(draw.gauss(0.0, 0.1)) for level in (1.0, 1.2, 1.0)])
            wrong += levels.side(rounds, ends, 0.02) == levels.BAD
        self.assertLessEqual(wrong, 16)  # 8 are promised


class Values(unittest.TestCase):
    def test_the_last_number_or_what_the_pattern_says(self):
        self.assertEqual(2.5e-3, workshop.last_number("# 4 ranks\n17 1.5\n17 2.5e-3 us\n", None))
        self.assertEqual(1.5, workshop.last_number("17 1.5\n18 9\n", r"^17 ([0-9.]+)"))
        self.assertIsNone(workshop.last_number("nothing", None))
        self.assertIsNone(workshop.last_number("rate: fast", r"rate: (\w+)"))


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
class Pictures(unittest.TestCase):
    def test_commits_that_are_no_suspects_any_more(self):
        import picture
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "repo"))
            commits = Repository(os.path.join(folder, "repo"), "t9").commits
            history = History(os.path.join(folder, "repo"), commits["t5"], commits["t17"])
            search = types.SimpleNamespace(
                history=history, ends=types.SimpleNamespace(difference=lambda: CHANGE),
                rounds={commits[name]: [(1.0, CHANGE, 1.0)] * 3 for name in ("t2", "t9")},
                verdict={}, reasons={})
            path = os.path.join(folder, "bisect.png")
            picture.draw(search, Answer([commits["t9"]], 0.001), path)
            self.assertTrue(os.path.exists(path))


class Builds(unittest.TestCase):
    def workshop(self, folder, build):
        return workshop.Workshop(types.SimpleNamespace(
            repo=os.path.join(folder, "repo"), out=os.path.join(folder, "out"), build=build,
            case="cat made", value=None, limit=60.0, build_limit=60.0))

    def test_a_folder_for_each_command_and_another_try_of_what_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "repo"))
            commit = Repository(os.path.join(folder, "repo"), "t9").commits["t3"]
            for value in ("1", "2"):
                build = f'echo {value} >>"$BISECT_BUILD/made"'
                for _ in range(2):
                    self.assertEqual(float(value), self.workshop(folder, build).measure(commit))
            mark = os.path.join(folder, "mark")
            flaky = f'test -e {mark} && echo 3 >"$BISECT_BUILD/made"'
            with self.assertRaisesRegex(workshop.Unusable, "does not build"):
                self.workshop(folder, flaky).measure(commit)
            pathlib.Path(mark).touch()
            self.assertEqual(3.0, self.workshop(folder, flaky).measure(commit))

    def test_what_is_ended_may_clean_up(self):
        with tempfile.TemporaryDirectory() as folder:
            log, cleaned = (os.path.join(folder, name) for name in ("log", "cleaned"))
            command = (f"bash -c 'trap \"sleep 0.3; touch {cleaned}; exit\" TERM; "
                       "while :; do sleep 0.05; done' & wait")
            self.assertIn("took longer",
                          workshop.run(command, folder, dict(os.environ), log, 2.0))
            self.assertTrue(os.path.exists(cleaned))


class CommandLine(unittest.TestCase):
    """The whole program, with processes, an interruption, and mistakes."""

    BUILD = 'test "$(cat broken)" = 0 && cp speed "$BISECT_BUILD/" && touch "$BISECT_BUILD/x"'
    CASE = ('awk -v seed=$RANDOM$$ "BEGIN { srand(seed); u = rand(); v = rand(); '
            'n = sqrt(-2 * log(u + 1e-9)) * cos(6.2831853 * v); '
            'getline s < \\"speed\\"; print \\"took\\", s * exp(0.03 * n), \\"s\\" }"')

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.repo, self.out = (os.path.join(self.folder.name, name) for name in ("repo", "out"))
        os.mkdir(self.repo)

    def tearDown(self):
        self.folder.cleanup()

    def words(self, **changed):
        options = {"repo": self.repo, "good": "trunk~11", "bad": "trunk", "build": self.BUILD,
                   "case": self.CASE, "out": self.out, **changed}
        return [sys.executable, str(HERE / "command.py"),
                *(word for name, value in options.items() for word in ("--" + name, value))]

    def run_it(self, **changed):
        return subprocess.run(self.words(**changed), stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=120)

    def kept(self):
        """How many rounds."""
        return sum(len(path.read_text().splitlines())
                   for path in pathlib.Path(self.out).glob("values-*.jsonl"))

    def test_interrupted_and_run_again(self):
        Repository(self.repo, "t14", broken=("s5",))
        first = subprocess.Popen(self.words(case="sleep 0.02; " + self.CASE),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while self.kept() <= 2 and time.monotonic() < end:
            time.sleep(0.02)
        first.send_signal(signal.SIGINT)
        self.assertEqual(130, first.wait(timeout=30))
        self.assertGreater(self.kept(), 2)
        run = self.run_it(case="sleep 0.02; " + self.CASE)
        self.assertEqual(0, run.returncode, run.stdout)
        self.assertRegex(run.stdout, r"the first commit with (1[5-9]|2\d)\.\d% more: \w+ \(t14\)")
        self.assertIn("skipped, it does not build", run.stdout)
        again = self.run_it(case="sleep 0.02; " + self.CASE)
        self.assertIn("(t14)", again.stdout)
        self.assertFalse(os.path.exists(os.path.join(self.repo, ".git", "worktrees")))
        self.assertEqual("", git(self.repo, "status", "--porcelain"))

    def test_mistakes(self):
        Repository(self.repo, "t14")
        for changed, status, said in (
                ({"good": "nonsense"}, 2, "--good: \"nonsense\" is no revision of"),
                ({"good": "trunk", "bad": "trunk~3"}, 2, "does not come from"),
                ({"bad": "trunk~11"}, 2, "are the same commit"),
                ({"repo": self.folder.name}, 2, "git rev-parse in"),
                ({"value": "("}, 2, "no regular expression"),
                ({"case": "echo nothing"}, 1, "prints no number above 0"),
                ({"case": "exit 3"}, 1, "does not run: failed (exit 3)"),
                ({"case": "sleep 60 & wait", "limit": "0.3"}, 1, "took longer than 0.3 s"),
                ({"build": "false"}, 1, "does not build: failed (exit 1)")):
            run = self.run_it(**changed)
            self.assertEqual(status, run.returncode, run.stdout)
            self.assertIn(said, run.stdout)


class Histories(unittest.TestCase):
    def test_first_parent_does_not_look_into_merges(self):
        with tempfile.TemporaryDirectory() as folder:
            repository = Repository(folder, "s3")
            good, bad = repository.commits["t0"], repository.commits["t17"]
            self.assertEqual(24, len(History(folder, good, bad).suspects([good], bad)))
            self.assertEqual(18, len(History(folder, good, bad, True).suspects([good], bad)))
            with self.assertRaises(HistoryError):
                History(folder, repository.commits["s3"], repository.commits["t9"])


if __name__ == "__main__":
    unittest.main()
