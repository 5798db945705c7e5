"""The same program plain and under `graphmend run`, side by side.

Runs bart_half.py in four processes: plain and mended, once with the backend that executes graphs as they are (results
must be equal to the bit) and once with inductor (for the times). Exits with status 1 when a break is left, a result
differs or the mended program recompiles.

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


def find_graphmend() -> str:
    """The executable of this environment."""
    beside = os.path.join(os.path.dirname(sys.executable), "graphmend")
    found = beside if os.path.exists(beside) else shutil.which("graphmend")
    if found is None:
        raise SystemExit("demo: graphmend is not installed in this environment")
    return found


def run(command: list[str], backend: str, folder: str) -> dict[str, Any]:
    """What the program measured about itself, run by `command`."""
    path = os.path.join(folder, "record.json")
    subprocess.run([*command, PROGRAM, "--backend", backend, "--record", path], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def recompiles(record: dict[str, Any]) -> int:
    """Graphs made after the first call."""
    return record["graphs"][-1] - record["graphs"][0]


def first_call(record: dict[str, Any]) -> float:
    return record["seconds"][0]


def steady(record: dict[str, Any]) -> float:
    """Median of the second half of the calls."""
    return statistics.median(record["seconds"][len(record["seconds"]) // 2 :])


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
    ratio = steady(plain["inductor"]) / steady(mended["inductor"])
    print(f"a steady call takes {1 / ratio:.2f} of the plain one's time ({ratio:.2f}x as fast)")


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
        for kind, command in commands.items():
            for backend in ("eager", "inductor"):
                print(f"running bart_half.py {kind}, backend {backend} ...", flush=True)
                records[kind][backend] = run(command, backend, folder)
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
