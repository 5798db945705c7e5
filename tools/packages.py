"""Score the programs on packages of `bench/packages` with an evaluation kit.

usage: packages.py --kit DIR --json FILE [--only PATTERN] [FAMILY...]

Each folder of `bench/packages` is a family: programs in the form of the kit's cases, and the packages that they need. A
family has an environment in `build/packages/FAMILY`, which is made once and finds torch and graphmend in the
environment that runs this. Families that are not measured again keep what the file says of them.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import sysconfig
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "bench" / "packages"
ENVIRONMENTS = ROOT / "build" / "packages"
HELD = ("torch", "numpy")  # no package may bring another one along


def families(chosen: list[str]) -> list[pathlib.Path]:
    """The folders of the chosen families; all of them where none is chosen."""
    return [
        folder.parent
        for folder in sorted(PROGRAMS.glob("*/requirements.txt"))
        if folder.parent.name in chosen or not chosen
    ]


def environment(family: pathlib.Path) -> pathlib.Path:
    """The Python of a family."""
    folder = ENVIRONMENTS / family.name
    python, stamp = folder / "bin" / "python", folder / "requirements.txt"
    wanted = (family / "requirements.txt").read_text(encoding="utf-8")
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = pathlib.Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())
    here = sysconfig.get_path("purelib")
    (site / "beside.pth").write_text(f"import site; site.addsitedir({here!r})\n", encoding="utf-8")
    held = folder / "held.txt"
    held.write_text("".join(f"{name}=={importlib.metadata.version(name)}\n" for name in HELD), encoding="utf-8")
    command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", str(held)]
    subprocess.run([*command, "-r", str(family / "requirements.txt")], check=True)
    import_without_library(python, site / "torchvision" / "_meta_registrations.py")
    stamp.write_text(wanted, encoding="utf-8")
    return python


def import_without_library(python: pathlib.Path, registrations: pathlib.Path) -> None:
    """Have torchvision be imported where its library does not load: that of the index needs a torch with CUDA."""
    fails = (
        registrations.exists()
        and subprocess.run([str(python), "-c", "import torchvision"], capture_output=True).returncode
    )
    if fails:
        registrations.write_text("", encoding="utf-8")


def scored(family: pathlib.Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    """What the kit says of the programs of a family."""
    python, result = environment(family), ENVIRONMENTS / f"{family.name}.json"
    result.unlink(missing_ok=True)
    mend = pathlib.Path(sys.executable).with_name("graphmend")
    command = [str(python), f"{options.kit}/score.py", "--fork", "--cases", str(family), "--json", str(result)]
    command += ["--cache", str(ROOT / "build" / "score-cache"), "--timeout", "600", "--jobs", "1"]
    command += ["--mend", f"{mend} run", "--only", options.only]
    settings = {"GRAPHMEND_PYTHON": str(python), "PYTHONHASHSEED": "0"}  # objects of transformers keep hashes of texts
    subprocess.run(command, env={**os.environ, **settings}, check=False)
    return json.loads(result.read_text(encoding="utf-8")) if result.exists() else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True)
    parser.add_argument("--json", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("families", nargs="*")
    options = parser.parse_args()
    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    if options.json.exists():
        found = {row["name"]: row for row in json.loads(options.json.read_text(encoding="utf-8"))["programs"]}
    for family in families(options.families):
        found.update({row["name"]: {**row, "folder": family.name} for row in scored(family, options)})
        data = {"programs": [found[name] for name in sorted(found)]}
        options.json.write_text(json.dumps(data), encoding="utf-8")
    return int(any(row["verdict"] in ("WRONG", "crash", "worse") for row in found.values()))


if __name__ == "__main__":
    sys.exit(main())
