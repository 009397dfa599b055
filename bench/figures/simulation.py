# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of the simulator of plans (plan_time of the unit tests), for clusters that are larger than
this machine can carry. A group of a figure says with which words the simulator is called
(`simulated`, a list, in the quick version `quick_simulated`), and by which contender's name each of
its algorithms is shown (`curves`; "auto" is the one that is chosen)."""

import csv
import hashlib
import os
import subprocess

LIMIT = 300  # seconds for one call
TOOL = os.path.join("test", "unit", "plan_time")


def calls(group, quick):
    return group.get("quick_simulated" if quick else "simulated", group.get("simulated", []))


class Simulator:
    """bench: the folder bench/ of the build. What it has said is kept in OUT/cache."""

    def __init__(self, bench, out, quick):
        self.tool = os.path.join(os.path.dirname(bench), TOOL)
        self.cache = os.path.join(out, "cache")
        self.quick = quick

    def missing(self):
        """Why there can be no numbers, or None."""
        there = os.access(self.tool, os.X_OK)
        return None if there else f"the simulator of plans ({TOOL} of the build) is not there"

    def _path(self, call):
        digest = hashlib.sha256(call.encode())
        with open(self.tool, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
        return os.path.join(self.cache, f"simulated--{digest.hexdigest()[:16]}.csv")

    def run(self, group, say):
        """All calls of a group that have not been made."""
        for call in [] if self.missing() else calls(group, self.quick):
            path = self._path(call)
            if not os.path.exists(path):
                say(f"simulated: plan_time {call}")
                self._keep(call, path, say)

    def _keep(self, call, path, say):
        try:
            run = subprocess.run([self.tool, "--csv", *call.split()], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 timeout=LIMIT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            say(f"  {error}")
            return
        if run.returncode != 0:
            say(f"  failed: {run.stderr.strip()}")
            return
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(run.stdout)
        os.replace(path + ".new", path)

    def read(self, numbers, description, group):
        """Adds what has been simulated to the numbers, as the only run."""
        for call in [] if self.missing() else calls(group, self.quick):
            try:
                with open(self._path(call), newline="", encoding="utf-8") as file:
                    add(numbers, description, group, csv.DictReader(file))
            except OSError:
                pass
        return numbers


def add(numbers, description, group, lines):
    """Of the lines of plan_time --csv: a size, or a number of hosts, and ms for each algorithm."""
    for line in lines:
        if not line["milliseconds"]:
            continue  # its plans were too large
        x = int(line["hosts" if group.get("x") == "hosts" else "bytes"])
        names = [line["row"]] + (["auto"] if line["chosen"] == "1" else [])
        for name in names:
            contender = group["curves"].get(name)
            if contender in description.contenders:
                numbers.add(contender, x, "time", 0, float(line["milliseconds"]))
