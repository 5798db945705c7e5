"""Random classes that inherit, override and hide fields: from source they have the fields that Python gives them."""

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

CLASSES = 260
HEAD = """import dataclasses
import enum
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, ClassVar, List, Literal, Optional, TypedDict
from typing_extensions import NotRequired, Required

SHORT = Annotated[str, "short"]
"""
TYPES = ["int", "str", "List[int]", "Optional[str]", "SHORT", "Annotated[int, 'a', 'b']", "Annotated[SHORT, 'more']"]
TYPES += ["List[Annotated[SHORT, 'of a list']]", "Annotated[Annotated[int, 'inner'], 'outer']", "Annotated[Any, 'any']"]
TYPES += ["Annotated[int, 'first']", "Annotated[int, 'other']", "Literal['a', 'b']", "Literal['c', 'd']"]
VALUES = ["1", "'x'", "None", "field(default=2)", "field(default_factory=list)", "field(default=None, kw_only=True)"]
VALUES += ["field()", "field(init=False)", "field(init=False, default=3)", "dataclasses.field(default=4)", "-1"]
MEMBERS = ["1", "'text'", "enum.auto()", "A0", "None", "'A0'", "3"]
FLAGS = ["1", "2", "4", "enum.auto()", "A0", "enum.auto()", "8"]


class Writer:
    """Writes one class, and knows those that were written before it."""

    def __init__(self, seed: int, earlier: list[tuple[str, str, bool]]) -> None:
        self.chance, self.earlier = random.Random(seed), earlier

    def bases(self, kind: str) -> list[str]:
        """No base, one, or several that have none themselves: from source, those of a diamond have another order."""
        names = [name for name, known, _ in self.earlier if known == kind][-8:]
        roots = [name for name, known, root in self.earlier if known == kind and root][-6:]
        several = self.chance.sample(roots, min(len(roots), self.chance.choice([2, 2, 3])))
        return self.chance.choice([[], names[-1:], self.chance.sample(names, min(len(names), 1)), several])

    def fields(self, values: list[str], wraps: list[str]) -> list[str]:
        lines = []
        for name in self.chance.sample(["a", "b_c", "dE", "f"], self.chance.randint(0, 3)):
            value = f" = {self.chance.choice(values)}" if values and self.chance.random() < 0.5 else ""
            lines.append(f"{name}: {self.chance.choice(wraps).format(self.chance.choice(TYPES))}{value}")
            if self.chance.random() < 0.1:
                lines.append("def method(self) -> int: return 1")
        return lines or ["pass"]

    def write(self, number: int) -> tuple[str, str]:
        """The text and the kind of a class."""
        kind = self.chance.choice(["data", "data", "data", "keys", "keys", "plain", "enum", "flag"])
        name, before = f"C{number}", ""
        if kind in ("enum", "flag"):
            values = MEMBERS if kind == "enum" else FLAGS
            form = ["enum.Enum", "enum.IntEnum"] if kind == "enum" else ["enum.Flag", "enum.IntFlag"]
            bases = [self.chance.choice(form)]
            body = [f"A{at} = {self.chance.choice(values)}" for at in range(self.chance.randint(1, 5))]
        elif kind == "keys":
            bases = self.bases("keys") or ["TypedDict"]
            bases += ["total=False"] if self.chance.random() < 0.3 else []
            body = self.fields([], ["{}", "{}", "NotRequired[{}]", "Required[{}]"])
        else:
            bases = self.bases("data") + (self.bases("plain") if self.chance.random() < 0.3 else [])
            body = self.fields(VALUES, ["{}", "{}", "{}", "ClassVar[{}]"]) if kind == "data" else ["other: int = 3"]
            if kind == "data":
                body = ["_: KW_ONLY", *body] if self.chance.random() < 0.5 else body
                before = self.chance.choice(["@dataclass\n", "@dataclass(kw_only=True)\n", "@dataclass()\n"])
        return f"{before}class {name}({', '.join(bases)}):\n    " + "\n    ".join(body) + "\n", kind


def module(path: Path) -> list[str]:
    """Write a module, without what Python does not take; the names of its classes that have a meaning."""
    scope: dict[str, object] = {"__name__": path.stem}
    exec(compile(HEAD, str(path), "exec", dont_inherit=True), scope)
    text, known = HEAD, list[tuple[str, str, bool]]()
    for number in range(CLASSES):
        written, kind = Writer(number, known).write(number)
        try:
            exec(compile(written, str(path), "exec", dont_inherit=True), scope)
        except (TypeError, ValueError, NameError):
            continue
        text += f"\n\n{written}"
        known.append((f"C{number}", kind, "C" not in written.partition(f"C{number}")[2].partition(":")[0]))
    path.write_text(text)
    return [name for name, kind, _ in known if kind != "plain"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="has other classes")
def test_fields_are_those_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "meaning_inherited.py"
    names = module(path)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module(path.stem)
    text, same, refused = path.read_text(), 0, 0
    wrong: list[tuple[str, Any, Any]] = []
    for name in names:
        found = core.meaning_source(str(path), text.encode(), name)
        try:
            known = json.loads(readable(getattr(made, name)).reader.meaning())
        except (TypeError, ValueError, NameError) as error:
            refused += 1
            if "problem" not in found:
                wrong.append((name, "refused", error))
            continue
        same += 1
        if found != known:
            wrong.append((name, found, known))
    del sys.modules[path.stem]
    assert not wrong, (len(wrong), wrong[0], text.partition(f"class {wrong[0][0]}(")[2][:600])
    assert same > CLASSES // 2, (same, refused)
