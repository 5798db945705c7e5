"""Keys that nearly name a field: those a letter or two away are refused; other spellings are taken, others left out.

The distance is computed anew here, for every key that one or two changes make of a name, and for random ones.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

import pytest

from graphmend.core import READ_PLAIN, READ_STRICT, Reader

LETTERS = "aeNt_- x1"


def distance(one: str, other: str) -> int:
    """Letters to change, add or take away."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, row = row, [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted)))
    return row[-1]


def is_swapped(one: str, other: str) -> bool:
    return any(one == f"{other[:at]}{other[at + 1]}{other[at]}{other[at + 2 :]}" for at in range(len(other) - 1))


def is_slip(key: str, name: str) -> bool:
    return distance(key, name) <= (1 if len(name) < 5 else 2) or is_swapped(key, name)


def loosely(text: str) -> str:
    return re.sub("[ _-]", "", text.lower())


def changed(text: str) -> Iterator[str]:
    for at in range(len(text) + 1):
        yield text[:at] + text[at + 1 :]
        yield text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
        for letter in LETTERS:
            yield text[:at] + letter + text[at:]
            yield text[:at] + letter + text[at + 1 :]


def keys_near(name: str, seed: int) -> list[str]:
    once = list(dict.fromkeys(changed(name)))
    chance = random.Random(seed)
    twice = [key for some in chance.sample(once, min(len(once), 60)) for key in chance.sample(list(changed(some)), 12)]
    thrice = [key for some in chance.sample(twice, 60) for key in chance.sample(list(changed(some)), 6)]
    return list(
        dict.fromkeys([*once, *twice, *thrice, name.upper(), name.title(), f"{name * 12}", f"{name}{'x' * 40}"])
    )


@pytest.mark.parametrize("name", ["abc", "name", "total", "first_name", "ab", "n" * 40])
@pytest.mark.parametrize("other", ["count", "amen"])
def test_keys_near_a_field(name: str, other: str) -> None:
    fields = [{"name": other, "type": 1}, {"name": name, "type": 1, "required": False}]
    record = {"form": "record", "name": "R", "kind": "dataclass", "fields": fields}
    reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": [record, {"form": "int"}]}))
    seen = {"same": 0, "slip": 0, "extra": 0}
    for key in keys_near(name, len(name)):
        text = json.dumps({other: 1, key: 2}, ensure_ascii=False)
        reading = reader.read(text, READ_PLAIN)
        if key in (other, "") or loosely(key) in (loosely(other), ""):
            continue
        if key == name or loosely(key) == loosely(name):
            seen["same"] += 1
            assert reading["ok"] and reading["value"] == {other: 1, name: 2}, (key, reading)
            assert [kind for kind, _ in reading["repairs"]] == ([] if key == name else ["key_spelling"]), key
            assert reader.read(text, READ_PLAIN | READ_STRICT)["ok"] == (key == name), key
        elif 3 <= len(key) <= 40 and len(name) >= 3 and is_slip(key, name):
            seen["slip"] += 1
            assert not reading["ok"] and reading["problem"] == "ambiguous", (key, reading)
            assert f"`{key}`, which may mean `{name}`" in reading["message"], reading
            given = json.dumps({other: 1, name: 3, key: 2})
            assert reader.read(given, READ_PLAIN)["value"] == {other: 1, name: 3}, "a slip for what is there is none"
        else:
            seen["extra"] += 1
            assert reading["ok"] and reading["value"] == {other: 1}, (key, reading)
            assert [kind for kind, _ in reading["repairs"]] == ["extra_key"], key
    assert seen["same"] > 1 and (seen["slip"] > 20 or len(name) == 2) and (seen["extra"] > 20 or len(name) == 40), seen
