"""The transcripts in README.md and docs/check.md are what the commands print.

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
PAGES = (README, ROOT / "docs" / "check.md")
BLOCK = re.compile(r"(?<=```console\n)\$ (.*)\n((?:.*\n)*?)(?=```\n)")
COMMANDS = {page: [match.group(1) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))] for page in PAGES}
SHOWN = [(page, command) for page, commands in COMMANDS.items() for command in commands]


def output(command: str, executable: str, python: str, cache: Path) -> str:
    """What a command prints, its errors below its output as a terminal would show them here."""
    first, *arguments = command.split()
    program = {"graphmend": executable, "python": python}[first]
    settings = {"NO_COLOR": "1", "GRAPHMEND_PYTHON": python, "GRAPHMEND_CACHE_DIR": str(cache)}
    environment = {**os.environ, **settings}
    done = subprocess.run([program, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_the_readme_shows_every_way_to_use_it() -> None:
    assert [command.split()[:2] for command in COMMANDS[README]] == [
        ["graphmend", "check"],
        ["python", "examples/tour.py"],
        ["graphmend", "run"],
    ]


@pytest.mark.parametrize(("page", "command"), SHOWN, ids=lambda value: value if isinstance(value, str) else value.stem)
def test_transcript(request: pytest.FixtureRequest, executable: str, tmp_path: Path, page: Path, command: str) -> None:
    python = sys.executable
    if "python" in command or " run " in command:
        if importlib.util.find_spec("torch") is None:
            pytest.skip("torch is not installed")
        python = request.getfixturevalue("warm_python")
    printed = output(command, executable, python, tmp_path)
    text = page.read_text(encoding="utf-8")
    (shown,) = [match for match in BLOCK.finditer(text) if match.group(1) == command]
    if os.environ.get("GRAPHMEND_ACCEPT") == "1":
        page.write_text(text[: shown.start(2)] + printed + text[shown.end(2) :], encoding="utf-8")
    else:
        assert printed == shown.group(2)
