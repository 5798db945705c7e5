"""Random edits: after each of them the diagnostics are those of a fresh `check` of the text that the client has.

`GRAPHMEND_EDITS` says how many edits there are. Every edit is compared with what a second server, which has never seen
another text, says of the whole; and one in many with `graphmend check` itself.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from lsp_client import Client, Message, check, same_findings

EDITS = int(os.environ.get("GRAPHMEND_EDITS", "1000"))
CHECKED = 50  # every so many edits by the command
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "check"
PULLS = {"textDocument": {"diagnostic": {}}}
PIECES = (
    *"\n\r()[]:#'\"\\ \t=x.,",
    "\r\n",
    "\u00e9",
    "\u20ac",
    "\U0001f600",
    "\u2028",
    "    ",
    "\ufeff",
    "if x.sum() > 0:\n    x = x + 1\n",
    "  # graphmend: ignore[GM101]\n",
    "# coding: latin-1\n",
    "@torch.compile\n",
    "def f(x):\n    return x.item()\n",
    "'''",
    "print(x)\n",
)
WIDTHS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Text:
    """A text as the protocol sees it: line ends are LF, CR LF and CR, positions count units of an encoding."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self.codec, self.width = WIDTHS[encoding]

    def place(self, offset: int) -> Message:
        before = self.text[:offset]
        lines = before.replace("\r\n", "\n\n").replace("\r", "\n")
        start = lines.rfind("\n") + 1
        line = before.count("\n") + before.count("\r") - before.count("\r\n")
        return {"line": line, "character": len(before[start:].encode(self.codec)) // self.width}

    def cut(self, chance: random.Random) -> tuple[int, int]:
        """A range that does not part CR from LF, since no position is between them."""
        start = chance.randrange(len(self.text) + 1)
        end = min(len(self.text), start + chance.choice((0, 0, 1, 1, 2, 5, 20, 200)))

        def whole(at: int) -> int:
            return at - 1 if self.text[at - 1 : at + 1] == "\r\n" else at

        return whole(start), max(whole(start), whole(end))

    def change(self, chance: random.Random) -> Message:
        start, end = self.cut(chance)
        new = "".join(chance.choices(PIECES, k=chance.choice((0, 1, 1, 1, 2, 3))))
        if chance.random() < 0.2 and len(self.text) > 10:
            other = chance.randrange(len(self.text))
            new = self.text[other : other + chance.randrange(80)]
        message = {"range": {"start": self.place(start), "end": self.place(end)}, "text": new}
        self.text = self.text[:start] + new + self.text[end:]
        return message


def fresh(client: Client, text: str) -> list[Message]:
    """What a document that has just been opened has."""
    uri = client.open("fresh.py", text)
    found = client.pull(uri)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    return found


def samples(chance: random.Random) -> str:
    return chance.choice([path.read_text(encoding="utf-8") for path in sorted(SAMPLES.glob("*.py"))])


@pytest.mark.parametrize("encoding", list(WIDTHS))
def test_random_edits(start, executable, tmp_path, encoding) -> None:
    chance = random.Random(f"edits {encoding} {EDITS}")
    capabilities = {**PULLS, "general": {"positionEncodings": [encoding]}}
    client, other = start(**capabilities), start(**capabilities)
    text = Text(samples(chance), encoding)
    uri = client.open("edited.py", text.text)
    for number in range(EDITS // len(WIDTHS) + 1):
        if number % 100 == 99:
            text.text = samples(chance)
            client.change(uri, {"text": text.text})
        else:
            client.change(uri, *[text.change(chance) for _ in range(chance.choice((1, 1, 1, 4)))])
        found = client.pull(uri)
        assert found == fresh(other, text.text), f"edit {number}: {text.text!r}"
        if number % CHECKED == 0 and "coding" not in text.text and not text.text.startswith("\ufeff"):
            named = str(tmp_path / "edited.py")
            assert same_findings(found, check(executable, named, text.text, tmp_path)), f"edit {number}: {text.text!r}"
    assert client.end() == other.end() == 0
