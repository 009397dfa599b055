# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""How compare.py shows the results of its cases: tables, CSV files."""

import csv
import os

import contest


def number_text(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 100 else \
        f"{value:.2f}"


def print_grid(heads, rows):
    """Columns as wide as needed; heads may have several lines."""
    split = [head.split("\n") for head in heads]
    height = max(len(lines) for lines in split)
    split = [[""] * (height - len(lines)) + lines for lines in split]
    widths = [max([len(line) for line in lines] + [len(row[i]) for row in rows])
              for i, lines in enumerate(split)]
    for k in range(height):
        print("  ".join(lines[k].rjust(w) if i else lines[k].ljust(w)
                        for i, (lines, w) in enumerate(zip(split, widths))).rstrip())
    print("  ".join("-" * w for w in widths))
    for row in rows:
        print("  ".join(cell.rjust(w) if i else cell.ljust(w)
                        for i, (cell, w) in enumerate(zip(row, widths))).rstrip())


# What these count instead of bytes.
COUNTING = {"part_parrived": "", "part_setup": "", "pcoll_setup": "partitions: "}


def print_columns(case, results, names, labels):
    """Several columns of the programs: a grid for each size, or one for a single contender."""
    columns = case.get("show", [])
    columns = columns if case["column"] in columns else [case["column"]] + columns

    def place(size):
        unit = COUNTING.get(case["program"])
        return contest.size_text(size) if unit is None else f"{unit}{size}"

    def row(name, size):
        return [number_text(results.median(name, size, column)) for column in columns]

    if len(names) == 1:
        print_grid([labels[names[0]]] + columns,
                   [[place(size)] + row(names[0], size) for size in results.sizes()])
        return
    for size in results.sizes():
        print_grid([f"at {place(size)}"] + columns, [[labels[n]] + row(n, size) for n in names])


def print_case(contenders, case, results, cluster):
    names = [n for n in case["contenders"] + case.get("info", [])
             if n in results.values or n in results.failures]
    labels = {n: contenders[n]["label"] for n in names}
    print(f"\n{results.title or case['title']}")
    if len(results.sizes()) == 1 or "show" in case:
        print_columns(case, results, names, labels)
    else:
        heads = ["size"] + [labels[n].replace(", ", ",\n").replace(" (", "\n(") for n in names]
        rows = [[contest.size_text(s)] +
                [number_text(results.median(n, s, case["column"])) for n in names]
                for s in results.sizes()]
        if "wire" in case:
            heads.append("the wire\nallows")
            for size, row in zip(results.sizes(), rows):
                row.append(number_text(cluster.wire_ms(case["wire"], size)))
        print_grid(heads, rows)
    for name, reason in results.failures.items():
        print(f"  {labels[name]}: {reason}")


def write_csv(options, cases, contenders, all_results, verdicts):
    with open(os.path.join(options.out, "numbers.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["case", "contender", "label", "size", "column", "median", "runs"])
        for case in cases:
            results = all_results.get(case["name"])
            for name, by_size in (results.values if results else {}).items():
                for size, columns in sorted(by_size.items()):
                    for column, runs in columns.items():
                        writer.writerow([case["name"], name, contenders[name]["label"], size,
                                         column, results.median(name, size, column),
                                         " ".join(f"{r:g}" for r in runs)])
    with open(os.path.join(options.out, "claims.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["case", "claim", "needed", "measured", "ok"])
        for v in verdicts:
            writer.writerow([v.case, v.says, v.needed, v.measured, verdict_text(v)])


def verdict_text(verdict):
    return {True: "yes", False: "NO", None: "-"}[verdict.ok]
