#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Says in one sentence what the results of the demonstration show."""

import argparse
import json
import os
import sys

import contest


def load(out, case):
    try:
        with open(os.path.join(out, f"{case}.json"), encoding="utf-8") as file:
            return contest.Results.from_json(json.load(file))
    except OSError:
        return None


def times(value):
    return f"{value:.2f} times" if value < 10 else f"{value:.0f} times"


def rate(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def cluster_sentence(out, wire):
    bandwidth = load(out, "bandwidth")
    size = bandwidth.sizes()[-1]
    four, one = (bandwidth.median(name, size, "median") for name in ("ucx-4", "ucx-1"))
    if four is None or one is None:
        return None
    # The smallest size from which on no size falls short.
    full = []
    for s in reversed(bandwidth.sizes()):
        if (bandwidth.median("ucx-4", s, "median") or 0.0) < 0.95 * wire:
            break
        full = [s]
    text = (f"at {contest.size_text(size)} part/ucx moved {rate(four)} MB/s over 4 paths, "
            f"{times(four / one)} what it moved over one ({rate(one)}) and "
            f"{100.0 * four / wire:.0f} % of the wire")
    if full:
        text += f", which it fills from {contest.size_text(full[0])} on"
    persist_1, persist_4 = (bandwidth.median(name, size, "median")
                            for name in ("persist-tcp1", "persist-tcp4"))
    if persist_1 is not None and persist_4 is not None:
        text += (f"; stock part/persist moved {rate(persist_1)} over one path, and "
                 f"{rate(persist_4)} over four")
    early = load(out, "early")
    if early is not None and early.sizes():
        at = early.sizes()[-1]
        ours, theirs = (early.median(n, at, "perceived") for n in ("ucx-4", "isend-rails4"))
        if ours is not None and theirs is not None:
            text += (f"; and with one thread of 8 late by 80 ms it finished as if at {rate(ours)} "
                     f"MB/s, where MPI_Isend with four rails reached {rate(theirs)}, because the "
                     "other partitions had already travelled")
    return text


def host_sentence(out):
    host = load(out, "host")
    parts = []
    for size in (65536, host.sizes()[-1]):
        ours, persist, isend = (host.median(n, size, "median")
                                for n in ("ucx-host", "persist-sm", "isend-sm"))
        if None in (ours, persist, isend):
            return None
        parts.append(f"at {contest.size_text(size)} {rate(ours)} MB/s, {times(ours / persist)} "
                     f"part/persist and {times(ours / isend)} a single MPI_Isend")
    return "on one host, where there are no network paths, part/ucx moved " + "; ".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="folder with the results of compare.py")
    parser.add_argument("--wire", type=float, default=125.0, help="MB/s of all paths together")
    options = parser.parse_args()
    where = "bandwidth" if load(options.out, "bandwidth") is not None else "host"
    if load(options.out, where) is None or not load(options.out, where).sizes():
        sys.exit("summary.py: there are no results to sum up")
    sentence = (cluster_sentence(options.out, options.wire) if where == "bandwidth"
                else host_sentence(options.out))
    if sentence is None:
        sys.exit("summary.py: part/ucx gave no numbers, so there is nothing to compare")
    print(f"Seen: {sentence}.")


if __name__ == "__main__":
    main()
