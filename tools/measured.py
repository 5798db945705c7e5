"""Run a command that measures, and note beside its file what was measured: the commit, and versions.

usage: measured.py FILE.json COMMAND [ARGUMENT...]

Beside FILE.json, FILE.commit has one line for docs/results.md; it is written when the command has written the file. The
versions are those of the environment that runs this. The exit status is that of the command.
"""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
import sys
from pathlib import Path

PACKAGES = ("graphmend", "torch", "transformers", "numpy")


def commit() -> str:
    """The commit of the working folder, and whether files differ from it."""
    command = ["git", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty= with changes"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return "unknown"
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def versions() -> str:
    named = [f"{package} {version}" for package in PACKAGES if (version := version_of(package))]
    return ", ".join([*named, f"Python {platform.python_version()}", platform.machine()])


def changed_at(path: Path) -> int | None:
    return path.stat().st_mtime_ns if path.exists() else None


def main(arguments: list[str]) -> int:
    if len(arguments) < 2 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    piece = Path(arguments[0])
    before = changed_at(piece)
    note = f"{commit()} ({versions()})\n"  # of the beginning: files may change while it runs
    status = subprocess.run(arguments[1:]).returncode
    if changed_at(piece) not in (None, before):
        piece.with_suffix(".commit").write_text(note, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
