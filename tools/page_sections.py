"""The sections of docs/results.md: made of what was measured in this build folder, or kept as the page has them.

A build folder holds what one machine has measured since it was made, which is seldom all of it. What it does not hold
is not measured anew, and is no less true for that.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Callable

HEADING = "## "
VERDICTS = ("whole", "clean", "fewer", "same", "worse", "crash", "WRONG")
REASON_LENGTH = 160
FOLDERS = re.compile(r"(?<![\w.])/(?:[\w.@+-]+/)+")  # of the machine that measured


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A Markdown table."""
    lines = ["| " + " | ".join(headings) + " |", "|" + " --- |" * len(headings)]
    for row in rows:
        cells = (str(cell).replace("|", "\\|").replace("\n", " ") for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def read(path: Path) -> Any:
    """The JSON of a file, or None where it has not been made, or not to its end."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


@dataclasses.dataclass(frozen=True)
class Section:
    """A section of the page, and the file with its measurements."""

    title: str
    piece: Path
    missing: str  # what is said when it has never been measured
    write: Callable[[Any], list[str]]  # lines from what the piece holds, with an empty one at the end

    def lines(self, kept: dict[str, list[str]]) -> list[str]:
        record = read(self.piece)
        if record is not None:
            return [HEADING + self.title, "", *measured_at(self.piece), *self.write(record)]
        return kept.get(self.title, [HEADING + self.title, "", self.missing, ""])


def measured_at(piece: Path) -> list[str]:
    """Of which commit and with which versions a piece tells, as tools/measured.py has noted."""
    note = piece.with_suffix(".commit")
    return [f"Measured at commit {note.read_text(encoding='utf-8').strip()}.", ""] if note.exists() else []


def sections_of(page: Path) -> dict[str, list[str]]:
    """The sections of a page that was written before, by title, with their headings; none where there is no page."""
    found: dict[str, list[str]] = {}
    title = None
    for line in page.read_text(encoding="utf-8").splitlines() if page.exists() else ():
        title = line[len(HEADING) :] if line.startswith(HEADING) else title
        if title is not None:
            found.setdefault(title, []).append(line)
    return {title: [*"\n".join(lines).rstrip().split("\n"), ""] for title, lines in found.items()}


def shortened(text: str) -> str:
    """A reason without folders of the machine and not too long."""
    text = FOLDERS.sub("", text)
    return text if len(text) <= REASON_LENGTH else text[: REASON_LENGTH - 1] + "…"
