# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of the simulator of plans, for clusters that are larger than this machine can carry.

It writes OUT/simulated/NAME.csv, where NAME is what a group of a figure calls `simulated`: a line
"contender,x,ms" for each algorithm and size (or number of hosts). The group's `curves` says which
contender of the file is shown with the colour and the label of which contender of the figures.
Without the file the group is empty, and the report says so."""

import csv
import os


def path_of(group, folder):
    return os.path.join(folder, "simulated", group["simulated"] + ".csv")


def read(numbers, description, group, folder):
    """Adds what the file has to the numbers, as the only run."""
    try:
        with open(path_of(group, folder), newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                name = group["curves"].get(line["contender"])
                if name in description.contenders:
                    numbers.add(name, int(line["x"]), "time", 0, float(line["ms"]))
    except (OSError, ValueError, KeyError, TypeError):
        return numbers
    return numbers
