"""Arguments for operators, tried out: from the types of a schema or a signature, by chance with a fixed seed.

A tensor is described by its kind and its shape, so that a program can be given the same values again and again.
"""

from __future__ import annotations

import random
import re
from typing import Any

import torch

Spec = tuple[str, tuple[int, ...]]

SHAPES = [(3, 4), (4, 4), (4,), (), (2, 3, 4), (2, 3, 4, 4), (3, 4, 4), (2, 3, 4, 4, 4), (1,), (2, 4, 4)]
KINDS = ["float"] * 8 + ["unit"] * 2 + ["index", "index", "bool", "double", "complex"]
TEXTS = ["mean", "none", "sum", "reflect", "bilinear", "nearest", "linear", "trunc", "floor", "ij", "amax", "left", "N"]
TEXTS += ["replicate", "circular", "constant", "reduced", "max", "min", "prod", "forward", "fro", "relu", "L", "tanh"]


class Tensor:
    """A tensor argument of a form, by its place among the inputs of the program."""

    def __init__(self, place: int) -> None:
        self.place = place

    def __repr__(self) -> str:
        return f"a{self.place}"


class Constant:
    """An argument that is written as a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def tensor(spec: Spec, seed: int) -> torch.Tensor:
    """The tensor of a description."""
    kind, shape = spec
    generator = torch.Generator().manual_seed(seed)
    if kind == "bool":
        return torch.rand(shape, generator=generator) > 0.4
    if kind == "index":
        return torch.randint(0, 3, shape, generator=generator)
    if kind == "unit":
        return torch.rand(shape, generator=generator) * 0.8 + 0.1
    if kind == "complex":
        return torch.randn(shape, generator=generator, dtype=torch.complex64)
    return torch.randn(shape, generator=generator, dtype=torch.float64 if kind == "double" else torch.float32)


class Chooser:
    """Chooses arguments for one try."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.specs: list[Spec] = []
        self.shape = self.random.choice(SHAPES)
        self.kind = self.random.choice(KINDS)
        self.alike = self.random.random() < 0.6

    def tensor(self) -> Tensor:
        """One more tensor, mostly like the others."""
        shape = self.shape if self.alike or not self.specs else self.random.choice(SHAPES)
        kind = self.kind if self.random.random() < (0.85 if self.alike else 0.5) else self.random.choice(KINDS)
        self.specs.append((kind, shape))
        return Tensor(len(self.specs) - 1)

    def value(self, kind: str, optional: bool = False) -> Any:
        """An argument of a type, as schemas and annotations write it."""
        kind = kind.strip()
        inner = re.fullmatch(r"(?:typing\.)?Optional\[(.*)\]", kind) or re.fullmatch(r"(.*?)(?: \| None|\?)", kind)
        if inner is not None:
            return None if self.random.random() < 0.5 else self.value(inner[1])
        many = re.fullmatch(r"(?:typing\.)?(?:List|list|BroadcastingList\d)\[(.*)\]|(.*)\[(\d*)\]", kind)
        if many is not None:
            return self.several(many[1] or many[2], int(many[3]) if many[3] else 0)
        choose = self.random.choice
        if "Tensor" in kind:
            return self.tensor()
        if kind in ("int", "SymInt", "Symint"):
            return choose([1, 1, 0, 2, 2, -1, 3, 4])
        if kind == "float":
            return choose([0.5, 0.5, 1.0, 0.1, 0.0, 2.0])
        if kind in ("number", "Scalar", "Number", "Union[int, float]"):
            return choose([2, 0.5, 1, 0, 0.25, -1])
        if kind == "bool":
            return choose([True, True, False])
        if kind == "str":
            return choose(TEXTS)
        if kind in ("ScalarType", "torch.dtype", "DType", "dtype"):
            return Constant(choose(["torch.float32", "torch.float32", "torch.int64", "torch.float64"]))
        if kind == "Generator":
            return None
        return None

    def several(self, kind: str, count: int) -> Any:
        """Some arguments of a type, in a list."""
        if "Tensor" in kind:
            return [self.value(kind) for _ in range(self.random.choice([2, 2, 1, 3]))]
        if kind in ("int", "SymInt") and not count:
            own = list(self.shape)
            return self.random.choice([own, [1], [0], [0, 1], [1, 2], [2, 2], [-1], own[::-1], [1, 1], [4], [1, 1, 1]])
        return [self.value(kind) for _ in range(count or self.random.choice([1, 2, 3]))]
