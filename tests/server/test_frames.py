"""Messages between bytes that are none: each that is whole is answered, in order, however the bytes are cut.

Headers stand in every spelling that is right; what is wrong is told once for each place, and the next header counts.
"""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

BEGIN = {"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": {"capabilities": {}}}
WRONG = [b"no colon\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: \r\n\r\n", b"Content-Length: 1 1\r\n\r\n"]
WRONG += [
    b"Content-Length: 33554433\r\n\r\n",
    b"Content-Type: a\r\n\r\n",
    b"\r\n",
    b"\n",
    b"Content-Len: 3\n\n",
    b"{}\r\n",
]
WRONG += [
    b"a: " + b"b" * 4100 + b"\r\n\r\n",
    b"Content-Length: -1\r\n\r\n",
    b"Content-Length: 99999999999999999999\n\n",
    b"CCContent\n",
]


def framed(chance: random.Random, body: bytes) -> bytes:
    """A message behind a header that is right."""
    name = chance.choice([b"Content-Length", b"content-length", b"CONTENT-LENGTH"])
    size = chance.choice([b": %d", b":%d", b":\t %d ", b": 00%d"]) % len(body)
    end = chance.choice([b"\r\n", b"\r\n", b"\n"])
    others = [b"Content-Type: application/vscode-jsonrpc; charset=utf-8", b"X: y", b"a:"]
    lines = [name + size, *chance.sample(others, chance.choice([0, 0, 1, 2]))]
    chance.shuffle(lines)
    return end.join(lines) + end + end + body


def stream(chance: random.Random, count: int) -> tuple[list[bytes], list[str]]:
    """Parts of a stream, and the ids of its requests."""
    parts, ids = [framed(chance, json.dumps(BEGIN).encode())], ["first"]
    for number in range(count):
        if chance.random() < 0.4:
            parts.append(chance.choice(WRONG))
        name = f"{number} {chance.choice(['', 'x' * 300, 'Content-Length: 5', chr(10) * 2, chr(233)])}"
        body = json.dumps({"jsonrpc": "2.0", "id": name, "method": "nothing"}, ensure_ascii=False).encode()
        parts.append(framed(chance, body))
        ids.append(name)
    return parts, ids


def answers(executable: str, folder: Path, pieces: list[bytes]) -> list[Any]:
    """What the server sends."""
    command = [executable, "server"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for piece in pieces:
            process.stdin.write(piece)
            process.stdin.flush()
        process.stdin.close()
        data, found = process.stdout.read(), []
        while data:
            header, _, rest = data.partition(b"\r\n\r\n")
            size = int(header.removeprefix(b"Content-Length: "))
            found.append(json.loads(rest[:size]))
            data = rest[size:]
        return found


def apart(found: list[Any]) -> list[list[Any]]:
    """The answers, and what is told of wrong bytes: a request may wait while bytes behind it are read."""
    return [[one for one in found if (one.get("id") is None) is wrong] for wrong in (False, True)]


@pytest.mark.parametrize("seed", range(12))
def test_messages_between_others(executable: str, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    parts, ids = stream(chance, 30)
    data = b"".join(parts)
    whole = answers(executable, tmp_path, [data])
    assert [one["id"] for one in whole if one.get("id") is not None] == ids
    errors = [one for one in whole if one.get("id") is None]
    assert len(errors) >= sum(part in WRONG for part in parts) / 2
    assert all(one["error"]["code"] == -32700 for one in errors if "error" in one), errors
    pieces, at = [], 0
    while at < len(data):
        size = chance.choice([1, 1, 2, 7, 40, 500])
        pieces.append(data[at : at + size])
        at += size
    assert apart(answers(executable, tmp_path, pieces)) == apart(whole)
    assert apart(answers(executable, tmp_path, parts)) == apart(whole)


def test_a_message_that_has_not_come_is_not_answered(executable: str, tmp_path: Path) -> None:
    """Of a stream that ends in the middle of a message those in front are answered."""
    chance = random.Random(99)
    first, last = (
        framed(chance, json.dumps(BEGIN).encode()),
        b'Content-Length: 42\r\n\r\n{"jsonrpc": "2.0", "id": 3, "method": "x"}',
    )
    for end in range(len(last) + 1):
        found = answers(executable, tmp_path, [first + last[:end]])
        assert [one["id"] for one in found] == ["first", *([3] if end >= len(last) else [])], last[:end]


MOST = 4096  # how far the last byte of a header may be from its first one


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("front", range(4))
def test_headers_of_the_greatest_length(executable: str, tmp_path: Path, front: int, end: bytes) -> None:
    """A header of the greatest length counts, also behind lines each of which begins one that is too long."""
    first = framed(random.Random(1), json.dumps(BEGIN).encode())
    body = b'{"jsonrpc": "2.0", "id": "long", "method": "nothing"}'
    last = framed(random.Random(2), b'{"jsonrpc": "2.0", "id": "last", "method": "nothing"}')
    for far in range(MOST - 3, MOST + 4):
        lines = b"Content-Length: %d" % len(body) + end + b"X: "
        header = lines + b"y" * (far + 1 - len(lines) - 2 * len(end)) + 2 * end
        assert len(header) == far + 1
        found = answers(executable, tmp_path, [first + front * (b"content-length: 1" + end) + header + body + last])
        ids = [one["id"] for one in found if one.get("id") is not None]
        assert ids == ["first", *(["long"] if far <= MOST else []), "last"], far


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("size", [0, 100, MOST - 100, MOST, MOST + 100, 3 * MOST])
def test_a_message_behind_a_header_that_is_too_long(executable: str, tmp_path: Path, size: int, end: bytes) -> None:
    """It counts, however long it is and however many lines the wrong header has."""
    body = json.dumps({"jsonrpc": "2.0", "id": "behind", "method": "nothing", "params": {"x": "y" * size}}).encode()
    last = framed(random.Random(2), b'{"jsonrpc": "2.0", "id": "last", "method": "nothing"}')
    for lines in (1, 2, 50):
        long = (b"Content-Length: 7" + end) * lines + b"X: " + b"y" * 2 * MOST + end
        header = b"Content-Length: %d" % len(body) + 2 * end
        for empty in (b"", end, b"y" + end + end):
            found = answers(executable, tmp_path, [long + empty + header + body + last])
            ids = [one["id"] for one in found if one.get("id") is not None]
            assert ids == ["behind", "last"], (lines, empty)
