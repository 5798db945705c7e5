"""Random programs that bind, declare and read names in scopes of every kind, and the tables that Python makes.

`python tests/syntax/scope_programs.py python3.9 python3.12 ...` writes digests of what these versions say
(stated/symbols.txt), for a run of the tests has one version alone.
"""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

STATED = Path(__file__).parent / "stated" / "symbols.txt"
WORKER = Path(__file__).parents[2] / "tools" / "oracle_worker.py"
PROGRAMS = 240
NAMES = ["a", "b", "c", "d", "__p", "__q_", "__r__", "_s"]


class Writer:
    """Writes one program; a program of a newer Python has what only that one has."""

    def __init__(self, seed: int, newest: bool) -> None:
        self.chance, self.newest = random.Random(seed), newest
        self.lines: list[str] = []
        self.budget = self.chance.randint(3, 16)
        self.wild = self.chance.random() < 0.35  # with much that is refused

    def pick(self, *given: str) -> str:
        return self.chance.choice(given)

    def name(self) -> str:
        return self.chance.choice(NAMES)

    def value(self, depth: int = 0) -> str:
        """An expression."""
        if depth > 2 or self.chance.random() < 0.4:
            return self.pick(self.name(), self.name(), "1", "super()", "__class__", "locals()", "vars()", "eval('a')")
        name = self.name()
        if self.chance.random() < 0.25:
            return self.comprehension(depth)
        inner, other = self.value(depth + 1), self.value(depth + 1)
        return self.pick(
            f"({inner} if {name} else {other})",
            f"(lambda {name}={inner}, *{self.name()}2, k=1: {other})",
            f"(lambda {name}: {other})",
            f"({name} := {inner})" if self.wild or depth == 0 else inner,
            f"f'{{{name}}} {{{name}!r:{{{self.name()}}}}}'",
            f"{name}.{self.name()}({inner}, *{other}, {name}={other})",
            f"[{inner}, *{other}]",
            f"{{{inner}: {other}, **{name}}}",
            f"{name}[{inner}:{other}]",
            f"not {inner} < {other}",
        )

    def comprehension(self, depth: int) -> str:
        opened, closed = self.pick("[]", "()", "{}")
        target = self.pick(self.name(), f"{self.name()}, {self.name()}1", f"{self.name()}[0]", f"({self.name()}, *_s)")
        tail = f"for {target} in {self.value(depth + 1)}"
        if self.chance.random() < 0.4:
            tail += f" if {self.value(depth + 1)}"
        if self.chance.random() < 0.3:
            tail += f" for {self.name()} in {self.value(depth + 1)}"
        head = self.value(depth + 1)
        if opened == "{" and self.chance.random() < 0.5:
            head = f"{head}: {self.value(depth + 1)}"
        return f"{opened}{head} {tail}{closed}"

    def parameters(self) -> str:
        names = self.chance.sample(["a", "b", "c", "d", "__p"], 4)
        annotation = f": {self.value(2)}" if self.chance.random() < 0.3 else ""
        return self.pick(
            "",
            names[0],
            f"{names[0]}{annotation}, {names[1]}={self.value(2)}",
            f"{names[0]}, /, {names[1]}, *{names[2]}{annotation}, {names[3]}={self.value(2)}",
            f"*, {names[0]}, **{names[1]}{annotation}",
            f"{names[0]}, {names[0]}" if self.chance.random() < 0.1 else names[0],
        )

    def brackets(self) -> str:
        if not self.newest or self.chance.random() < 0.5:
            return ""
        bound = self.pick("", f": {self.value(2)}", f": ({self.name()}, int)")
        return f"[{self.name()}{bound}{self.pick('', ', *T', ', **P', ', T: a')}]"

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, inside: str) -> None:
        if inside == "function" and self.chance.random() < 0.25:
            self.put(depth, f"{self.pick('global', 'global', 'nonlocal')} {self.pick('g', *NAMES[4:])}")
        for _ in range(self.chance.randint(1, 4)):
            self.statement(depth, inside)

    def statement(self, depth: int, inside: str) -> None:
        self.budget -= 1
        if depth < 5 and self.budget > 0 and self.chance.random() < 0.5:
            self.compound(depth, inside)
        else:
            self.simple(depth, inside)

    def simple(self, depth: int, inside: str) -> None:
        name, other = self.name(), self.name()
        first, second = self.value(), self.value(2)
        texts = [
            f"{name} = {first}",
            f"{name}, [*{other}] = {first}",
            first,
            f"{name} += {first}",
            f"del {name}, {other}.x",
            f"{name}: {second}",
            f"{name}: {second} = {first}",
            f"({name}): int = {first}",
            f"import {name}.{other}",
            f"import {name}, {other} as _s",
            f"from {name} import {other} as {self.name()}, x",
            f"assert {first}, {second}",
        ]
        if self.wild:
            texts += [f"global {name}", f"nonlocal {name}"] * (2 if inside == "function" else 1)
        if inside == "function":
            texts += [f"return {first}", f"yield {second}", f"{name} = yield", "return"]
        if inside == "module":
            texts.append(f"from {name} import *")
        if self.newest:
            texts += [f"type {name}{self.brackets()} = {second}"] * 2
        self.put(depth, self.chance.choice(texts))

    def compound(self, depth: int, inside: str) -> None:
        name = self.name()
        kind = self.pick("def", "def", "def", "class", "class", "if", "for", "with", "try", "while", "match", "async")
        if kind in ("def", "async"):
            if self.chance.random() < 0.3 and sys.version_info >= (3, 9):
                self.put(depth, f"@{self.value()}")
            returns = f" -> {self.value(2)}" if self.chance.random() < 0.3 else ""
            word = "async def" if kind == "async" else "def"
            self.put(depth, f"{word} {name}{self.brackets()}({self.parameters()}){returns}:")
            self.block(depth + 1, "function")
            if kind == "async":
                self.put(depth + 1, f"async for {self.name()} in {self.value()}: await {self.name()}")
            return
        if kind == "class":
            bases = self.pick("", f"({self.value()}, metaclass={self.value()})", f"({self.name()})")
            self.put(depth, f"class {self.pick(name, 'C', '_D', '__E')}{self.brackets()}{bases}:")
            self.block(depth + 1, "class")
            return
        if kind == "match" and sys.version_info < (3, 10):
            kind = "if"
        value = self.value()
        heads = {
            "if": f"if {value}:",
            "for": f"for {name}, {self.name()} in {value}:",
            "while": f"while {value}:",
            "with": f"with {value} as {name}, {self.name()} as ({self.name()}, _s):",
            "try": "try:",
            "match": f"match {value}:",
        }
        self.put(depth, heads[kind])
        if kind == "match":
            patterns = [f"[{name}, *{self.name()}3]", f"{{'k': {name}, **{self.name()}3}}", f"a.b | c(x={name})"]
            self.put(
                depth + 1, f"case {self.chance.choice([*patterns[:2], f'str() as {name}', '_'])} if {self.value()}:"
            )
            self.block(depth + 2, inside)
            return
        self.block(depth + 1, inside)
        if kind == "try":
            self.put(depth, f"except {self.value()} as {name}:")
            self.block(depth + 1, inside)
        if kind != "with" and self.chance.random() < 0.4:
            self.put(depth, "else:")
            self.block(depth + 1, inside)
        if kind == "try" and self.chance.random() < 0.4:
            self.put(depth, "finally:")
            self.block(depth + 1, inside)

    def program(self) -> str:
        if self.chance.random() < 0.15:
            self.put(0, "from __future__ import annotations")
        while self.budget > 0:
            self.statement(0, "module")
        return "\n".join(self.lines) + "\n"


