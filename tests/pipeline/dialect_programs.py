"""Random functions over tensors that are numbers, and the calls of the dialect as plain Python has them.

A function has what mends are written for (branches, early returns, guards, prints, logs, records, read values) in
statements of every kind. `Tensor` stands for a tensor of one element; nothing here needs torch.
"""

from __future__ import annotations

import random
import types
from collections.abc import Callable
from typing import Any

LOCALS = ["x", "y", "z", "w"]
HEAD = "import torch\nimport logging\n\nlog = logging.getLogger(__name__)\n"


class Tensor:
    """A number that computes, compares and shows itself as a tensor of one element does."""

    def __init__(self, value: float) -> None:
        self.value = value % 97

    def __repr__(self) -> str:
        return f"tensor({self.value:.3f})"

    def __bool__(self) -> bool:
        return self.value != 0

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, spec: str) -> str:
        return format(float(self.value), spec)

    def item(self) -> float:
        return float(self.value)

    def sum(self) -> Tensor:
        return self

    mean = max = min = clone = detach = abs = sum

    def any(self) -> Tensor:
        return Tensor(self.value != 0)

    all = any

    def __neg__(self) -> Tensor:
        return Tensor(-self.value)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return Tensor(self.value == number(other))

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return Tensor(self.value != number(other))

    __hash__ = None  # type: ignore[assignment]


def number(value: Any) -> float:
    return float(value.value if isinstance(value, Tensor) else value)


def give(name: str, work: Callable[[float, float], float]) -> None:
    setattr(Tensor, f"__{name}__", lambda self, other: Tensor(work(self.value, number(other))))
    setattr(Tensor, f"__r{name}__", lambda self, other: Tensor(work(number(other), self.value)))


WORK: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b if b else a,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
for word, work in WORK.items():
    give(word, work)


