"""Random programs in one file and split into several: what is reached is what the calls of the program lead to.

The writer of a program knows its calls, and walks them; however the functions lie in files and are imported, each that
is reached is found, and no other. The number of callers is that of one file, where all calls are in view.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

HEAD = "import torch\nfrom torch import nn\n"
FUNCTIONS = 9


class Program:
    """Functions that call one another, one of them compiled; each asks for the value of a tensor."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        count = range(FUNCTIONS)
        self.calls = {at: sorted(set(self.chance.choices(count, k=self.chance.randrange(4)))) for at in count}
        self.entrances = self.chance.sample(count, 2)
        self.kinds = {at: self.chance.choice(["def", "def", "def", "init", "table"]) for at in count}
        self.kinds.update(dict.fromkeys(self.entrances, "def"))
        self.calls = {at: [to for to in some if to not in self.entrances] for at, some in self.calls.items()}

    def reached(self) -> set[int]:
        found, waiting = set(), list(self.entrances)
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += self.calls[at]
        return found

    def callers(self, at: int) -> int:
        return sum(at in self.calls[other] for other in self.reached())

    def written(self, at: int, name_of: dict[int, str]) -> str:
        """A function, a class that does it when it is made, or a function that is called out of a table."""
        calls = [f"    {name_of[to]}{'[0]' if self.kinds[to] == 'table' else ''}(x)\n" for to in self.calls[at]]
        body = f"    x.add({at}).item()\n{''.join(calls)}"
        if self.kinds[at] == "init":
            inner = "".join(f"    {line}\n" for line in body.splitlines())
            return f"\n\nclass F{at}:\n    def __init__(self, x):\n{inner}"
        table = f"\n\nF{at} = [f{at}, f{at}]\n" if self.kinds[at] == "table" else ""
        head = "@torch.compile\n" if at in self.entrances else ""
        return f"\n\n{head}def f{at}(x: torch.Tensor):\n{body}{table}"

    def name(self, at: int) -> str:
        return f"f{at}" if self.kinds[at] == "def" else f"F{at}"

    def one_file(self) -> dict[str, str]:
        names = {at: self.name(at) for at in self.calls}
        return {"pkg/one.py": HEAD + "".join(self.written(at, names) for at in self.calls)}

    def import_of(self, at: int, module: str, inside: str) -> tuple[str, str]:
        """A line that imports a function, and its name behind that."""
        name, up = self.name(at), "." * (inside.count("/"))
        dotted = module[len("pkg/") : -len(".py")].replace("/", ".")
        folder, _, last = dotted.rpartition(".")
        ways = [
            (f"from {up}{dotted} import {name}", name),
            (f"from {up}{dotted} import {name} as other{at}", f"other{at}"),
            (f"from pkg.{dotted} import {name}", name),
            (f"from {up}{folder} import {last}", f"{last}.{name}"),
            (f"from pkg{'.' if folder else ''}{folder} import {last} as module{at}", f"module{at}.{name}"),
            (f"from {up} import {name}", name),
        ]
        if self.kinds[at] == "table":
            ways = [ways[0], ways[1], ways[2], ways[5]]  # a table is followed under a name of the file
        return self.chance.choice(ways)

    def files(self) -> dict[str, str]:
        modules = ["pkg/a.py", "pkg/b.py", "pkg/c/d.py", "pkg/c/e.py"]
        home = {at: self.chance.choice(modules) for at in self.calls}
        texts = {}
        for module in modules:
            functions: list[str] = []
            way: dict[int, tuple[str, str]] = {}  # one for each function that the file imports
            for at in (at for at in self.calls if home[at] == module):
                names = {}
                for to in self.calls[at]:
                    if home[to] == module:
                        names[to] = self.name(to)
                    else:
                        names[to] = way.setdefault(to, self.import_of(to, home[to], module))[1]
                functions.append(self.written(at, names))
            texts[module] = HEAD + "".join(f"{line}\n" for line, _ in way.values()) + "".join(functions)
        exports = [f"from .{home[at][4:-3].replace('/', '.')} import {self.name(at)}\n" for at in self.calls]
        return {"pkg/__init__.py": "".join(exports), "pkg/c/__init__.py": "", **texts}


def found(cli: Any, *arguments: str) -> dict[int, int]:
    """The functions in which something is found, and their callers."""
    numbers = {}
    for line in cli("check", "--output-format", "json-lines", *arguments).out.splitlines():
        one = json.loads(line)
        if one["code"] == "GM201":
            text = (cli.folder / one["path"]).read_text().splitlines()[one["line"] - 1]
            numbers[int(text.partition("add(")[2].partition(")")[0])] = one["callers"]
    return numbers


@pytest.mark.parametrize("seed", range(25))
def test_what_is_reached_does_not_depend_on_files(cli: Any, seed: int) -> None:
    program = Program(seed)
    for files in (program.one_file(), program.files(), program.files()):
        for path in cli.folder.rglob("*.py"):
            path.unlink()
        for name, text in files.items():
            compile(text, name, "exec")
            cli.write(name, text)
        told = found(cli, "--no-cache", "pkg")
        assert set(told) == program.reached(), files
        plain = {at: count for at, count in told.items() if program.kinds[at] != "table"}
        assert plain == {at: program.callers(at) for at in plain}, files
        assert told == found(cli, "pkg") == found(cli, "pkg"), files
