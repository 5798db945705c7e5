"""Functions behind `functools.lru_cache` whose first call prints, logs or warns.

    @functools.lru_cache
    def table(n):
        print("building table", n)      # eager Python prints once for each n
        return list(range(n))

Dynamo ignores the cache and would trace the effect into every call. Where the arguments are constants and the code is
self-contained, the prologue calls the wrapper itself: the cache answers, or the effect happens, as in eager Python. For
the trace, a copy of the function without effects computes the value, without touching the cache.
"""

from __future__ import annotations

import cmath
import dataclasses
import dis
import functools
import inspect
import itertools
import logging
import math
import operator
import sys
import types
import warnings
from typing import Any, Iterator

from ..analysis import branch_proofs
from ..analysis.custom_op_purity import ERRORS
from ..base import call_stack, hooks, trace_state
from ..base.dialect_class import NAME as DIALECT
from ..base.effect_queue import is_queue
from ..capture.identity_guard import decided_by_data
from ..effects.flush import Stopped
from . import external_calls, prologue
from .numpy_random_functions import is_constant


@dataclasses.dataclass
class Asked:
    """The questions of one trace to caches."""

    asked: dict[str, dict[Any, None]] = dataclasses.field(default_factory=dict)  # by site: keys of the calls


FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions behind `functools.lru_cache` that have effects", state=Asked)

CACHED = type(functools.lru_cache(maxsize=None)(len))
HANDLING = ("PUSH_EXC_INFO", "SETUP_FINALLY", "SETUP_WITH", "SETUP_EXCEPT", "BEFORE_WITH")
WRITING = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "STORE_NAME", "IMPORT_", "LOAD_BUILD_CLASS")
SUSPENDED = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
MODULES = (math, cmath, itertools, operator)
FUNCTIONS = frozenset(
    "abs all any bin bool chr complex dict divmod enumerate filter float format hex int isinstance len list map max "
    "min oct ord pow range reversed round slice sorted str sum tuple zip".split()
)
EFFECTS = ("GM301", "GM302", "GM303")
MAX_DEPTH = 3


class Unknown(Exception):
    """Raised for code that may do more than this module can judge."""


class Without:
    """The runtime dialect for a function that runs without its effects; `passed` has the sites of skipped effects."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.levels = 1  # number of stack frames that an effect reads, with its own frame

    def on(self, site: str) -> bool:
        """Whether the mended form is in force: True for sites of effects."""
        return trace_state.rule_of(site) in EFFECTS

    def defer(self, site: str, *_: Any, levels: int = 1, **__: Any) -> None:
        """Skip an effect."""
        self.passed.append(site)
        self.levels = levels

    def taken(self, _: str, value: Any) -> Any:
        """The value of a test."""
        return value


def codes_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object, and the code of functions defined inside."""
    yield code
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from codes_of(part)


def has_effects(function: Any) -> bool:
    """Whether the code of a function contains a mended effect."""
    codes = codes_of(function.__code__) if isinstance(function, types.FunctionType) else ()
    texts = (text for code in codes for text in code.co_consts if isinstance(text, str))
    return any(trace_state.rule_of(text) in EFFECTS for text in texts)


