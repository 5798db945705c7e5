"""Input that nobody writes by hand: bounded time, a diagnostic, no crash, under the sanitizers in `make test`."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

# Generous: the bound is there to catch quadratic behaviour (which would take hours), not to measure speed.
TIME_LIMIT = 300
STDLIB = Path(sysconfig.get_paths()["stdlib"])
TEN_FILES = [
    "abc.py",
    "ast.py",
    "bisect.py",
    "codeop.py",
    "contextlib.py",
    "dataclasses.py",
    "functools.py",
    "keyword.py",
    "string.py",
    "textwrap.py",
]

HOSTILE = {
    "brackets": b"(" * 1_000_000,
    "closed brackets": b"(" * 1_000_000 + b")" * 1_000_000,
    "mixed brackets": b"([{" * 333_333,
    "closing brackets": b")" * 1_000_000,
    "unary": b"x = " + b"-" * 1_000_000 + b"1\n",
    "not": b"x = " + b"not " * 250_000 + b"1\n",
    "lambda": b"x = " + b"lambda:" * 250_000 + b"1\n",
    "power": b"x = " + b"2**" * 500_000 + b"1\n",
    "lambda in items of with": b"with (" + b"lambda:" * 250_000 + b"1 as y): pass\n",
    "power in items of with": b"with (" + b"2**" * 500_000 + b"1): pass\n",
    "conditional": b"x = " + b"a if b else " * 100_000 + b"c\n",
    "attributes": b"x = a" + b".b" * 500_000 + b"\n",
    "calls": b"x = a" + b"()" * 500_000 + b"\n",
    "sum": b"x = 1" + b"+1" * 500_000 + b"\n",
    "comparison": b"x = 1" + b"<1" * 500_000 + b"\n",
    "blocks": b"".join(b" " * i + b"if x:\n" for i in range(3_000)),
    "elif": b"if a: pass\n" + b"elif a: pass\n" * 100_000,
    "decorators": b"@a\n" * 300_000 + b"def f(): pass\n",
    "strings": b"x = " + b"'a' " * 300_000 + b"\n",
    "format strings": b"x = " + b"f'{" * 100_000,
    "nested format strings": b"x = " + b"f'{" * 50 + b"1" + b"}'" * 50,
    "format specs": b"x = f'{a" + b":{a" * 100_000,
    "source text": b"x = f'''" + b"{a = # b\n}" * 100_000 + b"'''\n",
    "nested source text": b"x = " + b"f'{" * 100 + b"1" + b"=}'" * 100,
    "open string": b"x = '''" + b"a\n" * 500_000,
    "backslashes": b"\\\n" * 500_000,
    "nul": b"x = 1\0\ny = 2\n",
    "nuls": b"\0" * 1_000_000,
    "invalid utf-8": b"x = '\xff\xfe\x80'\n",
    "surrogates": b"x = '\xed\xa0\x80'\n",
    "high bytes": bytes(range(128, 256)) * 10_000,
    "all bytes": bytes(range(256)) * 4_000,
    "bad cookie": b"# -*- coding: no-such-encoding -*-\nx = 1\n",
    "wrong cookie": b"\xef\xbb\xbf# -*- coding: latin-1 -*-\nx = 1\n",
    "recoded bytes": b"# coding: koi8-r\nx = '" + bytes(range(128, 256)) * 10_000 + b"'\n",
    "undefined bytes": b"# coding: cp1252\n# " + b"\x81" * 1_000_000,
    "cookies": b"# coding: " * 200_000,
    "long cookie": b"# coding: " + b"a" * 1_000_000,
    "indents": b"if x:\n\ty\n        z\n",
    "question marks": b"?" * 1_000_000,
    "semicolons": b";" * 1_000_000,
}


@pytest.fixture(scope="module")
def build() -> Path:
    """The build folder with the executable and the test programs."""
    folder = os.environ.get("GRAPHMEND_BUILD")
    if not folder:
        pytest.skip("set GRAPHMEND_BUILD to a build folder with the test programs")
    return Path(folder)


def run(*command: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(part) for part in command], capture_output=True, timeout=TIME_LIMIT)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes(build: Path, tmp_path: Path, name: str) -> None:
    """The bytes come back unchanged, and the tree is made or refused with a position."""
    path = tmp_path / "hostile.py"
    path.write_bytes(HOSTILE[name])
    rebuilt = run(build / "graphmend", "debug", "tokens", "--rebuild", path)
    assert rebuilt.stdout == HOSTILE[name]
    parsed = run(build / "graphmend", "debug", "tree", path)
    assert parsed.returncode in (0, 1), parsed.stderr[-2000:]
    if parsed.returncode == 1:
        first = parsed.stderr.splitlines()[0].decode("utf-8", "replace")
        line, column = first[len(str(path)) + 1 :].split(":")[:2]
        assert int(line) >= 1 and int(column) >= 0


def test_one_long_line(build: Path, tmp_path: Path) -> None:
    """A line of 100 MB."""
    path = tmp_path / "long.py"
    path.write_bytes(b"x = [" + b"1, " * (100_000_000 // 3) + b"]\n")
    checked = run(build / "gm-prefixes", 200_000_000, path)
    assert checked.returncode == 0, checked.stderr[-2000:]


def test_every_prefix(build: Path) -> None:
    """All prefixes of one file, and every 211th of a large one."""
    for step, name in ((1, "textwrap.py"), (211, "typing.py")):
        checked = run(build / "gm-prefixes", step, STDLIB / name)
        assert checked.returncode == 0, checked.stderr[-2000:]


def test_memory_runs_out(build: Path) -> None:
    """Every single allocation fails once, on ten files."""
    checked = run(build / "gm-out_of_memory", *(STDLIB / name for name in TEN_FILES))
    assert checked.returncode == 0, checked.stderr[-2000:]
    assert checked.stdout.count(b"failures survived") == len(TEN_FILES)
