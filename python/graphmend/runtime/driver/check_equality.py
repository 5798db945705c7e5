"""Whether two runs of a call did the same, but for the rounding of numbers."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any, Iterator

import torch

from .observed_state import Table, digest_of, values_of

RELATIVE, ABSOLUTE = 1e-4, 1e-5
LOW_RELATIVE, LOW_ABSOLUTE = 2e-2, 1e-2
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
STREAMS = ("standard output", "standard error")
SAME = "\0as before the call"


@dataclasses.dataclass
class Outcome:
    """The outcome of a run of a call; `unseen` is the exception of a walk through its state that failed."""

    table: Table
    error: str
    texts: list[str]
    unseen: str = ""


def entry(value: Any, before: Any) -> Any:
    """An entry of a table in its compared form: unchanged entries are not carried between processes."""
    if not isinstance(value, torch.Tensor):
        return value
    values = values_of(value)
    if values is None or digest_of(value, values) == before:
        return SAME
    return str(value.dtype), value.requires_grad, values


def differences(left: Outcome, right: Outcome) -> Iterator[tuple[str, Any, Any]]:
    """Where two runs differ, with what each has there."""
    if not same_text(left.error, right.error):
        yield "exception", left.error.strip() or "none", right.error.strip() or "none"
    for name, one, other in zip(STREAMS, left.texts, right.texts):
        if not same_text(one, other):
            yield name, one, other
    for path in dict.fromkeys([*left.table, *right.table]):
        one, other = left.table.get(path, "nothing"), right.table.get(path, "nothing")
        if not same(one, other):
            yield path, one, other


def unsteady_places(first: Outcome, second: Outcome) -> set[str]:
    """Where two runs of eager Python differ. Readings of a clock may be close: texts are compared to the letter."""
    texts = {name for name, one, other in zip(STREAMS, first.texts, second.texts) if one != other}
    return texts | {place for place, *_ in differences(first, second)}


def same(left: Any, right: Any) -> bool:
    """Whether two entries are the same but for rounding."""
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple):
        return bool(left[:2] == right[:2]) and same_tensor(left[2], right[2])
    if isinstance(left, (float, complex)):
        near = abs(left - right) <= ABSOLUTE + RELATIVE * abs(left) < math.inf
        return bool(left == right or left != left and right != right or near)
    return same_text(left, right) if isinstance(left, str) else bool(left == right)


def same_tensor(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether two tensors are the same but for rounding."""
    if left.shape != right.shape:
        return False
    if not (left.is_floating_point() or left.is_complex()):
        return torch.equal(left, right)
    low = left.dtype in (torch.float16, torch.bfloat16)
    relative, absolute = (LOW_RELATIVE, LOW_ABSOLUTE) if low else (RELATIVE, ABSOLUTE)
    wide = torch.complex128 if left.is_complex() else torch.float64
    return torch.allclose(left.to(wide), right.to(wide), relative, absolute, equal_nan=True)


def same_text(left: str, right: str) -> bool:
    """Whether two texts are the same but for the rounding of numbers in them."""
    if left == right:
        return True
    if NUMBER.sub("#", left) != NUMBER.sub("#", right):
        return False
    pairs = zip(map(float, NUMBER.findall(left)), map(float, NUMBER.findall(right)))
    return all(abs(one - other) <= ABSOLUTE + 10 * RELATIVE * abs(one) for one, other in pairs)


def short(value: Any) -> str:
    """An entry in a few words."""
    if isinstance(value, tuple):
        value = value[2]
    text = " ".join(str(value).replace(SAME, "as before the call").split())
    return text if len(text) <= 120 else f"{text[:117]}..."
