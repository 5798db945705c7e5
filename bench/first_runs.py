"""What a training script's first run costs, and its second: seconds of the processor, plain and under `graphmend run`.

Each of the twenty trainings of tests/verify/training runs as four processes, one after the other: plain and mended with
empty caches (of inductor and of graphmend), then plain and mended with what the first two have kept. All of a process
counts: imports, tracing, code generation, the C++ compiler, the steps. One thread.

usage: first_runs.py [--json FILE.json] [--only mlp-sgd ...]
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from turns import used

TRAINING = Path(__file__).resolve().parents[1] / "tests" / "verify" / "training"
COMMANDS = {"plain": [], "mended": ["-m", "graphmend", "run"]}


def processor_seconds(command: list[str], environment: dict[str, str]) -> float:
    """What a process and all that it starts take; it has to end with status 0."""
    before = used()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return used() - before


def measure(name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"training": name}
    with tempfile.TemporaryDirectory() as folder:
        for state in ("cold", "warm"):
            for way, options in COMMANDS.items():
                environment = dict(os.environ, OMP_NUM_THREADS="1", TORCHINDUCTOR_COMPILE_THREADS="1")
                environment["TORCHINDUCTOR_CACHE_DIR"] = f"{folder}/{way}/inductor"
                environment["GRAPHMEND_CACHE_DIR"] = f"{folder}/{way}/graphmend"
                os.makedirs(environment["GRAPHMEND_CACHE_DIR"], mode=0o700, exist_ok=True)
                command = [sys.executable, *options, str(TRAINING / "train.py"), name]
                row[f"{way} {state}"] = round(processor_seconds(command, environment), 2)
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    asked = parser.parse_args()
    sys.path[:0] = [str(TRAINING)]
    cases = importlib.import_module("train").CASES
    rows = []
    for name in asked.only or cases:
        row = measure(name)
        rows.append(row)
        print(json.dumps(row), flush=True)
        if asked.json is not None:
            asked.json.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    for state in ("cold", "warm"):
        ratios = [row[f"mended {state}"] / row[f"plain {state}"] for row in rows]
        print(f"{state}: median {statistics.median(ratios):.2f}, highest {max(ratios):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
