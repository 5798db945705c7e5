"""Deferred values: clock readings and other values that exist only after the graph has run.

    start = time.time()
    y = self.layers(x)
    print(f"{time.time() - start:.2f} s")   # the work has to be over before the second reading

During the trace a placeholder object stands for the reading and records the arithmetic on it. The flush computes the
number and hands it to the deferred effects. Any other use of the placeholder in the program is refused.
"""

from __future__ import annotations

import dataclasses
import operator
from typing import Any, Callable

from ..base import hooks, trace_state
from ..base.call_stack import is_ours
from ..base.dynamo_values import constant, translator
from ..capture.identity_guard import TYPE_QUESTIONS
from ..capture.trace_time import refuse


@dataclasses.dataclass
class Readings:
    """The readings behind the graph of one trace."""

    sites: dict[str, None] = dataclasses.field(default_factory=dict)  # the places of the program that read
    fills: Any = None  # where the result gets the readings (queue_sizes.Fills); None if it has none


FEATURE = hooks.Feature(
    __name__,
    hooks.GUARD,
    "nobody asks for the type of a deferred value",
    partial=True,
    state=Readings,
    rules=("GM3", "GM5"),
)

OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "round": round,
    "neg": operator.neg,
    "abs": abs,
}
TEXT = "text"  # the second part of a reading that is a string
RESULT = "result"  # the second part of a reading of which the type is not known
# Methods of strings that give strings, and never raise with arguments of the right types.
TEXT_METHODS = (
    *("capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip", "replace", "rjust", "rstrip"),
    *("strip", "swapcase", "title", "upper", "zfill"),
)
METHOD = "."  # prefix of operations that are methods of strings
OPERATIONS.update((METHOD + name, getattr(str, name)) for name in TEXT_METHODS)
ASKS = "what is read behind the graph is asked for in the middle of the call"


def note_reading(trace: trace_state.Trace, site: str) -> None:
    """Note that a place of the program reads behind the graph."""
    FEATURE.of(trace).sites[site] = None


def has_readings(trace: trace_state.Trace) -> bool:
    """Whether anything is read behind the graph."""
    return bool(FEATURE.of(trace).sites)


def refuse_readings(trace: trace_state.Trace, reason: str) -> None:
    """Refuse all places that read behind the graph."""
    for site in FEATURE.of(trace).sites:
        trace.refuse(site, reason)


def read_clock(function: Callable[[], Any], cell: list[Any]) -> None:
    """Read the clock, as an event of the flush."""
    cell.append(function())


@constant
def accepts(method: str, name: str) -> bool:
    """Whether a method of strings takes the constants in a variable of the calling frame as arguments."""
    current = translator().output.current_tx
    variables = current.symbolic_locals[name].unpack_var_sequence(current)
    if not all(variable.is_python_constant() for variable in variables):
        return False
    try:
        getattr("", method)(*(variable.as_python_constant() for variable in variables))
    except Exception:
        return False
    return True


class DeferredValue:
    """A placeholder for a deferred value. Each use during the trace is refused."""

    site: str

    def refuse_use(self, *_: Any) -> Any:
        """Refuse an operation that needs the value now."""
        refuse(self.site, ASKS)

    __getattr__ = __contains__ = __iter__ = __next__ = __len__ = __getitem__ = __call__ = refuse_use


