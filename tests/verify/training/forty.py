"""Forty verdicts, by `make training`: twenty right trainings, none of which may fail, and the same under wrong mends.

usage: forty.py [--only NAME] [--backend NAME] [--jobs N] [--json FILE]
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from train import CASES

TRAIN = Path(__file__).with_name("train.py")


def verdict(name: str, wrong: bool, backend: str, kernels: str) -> "dict[str, Any]":
    """What verify says about one training; all of them share the machine code of kernels."""
    graphmend = shutil.which("graphmend", path=str(Path(sys.executable).parent)) or "graphmend"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        command = [
            graphmend,
            "verify",
            "--no-fullgraph",
            "--backend",
            backend,
            "--kernels",
            kernels,
            "--json",
            str(path),
        ]
        ended = subprocess.run(
            [*command, str(TRAIN), name, *(["--wrong"] if wrong else [])], capture_output=True, text=True
        )
        data = json.loads(path.read_text()) if path.exists() else {}
    first = (ended.stdout.splitlines() or ended.stderr.splitlines() or [""])[0]
    found = {"name": name, "wrong": wrong, "status": ended.returncode, "says": first.partition(": ")[2]}
    found["right"] = ended.returncode == (1 if wrong else 0) and bool(data)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # a pool of compilers imports torch for each run
    found = []
    kernels = tempfile.mkdtemp(prefix="graphmend-kernels-")
    chosen = [(name, wrong) for name in CASES for wrong in (False, True) if options.only in name]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda one: verdict(*one, options.backend, kernels), chosen):
            found.append(row)
            if options.json:
                options.json.write_text(json.dumps(found, indent=1) + "\n")  # a run that is ended keeps its verdicts
            kind = "wrong" if row["wrong"] else "as it is"
            mark = "ok " if row["right"] else "BAD"
            print(f"{mark}  {row['name']:22} {kind:9} status {row['status']}: {row['says']}", flush=True)
    shutil.rmtree(kernels, ignore_errors=True)
    print(f"{sum(row['right'] for row in found)} of {len(found)} verdicts are right")
    return 0 if all(row["right"] for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
