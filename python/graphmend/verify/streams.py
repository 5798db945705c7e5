"""What runs printed, logged and warned, in order, and where two orders differ."""

from __future__ import annotations

import dataclasses
import difflib
import re

from .reading import Seen

Entry = tuple[str, str]  # kind and text
LIMIT = 20_000  # entries that are aligned
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
# Lines of standard error that are compared elsewhere, or are torch's own: its log, warnings, tracebacks.
TORCH_LOG = re.compile(r"^[VDIWECF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ")
WARNING = re.compile(r"^.*:\d+: \w*Warning: ")
TRACEBACK = "Traceback (most recent call last):"


@dataclasses.dataclass(frozen=True)
class Hunk:
    """Entries `first` to `last` of the reference, and what stands for them elsewhere."""

    first: int
    last: int
    there: tuple[Entry, ...]

    def touches(self, other: Hunk) -> bool:
        """Whether two hunks are about the same place."""
        return self.first <= other.last and other.first <= self.last


def lines_between(data: bytes, start: int, end: int) -> list[Entry]:
    """The printed lines between two offsets."""
    return [("output", line) for line in data[start:end].decode("utf-8", "replace").splitlines()]


def events(seen: Seen) -> list[Entry]:
    """Printed lines, log records, warnings and the ends of calls, in order."""
    data, found, position = seen.output(), [], 0
    for kind, text, printed in seen.events:
        if printed is not None and printed > position:
            found += lines_between(data, position, printed)
            position = printed
        found.append((kind, text))
    return found + lines_between(data, position, len(data))


def errors(seen: Seen) -> list[Entry]:
    """The lines of standard error that are the program's own."""
    found: list[Entry] = []
    skipping = False
    for line in seen.ended.read("stderr").splitlines():
        if skipping and line.startswith((" ", "\t")):
            continue
        skipping = line == TRACEBACK or WARNING.match(line) is not None
        if not skipping and TORCH_LOG.match(line) is None:
            found.append(("errors", line))
    return found


def hunks(reference: list[Entry], other: list[Entry]) -> list[Hunk]:
    """Where two orders of events differ."""
    if reference == other:
        return []
    start, end = common_ends(reference, other)
    a, b = reference[start : len(reference) - end], other[start : len(other) - end]
    if len(a) > LIMIT or len(b) > LIMIT:
        return [Hunk(start, start + len(a), tuple(b[:LIMIT]))]
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return [
        Hunk(start + first, start + last, tuple(b[i:j]))
        for tag, first, last, i, j in matcher.get_opcodes()
        if tag != "equal"
    ]


def common_ends(a: list[Entry], b: list[Entry]) -> tuple[int, int]:
    """How many entries two lists share at their start and, behind that, at their end."""
    shortest = min(len(a), len(b))
    start = next((i for i in range(shortest) if a[i] != b[i]), shortest)
    rest = shortest - start
    return start, next((i for i in range(rest) if a[-1 - i] != b[-1 - i]), rest)


def masked(entries: tuple[Entry, ...]) -> list[Entry]:
    """Entries without their numbers."""
    return [(kind, NUMBER.sub("0", text)) for kind, text in entries]


def whose(hunk: Hunk, reference: list[Entry], plain: list[Hunk]) -> str:
    """Who is to blame for a difference of the mended program."""
    near = [other for other in plain if other.touches(hunk)]
    if not near:
        return "mended"
    if any(other.there == hunk.there and (other.first, other.last) == (hunk.first, hunk.last) for other in near):
        return "torch"
    here = tuple(reference[hunk.first : hunk.last])
    same = masked(hunk.there) == masked(here) or any(masked(hunk.there) == masked(other.there) for other in near)
    return "unsettled" if same else "mended"


def place(hunk: Hunk, reference: list[Entry]) -> str:
    """Where a difference is, in words."""
    before = next((text for kind, text in reversed(reference[: hunk.first]) if kind == "call"), None)
    return "before the first call returned" if before is None else f"after {before}"


def words(entries: tuple[Entry, ...], kind: str) -> str:
    """The entries of one kind as text, with the ends of calls between them."""
    found = [text if name == kind else f"({text})" for name, text in entries if name in (kind, "call")]
    text = "\n".join(found[:20]) or "nothing"
    return text if len(text) <= 400 else text[:397] + "..."
