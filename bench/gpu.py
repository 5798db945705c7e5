"""The cases of an evaluation kit on a GPU, plain and mended, as on the processor.

usage: gpu.py --kit DIR --json FILE.json [--jobs N] [--only PATTERN] [--models N]
              [--parts cases,packages,models,inductor]

Parts: all cases as captured (`cases`), the programs of `bench/packages` whose packages are installed (`packages`),
models of the kit's zoo that break (`models`), and the families branch, effect, guard and trap compiled by inductor
(`inductor`). Each run is a process of its own, some ten seconds of a processor: the first use of Dynamo loads the
driver of the device, and a process with its thread cannot be forked. What there is stays if this is cut off. Without a
GPU nothing is measured, which is said. Exits with status 1 where a mended program does something else than the plain
one, or gives no result.
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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from matrix import breaking_models  # noqa: E402

FAMILIES = ("branch", "effect", "guard", "trap")
BAD = ("WRONG", "crash", "worse")
ONE_THREAD = ("OMP_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS")
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


def by_family(options: argparse.Namespace, programs: list[Path], *more: str) -> Iterator[list[Row]]:
    """The rows of programs, those with one beginning of the name at a time."""
    families = sorted({path.stem.partition("_")[0] for path in programs})
    for family in families:
        with tempfile.TemporaryDirectory() as folder:
            for path in programs:
                if path.stem.partition("_")[0] == family:
                    shutil.copy2(path, folder)
            yield scored(options, ["--cases", folder], *more)


def chosen(options: argparse.Namespace, paths: Iterable[Path]) -> list[Path]:
    """The programs that the pattern names."""
    return sorted(path for path in paths if fnmatch.fnmatchcase(path.stem, options.only))


def cases_part(options: argparse.Namespace) -> tuple[int, Iterator[list[Row]]]:
    programs = chosen(options, (options.kit / "cases_dev").glob("*.py"))
    return len(programs), by_family(options, programs)


def packages_part(options: argparse.Namespace) -> tuple[int, Iterator[list[Row]]]:
    """The programs that can run here, of all there are."""
    programs = chosen(options, HERE.glob("packages/*/*.py"))
    return len(programs), by_family(options, list(filter(can_import, programs)))


def models_part(options: argparse.Namespace) -> tuple[int, Iterator[list[Row]]]:
    lines = breaking_models(options.kit, options.models)
    groups = (lines[place : place + options.jobs] for place in range(0, len(lines), options.jobs))
    return len(lines), (of_models(options, group) for group in groups)


def of_models(options: argparse.Namespace, lines: list[str]) -> list[Row]:
    """The rows of some models of the zoo, side by side."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as zoo:
        zoo.write("\n".join(lines))
        zoo.flush()
        return scored(options, ["--zoo", zoo.name])


def inductor_part(options: argparse.Namespace) -> tuple[int, Iterator[list[Row]]]:
    """The cases of four families."""
    found = chosen(options, (options.kit / "cases_dev").glob("*.py"))
    programs = [path for path in found if path.stem.partition("_")[0] in FAMILIES]
    return len(programs), by_family(options, programs, "--inductor")


PARTS = {"cases": cases_part, "packages": packages_part, "models": models_part, "inductor": inductor_part}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    parser.add_argument("--json", required=True, type=Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cache", default="build/score-cache-gpu", help="folder of plain records")
    parser.add_argument("--models", type=int, default=20, help="so many models of the zoo, drawn")
    parser.add_argument("--parts", default=",".join(PARTS))
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("gpu: SKIPPED, this machine has no GPU that torch can use: nothing was measured")
        return 0
    record: dict[str, Any] = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "parts": {}}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    for part in options.parts.split(","):
        number, found = PARTS[part](options)
        rows = record["parts"].setdefault(part, {"rows": [], "of": number})["rows"]
        for more in found:
            rows += more
            options.json.write_text(json.dumps(record), encoding="utf-8")
    return int(any(row["verdict"] in BAD for one in record["parts"].values() for row in one["rows"]))


if __name__ == "__main__":
    sys.exit(main())
