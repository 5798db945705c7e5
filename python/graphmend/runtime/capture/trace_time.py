"""Functions that Dynamo runs for real while tracing; their results are constants of the graph.

    if site_on(site):           # the dialect asks, Dynamo calls the function and goes on with True or False
        key = new_key(site)     # a string constant

The dialect asks here whether a site is in force, which answer a decision has, and whether a value is a number. Sites
are refused here, too, and the regions of branches are opened and closed.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Iterator, NoReturn, Optional

from ..base import call_stack, hooks, saved_tensor_hooks, torch_names, trace_state
from ..base.dynamo_values import constant, source_name, translator
from ..base.marker_ops import key_of, site_of
from . import hoisted_tests, identity_guard, side_attributes
from .path_speculation import MAX_DECISIONS, SPECULATION, path_of


@dataclasses.dataclass
class Place:
    """The place that one trace has come to. `Trace.open` has the open sides of branches."""

    output: Any = None  # the graph that the open sides are part of
    uses: int = 0  # uses of sites so far, each with a key of its own
    containers: dict[int, Any] = dataclasses.field(default_factory=dict)  # results of sides: Dynamo's variables by id
    drained: int = 0  # generators that Dynamo runs to their ends because they leave the call
    raising: list[bool] = dataclasses.field(default_factory=list)  # by block of `catch_warnings`: all are exceptions

    def is_raising(self) -> bool:
        """Whether every warning is an exception at the current place of the trace."""
        return bool(self.raising) and self.raising[-1]

    def enter_warnings(self) -> None:
        """Enter a block of `catch_warnings`."""
        self.raising.append(self.is_raising())

    def leave_warnings(self) -> None:
        """Leave a block of `catch_warnings`."""
        self.raising.pop()

    def raise_warnings(self) -> None:
        """Let every warning be an exception to the end of the block of `catch_warnings`."""
        self.raising[-1] = True

    @contextlib.contextmanager
    def draining(self) -> Iterator[None]:
        """Inside the block, Dynamo runs a generator to its end."""
        self.drained += 1
        try:
            yield
        finally:
            self.drained -= 1


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "a side of a branch changes nothing but its own", partial=True, state=Place, rules=("GM1",)
)


def number_of_use(trace: trace_state.Trace) -> int:
    """The number of one more use of a site in the graph."""
    place = FEATURE.of(trace)
    place.uses += 1
    return place.uses


def nested_context() -> Optional[str]:
    """The reason why deferred or selected work cannot stand here; None at the top level of the graph."""

    if torch_names.maybe_current_level() is not None:
        return "inside a function transform (`torch.func`)"
    if translator().output.current_tracer.parent is not None:
        return "inside a higher-order operator such as checkpoint or cond"
    return None


def is_shown_in_front(site: str) -> bool:
    """Whether the site shows something in the forward pass of an autograd function (`autograd/function_effects.py`)."""
    shows = trace_state.rule_of(site) in ("GM301", "GM302", "GM303")
    in_forward = shows and hoisted_tests.is_in_forward(translator().output.current_tracer)
    return in_forward and torch_names.maybe_current_level() is None


def only_source() -> bool:
    """Whether the installed torch allows only mends proved by the text alone."""
    mode = trace_state.registry.mode
    return mode is not None and mode["name"] == "source only"


@constant
def site_on(site: str) -> bool:
    """Whether the mended form of a site is in force in the current trace."""
    trace = trace_state.local.trace
    if trace is None:
        return trace_state.leaves_no_mark(site) and only_source()
    if site in trace.off or (trace_state.needs_whole_call(site) and not trace.whole):
        return False
    if hooks.features_off and not hooks.is_guarded(trace_state.rule_of(site)):
        trace.blamed[site] = f"torch {torch_names.version()} lacks what shows that it stays the same"
        return False
    reason = (None if is_shown_in_front(site) else nested_context()) or (
        "it stands in a generator that leaves the call" if FEATURE.of(trace).drained else None
    )
    if reason is None and trace_state.is_branch(site) and saved_tensor_hooks.belong_to_program():
        reason = "hooks of the program see every tensor that is saved for gradients"
    if reason is not None:
        trace.blamed[site] = reason
        return False
    if trace_state.needs_whole_call(site) and call_stack.behind_wrapper(translator().output.current_tx):
        trace.blamed[site] = "it stands behind a wrapper such as a cache, which may not call the function each time"
        return False
    if FEATURE.of(trace).is_raising() and trace_state.rule_of(site) == "GM303":
        return False
    trace.touched[site] = None
    return True


@constant
def on_path(site: str) -> bool:
    """Whether the graph of the current trace may follow one side of this test."""
    trace = trace_state.local.trace
    return trace is not None and not trace.open and site_on(site)


def on_hoisted_path(site: str) -> bool:
    """Whether the graph may follow one side of a test inside an autograd function (`hoisted_tests`)."""
    trace, output = trace_state.local.trace, translator().output
    if trace is None or not hoisted_tests.is_inside(output.current_tracer):
        return False
    with hoisted_tests.at_top(output):
        return bool(on_path(site))


@constant
def foretell(key: str, name: str) -> bool:
    """The answer of the call to a decision; `name` is the predicate's variable in the calling frame."""
    return answer(key, translator().output.current_tx.symbolic_locals[name].as_proxy().node)


