"""Random damage: a value, its text, and faults in what holds the text together. What is read then is the value or
nothing.

Content is left alone: which brackets stood inside of a string before nobody can know. Damage that makes valid JSON of
another value, by itself or with a part of it, is left out: no reader can see it.
"""

from __future__ import annotations

import collections
import itertools
import json
import random
from typing import Any, Callable, NamedTuple, Optional

from meaning_corpus import types_of

from graphmend.core import READ_PLAIN, READ_STRICT, Reader

SIMPLE = "abcXYZ 019"
NASTY = "ab ,:;{}[]()\"'`\\/#=\n\t<>|-+.0019$%\u00e9\u201c\u201d"
KINDS = ("full", "items", "scores", "pet", "ints", "named")

Read = Callable[[str, str], Optional[Any]]


class Edit(NamedTuple):
    at: int
    length: int
    text: str


class Damaged(NamedTuple):
    kind: str  # a name in the corpus' TYPES
    value: Any
    text: str
    faults: int


def parts_of(text: str) -> list[int]:
    """Places of the characters that hold JSON together: not those inside of strings."""
    found, quote, at = [], "", 0
    while at < len(text):
        if quote and text[at] == "\\":
            at += 2
            continue
        if text[at] == quote or (not quote and text[at] in "\"'"):
            quote = "" if quote else text[at]
            found.append(at)
        elif not quote and text[at] in "{}[],:":
            found.append(at)
        at += 1
    return found


class Damager:
    """Makes values of the corpus' types, their texts, and damages them."""

    def __init__(self, seed: int) -> None:
        self._chooser = random.Random(seed)
        self._readers = {kind: Reader(json.dumps(types_of(kind))) for kind in KINDS}

    def read(self, kind: str, text: str, flags: int = READ_PLAIN) -> Optional[Any]:
        """The value of a text, None when there is none."""
        reading = self._readers[kind].read(text, flags)
        return reading["value"] if reading["ok"] else None

    def _text(self, nasty: bool) -> str:
        if nasty:
            return "".join(self._chooser.choices(NASTY, k=self._chooser.randrange(12)))
        return "".join(self._chooser.choices(SIMPLE, k=self._chooser.randrange(1, 9))).strip() or "x"

    def _number(self) -> int:
        return self._chooser.choice([0, 1, -5, self._chooser.randrange(10**6), self._chooser.randrange(10**12)])

    def _value(self, kind: str, nasty: bool) -> Any:
        def text() -> str:
            return self._text(nasty)

        few = range(self._chooser.randrange(1, 5))
        more = self._chooser.random() < 0.5
        if kind == "full":
            maker = {"name": text(), "since": self._number()}
            price = self._chooser.choice([1.5, 0.0, -2.25, 100.0])
            made = {"title": text(), "price": price, "tags": [text() for _ in few[1:]], "maker": maker}
            return {**made, "used": True} if more else made
        if kind == "items":
            return [{"name": text(), "count": self._number()} for _ in few]
        if kind == "scores":
            return {text(): self._number() for _ in few}
        if kind == "pet":
            return {"kind": self._chooser.choice(["cat", "dog"]), "name": text()}
        if kind == "ints":
            return [self._number() for _ in few]
        return {"first_name": text(), "homeTown": text(), **({"age": self._number()} if more else {})}

    def _written(self, value: Any) -> str:
        style = self._chooser.randrange(4)
        separators = (",", ":") if style == 3 else None
        return json.dumps(value, ensure_ascii=style != 1, indent=2 if style == 2 else None, separators=separators)

    def _edit(self, text: str, places: list[int]) -> Edit:
        at, kind = self._chooser.choice(places), self._chooser.random()
        if kind < 0.45:
            return Edit(at, 1, "")
        if kind < 0.65:
            return Edit(at, 0, text[at])
        if kind < 0.85:
            return Edit(at + self._chooser.randrange(2), 0, self._chooser.choice('{}[],:"'))
        return Edit(at, 1, self._chooser.choice("{}[],:\"'"))

    def _edits(self, text: str, count: int) -> list[Edit]:
        places = parts_of(text)
        first = self._edit(text, places)
        if self._chooser.random() < 0.3:  # at one place
            places = [at for at in places if abs(at - first.at) < 4] or places
        return [first, *(self._edit(text, places) for _ in range(count - 1))]

    def _is_hidden(self, kind: str, value: Any, text: str, edits: list[Edit]) -> bool:
        for count in range(1, len(edits) + 1):
            for some in itertools.combinations(edits, count):
                found = self.read(kind, damage(text, some), READ_PLAIN | READ_STRICT)
                if found is not None and found != value:
                    return True
        return False

    def make(self, faults: int, nasty: bool) -> Damaged:
        """A damaged text."""
        while True:
            kind = self._chooser.choice(KINDS)
            value = self._value(kind, nasty)
            text = self._written(value)
            edits = self._edits(text, faults)
            damaged = damage(text, edits)
            if len({edit.at for edit in edits}) == faults and damaged != text:
                if not self._is_hidden(kind, value, text, edits):
                    return Damaged(kind, value, damaged, faults)


def damage(text: str, edits: Any) -> str:
    """A text with edits made, places being those of the text before."""
    for edit in sorted(edits, key=lambda edit: -edit.at):
        text = text[: edit.at] + edit.text + text[edit.at + edit.length :]
    return text


def stripped(value: Any) -> Any:
    """A value whose texts have no blanks around them: beside a missing quote nobody knows to what they belonged."""
    if isinstance(value, dict):
        return {key.strip(): stripped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [stripped(item) for item in value]
    return value.strip() if isinstance(value, str) else value


def tally(read: Read, seed: int, counts: dict[int, int], nasty: Optional[bool] = None) -> dict[str, list[Damaged]]:
    """Damaged texts by what a reader makes of them: "right", "error" and "wrong". `counts` says how many texts there
    are to be with how many faults."""
    made = Damager(seed)
    found: dict[str, list[Damaged]] = collections.defaultdict(list)
    for faults, count in counts.items():
        for number in range(count):
            one = made.make(faults, number % 2 == 1 if nasty is None else nasty)
            value = read(one.kind, one.text)
            right = value is not None and stripped(value) == stripped(one.value)
            found["error" if value is None else "right" if right else "wrong"].append(one)
    return found
