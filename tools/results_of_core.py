"""Parts of docs/results.md about the C core: how its time grows, and what its tests notice."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from page_sections import table


def growth_part(record: Any) -> list[str]:
    """The steepest shapes of source, and how many there are."""
    small, large = record["sizes"]
    rows = sorted(record["rows"], key=lambda row: -row["exponent"])
    told = [row for row in rows if not row["refused"]]
    steep = [row for row in rows if row["steep"]]
    lines = [
        f"`make growth`: {len(rows)} rows of shape and command, {small / 1e6:.2f} and {large / 1e6:.2f} MB, CPU",
        "seconds. The exponent is 1 where time grows with the size. Refused are files that are told as too large and",
        f"not analysed: {len(rows) - len(told)} rows at one of the sizes. {len(steep)} rows are above 1.2 and take",
        "more than 0.2 s. The ten steepest of the others:",
        "",
    ]
    chosen = [
        [row["shape"], row["command"], *row["seconds"], row["exponent"], "yes" if row["steep"] else ""] for row in told
    ]
    return lines + table(["shape", "command", "small, s", "large, s", "exponent", "above"], chosen[:10])


def mutants_part(record: Any) -> list[str]:
    """What the tests noticed, by folder, and each mutant that lived."""
    folders: dict[str, Counter[str]] = defaultdict(Counter)
    for row in record["rows"]:
        for name in ("/".join(row["path"].split("/")[:2]), "**total**"):
            folders[name][row["verdict"]] += 1
    rows: list[list[object]] = []
    for name in sorted(folders, key=lambda folder: (folder == "**total**", folder)):
        counts = folders[name]
        tried = counts["noticed"] + counts["lived"]
        share = f"{100 * counts['noticed'] / tried:.0f} %" if tried else "-"
        rows.append([name, tried, counts["noticed"], share, counts["not asked"], counts["no program"]])
    lines = [
        f"`make mutants N={len(record['rows'])} SEED={record['seed']}`: places of the C sources that were changed",
        "by chance, one at a time, and whether the tests of the core fail. Not asked are functions in which nothing",
        "can be noticed (tools/mutants_unnoticed.txt).",
        "",
    ]
    lines += table(["folder", "mutants", "noticed", "share", "not asked", "do not build"], rows)
    lived = [row for row in record["rows"] if row["verdict"] == "lived"]
    return lines + ["Not noticed:", "", *(f"- {one_line(row)}" for row in lived), ""]


def one_line(row: dict[str, Any]) -> str:
    change = f"{row['before']} -> {row['after']}".replace("\n", " ").replace("`", "'")
    return (
        f"`{row['path']}:{row['line']}` in `{row['function']}`, {row['operator']}: `{' '.join(change.split())[:100]}`"
    )
