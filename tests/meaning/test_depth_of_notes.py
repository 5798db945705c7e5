"""What `graphmend meaning` finds of names that are bound so deep, in blocks of every kind."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

LIMIT = 50
BLOCKS = {
    "if": ("if a:", ""),
    "else": ("if a: pass\n{}else:", ""),
    "try": ("try:", "finally: pass"),
    "tried": ("try: pass\n{}except a: pass\n{}else:", ""),
    "with": ("with a:", ""),
    "class": ("class C:", ""),
    "def": ("def f():", ""),
}


def program(kinds: list[str]) -> str:
    lines, ends = [], []
    for depth, kind in enumerate(kinds):
        head, end = BLOCKS[kind]
        blanks = " " * depth
        lines.append(blanks + head.replace("{}", blanks))
        ends.append(f"{blanks}{end}" if end else "")
    lines.append(f"{' ' * len(kinds)}def last(): pass")
    return "\n".join([*lines, *filter(None, reversed(ends))]) + "\n"


def listed(executable: str, folder: Path, text: str) -> bool:
    (folder / "a.py").write_text(text)
    done = subprocess.run([executable, "meaning", "a.py"], cwd=folder, capture_output=True, text=True, check=True)
    names = [one["name"] for one in json.loads(done.stdout)["definitions"]]
    return any(name.endswith("last") for name in names)


@pytest.mark.parametrize("kind", BLOCKS)
def test_depth_of_notes(executable: str, tmp_path: Path, kind: str) -> None:
    for depth in (0, 1, 2, LIMIT // 2, LIMIT // 2 + 1, LIMIT - 1, LIMIT, LIMIT + 1):
        assert listed(executable, tmp_path, program([kind] * depth)) == (depth < LIMIT), depth
        mixed = [[*BLOCKS][at % len(BLOCKS)] for at in range(depth)]
        assert listed(executable, tmp_path, program(mixed)) == (depth < LIMIT), depth


BOUND = {"name": "T = int", "alias": "type T = int", "annotated": "T: object = int"}
BOUND |= {"import": "from typing import Any as T"}
SEEN, DEEPEST = ["if", "else", "try", "tried"], 32


def known(executable: str, folder: Path, text: str) -> bool:
    (folder / "a.py").write_text(f"{text}def asked(x: T) -> T: ...\n")
    done = subprocess.run([executable, "meaning", "a.py:asked"], cwd=folder, capture_output=True, text=True)
    return done.returncode == 0


@pytest.mark.parametrize("bound", BOUND)
@pytest.mark.parametrize("kind", [*SEEN, "mixed"])
def test_depth_of_names(executable: str, tmp_path: Path, kind: str, bound: str) -> None:
    for depth in (0, 1, 2, DEEPEST // 2, DEEPEST // 2 + 1, DEEPEST - 2, DEEPEST - 1, DEEPEST, DEEPEST + 1):
        kinds = [SEEN[at % len(SEEN)] if kind == "mixed" else kind for at in range(depth)]
        text = program(kinds).replace("def last(): pass", BOUND[bound])
        assert known(executable, tmp_path, text) == (depth < DEEPEST), depth
