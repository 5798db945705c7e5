"""Random modules of classes: what the source says of their types is what Python makes of them at run time."""

from __future__ import annotations

import importlib
import json
import random
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from graphmend import core
from graphmend.meaning.api import readable

CLASSES = 150
SCALARS = [
    *("int", "float", "str", "bool", "bytes", "None", "object", "Any", "typing.Any", "decimal.Decimal", "Number"),
    *("datetime.datetime", "dt.date", "datetime.time", "dt.timedelta", "uuid.UUID", "pathlib.Path", "PurePath"),
    *("Color", "Level", "Flags", "Count", "Names", "Maybe", "list", "dict", "set", "tuple", "frozenset", "typing.List"),
]
HASHABLE = ["int", "str", "bool", "Color", "Level", "dt.date", "uuid.UUID"]
ONE = ["List", "list", "typing.Sequence", "abc.Sequence", "Iterable", "abc.Collection", "typing.MutableSequence"]
ONE_HASHED = ["set", "typing.Set", "abc.Set", "frozenset", "FrozenSet", "typing.AbstractSet", "abc.MutableSet"]
TWO = ["dict", "Dict", "typing.Mapping", "abc.Mapping", "abc.MutableMapping"]
LITERALS = [
    "'x'",
    '"y z"',
    "1",
    "-2",
    "True",
    "None",
    "b'z'",
    "b''",
    "b'ab'",
    "b'abc'",
    r"b'\xff\xfe\x00\x80'",
    "Color.RED",
    "Level.LOW",
    "0",
    "False",
    "'\u00e9\\n'",
]
HEAD = '''"""Classes."""
import collections.abc as abc
import datetime
import datetime as dt
import decimal
import enum
import pathlib
import typing
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal as Number
from pathlib import PurePath
from typing import (Annotated, Any, Dict, FrozenSet, List, Literal, NamedTuple, NewType, Optional, Tuple, TypedDict,
                    Union)


class Color(enum.Enum):
    """Colors."""

    RED = "red"  #: like blood
    DARK_BLUE = 'dark blue'
    OTHER = RED
    NONE = None


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


class Flags(enum.Flag):
    A = 1
    B = 2
    C = 1 << 2


class Limit:
    def __init__(self, **bounds):
        self.__dict__.update(bounds)


Count = NewType("Count", int)
Names = List[str]
Maybe = Optional["Names"]
'''


