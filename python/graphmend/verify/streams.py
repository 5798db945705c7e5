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
    """Entries `first` to `last` of the reference, and the matching entries of another run."""

    first: int
    last: int
    there: tuple[Entry, ...]


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


@dataclasses.dataclass(frozen=True)
class Region:
    """A place where one of two runs differs from the reference: the entries of all three."""

    first: int
    eager: tuple[Entry, ...]
    plain: tuple[Entry, ...]
    mended: tuple[Entry, ...]

    def all(self) -> tuple[tuple[Entry, ...], ...]:
        """The eager, the plain and the mended part."""
        return self.eager, self.plain, self.mended

    def whose(self) -> str:
        """Who is to blame: what both runs share is torch's, and where only numbers change, nobody is known."""
        if self.mended in (self.eager, self.plain):
            return "torch"
        if self.plain == self.eager:
            return "mended"
        return "unsettled" if masked(self.mended) in (masked(self.eager), masked(self.plain)) else "mended"


DECIMAL = re.compile(r"[-+]?\d*\.\d+(?:[eE][-+]?\d+)?")


def is_rounding(eager: str, plain: str, mended: str, *rounded: str, factor: float) -> bool:
    """Whether two texts differ only in decimals, and each decimal within the spread of rounding.

    `rounded` has the texts of runs with other rounding. Printed numbers have few digits, so half of the last digit is
    added to the spread.
    """
    texts = eager, plain, mended, *rounded
    if len({DECIMAL.sub("#", text) for text in texts}) != 1:
        return False
    for words_of_one in zip(*map(DECIMAL.findall, texts)):
        first, *others = map(float, words_of_one)
        of_plain, of_mended, *of_rounded = (abs(other - first) for other in others)
        spread = max(of_rounded)
        digits = words_of_one[0].lower().partition("e")[0].partition(".")[2]
        if of_mended > factor * max(of_plain if of_plain <= factor * spread else 0.0, spread) + 10.0 ** -len(digits):
            return False
    return True


def rendered(reference: list[Entry], found: list[Hunk], first: int, last: int) -> tuple[Entry, ...]:
    """What stands for a part of the reference, given all hunks."""
    entries: list[Entry] = []
    for hunk in found:
        if first <= hunk.first and hunk.last <= last:
            entries += [*reference[first : hunk.first], *hunk.there]
            first = hunk.last
    return (*entries, *reference[first:last])


def regions(eager: list[Entry], plain: list[Entry], mended: list[Entry]) -> list[Region]:
    """All places where a run differs from the eager one."""
    of_plain, of_mended = hunks(eager, plain), hunks(eager, mended)
    groups: list[list[int]] = []
    for hunk in sorted([*of_plain, *of_mended], key=lambda hunk: (hunk.first, hunk.last)):
        if groups and hunk.first <= groups[-1][1]:
            groups[-1][1] = max(groups[-1][1], hunk.last)
        else:
            groups.append([hunk.first, hunk.last])
    return [
        Region(
            first,
            tuple(eager[first:last]),
            rendered(eager, of_plain, first, last),
            rendered(eager, of_mended, first, last),
        )
        for first, last in groups
    ]


def place(region: Region, reference: list[Entry]) -> str:
    """Where a difference is, in words."""
    before = next((text for kind, text in reversed(reference[: region.first]) if kind == "call"), None)
    return "before the first call returned" if before is None else f"after {before}"


def kinds(region: Region) -> list[str]:
    """The kinds of events in a region."""
    return list(dict.fromkeys(kind for entries in region.all() for kind, _ in entries))


def of_kind(entries: tuple[Entry, ...], *kinds: str) -> list[str]:
    """The entries of some kinds, with the ends of calls between them."""
    return [text if name in kinds else f"({text})" for name, text in entries if name in (*kinds, "call")]


def words(entries: list[str]) -> str:
    """Entries as one text."""
    text = "\n".join(entries[:20]) or "nothing"
    return text if len(text) <= 400 else text[:397] + "..."
