#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""MPI's persistent collectives as programs get them, beside those of Open MPI's other components:
runs pcoll_persistent on this host and on virtual hosts, and ends with tables, a CSV file and a
picture. bench/persistent.sh is how it is called."""

import argparse
import csv
import os
import statistics
import sys

import compare
import contest
from clusters import ClusterError, Clusters, Shape
from turn import WrongUse, interruptible, lock

SIZES = [8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20, 64 << 20]
QUICK_SIZES = [8, 512, 8 << 10, 128 << 10, 2 << 20]
MOST = 64 << 20  # bytes of all blocks of a rank
NEEDED = 0.97
COLLECTIVES = [
    "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall",
    "alltoallv", "alltoallw", "reduce", "allreduce", "reduce_scatter_block", "reduce_scatter",
    "scan", "exscan", "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall",
    "neighbor_alltoallv", "neighbor_alltoallw"]
ONE_BLOCK = ("bcast", "reduce", "allreduce", "scan", "exscan")  # for any number of ranks
say = compare.say


class Place:
    """Where ranks run. Those of virtual hosts share the processors, and so yield."""

    def __init__(self, title, ranks, bind="none", hosts=None, per_host=None):
        self.title = title
        self.ranks = ranks
        self.hosts = hosts
        self.case = {"program": "pcoll_persistent", "np": ranks, "bind": bind, "limit": 1800,
                     "where": "cluster" if hosts else "host"}
        if per_host:
            self.case["per_host"] = per_host

    def contender(self, mode):
        kinds = (["sm"] if self.ranks > (self.hosts or 1) else []) + (["tcp"] if self.hosts else [])
        mca = {"part": "ucx", "pml": "ob1", "coll_pschedule_persistent": mode,
               "btl": ",".join(["self", *kinds])}
        return {"label": self.title, "mca": mca,
                "env": {"UCX_TLS": ",".join(["self", *kinds])} if self.hosts else {}}


PLACES = {
    "host-2": Place("one host, 2 ranks", 2, bind="core"),
    "host-4": Place("one host, 4 ranks", 4),
    "host-8": Place("one host, 8 ranks", 8),
    "8x1": Place("8 hosts with one rank", 8, hosts=8),
    "4x4": Place("4 hosts x 4 ranks, neighbours on a host", 16, hosts=4, per_host=4),
    "4x4-round": Place("4 hosts x 4 ranks, round the hosts", 16, hosts=4),
}


class Measured:
    """The rows of all runs, by place, collective and size."""

    def __init__(self):
        self.rows = {}
        self.status = 0  # 1: not all of it ran; 130: interrupted

    def add(self, place, rows):
        for row in rows:
            self.rows.setdefault((place, row["_program"], row["_size"]), []).append(row)

    def places(self):
        return list(dict.fromkeys(place for place, _, _ in self.rows))

    def sizes(self):
        return sorted({size for _, _, size in self.rows})

    def cell(self, place, collective, size, column):
        """Median of the runs; None: not measured, 0: handed on."""
        rows = self.rows.get((place, collective, size))
        return statistics.median(row[column] for row in rows) if rows else None

    def gains(self, place):
        """{(collective, size): how many times faster} of what is served there."""
        return {(collective, size): self.cell(place, collective, size, "gain")
                for where, collective, size in self.rows
                if where == place and self.cell(place, collective, size, "served")}


def fitting(collectives, size, ranks):
    """Those whose buffers are not too large with blocks of so many bytes."""
    return [name for name in collectives
            if size <= MOST and (name in ONE_BLOCK or size * ranks <= MOST)]


def measure_place(options, runner, name, turn, measured):
    place = PLACES[name]
    for size in QUICK_SIZES if options.quick else SIZES:
        collectives = fitting(options.collectives, size, place.ranks)
        if not collectives:
            continue
        say(f"[{name}, turn {turn + 1} of {options.reps}: {contest.size_text(size)}]")
        # Longer than the burst that a shaped link lets through after it was idle in the turns of
        # others; no longer for what takes long anyway.
        place.case["args"] = (f"--coll {','.join(collectives)} -x 1 -i {3 if options.quick else 5} "
                              f"--batch-ms {1 if size >= 1 << 20 else 30 if options.quick else 100}")
        rows, _, reason = runner.run(place.case, place.contender(options.mode), size)
        measured.add(name, rows)
        if reason is not None:
            say(f"  {reason}: see runs.log in {options.out}")
            measured.status = 1


def run(options):
    measured = Measured()
    runner, clusters = compare.Runner(options), Clusters(compare.VCLUSTER)
    try:
        for name in options.places:
            for turn in range(options.reps):
                if PLACES[name].hosts:
                    shape = Shape(PLACES[name].hosts, 4, options.rate)
                    os.environ["VCLUSTER_NAME"] = clusters.use(shape)
                measure_place(options, runner, name, turn, measured)
    except ClusterError as error:
        say(f"persistent.sh: {error}")
        measured.status = 1
    except KeyboardInterrupt:
        say("\npersistent.sh: interrupted; what there is until now:")
        measured.status = 130
    finally:
        clusters.close()
        runner.close()
    return measured


def cell_text(gain):
    """Of a table: empty where nothing was measured."""
    if gain is None:
        return ""
    text = "-" if gain == 0 else f"{gain:.2f}" if gain < 10 else f"{gain:.1f}"
    return f"**{text}**" if 0 < gain < NEEDED else text


def table_of(place, measured):
    sizes = [contest.size_text(size) for size in measured.sizes()]
    lines = [f"| {PLACES[place].title} | " + " | ".join(sizes) + " |",
             "|---|" + "--:|" * len(sizes)]
    for collective in COLLECTIVES:
        cells = [cell_text(measured.cell(place, collective, size, "gain"))
                 for size in measured.sizes()]
        if any(cells):
            lines.append(f"| {collective} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def claims_of(measured):
    """(what, needed, measured, whether it holds) for each place."""
    claims = []
    for place in measured.places():
        gains = measured.gains(place)
        worst = min(gains, key=gains.get, default=None)
        text = "nothing is served"
        if worst:
            text = (f"{gains[worst]:.3f} ({worst[0]}, {contest.size_text(worst[1])}); median of "
                    f"{len(gains)}: {statistics.median(gains.values()):.2f}")
        claims.append((f"{PLACES[place].title}: the least gain of what is served", NEEDED, text,
                       worst is None or gains[worst] >= NEEDED))
    return claims


def report(options, measured):
    """Prints and writes the tables; returns whether all claims hold."""
    claims = claims_of(measured)
    text = "\n\n".join(
        [f"`coll_pschedule_persistent` {options.mode}. Times faster than Open MPI's persistent "
         "collective; -: handed on to it. Bytes are those of a block."]
        + [table_of(place, measured) for place in measured.places()]
        + ["\n".join(["| claim | needed | measured | holds |", "|---|--:|---|---|"]
                     + [f"| {what} | {needed} | {seen} | {'yes' if holds else 'NO'} |"
                        for what, needed, seen, holds in claims])])
    print(text)
    with open(os.path.join(options.out, "persistent.md"), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return all(holds for _, _, _, holds in claims)


COLUMNS = ("served", "persistent", "others", "blocking", "gain", "over-blocking")


def write_csv(options, measured):
    with open(os.path.join(options.out, "persistent.csv"), "w", newline="",
              encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["place", "collective", "bytes", "turn", *COLUMNS])
        for (place, collective, size), rows in measured.rows.items():
            for turn, row in enumerate(rows):
                table.writerow([place, collective, size, turn + 1]
                               + [row[column] for column in COLUMNS])


def draw(options, measured):
    """A map for each place: collectives down, sizes across, the gain as colour and number."""
    try:
        import matplotlib.pyplot as plt  # not everyone has it
        import style
    except ImportError:
        say("persistent.sh: no matplotlib, so no picture")
        return
    places, sizes = measured.places(), measured.sizes()
    rows = [name for name in COLLECTIVES if name in options.collectives]
    across = min(3, len(places))
    down = -(-len(places) // across)
    figure, axes = plt.subplots(down, across, squeeze=False, sharey=True, dpi=style.PICTURE_DPI,
                                figsize=(2.2 + across * (0.7 + 0.45 * len(sizes)),
                                         down * (1.3 + 0.24 * len(rows))))
    figure.subplots_adjust(wspace=0.06, hspace=0.32)
    shown = None
    for panel, place in zip(axes.flat, places):
        shown = style.gain_map(panel, [[measured.cell(place, name, size, "gain")
                                        for size in sizes] for name in rows])
        panel.set_title(PLACES[place].title)
        panel.set_xticks(range(len(sizes)), [contest.size_text(size) for size in sizes],
                         rotation=60, ha="right")
        panel.set_yticks(range(len(rows)), rows)
    for panel in list(axes.flat)[len(places):]:
        panel.axis("off")
    bar = figure.colorbar(shown, ax=axes, fraction=0.03, pad=0.02,
                          label="times faster than Open MPI's persistent collective; empty: handed "
                                "on to it")
    bar.set_ticks([0.25, 0.5, 1, 2, 4], labels=["1/4", "1/2", "1", "2", "4"])
    bar.minorticks_off()
    style.save(figure, os.path.join(options.out, "persistent.png"))


def parse_arguments():
    parser = argparse.ArgumentParser(prog="persistent.sh", description=__doc__,
                                     allow_abbrev=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--mode", choices=["auto", "on"], default="auto")
    parser.add_argument("--rate", type=float, default=100.0, metavar="MBIT")
    parser.add_argument("--coll", default=",".join(COLLECTIVES), metavar="LIST")
    parser.add_argument("--reps", type=int, metavar="N")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("places", nargs="*", metavar="place", default=list(PLACES))
    options = parser.parse_args()
    options.verbose = False
    options.reps = options.reps or (1 if options.quick else 3)
    options.collectives = options.coll.split(",")
    for what, names, known in (("collective", options.collectives, COLLECTIVES),
                               ("place", options.places, PLACES)):
        for name in names:
            if name not in known:
                parser.error(f"no {what} is named \"{name}\"")
    return options


def leave_out_clusters(options):
    """Where there cannot be any, with the reason."""
    reason = Clusters(compare.VCLUSTER).unavailable()
    if reason is not None:
        say(f"persistent.sh: no virtual cluster, so this host only: {reason.splitlines()[0]}")
        options.places = [name for name in options.places if PLACES[name].hosts is None]


def main():
    interruptible()
    options = parse_arguments()
    leave_out_clusters(options)
    try:
        held = lock(options.out, "persistent.sh")
    except WrongUse as error:
        say(f"persistent.sh: {error}")
        return 2
    with held:
        open(os.path.join(options.out, "runs.log"), "w", encoding="utf-8").close()
        compare.warn_if_busy()
        measured = run(options)
        if not measured.rows:
            say("persistent.sh: nothing was measured")
            return measured.status or 1
        holds = report(options, measured)
        write_csv(options, measured)
        draw(options, measured)
    say(f"\nthe tables, all numbers as CSV, the picture, and the output of every run: {options.out}")
    return measured.status or (0 if holds else 1)


if __name__ == "__main__":
    sys.exit(main())
