"""What is said of values of random programs is true while they run: unpacking, joins, conditions, loops and calls."""

from __future__ import annotations

import ast
import random
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from test_claims import Place, Watch, is_wrong, read_claims  # noqa: E402

FUNCTIONS = 400
HEAD = (
    "import math\nimport torch\nfrom torch import Tensor\nfrom typing import Optional\n\nLIMIT = 3\nTABLE = {'a': 1}\n"
)
NAMES = ["a", "b", "c", "d"]
ATOMS = [
    "x",
    "x",
    "y",
    "n",
    "s",
    "items",
    "flag",
    "1",
    "2.5",
    "'t'",
    "None",
    "True",
    "LIMIT",
    "rest",
    "more",
    "z",
    "-1",
]


class Writer:
    """Writes the body of one function over two tensors, numbers, a text and containers."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def pick(self, *forms: str) -> str:
        return self.chance.choice(forms)

    def value(self, depth: int = 2) -> str:
        if depth == 0 or self.chance.random() < 0.2:
            return self.pick(*ATOMS, *NAMES, *NAMES)
        one, other = self.value(depth - 1), self.value(depth - 1)
        return self.pick(
            f"({one} + {other})",
            f"({one} * {other})",
            f"({one} / {other})",
            f"({one} - {other})",
            f"({one} {self.pick('<', '==', 'is', 'is not', 'in', '>=')} {other})",
            f"({one} and {other})",
            f"({one} or {other})",
            f"(not {one})",
            f"(-{one})",
            f"({one} if {self.test()} else {other})",
            f"({one}, {other})",
            f"[{one}, {other}]",
            f"[{one}, *{other}]",
            f"{{'a': {one}, 'b': {other}}}",
            f"{one}[0]",
            f"{one}[-1]",
            f"{one}['a']",
            f"{one}[{other}]",
            f"{one}[0:1]",
            f"({self.pick(*NAMES)} := {one})",
            f"[k for k in {one}]",
            f"len({one})",
            f"{self.pick('float', 'int', 'bool', 'str', 'abs', 'max', 'list', 'tuple', 'sorted', 'sum')}({one})",
            f"{one}.{self.pick('sum()', 'mean()', 'item()', 'shape', 'dtype', 'T', 'long()', 'float()', 'size(0)')}",
            f"{one}.{self.pick('tolist()', 'any()', 'dim()', 'device', 'clone()', 'unbind()', 'max(0)', 'numel()')}",
            f"torch.{self.pick('relu', 'sum', 'zeros_like', 'isnan', 'is_tensor', 'sort', 'argmax')}({one})",
            f"torch.stack([{one}, {other}])",
            f"torch.where({one} > 0, {one}, {other})",
            f"math.sqrt({one})",
            f"isinstance({one}, {self.pick('torch.Tensor', 'int', '(int, float)', 'str')})",
            f"dict(a={one}, b={other})",
        )

    def test(self) -> str:
        name = self.pick(*NAMES, "x", "y", "z", "n", "flag")
        return self.pick(
            f"{name} is None",
            f"{name} is not None",
            f"isinstance({name}, Tensor)",
            f"not isinstance({name}, (int, float))",
            f"torch.is_tensor({name})",
            f"{name}",
            f"not {name}",
            "n > 1",
            f"n and {name}",
            f"n or {name} is None",
        )

    def target(self, depth: int = 1) -> str:
        if depth == 0 or self.chance.random() < 0.3:
            return self.pick(*NAMES)
        parts = [self.target(depth - 1) for _ in range(self.chance.randint(1, 3))]
        if self.chance.random() < 0.4:
            parts[self.chance.randrange(len(parts))] = f"*{self.pick(*NAMES)}"
        return f"[{', '.join(parts)}]" if self.chance.random() < 0.3 else f"({', '.join(parts)},)"

    def block(self, depth: int, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.chance.randint(1, 4)):
            lines += self.statement(depth, indent)
        return lines

    def statement(self, depth: int, indent: str) -> list[str]:
        simple = [
            f"{self.pick(*NAMES)} = {self.value()}",
            f"{self.target(2)} = {self.value()}",
            f"{self.target(2)} = ({self.value(1)}, {self.value(1)}, {self.value(1)})",
            f"{self.target(1)} = x, n, [s, y]",
            f"{self.pick(*NAMES)} {self.pick('+', '*', '-')}= {self.value(1)}",
            f"{self.pick(*NAMES)} = {self.pick(*NAMES)} = {self.value(1)}",
            f"{self.pick(*NAMES)}: {self.pick('Tensor', 'int', 'float')} = {self.value(1)}",
            f"{self.value()}",
        ]
        if depth == 0 or self.chance.random() < 0.6:
            return [indent + self.chance.choice(simple)]
        inner = indent + "    "
        head = self.pick(
            f"if {self.test()}:",
            f"if {self.test()}:",
            f"for {self.target(1)} in {self.value(1)}:",
            f"for {self.pick(*NAMES)} in range(2):",
            "try:",
        )
        lines = [indent + head, *self.block(depth - 1, inner)]
        if head == "try:":
            lines += [f"{indent}except Exception as {self.pick(*NAMES, 'error')}:", *self.block(depth - 1, inner)]
        elif self.chance.random() < 0.5:
            lines += [f"{indent}else:", *self.block(depth - 1, inner)]
        return lines


def function(seed: int) -> str:
    made = "a, b, c, d = x, y, n, s\n" if seed % 2 else "a, b, c, d = n, None, [x, y], (s, x)\n"
    head = f"\n\ndef f{seed}(x: Tensor, y: Tensor, z: Optional[Tensor], n: int, s: str, items: list, "
    body = "\n".join(Writer(seed).block(2, "    "))
    return f"{head}flag=False, *rest, **more):\n    {made}{body}\n"


def program() -> str:
    """The functions that Python takes: it has no two starred targets in one row."""
    text = HEAD
    for seed in range(FUNCTIONS):
        written = function(seed)
        try:
            compile(written, "f", "exec")
        except SyntaxError:
            written = f"\n\ndef f{seed}(*_, **__): pass\n"
        text += written
    return text


def calls() -> list[tuple[list[Any], dict[str, Any]]]:
    x, y = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([[1, 2, 0]])
    return [
        ([x, y, None, 2, "ab", [x, 1]], {}),
        ([y, x, x, 0, "", []], {"flag": True}),
        ([x.double(), x > 0, y, 1, "t", [1, "a", None]], {"flag": True, "more": 3}),
        ([torch.tensor(2), torch.tensor(3.5), None, -1, "s", [[x]], True, x, 4], {"a": x}),
    ]


def test_random_claims(executable: str, tmp_path: Path) -> None:
    text = program()
    path = tmp_path / "random_claims.py"
    path.write_text(text)
    claims = read_claims(executable, path)
    tree = ast.parse(text)
    watch = Watch()
    tree.body = [watch.visit(node) if isinstance(node, ast.FunctionDef) else node for node in tree.body]
    wrong: dict[Place, str] = {}
    seen: dict[str, set[Place]] = {}

    def look(place: Place, value: object) -> object:
        if (claim := claims.get(place)) is not None:
            class_, form, words, reason = claim
            seen.setdefault(class_, set()).add(place)
            if is_wrong(value, class_, form, words):
                line = text.splitlines()[place[0] - 1]
                wrong[place] = f"{place}: {type(value).__name__}, said to be {class_} {form} {words}: {reason}: {line}"
        return value

    scope: dict[str, Any] = {"_look": look}
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True), scope)
    for seed in range(FUNCTIONS):
        for given, named in calls():
            try:
                scope[f"f{seed}"](*given, **named)
            except (ArithmeticError, AttributeError, LookupError, NameError, RuntimeError, TypeError, ValueError):
                pass
    assert not wrong, (len(wrong), *list(wrong.values())[:6])
    assert len(seen["tensor"]) > 300 and len(seen["not"]) > 500, {name: len(places) for name, places in seen.items()}
