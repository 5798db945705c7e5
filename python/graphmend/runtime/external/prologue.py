"""The prologue: external calls in front of each run of a graph, in program order.

    begin()                        # forgets earlier undo functions
    reading = Reading(random.random, [], {}, "", None)
    reading()                      # draws, and gives the graph a 0-d tensor

Dynamo keeps a list of calls (`random_calls`) in front of a graph, and passes their results to the graph. The objects of
this module are such calls. Each generator is saved before its first use: a failed guard restores the saved states
before the call runs again.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any, Callable, Iterator, Optional

import torch

from ..analysis import impure_functions
from ..base import hooks
from ..base.dynamo_values import translator
from ..base.trace_state import GuardFailed, Trace, local


class Notes:
    """The external calls of one graph so far, and the saved states of their generators."""

    def __init__(self, output: Any) -> None:
        self.output = output
        self.saved: dict[int, Callable[[], None]] = {}  # by generator
        self.clocks = 0
        self.sites: dict[str, None] = {}
        self.hosted: Any = None  # the latest result of an operator that draws (numpy_random_functions.py)

    def add(self, site: str, is_clock: bool = False) -> None:
        """Note a place of the program that takes a value."""
        self.sites[site] = None
        self.clocks += is_clock

    def save(self, generator: int, function: Any) -> bool:
        """Save the state of the generator behind a function, before its first use; returns whether it is the first."""
        if generator in self.saved:
            return False
        self.saved[generator] = impure_functions.save_generator(function)
        return True

    def hosts(self, array: Any) -> None:
        """Note the latest result of an operator that draws."""
        self.hosted = array

    def put_back(self) -> None:
        """Restore the generators that the trace has drawn from."""
        for restore in self.saved.values():
            restore()
        self.saved.clear()


@dataclasses.dataclass
class Outside:
    """The external calls of one trace."""

    taken: Optional[Notes] = None  # on the graph that is being made; None before the first value


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "random numbers that a trace draws are put back", partial=True, state=Outside
)


def notes() -> Notes:
    """The notes on the present graph; a restarted trace has new notes."""
    trace, output = local.trace, translator().output
    assert trace is not None
    outside = FEATURE.of(trace)
    if outside.taken is None or outside.taken.output is not output:
        if outside.taken is not None:
            outside.taken.put_back()
        outside.taken = Notes(output)
        output.random_calls.append((begin, (), {}))
    return outside.taken


def notes_of(trace: Trace, output: Any) -> Optional[Notes]:
    """The notes on a graph; None without external calls."""
    found = FEATURE.of(trace).taken
    return found if found is not None and found.output is output else None


def takes_values(trace: Trace) -> bool:
    """Whether a trace has external calls, in its graph or in an earlier graph."""
    return FEATURE.of(trace).taken is not None


def sites_of(trace: Trace) -> tuple[str, ...]:
    """The sites of the external calls."""
    found = FEATURE.of(trace).taken
    return tuple(found.sites) if found is not None else ()


def begin() -> None:
    """Forget the undo functions of earlier graphs."""
    local.undo.clear()


def remember(function: Any) -> None:
    """Save the state of the generator behind a function."""
    local.undo.append(impure_functions.save_generator(function))


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


def undoing_of(drawn: bool) -> Callable[[], None]:
    """The function that undoes the earlier calls of a prologue; `drawn`: one of them has drawn random numbers."""
    return undoing() if drawn else lambda: None


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
            if not impure_functions.is_original_method(self.function):
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
    """Restore the generators that the trace has drawn from.

    Dynamo draws from Python's generator too, and notes no state: it restores its own state earlier than this function
    (torch before 2.12) or later.
    """
    before = random.getstate()
    try:
        yield
    finally:
        drawn = FEATURE.of(trace).taken
        if drawn is not None:
            drawn.put_back()
            random.setstate(before)
