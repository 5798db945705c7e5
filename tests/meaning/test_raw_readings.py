"""Values as the library takes them say what they say in plain JSON: random types, random texts for them, every form.

Without READ_PLAIN a value has numbers in place of names: of fields, of members, of the branches of unions that JSON
does not tell apart. Which those are is said anew here, from the types alone, and so is each value.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from graphmend.core import READ_BRIEF, READ_PARTIAL, READ_PLAIN, Reader

SAME = ("any", "none", "bool", "int", "float", "str")
TEXTS: dict[str, list[str]] = {
    "any": ["1", "null", '"x"', "[1, {}]", '{"a": "b"}', "1.5", "true"],
    "none": ["null", "None"],
    "bool": ["true", "False", '"yes"', "0"],
    "int": ["1", "-20", '"3"', "1e2", "1.5", '"4 km"', "0"],
    "float": ["1.5", "2", '"2.5"', "NaN", "-0.0", "1e400"],
    "str": ['"a"', "'b'", '""', '"1"', '"\\u00e9\\n"', "c d", "7"],
    "bytes": ['"aGk="', "b'hi'", '"!"'],
    "decimal": ['"1.50"', "2.5", "1e5", "Decimal('3')", "-7"],
    "datetime": ['"2026-11-27T12:30:00Z"', "datetime(2026, 1, 2)", '"2026-1-2"'],
    "date": ['"2026-11-27"', "date(2026, 1, 2)", '"27 Nov 2026"', "20261127"],
    "time": ['"12:30"', "time(1, 2)", '"3:04pm"'],
    "timedelta": ['"PT1H"', '"1 day"', "90"],
    "uuid": ['"12345678-1234-5678-1234-567812345678"', '"1"'],
    "path": ['"a/b"', "Path('c')"],
}
VALUES: list[dict[str, Any]] = [{"value": "on"}, {"value": 1}, {"value": None}, {"value": True}, {"value": -2.5}]
MORE: list[dict[str, Any]] = [{"bytes": "aGk="}, {"name": "RED", "value": 3}, {"name": "BLUE", "value": "b"}]
MEMBERS = [
    {"name": "ONE", "value": 1},
    {"name": "TWO", "value": "zwei"},
    {"name": "SIX", "value": "six"},
    {"name": "OTHER"},
]
KEYS = ("str", "int", "date", "uuid", "enum", "literal", "any", "bool")
BOUNDS: list[Any] = [{"ge": 0}, {"multiple_of": 2}, {"max_length": 3}, {"pattern": "a"}, {"lt": 100, "min_length": 1}]


class Maker:
    """Makes the types of a meaning, and texts for them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.types: list[dict[str, Any]] = []
        self.root = self.make(0)

    def make(self, depth: int, forms: tuple[str, ...] = ()) -> int:
        """The number of a new type."""
        deep = (
            "list",
            "set",
            "tuple",
            "tuple_of",
            "dict",
            "record",
            "union",
            "union",
            "annotated",
            "alias",
            "frozenset",
        )
        simple = (*TEXTS, "literal", "enum", "flag", "literal", "enum")
        form = self.chance.choice(forms or (deep if depth < 2 else simple if depth > 3 else (*deep, *simple)))
        number = len(self.types)
        made: dict[str, Any] = {"form": form}
        self.types.append(made)
        if form in ("list", "set", "frozenset", "tuple_of", "annotated", "alias"):
            made["items"] = [self.make(depth + 1)]
        elif form in ("tuple", "union"):
            least = 0 if form == "tuple" else 2
            made["items"] = [self.make(depth + 1) for _ in range(self.chance.randint(least, 3))]
        elif form == "dict":
            made["items"] = [self.make(depth + 1, KEYS), self.make(depth + 1)]
        elif form == "record":
            made.update(
                name=f"R{number}", kind=self.chance.choice(["dataclass", "namedtuple", "typeddict", "pydantic"])
            )
            made["fields"] = [self.field(at, depth) for at in range(self.chance.randint(1, 3))]
        elif form in ("enum", "flag"):
            made.update(name=f"E{number}", members=self.chance.sample(MEMBERS if form == "enum" else MEMBERS[:2], 2))
        elif form == "literal":
            made["values"] = self.chance.sample([*VALUES, *(MORE if self.chance.random() < 0.3 else [])], 2)
        if form == "annotated":
            made["bounds"] = self.chance.choice(BOUNDS)
        made.update({"name": f"A{number}"} if form == "alias" else {})
        return number

    def field(self, at: int, depth: int) -> dict[str, Any]:
        more: dict[str, Any] = self.chance.choice([{}, {"required": False}, {"aliases": [f"key-{at}"]}])
        return {"name": f"f{at}", "type": self.make(depth + 1), **more}

    def text(self, number: int) -> str:
        """What a model may write for a type."""
        made = self.types[number]
        form, items = made["form"], made.get("items", [])
        if form in TEXTS:
            return self.chance.choice(TEXTS[form])
        if form in ("list", "set", "frozenset", "tuple_of"):
            return f"[{', '.join(self.text(items[0]) for _ in range(self.chance.randrange(3)))}]"
        if form == "tuple":
            return f"[{', '.join(map(self.text, items))}]"
        if form in ("annotated", "alias", "union"):
            return self.text(self.chance.choice(items))
        if form == "dict":
            keys = dict.fromkeys(self.text(items[0]) for _ in range(self.chance.randrange(3)))
            quoted = [key if key[0] in "\"'" else f'"{key}"' for key in keys if "(" not in key and '"' not in key[1:-1]]
            return f"{{{', '.join(f'{key}: {self.text(items[1])}' for key in quoted)}}}"
        if form == "record":
            shown = [(one.get("aliases", [one["name"]])[0], one) for one in made["fields"]]
            there = [(key, one) for key, one in shown if one.get("required", True) or self.chance.random() < 0.5]
            if made["kind"] == "namedtuple" and self.chance.random() < 0.3:
                return f"[{', '.join(self.text(one['type']) for _, one in shown)}]"
            pairs = [f"{json.dumps(key)}: {self.text(one['type'])}" for key, one in there]
            return f"{{{', '.join(pairs)}}}"
        if form == "flag":
            names = [member["name"] for member in made["members"]]
            return self.chance.choice(["[]", json.dumps(names[:1]), json.dumps(names), f'"{"|".join(names)}"'])
        return self.member(made)

    def member(self, made: dict[str, Any]) -> str:
        one = self.chance.choice(made.get("members") or made["values"])
        ways = [json.dumps(one["name"])] if "name" in one else []
        ways += [json.dumps(one["value"])] if "value" in one else []
        ways += [json.dumps(one["bytes"])] if "bytes" in one else []
        return self.chance.choice(ways)