def taken(text: str) -> bool:
    """Whether the parser alone takes a program: the tables are what is asked."""
    try:
        compile(text, "a.py", "exec", 0x400)  # PyCF_ONLY_AST
    except SyntaxError:
        return False
    return True


def write(folder: Path, newest: bool) -> list[Path]:
    """The programs in files, the same ones each time."""
    paths, seed = [], 0
    while len(paths) < PROGRAMS:
        text = Writer(seed, newest).program()
        seed += 1
        path = folder / f"{len(paths)}.py"
        path.write_text(text)
        paths.append(path)
    return paths


def answers(python: str, paths: Sequence[Path]) -> list[str]:
    """What a Python says of each file: `ok TABLES`, or `rejected LINE:COLUMN MESSAGE`."""
    asked = "".join(f"symtable {path}\n" for path in paths)
    done = subprocess.run([python, str(WORKER)], input=asked, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def digest(answer: str) -> str:
    kind, _, text = answer.partition(" ")
    return hashlib.sha1(text.encode()).hexdigest()[:12] if kind == "ok" else kind


def main(pythons: Sequence[str]) -> None:
    lines = []
    with tempfile.TemporaryDirectory() as name:
        for newest in (False, True):
            paths = write(Path(name), newest)
            for python in pythons:
                command = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
                version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
                if not newest or version not in (
                    "3.9",
                    "3.10",
                    "3.11",
                    "3.12",
                ):  # 3.12.1 spells private names behind a generic class as in it
                    kind = "newest" if newest else "old"
                    lines.append(f"{version} {kind} {' '.join(map(digest, answers(python, paths)))}\n")
    STATED.parent.mkdir(exist_ok=True)
    STATED.write_text("".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
