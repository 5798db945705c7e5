"""Parts of docs/results.md about the C core: how its time grows, and what its tests notice."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median
from typing import Any

from page_sections import table


def growth_part(record: Any) -> list[str]:
    """How many shapes of source there are, the steepest, and where the budget ends."""
    rows = record["rows"]
    runs = [run for row in rows for run in row["runs"]]
    judged = sorted((row for row in rows if row["exponent"] is not None), key=lambda row: -row["exponent"])
    refused = [row for row in rows if row["runs"][-1]["refused"]]
    slowest = max(runs, key=lambda run: run["seconds"])
    shapes, short, steep = len({row["shape"] for row in rows}), len(rows) - len(judged), [r for r in rows if r["steep"]]
    lines = [
        f"`make growth`: {shapes} shapes of source under `check`, `fix` and the writer of `run`, up to",
        f"{record['most'] / 1e6:.0f} MB, CPU seconds of one thread. A shape is done at the first size that is refused,",
        "because it is beyond the budget or the limits of the reader, or is no Python:",
        f"{len(refused)} of {len(rows)} rows. The exponent, 1 where time grows with the size, is about what is below,",
        f"over a factor of 16; {short} rows take too little time for one. {len(steep)} rows are above 1.2 and take",
        "more than 0.2 s.",
        f"No file took longer than {slowest['seconds']:.1f} s, refused ones among them, or more than",
        f"{max(run['megabytes'] for run in runs):.0f} MB. The steepest:",
        "",
    ]
    chosen = [[*place(row), row["exponent"], *ends(row), "yes" if row["steep"] else ""] for row in judged[:15]]
    lines += table(["shape", "command", "exponent", "largest, MB", "seconds", "above"], chosen)
    early = [[*place(row), *first_refused(row)] for row in refused if first_refused(row)[0] < 1]
    lines += ["What the budget ends below a megabyte:", ""]
    return lines + table(["shape", "command", "refused at, MB", "seconds"], early)


def fuzz_part(record: Any) -> list[str]:
    """Hours of random inputs, by target."""
    hours = sum(row["seconds"] for row in record.values()) / 3600
    found = sum(row["found"] for row in record.values())
    lines = [
        f"`make fuzz-hours`, under AddressSanitizer and UBSan, in turns of several runs: {hours:.1f} hours of the",
        f"processor, {found} turns in which an input ended a program.",
        "The commits that were fuzzed stand beside each target.",
        "",
    ]
    rows = [
        [
            name,
            f"{row['seconds'] / 3600:.2f}",
            row["executions"],
            row["edges"],
            row["longest"],
            row["found"],
            ", ".join(row["commits"]),
        ]
        for name, row in sorted(record.items())
    ]
    return lines + table(["target", "hours", "executions", "edges", "longest input", "found", "commits"], rows)


def place(row: dict[str, Any]) -> tuple[str, str]:
    return row["shape"], row["command"]


def ends(row: dict[str, Any]) -> tuple[str, str]:
    """The largest size that was analysed, and its seconds."""
    last = [run for run in row["runs"] if not run["refused"]][-1]
    return f"{last['size'] / 1e6:.2f}", f"{last['seconds']:.2f}"


def first_refused(row: dict[str, Any]) -> tuple[float, str]:
    last = row["runs"][-1]
    return round(last["size"] / 1e6, 2), f"{last['seconds']:.2f}"


def folder_of(path: str) -> str:
    """A folder of the core, or of the runtime."""
    parts = path.split("/")
    return "/".join(parts[2:4]) if parts[0] == "python" else "/".join(parts[:2])


def verdicts(rows: list[dict[str, Any]]) -> list[str]:
    """What was noticed, by folder, and each mutant that lived."""
    folders: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for name in (folder_of(row["path"]), "**total**"):
            folders[name][row["verdict"]] += 1
    counted: list[list[object]] = []
    for name in sorted(folders, key=lambda folder: (folder == "**total**", folder)):
        counts = folders[name]
        tried = counts["noticed"] + counts["lived"]
        share = f"{100 * counts['noticed'] / tried:.0f} %" if tried else "-"
        counted.append([name, tried, counts["noticed"], share, counts["not asked"], counts["no program"]])
    lived = [f"- {one_line(row)}" for row in rows if row["verdict"] == "lived"]
    lines = table(["folder", "mutants", "noticed", "share", "not asked", "do not build"], counted)
    return lines + ["Not noticed:" if lived else "All were noticed.", "", *lived, *([""] if lived else [])]


def asked_for(record: Any) -> str:
    only = f" ONLY='{record['only']}'" if record["only"] not in ("", "src/") else ""
    count = f"EACH={record['each']}" if record.get("each") else f"N={len(record['rows'])}"
    return f"{count} SEED={record['seed']}{only}"


def mutants_part(record: Any) -> list[str]:
    """Mutants of the C core."""
    lines = [
        f"`make mutants {asked_for(record)}`: places of the C sources that were changed",
        "by chance, one at a time, and whether one of the tests of the core fails that run the changed statement.",
        "Not asked are functions in which nothing can be noticed (tools/mutants_unnoticed.txt).",
        "",
    ]
    seconds = [row["seconds"] for row in record["rows"] if "seconds" in row]
    limit = f"; one that no test noticed in {record['limit']:.0f} s lives" if "limit" in record else ""
    took = []
    if seconds:
        took = [f"A mutant took {median(seconds):.0f} s in the median and {max(seconds):.0f} s at most{limit}.", ""]
    return lines + took + verdicts(record["rows"])


def runtime_mutants_part(record: Any) -> list[str]:
    """Mutants of the runtime."""
    lines = [
        f"`make mutants-runtime {asked_for(record)}`: places of the modules that decide whether something may be",
        "mended, changed by chance, one at a time, and whether one of the tests of the runtime fails that run the",
        "changed statement.",
        "",
    ]
    if "limit" in record:
        lines += [f"One lives that is not noticed by as many of these tests as end in {record['limit']:.0f} s.", ""]
    return lines + verdicts(record["rows"])


def one_line(row: dict[str, Any]) -> str:
    change = f"{row['before']} -> {row['after']}".replace("\n", " ").replace("`", "'")
    return (
        f"`{row['path']}:{row['line']}` in `{row['function']}`, {row['operator']}: `{' '.join(change.split())[:100]}`"
    )


def training_part(rows: "list[dict[str, Any]]") -> list[str]:
    """Verdicts of verify on small trainings, as they are and under planted mends."""
    right = sum(row["right"] for row in rows)
    lines = [
        "Verdicts of `graphmend verify` under inductor on small trainings (`tests/verify/training/train.py`), as they",
        f"are and with a wrong mend planted into the mended run: {right} of {len(rows)} are right, of 40 that the",
        "command makes. A wrong mend has to end with status 1, a training as it is with status 0.",
        "",
    ]
    kinds = {False: "as it is", True: "wrong mend"}
    told = [
        [row["name"], kinds[row["wrong"]], row["status"], row["says"], "yes" if row["right"] else "NO"] for row in rows
    ]
    return lines + table(["training", "mend", "status", "verify says", "right"], told)
