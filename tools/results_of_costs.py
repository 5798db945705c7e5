"""Parts of docs/results.md about the time that tracing and compiling take."""

from __future__ import annotations

import statistics
from typing import Any

from page_sections import shortened, table


def calls_part(record: Any) -> list[str]:
    """What the first calls of models cost, of all together and of those that cost more than without mends."""
    rows = [row for row in record["models"] if "again" in row]
    whole = {kind: [sum(row[kind]["seconds"]) for row in rows] for kind in ("plain", "mended", "again")}
    lines = [
        f"`make bench-calls`, backend {record['backend']}: the time of the processor for the first {record['calls']}",
        f"calls of each of the {len(rows)} models that break, tracing and compiling included, in a process of its own;",
        "small models with random weights, four sets of inputs in turn. `graphmend run` has an empty cache, and in the",
        "next run what the first one has found out. The noise of a single ratio is some 10 %.",
        "",
    ]
    names = {"plain": "plain", "mended": "graphmend run", "again": "the next run"}
    counts = []
    for kind, name in names.items():
        ratios = [seconds / plain for seconds, plain in zip(whole[kind], whole["plain"])]
        below = [sum(ratio <= limit for ratio in ratios) for limit in (1.0, 1.1)]
        counts.append([name, f"{sum(whole[kind]):.0f} s", *(below if kind != "plain" else ["", ""])])
    lines += table(["", "all models", "not above plain", "at most 1.1 of plain"], counts)
    slower = []
    for row, plain, mended, again in zip(rows, *whole.values()):
        if mended > 1.1 * plain:
            slower.append([row["model"], f"{plain:.2f}", f"{mended / plain:.2f}", f"{again / plain:.2f}"])
    slower.sort(key=lambda cells: -float(cells[2]))
    if slower:
        lines += [
            "Above 1.1:",
            "",
            *table(["model", "plain, s", "graphmend run / plain", "the next run / plain"], slower),
        ]
    refused = [[row["model"], shortened(row["refused"])] for row in record["models"] if "refused" in row]
    return lines + (["Not measured:", "", *table(["model", "why"], refused)] if refused else [])


def fifty_part(record: Any) -> list[str]:
    """What fifty calls with changing shapes cost, in all and from the 20th on, and the programs above 1.2 of plain."""
    rows = [row for row in record["programs"] if "mended" in row]
    ratios = [ratio_of(row, 0) for row in rows]
    later = [ratio_of(row, 20) for row in rows]
    wrong = [
        row["program"]
        for row in rows
        if min(row["mended"]["differ"], default=50) < min(row["plain"]["differ"], default=50)
    ]
    lines = [
        f"`make bench-fifty`, backend {record['backend']}: seconds of the processor for 50 calls, compiling included,",
        f"of the {len(rows)} programs that break plain, each call with data and a shape of its own. Mended",
        f"to plain: median {statistics.median(ratios):.2f}, {sum(ratio > 1.2 for ratio in ratios)} above 1.2; calls 20",
        f"to 50 alone: median {statistics.median(later):.2f}, {sum(ratio > 1.2 for ratio in later)} above 1.2 (a call",
        "takes a few milliseconds there). Results that are not eager's, before a plain one is not:",
        f"{', '.join(wrong) or 'none'}.",
        "",
    ]
    dear = sorted((row for row in rows if ratio_of(row, 0) > 1.2), key=lambda row: -ratio_of(row, 0))
    cells = []
    for row in dear:
        seconds = [f"{sum(row[kind]['seconds']):.1f}" for kind in ("plain", "mended")]
        graphs = [row[kind]["graphs"] for kind in ("plain", "mended")]
        cells.append([row["program"], *seconds, f"{ratio_of(row, 0):.2f}", f"{ratio_of(row, 20):.2f}", *graphs])
    headings = ["program", "plain, s", "mended, s", "ratio", "calls 20 to 50", "graphs, plain", "graphs, mended"]
    return lines + (["Above 1.2:", "", *table(headings, cells)] if cells else [])


def ratio_of(row: Any, first: int) -> float:
    """Mended to plain, from a call on."""
    plain, mended = (sum(row[kind]["seconds"][first:]) for kind in ("plain", "mended"))
    return mended / max(plain, 1e-9)


def first_runs_part(record: Any) -> list[str]:
    """What the first and the second run of training scripts cost."""
    rows = []
    for row in record["rows"]:
        cold, warm = (row[f"mended {state}"] / row[f"plain {state}"] for state in ("cold", "warm"))
        seconds = [f"{row[f'{way} {state}']:.1f}" for state in ("cold", "warm") for way in ("plain", "mended")]
        rows.append([row["training"], *seconds[:2], f"{cold:.2f}", *seconds[2:], f"{warm:.2f}"])
    cold, warm = (statistics.median(float(row[column]) for row in rows) for column in (3, 6))
    lines = [
        "`make bench-first`: seconds of the processor for whole training scripts (`tests/verify/training`), inductor,",
        "one thread: plain and under `graphmend run`, with empty caches and again with what the first run has kept.",
        f"Medians of the ratios: {cold:.2f} cold, {warm:.2f} warm.",
        "",
    ]
    headings = ["training", "plain, cold", "mended, cold", "ratio", "plain, warm", "mended, warm", "ratio"]
    return lines + table(headings, rows)


def attempts_part(record: Any) -> list[str]:
    """What a transformer's calls cost, by the number of its layers and by what each layer does with data."""
    names = ("plain", "mended", "again")
    rows = [[row["layers"], row["kind"], *(f"{row[name]:.2f}" for name in names)] for row in record["rows"]]
    lines = [
        f"`make bench-attempts`: seconds of the processor for {record['calls']} calls with other data each, backward",
        'included, backend "eager", one thread. In `costly` each layer decides on data, and a side is too dear to run',
        "for nothing: nearly every call takes a path of its own. `again` is a second process, with what the first has",
        "found out.",
        "",
    ]
    return lines + table(["layers", "each layer", "plain", "graphmend run", "again"], rows)