def without_effects(function: types.FunctionType, without: Without, depth: int) -> types.FunctionType:
    """A copy of a function without its effects; raises `Unknown` where the function may do more than compute."""
    if depth == 0 or function.__closure__:
        raise Unknown("it calls too much, or has variables of another function")
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if not all(is_constant(value) or is_warning(value) for value in defaults):
        raise Unknown("its default values are no numbers and texts")
    names: set[str] = set()
    for code in codes_of(function.__code__):
        names |= globals_of(code)
    variables = {name: stands_for(name, function.__globals__, without, depth) for name in names}
    globals_of_copy = {name: value for name, value in variables.items() if value is not print}
    globals_of_copy["__builtins__"] = {}
    copy = types.FunctionType(function.__code__, globals_of_copy, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def is_warning(value: Any) -> bool:
    """Whether a value is a class of warnings whose constructor is Python's own: calling the class has no effect."""
    if not isinstance(value, type) or not issubclass(value, Warning):
        return False
    own = [kind for kind in value.__mro__ if kind.__module__ != "builtins"]
    return not any(name in vars(kind) for kind in own for name in ("__init__", "__new__", "__str__"))


def globals_of(code: types.CodeType) -> set[str]:
    """The globals used by code; raises `Unknown` for writes to outside objects and for exception handlers."""
    if code.co_flags & SUSPENDED:
        raise Unknown("it is suspended")
    names = set()
    for item in dis.get_instructions(code):
        if item.opname.startswith((*WRITING, *HANDLING)):
            raise Unknown("it writes to what outlives it, or handles exceptions")
        if item.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(item.argval)
        elif item.argval in code.co_names and str(item.argval).startswith("_"):
            raise Unknown("it asks for what is nobody else's")
    return names


def stands_for(name: str, variables: dict[str, Any], without: Without, depth: int) -> Any:
    """The value of a global for the copy without effects; `print` stands for objects that only effects may use."""
    if name not in variables:
        if name == DIALECT:
            return without
        if name == "print":
            return print
        if name in FUNCTIONS or name in ERRORS:
            return getattr(sys.modules["builtins"], name)
        raise Unknown(f"it uses `{name}`")
    value = variables[name]
    if value is logging or value is warnings or isinstance(value, logging.Logger):
        return print
    if isinstance(value, types.FunctionType):
        return without_effects(value, without, depth - 1)
    if is_constant(value) or is_warning(value) or any(value is module for module in MODULES):
        return value
    raise Unknown(f"it uses `{name}`")


class Call:
    """One call of a cached function in the prologue of a graph that was made for its value."""

    def __init__(self, function: Any, place: tuple[str, int], value: Any, effect: str, drawn: bool) -> None:
        self.function = function
        self.place = place  # key and levels of the stack that the effect reads
        self.value = value
        self.effect = effect
        self.drawn = drawn  # random numbers were drawn earlier in the prologue

    def __call__(self) -> None:
        try:
            value = call_stack.call_at(*self.place, self.function)
        except Exception as error:
            restore = prologue.undoing_of(self.drawn)
            stopped = Stopped(frozenset([self.effect]), [], error, lambda: restore() is None)
            raise trace_state.GuardFailed(restore, stopped=stopped) from None
        if external_calls.identity(value) != external_calls.identity(self.value):
            raise trace_state.GuardFailed(prologue.undoing_of(self.drawn))


@FEATURE.hook("wrapper.call")
def call_cached(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make the call of a cached function with effects part of the prologue."""
    wrapper = self.wrapper_obj
    if type(wrapper) is not CACHED or not has_effects(wrapper.__wrapped__):
        return hooks.DECLINED
    code = wrapper.__wrapped__.__code__
    site = trace_state.site_name(code.co_filename, code.co_firstlineno, "GM501")
    if site in trace.off:
        return hooks.DECLINED
    result = cached_call(site, trace, tx, self, args, kwargs)
    return hooks.DECLINED if result is None else result


def cached_call(site: str, trace: trace_state.Trace, tx: Any, variable: Any, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable for the result of a cached function; None if the call has no effect."""

    def refuse(reason: str) -> None:
        trace.refuse(site, reason)
        raise trace_state.SiteRefused(reason)

    wrapper = variable.wrapper_obj
    without = Without()
    try:
        function = without_effects(wrapper.__wrapped__, without, MAX_DEPTH)
        value = function(*map(peek, args), **{name: peek(item) for name, item in kwargs.items()})
    except Unknown as error:
        refuse(f"behind its cache, {error}")
    except Exception as error:
        refuse(f"behind its cache, it raises {type(error).__name__}")
    if not without.passed:
        return None
    if len(without.passed) > 1:
        refuse("behind its cache it has several effects")
    if not is_constant(value):
        refuse(f"it gives an object of type {type(value).__name__}")
    output = tx.output
    if trace.open or output.current_tracer.parent is not None:
        refuse("it is called in one side of a branch")
    if any(is_queue(item) for item in output.side_effects._get_modified_vars()):
        refuse("what is deferred until after the call comes before it")
    if any(branch_proofs.fails(node) for node in output.graph.nodes):
        refuse("an operator before it may fail")
    arguments = [argument(site, item) for item in args]
    options = {name: argument(site, item) for name, item in kwargs.items()}
    key = (id(wrapper), external_calls.identity(arguments), external_calls.identity(options))
    asked = FEATURE.of(trace).asked.setdefault(site, {})
    asked[key] = None
    room = wrapper.cache_parameters()["maxsize"]
    if room is not None and len(asked) > room:
        refuse("its cache does not hold all that the call asks for")
    external_calls.guard(variable, wrapper)
    drawn = prologue.notes_of(trace, output) is not None
    place = (call_stack.note_stack(tx, without.levels, called=True), without.levels)
    call = Call(functools.partial(wrapper, *arguments, **options), place, value, without.passed[0], drawn)
    output.random_calls.append((call, (), {}))
    return external_calls.constant_of(site, value)


def sites_of(trace: trace_state.Trace) -> tuple[str, ...]:
    """The functions behind caches that a trace asks, as sites."""
    return tuple(FEATURE.of(trace).asked)


def peek(variable: Any) -> Any:
    """The value of an argument in the traced call, without a guard on the value."""
    variable = variable.realize()
    if hasattr(variable, "sym_num"):
        hint = getattr(variable.sym_num.node, "hint", None)
        if hint is None or decided_by_data(variable):
            raise Unknown("its arguments depend on data")
        return hint
    value = variable.as_python_constant() if variable.is_python_constant() else None
    if not variable.is_python_constant() or not (is_constant(value) or is_warning(value)):
        raise Unknown("its arguments are no constants")
    return value


def argument(site: str, variable: Any) -> Any:
    """The value of an argument; the graph is for this value."""
    variable = variable.realize()
    value = variable.as_python_constant() if variable.is_python_constant() else None
    if not is_warning(value):
        return external_calls.plain_argument(site, variable)
    external_calls.guard(variable, value)
    return value


def refuse_reruns(trace: trace_state.Trace, may_run_again: Any) -> None:
    """Refuse cached calls in front of a graph that may have to run again: the cache would count the second call."""
    if may_run_again:
        for site in sites_of(trace):
            trace.refuse(site, "the call may have to be run again, which its cache would count")
