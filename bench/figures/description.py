# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads figures.toml or nodes.toml: which networks there are, who is compared in which case, and what the figures
show. Nothing here runs anything."""

import os
import shlex
import tomllib

import contest
import nodes

INHERITED = ("mca", "env", "wrap", "needs", "slow", "mode", "ours")
RULES = ("at least", "at most", "about", None)


def _load(path):
    with open(path, "rb") as file:
        try:
            return tomllib.load(file)
        except tomllib.TOMLDecodeError as error:
            raise contest.DataError(f"{path}: {error}") from error


def _inherit(contenders):
    for name, contender in contenders.items():
        contender["name"] = name
        if "like" in contender:
            if contender["like"] not in contenders:
                raise contest.DataError(f"contender {name}: no contender {contender['like']}")
            model = contenders[contender["like"]]
            for key in INHERITED:
                # Who has arguments of its own is for another program, which has no --mode.
                if key in model and not (key == "mode" and "args" in contender):
                    contender.setdefault(key, model[key])


def _figure(number, table):
    """With groups of cases also where a figure has only one."""
    groups = table.get("group", [{"cases": table.get("cases", []), "title": ""}])
    cases = [name for group in groups for name in group["cases"]]
    return dict(table, number=int(number), groups=groups, cases=cases)


class Case:
    """One program that several contenders run in turn."""

    def __init__(self, name, table, quick, words):
        def pick(key, default=None):
            return table.get(f"quick_{key}" if quick and f"quick_{key}" in table else key, default)

        self.name = name
        self.cluster = table.get("cluster")
        self.program = table["program"]
        self.listed = table.get("host_ranks")  # ranks of each host, or None
        self.per_host = table.get("per_host")  # on each, neighbours together, or None
        self.np = sum(self.listed) if self.listed else table.get("np", 2)
        self.shared = table.get("shared", False)
        self.rows = list(pick("rows", []))
        self.args = pick("args", "").format_map(words)
        self.reps = pick("reps", 1)
        self.seconds = pick("seconds", 10.0)
        self.steps = table.get("steps", False)
        self.limit = table.get("limit_s", 60.0 + 10.0 * self.seconds)
        self.contenders = list(pick("contenders", []))
        self.others = table.get("others", []) if self.contenders else []
        self.may_fail = set(table.get("may_fail", []))
        self.skipped = {}  # contender: why it has no part

    def host_ranks(self, hosts):
        """How many ranks each host has."""
        table = {"np": self.np}
        if self.listed:
            table["host_ranks"] = self.listed
        elif self.per_host:
            table["per_host"] = self.per_host
        return nodes.host_ranks(table, hosts)

    def add_rows(self, rows):
        """What the program is told of the rows that it measures."""
        if self.rows:
            self.args += " --rows " + ",".join(
                f"{rows[name].operation}:{rows[name].block(self.np)}" for name in self.rows)

    def order(self):
        """(rep, contender) in the order in which they run: every other rep backwards."""
        result = []
        for rep in range(self.reps):
            names = self.contenders if rep % 2 == 0 else self.contenders[::-1]
            result += [(rep, name) for name in names]
        return result


class Description:
    """All of a file. Attributes: clusters (tables), contenders (tables), cases, figures (tables in
    the order of their numbers, each with its number under "number")."""

    def __init__(self, path, quick, libraries, algorithms=None):
        """algorithms: {MCA variable: values that this build knows}, or None when nobody knows."""
        data = _load(path)
        self.quick = quick
        self.contenders = {}
        for other in data.get("include", []):
            included = _load(os.path.join(os.path.dirname(path), other))
            self.contenders.update(included.get("contender", {}))
        self.contenders.update(data.get("contender", {}))
        _inherit(self.contenders)
        self.clusters = data.get("cluster", {})
        words = {"bench": shlex.quote(os.path.dirname(os.path.dirname(os.path.abspath(path))))}
        words.update((name, text.format_map(words)) for name, text in
                     data.get("words", {}).items())
        self.report = data["report"]
        self.rows = {name: nodes.Row(name, table) for name, table in data.get("row", {}).items()}
        self.cases = {name: Case(name, table, quick, words)
                      for name, table in data["case"].items()}
        self.figures = [_figure(number, table) for number, table in data["figure"].items()]
        self.figures.sort(key=lambda figure: figure["number"])
        self._add_libraries(data.get("other", {}), libraries)
        self._check()
        for case in self.cases.values():
            case.add_rows(self.rows)
            self._leave_out_unknown(case, algorithms or {})

    def _add_libraries(self, templates, libraries):
        for case in self.cases.values():
            for template in case.others:
                if template not in templates:
                    raise contest.DataError(f"case {case.name}: no other.{template}")
                for library in libraries:
                    self._add_contender(case, template, templates[template], library)

    def _add_contender(self, case, template, table, library):
        name = f"{library.name}-{template}"
        contender = dict(table, name=name, library=library)
        contender["label"] = table["label"].format(name=library.name)
        self.contenders[name] = contender
        reason = library.unfit(table.get("needs_device"))
        if reason:
            case.skipped[name] = reason
        else:
            case.contenders.append(name)

    def _leave_out_unknown(self, case, algorithms):
        """Contenders whose algorithm this build does not have."""
        for name in list(case.contenders):
            for variable, value in self.contenders[name].get("mca", {}).items():
                if value not in algorithms.get(variable, [value]):
                    case.contenders.remove(name)
                    case.skipped[name] = f"this build has no such algorithm ({value})"

    def leave_out_unbuilt(self, folder):
        """Cases whose program is not in this build, for want of a library."""
        for case in self.cases.values():
            if not os.access(os.path.join(folder, case.program), os.X_OK):
                case.skipped.update((name, f"{case.program} has not been built")
                                    for name in case.contenders)
                case.contenders.clear()

    def _check(self):
        for case in self.cases.values():
            if case.cluster is not None and case.cluster not in self.clusters:
                raise contest.DataError(f"case {case.name}: no cluster {case.cluster}")
            for name in case.contenders:
                if name not in self.contenders:
                    raise contest.DataError(f"case {case.name}: no contender {name}")
            for name in case.rows:
                if name not in self.rows:
                    raise contest.DataError(f"case {case.name}: no row {name}")
        for figure in self.figures:
            where = f"figure {figure['number']}"
            for name in figure["cases"]:
                if name not in self.cases:
                    raise contest.DataError(f"{where}: no case {name}")
            for claim in figure.setdefault("claim", []):
                self._check_claim(where, figure, claim)
            for row in figure.setdefault("need", {}):
                if row not in self.rows:
                    raise contest.DataError(f"{where}: no row {row}")

    def _check_claim(self, where, figure, claim):
        if claim.get("rule") not in RULES:
            raise contest.DataError(f"{where}: no rule \"{claim['rule']}\"")
        if not 0 <= claim.setdefault("group", 0) < len(figure["groups"]):
            raise contest.DataError(f"{where}: a claim names a group that there is not")
        for side in ("left", "right"):
            names = claim.get(side, [])
            for name in names if isinstance(names, list) else [names]:
                if name not in self.contenders:
                    raise contest.DataError(f"{where}: no contender {name}")

    def cases_of(self, figures):
        """The cases that these figures need, each once; first those that decide a network."""
        names = []
        for figure in figures:
            for name in figure["cases"]:
                for wanted in self.needed_before(self.cases[name]) + [name]:
                    if wanted not in names:
                        names.append(wanted)
        return [self.cases[name] for name in names]

    def needed_before(self, case):
        """Names of the cases whose results decide how fast the network of this one is."""
        if case.cluster is None or "balance" not in self.clusters[case.cluster]:
            return []
        return [self.clusters[case.cluster]["balance"]["case"]]
