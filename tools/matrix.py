"""Run the evaluation kit, or the project's own runtime tests, on several releases of torch.

usage: matrix.py --json FILE [--kit DIR] [--only PATTERN] [--inductor] VERSION...

Each release has an environment in `build/torch/VERSION`, which `torch_env.sh` makes once; that takes gigabytes. The
executable and the library are those of this Python's environment, the Python half is that of the checkout.
The file keeps the rows of earlier runs, one for each release, Python, backend and choice of cases.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ("pytest", "rich", "httpx", "h11", "sniffio", "attrs", "pydantic", "hypothesis", "einops", "scipy", "pillow")


def environment(version: str) -> pathlib.Path:
    """The Python of an environment with a release of torch, in which graphmend can be run."""
    folder = ROOT / "build" / "torch" / version
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["sh", str(ROOT / "tools" / "torch_env.sh"), version, str(folder), sys.executable], check=True)
    python = folder / "bin" / "python"
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    pathlib.Path(site, "graphmend.pth").write_text(f"{ROOT / 'python'}\n", encoding="utf-8")
    shutil.copy2(pathlib.Path(sys.executable).with_name("graphmend"), folder / "bin" / "graphmend")
    return python


def surroundings() -> dict[str, str]:
    """Environment variables: the library that was built for this Python serves all of them.

    A CUDA build of torch logs a line where it finds a compiler for CUDA and no GPU, at some moment of a run.
    """
    from graphmend import core

    own = {"GRAPHMEND_LIBRARY": core.library_path(), "PYTHONWARNINGS": "ignore", "CUDA_HOME": "", "CUDA_PATH": ""}
    return {**os.environ, **own}


def mode_of(python: pathlib.Path) -> dict[str, Any]:
    """What `graphmend doctor` says there."""
    code = "import sys; from graphmend import doctor; sys.exit(doctor.main(['--json']))"
    run = subprocess.run([str(python), "-c", code], capture_output=True, text=True, env=surroundings(), check=False)
    return json.loads(run.stdout)  # type: ignore[no-any-return]


def scored(python: pathlib.Path, version: str, options: argparse.Namespace) -> dict[str, Any]:
    """The verdicts of the kit, counted."""
    result = ROOT / "build" / f"matrix-{version}{'-inductor' if options.inductor else ''}.json"
    command = [str(python), f"{options.kit}/score.py", "--cases", f"{options.kit}/cases_dev", "--fork"]
    command += ["--python", str(python), "--mend", f"{python.with_name('graphmend')} run", "--json", str(result)]
    command += ["--cache", str(ROOT / "build" / "score-cache"), "--timeout", "600"]
    command += ["--only", options.only] if options.only else []
    command += ["--inductor"] if options.inductor else []
    subprocess.run(command, env=surroundings(), check=False)
    results = json.loads(result.read_text(encoding="utf-8"))
    counts = collections.Counter(item["verdict"] for item in results)
    broke = [item for item in results if item["broke"]]
    left = [item["name"] for item in results if item["verdict"] not in ("whole", "clean")]
    return {"cases": len(results), "broke": len(broke), "verdicts": dict(counts), "left": left}


def tested(python: pathlib.Path) -> dict[str, Any]:
    """The last line of the project's own runtime tests."""
    subprocess.run([str(python), "-m", "pip", "install", "-q", *TOOLS], check=True)
    command = [str(python), "-m", "pytest", "-q", str(ROOT / "tests" / "runtime")]
    run = subprocess.run(command, capture_output=True, text=True, env=surroundings(), check=False)
    return {"tests": run.stdout.strip().splitlines()[-1] if run.stdout.strip() else run.stderr[-300:]}


def identity(row: dict[str, Any]) -> tuple[Any, ...]:
    """The run that a row is about: a later one with the same identity takes its place."""
    return tuple(row[name] for name in ("torch", "python", "inductor", "only", "kit"))


def kept(path: pathlib.Path) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The rows of earlier runs, by identity."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {identity(row): row for row in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True)
    parser.add_argument("--kit")
    parser.add_argument("--only")
    parser.add_argument("--inductor", action="store_true")
    parser.add_argument("versions", nargs="+")
    options = parser.parse_args()
    target = pathlib.Path(options.json)
    rows = kept(target)
    measured = []
    for version in options.versions:
        python = environment(version)
        mode = mode_of(python)
        row = {"torch": mode["torch"], "python": mode["python"], "mode": mode["mode"], "off": sorted(mode["off"])}
        row |= scored(python, version, options) if options.kit else tested(python)
        row |= {"inductor": options.inductor, "only": options.only or "", "kit": bool(options.kit)}
        measured.append(row)
        rows[identity(row)] = row
        print(json.dumps(row))
        target.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    return int(any(row.get("verdicts", {}).get(bad) for row in measured for bad in ("WRONG", "crash", "worse")))


if __name__ == "__main__":
    sys.exit(main())
