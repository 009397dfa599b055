#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on virtual hosts whose cables are pulled and plugged in meanwhile. bench/outages.sh is how it
is called."""

import argparse
import csv
import json
import os
import re
import statistics
import sys
import time
import types

import compare
import contest
import gpt2
import gpt2_results
import outage_results
import tables
from clusters import ClusterError, Clusters, Shape
from outage_links import Outage, Timetable, every
from turn import WrongUse, interruptible, lock

NETWORK = Shape(2, 4, 250)
OUTAGES = [Outage(4, 14, [(1, "h1")], "a cable, one end"),
           Outage(24, 34, [(2, None)], "a path, both ends"),
           Outage(44, 54, [(1, "h0"), (3, "h1")], "two paths")]
OURS = "ucx-4-failover"
CONTENDERS = [OURS, "isend-tcp4", "isend-rails4"]
AFTER = 10  # seconds of the stream after the last outage
# What mpirun may take besides, and what a stream that stands still may take to go on.
PATIENCE = 40
LAUNCH = 4  # what mpirun mostly takes

TRAINERS = Shape(4, 4, 250)
TRAINING = "inplace-4"
TRAINING_ARGS = "--config 1M --batch 2 --context 64 --threads 1 --seed 1"
PERIOD, FIRST, LENGTH = 20, 5, 8
TRAINING_SECONDS, QUICK_TRAINING_SECONDS = 62, 20
say = compare.say


def outages_of(options):
    return OUTAGES[:1] if options.quick else OUTAGES


def stream_case(options):
    seconds = outages_of(options)[-1].back + AFTER
    return {"name": "bandwidth", "where": "cluster", "program": "p2p/part_stream", "np": 2,
            "args": f"-m 8M -p 32 -c --seconds {seconds}", "limit": seconds + PATIENCE,
            "reps": 3, "quick_reps": 1}


def stream_began(path):
    rows = compare.read_rows(path)
    return rows[0]["clock"] - rows[0]["time"] if rows else None


def run_stream(options, contender, case):
    runner = compare.Runner(options)
    try:
        with Timetable(lambda: stream_began(runner.csv_path), outages_of(options)) as timetable:
            rows, _, reason = runner.run(case, contender, None)
    finally:
        runner.close()
    return {"rows": [[row["time"], row["bandwidth"]] for row in rows], "reason": reason,
            "spans": timetable.spans()}


def run_streams(options, contenders, results, clusters):
    case = stream_case(options) | {"contenders": CONTENDERS}
    everything = results["bandwidth"] = {}
    os.environ["VCLUSTER_NAME"] = clusters.use(NETWORK)
    order = compare.turns(options, case)
    for done, (name, _) in enumerate(order):
        left = (len(order) - done) * (case["limit"] - PATIENCE + LAUNCH) + training_left(options)
        say(f"[bandwidth {done + 1}/{len(order)}, about {left:.0f} s left] "
            f"{contenders[name]['label']}")
        run = run_stream(options, contenders[name], case)
        if run["reason"]:
            say(f"  {run['reason']}: see runs.log in {options.out}")
        everything.setdefault(name, []).append(run)
        save(options, results)


def training_seconds(options):
    return QUICK_TRAINING_SECONDS if options.quick else TRAINING_SECONDS


def training_left(options):
    """Both trainings, and the short one before."""
    return 2.3 * training_seconds(options) if "gpt2" in options.what else 0.0


def trainer_began(path):
    """When the first step is over."""
    return time.monotonic() if gpt2.read_columns(path).get("step") else None


def train(options, plan, contender, steps, outages):
    """The numbers of a training, what was pulled meanwhile, and how often a path was given up."""
    trainer = gpt2.Trainer(options, plan)
    try:
        with Timetable(lambda: trainer_began(trainer.csv_path), outages) as timetable:
            numbers = trainer.run(contender, TRAINERS.hosts, steps)
    finally:
        trainer.close()
    return numbers | {"pulled": len(timetable.spans()),
                      "lost": len(re.findall(r"path \d+: no way", trainer.output))}


def run_trainings(options, contenders, results, clusters):
    data = gpt2_results.load_data(os.path.join(compare.HERE, "gpt2.toml"))
    plan = types.SimpleNamespace(args=TRAINING_ARGS)
    contender = data["contender"][TRAINING] | {"mca": contenders[OURS]["mca"]}
    training = results["gpt2"] = {}
    os.environ["VCLUSTER_NAME"] = clusters.use(TRAINERS)
    options = argparse.Namespace(**vars(options) | {"bin": os.path.join(options.bin, "gpt2")})
    try:
        say(f"[gpt2, about {training_left(options):.0f} s left] how long does a step take?")
        short = train(options, plan, contender, gpt2.CALIBRATION_STEPS, [])
        step_ms = statistics.median(short["ms"][2:])
        steps = max(10, round(1e3 * training_seconds(options) / step_ms))
        for name, outages in (("plain", []),
                              ("cut", every(PERIOD, FIRST, LENGTH, TRAINERS.paths,
                                            TRAINERS.hosts))):
            say(f"[gpt2] {steps} steps, {'cables are pulled' if outages else 'all cables in'}")
            training[name] = train(options, plan, contender, steps, outages)
            save(options, results)
    except gpt2.RunFailed as failure:
        training["reason"] = str(failure)
        say(f"  {failure}: see runs.log in {options.out}")
        save(options, results)


def save(options, results):
    path = os.path.join(options.out, "outages.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(results, file)
    os.replace(path + ".new", path)


def load(options):
    try:
        with open(os.path.join(options.out, "outages.json"), encoding="utf-8") as file:
            return json.load(file)
    except OSError:
        return {}


def write_rows(options, everything):
    with open(os.path.join(options.out, "bandwidth.csv"), "w", newline="",
              encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["contender", "run", "seconds", "MB/s"])
        for name, runs in everything.items():
            for nth, run in enumerate(runs):
                writer.writerows([name, nth + 1, *row] for row in run["rows"])


def draw(options, contenders, results):
    try:
        import outage_plot  # not everyone has matplotlib
    except ImportError:
        say("outages.sh: no matplotlib, so no picture")
        return
    outage_plot.draw(os.path.join(options.out, "outages.png"), results["bandwidth"], contenders,
                     results["outages"], NETWORK.paths, NETWORK.rate_mbit / 8.0)


def report(options, contenders, results):
    """Returns how many claims do not hold."""
    verdicts = []
    results["outages"] = [Outage(*outage) for outage in results["outages"]]
    if "bandwidth" in results:
        outage_results.print_outages(results["bandwidth"], contenders, results["outages"],
                                     NETWORK.paths)
        verdicts += outage_results.judge_bandwidth(results["bandwidth"].get(OURS, []),
                                                   results["outages"], NETWORK.paths)
        write_rows(options, results["bandwidth"])
        if results["bandwidth"]:
            draw(options, contenders, results)
    if "gpt2" in results:
        outage_results.print_training(results["gpt2"])
        verdicts += outage_results.judge_training(results["gpt2"])
    print()
    tables.print_grid(["claim", "needed", "measured", "ok"],
                      [[v.says, v.needed, v.measured, tables.verdict_text(v)] for v in verdicts])
    say(f"\nall numbers, the picture, and the output of every run: {options.out}")
    return sum(1 for v in verdicts if v.ok is not True)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="outages.sh", description=__doc__, allow_abbrev=False)
    parser.add_argument("what", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--reps", type=int, default=0, metavar="N")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True, metavar="DIR")
    options = parser.parse_args()
    options.what = options.what or ["bandwidth", "gpt2"]
    options.verbose = options.claims_only = False
    options.only = []
    return options


def run(options, contenders, results):
    clusters = Clusters(compare.VCLUSTER)
    open(os.path.join(options.out, "runs.log"), "w", encoding="utf-8").close()
    compare.warn_if_busy()
    results["outages"] = outages_of(options)
    try:
        for what, run_it in (("bandwidth", run_streams), ("gpt2", run_trainings)):
            if what in options.what:
                try:
                    run_it(options, contenders, results, clusters)
                except ClusterError as error:  # its claims do not hold then
                    say(f"outages.sh: {what}: {error}")
    finally:
        clusters.close()


def main():
    interruptible()
    options = parse_arguments()
    contenders = contest.load(os.path.join(compare.HERE, "claims.toml"))[0]
    results = load(options) if options.table else {}
    interrupted = False
    if not options.table:
        held = lock(options.out, "outages.sh")  # to the end
        try:
            run(options, contenders, results)
        except KeyboardInterrupt:
            interrupted = True
            say("\noutages.sh: interrupted; what there is until now:")
    if "outages" not in results:
        sys.exit("outages.sh: nothing was measured")
    failures = report(options, contenders, results)
    return 130 if interrupted else 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except WrongUse as error:
        sys.exit(f"outages.sh: {error}")
