"""Hooks into Dynamo: features, the table of hooks, and the dispatcher at each replaced function.

A *capability*, such as `tensor.getattr`, names a function of Dynamo; `torch_names` says where each release of torch
keeps the function. A *feature* is a module that hooks into capabilities:

    FEATURE = hooks.Feature(__name__, hooks.GAIN, "deep copies of tensors")

    @FEATURE.hook("tensor.method")
    def copy_deeply(call, trace, self, tx, name, args, kwargs):
        return copied if name == "__deepcopy__" else hooks.DECLINED

`call` is the next hook, and behind the last hook Dynamo's own function. A hook that has nothing to do returns DECLINED,
and the next hook gets the same arguments; a hook that only looks at the outcome of a call is a `note`. Both keep off
Python's stack: Dynamo takes some thirteen levels of it for each level of the traced program, and a hook that calls
`call` takes two more. Hooks of features loaded later run earlier. A *guard* is a feature that soundness rests on; mends
that need a missing guard are off. A *gain* only makes more calls whole; a missing gain is skipped, and named. Hooks are
in force while a frame is traced, and never outside of a trace.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import inspect
import itertools
import os
import sys
import types
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Callable, Generic, NamedTuple, Optional, overload

from . import slots, torch_names
from .owned_state import OwnedState, State
from .slots import Function, Slot

GUARD, GAIN = "guard", "gain"
DECLINED: Any = type("Declined", (), {"__repr__": lambda self: "DECLINED"})()  # returned by hooks
RAISED: Any = type("Raised", (), {"__repr__": lambda self: "RAISED"})()  # given to notes in place of a result
Wanted = Callable[[Any], bool]  # whether a feature acts in a trace
Scope = Callable[[Any], contextlib.AbstractContextManager[Any]]


@dataclasses.dataclass(frozen=True)
class Hook:
    """One function of a feature, at one capability. A feature stays on without a hook that is not `needed`."""

    feature: "Feature[Any]"
    capability: str
    function: Function
    needed: bool
    is_note: bool = False
    of: Optional[Collection[Any]] = None  # the called functions that the hook hears of; None: every function

    @functools.cached_property
    def parameters(self) -> tuple[list[str], bool, bool]:
        """The parameter names behind `call` and `trace`; whether there are `*args`, and whether there are
        `**kwargs`.
        """
        parameters = list(inspect.signature(self.function).parameters.values())[2:]
        kinds = [parameter.kind for parameter in parameters]
        named = [
            parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        ]
        return named, inspect.Parameter.VAR_POSITIONAL in kinds, inspect.Parameter.VAR_KEYWORD in kinds


def in_parts(trace: Any) -> bool:
    """Whether a trace is that of a single frame of a call: `wanted` of features that whole calls do not need."""
    return not trace.whole


class Feature(OwnedState[State], Generic[State]):
    """A part of the runtime that acts while Dynamo traces.

    Arguments: `module` is `__name__`; the last part is the name of the feature. `kind` is GUARD or GAIN, `summary` a
    line for `doctor`. `partial`: the feature acts in traces of single frames, too, besides whole calls. `wanted`
    decides for a trace. `state` is the class of the feature's own state in one trace (`of`). `rules` are the codes of
    the rules that rest on a guard, or their beginnings (`GM3`); without `rules`, all rules do.
    """

    @overload
    def __init__(
        self,
        module: str,
        kind: str,
        summary: str,
        *,
        partial: bool = False,
        wanted: Optional[Wanted] = None,
        state: Callable[[], State],
        rules: tuple[str, ...] = (),
    ) -> None: ...

    @overload
    def __init__(
        self: Feature[None],
        module: str,
        kind: str,
        summary: str,
        *,
        partial: bool = False,
        wanted: Optional[Wanted] = None,
        rules: tuple[str, ...] = (),
    ) -> None: ...

    def __init__(
        self,
        module: str,
        kind: str,
        summary: str,
        *,
        partial: bool = False,
        wanted: Optional[Wanted] = None,
        state: Optional[Callable[[], Any]] = None,
        rules: tuple[str, ...] = (),
    ) -> None:
        super().__init__(module, state)
        self.name = module.rpartition(".")[2]
        self.kind, self.summary = kind, summary
        self.partial, self.wanted, self.rules = partial, wanted, rules
        self.hooks: list[Hook] = []
        self.scopes: list[Scope] = []
        features[self.name] = self

    def hook(
        self, *capabilities: str, needed: bool = True, of: Optional[Collection[Any]] = None
    ) -> Callable[[Function], Function]:
        """Decorator that registers a function at capabilities.

        At `builtin.call`, a hook may name the called functions that it hears of: a trace makes tens of thousands of
        such calls, and each function concerns few hooks.
        """

        def add(function: Function) -> Function:
            self.hooks += [Hook(self, capability, function, needed, of=of) for capability in capabilities]
            return function

        return add

    def note(self, *capabilities: str) -> Callable[[Function], Function]:
        """Decorator that registers a function `(trace, result, *args)`, called once a call has returned or raised."""

        def add(function: Function) -> Function:
            self.hooks += [Hook(self, capability, function, True, is_note=True) for capability in capabilities]
            return function

        return add

    def method(self, *names: str) -> Callable[[Function], Function]:
        """Decorator that registers a function `(call, trace, self, tx, *args, **kwargs)` at methods of tensors."""

        def add(function: Function) -> Function:
            def ask(call: Any, trace: Any, tensor: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
                if name not in names or torch_names.can_dispatch_torch_function(tx, (tensor, *args), kwargs):
                    return DECLINED

                def handing(tensor: Any, tx: Any, *positional: Any, **options: Any) -> Any:
                    return call(tensor, tx, name, list(positional), options)

                realized = {key: value.realize() for key, value in kwargs.items()}
                return function(handing, trace, tensor, tx, *(value.realize() for value in args), **realized)

            self.hook("tensor.method")(ask)
            return function

        return add

    def scope(self, function: Callable[[Any], Iterator[None]]) -> Callable[[Any], Iterator[None]]:
        """Decorator that registers a generator function to run around each trace."""
        self.scopes.append(contextlib.contextmanager(function))
        return function

    def acts_in(self, trace: Any) -> bool:
        """Whether the feature is in force in a trace."""
        return (
            (trace.whole or self.partial)
            and self.name not in features_off
            and (self.wanted is None or self.wanted(trace))
        )


features: dict[str, Feature[Any]] = {}  # in the order of loading
features_off: dict[str, str] = {}  # the reason for each feature that is off
calls: collections.Counter[str] = collections.Counter()  # calls by capability, while `counted` holds an item
counted: list[bool] = []  # holds an item while calls are counted


@functools.lru_cache(maxsize=None)
def table() -> dict[str, list[Slot]]:
    """The slots of each capability that the installed torch has.

    Features that need a missing capability are off from here on.
    """
    slots_found = {}
    for capability, places, reason in slots.all_found():
        if places:
            slots_found[capability] = places
            continue
        for hook in all_hooks():
            if hook.capability == capability and hook.needed:
                switch_off(hook.feature.name, reason)
    for name in filter(None, os.environ.get("GRAPHMEND_WITHOUT", "").split(",")):
        switch_off(name, "GRAPHMEND_WITHOUT names it")
    return slots_found


def all_hooks() -> Iterator[Hook]:
    """Every hook of every feature, in the order in which hooks are applied."""
    for feature in features.values():
        yield from feature.hooks


def switch_off(name: str, reason: str) -> None:
    """Switch a feature off for the rest of the process."""
    features_off.setdefault(name, reason)


def is_guarded(rule: str) -> bool:
    """Whether every guard behind the mends of a rule is in force."""
    guards = [features[name] for name in features_off if name in features and features[name].kind == GUARD]
    return not any(rule.startswith(guard.rules or "GM") for guard in guards)


def forget() -> None:
    """Drop the table and the reasons, so that the next use reads the installed torch again."""
    table.cache_clear()
    features_off.clear()


@contextlib.contextmanager
def in_force(trace: Any) -> Iterator[None]:
    """Put the hooks of all features in force inside the block, for one trace."""
    slots_by_capability = table()
    acting = [feature for feature in features.values() if feature.acts_in(trace)]
    chains: dict[str, list[Hook]] = {}
    for feature in acting:
        for hook in feature.hooks:
            chains.setdefault(hook.capability, []).append(hook)
    with contextlib.ExitStack() as stack:
        for capability, hooks in chains.items():
            for slot in slots_by_capability.get(capability, ()):
                before = slot.write(dispatcher(capability, hooks, slot.function(), trace))
                stack.callback(slot.put_back, before)
        for feature in acting:
            for scope in feature.scopes:
                stack.enter_context(scope(trace))
        yield


@contextlib.contextmanager
def replaced(capability: str, function: Function) -> Iterator[None]:
    """Put a function at a capability inside the block, outside of traces; the first argument is Dynamo's own
    function.
    """
    with contextlib.ExitStack() as stack:
        for slot in table().get(capability, ()):
            before = slot.write(functools.partial(function, slot.function()))
            stack.callback(slot.put_back, before)
        yield


def calling_frame() -> Any:
    """The frame that has called the replaced function, seen from a hook."""
    frame: Optional[types.FrameType] = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame


def dispatcher(capability: str, hooks: list[Hook], original: Function, trace: Any) -> Function:
    """The function to put at a slot: calls the last hook first."""
    chain, names = original, functools.lru_cache(maxsize=None)(lambda: positional_names(original))
    steps: tuple[Step, ...] = ()
    for hook in hooks:
        if not hook.is_note:
            steps = (Step(hook, chain, functools.partial(hook.function, chain, trace)), *steps)
            chain = chained(steps, (), original, names, trace)
    notes = [functools.partial(hook.function, trace) for hook in hooks if hook.is_note]
    if notes:
        chain = chained(steps, notes, original, names, trace)
    if not counted:
        return chain

    def counting(*args: Any, **kwargs: Any) -> Any:
        calls[capability] += 1
        return chain(*args, **kwargs)

    return counting


class Step(NamedTuple):
    """One hook in front of the following hooks."""

    hook: Hook
    following: Function
    plain: Function  # the hook for calls without arguments unknown to it


def chained(
    steps: tuple[Step, ...],
    notes: Sequence[Function],
    original: Function,
    positional: Callable[[], list[str]],
    trace: Any,
) -> Function:
    """Hooks in front of Dynamo's own function; the first that does not decline answers, and the notes hear of it.

    `positional` gives the names of the parameters of Dynamo's own function, for calls with names only: a trace makes
    thousands of such calls, and reading a signature takes as long as many of them.
    """
    known = [
        sys.maxsize if takes_more else len(names) for names, takes_more, _ in (step.hook.parameters for step in steps)
    ]
    count = min(known, default=sys.maxsize)

    def tell(result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        by_place = by_position(positional(), args, kwargs)[0] if notes and kwargs else args
        for note in notes:
            note(result, *by_place)

    chosen = by_called_function(steps) if any(step.hook.of is not None for step in steps) else None

    def link(*args: Any, **kwargs: Any) -> Any:
        is_plain = not kwargs and len(args) <= count
        try:
            for step in chosen(args) if chosen is not None else steps:
                result = step.plain(*args) if is_plain else call_known(step, positional, trace, args, kwargs)
                if result is not DECLINED:
                    break
            else:
                result = original(*args, **kwargs)
        except Exception:
            tell(RAISED, args, kwargs)
            raise
        if notes:
            tell(result, args, kwargs)
        return result

    link.__wrapped__ = original  # type: ignore[attr-defined]  # `inspect.signature` tells its parameters
    return link


def by_called_function(steps: tuple[Step, ...]) -> Callable[[tuple[Any, ...]], tuple[Step, ...]]:
    """The steps that hear of a call, by the arguments at `builtin.call`: the first is Dynamo's variable with the
    called function as `fn`.
    """
    found: dict[Any, tuple[Step, ...]] = {}

    def chosen(args: tuple[Any, ...]) -> tuple[Step, ...]:
        function = args[0].fn
        if function not in found:
            found[function] = tuple(step for step in steps if step.hook.of is None or function in step.hook.of)
        return found[function]

    return chosen


def call_known(
    step: Step, positional: Callable[[], list[str]], trace: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a hook with the arguments that it knows; the others go on to the following hooks."""
    names, takes_more, takes_named = step.hook.parameters
    if kwargs and not takes_more:
        args, kwargs = by_position(positional(), args, kwargs)
    count = sys.maxsize if takes_more else len(names)
    further = args[count:]
    own_options = {name: kwargs[name] for name in kwargs if takes_named or name in names}
    passed_options = {name: kwargs[name] for name in kwargs if name not in own_options}

    def handing(*positional: Any, **options: Any) -> Any:
        return step.following(*positional, *further, **passed_options, **options)

    return step.hook.function(handing, trace, *args[:count], **own_options)


def positional_names(function: Function) -> list[str]:
    """The names of the parameters that a function takes by position; empty for names that only have a position."""
    try:
        parameters = slots.by_position(inspect.signature(function))
    except (TypeError, ValueError):
        return []
    return ["" if item.kind is inspect.Parameter.POSITIONAL_ONLY else item.name for item in parameters]


def by_position(
    names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with as many as possible by position."""
    further = list(itertools.takewhile(kwargs.__contains__, names[len(args) :]))
    rest = {name: value for name, value in kwargs.items() if name not in further}
    return (*args, *(kwargs[name] for name in further)), rest
