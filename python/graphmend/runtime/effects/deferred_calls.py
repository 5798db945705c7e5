"""Deferred calls: pure functions of Python, called behind the graph with numbers that the graph computes.

    line = json.dumps({"loss": loss.item()})      # queued: the flush calls `json.dumps`
    left = timedelta(seconds=loss.item() * 9)     # an object that nobody can change
    print(line, left)                             # shows the results

During the trace a placeholder stands for the result. The program may show and record the placeholder, hand it to other
deferred calls, compute with it, and read its attributes and methods; everything is queued, in program order. So an
exception of a call comes in its place: the call of the program is undone and replayed in eager Python (`flush`). What
has to know the value during the trace is refused, and the function is then traced as Dynamo would.
"""

from __future__ import annotations

import dataclasses
import operator
from typing import Any, Callable

from ..analysis.impure_functions import MAKERS, PURE, VALUES, fact_of
from ..base import call_stack, hooks, trace_state
from ..base.call_stack import is_ours
from ..base.dynamo_values import constant, inline, is_in_try, is_unread, translator
from ..capture.identity_guard import decided_by_data
from ..capture.trace_time import nested_context, refuse
from . import deferral, undo_log
from .deferred_values import ASKS, READINGS, DeferredResult, note_reading, refuse_readings
from .object_writes import PLAIN


@dataclasses.dataclass
class Calls:
    """The places of the deferred calls of a trace. Where the trace fails, the next one makes them as Dynamo would."""

    sites: dict[str, None] = dataclasses.field(default_factory=dict)


FEATURE = hooks.Feature(__name__, hooks.GAIN, "pure calls with numbers that data decide", state=Calls)

CONTAINERS = (list, tuple, dict)
MAKING = (str, repr, ascii, format, operator.mod)
JOINING = (operator.add, operator.iadd, operator.mod)
ARITHMETIC = (operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.neg, abs)
TRACED = (*JOINING, *ARITHMETIC, getattr)
# Functions of texts and numbers alone, by name: the arguments of a deferred call are nothing else.
METHODS = (getattr(str, name) for name in vars(str) if not name.startswith("_"))
TEXTS: dict[str, Any] = {function.__qualname__: function for function in (*MAKING, *JOINING, *METHODS)}


# ---- Behind the graph ----


def compute(function: Callable[..., Any], names: tuple[str, ...], cell: list[Any], *values: Any) -> None:
    """Call a function; the last values are keyword arguments."""
    count = len(values) - len(names)
    cell.append(function(*values[:count], **dict(zip(names, values[count:]))))


# ---- Functions that Dynamo traces ----


