"""What readers of models' answers make of texts that are not JSON: right, an error, or silently wrong.

usage: meaning_peers.py [--json FILE] [--damaged N]

The texts are those of tests/meaning: the corpus, where some texts are to be an error, and texts that are damaged at
random, where an error is always allowed. Peers that are installed are asked too; those that make JSON of a text have
pydantic make the value. Nothing is sent anywhere.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import enum
import importlib.metadata
import json
import os
import sys
import types
from pathlib import Path
from typing import Any, Callable, Literal, Optional, Union

from graphmend.core import READ_PLAIN, Reader

os.environ.setdefault("RUST_BACKTRACE", "0")  # peers that panic need not say where
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "meaning"))

from meaning_corpus import CASES, Error, types_of
from meaning_damage import tally

Read = Callable[[str, str], Any]
NOTHING = object()

BAML = """
class Item { name string count int }
class Maker { name string since int }
class Full { title string price float tags string[] maker Maker used bool? }
class Cat { kind "cat" name string }
class Dog { kind "dog" name string }
class Circle { name string radius float? }
class Square { name string side float? }
class Person { first_name string home_town string @alias("homeTown") age int? }
enum Color { RED @alias("red") DARK_BLUE @alias("dark blue") }
"""
BAML_TYPES = {
    "item": "Item",
    "full": "Full",
    "items": "Item[]",
    "ints": "int[]",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "color": "Color",
    "pet": "Cat | Dog",
    "shape": "Circle | Square",
    "named": "Person",
    "scores": "map<string, int>",
    "maybe": "int | null",
}


def classes() -> Any:
    """The corpus' types as pydantic has them."""
    import pydantic

    class Item(pydantic.BaseModel):
        name: str
        count: int

    class Maker(pydantic.BaseModel):
        name: str
        since: int

    class Full(pydantic.BaseModel):
        title: str
        price: float
        tags: list[str]
        maker: Maker
        used: Optional[bool] = None

    class Cat(pydantic.BaseModel):
        kind: Literal["cat"]
        name: str

    class Dog(pydantic.BaseModel):
        kind: Literal["dog"]
        name: str

    class Circle(pydantic.BaseModel):
        name: str
        radius: Optional[float] = None

    class Square(pydantic.BaseModel):
        name: str
        side: Optional[float] = None

    class Person(pydantic.BaseModel):
        first_name: str
        home_town: str = pydantic.Field(
            validation_alias=pydantic.AliasChoices("homeTown", "town", "home_town"), serialization_alias="homeTown"
        )
        age: Optional[int] = None

    class Color(enum.Enum):
        RED = "red"
        DARK_BLUE = "dark blue"

    made = (Item, Maker, Full, Cat, Dog, Circle, Square, Person, Color)
    return types.SimpleNamespace(**{each.__name__: each for each in made})


def adapters(known: Any) -> dict[str, Any]:
    import pydantic

    hints = {
        "item": known.Item,
        "full": known.Full,
        "items": list[known.Item],  # type: ignore[misc]
        "ints": list[int],
        "int": int,
        "float": float,
        "bool": bool,
        "color": known.Color,
        "pet": Union[known.Cat, known.Dog],
        "shape": Union[known.Circle, known.Square],
        "named": known.Person,
        "scores": dict[str, int],
        "maybe": Optional[int],
        "date": datetime.date,
    }
    return {name: pydantic.TypeAdapter(hint) for name, hint in hints.items()}


def graphmend() -> Read:
    readers = {case.type: Reader(json.dumps(types_of(case.type))) for case in CASES}

    def read(kind: str, text: str) -> Any:
        reading = readers[kind].read(text, READ_PLAIN)
        return reading["value"] if reading["ok"] else NOTHING

    return read


def with_pydantic(made: dict[str, Any], parse: Callable[[str], Any]) -> Read:
    """A reader out of a function that makes JSON's values of a text."""

    def read(kind: str, text: str) -> Any:
        value = made[kind].validate_python(parse(text))
        return made[kind].dump_python(value, mode="json", by_alias=True, exclude_unset=True)

    return read


