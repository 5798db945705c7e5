"""Random functions with every kind of control flow, and what happens when they run.

A program has one statement a line. Its variables hold tokens that know where they were bound; `u(site, variable)` reads
one, `d(site)` makes one, `c()` decides, `m()` may raise, `s(line)` in front of every statement notes what is bound.
Which way they go comes from a seed.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from typing import Any

NAMES = ("a", "b", "e", "k")
DECISIONS = 400


class Problem(Exception):
    """What `m()` raises."""


class Stop(BaseException):
    """The run is long enough."""


@dataclass
class Program:
    """The text of a function `f`, and the line at which each site of it stands."""

    text: str
    site_lines: dict[int, int]


class Writer:
    """Writes one random function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = ["def f(s, c, d, u, m, cm, it, k0, a):"]
        self.sites = 0
        self.site_lines: dict[int, int] = {}
        self.budget = self.random.randint(4, 26)
        self.closures = self.random.random() < 0.25

    def site(self) -> int:
        self.sites += 1
        self.site_lines[self.sites] = len(self.lines) + 1
        return self.sites

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def name(self) -> str:
        return self.random.choice(NAMES)

    def read(self) -> str:
        name = self.name()
        return f"u({self.site()}, {name!r}, {name})"

    def make(self, name: str) -> str:
        return f"d({self.site()}, {name!r})"

    def block(self, depth: int, loop: bool) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, loop)

    def statement(self, depth: int, loop: bool) -> None:
        self.budget -= 1
        simple = [
            self.assign,
            self.assign,
            self.use,
            self.use,
            self.delete,
            self.raiser,
            self.walrus,
            self.choice,
            self.comprehension,
        ]
        simple += [self.augment, self.swap]
        compound = [self.if_, self.if_, self.while_, self.for_, self.try_, self.try_, self.with_, self.match_]
        if self.closures:
            simple.append(self.nested)
        if loop:
            simple += [self.jump, self.jump]
        if self.random.random() < 0.12:
            simple.append(self.leave)
        self.put(depth, f"s({len(self.lines) + 1})")
        deep = depth > 4 or self.budget <= 0
        self.random.choice(simple if deep or self.random.random() < 0.55 else compound)(depth, loop)

    # Simple statements.

    def assign(self, depth: int, loop: bool) -> None:
        name = self.name()
        self.put(depth, f"{name} = {self.make(name)}")

    def use(self, depth: int, loop: bool) -> None:
        self.put(depth, self.read())

    def swap(self, depth: int, loop: bool) -> None:
        left, right = self.random.sample(NAMES, 2)
        self.put(depth, f"{left}, {right} = {self.make(left)}, {self.read()} and {self.make(right)}")

    def augment(self, depth: int, loop: bool) -> None:
        name = self.name()
        self.put(depth, f"{name} += k0({self.site()}, {name!r})")

    def delete(self, depth: int, loop: bool) -> None:
        self.put(depth, f"del {self.name()}")

    def raiser(self, depth: int, loop: bool) -> None:
        self.put(depth, "m()")

    def walrus(self, depth: int, loop: bool) -> None:
        name = self.name()
        self.put(depth, f"c() and ({name} := {self.make(name)})")

    def choice(self, depth: int, loop: bool) -> None:
        self.put(depth, f"({self.read()} if c() else {self.read()}), {self.read()}")

    def comprehension(self, depth: int, loop: bool) -> None:
        self.put(depth, f"[{self.read()} for _ in it(0, '') if c() or {self.read()}]")

    def nested(self, depth: int, loop: bool) -> None:
        name = self.name()
        writes = self.random.random() < 0.4
        self.put(depth, "def g():")
        if writes:
            self.put(depth + 1, f"nonlocal {name}")
            self.put(depth + 1, f"{name} = {self.make(name)}")
            self.site_lines[self.sites] = len(self.lines) - 2  # the binding counts as one of the `def`
        else:
            self.put(depth + 1, f"u({self.site()}, {name!r}, {name})")
        self.put(depth, "c() and g()")

    def jump(self, depth: int, loop: bool) -> None:
        self.put(depth, self.random.choice(["break", "continue"]))

    def leave(self, depth: int, loop: bool) -> None:
        self.put(depth, self.random.choice([f"return {self.read()}", "raise m.Problem()", "return"]))

    # Compound statements.

    def if_(self, depth: int, loop: bool) -> None:
        name = self.name()
        walrus = f"({name} := {self.make(name)})"
        tests = ["c()", "not c()", f"c() and {self.read()}", f"{walrus} and c()", f"c() and {walrus}"]
        tests += [f"not (c() or {walrus})", f"c() and c() is not {walrus} is not c()", f"c() or not {walrus}"]
        test = self.random.choice(tests)
        self.put(depth, f"if {test}:")
        self.block(depth + 1, loop)
        if self.random.random() < 0.3:
            self.put(depth, f"elif c() or {self.read()}:")
            self.block(depth + 1, loop)
        if self.random.random() < 0.5:
            self.put(depth, "else:")
            self.block(depth + 1, loop)

    def loop_else(self, depth: int, loop: bool) -> None:
        if self.random.random() < 0.3:
            self.put(depth, "else:")
            self.block(depth + 1, loop)

    def while_(self, depth: int, loop: bool) -> None:
        self.put(depth, self.random.choice(["while c():", f"while c() and {self.read()}:", "while True:"]))
        endless = self.lines[-1].endswith("True:")
        if endless:
            self.put(depth + 1, "if c(): break")
        self.block(depth + 1, True)
        self.loop_else(depth, loop)

    def for_(self, depth: int, loop: bool) -> None:
        name = self.name()
        self.put(depth, f"for {name} in it({self.site()}, {name!r}):")
        self.block(depth + 1, True)
        self.loop_else(depth, loop)

    def try_(self, depth: int, loop: bool) -> None:
        handlers = self.random.randint(0, 2)
        self.put(depth, "try:")
        self.block(depth + 1, loop)
        for i in range(handlers):
            bare = i == handlers - 1 and self.random.random() < 0.3
            named = f" as {self.name()}" if self.random.random() < 0.5 else ""
            self.put(depth, "except Exception:" if bare else f"except m.Problem{named}:")
            self.block(depth + 1, loop)
        if handlers and self.random.random() < 0.3:
            self.put(depth, "else:")
            self.block(depth + 1, loop)
        if not handlers or self.random.random() < 0.4:
            self.put(depth, "finally:")
            self.block(depth + 1, loop and sys.version_info < (3, 14))

    def with_(self, depth: int, loop: bool) -> None:
        name = self.name()
        target = f" as {name}" if self.random.random() < 0.6 else ""
        self.put(depth, f"with cm({self.site()}, {name!r}){target}:")
        self.block(depth + 1, loop)

    def match_(self, depth: int, loop: bool) -> None:
        if sys.version_info < (3, 10):
            self.use(depth, loop)
            return
        name = self.name()
        self.put(depth, f"match {self.make(name)}:")
        self.put(depth + 1, self.random.choice([f"case {name} if c():", "case 1:", f"case object() as {name} if c():"]))
        self.block(depth + 2, loop)
        if self.random.random() < 0.7:
            self.put(depth + 1, self.random.choice(["case _:", f"case {name}:"]))
            self.block(depth + 2, loop)

    def program(self) -> Program:
        while self.budget > 0:
            self.statement(1, False)
        return Program("\n".join(self.lines) + "\n", self.site_lines)