def is_plain(types: list[dict[str, Any]], number: int) -> bool:
    """Whether values of a type, in which nothing refers back, are in JSON what they are."""
    made = types[number]
    form, items = made["form"], made.get("items", [])
    if form == "literal":
        return all("name" not in value and "bytes" not in value for value in made["values"])
    if form == "annotated":
        return is_plain(types, items[0]) and not {"pattern", "multiple_of"} & set(made["bounds"])
    if form == "dict":
        return behind(types, items[0])["form"] == "str" and is_plain(types, items[1])
    return form in SAME or (form in ("list", "alias", "union") and all(is_plain(types, item) for item in items))


def behind(types: list[dict[str, Any]], number: int) -> dict[str, Any]:
    while types[number]["form"] in ("alias", "annotated"):
        number = types[number]["items"][0]
    return types[number]


def shown_value(made: dict[str, Any], one: dict[str, Any]) -> Any:
    """A member in plain JSON."""
    by_value = made["form"] == "enum" and all(isinstance(each.get("value"), str) for each in made["members"])
    named = "name" in one and not by_value
    return one["name"] if named else one.get("value", one.get("bytes"))


def plain_of(types: list[dict[str, Any]], number: int, raw: Any) -> Any:
    """The value in plain JSON."""
    made = types[number]
    form, items = made["form"], made.get("items", [])
    if form in ("annotated", "alias"):
        return plain_of(types, items[0], raw)
    if form == "union" and not is_plain(types, number):
        branch, value = raw
        return plain_of(types, items[branch], value)
    if form in ("list", "set", "frozenset", "tuple_of"):
        return [plain_of(types, items[0], one) for one in raw]
    if form == "tuple":
        return [plain_of(types, item, one) for item, one in zip(items, raw)]
    if form == "dict":
        pairs = raw.items() if behind(types, items[0])["form"] == "str" else raw
        told = [(plain_of(types, items[0], key), plain_of(types, items[1], value)) for key, value in pairs]
        return {key if isinstance(key, str) else json.dumps(key): value for key, value in told}
    if form == "record":
        given = raw.items() if isinstance(raw, dict) else enumerate(raw)
        fields = [(made["fields"][int(at)], value) for at, value in given]
        return {one.get("aliases", [one["name"]])[0]: plain_of(types, one["type"], value) for one, value in fields}
    if form == "timedelta":
        return f"{'-' if raw < 0 else ''}PT{abs(raw) // 10**6}.{abs(raw) % 10**6:06}S"
    if form == "flag":
        return [made["members"][one]["name"] for one in raw]
    if form == "enum" or (form == "literal" and not is_plain(types, number)):
        return shown_value(made, (made.get("members") or made["values"])[raw])
    return raw


@pytest.mark.parametrize("flags", [0, READ_PARTIAL], ids=["whole", "partial"])
def test_raw_values_say_what_plain_ones_say(flags: int) -> None:
    read = refused = 0
    for seed in range(1500):
        maker = Maker(seed)
        reader = Reader(json.dumps({"meaning": 1, "root": maker.root, "types": maker.types}))
        known = json.loads(reader.meaning())["types"]
        assert [one["form"] for one in known] == [one["form"] for one in maker.types]
        for _ in range(8):
            text = maker.text(maker.root)
            text = text[: maker.chance.randrange(len(text) + 1)] if flags else text
            plain, raw = reader.read(text, flags | READ_PLAIN), reader.read(text, flags)
            assert plain["ok"] == raw["ok"], (maker.types, text)
            refused += not plain["ok"]
            if plain["ok"]:
                read += 1
                assert plain["repairs"] == raw["repairs"] and plain["cost"] == raw["cost"]
                told = plain_of(maker.types, maker.root, raw["value"])
                assert repr(told) == repr(plain["value"]), (maker.types, text, raw["value"], plain["value"])
                brief = reader.read(text, flags | READ_BRIEF)
                assert repr(brief) == repr({**raw, "repairs": []}), (text, brief)
    assert read > 3000 and refused > 1000, (read, refused)
