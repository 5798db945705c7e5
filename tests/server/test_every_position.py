"""Every position of a document, in the three ways of counting characters: what is said there, and which actions are.

What the server says is held against what it publishes for the document and against `ast`: the findings that touch a
position, with their common range, or else a value, at an expression of the text. Actions are carried out.
"""

from __future__ import annotations

import ast
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsp_client import Client, Message
from stated_texts import hold

HERE = Path(__file__).parent
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
TEXT = """import torch
from typing import Optional
W = "\U0001f600 \u00e9"
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("mean", torch.zeros(3))
    @torch.compile
    def forward(self, x: torch.Tensor, other: Optional[torch.Tensor] = None, flag=False):
        # \u20ac\U0001f600
        a = x.sum(); "\U0001f600\u00e9"; b: torch.Tensor = x > 0
        c = x.long() if flag else None
        if a > 0: print("\u00e9\U0001f600", a.item())
        w = self.scale * 2
        e = self.mean + w[0].abs().to(torch.complex64)
        self.kept = a.float(); x[0] = b
        if x.float().sum() > 0:  # \u00e9
            y = x * 2
        else:
            y = x * 3
        return y.relu().mean(), e, c, other, W  # graphmend: ignore[GM101]
def g(x: torch.Tensor):
    return M()(x)
"""
TEXTS = {"lf": TEXT, "crlf": TEXT.replace("\n", "\r\n"), "cr": TEXT.replace("\n", "\r"), "mark": f"\ufeff{TEXT}"}
ABLE: dict[str, Any] = {
    "textDocument": {
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
        "hover": {"contentFormat": ["markdown"]},
        "diagnostic": {},
    },
}


