"""Write docs/packages.md: how far programs on packages are whole, and what is left.

usage: results_of_packages.py MEASURED.json --transcripts TRANSCRIPTS.json --out FILE.md
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import sys
from typing import Any

from page_sections import VERDICTS, table

MACHINE = re.compile(r" at 0x[0-9a-f]+| in file `[^`]*`")  # what differs from machine to machine
ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """# Programs on packages

Programs of `bench/packages`, each a layer, a loss, a metric or a training step of a package as people write it, in the
form of the kit's cases. `make packages KIT=dir` measures them, `make results` writes this page. The table counts
programs; "broke" are those that plain `torch.compile` breaks, and "whole" those of them that are one graph with
graphmend. WRONG, crash and worse have to be 0.
"""


SCRIPTS = "## Training scripts"
ABOUT_SCRIPTS = """
Scripts of `bench/transcripts`, as people write them. Each runs plainly and under `graphmend run`, and both runs have to
print the same. `make transcripts` runs them all. A backend that counts (`counted.py`) compiles their graphs.
"""


def versions(folder: str) -> str:
    """The packages of a family, as they are pinned."""
    lines = (ROOT / "bench" / "packages" / folder / "requirements.txt").read_text(encoding="utf-8").split()
    return ", ".join(line.replace("==", " ") for line in lines)


def unmeasured(programs: list[dict[str, Any]]) -> list[str]:
    """The programs that no run has measured."""
    known = {row["name"] for row in programs}
    paths = sorted((ROOT / "bench" / "packages").glob("*/*.py"))
    names = [path.stem for path in paths if path.stem not in known]
    return ["## Not measured", "", ", ".join(names) + ".", ""] if names else []


def overview(programs: list[dict[str, Any]]) -> list[str]:
    """A row for each package."""
    rows = []
    for family in sorted({row["family"] for row in programs}):
        of = [row for row in programs if row["family"] == family]
        counts = collections.Counter(row["verdict"] for row in of)
        rows.append([family, len(of), sum(row["broke"] for row in of), *(counts.get(name, 0) for name in VERDICTS)])
    counts = collections.Counter(row["verdict"] for row in programs)
    total = [counts.get(name, 0) for name in VERDICTS]
    rows.append(["all", len(programs), sum(row["broke"] for row in programs), *total])
    return table(["package", "programs", "broke", *VERDICTS], rows)


def left(programs: list[dict[str, Any]]) -> list[str]:
    """What still breaks, the first reasons that Dynamo gives, and what people found out (`left.json`)."""
    rows = []
    why = json.loads((ROOT / "bench" / "packages" / "left.json").read_text(encoding="utf-8"))
    for row in programs:
        if row["verdict"] not in ("whole", "clean"):
            reasons = list(dict.fromkeys(MACHINE.sub("", reason.split(". ")[0]) for reason in row["reasons"]))
            breaks = f"{row['plain']['breaks']} to {row['mended']['breaks']}" if "mended" in row else "-"
            rows.append([row["name"], row["verdict"], breaks, "; ".join(reasons[:3]) or "-", why.get(row["name"], "-")])
    return table(["program", "verdict", "breaks", "where graphs end", "why"], rows)


def transcripts(measured: pathlib.Path, page: pathlib.Path) -> list[str]:
    """The section on scripts: from a measurement, or what the page has."""
    if not measured.exists():
        before = page.read_text(encoding="utf-8") if page.exists() else ""
        return [SCRIPTS + before.split(SCRIPTS, 1)[1]] if SCRIPTS in before else []
    rows, texts = [], []
    for row in json.loads(measured.read_text(encoding="utf-8"))["transcripts"]:
        plain, mended = row["plain"], row["mended"]
        same = "same" if plain["output"] == mended["output"] else "DIFFERS"
        rows.append([f"`{row['name']}.py`", plain["graphs"], mended["graphs"], same])
        lines = (*mended["output"].splitlines(), *mended["summary"])
        texts += [f"```console\n$ graphmend run bench/transcripts/{row['name']}.py", *lines, "```", ""]
    note = measured.with_suffix(".commit")
    at = [f"Measured at {note.read_text(encoding='utf-8').strip()}.\n"] if note.exists() else []
    counts = table(["script", "graphs, plain", "graphs, mended", "output"], rows)
    return [SCRIPTS, ABOUT_SCRIPTS, *at, *counts, *texts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=pathlib.Path)
    parser.add_argument("--transcripts", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()
    if not options.measured.exists():
        return 0  # the page stays as it is
    programs = json.loads(options.measured.read_text(encoding="utf-8"))["programs"]
    note = options.measured.with_suffix(".commit")
    measured = f"Measured at {note.read_text(encoding='utf-8').strip()}.\n" if note.exists() else ""
    folders = sorted({row["folder"] for row in programs})
    families = table(["family", "packages"], [[folder, versions(folder)] for folder in folders])
    lines = [
        HEAD,
        measured,
        *families,
        *overview(programs),
        "## What is left",
        "",
        *left(programs),
        *unmeasured(programs),
        *transcripts(options.transcripts, options.out),
    ]
    options.out.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