class Writer:
    """Writes one class."""

    def __init__(self, seed: int, earlier: list[str]) -> None:
        self.chance, self.earlier = random.Random(seed), earlier

    def pick(self, given: list[str]) -> str:
        return self.chance.choice(given)

    def literal(self) -> str:
        return f"Literal[{', '.join(self.chance.sample(LITERALS, self.chance.randint(1, 4)))}]"

    def type(self, depth: int = 0) -> str:
        if depth > 2 or self.chance.random() < 0.35:
            return self.pick([*SCALARS, *self.earlier[-6:], self.literal()])
        inner, other = self.type(depth + 1), self.type(depth + 1)
        return self.pick(
            [
                f"{self.pick(ONE)}[{inner}]",
                f"{self.pick(ONE_HASHED)}[{self.pick(HASHABLE)}]",
                f"{self.pick(TWO)}[{self.pick(HASHABLE)}, {inner}]",
                f"Tuple[{inner}, {other}]",
                f"tuple[{inner}, ...]",
                "Tuple[()]",
                f"Optional[{inner}]",
                f"Union[{inner}, {other}]",
                f"Union[{inner}, None, {other}]",
                f"typing.Union[int, {inner}]",
                f"Annotated[{self.plain(inner)}, 'a note']",
                f'Annotated[{self.plain(inner)}, "two", "notes"]',
                f"typing.Optional['{self.pick(SCALARS)}']",
                f'List["{self.pick(HASHABLE)}"]',
            ]
        )

    def plain(self, inner: str) -> str:
        """A type that is not annotated itself: Python makes one of two annotations."""
        return "int" if inner.startswith("Annotated") else inner

    def default(self) -> str:
        return self.pick(
            [
                *(
                    " = 1",
                    " = -2",
                    " = 1.5",
                    " = 'x'",
                    ' = "it\'s"',
                    " = None",
                    " = True",
                    " = b'x'",
                    " = ()",
                    " = (1, 2)",
                ),
                *(" = Color.RED", " = field(default=3)", " = field(default_factory=list)", " = field(default=None)"),
            ]
        )

    def note(self) -> tuple[str, str, str]:
        """What stands in front of a field, behind it and under it."""
        return self.chance.choice(
            [
                ("", "", ""),
                ("", "", ""),
                ("#: in front", "", ""),
                ("", "  #: behind", ""),
                ("", "", '"""under\n    it"""'),
            ]
            + [("# plain", "  # plain", ""), ("#: first\n    #: second", "", ""), ("#: a", "  #: b", '"""c"""')]
        )

    def fields(self, defaults: bool, first: str = "") -> list[str]:
        lines, given = [], False
        for number in range(self.chance.randint(1, 5)):
            given = given or (defaults and self.chance.random() < 0.3)
            value = self.default() if given else ""
            if not defaults or "field(" in value and defaults == "named":
                value = ""
            before, behind, under = self.note()
            lines += [before] if before else []
            lines.append(f"{first}{self.pick(['a', 'b_c', 'dE'])}{number}: {self.type()}{value}{behind}")
            lines += [under] if under else []
        return lines

    def write(self, name: str) -> str:
        kind = self.pick(
            ["@dataclass", "@dataclass", "@dataclass(frozen=True)", "NamedTuple", "TypedDict", "typing.NamedTuple"]
        )
        body = ['"""What it is.\n\n    And more.\n    """'] if self.chance.random() < 0.5 else []
        if kind.startswith("@"):
            bases = [other for other in self.earlier if other.startswith("Data")][-3:]
            base = f"({self.pick(bases)})" if bases and self.chance.random() < 0.2 else ""
            lines = self.fields(base == "", name if base else "")
            if base:
                lines = [
                    f"{line.partition('#')[0].rstrip()} = None" if ": " in line and line[0] != "#" else line
                    for line in lines
                ]
            head = f"{kind}\nclass Data{name}{base}:"
        else:
            total = self.pick(["", ", total=False"]) if kind == "TypedDict" else ""
            lines = self.fields(False)
            head = f"class {'Keys' if kind == 'TypedDict' else 'Named'}{name}({kind}{total}):"
        return "\n    ".join([head, *body, *lines])


def module(seed: int, path: Path) -> list[str]:
    """Write a module, without what Python does not take; the names of its classes."""
    names: list[str] = []
    text = ("from __future__ import annotations\n" if seed % 2 else "") + HEAD
    trial = types.ModuleType(path.stem)
    sys.modules[path.stem], scope = trial, vars(trial)
    exec(compile(text, str(path), "exec", dont_inherit=True), scope)
    for number in range(CLASSES):
        written = Writer(seed * 10_000 + number, names).write(f"C{number}")
        future = "from __future__ import annotations\n" if seed % 2 else ""
        try:
            exec(compile(future + written, str(path), "exec", dont_inherit=True), scope)
        except (TypeError, ValueError, SyntaxError):
            continue
        text += f"\n\n{written}\n"
        names.append(written.partition("class ")[2].partition("(")[0].partition(":")[0])
    del sys.modules[path.stem]
    path.write_text(text)
    return names


def without_notes(meaning: dict[str, Any]) -> dict[str, Any]:
    """What the source alone knows is left out: notes in comments and under fields."""
    for entry in meaning["types"]:
        for part in (*entry.get("fields", ()), *entry.get("members", ())):
            part.pop("note", None)
    return {name: value for name, value in meaning.items() if name != "hash"}


@pytest.mark.skipif(sys.version_info < (3, 10), reason="has other types")
@pytest.mark.parametrize("seed", [1, 2])
def test_source_and_run_time_mean_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    path = tmp_path / f"meaning_random_{seed}.py"
    names = module(seed, path)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module(path.stem)
    data, same = path.read_bytes(), 0
    try:
        for name in names:
            found = core.meaning_source(str(path), data, name)
            try:
                known = json.loads(readable(getattr(made, name)).reader.meaning())
            except (TypeError, ValueError, NameError):
                assert "problem" in found, name
                continue
            same += 1
            assert without_notes(found) == without_notes(known), (
                name,
                path.read_text().partition(f"class {name}")[2][:800],
            )
    finally:
        del sys.modules[path.stem]
    assert same > CLASSES // 3