def call_object(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call an attribute of a deferred result, behind the graph."""
    return function(*args, **kwargs)


def call_named(name: str, *args: Any, **kwargs: Any) -> Any:
    """Call a function of texts, behind the graph. Dynamo's code cannot load functions such as `operator.add`."""
    return TEXTS[name](*args, **kwargs)


def named_behind(site: str, name: str, names: tuple[str, ...], *values: Any) -> DeferredResult:
    """Queue the call of a function of texts."""
    return call_behind(site, call_named, names, name, *values)


def call_behind(site: str, function: Any, names: tuple[str, ...], *values: Any) -> DeferredResult:
    """Queue a call, and give the placeholder for its result."""
    if not are_plain("values"):
        refuse(site, "what it is given may change before the call ends")
    cell: list[Any] = []
    tensors: list[Any] = []
    flat: list[Any] = []
    forms = deferral.copy_values(site, values, "", tensors, flat)
    deferral.postpone(None, compute, [function, names, cell], forms, flat)
    return DeferredResult(site, cell)


def read_behind(self: DeferredResult, name: str) -> DeferredResult:
    """`__getattr__` of a placeholder. Dynamo also asks an empty one, which has no attributes of its own."""
    if name in ("site", "operation", "parts"):
        raise AttributeError(name)
    return call_behind(self.site, getattr, (), self, name)


def called_behind(self: DeferredResult, *args: Any, **kwargs: Any) -> DeferredResult:
    """`__call__` of a placeholder, for methods of the object."""
    return call_behind(self.site, call_object, tuple(kwargs), self, *args, *kwargs.values())


def operator_of(function: Callable[..., Any], is_reflected: bool) -> Callable[..., DeferredResult]:
    """The method of a placeholder for an operator of Python."""

    def method(self: DeferredResult, *other: Any) -> DeferredResult:
        return call_behind(self.site, function, (), *((*other, self) if is_reflected else (self, *other)))

    return method


def methods_of_result() -> dict[str, Callable[..., DeferredResult]]:
    """The methods of placeholders: whatever the program does with one is queued."""
    methods = {"__getattr__": read_behind, "__call__": called_behind}
    methods["__getitem__"] = operator_of(operator.getitem, False)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
        methods[f"__{name}__"] = operator_of(getattr(operator, name), False)
        methods[f"__r{name}__"] = operator_of(getattr(operator, name), True)
    for name in ("neg", "abs"):
        methods[f"__{name}__"] = operator_of(getattr(operator, name), False)
    return methods


for _name, _method in methods_of_result().items():
    setattr(DeferredResult, _name, _method)


# ---- Hooks ----


@FEATURE.hook("skipped.call", "class.call")
def defer_skipped(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Defer a function that Dynamo does not trace, and the making of an object that nobody can change."""
    result = deferred(trace, tx, self, self.value, args, kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("function.call")
def defer_function(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Defer a function written in Python."""
    result = deferred(trace, tx, self, getattr(self, "fn", None), args, kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("builtin.call")
def defer_builtin(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Defer texts of numbers that data decide, and sums of such texts; refuse other questions to a placeholder."""
    result = None
    if not kwargs and makes_text(self.fn, args):
        result = deferred(trace, tx, self.fn.__qualname__, self.fn, args, kwargs)
    if result is None and any(map(is_result, args)) and self.fn not in TRACED and not is_ours(tx.f_code):
        refuse_asked(trace)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("text.method", "constant.method")
def defer_method(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Defer a method of texts where a text has numbers that data decide."""
    result = None
    if is_text_method(self, name) and not (name == "format" and not any(map(is_result, args))):
        function = getattr(str, name)
        result = deferred(trace, tx, function.__qualname__, function, [self, *args], kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("compare")
def refuse_identity(compare: Any, trace: trace_state.Trace, sign: str, tx: Any, sides: Any, options: Any) -> Any:
    """Refuse a program that asks which object a placeholder stands for: it may be None."""
    if any(map(is_result, sides)) and not is_ours(tx.f_code):
        refuse_asked(trace)
    return hooks.DECLINED


def refuse_asked(trace: trace_state.Trace) -> None:
    """Refuse all deferred calls."""
    refuse_readings(trace, ASKS)
    raise trace_state.SiteRefused(ASKS)


def makes_text(function: Any, args: Any) -> bool:
    """Whether a call makes a text of a number that data decide, or puts such a text together with another."""
    if function in JOINING and any(is_open_text(arg) or is_result(arg) for arg in args):
        return True
    is_text = function is not operator.mod or args[0].python_type() is str
    return function in MAKING and is_text and any(map(is_decided, args))


def is_text_method(variable: Any, name: str) -> bool:
    """Whether Dynamo's variable is a text, and an attribute one of its methods."""
    return variable.python_type() is str and hasattr(str, name) and not name.startswith("_")


def is_result(variable: Any) -> bool:
    """Whether Dynamo's variable is the placeholder of a deferred call; no value from before the call is one."""
    return not is_unread(variable) and getattr(variable, "value_type", None) is DeferredResult


def is_decided(variable: Any) -> bool:
    """Whether Dynamo's variable, or a part of a new container, is a number that exists only behind the graph."""
    return not is_open_text(variable) and (decided_by_data(variable) or any(map(is_decided, parts_of(variable))))


@constant
def are_plain(name: str) -> bool:
    """Whether the values of a variable of the calling frame are the same behind the graph."""
    return all(map(is_plain, translator().output.current_tx.symbolic_locals[name].realize().items))


def deferred(trace: trace_state.Trace, tx: Any, variable: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable of the placeholder for the result of a call; None if the call is not deferred.

    Inside of a `try`, the program may handle what a call raises; the functions of texts, given by name, raise nothing.
    """
    values = [*args, *kwargs.values()]
    is_of_texts = type(variable) is str
    if not is_known(function) or not can_wait(values, function in MAKERS) or not (is_of_texts or not is_in_try()):
        return None
    from ..base.torch_names import VariableTracker

    site = call_stack.site_at(tx, "GM501", call_stack.column_at(tx))
    if site in trace.off:
        return None
    prepare(tx, site)
    trace.unmarked[site] = None
    function_behind = named_behind if is_of_texts else call_behind
    leading = [VariableTracker.build(tx, value) for value in (site, variable, tuple(kwargs))]
    return inline(tx, function_behind, [*leading, *values], {})


def can_wait(values: list[Any], makes_object: bool = False) -> bool:
    """Whether a pure call with these arguments, Dynamo's variables, can be made behind the graph and no earlier."""
    trace = trace_state.local.trace
    assert trace is not None
    if trace.open or nested_context() is not None or not all(map(is_plain, values)):
        return False
    return makes_object or any(map(is_open, values))


def prepare(tx: Any, site: str) -> None:
    """Note in the trace that a site is read behind the graph."""
    trace = trace_state.local.trace
    assert trace is not None
    note_reading(trace, site)
    FEATURE.of(trace).sites[site] = None
    undo_log.watch(trace, tx.output)


def is_known(function: Any) -> bool:
    """Whether the result of a function depends on its arguments alone."""
    try:
        if function in MAKERS or function in TEXTS.values():
            return True
    except Exception:  # an object whose class compares in its own way
        return False
    fact = fact_of(function)
    return fact is not None and fact.kind == PURE and "" in fact.parts


def is_placeholder(variable: Any) -> bool:
    """Whether Dynamo's variable is a deferred value."""
    return getattr(variable, "value_type", None) in READINGS


def is_open_text(variable: Any) -> bool:
    """Whether Dynamo's variable is a text with numbers that exist only behind the graph."""
    from ..base.torch_names import StringFormatVariable

    if is_unread(variable):
        return type(variable.original_value()).__name__ == "LazySymNodeFormatString"
    return type(variable) is StringFormatVariable


def parts_of(variable: Any) -> list[Any]:
    """The items of a container that the call has made."""
    from ..base.torch_names import ConstDictVariable, ListVariable, TupleVariable

    if type(variable) is ConstDictVariable:
        return [*(key.vt for key in variable.items), *variable.items.values()]
    return list(variable.items) if type(variable) in (ListVariable, TupleVariable) else []


def is_open(variable: Any) -> bool:
    """Whether something in Dynamo's variable exists only behind the graph."""
    from ..base.torch_names import SymNodeVariable

    if is_open_text(variable):
        return True
    variable = variable.realize()
    return isinstance(variable, SymNodeVariable) or is_placeholder(variable) or any(map(is_open, parts_of(variable)))


def is_plain(variable: Any) -> bool:
    """Whether Dynamo's variable is a number, a text, a placeholder, or a new container of these."""
    if is_open_text(variable):
        return True
    variable = variable.realize()
    if is_placeholder(variable):
        return True
    try:
        kind = variable.python_type()
    except NotImplementedError:
        return False
    if kind in (*PLAIN, *VALUES):
        return True
    return kind in CONTAINERS and variable.source is None and all(map(is_plain, parts_of(variable)))
