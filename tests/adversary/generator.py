"""Random programs with branches over tensors, as source text with the inputs of their calls."""

from __future__ import annotations

import dataclasses
import random
import re
from typing import Any, Callable

import grammar
import surroundings
import torch
from grammar import COMPARISONS, HANDLERS, INTEGERS, LEAVES, NUMBERS, POOLS, WITHS

EXPRESSIONS = {kind: [*table, *surroundings.EXPRESSIONS.get(kind, [])] for kind, table in grammar.EXPRESSIONS.items()}
STATEMENTS = [*grammar.STATEMENTS, *surroundings.STATEMENTS]

INF, NAN = float("inf"), float("nan")
PLACE = re.compile(r"\{(\+?[A-Za-z#~=])\}")
BACKENDS = ["eager"] * 81 + ["aot_eager"] * 18 + ["inductor"]
DTYPES = ["float32"] * 8 + ["float64", "float16", "bfloat16", "int64"]
LAYOUTS = ["plain"] * 6 + ["transposed", "alias", "part", "sizes", "numbers"]
SAMPLES = 7
MODES = ["leaves", "leaves", "inputs", "none"]  # which tensors are differentiated: all, those of the module, none

CAUGHT = ['print("caught")', "pass", "SEEN.append(1)", 'print("caught", type(sys.exc_info()[1]), sys.exc_info()[1])']

HEAD = """
import collections, contextlib, dataclasses, io, logging, math, random, sys, warnings
import numpy
import torch
logger = logging.getLogger("program")
SEEN = []
COUNT = 0
Pair = collections.namedtuple("Pair", "one two")
class Small(Exception):
    pass
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value * 2
    @staticmethod
    def backward(ctx, gradient):
        return gradient * 3
class Section:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        print("+", self.name)
    def __exit__(self, *exc):
        print("-", self.name)
"""
CLASS = """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.gate = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3, bias=False)
        self.scale = torch.nn.Parameter(torch.tensor([0.5, -1.0, 2.0]))
        self.norm, self.drop = torch.nn.BatchNorm1d(3), torch.nn.Dropout(0.5)
        self.register_buffer("seen", torch.zeros(3))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))
        self.count, self.total, self.last, self.mode = 0, 0.0, None, "a"
        self.history, self.table = [], {}
"""


@dataclasses.dataclass(frozen=True)
class Program:
    """A program and how it is called."""

    text: str
    dtype: str
    mode: str
    backend: str
    samples: tuple[int, ...]
    layout: str = "plain"
    features: tuple[str, ...] = ()
    optimiser: str = ""

    def calls(self) -> list[Callable[[], tuple]]:
        """Each list of arguments twice, made anew."""
        return [lambda i=i: arguments(i, self.dtype, self.layout) for i in [*self.samples, *self.samples]]