def answer(key: str, predicate: Any) -> bool:
    """The answer of the call to a decision; `predicate` is a node of the graph."""
    trace = trace_state.local.trace
    assert trace is not None
    path = path_of(trace, translator().output)
    if len(path.answers) == MAX_DECISIONS:
        SPECULATION.of(trace).note_endless()
        refuse(site_of(key), "the graph would have to follow too many decisions")
    return path.answer(predicate)


@constant
def tracing_mends() -> bool:
    """Whether the current trace belongs to graphmend, and is at the top level of its graph."""
    return trace_state.local.trace is not None and nested_context() is None


@constant
def new_key(site: str) -> str:
    """A key for one more use of a site in this graph."""
    trace = trace_state.local.trace
    assert trace is not None
    return key_of(site, number_of_use(trace))


def leave_to_python(trace: trace_state.Trace, reason: str) -> NoReturn:
    """Refuse the trace of a whole call; in a frame on its own, break the graph here."""
    from ..base.torch_names import unimplemented

    if trace.whole:
        raise trace_state.SiteRefused(reason)
    unimplemented(gb_type="Left to Python", context="", explanation=reason, hints=[])
    raise AssertionError("Dynamo has not broken the graph")


def leave_frame_to_python(trace: trace_state.Trace, reason: str) -> NoReturn:
    """Refuse the trace of a whole call; a frame on its own is not compiled: it could not be cut here."""
    from ..base.torch_names import SkipFrame

    raise trace_state.SiteRefused(reason) if trace.whole else SkipFrame(reason)


def refuse_open(trace: trace_state.Trace, reason: str) -> NoReturn:
    """Refuse the sites of all open sides, and end this trace."""
    for key, _ in trace.open:
        trace.refuse(site_of(key), reason)
    raise trace_state.SiteRefused(reason)


@constant
def refuse(site: str, reason: str) -> NoReturn:
    """Refuse the site, and end this trace."""
    trace = trace_state.local.trace
    if trace is not None:
        trace.refuse(site, reason)
    raise trace_state.SiteRefused(reason)


def is_queue(item: Any) -> bool:
    """Whether Dynamo's variable is the effect queue."""
    source = getattr(item, "source", None)
    return source is not None and source_name(source).endswith(trace_state.QUEUE_SOURCE)


def is_outside(trace: trace_state.Trace, effects: Any, item: Any) -> bool:
    """Whether a Python object outlives the side that is open; False without an open side."""
    inside = FEATURE.of(trace).output if trace.open else None
    if inside is None or effects is not inside.side_effects:
        return False
    kind = item.mutation_type
    return kind is None or kind.scope != torch_names.current_scope_id()


