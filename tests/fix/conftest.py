"""Fixing text with the executable under test."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest
from fix_command import Command


@pytest.fixture
def fix(executable: str, tmp_path: Path) -> Command:
    return Command(executable, tmp_path)


@pytest.fixture
def fixed(fix: Command) -> Callable[..., str]:
    """The text of a file in the source dialect; nothing may be said on stderr."""

    def run(text: str, *arguments: str) -> str:
        path = fix.write("case.py", text)
        ended = fix(*arguments, str(path))
        assert ended.status in (0, 1) and ended.err == "", ended
        return path.read_text(encoding="utf-8")

    return run