def arguments(sample: int, dtype: str, layout: str) -> tuple:
    """One of the argument lists: tests go both ways, on small, large, equal and non-finite numbers."""
    rows: list[Any] = [
        ([[1.0, 2.0, 3.0], [0.5, 0.25, 4.0]], [1.0, 2.0, 0.5], 1),
        ([[-1.0, -2.0, -3.0], [-0.5, -0.25, -4.0]], [-1.0, -0.5, -3.0], 2),
        ([[0.0, 1.0, -1.0], [2.0, -2.0, 0.5]], [0.0, 1.0, -1.0], 2),
        ([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [0.0, 0.0, 0.0], 1),
        ([[300.0, -200.0, 5.0], [1.0, 1.0, 1.0]], [10.0, -20.0, 30.0], 2),
        ([[NAN, 1.0, 2.0], [-1.0, 0.0, 1.0]], [1.0, 1.0, 1.0], 1),
        ([[INF, 1.0, -1.0], [0.0, 0.0, -INF]], [2.0, -2.0, 0.1], 2),
    ]
    x, w, n = rows[sample]
    kind = getattr(torch, dtype)
    tensors = [torch.tensor(values) for values in (x, w)]
    if not kind.is_floating_point:
        tensors = [torch.nan_to_num(tensor, 7.0, 9.0, -9.0) for tensor in tensors]
    x, w = (tensor.to(kind) for tensor in tensors)
    if layout == "transposed":
        x = x.t().contiguous().t()
    elif layout == "alias":
        w = x[1]
    elif layout == "part":
        x, w = torch.cat([x, x], 1)[:, 1:4], torch.stack([w, w], 1)[:, 0]
    elif layout == "sizes" and sample % 2:
        x = torch.cat([x, x * 2])
    elif layout == "numbers":
        n = [True, 1.5, 2, 3, False, 0.5, 1][sample]
    return x, w, n


class Writer:
    """Writes one function; `kinds` holds the locals that are bound, and what they are."""

    def __init__(self, source: random.Random, features: frozenset[str]) -> None:
        self.source = source
        self.features = features
        self.kinds: dict[str, str] = {"x": "M", "w": "V", "n": "P"}
        self.loops = 0

    def number(self, bound: int) -> int:
        """A number below a bound."""
        return self.source.randrange(bound)

    def pick(self, options: Any) -> Any:
        return options[self.number(len(options))]

    def allowed(self, table: list[tuple[str, str]]) -> list[str]:
        """The templates that can be used here: those of the features of the program, now and then the common ones."""
        bound = {kind.lower() for kind in self.kinds.values()} | set("#~")
        possible = [item for item in table if bound.issuperset(re.findall(r"\{([a-z])\}", item[1]))]
        common = [template for needs, template in possible if not needs]
        special = [template for needs, template in possible if needs and self.features.issuperset(needs.split())]
        return special if special and (not common or self.number(3)) else common

    def name(self, kind: str) -> str:
        """A local of a kind; the latest ones first."""
        names = [name for name, found in self.kinds.items() if found == kind]
        return self.pick(names[::-1]) if names else ""

    def expression(self, kind: str, depth: int) -> str:
        if depth <= 0 or not self.number(4):
            return self.name(kind) or LEAVES[kind]
        return self.fill(self.pick(self.allowed(EXPRESSIONS[kind]) or [LEAVES[kind]]), depth - 1)

    def fill(self, template: str, depth: int) -> str:
        """The text of a template."""
        bound: list[tuple[str, str]] = []
        used: list[str] = []

        def place(match: re.Match) -> str:
            what = match[1]
            if what == "#":
                return self.pick(NUMBERS if "float" in self.features else INTEGERS)
            if what == "~":
                return self.pick(COMPARISONS)
            if what[0] == "+":
                known = [name for name, kind in self.kinds.items() if kind == what[1] and name in POOLS[what[1]]]
                name = self.pick(known[::-1] if known and self.number(3) else POOLS[what[1]])
                bound.append((name, what[1]))
                return name
            if what.islower():
                used.append(self.name(what.upper()))
            if what.islower() or what == "=":
                return used[-1]
            text = self.expression(what, depth)
            return text if re.fullmatch(r"[\w.]+|\(.*\)", text) and balanced(text) else f"({text})"

        text = PLACE.sub(place, template)
        for name, kind in bound:
            self.kinds.pop(name, None)
            self.kinds[name] = kind
        return text

    def simple(self) -> list[str]:
        template = self.pick(self.allowed(STATEMENTS))
        text = self.fill(template, self.pick([1, 1, 2]))
        if template.startswith("del"):
            self.kinds.pop(text.split()[1], None)
        return text.split("\n")

    # ---- Compound statements ----

    def block(self, depth: int, in_loop: bool = False) -> list[str]:
        lines: list[str] = []
        for _ in range(self.pick([1, 1, 2, 3])):
            lines += self.statement(depth, in_loop)
        return lines

    def statement(self, depth: int, in_loop: bool = False) -> list[str]:
        forms = [self.simple, self.simple]
        if depth > 0:
            forms += [lambda: self.branch(depth, in_loop)] * 3
            for feature in ("early", "for", "while", "with", "try"):
                if feature in self.features:
                    forms.append(lambda feature=feature: getattr(self, f"{feature}_form")(depth, in_loop))
        return self.pick(forms)()

    def side(self, depth: int, in_loop: bool) -> tuple[list[str], dict[str, str]]:
        """A block that may not run, and the locals behind it."""
        before = dict(self.kinds)
        lines = self.block(depth - 1 if "nested" in self.features else 0, in_loop)
        if not self.number(8):
            lines = ["pass"] if self.number(2) else [*lines, "..."]
            self.kinds = dict(before)
        if in_loop and not self.number(3):
            lines.append(self.pick(["break", "continue"]))
        after, self.kinds = self.kinds, before
        return lines, after

    def merge(self, sides: list[dict[str, str]]) -> None:
        """Keep the locals that every side leaves with one kind."""
        names = [name for side in sides for name in side]
        unbound = "unbound" in self.features and not self.number(3)
        self.kinds = {
            name: kind
            for name in dict.fromkeys(names)
            for kind in [next(side[name] for side in sides if name in side)]
            if all(side.get(name, kind if unbound else None) == kind for side in sides)
        }

    def branch(self, depth: int, in_loop: bool) -> list[str]:
        sides = []
        lines = [f"if {self.expression('B', 2)}:"]
        text, after = self.side(depth, in_loop)
        lines += indent(text)
        sides.append(after)
        while "elif" in self.features and len(sides) < 3 and self.number(2):
            lines.append(f"elif {self.expression('B', 2)}:")
            text, after = self.side(depth, in_loop)
            lines += indent(text)
            sides.append(after)
        if self.number(3):
            text, after = self.side(depth, in_loop)
            lines += ["else:", *indent(text)]
            sides.append(after)
        else:
            sides.append(dict(self.kinds))
        self.merge(sides)
        return lines

    def early_form(self, depth: int, in_loop: bool) -> list[str]:
        before = dict(self.kinds)
        lines = [f"if {self.expression('B', 2)}:"]
        if not self.number(3):
            lines += indent(self.simple())
        lines += indent([self.result()])
        self.kinds = dict(before)
        if not self.number(3):
            text, after = self.side(depth, in_loop)
            lines += ["else:", *indent(text)]
            if not self.number(3):
                lines += indent([self.result()])
            self.kinds = after
        return lines

    def for_form(self, depth: int, in_loop: bool) -> list[str]:
        self.loops += 1
        name = f"i{self.loops}"
        before = dict(self.kinds)
        head, kind = self.pick(
            [(f"for {name} in range(3):", "P"), (f"for {name} in x:", "V"), (f"for {name}, row in enumerate(x):", "P")]
        )
        self.kinds[name] = kind
        lines = [head, *indent(self.block(depth - 1, True))]
        if self.number(2):
            lines += indent([f"if {self.expression('B', 1)}:", f"    {self.pick(['break', 'continue'])}"])
            lines += indent(self.simple())
        self.kinds = before
        if not self.number(6):
            lines += ["else:", *indent(["print('no break')"])]
        return lines

    def while_form(self, depth: int, in_loop: bool) -> list[str]:
        self.loops += 1
        name = f"i{self.loops}"
        before = dict(self.kinds)
        test = self.expression("B", 1)
        body = self.block(0)
        self.kinds = before
        head = self.pick([f"while {name} < 3 and {test}:", f"while {name} < 2:"])
        return [f"{name} = 0", head, *indent([*body, f"{name} += 1"])]

    def with_form(self, depth: int, in_loop: bool) -> list[str]:
        return [f"with {self.pick(WITHS)}:", *indent(self.block(depth - 1, in_loop))]

    def try_form(self, depth: int, in_loop: bool) -> list[str]:
        text, after = self.side(depth, in_loop)
        lines = ["try:", *indent(text)]
        handler, caught = self.side(1, in_loop)
        lines += [self.pick(HANDLERS), *indent([self.pick(CAUGHT), *handler])]
        if not self.number(3):
            lines += ["finally:", *indent(['print("finally")'])]
        self.merge([after, caught])
        return lines

    def result(self) -> str:
        """A return statement; mostly of what was bound last."""
        names = [name for name, kind in self.kinds.items() if name in "abcuvstopqjk"][::-1] or ["x"]
        forms = [
            "{0}",
            "{0}",
            "{0}, {1}",
            "{0}, {1}, {2}",
            "{0} * 2" if self.kinds.get(names[0]) in list("MVS") else "{0}",
        ]
        if "containers" in self.features:
            forms += [
                "items",
                "table",
                '{{"one": {0}, "two": [{1}]}}',
                "[{0}, table, items]",
                "({0}, None, 3)",
                "Pair({0}, {1})",
            ]
        forms += ["self.last"] if self.features.issuperset(["module", "state"]) else []
        if "alias" in self.features or "input" in self.features:
            forms += ["x", "{0}, x", "{0}, {0}"]
        if not self.number(3):
            return f"return {', '.join(names)}"
        chosen = (names * 3)[:3]
        return f"return {self.pick(forms).format(*chosen)}"


def balanced(text: str) -> bool:
    """Whether a text that starts with a parenthesis and ends with one is one parenthesis."""
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and text[0] == "(" and position < len(text) - 1:
            return False
    return True


def indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def function(source: random.Random, head: str, features: frozenset[str]) -> list[str]:
    """The lines of one function."""
    writer = Writer(source, features)
    lines = ["global COUNT"] if "globals" in features else []
    lines += ["items, table = [x], {}"] if features & {"containers", "rng", "raising", "dynamic"} else []
    lines += writer.fill("{+M} = {M}", 1).split("\n")
    lines += [writer.fill("inner = lambda v: v * 2 if v.sum() > {#} else {M}", 1)] if "closure" in features else []
    statements = writer.pick([1, 2, 3, 4])
    place = writer.number(statements)
    for number in range(statements):
        lines += writer.branch(2, False) if number == place else writer.statement(2)
    lines.append(writer.result())
    return [head, *indent(lines)]


PART = ["def __init__(self):", "    super().__init__()", "    self.linear = torch.nn.Linear(3, 3)"]
LEFT_TO_THE_CALLER = {
    "submodule",
    "state",
    "buffer",
    "helper",
    "shapes",
    "dtypes",
    "module",
    "early",
    "containers",
    "rng",
    "raising",
    "dynamic",
}


def helper(source: random.Random, head: str, features: frozenset[str]) -> list[str]:
    """The lines of a function that others call, and that returns a tensor of shape (2, 3)."""
    writer = Writer(source, features - LEFT_TO_THE_CALLER)
    lines = writer.branch(1, False)
    early = [f"if {writer.expression('B', 1)}:", f"    return {writer.expression('M', 1)}"] if writer.number(2) else []
    return [head, *indent([*lines, *early, f"return {writer.name('M')}"])]


def program(seed: int, number: int, wide: bool = False) -> Program:
    """The program of a number; it has few features. A `wide` one may have surroundings and an optimiser, too."""
    source = random.Random(f"{seed}/{number}")
    chosen = source.sample(grammar.FEATURES, source.randrange(7))
    chosen += source.sample(surroundings.FEATURES, source.choice([0, 0, 1, 1, 2])) if wide else []
    dtype, module = source.choice(DTYPES), source.randrange(2) == 1
    features = frozenset([*chosen, *(["module"] if module else []), *(["float"] if dtype != "int64" else [])])
    text = [*HEAD.strip().split("\n"), *surroundings.head_of(features)]
    if "helper" in features:
        text += helper(source, "def helper(x, w, n):", features)
    if module:
        if "submodule" in features:
            text += [
                "class Part(torch.nn.Module):",
                *indent(PART),
                *indent(helper(source, "def forward(self, x, w, n):", features)),
            ]
        text += CLASS.strip().split("\n")
        text += indent(indent(["self.inside = Part()"])) if "submodule" in features else []
        text += indent(indent(surroundings.parts_of(features)))
        if "helper" in features:
            text += indent(helper(source, "def part(self, x, w, n):", features))
        text += indent(function(source, "def forward(self, x, w, n):", features))
        convert = f".to(torch.{dtype})" if dtype not in ("int64", "float32") else ""
        text += ["def make():", f"    return Model(){convert}{source.choice(['', '.eval()'])}"]
    else:
        text += function(source, "def f(x, w, n):", features)
    mode, backend = source.choice(MODES), source.choice(BACKENDS)
    samples = tuple(source.sample(range(SAMPLES), source.choice([2, 3, 4])))
    layout = source.choice(LAYOUTS)
    trained = wide and module and mode == "leaves" and dtype == "float32"
    optimiser = source.choices(*zip(*surroundings.OPTIMISERS.items()))[0] if trained else ""
    return Program("\n".join(text) + "\n", dtype, mode, backend, samples, layout, tuple(sorted(chosen)), optimiser)
