"""How fast `graphmend check` is beside `ruff check --select F --no-cache`, over the sources of torch and transformers.

Both run in turn, so that what else the machine does meets both; the fastest of all rounds counts. Cold is `--no-cache`,
cached is a second run. What `check` prints has to be the same bytes for every number of threads, cold or cached.

usage: check.py [--json FILE.json] [--rounds N] [--threads 1 2 4]
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

PACKAGES = ("torch", "transformers")
KINDS = ("ruff", "cold", "cached")


def find_program(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} is not installed in this environment")
    return found


def find_folder(package: str) -> str:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed in this environment")
    return spec.submodule_search_locations[0]


def run(command: list[str], environment: dict[str, str]) -> dict[str, Any]:
    """Seconds, megabytes at the most, and the hash of what was printed."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{command[0]} ended with status {process.returncode}")
        output.seek(0)
        printed = hashlib.sha256(output.read()).hexdigest()
    unit = 1 if sys.platform == "darwin" else 1024
    return {"seconds": seconds, "megabytes": usage.ru_maxrss * unit / 1e6, "printed": printed}


def measure(rounds: int, thread_counts: list[int]) -> dict[str, Any]:
    folders = [find_folder(package) for package in PACKAGES]
    ruff = [find_program("ruff"), "check", "--select", "F", "--no-cache", "--isolated", *folders]
    ours = [find_program("graphmend"), "check", "--isolated", "--output-format", "concise", *folders]
    rows, printed = [], set()
    with tempfile.TemporaryDirectory() as cache:
        settings = {"GRAPHMEND_CACHE_DIR": cache}
        run(ours, settings)
        for threads in thread_counts:
            commands = {
                "ruff": (ruff, {"RAYON_NUM_THREADS": str(threads)}),
                "cold": ([*ours, "--no-cache", "--threads", str(threads)], settings),
                "cached": ([*ours, "--threads", str(threads)], settings),
            }
            best: dict[str, Any] = {}
            for _ in range(rounds):
                for kind in KINDS:
                    one = run(*commands[kind])
                    if kind != "ruff":
                        printed.add(one["printed"])
                    if kind not in best or one["seconds"] < best[kind]["seconds"]:
                        best[kind] = one
            rows.append({"threads": threads, **{kind: best[kind] for kind in KINDS}})
    files = sum(1 for folder in folders for _ in Path(folder).rglob("*.py"))
    version = subprocess.run([ruff[0], "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    return {"files": files, "rounds": rounds, "ruff": version, "rows": rows, "same": len(printed) == 1}


def show(result: dict[str, Any]) -> None:
    title = f"check over {result['files']} files, fastest of {result['rounds']}; ruff {result['ruff']}"
    table = Table(title=title)
    for heading in ("threads", "ruff, s", "cold, s", "cached, s", "ruff / cold", "ruff, MB", "cold, MB", "cached, MB"):
        table.add_column(heading, justify="right")
    for row in result["rows"]:
        times = [f"{row[kind]['seconds']:.2f}" for kind in KINDS]
        sizes = [f"{row[kind]['megabytes']:.0f}" for kind in KINDS]
        ratio = row["ruff"]["seconds"] / row["cold"]["seconds"]
        table.add_row(str(row["threads"]), *times, f"{ratio:.2f}", *sizes)
    Console().print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="file for the numbers")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4])
    options = parser.parse_args()
    result = measure(options.rounds, options.threads)
    show(result)
    if options.json:
        Path(options.json).parent.mkdir(parents=True, exist_ok=True)
        Path(options.json).write_text(json.dumps(result, indent=1))
    if not result["same"]:
        print("bench: check printed different bytes in different runs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
