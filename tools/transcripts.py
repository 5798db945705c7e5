"""Run the training scripts of `bench/transcripts`, plain and under `graphmend run`, and keep what they print.

usage: transcripts.py --json FILE [NAME...]

A script runs in the environment of its family of packages, which `tools/packages.py` makes. Both runs have to print the
same, and the second has to have fewer graphs; the exit status is 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from packages import PROGRAMS, ROOT, environment

SCRIPTS = ROOT / "bench" / "transcripts"
# The family of packages of each script.
FAMILIES = {
    "accelerate_loop": "training",
    "geometric_loop": "graphs",
    "lightning_fit": "training",
    "transformers_trainer": "training",
}
GRAPHS = "graphs: "  # what `bench/transcripts/counted.py` writes on standard error


def run(command: list[str], python: pathlib.Path, cache: str) -> dict[str, Any]:
    """What a run prints, its graphs, and what graphmend says of it."""
    settings = {"GRAPHMEND_PYTHON": str(python), "GRAPHMEND_SUMMARY": "full", "GRAPHMEND_CACHE_DIR": cache}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings}, cwd=ROOT)
    lines = done.stderr.splitlines()
    counted = [int(line[len(GRAPHS) :]) for line in lines if line.startswith(GRAPHS)]
    first = next((i for i, line in enumerate(lines) if line.startswith("graphmend: ")), len(lines))
    return {
        "status": done.returncode,
        "output": done.stdout,
        "graphs": counted[0] if counted else None,
        "summary": lines[first:],
    }


def transcript(name: str) -> dict[str, Any]:
    """Both runs of a script."""
    python = environment(PROGRAMS / FAMILIES[name])
    script = f"bench/transcripts/{name}.py"
    mend = pathlib.Path(sys.executable).with_name("graphmend")
    with tempfile.TemporaryDirectory() as cache:
        plain = run([str(python), "-W", "ignore", script], python, cache)
        mended = run([str(mend), "run", script], python, cache)
    return {"name": name, "family": FAMILIES[name], "plain": plain, "mended": mended}


def is_right(row: dict[str, Any]) -> bool:
    """Whether both runs end well and print the same, the mended one with fewer graphs."""
    plain, mended = row["plain"], row["mended"]
    same = all(plain[part] == mended[part] for part in ("status", "output"))
    return same and plain["status"] == 0 and mended["graphs"] < plain["graphs"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True, type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    rows = [transcript(name) for name in options.names or sorted(FAMILIES)]
    options.json.write_text(json.dumps({"transcripts": rows}), encoding="utf-8")
    for row in rows:
        graphs = f"{row['plain']['graphs']} -> {row['mended']['graphs']} graphs"
        print(f"{row['name']}: {graphs}, {'same output' if is_right(row) else 'NOT AS PLAIN'}")
    return int(not all(map(is_right, rows)))


if __name__ == "__main__":
    sys.exit(main())
