"""Differences between two values as `values` describes them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, Optional

from .store import Contents

SAME_BITS = ("dtype", "shape", "requires_grad", "tensor", "device")
HALF = ("float16", "bfloat16", "float8")


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far floating point results may lie apart, and whether the layout in memory counts."""

    relative: float
    absolute: float
    strides: bool

    def of(self, dtype: str) -> tuple[float, float]:
        """Relative and absolute, for tensors of a type."""
        return (1e-2, 1e-2) if any(name in dtype for name in HALF) else (self.relative, self.absolute)


class Measure(Tolerance):
    """A tolerance without limit: comparisons measure the distance of values of equal kind."""

    def of(self, dtype: str) -> tuple[float, float]:
        return math.inf, math.inf


MEASURE = Measure(math.inf, math.inf, False)
CAPTURED = Tolerance(1e-4, 1e-5, True)  # graphs that run as they are captured
COMPILED = Tolerance(1e-3, 1e-4, False)
EXACT_BACKENDS = ("eager", "aot_eager", "eager_noexcept", "aot_eager_decomp_partition")


@dataclasses.dataclass(frozen=True)
class Difference:
    """A difference in words; `deviation` is the distance of the elements where only elements differ."""

    text: str
    deviation: Optional[float] = None


def short(value: Any) -> str:
    """An excerpt of a description."""
    if isinstance(value, dict) and "tensor" in value:
        return f"tensor {value['dtype'].replace('torch.', '')} {value['shape']}"
    if isinstance(value, dict) and set(value) == {"type", "value"}:
        value = value["value"]
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."


class Comparison:
    """Compares values of two runs, whose contents lie in two places."""

    def __init__(self, first: Contents, second: Contents, tolerance: Tolerance) -> None:
        self.first = first
        self.second = second
        self.tolerance = tolerance
        self.known: dict[tuple[str, str, str], tuple[Optional[Difference], float]] = {}
        self.deviation = 0.0  # the largest that was within the tolerance, since it was last set to 0

    def difference(self, a: Any, b: Any) -> Optional[Difference]:
        """The first difference, None if there is none."""
        if a == b:
            return None
        if type(a) is not type(b):
            return Difference(f"{short(a)} became {short(b)}")
        if isinstance(a, dict):
            return self.dictionaries(a, b)
        if isinstance(a, list):
            if len(a) != len(b):
                return Difference(f"{len(a)} entries became {len(b)}")
            return self.first_of(zip(map(str, range(len(a))), a, b))
        return Difference(f"{short(a)} became {short(b)}")

    def first_of(self, pairs: Iterator[tuple[str, Any, Any]]) -> Optional[Difference]:
        for _, a, b in pairs:
            found = self.difference(a, b)
            if found is not None:
                return found
        return None

    def dictionaries(self, a: dict[str, Any], b: dict[str, Any]) -> Optional[Difference]:
        if "tensor" in a and "tensor" in b:
            return self.tensors(a, b)
        if a.get("type") != b.get("type"):
            return Difference(f"{a.get('type', short(a))} became {b.get('type', short(b))}")
        if a.get("type") == "builtins.float" and "value" in a:
            return self.floats(float(a["value"]), float(b["value"]))
        if a.keys() != b.keys():
            return Difference(f"{', '.join(sorted(a.keys() ^ b.keys())[:4])}: on one side only")
        if a.keys() == {"type", "value"}:
            return Difference(f"{short(a)} became {short(b)}")
        for key in a:
            found = self.difference(a[key], b[key])
            if found is not None:
                text = found.text if key in ("items", "value", "attributes") else f"{key}: {found.text}"
                return dataclasses.replace(found, text=text)
        return None

    def floats(self, a: float, b: float) -> Optional[Difference]:
        if self.close(a, b, "float64"):
            return None
        return Difference(f"{a!r} became {b!r}", abs(a - b))

    def close(self, a: float, b: float, dtype: str) -> bool:
        """Whether two numbers are the same within the tolerance; not-a-number is itself."""
        if a == b or (a != a and b != b):
            return True
        relative, absolute = self.tolerance.of(dtype)
        if not math.isclose(a, b, rel_tol=relative, abs_tol=absolute):
            return False
        self.deviation = max(self.deviation, abs(a - b))
        return True

    def tensors(self, a: dict[str, Any], b: dict[str, Any]) -> Optional[Difference]:
        names = [*SAME_BITS, *(["stride"] if self.tolerance.strides else [])]
        for name in names:
            if a.get(name) != b.get(name):
                return Difference(f"{name} {a.get(name)} became {b.get(name)}")
        if a.get("key") == b.get("key"):
            return None
        if "key" not in a or "key" not in b:
            return Difference("contents on one side only")
        pair = a["key"], b["key"], a["dtype"]
        if pair not in self.known:
            before, self.deviation = self.deviation, 0.0
            found = self.elements(*pair)
            self.known[pair], self.deviation = (found, self.deviation), before
        found, deviation = self.known[pair]
        self.deviation = max(self.deviation, deviation)
        return found

    def elements(self, first: str, second: str, dtype: str) -> Optional[Difference]:
        """Compare the contents of two tensors of one type and shape."""
        a, b = self.first.read(first), self.second.read(second)
        worst: Optional[tuple[float, int]] = None
        for position, (x, y) in enumerate(zip(a, b)):
            if a.typecode == "q":
                if x != y:
                    return Difference(f"values differ: {x} became {y} at {position}")
            elif not self.close(x, y, dtype):
                apart = abs(x - y)
                apart = math.inf if apart != apart else apart
                if worst is None or apart > worst[0]:
                    worst = apart, position
        if worst is None:
            return None
        apart, position = worst
        return Difference(f"values differ: {a[position]:.6g} became {b[position]:.6g} at {position}", apart)
