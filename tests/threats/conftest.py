"""The executable that limits of memory and of CPU time bind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def limited(executable: str) -> str:
    """The installed executable: one with sanitizers takes terabytes of addresses, and runs without a limit."""
    installed = Path(sys.executable).with_name("graphmend")
    return str(installed) if installed.exists() else executable
