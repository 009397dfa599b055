# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Who takes part: each installation with its settings, and what its defaults are tried against."""

import itertools
import tomllib

import contest

FORMS = ("blocking", "persistent", "partitioned")
OWN = "ours"  # the Open MPI of this package


class Contender:
    """library: None for the Open MPI of this package. base: of a try, the contender whose default
    it is tried against."""

    def __init__(self, name, table, label, library=None, base=None):
        self.name = name
        self.kind = table.get("kind")
        self.label = label
        self.library = library
        self.base = base
        self.own_mca, self.own_env = table.get("mca", {}), table.get("env", {})
        # None takes a variable away that the base sets.
        self.mca = {variable: value for variable, value in
                    {**(base.mca if base else {}), **self.own_mca}.items() if value is not None}
        self.env = dict(base.env if base else {}, **self.own_env)
        self.operations = table.get("operations")
        self.forms = table.get("forms")
        self.sizes = contest.size_range(table["sizes"]) if "sizes" in table else None
        self.set = table.get("set")
        self.rule = table.get("rule")
        self.algorithm = table.get("algorithm")

    def narrowed(self, role, findings):
        """Itself, for the rows of findings only. role: makes the name another one."""
        sizes = [size for finding in findings for size in finding.ratios]
        table = {"kind": self.kind, "mca": self.mca, "env": self.env,
                 "operations": sorted({finding.operation for finding in findings}),
                 "forms": sorted({finding.form for finding in findings}),
                 "sizes": f"{max(min(sizes), 1)}:{max(max(sizes), 1)}"}
        return Contender(f"{self.name}/{role}", table, self.label, self.library)

    def facts(self):
        """What its numbers depend on."""
        return {"mca": self.mca, "env": self.env, "operations": self.operations,
                "forms": self.forms, "sizes": self.sizes,
                "library": self.library.state if self.library else OWN}

    def words(self, options):
        """For mpi_compare."""
        low, high = options.sizes
        if self.sizes:
            low, high = max(low, self.sizes[0]), min(high, self.sizes[1])
        operations = [name for name in (self.operations or options.operations)
                      if name in options.operations]
        forms = [name for name in (self.forms or FORMS) if name in options.forms]
        if low > high or not operations or not forms:
            return None
        # From a size that is a power of the step, so that sizes of all contenders meet.
        start = options.sizes[0]
        while start < low:
            start *= options.step
        return ["--operations", ",".join(operations), "--forms", ",".join(forms), "--smallest",
                str(start), "--largest", str(high), "--step", str(options.step), "--warmup",
                str(options.warmup), "--iterations", str(options.iterations),
                "--large-iterations", str(options.large_iterations), "--budget-s",
                f"{options.budget:g}", "--longest-s", f"{options.longest:g}", "--memory",
                str(options.memory), "--partitions", str(options.partitions),
                *(["--buffers", options.buffers] if options.buffers != "host" else [])]


def _value(words, name):
    return words[words.index(name) + 1].split(",")


def pairs_of(words):
    """{(operation, form)} that words for mpi_compare name."""
    return set(itertools.product(_value(words, "--operations"), _value(words, "--forms")))


def rest(words, gone):
    """Words for what is left of a run without these of its pairs: a list for each form."""
    for form in _value(words, "--forms"):
        left = [name for name in _value(words, "--operations") if (name, form) not in gone]
        if left:
            less = list(words)
            less[words.index("--operations") + 1] = ",".join(left)
            less[words.index("--forms") + 1] = form
            yield less


class Pair:
    """A default and what is tried against it, to be run in the same turns. attempt: the latter, as
    libraries.toml has it."""

    def __init__(self, attempt, findings=None):
        self.attempt = attempt
        self.slow, self.fast = attempt.base, attempt
        if findings is not None:
            self.slow = attempt.base.narrowed(f"beside-{attempt.name}", findings)
            self.fast = attempt.narrowed("again", findings)

    @property
    def both(self):
        return [self.slow, self.fast]


def _of_kind(settings, kind):
    return [(name, table) for name, table in settings.items() if table["kind"] == kind]


def load(path, libraries, own_name="Open MPI"):
    """Returns (contenders, tries)."""
    with open(path, "rb") as file:
        data = tomllib.load(file)
    contenders = []
    for kind in ("package", "openmpi"):
        contenders += [Contender(name, table, table["label"].format(name=own_name))
                       for name, table in _of_kind(data["setting"], kind)]
    for library in libraries:
        kind = "mpich" if library.hydra else "openmpi"
        for name, table in _of_kind(data["setting"], kind):
            # Another Open MPI does not know our components.
            plain = {key: value for key, value in table.items() if key != "mca"}
            contenders.append(Contender(f"{library.name}-{name}", plain,
                                        table["label"].format(name=library.name), library))
    tries = [Contender(f"{base.name}+{index}", table, f"{base.label}, {table['set']}",
                       base.library, base)
             for index, table in enumerate(data["try"])
             for base in contenders if base.kind == data["setting"][table["of"]]["kind"]]
    return contenders, tries
