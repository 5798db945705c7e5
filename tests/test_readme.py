"""The transcripts in README.md are what the commands print.

After a change that is meant, `GRAPHMEND_ACCEPT=1 pytest tests/test_readme.py` writes them anew.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"(?<=```console\n)\$ (.*)\n((?:.*\n)*?)(?=```\n)")
COMMANDS = [match.group(1) for match in BLOCK.finditer(README.read_text(encoding="utf-8"))]


def output(command: str, executable: str, cache: Path) -> str:
    """What a command prints, its errors below its output as a terminal would show them here."""
    first, *arguments = command.split()
    program = {"graphmend": executable, "python": sys.executable}[first]
    settings = {"NO_COLOR": "1", "GRAPHMEND_PYTHON": sys.executable, "GRAPHMEND_CACHE_DIR": str(cache)}
    environment = {**os.environ, **settings}
    done = subprocess.run([program, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_the_readme_shows_every_way_to_use_it() -> None:
    assert [command.split()[:2] for command in COMMANDS] == [
        ["graphmend", "check"],
        ["python", "examples/tour.py"],
        ["graphmend", "run"],
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_transcript(executable: str, tmp_path: Path, command: str) -> None:
    if "check" not in command and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    printed = output(command, executable, tmp_path)
    text = README.read_text(encoding="utf-8")
    (shown,) = [match for match in BLOCK.finditer(text) if match.group(1) == command]
    if os.environ.get("GRAPHMEND_ACCEPT") == "1":
        README.write_text(text[: shown.start(2)] + printed + text[shown.end(2) :], encoding="utf-8")
    else:
        assert printed == shown.group(2)
