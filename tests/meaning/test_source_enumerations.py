"""Random enumerations: from source they have the members, names and values that Python gives them."""

from __future__ import annotations

import importlib
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from graphmend import core
from graphmend.meaning.api import readable

CLASSES = 500
HEAD = """import enum
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto
"""
NUMBERS = ["1", "2", "5", "0", "-1", "-7", "1.5", "4294967296", "1 << 3", "3 << 1", "0x1F", "1_000"]
TEXTS = ["'a'", '"b c"', "'A0'", "''", "'\\u00e9\\n'", '"it\'s"', "'x' 'y'"]
OTHERS = ["None", "True", "False", "b'a'", "b'abc'", "b''", "object()"]
BITS = ["1", "2", "4", "8", "1 << 4", "1 << 0", "3", "0", "1 << 50", "1024 << 1", "0b100", "16"]
KINDS = {
    "Enum": [*NUMBERS, *TEXTS, *OTHERS],
    "enum.Enum": [*NUMBERS, *TEXTS],
    "IntEnum": [one for one in NUMBERS if "." not in one],
    "StrEnum": TEXTS,
    "str, Enum": TEXTS,
    "int, enum.Enum": [one for one in NUMBERS if "." not in one],
    "Flag": BITS,
    "enum.IntFlag": BITS,
}


def written(number: int) -> str:
    """A class with members and with what is none."""
    chance = random.Random(number)
    bases = chance.choice(list(KINDS))
    lines = ['"""What it is."""'] if chance.random() < 0.3 else []
    for at in range(chance.randint(1, 6)):
        automatic = ["auto()", "enum.auto()"] * (2 if chance.random() < 0.4 and "str," not in bases else 0)
        values = [*KINDS[bases], *automatic, *([f"A{at - 1}"] if at else [])]
        name = chance.choice(
            [f"A{at}", f"A{at}", f"name_{at}", f"_hidden{at}", f"_hidden{at}_", f"__x{at}__", f"__own{at}"]
        )
        lines.append(f"{name} = {chance.choice(values)}{chance.choice(['', '', '  #: a note', '  # none'])}")
        more = ["", "", "", "def method(self) -> int: return 1", "x: int", "'''under it'''", "_ignore_ = []"]
        other = chance.choice(more)
        lines += [other] if other else []
    return f"class C{number}({bases}):\n    " + "\n    ".join(lines) + "\n"


def module(path: Path) -> list[str]:
    """Write a module, without what Python does not take; the names of its classes."""
    scope: dict[str, object] = {"__name__": path.stem}
    exec(compile(HEAD, str(path), "exec", dont_inherit=True), scope)
    text, names = HEAD, []
    for number in range(CLASSES):
        try:
            exec(compile(written(number), str(path), "exec", dont_inherit=True), scope)
        except (TypeError, ValueError, NameError):
            continue
        text += f"\n\n{written(number)}"
        names.append(f"C{number}")
    path.write_text(text)
    return names


def without_notes(meaning: dict[str, Any]) -> dict[str, Any]:
    for entry in meaning["types"]:
        for member in entry.get("members", ()):
            member.pop("note", None)
    return {name: value for name, value in meaning.items() if name != "hash"}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="has no StrEnum")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_members_are_those_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "meaning_enumerations.py"
    names = module(path)
    monkeypatch.syspath_prepend(str(tmp_path))
    made, data, same = importlib.import_module(path.stem), path.read_bytes(), 0
    wrong: list[Any] = []
    for name in names:
        found = core.meaning_source(str(path), data, name)
        try:
            known = json.loads(readable(getattr(made, name)).reader.meaning())
        except (TypeError, ValueError) as error:
            wrong += [(name, "refused", error)] if "problem" not in found else []
            continue
        same += 1
        if "problem" in found or without_notes(found) != without_notes(known):
            wrong.append((written(int(name[1:])), found, known))
    del sys.modules[path.stem]
    for one in wrong[:6]:
        print(*one, sep="\n")
    assert not wrong, len(wrong)
    assert same > CLASSES // 3, same
