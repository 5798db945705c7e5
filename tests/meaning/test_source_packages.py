"""Random packages whose modules import one another in every form: a name means from source what it means to Python.

Modules of a package, of a package in it, and one beside both define classes and other names of them, and import by
`import a.b`, `from . import`, stars and other names; what is bound later hides what was bound earlier.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmend import core
from graphmend.meaning.api import readable

PACKAGES = 24
HEAD = """from __future__ import annotations
from dataclasses import dataclass
import dataclasses
import typing
kept = dataclasses.dataclass
again = kept
forms = typing
Maybe = forms.Optional
"""
TYPES = ["{}", "{}", "list[{}]", "typing.Optional[{}]", "forms.List[{}]", "Maybe[{}]"]
DECORATORS = ["dataclass", "dataclasses.dataclass", "kept", "again", "kept(frozen=True)"]


class Writer:
    """Writes the modules of one package, each of which knows those that were written before it."""

    def __init__(self, seed: int, root: str) -> None:
        self.chance, self.root = random.Random(seed), root
        self.modules: dict[str, list[str]] = {}
        self.made = 0

    def relative(self, here: str, other: str) -> str:
        """The name of a module with dots, as it is seen from another one of the package."""
        package, apart = here.split("."), other.split(".")
        package = package if here in (self.root, f"{self.root}.inner") else package[:-1]
        shared = 0
        while shared < min(len(package), len(apart)) and package[shared] == apart[shared]:
            shared += 1
        return "." * (len(package) - shared + 1) + ".".join(apart[shared:])

    def lines_of_import(self, here: str, other: str) -> tuple[list[str], list[str]]:
        """Lines that import from a module, and what may be written after them for a class of it."""
        names = [name for name in self.modules[other] if "." not in name]
        name, alias = self.chance.choice(names), f"alias{self.made}"
        self.made += 1
        package, _, last = other.rpartition(".")
        within = {here.split(".")[0], other.split(".")[0]} == {self.root} and self.chance.random() < 0.7
        told = self.relative(here, other) if within else other
        outer = self.relative(here, package) if within and package else package
        forms = [
            ([f"import {other} as {alias}"], [f"{alias}.{one}" for one in names]),
            ([f"from {told} import {name}"], [name]),
            ([f"from {told} import {name} as {alias}"], [alias]),
            ([f"from {told} import ({', '.join(names)})"], names),
            ([f"from {told} import *"], names),
            ([f"from {other} import *"], names),
            ([f"import {other}"], [f"{other}.{one}" for one in names]),
            ([f"import {other}", f"import {other} as {alias}"], [f"{alias}.{name}"]),
            ([f"from {told} import {name} as {alias}", f"again{alias} = {alias}"], [f"again{alias}"]),
            ([f"import {other} as {alias}", f"again{alias} = {alias}.{name}"], [f"again{alias}"]),
            ([f"import {other} as {alias}", f"again{alias} = {alias}"], [f"again{alias}.{one}" for one in names]),
            ([f"from {told} import {name}", f"{name} = {name}"], [name]),
        ]
        if package:
            forms += [
                ([f"from {outer} import {last}"], [f"{last}.{one}" for one in names]),
                ([f"from {outer} import {last} as {alias}"], [f"{alias}.{one}" for one in names]),
                ([f"from {package} import {last}"], [f"{last}.{one}" for one in names]),
                ([f"import {other}", f"{alias} = {other}"], [f"{alias}.{one}" for one in names]),
            ]
        return self.chance.choice(forms)

    def write(self, module: str) -> str:
        lines, known = [], ["int", "str"]
        for _ in range(self.chance.randint(0, 4) if self.modules else 0):
            more, names = self.lines_of_import(module, self.chance.choice(list(self.modules)))
            lines += more
            known += names
        own: list[str] = []
        for _ in range(self.chance.randint(1, 3)):
            hiding = [name for name in known[2:] if name.startswith("C") and name not in own]
            name = f"C{self.made}" if self.chance.random() < 0.8 or not hiding else self.chance.choice(hiding)
            self.made += 1
            fields = [
                f"    f{number}: {self.chance.choice(TYPES).format(one)}"
                for number, one in enumerate(self.chance.choices(known, k=self.chance.randint(1, 4)))
                if one != name
            ]
            lines += ["", "", f"@{self.chance.choice(DECORATORS)}", f"class {name}:", *(fields or ["    f: int"]), ""]
            own.append(name)
            known.append(name)
            if self.chance.random() < 0.3:
                lines.append(f"other{self.made} = {name}")
                own.append(f"other{self.made}")
        self.modules[module] = own + [name for name in known[2:] if "." not in name and name not in own]
        return HEAD + "\n".join(lines) + "\n"


def package(seed: int, folder: Path) -> Writer:
    """Write a package, in the order in which its modules may import one another."""
    root = f"gm_package_{seed}"
    writer = Writer(seed, root)
    (folder / root / "inner").mkdir(parents=True)
    for module, path in (
        (f"{root}_beside", f"{root}_beside.py"),
        (root, f"{root}/__init__.py"),
        (f"{root}.first", f"{root}/first.py"),
        (f"{root}.inner", f"{root}/inner/__init__.py"),
        (f"{root}.inner.deep", f"{root}/inner/deep.py"),
        (f"{root}.last", f"{root}/last.py"),
    ):
        (folder / path).write_text(writer.write(module))
    return writer


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that modules are imported from, and that leaves none of them behind."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("gm_package_"):
            del sys.modules[name]


def meaning_of(target: Any) -> Any:
    return json.loads(readable(target).reader.meaning())


@pytest.mark.skipif(sys.version_info < (3, 10), reason="has other types")
def test_names_mean_what_they_mean_to_python(imported: Path) -> None:
    asked = 0
    for seed in range(PACKAGES):
        writer = package(seed, imported)
        for name, names in writer.modules.items():
            module = importlib.import_module(name)
            path = Path(str(module.__file__))
            for one in names:
                made = getattr(module, one)
                if (made.__module__, made.__name__) != (name, one):
                    continue
                asked += 1
                found = core.meaning_source(str(path), path.read_bytes(), one)
                assert found == meaning_of(made), (name, one, path.read_text())
    assert asked > PACKAGES * 10
