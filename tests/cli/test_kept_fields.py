"""Each field of a kept result set to what cannot be, with the right hash behind: the file is looked at again.

And to what may be: that is told, so the field has been read.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from siphash import siphash

TEXT = (
    "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    x = x.float()\n    print(x)\n"
    "    if x.sum() > 0:\n        y = x * 2\n    else:\n        y = x * 3\n    return y\n"
)
SIZE = len(TEXT)
FIELDS = ["rule", "start", "end", "site", "line_end", "callers", "edits"]
TEXTS = ["message", "because", "advice", "reason", "run_note", "fix_note", "break_id"]
BYTES = ["level", "certain", "reached", "run", "fix"]
RECORD = struct.Struct("=7I7I5B3x")


class Pack:
    """What is kept of one file, and the findings in it."""

    def __init__(self, cli: Any) -> None:
        self.cli = cli
        cli.write("a.py", TEXT)
        self.fresh = self.told()
        (self.path,) = Path(f"{cli.folder}-cache").glob("check/*")
        self.data = self.path.read_bytes()
        self.at = []
        for message in ("`print` ends the graph", "branch on the value of a tensor"):
            self.at.append(self.data.index(message.encode()) - RECORD.size)

    def told(self) -> list[Any]:
        ended = self.cli("check", "--output-format", "json-lines", "--all", "a.py")
        assert ended.status in (0, 1) and ended.err == "", ended
        return [json.loads(line) for line in ended.out.splitlines()]

    def record(self, number: int) -> dict[str, int]:
        values = RECORD.unpack_from(self.data, self.at[number])
        return dict(zip([*FIELDS, *TEXTS, *BYTES], values))

    def told_with(self, number: int, **values: int) -> list[Any]:
        """What is told when some fields of a finding are others."""
        record = {**self.record(number), **values}
        changed = bytearray(self.data[:-16])
        RECORD.pack_into(changed, self.at[number], *record.values())
        self.write(bytes(changed))
        return self.told()

    def write(self, data: bytes) -> None:
        self.path.write_bytes(data + siphash(data))


@pytest.fixture
def pack(cli: Any) -> Pack:
    return Pack(cli)


WRONG: dict[str, list[int]] = {
    "rule": [500, 2**32 - 2],
    "start": [SIZE + 1, 2**32 - 1],
    "end": [0, SIZE + 1, 2**32 - 1],
    "site": [SIZE + 1, 2**32 - 1],
    "line_end": [SIZE + 1, 2**32 - 1],
    "edits": [1, 1000, 2**32 - 2],
    **{name: [2**32 - 1, 5000] for name in TEXTS},
    "message": [0, 1, 2],
    "break_id": [0, 2**32 - 1],
    "level": [7, 255],
    "certain": [2],
    "reached": [2],
    "run": [2],
    "fix": [3, 255],
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_is_looked_at_again(pack: Pack, name: str) -> None:
    for number in range(2):
        for value in WRONG[name]:
            if not (name == "edits" and pack.record(number)["edits"] == value):
                assert pack.told_with(number, **{name: value}) == pack.fresh, (number, name, value)


def test_what_may_be_is_told(pack: Pack) -> None:
    assert len(pack.fresh) == 2
    for number in range(2):
        record, fresh = pack.record(number), pack.fresh[number]
        assert fresh["callers"] == record["callers"]
        for value in (1, 3, 2**32 - 1):
            assert pack.told_with(number, callers=value)[number] == {**fresh, "callers": value}
        for name in ("reached", "run"):
            other = 1 - record[name]
            told = pack.told_with(number, **{name: other})
            assert told != pack.fresh and {**told[number], name: fresh[name]}.keys() == fresh.keys(), name
        assert pack.told_with(number, end=record["start"])[number]["end_column"] == fresh["column"]
        last = pack.told_with(number, end=SIZE)[number]
        assert (last["end_line"], last["end_column"]) == (TEXT.count("\n") + 1, 1), last
        assert pack.told_with(number, site=SIZE, line_end=SIZE)[number]["message"] == fresh["message"]


@pytest.mark.parametrize("byte", [b"\x01", b"\x7f", b"\xff", b"\x00", b"\n"])
def test_words_that_are_none(pack: Pack, byte: bytes) -> None:
    """In the middle of a text, and in its end."""
    for number in range(2):
        record, start = pack.record(number), pack.at[number] + RECORD.size
        for name in TEXTS:
            for at in (start, start + record[name] // 2, start + record[name] - 2) if record[name] > 3 else ():
                changed = bytearray(pack.data[:-16])
                changed[at : at + 1] = byte
                pack.write(bytes(changed))
                assert pack.told() == pack.fresh, (number, name, at)
            if record[name] > 0 and byte != b"\x00":
                changed = bytearray(pack.data[:-16])
                changed[start + record[name] - 1 : start + record[name]] = byte
                pack.write(bytes(changed))
                assert pack.told() == pack.fresh, (number, name, "end")
            start += record[name]


def test_findings_in_the_wrong_order(pack: Pack) -> None:
    first, second = (pack.record(number)["start"] for number in range(2))
    assert first < second
    assert pack.told_with(1, start=first - 1, end=first) == pack.fresh
    assert pack.told_with(0, start=second + 1, end=second + 1) == pack.fresh
