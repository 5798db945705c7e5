"""How the time of `check` and `fix` grows with a file: CPU seconds at two sizes, and the exponent between them.

A shape that is refused, for syntax errors or because it is beyond the budget of the analysis, is told as such. Exit
status 1 when the exponent of a shape is above the limit.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from growth_shapes import S as SHAPES

COMMANDS = {
    "check": ["check", "--all", "--isolated", "--no-cache", "--output-format", "json"],
    "fix": ["fix", "--all", "--unsafe", "--diff", "--isolated"],
    "mend": ["debug", "mend"],
}
NOT_ANALYSED = b"too large, not analysed"
SECONDS, LIMIT, NOTICEABLE, LEAST = 60, 1.2, 0.2, 0.005


def limit() -> None:
    """What a program may take."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def seconds_of(command: list[str]) -> tuple[float, int, bool]:
    """CPU seconds, exit status, and whether the file was too large or no Python."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(command, capture_output=True, preexec_fn=limit, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    refused = ran.returncode == 2 or NOT_ANALYSED in ran.stdout or NOT_ANALYSED in ran.stderr
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, ran.returncode, refused


def measure(executable: str, name: str, command: str, sizes: list[int], folder: Path) -> dict[str, object]:
    """One shape under one command."""
    shape = SHAPES[name]
    unit = max(1.0, (len(shape(1100)) - len(shape(100))) / 1000)
    path = folder / "shape.py"
    taken = []
    for size in sizes:
        path.write_text(shape(int(size / unit)), encoding="latin-1")
        taken.append(seconds_of([executable, *COMMANDS[command], str(path)]))
    small, large = taken[0][0], taken[-1][0]
    exponent = math.log(max(large, LEAST) / max(small, LEAST)) / math.log(sizes[-1] / sizes[0])
    ended = any(status < 0 for _, status, _ in taken)
    refused = any(refused for _, _, refused in taken)
    steep = ended or (not refused and exponent > LIMIT and large > NOTICEABLE)
    return {
        "shape": name,
        "command": command,
        "seconds": [round(s, 3) for s, _, _ in taken],
        "exponent": round(exponent, 2),
        "refused": refused,
        "ended": ended,
        "steep": steep,
    }


def main() -> int:
    """All shapes, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=list(SHAPES))
    parser.add_argument("--sizes", nargs=2, type=int, default=[250_000, 4_000_000])
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    executable = shutil.which("graphmend", path=str(Path(sys.executable).parent)) or "graphmend"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.only:
            for command in COMMANDS:
                row = measure(executable, name, command, asked.sizes, Path(folder))
                rows.append(row)
                told = (
                    "  ENDED" if row["ended"] else "  refused" if row["refused"] else "  STEEP" if row["steep"] else ""
                )
                print(f"{name:16} {command:6} {row['seconds']!s:20} {row['exponent']:6}{told}", flush=True)
    steep = [row for row in rows if row["steep"]]
    print(f"{len(asked.only)} shapes, {len(steep)} of {len(rows)} above {LIMIT}")
    if asked.json is not None:
        asked.json.write_text(json.dumps({"sizes": asked.sizes, "rows": rows}, indent=1) + "\n")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