class DeferredNumber(DeferredValue):
    """A placeholder for a deferred number: a reading in a cell, or an operation on deferred numbers.

    `operation` is empty for a reading, and otherwise a key of `OPERATIONS` with `parts` as operands.
    """

    def __init__(self, site: str, operation: str, parts: tuple[Any, ...]) -> None:
        self.site = site
        self.operation = operation
        self.parts = parts

    def result(self, operation: str, *parts: Any) -> DeferredNumber:
        """A placeholder for the result of an operation on numbers; the graph computes with tensors now."""
        for part in parts:
            if not isinstance(part, (int, float, str, DeferredNumber)):
                refuse(self.site, ASKS)
        return DeferredNumber(self.site, operation, parts)

    def __add__(self, other: Any) -> DeferredNumber:
        return self.result("+", self, other)

    def __radd__(self, other: Any) -> DeferredNumber:
        return self.result("+", other, self)

    def __sub__(self, other: Any) -> DeferredNumber:
        return self.result("-", self, other)

    def __rsub__(self, other: Any) -> DeferredNumber:
        return self.result("-", other, self)

    def __mul__(self, other: Any) -> DeferredNumber:
        return self.result("*", self, other)

    def __rmul__(self, other: Any) -> DeferredNumber:
        return self.result("*", other, self)

    def __truediv__(self, other: Any) -> DeferredNumber:
        return self.result("/", self, other)

    def __rtruediv__(self, other: Any) -> DeferredNumber:
        return self.result("/", other, self)

    def __floordiv__(self, other: Any) -> DeferredNumber:
        return self.result("//", self, other)

    def __mod__(self, other: Any) -> DeferredNumber:
        return self.result("%", self, other)

    def __round__(self, *places: int) -> DeferredNumber:
        return self.result("round", self, *places)

    def __neg__(self) -> DeferredNumber:
        return self.result("neg", self)

    def __abs__(self) -> DeferredNumber:
        return self.result("abs", self)

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __int__ = __float__ = DeferredValue.refuse_use
    __rfloordiv__ = __rmod__ = __pow__ = __rpow__ = __str__ = __repr__ = __format__ = DeferredValue.refuse_use
    __hash__ = None  # type: ignore[assignment]


class DeferredText(DeferredNumber):
    """A placeholder for a deferred string: a reading, or a method of a deferred string."""

    def text_result(self, method: str, args: tuple[Any, ...]) -> DeferredText:
        """A placeholder for the result of a method of strings."""
        if not accepts(method, "args"):
            self.refuse_use()
        return DeferredText(self.site, METHOD + method, (self, *args))


def method_of_text(name: str) -> Callable[..., DeferredText]:
    """The method of a placeholder that stands for a method of strings."""

    def method(self: DeferredText, *args: Any) -> DeferredText:
        return self.text_result(name, args)

    return method


for _name in TEXT_METHODS:
    setattr(DeferredText, _name, method_of_text(_name))


class DeferredResult(DeferredValue):
    """A placeholder for the result of a deferred call, an object of any type: a reading in a cell.

    `deferred_calls` adds the operations.
    """

    def __init__(self, site: str, cell: list[Any]) -> None:
        self.site = site
        self.operation = ""
        self.parts = (cell, RESULT)

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = DeferredValue.refuse_use
    __int__ = __float__ = __index__ = __str__ = __repr__ = __format__ = DeferredValue.refuse_use
    __hash__ = None  # type: ignore[assignment]


READINGS = (DeferredNumber, DeferredText, DeferredResult)


@FEATURE.hook("object.type")
def watch_type(python_type: Callable[..., type], trace: trace_state.Trace, self: Any) -> Any:
    """Refuse a program that asks for the type of a deferred value."""
    is_question = (
        bool(FEATURE.of(trace).sites)
        and issubclass(self.value_type, DeferredValue)
        and hooks.calling_frame().f_code.co_name in TYPE_QUESTIONS
    )
    if is_question and not is_ours(translator().output.current_tx.f_code):  # Dynamo itself asks for new objects
        refuse_readings(trace, "the function asks of what type a value is that it gets behind the graph")
        raise trace_state.SiteRefused(ASKS)
    return hooks.DECLINED


def refuse_escaped(trace: trace_state.Trace, output: Any) -> None:
    """Refuse deferred values in objects that outlive the call; a returned container is filled in after the flush."""
    from ..base.torch_names import UserDefinedObjectVariable
    from . import queue_sizes

    for variable in output.side_effects.id_to_variable.values():
        if isinstance(variable, UserDefinedObjectVariable) and variable.python_type() in READINGS:
            ways = queue_sizes.slots_in(output)
            if ways is None:
                refuse_readings(trace, "what is read behind the graph is kept, or returned in an object")
            FEATURE.of(trace).fills = queue_sizes.ResultSlots(ways) if ways else None
            return
