"""The prologue: external calls in front of each run of a graph, in program order.

    begin()                        # forgets earlier undo functions
    reading = Reading(random.random, [], {}, "", None)
    reading()                      # draws, and gives the graph a 0-d tensor

Dynamo keeps a list of calls (`random_calls`) in front of a graph, and passes their results to the graph. The objects of
this module are such calls. Each generator is saved before its first use: a failed guard restores the saved states
before the call runs again.
"""

from __future__ import annotations

import random
from typing import Any, Callable, Iterator, Optional

import torch

from ..analysis import impure_functions
from ..base import hooks
from ..base.trace_state import GuardFailed, Trace, local

FEATURE = hooks.Feature(__name__, hooks.GUARD, "random numbers that a trace draws are put back", partial=True)


def begin() -> None:
    """Forget the undo functions of earlier graphs."""
    local.undo.clear()


def remember(function: Any) -> None:
    """Save the state of the generator behind a function."""
    local.undo.append(impure_functions.saved(function))


def undoing() -> Callable[[], None]:
    """The function that undoes all calls of the present prologue."""
    parts, generator = local.undo[:], local.generator
    local.undo.clear()

    def restore() -> None:
        for part in parts:
            part()
        if generator is not None:
            random.setstate(generator)

    return restore


def fresh(value: Any) -> Any:
    """A constant of the trace as an argument; lists are copied, because the function may change them."""
    return list(value) if type(value) is list else value


def call_now(function: Any, args: list[Any], kwargs: dict[str, Any], part: str) -> Any:
    """The value of an external call; for `shuffle`, the shuffled list."""
    args = [fresh(value) for value in args]
    value = impure_functions.part_of(function(*args, **kwargs), part)
    return args[0] if getattr(function, "__name__", "") == "shuffle" else value


class Reading:
    """One external call of the prologue, with the tensor for the graph as result.

    `place` maps a value to its number among the values of the site; None where the graph gets the value itself.
    """

    def __init__(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], part: str, place: Optional[Callable[[Any], int]]
    ) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.part = part
        self.place = place
        self.like: Any = None  # the tensor of the trace

    def __call__(self) -> Optional[torch.Tensor]:
        try:
            if not impure_functions.is_still(self.function):
                raise GuardFailed(undoing())
            value = call_now(self.function, self.args, self.kwargs, self.part)
            tensor = self.tensor(value)
        except Exception:
            raise GuardFailed(undoing()) from None
        if tensor is None or not self.fits(tensor):
            raise GuardFailed(undoing())
        return tensor

    def fits(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor has the dtype, the shape and the strides of the trace."""
        like = self.like
        return (tensor.dtype, tensor.shape, tensor.stride()) == (like.dtype, like.shape, like.stride())

    def tensor(self, value: Any) -> Optional[torch.Tensor]:
        """The tensor for the graph; None for values without a tensor form."""
        if self.place is not None:
            return torch.tensor(self.place(value))
        if type(value) is float:
            return torch.tensor(value, dtype=torch.float64)
        if type(value) is int and abs(value) < 2**63:
            return torch.tensor(value)
        if type(value) is list:
            return torch.tensor(value, dtype=torch.int64)
        if type(value) is torch.Tensor:
            return value
        return torch.from_numpy(value) if type(value).__name__ == "ndarray" else None


class Setting:
    """One call of the prologue that seeds a random generator."""

    def __init__(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs

    def __call__(self) -> None:
        try:
            call_now(self.function, self.args, self.kwargs, "")
        except Exception:
            raise GuardFailed(undoing()) from None


@FEATURE.scope
def put_back(trace: Trace) -> Iterator[None]:
    """Restore the generators that the trace has drawn from."""
    try:
        yield
    finally:
        if trace.outside is not None:
            trace.outside.put_back()
