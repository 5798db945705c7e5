"""What happens in front of a graph whenever it runs: values are taken from outside, in the order of the program."""

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
    """What one graph has taken from outside so far."""

    def __init__(self, output: Any) -> None:
        self.output = output
        self.saved: dict[int, Callable[[], None]] = {}  # by generator
        self.clocks = 0
        self.sites: dict[str, None] = {}
        self.hosted: Any = None  # the last array that a function draws where it stands (numpy_random_functions.py)

    def add(self, site: str, is_clock: bool = False) -> None:
        """Note a place of the program that takes a value."""
        self.sites[site] = None
        self.clocks += is_clock

    def save(self, generator: int, function: Any) -> bool:
        """Save the state of the generator behind a function, before its first use; returns whether it is the first."""
        if generator in self.saved:
            return False
        self.saved[generator] = impure_functions.saved(function)
        return True

    def hosts(self, array: Any) -> None:
        """Note the array of the last function that draws where it stands."""
        self.hosted = array

    def put_back(self) -> None:
        """Undo what the trace has drawn."""
        for restore in self.saved.values():
            restore()
        self.saved.clear()


@dataclasses.dataclass
class Outside:
    """The values that one trace takes from outside of the program."""

    taken: Optional[Notes] = None  # on the graph that is being made; None before the first value


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "random numbers that a trace draws are put back", partial=True, state=Outside
)


def notes() -> Notes:
    """The notes on the graph that is being made; a trace that Dynamo starts again has new ones."""
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
    """The notes on a graph; None where the graph has taken nothing from outside."""
    found = FEATURE.of(trace).taken
    return found if found is not None and found.output is output else None


def takes_values(trace: Trace) -> bool:
    """Whether a trace has taken values from outside, in its graph or in an earlier one."""
    return FEATURE.of(trace).taken is not None


def sites_of(trace: Trace) -> tuple[str, ...]:
    """The places of the program that take values from outside."""
    found = FEATURE.of(trace).taken
    return tuple(found.sites) if found is not None else ()


def begin() -> None:
    """Start to remember what has to be undone."""
    local.undo.clear()


def remember(function: Any) -> None:
    """Remember the random generator behind a function before the first use."""
    local.undo.append(impure_functions.saved(function))


def undoing() -> Callable[[], None]:
    """What undoes everything that has been drawn in front of the graph that runs now."""
    parts, generator = local.undo[:], local.generator
    local.undo.clear()

    def restore() -> None:
        for part in parts:
            part()
        if generator is not None:
            random.setstate(generator)

    return restore


def fresh(value: Any) -> Any:
    """A constant of the trace as an argument that a function may change."""
    return list(value) if type(value) is list else value


def called(function: Any, args: list, kwargs: dict, part: str) -> Any:
    """The value of a call; what a shuffled list holds in its place."""
    args = [fresh(value) for value in args]
    value = impure_functions.part_of(function(*args, **kwargs), part)
    return args[0] if getattr(function, "__name__", "") == "shuffle" else value


class Reading:
    """One call in front of a graph, and the tensor in which the graph gets its value.

    `place` tells the number of a value among those that its site has given; it is None where the graph gets the value
    itself.
    """

    def __init__(
        self, function: Any, args: list, kwargs: dict, part: str, place: Optional[Callable[[Any], int]]
    ) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.part = part
        self.place = place
        self.like: Any = None  # the tensor that the trace was given

    def __call__(self) -> Optional[torch.Tensor]:
        try:
            if not impure_functions.is_still(self.function):
                raise GuardFailed(undoing())
            value = called(self.function, self.args, self.kwargs, self.part)
            found = self.tensor(value)
        except Exception:
            raise GuardFailed(undoing()) from None
        if found is None or not self.fits(found):
            raise GuardFailed(undoing())
        return found

    def fits(self, found: torch.Tensor) -> bool:
        """Whether a value has the type and shape that the trace has seen."""
        like = self.like
        return (found.dtype, found.shape, found.stride()) == (like.dtype, like.shape, like.stride())

    def tensor(self, value: Any) -> Optional[torch.Tensor]:
        """What the graph gets; None if it cannot get it."""
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
    """One call in front of a graph that sets a random generator."""

    def __init__(self, function: Any, args: list, kwargs: dict) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs

    def __call__(self) -> None:
        try:
            called(self.function, self.args, self.kwargs, "")
        except Exception:
            raise GuardFailed(undoing()) from None


@FEATURE.scope
def put_back(trace: Trace) -> Iterator[None]:
    """Undo what the trace inside the block has drawn."""
    try:
        yield
    finally:
        drawn = FEATURE.of(trace).taken
        if drawn is not None:
            drawn.put_back()