def refuse_outside(trace: trace_state.Trace, effects: Any, item: Any) -> None:
    """Refuse a change of a Python object that outlives the open side: a side may change only objects made by itself."""
    if is_outside(trace, effects, item):
        name = source_name(getattr(item, "source", None)) or type(item).__name__
        refuse(site_of(trace.open[-1][0]), f"a side changes a Python object that outlives it: {name}")


@FEATURE.hook("effects.check")
def check_change(check: Any, trace: trace_state.Trace, self: Any, item: Any) -> Any:
    """Refuse a side's change of an object from outside the side.

    The queue of effects may change while a side is open, and in front of an autograd function that Dynamo is tracing.
    """
    in_front = translator().output.current_tracer.parent is None and torch_names.current_scope_id() > 1
    if (trace.open or in_front) and is_queue(item):
        return False
    refuse_outside(trace, self, item)
    return hooks.DECLINED


@FEATURE.hook("effects.store")
def check_store(store: Any, trace: trace_state.Trace, self: Any, item: Any, *args: Any, **kwargs: Any) -> Any:
    """Refuse a side's write to an attribute of an object from outside the side, apart from numbers and texts."""
    if is_outside(trace, self, item) and side_attributes.may_write(trace, item, args[1]):
        return side_attributes.write(store, trace, self, item, *args, **kwargs)
    refuse_outside(trace, self, item)
    return hooks.DECLINED


@constant
def open_region(key: str) -> bool:
    """Open a region: new Python objects belong to the region from here on."""
    from ..base.torch_names import _current_scope_id, current_scope_id

    trace = trace_state.local.trace
    assert trace is not None
    output = translator().output
    place = FEATURE.of(trace)
    if place.output is not output:
        place.output = output
        trace.open.clear()
        outer_scope = current_scope_id()

        def reset() -> None:
            _current_scope_id.value = outer_scope

        output.add_cleanup_hook(reset)
    trace.open.append((key, current_scope_id()))
    _current_scope_id.value = current_scope_id() + 1
    return True


@constant
def close_region(key: str) -> bool:
    """Close the region that was opened last."""
    from ..base.torch_names import _current_scope_id

    trace = trace_state.local.trace
    assert trace is not None and trace.open and trace.open[-1][0] == key
    _current_scope_id.value = trace.open.pop()[1]
    return True


@constant
def decided_by_data(name: str) -> bool:
    """Whether a variable of the calling frame is a number that exists only when the graph runs."""
    return identity_guard.decided_by_data(translator().output.current_tx.symbolic_locals[name])


@constant
def is_array(name: str) -> bool:
    """Whether a variable of the calling frame is a NumPy array."""
    return type(translator().output.current_tx.symbolic_locals[name].realize()).__name__ == "NumpyNdarrayVariable"


@constant
def one_tensor(first: str, second: str) -> bool:
    """Whether two variables of the calling frame are the same tensor."""
    names = translator().output.current_tx.symbolic_locals
    nodes = [names[name].as_proxy().node for name in (first, second)]
    return nodes[0] is nodes[1] or nodes[0].meta.get("example_value") is nodes[1].meta.get("example_value")


@constant
def note_selected(site: str, name: str) -> bool:
    """Note that a variable of the calling frame is a copy selected from the two sides of a branch."""
    trace = trace_state.local.trace
    assert trace is not None
    names = translator().output.current_tx.symbolic_locals
    value = names[name].as_proxy().node.meta.get("example_value")
    kinds = (names[side].python_type() for side in ("first", "second"))
    identity_guard.note_selected(trace, site, value, any(kind is not names[name].python_type() for kind in kinds))
    return True


@constant
def is_new_container(name: str) -> bool:
    """Whether a container in the calling frame was made in the open region, and is merged for the first time."""
    from ..base.torch_names import current_scope_id

    trace = trace_state.local.trace
    assert trace is not None
    variable = translator().output.current_tx.symbolic_locals[name].realize()
    containers = FEATURE.of(trace).containers
    if id(variable) in containers:
        return False
    containers[id(variable)] = variable
    kind = variable.mutation_type
    return variable.source is None and kind is not None and kind.scope >= current_scope_id()
