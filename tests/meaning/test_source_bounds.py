"""Random bounds, notes, other keys and defaults of fields: from source they are those of the classes at run time."""

from __future__ import annotations

import importlib
import json
import random
import sys
from pathlib import Path

import pytest

from graphmend import core
from graphmend.meaning.api import readable

CLASSES = 160
HEAD = """import annotated_types
import enum
import typing
from dataclasses import dataclass
from typing import Annotated, List, Literal, Optional

import attr
import attrs
import pydantic
from pydantic import BaseModel, Field


class Color(enum.Enum):
    RED = 1
    BLUE = "b"


class Bit(enum.Flag):
    ONE = 1
    TWO = 2
    ALL = 1 << 4


LOW, HIGH = -2, 7
LEAST = 3
MOST: float = 2.5
SAME = LEAST
TEXT = "what a constant says"
NOTHING = None
Short = Annotated[str, Field(max_length=9)]
Told = Annotated[str, Field(description=TEXT, max_length=LEAST)]
"""
NUMBERS = [
    "ge=0",
    "gt=-1",
    "le=10",
    "lt=2.5",
    "multiple_of=5",
    "ge=5",
    "gt=1e3",
    "le=-0.5",
    "ge=LEAST",
    "lt=MOST",
    "le=SAME",
    "gt=NOTHING",
]
SIZES = ["min_length=1", "max_length=9", "min_length=0"]
TEXTS = [*SIZES, "pattern='^a+$'"]
OF_TYPES = {"int": NUMBERS, "float": NUMBERS, "str": TEXTS, "Short": TEXTS, "List[int]": [*SIZES, "max_length=LEAST"]}
SINGLE = ["Ge(1)", "Ge(LEAST)", "Lt(MOST)", "Gt(0)", "Le(9)", "Lt(8)", "MultipleOf(2)"]
SINGLE_OF_SIZES = ["MinLen(1)", "MaxLen(9)"]
PLAIN = [
    "int",
    "str",
    "Color",
    "Bit",
    "Optional[int]",
    "Literal['a', 1]",
    "int | str",
    "dict[str, int]",
    "Short",
    "Told",
]
DEFAULTS = ["LEAST", "MOST", "SAME", "TEXT", "NOTHING", "1", "'x'", "None", "-2.5", "Color.RED", "()", "True"]