class Places:
    """The positions of a text in one encoding, and their offsets."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text, (self.codec, self.width) = text, CODECS[encoding]
        self.lines = text.replace("\r\n", "\n\n").replace("\r", "\n").split("\n")
        if "\r\n" in text:
            self.lines = [line for at, line in enumerate(self.lines) if at % 2 == 0 or at == len(self.lines) - 1]
        self.end = 2 if "\r\n" in text else 1
        self.starts = [0, *itertools.accumulate(len(line) + self.end for line in self.lines)]

    def units(self, text: str) -> int:
        return len(text.encode(self.codec)) // self.width

    def offset(self, place: Message) -> int:
        """The offset of a position: of the start of the character, or of the end of the line."""
        if place["line"] >= len(self.lines):
            return len(self.text)
        line, at = self.lines[place["line"]], 0
        while at < len(line) and self.units(line[: at + 1]) <= place["character"]:
            at += 1
        return self.starts[place["line"]] + at

    def all(self) -> Iterator[Message]:
        """Every position, two behind each line, and one behind the text."""
        for number, line in enumerate(self.lines):
            for character in range(self.units(line) + 3):
                yield {"line": number, "character": character}
        yield {"line": len(self.lines) + 3, "character": 1}

    def range(self, given: Message) -> tuple[int, int]:
        for name in ("start", "end"):
            line = self.lines[given[name]["line"]]
            exact = [self.units(line[:at]) for at in range(len(line) + 1)]
            assert given[name]["character"] in exact, given  # never inside of a character
        return self.offset(given["start"]), self.offset(given["end"])

    def place(self, offset: int) -> Message:
        number = max(at for at, start in enumerate(self.starts[: len(self.lines)]) if start <= offset)
        line = self.lines[number][: offset - self.starts[number]]
        return {"line": number, "character": self.units(line)}


def expressions(text: str) -> set[tuple[int, int]]:
    """Offsets of all expressions of a text."""
    places, found = Places(text, "utf-8"), set()
    shift = 1 if text.startswith("\ufeff") else 0
    for node in ast.walk(ast.parse(text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))):
        if isinstance(node, ast.expr) and node.end_lineno is not None and node.end_col_offset is not None:
            ends = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
            found.add(
                tuple(
                    places.offset({"line": line - 1, "character": column + 3 * shift * (line == 1)})
                    for line, column in ends
                )
            )
    return found  # type: ignore[return-value]


def able(start: Callable[..., Client], encoding: str) -> Client:
    client = start(general={"positionEncodings": [encoding]}, **ABLE)
    assert client.capabilities["positionEncoding"] == encoding
    return client


def hovers(client: Client, uri: str, places: Places) -> Iterator[tuple[int, Any]]:
    """The hover of each position, asked for together."""
    asked = list(places.all())
    numbers = [client.start("textDocument/hover", {"textDocument": {"uri": uri}, "position": place}) for place in asked]
    for place, number in zip(asked, numbers):
        yield places.offset(place), client.answer(number)["result"]


@pytest.mark.parametrize("encoding", CODECS)
@pytest.mark.parametrize("name", TEXTS)
def test_hovers(start: Callable[..., Client], name: str, encoding: str) -> None:
    client, text = able(start, encoding), TEXTS[name]
    uri, places, known = client.open("a.py", text), Places(text, encoding), expressions(text)
    found = [(*places.range(one["range"]), one) for one in client.pull(uri)]
    assert len(found) >= 4
    said: dict[tuple[int, int], str] = {}
    for offset, hover in hovers(client, uri, places):
        touching = [one for one in found if one[0] <= offset <= one[1]]
        contents = hover and hover["contents"]["value"]
        if touching:
            assert places.range(hover["range"]) == (max(one[0] for one in touching), min(one[1] for one in touching))
            assert [one[2]["data"]["message"] in contents for one in found] == [one in touching for one in found], (
                contents
            )
        elif hover is not None:
            first, last = places.range(hover["range"])
            assert first <= offset <= last and (first, last) in known, (offset, hover)
            said.setdefault((first, last), contents)
            assert said[first, last] == contents
    assert len(said) > 15
    lines = [
        f"{text[first:last]!r} line {places.place(first)['line']}: {said[first, last]!r}"
        for first, last in sorted(said)
    ]
    hold(HERE / "stated" / "values_of_hovers.txt", "\n".join(lines) + "\n")
    assert client.end() == 0


def carry_out(places: Places, edits: list[Message]) -> str:
    text = places.text
    for edit in reversed(edits):
        first, last = places.range(edit["range"])
        text = text[:first] + edit["newText"] + text[last:]
    return text


def ask(client: Client, uri: str, first: Message, last: Message, only: list[Any] | None = None) -> list[Message]:
    context = {"diagnostics": [], **({} if only is None else {"only": only})}
    asked = {"textDocument": {"uri": uri}, "range": {"start": first, "end": last}, "context": context}
    return list(client.request("textDocument/codeAction", asked))


@pytest.mark.parametrize("encoding", CODECS)
@pytest.mark.parametrize("name", ["lf", "crlf", "mark"])
def test_actions_of_every_range_do_what_they_say(start: Callable[..., Client], name: str, encoding: str) -> None:
    client, text = able(start, encoding), TEXTS[name]
    uri, places = client.open("a.py", text), Places(text, encoding)
    found = [(*places.range(one["range"]), one) for one in client.pull(uri)]
    borders = sorted({0, len(text), *(at + step for one in found for at in one[:2] for step in (-1, 0, 1))})
    borders = [at for at in borders if text[at - 1 : at + 1] != "\r\n"]
    every = ask(client, uri, places.place(0), places.place(len(text)))
    assert {json.dumps(one["diagnostics"][0]) for one in every} == {json.dumps(one[2]) for one in found}
    for first, last in itertools.combinations_with_replacement(borders, 2):
        touching = [json.dumps(one[2]) for one in found if one[0] <= last and one[1] >= first]
        offered = ask(client, uri, places.place(first), places.place(last))
        assert offered == [one for one in every if json.dumps(one["diagnostics"][0]) in touching], (first, last)
    other = able(start, encoding)
    for action in every:
        assert action["kind"] == "quickfix" and list(action["edit"]["changes"]) == [uri]
        changed = carry_out(places, action["edit"]["changes"][uri])
        (gone,) = action["diagnostics"]
        left = [one["message"] for one in other.pull(other.open("a.py", changed))]
        before = [one[2]["message"] for one in found]
        assert left.count(gone["message"]) < before.count(gone["message"]), (action["title"], changed)
        ast.parse(changed.lstrip("\ufeff"))
    assert client.end() == other.end() == 0


BRANCH = """

