"""Run the evaluation kit, the demo or the project's own runtime tests on several releases of torch.

usage: matrix.py --json FILE [--kit DIR [--models] [--draw N] [--only PATTERN] [--inductor] | --demo]
                 [--python PATH] VERSION...

`--models` takes the kit's models of transformers that break in place of its cases; `--draw` takes N of them by
chance, always the same ones.

Each release has an environment in `build/torch/VERSION`, and one for each other Python that is named;
`torch_env.sh` makes it once, and that takes gigabytes. The executable and the library are those of this Python's
environment, the Python half is that of the checkout.
The file keeps the rows of earlier runs, one for each release, Python, backend and choice of cases.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
from typing import Any

from measured import commit

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ("transformers==5.23.0", "einops", "pillow", "rich")
SEED = 15  # of the models that are drawn
TOOLS = ("pytest", "rich", "httpx", "h11", "sniffio", "attrs", "pydantic", "hypothesis", "einops", "scipy", "pillow")


def environment(version: str, base: str) -> pathlib.Path:
    """The Python of an environment with a release of torch, in which graphmend can be run; `base` makes it."""
    same = pathlib.Path(base).resolve() == pathlib.Path(sys.executable).resolve()
    folder = ROOT / "build" / "torch" / (version if same else f"{version}-{pathlib.Path(base).resolve().name}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["sh", str(ROOT / "tools" / "torch_env.sh"), version, str(folder), base], check=True)
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


def add(python: pathlib.Path, version: str, packages: tuple[str, ...]) -> None:
    """Install packages beside that torch, and leave it as it is."""
    subprocess.run([str(python), "-m", "pip", "install", "-q", *packages, f"torch=={version}"], check=True)


def drawn(names: list[str], count: int) -> list[str]:
    """Some of the names by chance, all of them when the count is 0."""
    return random.Random(SEED).sample(names, min(count, len(names))) if count else names


def breaking_models(kit: str | pathlib.Path, count: int) -> list[str]:
    """Specs of models that broke when the kit was written, some of them by chance."""
    lines = pathlib.Path(kit, "zoo", "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return drawn([line for line in lines if line.strip() and json.loads(line)["breaks_at_writing"]["breaks"]], count)


def models_of(kit: str, count: int) -> list[str]:
    """Options of the scorer for models that broke when the kit was written."""
    chosen = breaking_models(kit, count)
    target = ROOT / "build" / "matrix-models.jsonl"
    target.write_text("".join(f"{line}\n" for line in chosen), encoding="utf-8")
    return ["--zoo", str(target)]


def cases_of(kit: str, count: int) -> list[str]:
    """Options of the scorer for cases: the kit's folder, or one with those that are drawn."""
    folder = pathlib.Path(kit, "cases_dev")
    if not count:
        return ["--cases", str(folder)]
    target = ROOT / "build" / "matrix-cases"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for name in drawn(sorted(path.name for path in folder.glob("*.py")), count):
        shutil.copy2(folder / name, target)
    return ["--cases", str(target)]


def scored(python: pathlib.Path, version: str, options: argparse.Namespace) -> dict[str, Any]:
    """The verdicts of the kit, counted."""
    result = ROOT / "build" / f"matrix-{version}{'-inductor' if options.inductor else ''}.json"
    result.unlink(missing_ok=True)  # a scorer that is ended early must not leave the row of an earlier choice
    command = [str(python), f"{options.kit}/score.py", "--fork"]
    if options.models:
        add(python, version, MODELS)
    command += (models_of if options.models else cases_of)(options.kit, options.draw)
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


def shown(python: pathlib.Path, version: str) -> dict[str, Any]:
    """What the demo's program says about itself, plain and mended."""
    add(python, version, MODELS)
    result = ROOT / "build" / f"matrix-{version}-demo.json"
    result.unlink(missing_ok=True)
    command = [str(python), str(ROOT / "examples" / "demo.py"), "--json", str(result)]
    status = subprocess.run(command, env=surroundings(), check=False).returncode
    records = json.loads(result.read_text(encoding="utf-8"))
    equal = records["mended"]["eager"]["logits"] == records["mended"]["eager"]["eager"]
    steady = [statistics.median(records[kind]["inductor"]["turns"]) for kind in ("mended", "plain")]
    breaks = {kind: records[kind]["inductor"]["breaks"] for kind in ("plain", "mended")}
    return {"demo": {"status": status, "breaks": breaks, "equal": equal, "steady": steady[0] / steady[1]}}


def tested(python: pathlib.Path, version: str) -> dict[str, Any]:
    """The last line of the project's own runtime tests."""
    add(python, version, TOOLS)
    command = [str(python), "-m", "pytest", "-q", str(ROOT / "tests" / "runtime")]
    run = subprocess.run(command, capture_output=True, text=True, env=surroundings(), check=False)
    return {"tests": run.stdout.strip().splitlines()[-1] if run.stdout.strip() else run.stderr[-300:]}


def identity(row: dict[str, Any]) -> tuple[Any, ...]:
    """The run that a row is about: a later one with the same identity takes its place."""
    return tuple(row.get(name, "") for name in ("torch", "python", "inductor", "only", "what"))


def kept(path: pathlib.Path) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The rows of earlier runs, by identity."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {identity(row): row for row in rows}


def run(python: pathlib.Path, version: str, options: argparse.Namespace) -> dict[str, Any]:
    """What is asked for, in a word or two, and what came of it."""
    if options.demo:
        return {"what": "demo", **shown(python, version)}
    if not options.kit:
        return {"what": "tests", **tested(python, version)}
    what = f"{options.draw or 'all'} {'models' if options.models else 'cases'}"
    return {"what": what, **scored(python, version, options)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True)
    parser.add_argument("--kit")
    parser.add_argument("--only")
    parser.add_argument("--inductor", action="store_true")
    parser.add_argument("--models", action="store_true")
    parser.add_argument("--draw", type=int, default=0, metavar="N")
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("versions", nargs="+")
    options = parser.parse_args()
    target = pathlib.Path(options.json)
    rows = kept(target)
    measured = []
    for version in options.versions:
        python = environment(version, options.python)
        mode = mode_of(python)
        row = {"torch": mode["torch"], "python": mode["python"], "mode": mode["mode"], "off": sorted(mode["off"])}
        row |= {"inductor": options.inductor, "only": options.only or "", "commit": commit()}  # of the beginning
        row |= run(python, version, options)
        measured.append(row)
        rows[identity(row)] = row
        print(json.dumps(row))
        target.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    return int(any(row.get("verdicts", {}).get(bad) for row in measured for bad in ("WRONG", "crash", "worse")))


if __name__ == "__main__":
    sys.exit(main())