def baml(known: Any, made: dict[str, Any]) -> Read:
    import baml_py

    source = [BAML]
    for kind, name in BAML_TYPES.items():
        source.append(
            f'function Read_{kind}(text: string) -> {name} {{ client "openai/none" prompt #"{{{{ text }}}}"# }}'
        )
    runtime = baml_py.BamlRuntime.from_files("baml_src", {"main.baml": "\n".join(source)}, {})
    module = types.ModuleType("corpus")
    vars(module).update(vars(known))
    context = runtime.create_context_manager()

    def read(kind: str, text: str) -> Any:
        if kind not in BAML_TYPES:
            raise LookupError(kind)
        value = runtime.parse_llm_response(f"Read_{kind}", text, module, module, module, False, context, None, None, {})
        if kind == "color" and isinstance(value, str):
            value = known.Color[value]  # by name
        return made[kind].dump_python(value, mode="json", by_alias=True, exclude_none=kind != "maybe")

    return read


def readers() -> dict[str, Read]:
    """Readers by name and version, those whose packages are here."""
    found: dict[str, Read] = {"graphmend": graphmend()}
    try:
        known = classes()
        made = adapters(known)
    except ImportError:
        return found

    def version(package: str) -> str:
        return f"{package} {importlib.metadata.version(package)}"

    found[f"json, {version('pydantic')}"] = with_pydantic(made, json.loads)
    try:
        import jiter

        found[f"{version('jiter')}, pydantic"] = with_pydantic(made, lambda text: jiter.from_json(text.encode()))
        found["jiter, partial, pydantic"] = with_pydantic(
            made, lambda text: jiter.from_json(text.encode(), partial_mode="trailing-strings")
        )
    except ImportError:
        pass
    try:
        import json_repair

        found[f"{version('json-repair')}, pydantic"] = with_pydantic(made, json_repair.loads)
    except ImportError:
        pass
    try:
        from instructor.v2.core.json import extract_json_from_codeblock

        found[f"{version('instructor')}, pydantic"] = with_pydantic(
            made, lambda text: json.loads(extract_json_from_codeblock(text))
        )
    except ImportError:
        pass
    try:
        found[version("baml-py")] = baml(known, made)
    except ImportError:
        pass
    return found


def safe(read: Read) -> Read:
    """The same with NOTHING for what is an error."""

    def safely(kind: str, text: str) -> Any:
        try:
            return read(kind, text)
        except (KeyboardInterrupt, LookupError):
            raise
        except BaseException:  # a panic of another language is one
            return NOTHING

    return safely


def over_corpus(read: Read) -> dict[str, int]:
    """Texts by what is made of them: "right", "error", "wrong" for another value than the one that is there, and
    "unsure" for a value where the corpus wants an error, because the text could mean two things or is not whole."""
    counts: collections.Counter[str] = collections.Counter()
    for case in CASES:
        try:
            value = read(case.type, case.text)
        except LookupError:
            counts["no such type"] += 1
            continue
        wanted = isinstance(case.value, Error)
        if value is NOTHING:
            counts["right" if wanted else "error"] += 1
        else:
            counts["unsure" if wanted else "right" if value == case.value else "wrong"] += 1
    return dict(counts)


def over_damage(read: Read, count: int) -> dict[str, dict[str, int]]:
    found = {}
    for faults in (1, 2, 3):
        lists = tally(lambda kind, text: _or_none(read(kind, text)), 17, {faults: count})
        found[str(faults)] = {name: len(texts) for name, texts in sorted(lists.items())}
    return found


def _or_none(value: Any) -> Any:
    return None if value is NOTHING else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--damaged", type=int, default=2000, metavar="N", help="texts with one, two and three faults")
    options = parser.parse_args()
    record: dict[str, Any] = {"texts": len(CASES), "damaged": options.damaged, "readers": {}}
    for name, read in readers().items():
        one = {"corpus": over_corpus(safe(read)), "damage": over_damage(safe(read), options.damaged)}
        record["readers"][name] = one
        print(f"{name}\n  corpus: {one['corpus']}\n  damaged: {one['damage']}")
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
