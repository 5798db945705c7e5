"""The first calls of the models of a zoo that break: what tracing, compiling and running cost plain and mended.

A model has three processes, one after the other: plain, mended (`graphmend run` with an empty cache), and mended once
more, with what the first run has found out. Each makes the same calls, of four sets of inputs in turn; what counts is
the time of the processor in all of them together, the first one included, which hardly depends on what else the machine
does. One thread. Models that do not break are left out. Exits with status 1 when a mended model raises an exception in
other calls than the plain one.

usage: calls.py ZOO.jsonl [--json FILE.json] [--only IDS] [--calls N] [--backend NAME] [--limit SECONDS]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import model_specs
import torch
from paper_check import collected_breaks
from rich.console import Console
from rich.table import Table
from turns import answer, finish, keep, used

INPUTS = 4  # sets of them
COMMANDS = {"plain": [], "mended": ["-m", "graphmend", "run"], "again": ["-m", "graphmend", "run"]}


def work(spec: model_specs.Spec, options: argparse.Namespace) -> dict[str, Any]:
    """Make the calls of one model in this process."""
    torch.set_num_threads(1)
    breaks = collected_breaks()
    seconds, failed = [], []
    with contextlib.nullcontext() if spec.get("train") else torch.no_grad():
        model, calls = model_specs.build_model(spec), model_specs.build_calls(spec, INPUTS)
        torch.compile(lambda x: x + 1, backend=options.backend)(torch.ones(2))  # loads the compiler
        torch._dynamo.reset()
        breaks.buffer.clear()
        compiled = torch.compile(model, backend=options.backend)
        for number in range(options.calls):
            started = used()
            try:
                compiled(**calls[number % INPUTS])
            except Exception:
                failed.append(number)
            seconds.append(used() - started)
    return {"seconds": seconds, "failed": failed, "breaks": len(breaks.buffer)}


def run(kind: str, path: Path, options: argparse.Namespace, folder: str) -> dict[str, Any]:
    """What a process says of its calls."""
    command = [sys.executable, *COMMANDS[kind], __file__, str(path), "--worker", "--backend", options.backend]
    return answer([*command, "--calls", str(options.calls)], os.path.join(folder, "cache"), options.limit)


def compare(spec: model_specs.Spec, options: argparse.Namespace) -> dict[str, Any]:
    """One model; only the plain process if nothing breaks there, and why it could not be measured, if it could not."""
    row: dict[str, Any] = {"model": spec["id"]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "spec.json")
        path.write_text(json.dumps(spec) + "\n", encoding="utf-8")
        for kind in COMMANDS:
            try:
                row[kind] = run(kind, path, options, folder)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                row["refused"] = f"{kind}: {error}"[:200]
                break
            if not row["plain"]["breaks"]:
                break
    return row


def total(row: dict[str, Any], kind: str) -> float:
    return sum(row[kind]["seconds"])


def ratio(row: dict[str, Any], kind: str) -> float:
    return total(row, kind) / total(row, "plain")


def measured(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that break and could be run in all three ways, the slowest first."""
    return sorted((row for row in rows if "again" in row), key=lambda row: -ratio(row, "mended"))


def show(result: dict[str, Any]) -> None:
    title = f"{result['calls']} calls, {result['backend']}: seconds of the processor"
    table = Table("model", "plain", "mended", "mended/plain", "in the next run", title=title)
    for row in measured(result["models"]):
        times = [f"{total(row, kind):.2f}" for kind in ("plain", "mended")]
        table.add_row(row["model"], *times, *(f"{ratio(row, kind):.2f}" for kind in ("mended", "again")))
    Console().print(table)
    for row in result["models"]:
        if "refused" in row:
            print(f"{row['model']}: {row['refused']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", help="file with a spec on each line")
    parser.add_argument("--json", help="file for the numbers")
    parser.add_argument("--only", help="ids of models, with commas between them")
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--limit", type=float, default=1200, help="seconds that a process of a model may take")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    specs = [json.loads(line) for line in Path(options.zoo).read_text(encoding="utf-8").splitlines()]
    if options.worker:
        print("\n" + json.dumps(work(specs[0], options)))
        return 0
    names = options.only.split(",") if options.only else [spec["id"] for spec in specs]
    result = {"torch": torch.__version__, "python": platform.python_version(), "models": []}
    result.update(calls=options.calls, backend=options.backend)
    for spec in specs:
        if spec["id"] in names:
            print(f"measuring {spec['id']} ...", flush=True)
            result["models"].append(compare(spec, options))
            keep(result, options.json)
    show(result)
    others = [row["model"] for row in measured(result["models"]) if row["mended"]["failed"] != row["plain"]["failed"]]
    return finish(result, options.json, [f"{name}: other calls raise exceptions than plain" for name in others])


if __name__ == "__main__":
    sys.exit(main())
