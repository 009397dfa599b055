# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what repairs slow defaults in the form that a library reads: coll/tuned's file of rules,
coll/pschedule's tuning file, or a file of MCA parameters."""

import math
import os

# coll/tuned's numbers of collectives, and how it counts the bytes of a call that moves so many per
# rank: in Open MPI 5.
COLLECTIVES = {"allgather": (0, lambda size, ranks: size * ranks),
               "allreduce": (2, lambda size, ranks: size),
               "alltoall": (3, lambda size, ranks: size),
               "bcast": (7, lambda size, ranks: size),
               "gather": (9, lambda size, ranks: size),
               "reduce_scatter": (13, lambda size, ranks: size * ranks),
               "scatter": (15, lambda size, ranks: size)}
# What a setting for everything must gain, as a mean over all that was tried with it.
HELPS = 1.05


def choose(findings, of):
    """{operation: [(smallest, largest, rule)]}: at each size what repairs most; neighbouring sizes
    with the same rule put together. of(attempt): its rule, or None."""
    best = {}
    for finding in findings:
        rule = of(finding.attempt) if finding.operation in COLLECTIVES else None
        for size, factor in finding.ratios.items() if rule else ():
            key = (finding.operation, size)
            if key not in best or factor > best[key][0]:
                best[key] = (factor, rule)
    chosen = {}
    for operation, size in sorted(best):
        rule, lines = best[(operation, size)][1], chosen.setdefault(operation, [])
        if lines and lines[-1][2] == rule:
            lines[-1] = (lines[-1][0], size, rule)
        else:
            lines.append((size, size, rule))
    return chosen


def _write(path, lines):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(path + ".new", path)


class Tuned:
    """coll/tuned: algorithms of blocking collectives."""

    name = "tuned"

    @staticmethod
    def choose(findings, _results):
        return choose([finding for finding in findings if finding.form == "blocking"],
                      lambda attempt: attempt.rule)

    @staticmethod
    def covers(chosen, finding):
        return finding.form == "blocking" and finding.operation in chosen

    @staticmethod
    def _thresholds(lines, step):
        """(size, algorithm, segment) from which each holds; 0: coll/tuned's own choice again."""
        found = [] if lines[0][0] <= 1 else [(0, 0, 0)]
        for i, (low, high, rule) in enumerate(lines):
            found.append((0 if low <= 1 else low, rule["algorithm"], rule["segment"]))
            after = high * step
            if i + 1 == len(lines) or lines[i + 1][0] > after:
                found.append((after, 0, 0))
        return found

    @staticmethod
    def write(path, chosen, place, step):
        """For communicators of as many ranks as the place has."""
        text = [f"{len(chosen)} # collectives"]
        for operation in sorted(chosen, key=lambda name: COLLECTIVES[name][0]):
            number, scale = COLLECTIVES[operation]
            thresholds = Tuned._thresholds(chosen[operation], step)
            text += [f"{number} # {operation}", "1 # size of communicators",
                     f"{place.ranks} # ranks", f"{len(thresholds)} # sizes"]
            text += [f"{scale(size, place.ranks)} {algorithm} 0 {segment}"
                     for size, algorithm, segment in thresholds]
        _write(path, text)

    @staticmethod
    def settings(path, _chosen):
        """The MCA variables with which Open MPI reads the file."""
        return {"coll": "^han,pschedule", "coll_tuned_use_dynamic_rules": "1",
                "coll_tuned_dynamic_rules_filename": path}


class Pschedule:
    """coll/pschedule: algorithms of its collectives."""

    name = "pschedule"

    @staticmethod
    def choose(findings, _results):
        return choose(findings, lambda attempt: attempt.algorithm)

    @staticmethod
    def covers(chosen, finding):
        return finding.operation in chosen

    @staticmethod
    def write(path, chosen, place, _step):
        """For communicators of as many ranks and hosts as the place has."""
        lines = ["version = 1"]
        for operation in sorted(chosen):
            # Of the whole where a result is shared out.
            shared = operation == "reduce_scatter"
            collective, times = (f"{operation}_block", place.ranks) if shared else (operation, 1)
            lines += [f"{collective} = {rule} ranks {place.ranks} hosts {place.hosts} "
                      f"bytes {low * times}-{high * times}"
                      for low, high, rule in chosen[operation]]
        _write(path, lines)

    @staticmethod
    def settings(path, _chosen):
        return {"coll_pschedule_tuning_file": path}


class Parameters:
    """MCA variables that hold for all that a job does. What gains here may lose there: those only
    that gain in the mean of all that was tried with them."""

    name = "parameters"

    @staticmethod
    def _mean_gain(results, finding):
        attempt = finding.attempt
        base = results.of(finding.place, attempt.base.name)
        gains = [math.log(base[key].time / series.time)
                 for key, series in results.of(finding.place, attempt.name).items()
                 if key in base]
        return math.exp(sum(gains) / len(gains)) if gains else 1.0

    @staticmethod
    def choose(findings, results):
        """{variable: value}; of several values the one that repairs most."""
        chosen = {}
        for finding in sorted(findings, key=lambda one: one.most):
            attempt = finding.attempt
            if (not attempt.rule and not attempt.algorithm and not attempt.own_env
                    and Parameters._mean_gain(results, finding) >= HELPS):
                chosen.update(attempt.own_mca)
        return chosen

    @staticmethod
    def covers(chosen, finding):
        own = finding.attempt.own_mca
        return bool(own) and all(chosen.get(name) == value for name, value in own.items())

    @staticmethod
    def write(path, chosen, _place, _step):
        _write(path, [f"{name} = {value}" for name, value in sorted(chosen.items())])

    @staticmethod
    def settings(path, chosen):
        """None: the file's value counts, which a command line would win over."""
        return {**{name: None for name in chosen}, "mca_base_param_files": path}


KINDS = (Tuned, Pschedule, Parameters)


def of_base(findings, place, base):
    return [finding for finding in findings
            if finding.place == place.key and finding.attempt.base is base]


def repair(kind, findings, results, place, folder, base_name, step):
    """Writes the file of a kind. (path, settings, what of the findings it repairs), or None."""
    chosen = kind.choose(findings, results)
    covered = [finding for finding in findings if chosen and kind.covers(chosen, finding)]
    path = os.path.join(folder, f"{kind.name}-{base_name}-{place.key}.conf")
    if not covered:
        if os.path.exists(path):  # of an earlier run
            os.unlink(path)
        return None
    kind.write(path, chosen, place, step)
    return path, kind.settings(path, chosen), covered
