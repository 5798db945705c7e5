"""The cases of an evaluation kit on a GPU, plain and mended, as on the processor.

usage: gpu.py --kit DIR --json FILE.json [--jobs N] [--only PATTERN] [--parts cases,inductor,models]

Parts: all cases as captured (`cases`), the families branch, effect, guard and trap compiled by inductor (`inductor`),
and five models of the kit's zoo that break (`models`). Each run is a process of its own, some ten seconds of a
processor: Dynamo uses the device, and a process that does so cannot be forked. What there is stays if this is cut off.
Without a GPU nothing is measured, which is said. Exits with status 1 where a mended program does something else than
the plain one, or gives no result.
"""

from __future__ import annotations

import argparse
import json
import os
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
MODELS = 5
BAD = ("WRONG", "crash", "worse")


def scored(options: argparse.Namespace, source: list[str], *more: str) -> list[dict[str, Any]]:
    """What the kit says of cases or models on the device."""
    plain = f"{sys.executable} {HERE / 'on_device.py'}"
    mended = f"{sys.executable} -m graphmend run {HERE / 'on_device.py'}"
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, f"{options.kit}/score.py", *source, "--python", plain, "--mend", mended]
        command += ["--cache", options.cache, "--json", str(result), "--jobs", str(options.jobs), *more]
        subprocess.run([*command, "--timeout", "600"], check=False)
        return json.loads(result.read_text(encoding="utf-8")) if result.exists() else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    parser.add_argument("--json", required=True, type=Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cache", default="build/score-cache-gpu", help="folder of plain records")
    parser.add_argument("--parts", default="cases,inductor,models")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("gpu: SKIPPED, this machine has no GPU that torch can use: nothing was measured")
        return 0
    cases = ["--cases", str(options.kit / "cases_dev")]
    names = [path.stem for path in (options.kit / "cases_dev").glob(f"{options.only}.py")]
    families = sorted({name.partition("_")[0] for name in names})
    record: dict[str, Any] = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "parts": {}}

    def add(part: str, rows: list[dict[str, Any]], number: int) -> None:
        found = record["parts"].setdefault(part, {"rows": [], "of": number})
        found["rows"] += rows
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(record), encoding="utf-8")

    for part in options.parts.split(","):
        if part == "models":
            with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as zoo:
                zoo.write("\n".join(breaking_models(options.kit, MODELS)))
                zoo.flush()
                add(part, scored(options, ["--zoo", zoo.name]), MODELS)
            continue
        chosen = [name for name in families if part == "cases" or name in FAMILIES]
        wanted = [name for name in names if name.partition("_")[0] in chosen]
        for pattern in [f"{name}_*" for name in chosen] if options.only == "*" else wanted:
            add(part, scored(options, cases, "--only", pattern, *["--inductor"] * (part == "inductor")), len(wanted))
    return int(any(row["verdict"] in BAD for one in record["parts"].values() for row in one["rows"]))


if __name__ == "__main__":
    sys.exit(main())
