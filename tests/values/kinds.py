"""Programs of two values and one operation: every operator between every two kinds of value.

`write` gives the text of a program, a function for each pair of kinds and a line for each operation. The text is only
read by graphmend: `Machine` computes what CPython makes of a line, on values of its own, or that it raises.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

HEADER = """
import datetime
import enum
import logging
import math

import numpy as np
import torch
from torch import nn


class Plain:
    pass


class Answering:
    def answer(self, other=None):
        return torch.ones(2)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __pos__ = __invert__ = __getitem__ = answer
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = answer
    __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = answer
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = __rmatmul__ = answer
    __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = answer
    __hash__ = __iter__ = None


class Named(str):
    def __mod__(self, other):
        return torch.ones(2)


class Meta(type):
    def __eq__(cls, other):
        return torch.ones(2)

    def __or__(cls, other):
        return torch.ones(2)

    __ror__ = __ne__ = __or__
    __hash__ = None


class Compared(metaclass=Meta):
    pass


class Colour(enum.Enum):
    RED = 1


class Layer(nn.Module):
    def __add__(self, other):
        return torch.ones(2)

    __radd__ = __eq__ = __add__
    __hash__ = nn.Module.__hash__


def define(v):
    return v
"""

# The order counts: tests draw kinds by it.
KINDS = (
    "torch.ones(2)",
    "torch.tensor(1.5)",
    "torch.ones(2) > 0",
    "torch.arange(2)",
    "torch.tensor(2)",
    "torch.tensor(True)",
    "nn.Parameter(torch.ones(2))",
    "None",
    "True",
    "3",
    "1.5",
    "2j",
    "'a'",
    "'%s'",
    "f'{1}'",
    "b'ab'",
    "b'%d'",
    "bytearray(b'ab')",
    "(1, 2)",
    "()",
    "[1, 2]",
    "[]",
    "{1: 2}",
    "{'a': torch.ones(2)}",
    "dict(a=torch.ones(2))",
    "{1, 2}",
    "set()",
    "frozenset((1,))",
    "range(3)",
    "slice(1)",
    "...",
    "torch.ones(2).shape",
    "torch.ones(2).size(0)",
    "torch.ones(2).max().item()",
    "torch.ones(2).tolist()",
    "[torch.ones(2)]",
    "(torch.ones(2), torch.ones(2))",
    "[torch.ones(2), 1]",
    "torch.ones(2).max(0)",
    "torch.ones(2, 2).unbind()",
    "torch.float32",
    "torch.device('cpu')",
    "torch.finfo(torch.float32)",
    "torch.Generator()",
    "torch.Tensor",
    "nn.Linear(2, 2)",
    "nn.ModuleList([nn.Linear(2, 2)])",
    "nn.ParameterList([torch.ones(2)])",
    "Layer()",
    "Plain()",
    "Answering()",
    "Named('a')",
    "Compared",
    "Plain",
    "Colour.RED",
    "object()",
    "int",
    "type(1)",
    "define",
    "lambda v: v",
    "len",
    "math",
    "math.pi",
    "math.sqrt(4)",
    "logging.getLogger('kinds')",
    "ValueError('a')",
    "np.ones(2)",
    "np.float64(1.5)",
    "torch.ones(2).numpy()",
    "datetime.timedelta(1)",
    "(i for i in [1, 2])",
    "[i for i in [1, 2]]",
    "[torch.ones(2) for _ in range(2)]",
    "{i for i in [1, 2]}",
    "{i: torch.ones(2) for i in [1, 2]}",
    "(torch.ones(2) for _ in range(2))",
    "zip([1], [torch.ones(2)])",
    "enumerate([torch.ones(2)])",
    "map(define, [torch.ones(2)])",
    "iter([torch.ones(2)])",
    "reversed([torch.ones(2)])",
    "list([torch.ones(2)])",
    "tuple([1])",
    "list(torch.ones(2))",
    "sorted([2, 1])",
    "str(1)",
    "bytes(2)",
    "int(torch.tensor(2))",
    "bool(torch.tensor(2))",
)

# Kinds that only an operation makes, and others beside which these are not what their parts are: an operand that
# answers for both sides, items that decide an order, numbers whose power is complex.
MADE = (
    "np.ones(2) + 1",
    "np.ones(2) == 1",
    "np.float64(2) * 2",
    "-1.5",
    "-8",
    "True & False",
    "(torch.zeros(1), 2)",
    "[torch.ones(1), 1]",
    "torch.ones(2, dtype=torch.complex64)",
    "(1, 2) + (3,)",
    "torch.ones(2) > 0",
    "torch.arange(2)",
    "torch.ones(2).shape",
    "(1, 2)",
    "[1, 2]",
    "'%s'",
    "1.5",
    "None",
)

BINARY = ("+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in", "and", "or")
PAIRS = (
    *(f"a {operator} b" for operator in BINARY + COMPARISONS),
    "a < b < a",
    "a == b == a",
    "a[b]",
    "a if b else a",
    "max(a, b)",
    "min(a, b)",
    "pow(a, b)",
    "divmod(a, b)",
    "sum(a, b)",
    "sum(a, start=b)",
    "getattr(a, 'x', b)",
    "round(a, b)",
    "[a, b]",
    "(*a, b)",
    "[*a, *b]",
    "{a: b}",
    "[a][0]",
    "(a, b)[1]",
    "[a if True else b for _ in range(1)]",
)
SINGLE = (
    "-a",
    "+a",
    "~a",
    "not a",
    "a[0]",
    "a[-1]",
    "a[:1]",
    "a[::2]",
    "a[None]",
    "a[...]",
    "a[0, 0]",
    "a[:, None]",
    "a['a']",
    "f'{a}'",
    "len(a)",
    "int(a)",
    "float(a)",
    "bool(a)",
    "complex(a)",
    "str(a)",
    "repr(a)",
    "bytes(a)",
    "abs(a)",
    "round(a)",
    "list(a)",
    "tuple(a)",
    "set(a)",
    "frozenset(a)",
    "dict(a)",
    "sorted(a)",
    "reversed(a)",
    "iter(a)",
    "next(iter(a))",
    "enumerate(a)",
    "zip(a, a)",
    "map(str, a)",
    "sum(a)",
    "sum([a, a])",
    "max([a, a])",
    "max(a)",
    "min(a)",
    "any(a)",
    "all(a)",
    "hash(a)",
    "id(a)",
    "type(a)",
    "callable(a)",
    "isinstance(a, int)",
    "range(a)",
    "slice(a)",
    "ord(a)",
    "chr(a)",
    "format(a)",
    "a()",
    "a(torch.ones(2))",
    "[i for i in a]",
    "[i for i in a][0]",
    "{i for i in a}",
    "(i for i in a)",
    "[i + i for i in a]",
    "[i == i for i in a]",
    "(y := a)",
    "a.copy()",
    "a.index(1)",
    "a.index(2)",
    "a.count(1)",
    "a.pop()",
    "a.get('a')",
    "a.get(1)",
    "a.keys()",
    "a.values()",
    "a.items()",
    "a.real",
    "a.imag",
    "a.shape",
    "a.dtype",
    "a.device",
    "a.name",
    "a.value",
    "a.values",
    "a.indices",
    "a.start",
    "a.args",
    "a.weight",
    "a.bias",
    "a.training",
    "a.eps",
    "a.max",
    "a.max()",
    "a.min()",
    "a.sum()",
    "a.any()",
    "a.all()",
    "a.item()",
    "a.tolist()",
    "a.numel()",
    "a.size()",
    "a.size(0)",
    "a.dim()",
    "a.split('a')",
    "a.join('a')",
    "a.upper()",
    "a.encode()",
    "a.decode()",
    "a.find('a')",
    "a.startswith('a')",
    "a.union(a)",
    "a.is_integer()",
    "a.bit_length()",
    "a.as_integer_ratio()",
    "a.conjugate()",
    "a.astype(int)",
    "a.getChild('x')",
    "a.info('x')",
    "a.isEnabledFor(10)",
    "a.parameters()",
    "a.state_dict()",
    "a.type()",
    "a.to(torch.float64)",
    "a.float()",
)
AUGMENTED = tuple(f"a {operator}= b" for operator in BINARY)


Pair = tuple[str, str]


def write(
    pairs: Iterable[Pair], forms: Iterable[str], augmented: Iterable[str] = ()
) -> tuple[str, dict[int, tuple[str, str, str]]]:
    """A program, and the left kind, right kind and form of each of its lines of interest."""
    lines = HEADER.splitlines()
    places: dict[int, tuple[str, str, str]] = {}

    def put(text: str, *place: str) -> None:
        lines.append(text)
        if place:
            left, right, form = place
            places[len(lines)] = (left, right, form)

    for number, (left, right) in enumerate(pairs):
        put(f"def pair_{number}():")
        put(f"    a = {left}")
        put(f"    b = {right}")
        for form in forms:
            put(f"    {form}", left, right, form)
        for index, form in enumerate(augmented):
            put(f"def changed_{number}_{index}():")
            put(f"    a = {left}")
            put(f"    b = {right}")
            put(f"    {form}")
            put("    a", left, right, form)
    return "\n".join(lines) + "\n", places


class Machine:
    """What CPython makes of a form of two kinds."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {}
        exec(HEADER, self.scope)
        self.codes: dict[tuple[str, str], Any] = {}

    def code(self, text: str, mode: str = "eval") -> Any:
        if (text, mode) not in self.codes:
            self.codes[text, mode] = compile(text, text, mode)
        return self.codes[text, mode]

    def run(self, left: str, right: str, form: str) -> list[object]:
        """The value of a form, in a list; an empty one where it raises."""
        scope = self.scope
        augmented = form in AUGMENTED
        scope["a"] = eval(self.code(left), scope)
        scope["b"] = eval(self.code(right), scope)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value = eval(self.code(form, "exec" if augmented else "eval"), scope)
            except Exception:  # noqa: BLE001
                return []
        return [scope["a"] if augmented else value]
