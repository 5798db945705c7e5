"""The builds of `make mutants`, beside the working tree: one that mutants change, and one that marks what runs."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROBE = Path(__file__).with_name("mutant_probe.c")
SOURCES = ("src", "include", "data", "tests/c")
# What reads past an array of a known size ends with a signal, as it does in the build with sanitizers that `make test`
# runs, and so does what copies more than there is room for, or from no address; the other sanitizers take too long for
# hundreds of mutants.
CHECKED = "-O1 -D_FORTIFY_SOURCE=2 -fsanitize=bounds,nonnull-attribute -fsanitize-undefined-trap-on-error"


def copy_changed(source: str, target: str) -> str:
    """Copy a file that differs, with the time of now: a run that was ended leaves its last mutant behind."""
    there = Path(target)
    if not there.exists() or there.read_bytes() != Path(source).read_bytes():
        shutil.copyfile(source, target)
    return target


def copy_sources(folder: Path) -> None:
    """What the build needs, beside the working tree, and nothing that is gone there."""
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True, copy_function=copy_changed)
        for path in [path for path in (folder / name).rglob("*") if path.is_file()]:
            if not (ROOT / path.relative_to(folder)).exists():
                path.unlink()
    copy_changed(str(ROOT / "CMakeLists.txt"), str(folder / "CMakeLists.txt"))


def configure(folder: Path, built: Path, flags: str, *settings: str) -> None:
    """Assertions are on; the test programs are built too, for some tests run them."""
    fast = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = ["-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_C_FLAGS_DEBUG={flags}", "-DGM_TESTS=ON", *settings]
    command = ["cmake", *fast, "-S", str(folder), "-B", str(built), *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build(built: Path) -> bool:
    """Whether the programs and the library build."""
    command = ["cmake", "--build", str(built), "--parallel", "2"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def programs_of(built: Path) -> list[Path]:
    return [path for path in sorted(built.iterdir()) if path.name.startswith(("graphmend", "gm-", "libgraphmend.so"))]


def keep_whole(folder: Path) -> None:
    """The programs and the library without a mutant, beside those that change."""
    (folder / "whole").mkdir(exist_ok=True)
    for path in programs_of(folder / "build"):
        shutil.copy2(path, folder / "whole" / path.name)


def build_marking(folder: Path) -> bool:
    """Build what marks the places that run: in files of the folder `hits`."""
    marking = folder / "marking"
    (marking / "hits").mkdir(parents=True, exist_ok=True)
    probe = ["cc", "-O2", "-fPIC", f'-DGM_HITS="{marking}/hits"', "-c", str(PROBE), "-o", str(marking / "probe.o")]
    subprocess.run(probe, check=True)
    flags = "-O0 -g1 -fsanitize-coverage=trace-pc"
    kinds = [f"-DCMAKE_{kind}_LINKER_FLAGS={marking}/probe.o" for kind in ("EXE", "SHARED")]
    configure(folder, marking, flags, *kinds)
    return build(marking)


def digest_of(paths: list[Path]) -> str:
    """Of the contents of all files below the paths."""
    digest = hashlib.sha256()
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.suffix != ".pyc":
                digest.update(f"{file} {file.stat().st_size}\n".encode() + file.read_bytes())
    return digest.hexdigest()
