# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Builds revisions, each into folders of its own, and runs the case with them. Builds and values
are kept, so that the same command goes on where another one was interrupted."""

import contextlib
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import time

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


class Unusable(Exception):
    """A revision that does not build, or does not run."""


def last_number(output, pattern):
    """The value in what a case printed: the pattern's first group, where it matches last; without
    a pattern the last number."""
    found = re.findall(pattern or NUMBER, output, re.MULTILINE)
    if not found:
        return None
    text = found[-1] if isinstance(found[-1], str) else found[-1][0]
    try:
        return float(text)
    except ValueError:
        return None


def start(command, folder, environment, output):
    return subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment,
                            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                            start_new_session=True)


def end(process):
    """It and all that it has started, which has ten seconds to end by itself."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        for _ in range(100):
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=10)


def run(command, folder, environment, log, limit):
    """Returns the reason of a failure, or None."""
    with open(log, "wb") as output:
        process = start(command, folder, environment, output)
        try:
            status = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            end(process)
            return f"took longer than {limit:g} s"
        except BaseException:
            end(process)
            raise
    return None if status == 0 else f"failed (exit {status})"


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Workshop:
    """Options: repo, build, case (commands), value (pattern), limit, build_limit (seconds), out."""

    def __init__(self, options):
        self.options = options
        self.builds = os.path.join(options.out, "builds")
        self.logs = os.path.join(options.out, "logs")
        os.makedirs(self.builds, exist_ok=True)
        os.makedirs(self.logs, exist_ok=True)
        # Values of another build or case mean something else.
        facts = json.dumps([options.build, options.case, options.value])
        self.key = hashlib.sha256(facts.encode()).hexdigest()[:12]
        self.values = os.path.join(options.out, f"values-{self.key}.jsonl")

    # ------------------------------------------------------------ builds

    def environment(self, commit):
        folder = self._folder(commit)
        return {**os.environ, "BISECT_COMMIT": commit,
                "BISECT_SOURCE": os.path.join(folder, "source"),
                "BISECT_BUILD": os.path.join(folder, "build")}

    def _folder(self, commit):
        """What another command has built is another build."""
        key = hashlib.sha256(self.options.build.encode()).hexdigest()[:12]
        return os.path.join(self.builds, f"{commit[:16]}-{key}")

    def build(self, commit):
        """What is not built yet; an Unusable when it cannot be. The next command tries again: a
        full disk, say, is no property of a revision."""
        stamp = os.path.join(self._folder(commit), "made")
        if os.path.exists(stamp):
            return
        reason = self._build(commit)
        if reason:
            raise Unusable(f"does not build: {reason}; see {self._log('build', commit)}")
        with open(stamp, "w", encoding="utf-8"):
            pass

    def _build(self, commit):
        environment = self.environment(commit)
        source, log = environment["BISECT_SOURCE"], self._log("build", commit)
        os.makedirs(environment["BISECT_BUILD"], exist_ok=True)
        reason = None
        if not os.path.isdir(os.path.join(source, ".git")):
            # Borrows the objects of the repository, and leaves nothing in it.
            reason = run(shlex.join(["git", "clone", "--quiet", "--shared", "--no-checkout", "--",
                                     self.options.repo, source]),
                         self.builds, environment, log, self.options.build_limit)
        return reason or run(f"git -C \"$BISECT_SOURCE\" checkout --quiet --detach {commit} && "
                             f"cd \"$BISECT_SOURCE\" && {{ {self.options.build}\n}}",
                             self.builds, environment, log, self.options.build_limit)

    def _log(self, what, commit):
        return os.path.join(self.logs, f"{what}-{commit[:16]}.log")

    # ------------------------------------------------------------ values

    def measure(self, commit):
        """One value; an Unusable when there is none, twice in a row."""
        self.build(commit)
        reason = ""
        for _ in range(2):
            value, reason = self._run_case(commit)
            if value is not None:
                return value
        raise Unusable(f"does not run: {reason}; see {self._log('case', commit)}")

    def _run_case(self, commit):
        log = self._log("case", commit)
        environment = self.environment(commit)
        reason = run(self.options.case, environment["BISECT_BUILD"], environment, log,
                     self.options.limit)
        if reason is not None:
            return None, reason
        value = last_number(read_text(log), self.options.value)
        if value is None or value <= 0.0:
            return None, "prints no number above 0"
        return value, None

    def recorded(self):
        """All rounds that were measured before: dictionaries of commits and values."""
        try:
            lines = read_text(self.values).splitlines()
        except OSError:
            return []
        rounds = []
        for line in lines:
            try:
                rounds.append(json.loads(line)["values"])
            except (ValueError, KeyError):
                pass  # the end of a file that was being written
        return rounds

    def record(self, values):
        with open(self.values, "a", encoding="utf-8") as file:
            file.write(json.dumps({"when": time.strftime("%Y-%m-%d %H:%M:%S"),
                                   "values": values}) + "\n")
