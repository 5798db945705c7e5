"""Functions that Dynamo runs for real while it traces, their results being constants of the graph.

They carry `_dynamo_marked_constant`, the attribute behind `torch._dynamo.assume_constant_result`, set by hand so
that loading a mended module does not load Dynamo.
"""

from __future__ import annotations

import io
import sys
import types
from typing import Any, Callable, Optional

from . import callers, raised, records, state, undo, watch
from .markers import key_of, site_of
from .paths import MAX_DECISIONS, path_of


def constant(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function as run at trace time."""
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


def translator() -> Any:
    """Dynamo's translator of the frame being traced in this thread."""
    from torch._dynamo.symbolic_convert import InstructionTranslator

    return InstructionTranslator.current_tx()


def nested_context() -> Optional[str]:
    """Why deferred or selected work cannot be placed here, None at the top level of the graph."""
    import torch

    if torch._C._functorch.maybe_current_level() is not None:
        return "inside a function transform (`torch.func`)"
    if translator().output.current_tracer.parent is not None:
        return "inside a higher-order operator such as checkpoint or cond"
    return None


@constant
def site_on(site: str) -> bool:
    """Whether the mended form of a site is in force in the current trace."""
    trace = state.local.trace
    if trace is None or site in trace.off or (state.needs_whole_call(site) and not trace.whole):
        return False
    reason = nested_context() or ("it stands in a generator that leaves the call" if trace.drained else None)
    if reason is not None:
        trace.blamed[site] = reason
        return False
    if state.needs_whole_call(site) and callers.behind_wrapper(translator().output.current_tx):
        trace.blamed[site] = "it stands behind a wrapper such as a cache, which may not call the function each time"
        return False
    if trace.is_raising() and state.rule_of(site) == "GM303":
        return False
    trace.touched[site] = None
    return True


@constant
def on_path(site: str) -> bool:
    """Whether the graph of the current trace may follow one side of this test."""
    trace = state.local.trace
    return trace is not None and not trace.open and site_on(site)


@constant
def foretold(key: str, name: str) -> bool:
    """Whether the call takes the way that the tensor of this name in the calling frame decides about."""
    return answer(key, translator().output.current_tx.symbolic_locals[name].as_proxy().node)


def answer(key: str, predicate: Any) -> bool:
    """Whether the call takes the way that a node of the graph decides about."""
    trace = state.local.trace
    assert trace is not None
    path = path_of(trace, translator().output)
    if len(path.answers) == MAX_DECISIONS:
        refuse(site_of(key), "the graph would have to follow too many decisions")
    return path.answer(predicate)


@constant
def tracing_mends() -> bool:
    """Whether the current trace is one of ours, at the top level of its graph."""
    return state.local.trace is not None and nested_context() is None


@constant
def new_key(site: str) -> str:
    """A name for one more use of a site in this graph."""
    trace = state.local.trace
    assert trace is not None
    trace.keys += 1
    return key_of(site, trace.keys)


@constant
def refuse(site: str, reason: str) -> bool:
    """Give the site up and end this trace."""
    trace = state.local.trace
    if trace is not None:
        trace.refuse(site, reason)
    raise state.SiteRefused(reason)


def watch_mutations(trace: state.Trace, output: Any) -> None:
    """Make changes of Python objects visible to the trace: the two sides of a branch may change only their own."""
    effects = output.side_effects
    check, store = effects.check_allowed_side_effect, effects.store_attr

    def is_queue(item: Any) -> bool:
        source = getattr(item, "source", None)
        return source is not None and str(getattr(source, "name", "")).endswith(state.QUEUE_SOURCE)

    def outside(item: Any) -> bool:
        from torch._dynamo.current_scope_id import current_scope_id

        kind = item.mutation_type
        return bool(trace.open) and (kind is None or kind.scope != current_scope_id())

    def refuse_change(item: Any) -> None:
        name = getattr(getattr(item, "source", None), "name", None) or type(item).__name__
        refuse(site_of(trace.open[-1][0]), f"a side changes a Python object that outlives it: {name}")

    def checked(item: Any, *args: Any, **kwargs: Any) -> Any:
        if trace.open and is_queue(item):
            return False
        if outside(item):
            refuse_change(item)
        return check(item, *args, **kwargs)

    def stored(item: Any, *args: Any, **kwargs: Any) -> Any:
        if outside(item):
            refuse_change(item)
        return store(item, *args, **kwargs)

    effects.check_allowed_side_effect, effects.store_attr = checked, stored


@constant
def open_region(key: str) -> bool:
    """Start a region: what Python creates from here on belongs to the region."""
    from torch._dynamo import current_scope_id as scopes

    trace = state.local.trace
    assert trace is not None
    output = translator().output
    if trace.output is not output:
        trace.output = output
        trace.open.clear()
        watch_mutations(trace, output)
        before = scopes.current_scope_id()

        def reset() -> None:
            scopes._current_scope_id.value = before

        output.add_cleanup_hook(reset)
    trace.open.append((key, scopes.current_scope_id()))
    scopes._current_scope_id.value = scopes.current_scope_id() + 1
    return True


@constant
def close_region(key: str) -> bool:
    """End the region that was opened last."""
    from torch._dynamo import current_scope_id as scopes

    trace = state.local.trace
    assert trace is not None and trace.open and trace.open[-1][0] == key
    scopes._current_scope_id.value = trace.open.pop()[1]
    return True


@constant
def noted_stack(levels: int) -> str:
    """The key under which the callers of the mended statement are noted."""
    return callers.note_stack(translator().output.current_tx, levels)


@constant
def is_followed(site: str) -> bool:
    """Whether the record of the calling frame is in an object of this call: the trace follows what is written to it."""
    trace = state.local.trace
    current = translator().output.current_tx
    roots = current.symbolic_locals["roots"].unpack_var_sequence(current)
    assert trace is not None
    if trace.open or not roots or roots[0].source is not None:
        return False
    if all(record.site != site for record in trace.records):
        trace.touched.pop(site, None)  # nothing is mended there
    return True


@constant
def keeps_objects(site: str, name: str, numbers: str, action: str) -> bool:
    """Whether a record keeps anything but numbers and texts where the source does not tell: the trace follows it then.

    `numbers` has a `v` for each of the values of this name that its source tells nothing of. Containers of numbers and
    texts that the call has made may be kept where they are put into the object as they are. It has a `c` where items
    are taken out: they may be in any container.
    """
    trace, current = state.local.trace, translator().output.current_tx
    assert trace is not None
    trace.sharing = False
    if "v" not in numbers and "c" not in numbers:
        return False
    values = current.symbolic_locals[name].unpack_var_sequence(current)
    kept = [(value, mark) for value, mark in zip(values, numbers) if not records.is_number_or_text(value)]
    made = [value for value, mark in kept if mark == "v"]
    trace.sharing = bool(made)
    shared = not made or records.keeps_itself(action, current.symbolic_locals["sink"].get_code())
    flat = all(records.holds_numbers(value) for value, mark in kept if mark == "c")
    if shared and flat and all(map(records.is_made_of_numbers, made)):
        return False
    trace.touched.pop(site, None)
    return True


@constant
def prints_elsewhere(name: str, numbers: str) -> bool:
    """Whether one of the values of this name marked with `f` is no stream that a trace can do nothing with but print.

    Such are None, text files from before the call, and whatever is a standard stream now.
    """
    current = translator().output.current_tx
    values = current.symbolic_locals[name].unpack_var_sequence(current)
    return any(mark == "f" and not is_stream(value.realize()) for value, mark in zip(values, numbers))


def is_stream(variable: Any) -> bool:
    """Whether a variable of Dynamo's is such a stream; the graph is for no other than that one."""
    from torch._dynamo.guards import GuardBuilder, install_guard

    if variable.source is None or variable.is_constant_none():
        return bool(variable.is_constant_none())
    if variable.python_type() in (io.StringIO, io.TextIOWrapper):
        return True
    install_guard(variable.source.make_guard(GuardBuilder.ID_MATCH))
    return any(getattr(variable, "value", None) is stream for stream in (sys.stdout, sys.stderr))


@constant
def unrecordable(site: str, path: str, action: str) -> str:
    """Why the record of the calling frame cannot be postponed; empty if it can."""
    trace = state.local.trace
    assert trace is not None
    trace.texts, trace.asks = False, True
    return records.unsafe(trace, translator().output.current_tx, site, path, action) or ""


@constant
def decided_by_data(name: str) -> bool:
    """Whether the value of this name in the calling frame is a number that is known only when the graph runs."""
    return watch.decided_by_data(translator().output.current_tx.symbolic_locals[name])


@constant
def is_array(name: str) -> bool:
    """Whether the value of this name in the calling frame is a NumPy array."""
    return type(translator().output.current_tx.symbolic_locals[name].realize()).__name__ == "NumpyNdarrayVariable"


@constant
def is_later(name: str) -> bool:
    """Whether the value of this name in the calling frame is a clock reading behind the graph."""
    from .later import Later

    trace = state.local.trace
    assert trace is not None
    variable = translator().output.current_tx.symbolic_locals[name]
    return bool(trace.readings) and getattr(variable.realize(), "value_type", None) is Later


@constant
def untouched(name: str) -> str:
    """Which values of a tuple in the calling frame can be handed on without being looked at: one `1` or `0` each.

    Dynamo compiles again when a number or string changes whose value the trace has asked for; here only the type
    is asked for. So it is with a container that nobody but deferred work writes to.
    """
    from torch._dynamo.variables.lazy import LazyConstantVariable

    found = ""
    trace, current = state.local.trace, translator().output.current_tx
    assert trace is not None
    for value in current.symbolic_locals[name].unpack_var_sequence(current):
        kind = type(value)
        if kind is LazyConstantVariable and not value.is_realized():
            value.python_type()
            found += "1"
        else:
            whole = kind.__name__ == "ConstantVariable" or records.shown_later(trace, value)
            found += "1" if whole else "0"
    return found


@constant
def postponed(name: str) -> str:
    """Why the sink of this name in the calling frame cannot run later; empty if it can."""
    trace = state.local.trace
    assert trace is not None
    if trace.ignoring:
        return "it stands where it is said what NumPy tells of numbers"
    current = translator().output.current_tx
    code = current.symbolic_locals[name].get_code()
    trace.texts, trace.asks = raised.shows_texts(code), watch.computes(code)
    return watch.unsafe_sink(code, trace, current) or ""


@constant
def note_event(key: str, name: str) -> bool:
    """Note an event whose sink has this name in the calling frame, and have one function stand for all its calls."""
    trace = state.local.trace
    assert trace is not None
    output = translator().output
    names = output.current_tx.symbolic_locals
    if watch.shows_whole(names[name].get_code()):
        trace.shown.add(key)
    names[name] = made_once(names[name])
    undo.watch(trace, output.side_effects)
    return True


def made_once(variable: Any) -> Any:
    """Dynamo's variable for a nested function that reads nothing of its frame: a constant of the code."""
    from torch._dynamo.variables.functions import NestedUserFunctionVariable, UserFunctionVariable

    parts = ("closure", "defaults", "kwdefaults", "wrapped_fn")
    if type(variable) is not NestedUserFunctionVariable or any(getattr(variable, part, None) for part in parts):
        return variable
    code = variable.get_code()
    made = UserFunctionVariable(types.FunctionType(code, variable.f_globals, code.co_name))
    made.reconstruct = lambda cg: cg.append_output(cg.create_load_const_unchecked(made.fn))
    return made


@constant
def changeable(name: str) -> str:
    """Why the value of this name in the calling frame cannot be kept for later; empty if it can."""
    trace, current = state.local.trace, translator().output.current_tx
    assert trace is not None
    return watch.unsafe_value(current.symbolic_locals[name].realize(), current, trace.asks) or ""


@constant
def is_shown_exception(name: str) -> bool:
    """Whether this name of the calling frame is an exception of the call, of which an effect shows the text alone."""
    trace = state.local.trace
    assert trace is not None
    return trace.texts and raised.is_made(trace, translator().output.current_tx.symbolic_locals[name].realize())


@constant
def one_tensor(first: str, second: str) -> bool:
    """Whether two names of the calling frame stand for one tensor."""
    names = translator().output.current_tx.symbolic_locals
    nodes = [names[name].as_proxy().node for name in (first, second)]
    return nodes[0] is nodes[1] or nodes[0].meta.get("example_value") is nodes[1].meta.get("example_value")


@constant
def selected(site: str, name: str) -> bool:
    """Note that the value of this name in the calling frame is a copy that was selected from two sides."""
    trace = state.local.trace
    assert trace is not None
    names = translator().output.current_tx.symbolic_locals
    value = names[name].as_proxy().node.meta.get("example_value")
    trace.selected[id(value)] = (site, value)
    if any(names[side].python_type() is not names[name].python_type() for side in ("first", "second")):
        trace.parameters.add(id(value))
    return True


@constant
def made_inside(name: str) -> bool:
    """Whether the container of this name in the calling frame was made in the open region, and comes up once."""
    from torch._dynamo.current_scope_id import current_scope_id

    trace = state.local.trace
    assert trace is not None
    variable = translator().output.current_tx.symbolic_locals[name].realize()
    if id(variable) in trace.containers:
        return False
    trace.containers[id(variable)] = variable
    kind = variable.mutation_type
    return variable.source is None and kind is not None and kind.scope >= current_scope_id()
