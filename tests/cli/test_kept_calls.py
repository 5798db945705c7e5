"""The calls that are kept beside the results of a file: what cannot be is not read, and the file is looked at again.

A message of the kept result is another one, with the right hash behind: it is told where the result has been read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from siphash import siphash

FIRST = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x)\n    return x\n"
SECOND = """import torch
from a import f as h, k


class Part(Base):
    def __init__(self):
        pass

    def turn(self, x):
        return h(x)


@torch.compile
def g(x: torch.Tensor):
    print(x)
    return h(x)


table = [g, h]
"""
CALLS = b"a.f 1\n>h a.f\n>k a.k\n<Part Base\n=Part\n=Part.__init__\n=Part.turn\n=@g\n=g\n=table\n\0"
# What stands there, what shall, and whether that may be.
CHANGES: dict[str, tuple[bytes, bytes, bool]] = {
    "nothing": (b"a.f 1\n", b"a.f 1\n", True),
    "another number": (b"a.f 1\n", b"a.f 7\n", True),
    "another name": (b"a.f 1\n", b"b.g 1\n", True),
    "nine digits": (b"a.f 1\n>h a.f\n", b"ab 123456789\n", True),
    "ten digits": (b"a.f 1\n>h a.f\n", b"a 1234567890\n", False),
    "no digits": (b"a.f 1\n", b"a.f x\n", False),
    "no number": (b"a.f 1\n", b"a.f1 \n", False),
    "nothing behind the name": (b"a.f 1\n", b"a.f11\n", False),
    "no name": (b"a.f 1\n", b" a 11\n", False),
    "something behind the number": (b"a.f 1\n", b"a 1 1\n", False),
    "two calls": (b"a.f 1\n>h a.f\n", b"a.f 1\na.fh 1\n", True),
    "a call behind what is held": (b"a.f 1\n>h a.f\n", b">h a.f\na.f 1\n", False),
    "another kind": (b">h a.f\n", b"=h a.f\n", True),
    "a kind that is none": (b">h a.f\n", b"?h a.f\n", False),
    "two short names": (b">h a.f\n", b">h\n>af\n", True),
    "no name behind the kind": (b">h a.f\n", b">\n>haf\n", False),
    "an empty line": (b">h a.f\n", b">h a.\n\n", False),
    "no end of a line": (b"=table\n\0", b"=table.\0", False),
    "an end before the end": (b"=@g\n", b"=@\n\0", False),
    "no end": (b"=table\n\0", b"=table\n\n", False),
}


@pytest.mark.parametrize("name", CHANGES)
def test_kept_calls(cli: Any, name: str) -> None:
    before, after, valid = CHANGES[name]
    cli.write("a.py", FIRST)
    cli.write("b.py", SECOND)
    fresh = cli("check", "--output-format", "concise", "a.py", "b.py")
    found = [path for path in Path(f"{cli.folder}-cache").glob("check/*") if CALLS in path.read_bytes()]
    assert len(found) == 1 and fresh.out.count("`print` ends") == 2
    data = found[0].read_bytes()[:-16]
    changed = CALLS.replace(before, after, 1)
    assert len(changed) == len(CALLS)
    start = data.index(CALLS)
    message = data.rindex(b"`print` ends the graph", 0, start)
    data = (
        data[:message] + b"`print` ENDS the graph" + data[message + 22 : start] + changed + data[start + len(CALLS) :]
    )
    found[0].write_bytes(data + siphash(data))
    again = cli("check", "--output-format", "concise", "a.py", "b.py")
    assert again.status == fresh.status == 1 and again.err == ""
    if valid:
        assert again.out.count("`print` ENDS the graph") == 1
    else:
        assert again.out == fresh.out