@torch.compile
def {}(x: torch.Tensor):
    y = x{}.sum()
    if y > 0:
        z = y + 1.0
    else:
        z = y - 1.0
    return z
"""
MENDED = f"import torch\n{BRANCH.format('f', '.float()')}{BRANCH.format('g', '')}"
KINDS = ["quickfix", "source.fixAll.graphmend", "source.graphmend.fixUnsafe"]
WANTED: list[Any] = [
    "",
    "quickfix",
    "quickfix.x",
    "quick",
    "source",
    "source.",
    "source.fixAll",
    "source.fixAl",
    7,
    None,
]
WANTED += ["source.fixAll.graphmend", "source.fixAll.graphmend.x", "source.graphmend", "source.graphmend.fixUnsafe"]
WANTED += ["source.graphmend.fixUnsaf", "refactor", "Source", " source", "q"]


def test_kinds_of_actions_are_those_that_are_wanted(start: Callable[..., Client]) -> None:
    """Of those that are named and what is below them; without any name those that are not of the whole file."""
    client = able(start, "utf-16")
    uri, ends = client.open("a.py", MENDED), ({"line": 0, "character": 0}, {"line": 99, "character": 0})
    assert {one["kind"] for one in ask(client, uri, *ends)} == {"quickfix"}
    for size in (0, 1, 2):
        for only in itertools.product(WANTED, repeat=size):
            named = [kind for kind in KINDS if any(f"{kind}.".startswith(f"{one}.") for one in only if one)]
            offered = [one["kind"] for one in ask(client, uri, *ends, list(only))]
            assert sorted(set(offered)) == sorted(named), only
            assert all(offered.count(kind) == 1 for kind in named if kind != "quickfix"), only
    assert client.end() == 0


def in_order(places: Places, given: list[Message]) -> list[int]:
    return [places.offset(one["position"]) for one in given]


@pytest.mark.parametrize("encoding", CODECS)
@pytest.mark.parametrize("name", TEXTS)
def test_hints_say_what_hovers_say(start: Callable[..., Client], name: str, encoding: str) -> None:
    """Behind each name that is bound alone to a value that a hover tells; in every range those that it touches."""
    text = TEXTS[name]
    client = start(general={"positionEncodings": [encoding]}, options={"inlayHints": True}, **ABLE)
    uri, places = client.open("a.py", text), Places(text, encoding)

    def hints(first: int, last: int) -> list[Message]:
        ends = {"start": places.place(first), "end": places.place(last)}
        return list(client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": ends}))

    every = hints(0, len(text))
    assert len(every) >= 6 and sorted(in_order(places, every)) == in_order(places, every)
    for one in every:
        at = {"textDocument": {"uri": uri}, "position": one["position"]}
        hover = client.request("textDocument/hover", at)
        kind, why = hover["contents"]["value"].split("\n\n")
        assert one["label"] == f": {kind}" and why.startswith(one["tooltip"]), (one, hover)
        assert places.range(hover["range"])[1] == places.offset(one["position"])
    starts = [at for at in places.starts if at <= len(text)]
    for first, last in itertools.combinations(starts, 2):
        some = hints(first, last - places.end)
        assert in_order(places, some) == [at for at in in_order(places, every) if first <= at < last], (first, last)
    assert client.end() == 0
