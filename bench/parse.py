"""How fast graphmend parses, against CPython's own parser in the same run, on the sources of torch and transformers.

Both parse from memory on one thread: graphmend in `graphmend debug bench`, CPython in `ast.parse`. A second table shows
whether the time stays in proportion to the size: one file, repeated until it is 64 times as long.

usage: parse.py [--json FILE.json] [--rounds N]
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

PACKAGES = ("torch", "transformers")
REPEATS = (1, 4, 16, 64)
LINEAR_WITHIN = 1.5
FILES_A_CALL = 2000


def find_executable() -> str:
    beside = Path(sys.executable).with_name("graphmend")
    found = str(beside) if beside.exists() else shutil.which("graphmend")
    if found is None:
        raise SystemExit("graphmend is not installed in this environment")
    return found


def find_sources(package: str) -> list[Path]:
    """All Python files of an installed package."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed in this environment")
    return sorted(Path(spec.submodule_search_locations[0]).rglob("*.py"))


def ours(executable: str, files: list[Path], rounds: int) -> dict[str, float]:
    """Bytes and seconds of graphmend."""
    total = {"bytes": 0.0, "seconds": 0.0}
    for start in range(0, len(files), FILES_A_CALL):
        paths = [str(path) for path in files[start : start + FILES_A_CALL]]
        command = [executable, "debug", "bench", "--rounds", str(rounds), *paths]
        result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        for key in total:
            total[key] += result[key]
    return total


def cpython(files: list[Path]) -> dict[str, float]:
    """Bytes and seconds of `ast.parse`; files that this version cannot read count for neither."""
    total, seconds = 0, 0.0
    for path in files:
        data = path.read_bytes()
        started = time.perf_counter()
        try:
            ast.parse(data)
        except (SyntaxError, ValueError):
            continue
        seconds += time.perf_counter() - started
        total += len(data)
    return {"bytes": total, "seconds": seconds}


def speed(measured: dict[str, float]) -> float:
    """Megabytes (10^6 bytes) a second."""
    return measured["bytes"] / measured["seconds"] / 1e6


def growth(executable: str, source: Path, rounds: int) -> list[dict[str, Any]]:
    """Speed on one file repeated more and more often."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for repeat in REPEATS:
            path = Path(folder) / f"repeated_{repeat}.py"
            path.write_bytes(source.read_bytes() * repeat)
            rows.append({"repeat": repeat, **ours(executable, [path], rounds)})
    return rows


def largest(files: list[Path]) -> Path:
    """The largest file without `from __future__`, which may stand only at the beginning."""
    for path in sorted(files, key=os.path.getsize, reverse=True):
        if b"from __future__" not in path.read_bytes():
            return path
    raise SystemExit("no file can be repeated")


def measure(rounds: int) -> dict[str, Any]:
    executable = find_executable()
    packages = {}
    sources: list[Path] = []
    for package in PACKAGES:
        files = find_sources(package)
        sources += files
        packages[package] = {
            "files": len(files),
            "graphmend": ours(executable, files, rounds),
            "cpython": cpython(files),
        }
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": packages,
        "growth": growth(executable, largest(sources), rounds),
    }


def show(result: dict[str, Any]) -> None:
    console = Console()
    table = Table(title=f"Parsing from memory, one thread, MB/s (CPython {result['python']})")
    for heading in ("package", "files", "MB", "ast.parse", "graphmend", "times as fast"):
        table.add_column(heading, justify="left" if heading == "package" else "right")
    for name, row in result["packages"].items():
        mine, theirs = speed(row["graphmend"]), speed(row["cpython"])
        size = f"{row['graphmend']['bytes'] / 1e6:.1f}"
        table.add_row(name, str(row["files"]), size, f"{theirs:.1f}", f"{mine:.1f}", f"{mine / theirs:.1f}")
    console.print(table)
    table = Table(title="One file, repeated")
    for heading in ("times", "MB", "MB/s"):
        table.add_column(heading, justify="right")
    for row in result["growth"]:
        table.add_row(str(row["repeat"]), f"{row['bytes'] / 1e6:.2f}", f"{speed(row):.1f}")
    console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="file for the numbers")
    parser.add_argument("--rounds", type=int, default=3, help="the fastest of so many rounds counts for graphmend")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    result = measure(options.rounds)
    show(result)
    if options.json:
        Path(options.json).parent.mkdir(parents=True, exist_ok=True)
        Path(options.json).write_text(json.dumps(result, indent=1))
    speeds = [speed(row) for row in result["growth"]]
    if max(speeds) / speeds[-1] > LINEAR_WITHIN:
        print("bench: the time grows faster than the size", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