def write(seed: int) -> Program | None:
    """The program of a seed, or None when Python does not take it (`nonlocal` behind a use, `global` names)."""
    program = Writer(seed).program()
    try:
        compile(program.text, "f", "exec")
    except SyntaxError:
        return None
    return program


@dataclass
class Token:
    """A value that knows the site that made it, and the variable it was made for."""

    site: int
    name: str
    run: Any = field(repr=False, compare=False)
    made: int = 0  # how many events came before

    def __post_init__(self) -> None:
        self.made = len(self.run.events)

    def __iadd__(self, other: Token) -> Token:
        self.run.read(other.site, other.name, self)
        return other


class Raiser:
    """`m`: called it may raise; `m.Problem` is what."""

    Problem = Problem

    def __init__(self, run: Run) -> None:
        self.run = run

    def __call__(self) -> None:
        if self.run.decide():
            raise Problem


class Run:
    """One execution of a program.

    `events`: ("line", number, bound names), and ("read", site, variable, site of the value, how many events came before
    it was made).
    """

    def __init__(self, program: Program, seed: int) -> None:
        self.program = program
        self.random = random.Random(seed)
        self.bias = self.random.choice([0.2, 0.5, 0.8])
        self.left = DECISIONS
        self.events: list[tuple[Any, ...]] = []

    def decide(self) -> bool:
        self.left -= 1
        if self.left < 0:
            raise Stop
        return self.random.random() < self.bias

    def make(self, site: int, name: str) -> Token:
        return Token(site, name, self)

    def read(self, site: int, name: str, value: object) -> bool:
        if isinstance(value, Token):
            self.events.append(("read", site, name, value.site, value.made))
        return True

    def iterate(self, site: int, name: str) -> Any:
        while self.decide():
            yield Token(site, name, self)

    def context(self, site: int, name: str) -> Any:
        run = self

        class Context:
            def __enter__(self) -> Token:
                return Token(site, name, run)

            def __exit__(self, kind: object, value: object, trace: object) -> bool:
                return value is not None and not isinstance(value, Stop) and run.decide()

        return Context()

    def note(self, line: int) -> None:
        bound = sys._getframe(1).f_locals
        self.events.append(("line", line, frozenset(name for name in NAMES if name in bound)))

    def execute(self) -> list[tuple[Any, ...]]:
        scope: dict[str, Any] = {}
        exec(compile(self.program.text, "<program>", "exec"), scope)
        helpers = (self.note, self.decide, self.make, self.read, Raiser(self), self.context, self.iterate, self.make)
        try:
            scope["f"](*helpers, self.make(0, "a"))
        except (Exception, Stop):
            pass
        return self.events