class Writer:
    """Writes a class of one kind with some fields."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def keywords(self, kind: str, alias: str = "") -> list[str]:
        """Some arguments of a field, in any order."""
        some = self.chance.sample(OF_TYPES[kind], self.chance.randint(0, 2))
        some = list({one.partition("=")[0]: one for one in some}.values())
        more = [f"{alias}='other{self.chance.randint(1, 9)}'", f"{alias}=TEXT"] if alias else []
        more += ["description='what it is'", "description=TEXT", "title='none'", "deprecated=False"]
        some += self.chance.sample(more, self.chance.randint(0, 2))
        self.chance.shuffle(some)
        return some

    def annotated(self) -> str:
        kind = self.chance.choice(list(OF_TYPES))
        single = SINGLE if OF_TYPES[kind] is NUMBERS else SINGLE_OF_SIZES
        said = [f"annotated_types.{one}" for one in self.chance.sample(single, self.chance.randint(0, 2))]
        said += self.chance.choice([[], ["'a note'"], [f"Field({', '.join(self.keywords(kind))})"]])
        said += self.chance.choice([[], ["'more'"], ["3"], ["typing.Doc('told')"]]) if hasattr(sys, "never") else []
        return f"Annotated[{', '.join([kind, *(said or ['1'])])}]"

    def of_pydantic(self, name: str) -> str:
        kind = self.chance.choice(list(OF_TYPES))
        alias = self.chance.choice(["alias", "validation_alias"])
        first = self.chance.choice([[], [], ["..."], ["default=1"], ["default_factory=list"], ["None"]])
        return f"{name}: {kind} = Field({', '.join([*first, *self.keywords(kind, alias)])})"

    def of_attrs(self, name: str) -> str:
        field = self.chance.choice(["attrs.field", "attr.ib", "attr.field", "attrs.field"])
        given = self.chance.choice(["", "default=1", "factory=list", "factory=dict", "factory=set", "kw_only=True"])
        return f"{name}: int = {field}({given})"

    def fields(self, kind: str) -> list[str]:
        lines = []
        for number in range(self.chance.randint(1, 4)):
            name = f"{self.chance.choice(['a', 'bC', 'd_e', '_f'])}{number}"
            choice = self.chance.random()
            if kind == "pydantic" and choice < 0.6:
                lines.append(self.of_pydantic(name))
            elif kind == "attrs" and choice < 0.4:
                lines.append(self.of_attrs(name))
            else:
                hint = self.annotated() if choice < 0.8 else self.chance.choice(PLAIN)
                value = self.chance.choice(["", f" = {self.chance.choice(DEFAULTS)}"])
                lines.append(f"{name}: {hint}{value}{self.chance.choice(['', '  # in short'])}")
        if kind == "pydantic" and self.chance.random() < 0.3:
            lines.insert(0, "model_config = pydantic.ConfigDict(title='none')")
        return lines

    def write(self, number: int) -> str:
        kind = self.chance.choice(["pydantic", "pydantic", "attrs", "data"])
        bases = {"pydantic": "(BaseModel)", "attrs": "", "data": ""}[kind]
        before = {"pydantic": [""], "attrs": ["@attrs.define\n", "@attr.s(auto_attribs=True)\n", "@attrs.frozen()\n"]}
        head = self.chance.choice(before.get(kind, ["@dataclass\n"]))
        return f"{head}class C{number}{bases}:\n    " + "\n    ".join(self.fields(kind)) + "\n"


def module(path: Path) -> list[str]:
    """Write a module, without what the libraries do not take; the names of its classes."""
    scope: dict[str, object] = {"__name__": path.stem}
    exec(compile(HEAD, str(path), "exec", dont_inherit=True), scope)
    text, names = HEAD, []
    for number in range(CLASSES):
        written = Writer(number).write(number)
        try:
            exec(compile(written, str(path), "exec", dont_inherit=True), scope)
        except Exception:  # whatever a library finds wrong with it
            continue
        text += f"\n\n{written}"
        names.append(f"C{number}")
    path.write_text(text)
    return names


@pytest.mark.skipif(sys.version_info < (3, 11), reason="has other types")
def test_fields_say_what_they_say_at_run_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("pydantic", "attrs", "annotated_types"):
        pytest.importorskip(library)
    path = tmp_path / "meaning_bounds.py"
    names = module(path)
    monkeypatch.syspath_prepend(str(tmp_path))
    made, text, same = importlib.import_module(path.stem), path.read_text(), 0
    wrong = []
    for name in names:
        found = core.meaning_source(str(path), text.encode(), name)
        try:
            known = json.loads(readable(getattr(made, name)).reader.meaning())
        except (TypeError, ValueError) as error:
            wrong += [(name, "refused", str(error))] if "problem" not in found else []
            continue
        same += 1
        wrong += [(name, found, known)] if found != known else []
    del sys.modules[path.stem]
    for name, one, other in wrong[:8]:
        print(text.partition(f"class {name}")[2][:400].partition("\n\n")[0], one, other, "", sep="\n")
    assert not wrong, len(wrong)
    assert same > CLASSES // 2, same


def test_constants_of_other_modules_are_found(tmp_path: Path) -> None:
    """A name of a module, under another name, and as an attribute; what is no constant is left out."""
    head = (
        "import enum\nclass Own:\n    SIZE = 7\n    ONE = 1\nclass Color(enum.Enum):\n    RED = 1\nBEST = Color.RED\n"
    )
    (tmp_path / "limits.py").write_text(f"{head}LEAST = 3\nMOST: int = 9\nWORDS = 'so many'\nTOLD = f'{{WORDS}}'\n")
    text = (
        "import limits\nfrom limits import LEAST as SMALL, WORDS\nimport annotated_types as a\nfrom typing import *\n"
        "from dataclasses import dataclass\nfrom pydantic import Field\n"
        "@dataclass\nclass A:\n"
        "    x: Annotated[int, Field(ge=SMALL, le=limits.MOST, description=WORDS)] = SMALL\n"
        "    y: Annotated[int, a.Gt(limits.LEAST), Field(description=limits.TOLD)] = limits.OTHER\n"
        "    z: Annotated[int, Field(ge=unknown, le=limits, lt=A, description=limits.MOST)] = limits.WORDS\n"
        "    u: Annotated[int, Field(ge=limits.Own.ONE, le=limits.Color.RED, lt=limits.Own)] = limits.Own.SIZE\n"
        "    v: limits.Color = limits.Color.RED\n    w: limits.Color = limits.Color.NONE\n"
        "    s: int = limits.Own.NONE\n"
        "    t: limits.Color = limits.BEST\n"
    )
    found = core.meaning_source(str(tmp_path / "a.py"), text.encode(), "A")
    types, fields = found["types"], found["types"][0]["fields"]
    assert [field.get("default") for field in fields] == ["3", None, "'so many'", "7", "Color.RED", *[None] * 3]
    told = [(types[field["type"]].get("note"), types[field["type"]].get("bounds")) for field in fields[:4]]
    assert told == [("so many", {"ge": 3, "le": 9}), (None, {"gt": 3}), (None, None), (None, {"ge": 1})]