class Writer:
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.lines: list[str] = []
        self.budget = self.chance.randint(3, 14)
        self.loops = 0

    def pick(self, *given: str) -> str:
        return self.chance.choice(given)

    def name(self) -> str:
        return self.chance.choice(LOCALS)

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def value(self) -> str:
        a, b = self.name(), self.name()
        return self.pick(
            f"{a} + {self.chance.randint(1, 9)}",
            f"{a} * 2 - {b}",
            f"-{a}",
            f"{a} * k",
            f"torch.relu({a})",
            f"({a} - {b}) / 3",
            f"{a} if {self.test()} else {b} * 2",
            f"({a} if {self.test()} else {b}) + 1",
            a,
        )

    def test(self) -> str:
        a, b = self.name(), self.name()
        simple = [
            f"{a}.mean() > {self.chance.randint(0, 60)}",
            f"{a}.any()",
            f"{a} < {b}",
            f"{a}.sum() == 0",
            f"{a} > k",
        ]
        first, second = self.chance.sample(simple, 2)
        return self.pick(
            first,
            first,
            f"not {first}",
            f"{first} and {second}",
            f"{first} or not {second}",
            f"n > 1 and {first}",
            f"{first} or n",
            f"0 < {a}.mean() < 50",
            f"{a}.item() > 20",
            f"bool({a}.any())",
            "n > 1",
            f"({a} := {b} + 1).sum() > 30",
        )

    def block(self, depth: int) -> None:
        for _ in range(self.chance.randint(1, 3)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        self.budget -= 1
        if self.budget > 0 and depth < 5 and self.chance.random() < 0.55:
            self.compound(depth)
        else:
            self.simple(depth)

    def simple(self, depth: int) -> None:
        a, b = self.name(), self.name()
        texts = [f"{a} = {self.value()}", f"{a} = {self.value()}", f"{a}, {b} = {b}, {self.value()}", f"{a} *= 2"]
        texts += [
            f"{a} = {b} = {self.value()}",
            f"print({a!r}, {a}, {b}.mean())",
            f'print(f"{{{a}.item():.2f}} {{n}}")',
        ]
        texts += [f'log.info("%s %d", {a}.mean(), n)', f"seen.rows.append({a}.mean().item())", f"k = {a}.item()"]
        texts += [f"assert {self.test()}, 'no {a}'", f"if {self.test()}: raise ValueError('{b} %s' % n)", "n += 1"]
        texts += [f"if {self.test()}: print('only', {a})", f"if {self.test()}: {a} = {self.value()}; {b} = {a} + 1"]
        texts += [f"{a} = (lambda {b}: {self.value()})({a})", f"z = [{a} + i for i in range(n)][-1]", "pass"]
        texts += [f"del {a}"] if self.chance.random() < 0.1 else []
        if self.loops and self.chance.random() < 0.4:
            texts = [f"if {self.test()}: {self.pick('break', 'continue')}", "continue", "break"]
        elif self.chance.random() < 0.12:
            texts = [f"return {self.value()}", f"if {self.test()}: return {self.value()}", f"raise KeyError('{a}')"]
        self.put(depth, self.chance.choice(texts))

    def branch(self, depth: int) -> None:
        self.put(depth, f"if {self.test()}:")
        self.block(depth + 1)
        while self.chance.random() < 0.25:
            self.put(depth, f"elif {self.test()}:")
            self.block(depth + 1)
        if self.chance.random() < 0.6:
            self.put(depth, "else:")
            self.block(depth + 1)

    def sides(self, depth: int) -> None:
        """A branch whose sides only compute, which is what mends are written for."""
        names = self.chance.sample(LOCALS, self.chance.randint(1, 3))
        self.put(depth, f"if {self.test()}:")
        for name in names:
            self.put(depth + 1, f"{name} = {self.value()}")
        if self.chance.random() < 0.7:
            self.put(depth, "else:")
            for name in self.chance.sample(names, len(names)):
                self.put(depth + 1, f"{name} = {self.value()}")

    def compound(self, depth: int) -> None:
        kind = self.pick("if", "if", "sides", "sides", "sides", "for", "while", "try", "with", "match", "def")
        if kind in ("if", "sides"):
            (self.branch if kind == "if" else self.sides)(depth)
            return
        name, number = self.name(), len(self.lines)
        heads = {"for": f"for {self.pick('i', 'w')} in range(n):", "while": f"while tick({number}):", "try": "try:"}
        heads |= {"with": f"with area({number}):", "match": "match n:", "def": f"def inner{number}({name}, k=k):"}
        loops, self.loops = (
            self.loops,
            self.loops + 1 if kind in ("for", "while") else 0 if kind == "def" else self.loops,
        )
        if kind == "match":
            self.put(depth, heads[kind])
            for case in (f"case 1 if {self.test()}:", "case 2 | 3:", "case _:"):
                self.put(depth + 1, case)
                self.block(depth + 2)
            return
        for at in range(self.chance.randint(0, 2) if kind == "def" else 0):
            self.put(depth, f"@mark({at})")
        self.put(depth, heads[kind])
        self.block(depth + 1)
        self.loops = loops
        if kind == "def":
            self.put(depth + 1, f"return {name}")
            self.put(depth, f"{name} = inner{number}({self.name()})")
        if kind == "try":
            self.put(depth, self.pick("except ValueError as w:", "except (KeyError, ValueError):", "except:"))
            self.block(depth + 1)
        if kind in ("for", "while", "try") and self.chance.random() < 0.4:
            self.put(depth, "else:")
            self.block(depth + 1)
        if kind == "try" and self.chance.random() < 0.5:
            self.put(depth, "finally:")
            self.put(depth + 1, f"{name} = {self.value()}")

    def function(self, name: str) -> str:
        self.put(0, f"@torch.compile\ndef {name}(x: torch.Tensor, y: torch.Tensor, n: int, k: float, seen):")
        self.put(1, "z = x * 3")
        if self.chance.random() < 0.9:
            self.put(1, "w = y + 1")
        while self.budget > 0:
            self.statement(1)
        self.put(1, self.pick("return x, y, z", "return z", "return x + y", "print(x)", "return (x, y, z, w)"))
        return "\n".join(self.lines) + "\n"


def function(seed: int, name: str) -> str:
    """The function of a seed that Python takes."""
    while True:
        text = Writer(seed).function(name)
        try:
            compile(text, "a.py", "exec")
        except SyntaxError:
            seed += 1_000_000
            continue
        return text


class Area:
    """What `with` enters."""

    def __init__(self, events: list[str], number: int) -> None:
        self.events, self.number = events, number

    def __enter__(self) -> None:
        self.events.append(f"enter {self.number}")

    def __exit__(self, *_: object) -> None:
        self.events.append(f"exit {self.number}")


class Calls:
    """The calls of the dialect where nothing is traced, but mended forms are in force by chance.

    Of a branch on a tensor both sides run, and the effects of the one that is not taken stay away, as in a graph.
    """

    def __init__(self, seed: int) -> None:
        self.seed, self.used = seed, {"branch": 0, "defer": 0, "check": 0, "record": 0}
        self.depth = self.muted = 0

    def on(self, site: str) -> bool:
        return self.depth > 0 or random.Random(f"{self.seed} {site}").random() < 0.8

    def branch(self, site: str, test: Any, then: Any, orelse: Any, operands: tuple[Any, ...]) -> Any:
        self.used["branch"] += 1
        taken, other = (then, orelse) if test else (orelse, then)
        self.depth += 1
        try:
            if isinstance(test, Tensor):
                self.pass_by(other, operands)
            return taken(*operands)
        finally:
            self.depth -= 1

    def pass_by(self, side: Any, operands: tuple[Any, ...]) -> None:
        """A side that cannot be traced is given up with its site, but no side may miss a name."""
        self.muted += 1
        try:
            side(*operands)
        except NameError:
            raise
        except Exception:
            pass
        finally:
            self.muted -= 1

    def check(self, site: str, test: Any) -> bool:
        self.used["check"] += 1
        return self.muted > 0 or not test

    def defer(self, site: str, sink: Any, values: tuple[Any, ...], numbers: str = "", levels: int = 1) -> None:
        self.used["defer"] += 1
        if not self.muted:
            sink(*values)

    def record(
        self, site: str, sink: Any, objects: Any, values: Any, path: str, action: str, numbers: str = ""
    ) -> None:
        self.used["record"] += 1
        if not self.muted:
            sink(*objects, *values)

    def and_(self, site: str, *operands: Any) -> Any:
        value = operands[0]()
        for operand in operands[1:]:
            value = value and operand()
        return value

    def or_(self, site: str, *operands: Any) -> Any:
        value = operands[0]()
        for operand in operands[1:]:
            value = value or operand()
        return value

    def taken(self, site: str, value: Any) -> Any:
        return value

    truth = taken

    def item(self, site: str, value: Any) -> Any:
        return value.item()

    def not_(self, site: str, value: Any) -> bool:
        return not value

    def equal(self, site: str, a: Any, b: Any) -> Any:
        return a == b

    def member(self, site: str, value: Any, numbers: Any) -> bool:
        return float(value) in numbers

    def outside(self, site: str, function: Any, part: str = "") -> Any:
        return function

    def noticed(self) -> int:
        return 0

    def unnoticed(self, site: str, number: int, values: Any) -> Any:
        return values


class Program:
    """A module with functions, and what happens when one of them runs."""

    def __init__(self, text: str, calls: Calls) -> None:
        self.events: list[str] = []
        self.ticks: dict[int, int] = {}
        torch = types.SimpleNamespace(compile=lambda f: f, Tensor=Tensor, relu=lambda x: Tensor(max(number(x) - 40, 0)))
        torch.where = lambda test, a, b: a if test else b
        log = types.SimpleNamespace(
            info=lambda text, *values: self.events.append(f"log {text % tuple(map(float, values))}")
        )
        self.names: dict[str, Any] = {
            "_gm": calls,
            "torch": torch,
            "tick": self.tick,
            "area": self.area,
            "mark": self.mark,
            "w": Tensor(5),
        }
        self.names["print"] = lambda *values: self.events.append(" ".join(map(str, values)))
        logging = types.SimpleNamespace(getLogger=lambda _: log)
        for line in ("import torch\n", "import logging\n", "import graphmend.runtime as _gm\n"):
            text = text.replace(line, "")
        self.names["logging"] = logging
        exec(compile(text, "<program>", "exec"), self.names)

    def tick(self, number: int) -> bool:
        self.ticks[number] = self.ticks.get(number, 0) + 1
        return self.ticks[number] % 4 != 0

    def mark(self, number: int) -> Callable[[Any], Any]:
        """A decorator that shows that it was there."""

        def decorate(function: Any) -> Any:
            self.events.append(f"mark {number}")
            return function

        return decorate

    def area(self, number: int) -> Area:
        return Area(self.events, number)

    def run(self, name: str, x: float, y: float, n: int) -> tuple[Any, ...]:
        """What is returned or raised, what has been shown, and what has been recorded."""
        self.events.clear()
        self.ticks.clear()
        seen = types.SimpleNamespace(rows=[])
        try:
            result = repr(self.names[name](Tensor(x), Tensor(y), n, 1.5, seen))
        except Exception as error:
            result = f"{type(error).__name__} {error}"
        return result, list(self.events), seen.rows
