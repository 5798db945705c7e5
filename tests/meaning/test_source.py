"""Meanings from source: the same as from the types at run time, with what only the source knows."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import meaning_shop.orders as orders
import meaning_shop.parts as parts
import pytest
from stated_texts import hold

from graphmend import core
from graphmend.meaning import by, mock
from graphmend.meaning.api import readable

CLASSES = [
    *((parts, name) for name in ("Color", "Level", "Mode", "Point", "Part")),
    *(
        (orders, name)
        for name in (
            "Scalars Collections Choices Defaults Noted Order Partial Whole Corner IntBox Outer.Inner Outer.Kind"
        ).split()
    ),
]


def from_source(path: str, name: str) -> dict[str, Any]:
    return core.meaning_source(path, Path(path).read_bytes(), name)


@pytest.mark.parametrize(("module", "name"), CLASSES, ids=lambda value: getattr(value, "__name__", value))
def test_source_and_run_time_mean_the_same(module: Any, name: str) -> None:
    target = module
    for part in name.split("."):
        target = getattr(target, part)
    known = json.loads(readable(target).reader.meaning())
    assert from_source(module.__file__, name) == known


def test_notes_of_all_kinds() -> None:
    meaning = from_source(orders.__file__, "Order")
    fields = {field["name"]: field for field in meaning["types"][meaning["root"]]["fields"]}
    assert meaning["types"][meaning["root"]]["doc"] == "An order\nof parts."
    assert fields["name"]["note"] == "how it is called in the shop"
    assert fields["place"]["note"] == "where it is kept"
    noted = {field["name"]: field.get("note") for field in from_source(orders.__file__, "Noted")["types"][0]["fields"]}
    assert noted == {"a": None, "b": "shown to all", "c": "or not", "d": "in front beside behind"}
    (color,) = (entry for entry in meaning["types"] if entry.get("name") == "Color")
    assert color["members"] == [
        {"name": "RED", "value": "red", "note": "like blood"},
        {"name": "DARK_BLUE", "value": "dark blue", "note": "like the sea at night"},
    ]


@pytest.mark.parametrize("name", ["take", "wait", "Outer.make"])
def test_functions_mean_the_same_at_run_time(name: str) -> None:
    target: Any = orders
    for part in name.split("."):
        target = getattr(target, part)
    assert by(mock())(target).meaning() == from_source(orders.__file__, name)


def test_a_function() -> None:
    meaning = from_source(orders.__file__, "take")
    function, types = meaning["function"], meaning["types"]
    assert (function["name"], function["doc"]) == ("take", "Take an order.")
    forms = [(p["name"], types[p["type"]]["form"], p.get("default"), p.get("note")) for p in function["parameters"]]
    assert forms == [
        ("text", "str", None, "what the customer wrote"),
        ("limit", "int", "3", None),
        ("unknown", "any", "None", None),
        ("paint", "enum", "Color.RED", "the color"),
    ]
    assert [types[item].get("name") for item in types[meaning["root"]]["items"]] == ["Order", None]


def test_a_method_and_a_coroutine() -> None:
    method = from_source(orders.__file__, "Outer.make")["function"]
    assert [parameter["name"] for parameter in method["parameters"]] == ["kind"]
    assert from_source(orders.__file__, "wait")["function"]["async"] is True


def test_tools_are_part_of_the_meaning() -> None:
    meaning = from_source(orders.__file__, "advise")
    assert orders.advise.meaning() == meaning
    tools = meaning["function"]["tools"]
    assert [(tool["name"], tool.get("doc"), tool.get("async")) for tool in tools] == [
        ("take", "Take an order.", None),
        ("wait", None, True),
        ("make", "Make an inner one.", None),
    ]
    assert tools[0]["parameters"][0]["note"] == "what the customer wrote"
    assert [parameter["name"] for parameter in tools[2]["parameters"]] == ["kind"]


def test_definitions_inside_of_functions(tmp_path: Path) -> None:
    source = "from dataclasses import dataclass\ndef make():\n    @dataclass\n    class A:\n        x: int  #: it\n"
    meaning = core.meaning_source(str(tmp_path / "a.py"), source.encode(), "make.<locals>.A")
    assert meaning["types"][0]["fields"] == [{"name": "x", "type": 1, "note": "it"}]


PROBLEMS = [
    ("x = (", "A", "", 1),
    ("x = 1\n", "A", "no function or class", 0),
    ("class A:\n    x: int\n", "A", "`A` cannot be read from text", 1),
    ("def f(x): ...\n", "f", "says nothing about what it returns", 1),
    ("def f() -> B: ...\n", "f", "the type `B` is not known", 1),
    ("import torch\ndef f() -> torch.Tensor: ...\n", "f", "`torch.Tensor` cannot be read from text", 2),
    ("from typing import *\ndef f() -> Callable[[int], str]: ...\n", "f", "`typing.Callable` cannot be read", 2),
    ("def f() -> 1 + 1: ...\n", "f", "an annotation that is no type", 1),
    ("def f() -> list[int, str]: ...\n", "f", "too few or too many", 1),
    ("from enum import Enum\nclass E(Enum):\n    pass\n", "E", "`E` has no members", 2),
    ("@by(m, tools=[len])\ndef f() -> int: ...\n", "f", "a tool whose definition is not known", 1),
    ("A = B\nB = A\ndef f() -> A: ...\n", "f", "not known", 2),
]


@pytest.mark.parametrize(("source", "name", "words", "line"), PROBLEMS, ids=[name[:30] for name, *_ in PROBLEMS])
def test_problems(source: str, name: str, words: str, line: int, tmp_path: Path) -> None:
    found = core.meaning_source(str(tmp_path / "a.py"), source.encode(), name)
    assert words in found["problem"]
    assert found["line"] == line


ANNOTATIONS = [
    "1",
    "-1",
    "'a b'",
    "''",
    "...",
    "True",
    "1.5",
    "1 + 1",
    "int + str",
    "f()",
    "lambda: 0",
    "[int]",
    "{}",
    "(int, str)",
]
ANNOTATIONS += [
    "x[0]",
    "int[0]",
    "int | 1",
    "1 | int",
    "list[1]",
    "list[int, str]",
    "dict[str]",
    "tuple[()]",
    "tuple[int, ...]",
]
ANNOTATIONS += [
    "Union[int, 'B']",
    "Optional[int, str]",
    "Optional",
    "Union",
    "Literal",
    "Literal[1.5]",
    "Literal[int]",
    "Literal[f()]",
]
ANNOTATIONS += [
    "Annotated[int]",
    "Annotated",
    "Final[int]",
    "ClassVar[int]",
    "Callable",
    "Callable[[int], int]",
    "Type[int]",
    "Any[int]",
]
ANNOTATIONS += [
    "A",
    "A[int]",
    "f",
    "os.PathLike",
    "os",
    "C",
    "C[int]",
    "C[int, str]",
    "C[int].x",
    "not int",
    "int if 1 else str",
    "f''",
]
ANNOTATIONS += [
    "int and str",
    "int < str",
    "*int",
    "await int",
    "None",
    "'None'",
    "'int | None'",
    "\"'int'\"",
    "list['int']",
    "N",
    "N[int]",
]


def test_what_is_said_of_annotations(tmp_path: Path) -> None:
    """Of those that are types as well as of those that are none."""
    head = (
        "import os\nfrom typing import *\nfrom dataclasses import dataclass\nT = TypeVar('T')\nN = NewType('N', int)\n"
        "@dataclass\nclass A:\n    x: int\n@dataclass\nclass C(Generic[T]):\n    x: T\n"
    )
    said = ""
    for annotation in ANNOTATIONS:
        source = f"{head}def f() -> {annotation}: ...\n"
        found = core.meaning_source(str(tmp_path / "a.py"), source.encode(), "f")
        told = found["problem"] if "problem" in found else json.dumps({**found, "hash": "", "function": ""})
        said += f"{annotation}\n    {told}\n"
    hold(Path(__file__).parent / "stated" / "annotations.txt", said)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the module is compared with Python 3.12's own types")
def test_type_statements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "from dataclasses import dataclass\n"
        "type Tree = dict[str, Tree] | int\n"
        "@dataclass\nclass Box[T]:\n    content: T\n    more: list[T] | None = None\n"
        "@dataclass\nclass A:\n    tree: Tree\n    box: Box[int]\n    bare: Box\n"
    )
    path = tmp_path / "meaning_newer.py"
    path.write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    newer = importlib.import_module("meaning_newer")
    try:
        known = json.loads(readable(newer.A).reader.meaning())
    finally:
        del sys.modules["meaning_newer"]
    assert from_source(str(path), "A") == known


def test_the_command_prints_what_the_library_gives(executable: str) -> None:
    import subprocess

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([executable, "meaning", *arguments], capture_output=True, text=True)

    done = run(f"{orders.__file__}:Order")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == from_source(orders.__file__, "Order")
    notes = json.loads(run(orders.__file__).stdout)
    assert {"take", "Outer.Inner", "Noted"} <= {entry["name"] for entry in notes["definitions"]}
    for arguments, words in (
        ([f"{orders.__file__}:Nothing"], "no function or class"),
        (["no/such/file.py"], "no such file"),
        (["--no-such-option"], "unknown option"),
        ([], "usage"),
    ):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr.lower()


def test_damaged_source_is_no_crash(executable: str) -> None:
    data = Path(orders.__file__).read_bytes()
    for end in range(0, len(data), 97):
        core.meaning_notes("a.py", data[:end])
        core.meaning_source(orders.__file__, data[:end], "Order")
        core.meaning_source(orders.__file__, data[:end] + b"\n" + data[end + 13 :], "take")
