"""Texts that stand in a file beside a test, in full: GRAPHMEND_ACCEPT=1 writes those of now, to be read as a diff."""

from __future__ import annotations

import os
from pathlib import Path


def hold(path: Path, text: str) -> None:
    """Hold a text against its file."""
    if os.environ.get("GRAPHMEND_ACCEPT") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
