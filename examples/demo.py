"""The same program plain and under `graphmend run`, side by side.

Runs bart_half.py in four processes: plain and mended, once with the backend that executes graphs as they are (results
must be equal to the bit) and once with inductor (for the times, of calls for which the two processes take turns).
Exits with status 1 when a break is left, a result differs or the mended program recompiles.

usage: demo.py [--json FILE.json]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from rich.console import Console
from rich.table import Table

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bart_half.py")
HALF_TOLERANCE = 1e-2
TURNS = 100  # in which the two processes time calls, one after the other


def find_graphmend() -> str:
    """The executable of this environment."""
    beside = os.path.join(os.path.dirname(sys.executable), "graphmend")
    found = beside if os.path.exists(beside) else shutil.which("graphmend")
    if found is None:
        raise SystemExit("demo: graphmend is not installed in this environment")
    return found


class Program:
    """A process of the program that has made its calls, and takes turns with another one for more."""

    def __init__(self, command: list[str], backend: str, folder: str) -> None:
        path = os.path.join(folder, "record.json")
        options = ["--backend", backend, "--record", path, "--turns"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*command, PROGRAM, *options], stdin=pipe, stdout=pipe, text=True)
        self.answer()
        with open(path, encoding="utf-8") as stream:
            self.record = json.load(stream)
        self.record["turns"] = []

    def answer(self) -> str:
        """The next line that the process prints."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"demo: the program has ended with status {self.process.wait()}")
        return line

    def take_turn(self) -> None:
        """Have it time a few calls."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.record["turns"].append(float(self.answer()))

    def end(self) -> None:
        """Let the process end."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


def run(commands: dict[str, list[str]], backend: str, turns: int, folder: str) -> dict[str, dict[str, Any]]:
    """What the program measured about itself, by the name of the command that ran it."""
    programs = {}
    for kind, command in commands.items():
        print(f"running bart_half.py {kind}, backend {backend} ...", flush=True)
        programs[kind] = Program(command, backend, folder)
    for _ in range(turns):
        for program in programs.values():
            program.take_turn()
    for program in programs.values():
        program.end()
    return {kind: program.record for kind, program in programs.items()}


def recompiles(record: dict[str, Any]) -> int:
    """Graphs made after the first call."""
    return record["graphs"][-1] - record["graphs"][0]


def first_call(record: dict[str, Any]) -> float:
    return record["seconds"][0]


def steady(record: dict[str, Any]) -> float:
    """Seconds of a call when all is compiled: the median of the turns."""
    return statistics.median(record["turns"])


def equality(record: dict[str, Any], reference: list[float]) -> str:
    """How the results compare with eager Python."""
    if record["logits"] == reference:
        return "bit for bit"
    largest = max(abs(a - b) for a, b in zip(record["logits"], reference))
    return f"within {largest:.1e}" if largest <= HALF_TOLERANCE else f"off by {largest:.1e}"


def show(plain: dict[str, dict[str, Any]], mended: dict[str, dict[str, Any]]) -> None:
    """Print the table."""
    table = Table(title="BART, float16, 20 calls: torch.compile as it is, and under graphmend run")
    for heading, justify in (("", "left"), ("plain", "right"), ("graphmend run", "right")):
        table.add_column(heading, justify=justify)
    rows = [
        ("graph breaks", lambda r: str(r["inductor"]["breaks"])),
        ("graphs", lambda r: str(r["inductor"]["graphs"][-1])),
        ("recompilations after the first call", lambda r: str(recompiles(r["inductor"]))),
        ("equal to eager, graphs run as captured", lambda r: equality(r["eager"], r["eager"]["eager"])),
        ("equal to eager, inductor", lambda r: equality(r["inductor"], r["inductor"]["eager"])),
        ("first call, inductor", lambda r: f"{first_call(r['inductor']):.1f} s"),
        ("steady call, inductor", lambda r: f"{steady(r['inductor']) * 1e3:.2f} ms"),
    ]
    for name, value in rows:
        table.add_row(name, value(plain), value(mended))
    Console().print(table)
    ratios = [a / b for a, b in zip(mended["inductor"]["turns"], plain["inductor"]["turns"])]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"a steady call takes {middle:.2f} of the plain one's time (half of the turns: {low:.2f} to {high:.2f})")


def failures(mended: dict[str, dict[str, Any]]) -> list[str]:
    """Promises that the mended program does not keep."""
    found = []
    for backend, record in mended.items():
        if record["breaks"]:
            found.append(f"{record['breaks']} graph breaks are left with {backend}")
        if recompiles(record):
            found.append(f"{recompiles(record)} recompilations with {backend}")
        largest = max(abs(a - b) for a, b in zip(record["logits"], record["eager"]))
        if not math.isfinite(largest) or largest > (HALF_TOLERANCE if backend == "inductor" else 0.0):
            found.append(f"results differ by {largest} with {backend}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="file for what was measured")
    options = parser.parse_args()
    commands = {"plain": [sys.executable], "mended": [find_graphmend(), "run"]}
    records: dict[str, dict[str, Any]] = {"plain": {}, "mended": {}}
    with tempfile.TemporaryDirectory() as folder:
        for backend, turns in (("eager", 0), ("inductor", TURNS)):
            for kind, record in run(commands, backend, turns, folder).items():
                records[kind][backend] = record
    show(records["plain"], records["mended"])
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump(records, stream)
    broken = failures(records["mended"])
    for text in broken:
        print(f"demo: {text}", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
