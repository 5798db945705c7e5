"""Reports of `check --watch`, one after another."""

from __future__ import annotations

import subprocess

import pytest


def next_report(process: subprocess.Popen[str]) -> str:
    """The report up to the line that says that graphmend waits for a change."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        if line.startswith("graphmend: waiting"):
            return "".join(lines)
        lines.append(line)
    pytest.fail("the change goes unseen")
