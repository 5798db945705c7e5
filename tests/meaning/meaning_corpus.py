"""What models write instead of what they were asked for: texts in ten kinds, each with its value or the kind of its
error.

Expected values are JSON as the schema describes it; a string in `Error` is the problem that has to be told.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Error(str):
    """The problem that a text has."""


class Case(NamedTuple):
    kind: str
    type: str  # a name in TYPES
    text: str
    value: Any


STR, INT, FLOAT, BOOL, NONE, ANY = 0, 1, 2, 3, 4, 5
BASE: list[dict[str, Any]] = [{"form": form} for form in ("str", "int", "float", "bool", "none", "any")]


def _record(name: str, *fields: Any) -> dict[str, Any]:
    made = [dict(zip(("name", "type"), field[:2]), **(field[2] if len(field) > 2 else {})) for field in fields]
    return {"form": "record", "name": name, "kind": "dataclass", "fields": made}


OPTIONAL = {"required": False}
TYPES: dict[str, list[dict[str, Any]]] = {
    # The root is the last type; the numbers below 6 are those of BASE.
    "item": [_record("Item", ("name", STR), ("count", INT))],
    "full": [
        {"form": "list", "items": [STR]},
        _record("Maker", ("name", STR), ("since", INT)),
        _record("Full", ("title", STR), ("price", FLOAT), ("tags", 6), ("maker", 7), ("used", BOOL, OPTIONAL)),
    ],
    "items": [_record("Item", ("name", STR), ("count", INT)), {"form": "list", "items": [6]}],
    "ints": [{"form": "list", "items": [INT]}],
    "int": [{"form": "alias", "name": "Whole", "items": [INT]}],
    "float": [{"form": "alias", "name": "Real", "items": [FLOAT]}],
    "bool": [{"form": "alias", "name": "Flag", "items": [BOOL]}],
    "color": [
        {
            "form": "enum",
            "name": "Color",
            "members": [{"name": "RED", "value": "red"}, {"name": "DARK_BLUE", "value": "dark blue"}],
        }
    ],
    "pet": [
        {"form": "literal", "values": [{"value": "cat"}]},
        {"form": "literal", "values": [{"value": "dog"}]},
        _record("Cat", ("kind", 6), ("name", STR)),
        _record("Dog", ("kind", 7), ("name", STR)),
        {"form": "union", "items": [8, 9]},
    ],
    "shape": [
        _record("Circle", ("name", STR), ("radius", FLOAT, OPTIONAL)),
        _record("Square", ("name", STR), ("side", FLOAT, OPTIONAL)),
        {"form": "union", "items": [6, 7]},
    ],
    "named": [
        _record(
            "Person", ("first_name", STR), ("home_town", STR, {"aliases": ["homeTown", "town"]}), ("age", INT, OPTIONAL)
        ),
    ],
    "scores": [{"form": "dict", "items": [STR, INT]}],
    "maybe": [{"form": "union", "items": [INT, NONE]}],
    "date": [{"form": "date"}],
}


def types_of(name: str) -> dict[str, Any]:
    """The meaning of a type of the corpus."""
    types = [*BASE, *TYPES[name]]
    return {"meaning": 1, "root": len(types) - 1, "types": types}


ITEM = {"name": "bolt", "count": 3}
FULL = {"title": "Chair", "price": 12.5, "tags": ["oak", "old"], "maker": {"name": "Ann", "since": 1999}}
GOOD = '{"name": "bolt", "count": 3}'
BIG = '{"title": "Chair", "price": 12.5, "tags": ["oak", "old"], "maker": {"name": "Ann", "since": 1999}}'
SYNTAX, TYPE, TWO, CUT, EMPTY = (Error(word) for word in ("syntax", "type", "ambiguous", "truncated", "empty"))

_AROUND = [
    ("item", f"```json\n{GOOD}\n```", ITEM),
    ("item", f"```\n{GOOD}\n```", ITEM),
    ("item", f"```JSON\n{GOOD}```", ITEM),
    ("item", f"Here it is:\n```json\n{GOOD}\n```\nAnything else?", ITEM),
    ("item", f"Here it is: {GOOD}", ITEM),
    ("item", f"{GOOD}\n\nI hope that helps!", ITEM),
    ("item", f"Sure! (As asked.) {GOOD} Let me know.", ITEM),
    ("item", f"The set {{x | x > 0}} is not it, this is: {GOOD}", ITEM),
    ("item", f"In [1] we read that: {GOOD}", ITEM),
    ("item", f"\ufeff{GOOD}", ITEM),
    ("item", f"\n\n   {GOOD}   \n", ITEM),
    ("item", f"json\n{GOOD}", ITEM),
    ("item", f"Answer: {GOOD}.", ITEM),
    ("item", f'My first idea was "bolt". {GOOD}', ITEM),
    ("item", f"Use `name` and `count`. {GOOD}", ITEM),
    ("full", f"Text before.\n\n```json\n{BIG}\n```\n\nText behind, with {{braces}}.", FULL),
    ("item", f"`{GOOD}`", ITEM),
    ("items", f"The list: [{GOOD}]", [ITEM]),
    ("item", "I cannot do that.", EMPTY),
    ("item", "", EMPTY),
    ("item", "   \n ", EMPTY),
    ("item", "```json\n```", EMPTY),
    ("item", "The answer is in the attachment (see [2]).", TYPE),
    ("item", f'For the 27" monitor (see [1]): {GOOD}', ITEM),
    ("item", f"1. I looked at it.\n2. This is it:\n\n{GOOD}\n\n3. Ask me.", ITEM),
    ("item", f'As "bolt" is {{given}} (I think), {GOOD}, that is 1 item.', ITEM),
    ("item", f"item = {GOOD};", ITEM),
    ("item", f"({GOOD})", ITEM),
    ("item", f"- {GOOD}", ITEM),
    ("item", f"{GOOD}\nNote: [1] is my source.", ITEM),
    ("item", f"{GOOD} 12", SYNTAX),
    ("item", f'"name": {GOOD}', SYNTAX),
    ("item", f'{GOOD}, "used": true}}', SYNTAX),
    ("ints", "[1, 2], 3]", SYNTAX),
    ("ints", "[1, 2]3]", SYNTAX),
    ("ints", "1, [2, 3]", SYNTAX),
]
_SEVERAL = [
    ("item", f"{GOOD}\n{GOOD}", ITEM),
    ("item", GOOD + '\n{"name": "nut", "count": 4}', TWO),
    ("item", f'For example {{"name": "nut", "count": 1}}.\n```json\n{GOOD}\n```', ITEM),
    ("item", f'```json\n{GOOD}\n```\nor\n```json\n{{"name": "nut", "count": 4}}\n```', TWO),
    ("item", f'{{"name": "nut"}} was too little. {GOOD}', ITEM),
    ("item", f'{GOOD} or {{"name": "nut"}}', TYPE),
    ("item", f'{GOOD} or {{"name": "nut", "count": ', CUT),
    ("items", GOOD + "\n" + GOOD, [ITEM, ITEM]),
    ("items", GOOD + ",\n" + GOOD, [ITEM, ITEM]),
    ("items", GOOD + "\n" + '{"name": "nut"}', TYPE),
    ("items", f"[{GOOD}]\n[{GOOD}]", [ITEM]),
    ("items", f'[{GOOD}]\n[{{"name": "nut", "count": 4}}]', TWO),
    ("ints", "[1, 2]", [1, 2]),
    ("ints", "[1, 2] and [1, 3]", TWO),
    ("ints", "[1, 2] then [1, 2]", [1, 2]),
    ("ints", '["one"] no, [1]', [1]),
    ("pet", '{"kind": "cat", "name": "Tom"} {"kind": "dog", "name": "Tom"}', TWO),
    ("pet", '{"kind": "dog", "name": "Rex"}', {"kind": "dog", "name": "Rex"}),
    ("shape", '{"name": "a"}', TWO),
    ("shape", '{"name": "a", "side": 2}', {"name": "a", "side": 2.0}),
    ("shape", '{"name": "a", "radius": 2, "side": 2}', TWO),
    ("shape", '{"name": "a", "radios": 2}', TWO),
    ("pet", '{"kind": "bird", "name": "Tweety"}', TYPE),
]
_PUNCTUATION = [
    ("item", '{"name": "bolt" "count": 3}', ITEM),
    ("item", '{"name": "bolt"\n "count": 3}', ITEM),
    ("item", '{"name": "bolt",, "count": 3}', ITEM),
    ("item", '{"name": "bolt", "count": 3,}', ITEM),
    ("item", '{,"name": "bolt", "count": 3}', ITEM),
    ("item", '{"name" "bolt", "count": 3}', ITEM),
    ("item", '{"name":: "bolt", "count" -3}', {"name": "bolt", "count": -3}),
    ("item", '{"name": :"bolt", "count": 3}', SYNTAX),
    ("item", '{"name" = "bolt", "count" = 3}', ITEM),
    ("item", '{"name" => "bolt", "count" => 3}', ITEM),
    ("item", '{"name": "bolt"; "count": 3}', ITEM),
    ("items", '[{"name": "bolt", "count": 3} {"name": "bolt", "count": 3}]', [ITEM, ITEM]),
    ("items", '[{"name": "bolt", "count": 3,},]', [ITEM]),
    ("ints", "[1 2 3]", TYPE),
    ("ints", "[1, 2, 3,]", [1, 2, 3]),
    ("ints", "[1,, 2]", [1, 2]),
    ("ints", "[1\n2]", [1, 2]),
    ("full", BIG.replace('"oak", "old"', '"oak" "old"'), FULL),
    ("full", BIG.replace('"oak", "old"', '"oak", "old",'), FULL),
    ("full", BIG.replace(', "tags"', ' "tags"'), FULL),
    ("item", '{"name": , "count": 3}', SYNTAX),
    ("item", '{"name": "bolt", "count": }', SYNTAX),
    ("item", '{"name": "bolt", "count" 3}', ITEM),
    ("item", '{"name": "bolt", @ "count": 3}', SYNTAX),
    ("ints", "['a' 'b']", SYNTAX),
    ("item", '{"name": "bolt," "count": 3}', SYNTAX),
    ("item", '{"name:" "bolt", "count": 3}', SYNTAX),
    ("ints", "[1, , 2]", SYNTAX),
]
_BRACKETS = [
    ("full", BIG.replace("]", ""), SYNTAX),
    ("full", BIG.replace('"old"]', '"old"'), SYNTAX),
    ("full", '{"title": "Chair", "price": 12.5, "maker": {"name": "Ann", "since": 1999}, "tags": ["oak", "old"}', FULL),
    ("items", '[{"name": "bolt", "count": 3]', [ITEM]),
    ("items", '[{"name": "bolt", "count": 3}', CUT),
    ("items", '[{"name": "bolt", "count": 3}}]', [ITEM]),
    ("item", '{"name": "bolt", "count": 3}}', ITEM),
    ("item", '{"name": "bolt", "count": 3]}', ITEM),
    ("item", "```json\n" + '{"name": "bolt", "count": 3\n```', CUT),
    ("items", "```json\n" + '[{"name": "bolt", "count": 3\n```', CUT),
    ("full", "```json\n" + BIG[:-1] + "\n```", CUT),
    ("full", "```json\n" + BIG[:-2] + "\n```", CUT),
    ("ints", "[1, 2", CUT),
    ("ints", "1, 2]", EMPTY),
    ("ints", "[1, 2}", CUT),
    ("item", '"name": "bolt", "count": 3}', TYPE),
    ("item", '{"name": "bolt", "count": 3', CUT),
    ("item", '{"name": "bolt", "count":', CUT),
    ("item", "{", CUT),
    ("ints", "[", CUT),
    ("ints", "[[1, 2]]", TYPE),
    ("item", "[" + GOOD + "]", TYPE),
    ("items", GOOD + ", " + GOOD + "]", [ITEM, ITEM]),
    ("items", '[{"name": "bolt",] "count": 3}, ' + GOOD + "]", SYNTAX),
    ("full", BIG.replace("1999}}", '1999, "used": true}}'), TWO),
    ("full", BIG.replace("]", "}"), TYPE),
]
_QUOTES = [
    ("item", "{'name': 'bolt', 'count': 3}", ITEM),
    ("item", '{name: "bolt", count: 3}', ITEM),
    ("item", "{name: bolt, count: 3}", ITEM),
    ("item", "{\u201cname\u201d: \u201cbolt\u201d, \u201ccount\u201d: 3}", ITEM),
    ("item", "{`name`: `bolt`, `count`: 3}", ITEM),
    ("item", '{"name": "bolt, "count": 3}', ITEM),
    ("item", '{"name": bolt", "count": 3}', ITEM),
    ("item", '{name": "bolt", "count": 3}', ITEM),
    ("item", '{"name: "bolt", "count": 3}', SYNTAX),
    ("item", '{"name": "bolt\n, "count": 3}', {"name": "bolt\n", "count": 3}),
    ("item", '{"count": 3, "name": "bolt\n}', ITEM),
    ("item", '{"name": "a "big" bolt", "count": 3}', {"name": 'a "big" bolt', "count": 3}),
    ("item", '{"name": "a 5" bolt", "count": 3}', SYNTAX),
    ("item", "{'name': 'Ann's bolt', 'count': 3}", {"name": "Ann's bolt", "count": 3}),
    ("item", '{"name": """bolt""", "count": 3}', ITEM),
    ("item", '{"name": "two\nlines", "count": 3}', {"name": "two\nlines", "count": 3}),
    ("item", '{"name": "tab\there", "count": 3}', {"name": "tab\there", "count": 3}),
    ("item", '{"name": "C:\\dir", "count": 3}', {"name": "C:\\dir", "count": 3}),
    ("item", '{"name": "it\\\'s", "count": 3}', {"name": "it's", "count": 3}),
    ("item", '{"name": "\\x41", "count": 3}', {"name": "A", "count": 3}),
    ("item", '{"name": "a\\u0062c", "count": 3}', {"name": "abc", "count": 3}),
    ("item", '{"name": "bolt", "count": 3, "note": "{\\"a\\": 1}"}', ITEM),
    ("item", '{"name": "x "y", "count": 3}', SYNTAX),
    ("full", BIG.replace('"oak", "old"', '"oak"[, "old"'), SYNTAX),
    ("item", '{"name": "bolt[, "count": 3}', CUT),
    ("items", '[{"name": "a", "count: 1}, {name": "b", "count": 3}]', TYPE),
    ("item", '{"name": "data "{"a": 1, "b": 2}"", "count": 3}', SYNTAX),
]
_PYTHON = [
    ("item", "{'name': 'bolt', 'count': 3,}", ITEM),
    ("item", "Item(name='bolt', count=3)", ITEM),
    ("item", "Item('bolt', 3)", ITEM),
    ("item", "Item('bolt', count=3)", ITEM),
    ("item", "shop.Item(name='bolt', count=3)", ITEM),
    ("item", "```python\nItem(name='bolt', count=3)\n```", ITEM),
    ("item", "dict(name='bolt', count=3)", EMPTY),
    ("items", "[Item('bolt', 3), Item('bolt', 3)]", [ITEM, ITEM]),
    ("item", "Item('bolt', 3, 4)", TYPE),
    ("item", "Thing('bolt', 3)", EMPTY),
    ("ints", "(1, 2)", [1, 2]),
    ("ints", "[1, 2, None]", TYPE),
    ("maybe", "None", None),
    ("maybe", "null", None),
    ("bool", "True", True),
    ("bool", "FALSE", False),
    ("full", "Full('Chair', 12.5, ['oak', 'old'], Maker('Ann', 1999), used=True)", {**FULL, "used": True}),
    (
        "full",
        "{'title': 'Chair', 'price': 12.5, 'tags': ('oak', 'old'), 'maker': {'name': 'Ann', 'since': 1999}}",
        FULL,
    ),
    (
        "full",
        "{'title': 'Chair', 'price': 12.5, 'tags': {'oak', 'old'}, 'maker': {'name': 'Ann', 'since': 1999}}",
        FULL,
    ),
    ("color", "Color.RED", "red"),
    ("scores", "{'a': 1, 'b': 2}", {"a": 1, "b": 2}),
    ("item", "{'name': u'bolt', 'count': 3}", ITEM),
    ("item", "{'name': f'bolt', 'count': 3}", SYNTAX),
    ("item", "{'name': r'bolt', 'count': 3}", ITEM),
]
_NUMBERS = [
    ("int", "42", 42),
    ("int", '"42"', 42),
    ("int", "The answer is 42.", 42),
    ("int", "Answer: **42**", 42),
    ("int", "1,234", 1234),
    ("int", "1_234", 1234),
    ("int", "+7", 7),
    ("int", "3.0", 3),
    ("int", "1e3", 1000),
    ("int", "3.5", EMPTY),
    ("int", "12 apples", 12),
    ("int", "$12", 12),
    ("int", "12 %", EMPTY),
    ("int", "3 million", EMPTY),
    ("int", '"4O"', TYPE),
    ("int", '"1l"', TYPE),
    ("int", "007", EMPTY),
    ("int", "about 42", EMPTY),
    ("int", "not 42", EMPTY),
    ("int", "42 or 43", EMPTY),
    ("float", "1,234.5", 1234.5),
    ("float", "1.234,5", EMPTY),
    ("float", "1,5", EMPTY),
    ("float", "\u20ac 12.50", 12.5),
    ("float", "12.50 EUR", 12.5),
    ("float", "1.2M", EMPTY),
    ("float", "$5k", EMPTY),
    ("float", "-$5", -5.0),
    ("float", ".5", 0.5),
    ("float", "5.", 5.0),
    ("float", "1e999", EMPTY),
    ("item", '{"name": "bolt", "count": "3"}', ITEM),
    ("item", '{"name": "bolt", "count": 3 pieces}', ITEM),
    ("item", '{"name": "bolt", "count": 1,003}', {"name": "bolt", "count": 1003}),
    ("item", '{"count": 1,003, "name": "bolt"}', {"name": "bolt", "count": 1003}),
    ("item", '{"name": "bolt", "count": "three"}', TYPE),
    ("item", '{"name": "bolt", "count": true}', TYPE),
    ("item", '{"name": "bolt", "count": 3.7}', TYPE),
    ("item", '{"name": 12, "count": 3}', {"name": "12", "count": 3}),
    ("ints", "[1,000]", TYPE),
    ("ints", '["1", "2"]', [1, 2]),
    ("full", BIG.replace("12.5", "$12.50"), FULL),
    ("full", BIG.replace("12.5", '"12.5 EUR"'), FULL),
    ("full", BIG.replace("12.5", '"12,5"'), TYPE),
]
_SHAPES = [
    ("item", f'{{"item": {GOOD}}}', ITEM),
    ("item", f'{{"result": {GOOD}}}', ITEM),
    ("item", f'{{"result": {GOOD}, "ok": true}}', TYPE),
    ("items", f'{{"items": [{GOOD}]}}', [ITEM]),
    ("items", GOOD, [ITEM]),
    ("ints", '{"numbers": [1, 2]}', [1, 2]),
    ("int", '{"answer": 42}', 42),
    ("item", '"{\\"name\\": \\"bolt\\", \\"count\\": 3}"', ITEM),
    ("full", BIG.replace('{"name": "Ann", "since": 1999}', '"{\\"name\\": \\"Ann\\", \\"since\\": 1999}"'), FULL),
    ("full", BIG.replace('["oak", "old"]', '"[\\"oak\\", \\"old\\"]"'), FULL),
    ("full", BIG.replace('["oak", "old"]', '"oak, old"'), TYPE),
    ("full", BIG.replace('["oak", "old"]', '"oak"'), TYPE),
    ("full", BIG.replace('["oak", "old"]', "null"), TYPE),
    ("full", BIG[:-1] + ', "used": null}', FULL),
    ("full", BIG[:-1] + ', "extra": [1, {"a": 2}]}', FULL),
    ("full", BIG[:-1] + ', "usd": true}', TWO),
    ("item", '{"name": "bolt", "count": 3, "count": 3}', ITEM),
    ("item", '{"name": "bolt", "count": 3, "count": 4}', TWO),
    ("scores", '{"a": 1, "a": 1}', {"a": 1}),
    ("scores", '{"a": 1, "a": 2}', TWO),
    ("item", '{"name": null, "count": 3}', TYPE),
    ("item", '{"name": ["bolt"], "count": 3}', TYPE),
    ("item", '{"name": "bolt"}', TYPE),
    ("item", "{}", TYPE),
]
_SPELLINGS = [
    ("named", '{"firstName": "Ann", "homeTown": "Ulm"}', {"first_name": "Ann", "homeTown": "Ulm"}),
    ("named", '{"First Name": "Ann", "Home Town": "Ulm"}', {"first_name": "Ann", "homeTown": "Ulm"}),
    ("named", '{"FIRST_NAME": "Ann", "home_town": "Ulm"}', {"first_name": "Ann", "homeTown": "Ulm"}),
    ("named", '{"first-name": "Ann", "town": "Ulm"}', {"first_name": "Ann", "homeTown": "Ulm"}),
    ("named", '{"first_name": "Ann", "town": "Ulm", "home_town": "Ulm"}', {"first_name": "Ann", "homeTown": "Ulm"}),
    ("named", '{"first_name": "Ann", "town": "Ulm", "home_town": "Bonn"}', TWO),
    ("named", '{"first_name": "Ann", "town": "Ulm", "aeg": 4}', TWO),
    ("named", '{"first_name": "Ann", "town": "Ulm", "agee": 4}', TWO),
    ("named", '{"frist_name": "Ann", "town": "Ulm"}', TYPE),
    ("color", "red", "red"),
    ("color", '"red"', "red"),
    ("color", "RED", "red"),
    ("color", '"Dark Blue"', "dark blue"),
    ("color", "dark_blue", "dark blue"),
    ("color", "DARK BLUE", "dark blue"),
    ("color", "green", EMPTY),
    ("color", "It is not red.", EMPTY),
    ("color", "Answer: red", "red"),
    ("bool", "yes", True),
    ("bool", "No", False),
    ("bool", "maybe", EMPTY),
    ("date", "2025-01-31", "2025-01-31"),
    ("date", '"2025-1-31"', "2025-01-31"),
    ("date", "January 31, 2025", "2025-01-31"),
    ("date", "31 Jan 2025", "2025-01-31"),
    ("date", "01/02/2025", EMPTY),
    ("date", '"2025-02-30"', TYPE),
    ("maybe", "n/a", None),
]
_ECHOES = [
    ("item", f"<think>Perhaps {{}}?</think>{GOOD}", ITEM),
    ("item", f'<think>{{"name": "nut", "count": 9}}</think>\n{GOOD}', ITEM),
    ("item", f'<thinking>\n{{"name": "nut", "count": 9}}\n</thinking>\n{GOOD}', ITEM),
    ("item", f'{{"name": "nut", "count": 9}} hmm</think>{GOOD}', ITEM),
    ("item", f"<think>never closed {GOOD}", EMPTY),
    ("item", f"<reasoning>a < b</reasoning>{GOOD}", ITEM),
    ("item", f"{{name: string, count: int}}\n{GOOD}", ITEM),
    ("item", f"type Item = {{name: string, count: int}}\n\n{GOOD}", ITEM),
    ("item", "{name: string, count: int}", EMPTY),
    ("item", '{"$schema": "x", "properties": {"name": {"type": "string"}}} ' + GOOD, ITEM),
    ("item", '{"type": "object", "properties": {"name": {"type": "string"}}} ' + GOOD, ITEM),
    ("item", '{"$ref": "#/$defs/Item"}', EMPTY),
    ("item", GOOD + ' // {"name": string}', ITEM),
    ("item", '{"name": "bolt", // the name\n "count": 3}', ITEM),
    ("item", '{"name": "bolt", /* the\n name */ "count": 3}', ITEM),
    ("item", '{"name": "bolt", # the name\n "count": 3}', ITEM),
    ("item", '{"name": "http://x/#a", "count": 3}', {"name": "http://x/#a", "count": 3}),
    ("item", '{"name": "bolt", ... "count": 3}', SYNTAX),
    ("ints", "[1, 2, ...]", TYPE),
    ("item", f"<b>{GOOD}</b>", ITEM),
    ("item", '{"name": "bolt", "count": <count>}', TYPE),
]
KINDS = {
    "around": _AROUND,
    "several": _SEVERAL,
    "punctuation": _PUNCTUATION,
    "brackets": _BRACKETS,
    "quotes": _QUOTES,
    "python": _PYTHON,
    "numbers": _NUMBERS,
    "shapes": _SHAPES,
    "spellings": _SPELLINGS,
    "echoes": _ECHOES,
}
CASES = [Case(kind, *entry) for kind, entries in KINDS.items() for entry in entries]
