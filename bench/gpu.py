"""The cases of an evaluation kit on a GPU, plain and mended, as on the processor.

usage: gpu.py --kit DIR --json FILE.json [--jobs N] [--only PATTERN] [--models N]
              [--parts cases,packages,models,inductor] [--fork]

Parts: all cases as captured (`cases`), the programs of `bench/packages` whose packages are installed (`packages`),
models of the kit's zoo that break (`models`), and the families branch, effect, guard and trap compiled by inductor
(`inductor`). Each run is a process of its own, some ten seconds of a processor; with `--fork`, those that inductor
does not compile are forks of one process that has imported torch and has not used the device. What there is stays if
this is cut off. Without a GPU nothing is measured, which is said. Exits with status 1 where a mended program does
something else than the plain one, or gives no result.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from matrix import breaking_models  # noqa: E402

FAMILIES = ("branch", "effect", "guard", "trap")
BAD = ("WRONG", "crash", "worse")
# A process that has threads cannot be forked; libraries read these when they are loaded.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS")
Row = dict[str, Any]


def scored(options: argparse.Namespace, source: list[str], *more: str) -> list[Row]:
    """What the kit says of cases or models on the device."""
    plain = f"{sys.executable} {HERE / 'on_device.py'}"
    mended = f"{sys.executable} -m graphmend run {HERE / 'on_device.py'}"
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, f"{options.kit}/score.py", *source, "--python", plain, "--mend", mended]
        command += ["--cache", options.cache, "--json", str(result), "--jobs", str(options.jobs), *more]
        environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1"), "PYTHONHASHSEED": "0"}
        subprocess.run([*command, "--timeout", "300"], env=environment, check=False)
        return json.loads(result.read_text(encoding="utf-8")) if result.exists() else []


def can_import(program: Path) -> bool:
    """Whether the packages that a program imports are installed."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(program.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return all(importlib.util.find_spec(name.partition(".")[0]) for name in names)


def cases_part(options: argparse.Namespace) -> tuple[list[Row], int]:
    folder = options.kit / "cases_dev"
    number = len(list(folder.glob(f"{options.only}.py")))
    return scored(options, ["--cases", str(folder)], *options.fork, "--only", options.only), number


def packages_part(options: argparse.Namespace) -> tuple[list[Row], int]:
    """The programs that can run here, of all there are."""
    programs = [path for path in sorted(HERE.glob("packages/*/*.py")) if fnmatch.fnmatchcase(path.stem, options.only)]
    with tempfile.TemporaryDirectory() as folder:
        for path in filter(can_import, programs):
            shutil.copy2(path, folder)
        return scored(options, ["--cases", folder], *options.fork), len(programs)


def models_part(options: argparse.Namespace) -> tuple[list[Row], int]:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as zoo:
        zoo.write("\n".join(breaking_models(options.kit, options.models)))
        zoo.flush()
        return scored(options, ["--zoo", zoo.name], *options.fork), options.models


def inductor_part(options: argparse.Namespace) -> tuple[list[Row], int]:
    """The chosen cases of four families."""
    with tempfile.TemporaryDirectory() as folder:
        for path in (options.kit / "cases_dev").glob(f"{options.only}.py"):
            if path.stem.partition("_")[0] in FAMILIES:
                shutil.copy2(path, folder)
        return scored(options, ["--cases", folder], "--inductor"), len(os.listdir(folder))


PARTS = {"cases": cases_part, "packages": packages_part, "models": models_part, "inductor": inductor_part}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    parser.add_argument("--json", required=True, type=Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cache", default="build/score-cache-gpu", help="folder of plain records")
    parser.add_argument("--models", type=int, default=20, help="so many models of the zoo, drawn")
    parser.add_argument("--fork", action="append_const", const="--fork", default=[], help="import torch once")
    parser.add_argument("--parts", default=",".join(PARTS))
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("gpu: SKIPPED, this machine has no GPU that torch can use: nothing was measured")
        return 0
    record: dict[str, Any] = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "parts": {}}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    for part in options.parts.split(","):
        rows, number = PARTS[part](options)
        record["parts"][part] = {"rows": rows, "of": number}
        options.json.write_text(json.dumps(record), encoding="utf-8")
    return int(any(row["verdict"] in BAD for one in record["parts"].values() for row in one["rows"]))


if __name__ == "__main__":
    sys.exit(main())
