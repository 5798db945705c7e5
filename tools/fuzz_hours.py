"""Fuzz every target in turn for hours of the processor, and add up what ran: `make fuzz-hours [HOURS=8]`.

usage: fuzz_hours.py --hours H --json FILE TARGET=SEEDS...

A turn is 300 seconds of one target; the longest input of a target's turns is 4 KB, 64 KB and 1 MB in rotation. FILE
keeps the sums of all runs, by target: seconds of the processor, executions, edges, inputs that ended a program, and the
commits that were fuzzed. Inputs that end a program lie in build/fuzz/found. The exit status is 1 where there are such.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from measured import commit

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "fuzz"
TURN = 300
LONGEST = (4096, 1 << 16, 1 << 20)
REPORT = re.compile(r"(\d+) executions, (\d+) s of the processor, (\d+) inputs, (\d+) edges")


def turn(target: str, seeds: list[str], longest: int) -> tuple[int, int, int, bool]:
    """Fuzz one target: its executions, seconds of the processor, edges, and whether an input ended the program."""
    corpus = FOLDER / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={TURN}", f"-max_len={longest}", f"-artifact_prefix={FOLDER}/found/{target}-"]
    command = [f"{FOLDER}/fuzz_{target}", *options, f"{corpus}", *seeds]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    reports = REPORT.findall(done.stdout)
    if done.returncode != 0:
        print(done.stdout[-2000:], done.stderr[-8000:], sep="\n", flush=True)
    executions, spent, _, edges = map(int, reports[-1]) if reports else (0, 0, 0, 0)
    return executions, spent, edges, done.returncode != 0


def add(record: dict[str, Any], target: str, longest: int, ran: tuple[int, int, int, bool]) -> None:
    row = record.setdefault(
        target, {"seconds": 0, "executions": 0, "edges": 0, "found": 0, "longest": 0, "commits": []}
    )
    row["executions"] += ran[0]
    row["seconds"] += ran[1]
    row["edges"] = max(row["edges"], ran[2])
    row["found"] += ran[3]
    row["longest"] = max(row["longest"], longest)
    row["commits"] = sorted({*row["commits"], commit()})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("targets", nargs="+")
    asked = parser.parse_args()
    targets = {name: seeds.split() for name, _, seeds in (target.partition("=") for target in asked.targets)}
    (FOLDER / "found").mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = json.loads(asked.json.read_text()) if asked.json.exists() else {}
    left, found, number = asked.hours * 3600, False, 0
    while left > 0:
        for target, seeds in targets.items():
            longest = LONGEST[number % len(LONGEST)]
            ran = turn(target, seeds, longest)
            left -= max(ran[1], 1)
            found |= ran[3]
            add(record, target, longest, ran)
            asked.json.write_text(json.dumps(record, indent=1) + "\n")
            print(f"{target}: up to {longest} bytes, {ran[0]} executions, {ran[1]} s, {ran[2]} edges", flush=True)
            if left <= 0:
                break
        number += 1
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
