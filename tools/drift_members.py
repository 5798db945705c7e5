"""Members of Dynamo's classes that the runtime uses and that two releases of torch have in different forms.

The tables of `runtime/base/torch_tables` have a row for each private name, and none for each attribute of an object of
Dynamo's: `source.name` is a property in one release and a method in another, and nothing says so. Here the sources of
both releases are read, without running them, and the attributes that the runtime's own sources mention are compared.
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import re
from collections.abc import Iterator

# The parts of torch in which the runtime has objects in hand.
PARTS = ("_dynamo", "_guards.py", "_functorch", "fx", "_subclasses", "_higher_order_ops")


@dataclasses.dataclass
class Members:
    """What a release defines: the kind and the parameters of each method of each class, and all words."""

    kinds: dict[tuple[str, str], str]
    parameters: dict[tuple[str, str], tuple[str, ...]]
    words: set[str]


def used(package: pathlib.Path) -> dict[str, str]:
    """The attributes that the modules of a package mention, with the first place of each."""
    found: dict[str, str] = {}
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                found.setdefault(node.attr, f"{path.relative_to(package)}:{node.lineno}")
    return found


def sources(torch: pathlib.Path) -> Iterator[str]:
    """The texts of the modules of a release."""
    for part in PARTS:
        path = torch / part
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield file.read_text(encoding="utf-8", errors="ignore")


def members(torch: pathlib.Path) -> Members:
    """What the modules of a release define."""
    found = Members({}, {}, set())
    for text in sources(torch):
        found.words.update(re.findall(r"\w+", text))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                for item in node.body:
                    if isinstance(item, ast.FunctionDef):
                        add(found, (node.name, item.name), item)
    return found


def add(found: Members, key: tuple[str, str], item: ast.FunctionDef) -> None:
    """Note a method."""
    decorators = [ast.unparse(decorator) for decorator in item.decorator_list]
    found.kinds.setdefault(key, "property" if any("property" in name for name in decorators) else "method")
    found.parameters.setdefault(key, tuple(argument.arg for argument in item.args.args))


def differences(package: pathlib.Path, base: pathlib.Path, other: pathlib.Path, own: set[str]) -> list[str]:
    """A line for each attribute that the other release lacks, or has in another form. `own` are known additions."""
    mentioned, first, second = used(package), members(base), members(other)
    lines = [
        f"{name}: nowhere ({place})"
        for name, place in mentioned.items()
        if name in {member for _, member in first.kinds} and name not in second.words and name not in own
    ]
    for (owner, name), kind in first.kinds.items():
        there = second.kinds.get((owner, name))
        if name not in mentioned or there is None or name.startswith("__"):
            continue
        if there != kind:
            lines.append(f"{owner}.{name}: a {there}, not a {kind} ({mentioned[name]})")
        elif second.parameters[owner, name] != (expected := first.parameters[owner, name]):
            given = ", ".join(second.parameters[owner, name])
            lines.append(f"{owner}.{name}({given}), not ({', '.join(expected)}) ({mentioned[name]})")
    return sorted(lines)
