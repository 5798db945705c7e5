"""External calls: calls with values from outside the program, made in front of the graph in program order.

    if random.random() < 0.1:                            # a random generator
        started = time.time()                            # a clock
        table = torch.load(self.path) if os.path.exists(self.path) else None     # the file system

Dynamo breaks the graph at each of these calls. Here the call happens once during the trace, so that the trace knows the
kind of its value, and again in the prologue of every run. Numbers and arrays are inputs of the graph. A value of
another kind is a choice among the values seen so far, and the graph follows the path of the present choice
(`path_speculation.py`). The result of a pure function is a constant. The change of order is invisible: the graph draws
from none of these generators and changes no source of such a value. No deferred effect stands in front of an external
call, draws apart: what a call shows or writes changes no generator.
"""

from __future__ import annotations

import functools
import math
import random
from typing import Any, Callable

import torch
from torch.compiler import is_dynamo_compiling

from ..analysis import impure_functions
from ..analysis.impure_functions import CLOCK, DRAW, ORDER, PURE, SEED, Fact, is_plain
from ..base import trace_state
from ..base.dynamo_values import as_constant, constant, real, translator
from ..base.marker_ops import site_of
from ..base.trace_state import local
from ..capture import assumptions
from ..capture.dialect import taken
from ..capture.identity_guard import note_clock
from ..capture.path_speculation import shadow_of
from ..capture.trace_time import refuse, site_on
from ..effects import undo_log
from ..effects.deferred_calls import call_behind, can_wait, prepare
from ..effects.deferred_values import DeferredNumber, note_reading, read_clock
from .drawn_sequences import are_floats, first_of, has_places, kind_of_order, step_of, variable_of
from .prologue import Notes, Reading, Setting, call_now, notes, notes_of, remember

OF_GENERATORS = (DRAW, ORDER, SEED)  # kinds of calls that draw from a random generator, or seed one
MAX_VALUES = 8  # different values of one site, each with a path of its own
MAX_SIZES = 4  # different sizes in the arguments of one site, each with a graph of its own


def outside(site: str, function: Callable[..., Any], part: str = "") -> Callable[..., Any]:
    """The function itself; in the trace of a whole call, the function that stands for its external calls.

    `part` names the only attribute or method of the result that the program uses, if there is one.
    """
    if not is_dynamo_compiling() or not site_on(site):
        return function
    kind = kind_of_call(site, "function", part)
    return standing_for(site, kind, function, part) if kind else function


def standing_for(site: str, kind: str, function: Callable[..., Any], part: str) -> Callable[..., Any]:
    """The function that the trace calls in place of an external function."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if kind == ORDER:
            return draw_places(site, function, args, kwargs)
        value = external_value(site, function, part, args, kwargs)
        return holder(part, value) if part else value

    return call


class Holder:
    """The result of an external call, reduced to one attribute or method."""


def holder(part: str, value: Any) -> Holder:
    """A `Holder` with one attribute, or with one method without arguments."""
    result = Holder()
    if part.endswith("()"):
        setattr(result, part[:-2], lambda: value)
    else:
        setattr(result, part, value)
    return result


def external_value(
    site: str,
    function: Callable[..., Any],
    part: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    is_row: bool = False,
    is_table: bool = False,
) -> Any:
    """The trace-time value of an external call: a symbolic number, an array, a constant, or a choice with one path for
    each value so far.

    `is_row` and `is_table` tell of a draw from an evenly spaced row of integers, or from a table of floats. The place
    in a table stays symbolic, as does the place in a row with more than `MAX_VALUES` outcomes. Draws from shorter rows
    are choices: the integers may be sizes, and each size needs a graph of its own.
    """
    value = None
    form = call_for_real(site, part, len(local.queue) > 0, is_row, is_table)
    if form == "behind":
        return call_behind(site, function, tuple(kwargs), *args, *kwargs.values())
    if form == "later":
        cell: list[Any] = []
        local.queue.append((local, read_clock, torch.is_grad_enabled(), None, function, cell))
        return DeferredNumber(site, "", (cell,))
    if form == "number":
        return value.item()  # type: ignore[attr-defined]
    if form == "numbers":
        return value.tolist()  # type: ignore[attr-defined]
    if form != "choice":
        return value
    for place in range(places_of(site)):
        if taken(site, value == place):
            settle(site, place)
            return value
    refuse(site, "it has given another value in the meantime")


def draw_places(site: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A draw of items from a sequence, traced as a draw of their places."""
    items, *rest = args
    if not has_places("items", "function"):
        refuse(site, "it draws from what is no plain list")
    count, first, step = len(items), first_of("items"), step_of("items")
    table = torch.tensor(items, dtype=torch.float64, device="cpu") if are_floats("items") else None
    order = external_value(site, function, "", (count, *rest), kwargs, step != 0, table is not None)
    if type(order) is int:
        return item_at(order, items, table, first, step)
    drawn = []
    for place in order:
        drawn.append(item_at(place, items, table, first, step))
    if kind_of_order("function") != "shuffle":
        return drawn
    items[:] = drawn
    return None


def item_at(place: int, items: Any, table: Any, first: int, step: int) -> Any:
    """The item at a symbolic or constant place: of a row, of a table of numbers, or of a short sequence."""
    if table is not None:
        return table[place].item()
    return first + place * step if step else items[place]


# ---- Functions that Dynamo runs for real while tracing ----


@constant
def kind_of_call(site: str, name: str, part: str) -> str:
    """The kind of an external function (`impure_functions.py`); empty for functions without a known kind."""
    trace = trace_state.local.trace
    assert trace is not None
    variable = variable_of(name)
    function = real(variable)
    fact = impure_functions.fact_of(function)
    if fact is None or (variable.source is None and is_own(function)):
        return ""
    if part not in fact.parts:
        return ""
    if trace.open and fact.kind != PURE:
        refuse(site_of(trace.open[-1][0]), "a side takes a value from outside of the program")
    return fact.kind


def is_own(function: Any) -> bool:
    """Whether a method belongs to a `random.Random` made by the call, which Dynamo follows itself."""
    generator = impure_functions.generator_of(function)
    return type(generator) is random.Random and generator is not impure_functions.SHARED


@constant
def places_of(site: str) -> int:
    """The number of different values of a site so far."""
    return len(values_of(site))


values_by_site: dict[str, list[Any]] = {}  # by site: its values so far, in order of appearance


def values_of(site: str) -> list[Any]:
    """The values of a site in all traces so far."""
    return values_by_site.setdefault(site, [])


def identity(value: Any) -> Any:
    """The type and the content of a value, inner values included, in a comparable form."""
    if type(value) in (tuple, list):
        return type(value), tuple(map(identity, value))
    if type(value) is dict:
        return dict, tuple((identity(key), identity(item)) for key, item in value.items())
    return type(value), repr(value)


def place_of(site: str, value: Any) -> int:
    """The number of a value among the values of a site; -1 for a new value."""
    wanted = identity(value)
    return next((place for place, earlier in enumerate(values_of(site)) if identity(earlier) == wanted), -1)


def constants(site: str, names: tuple[str, str]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the external call, as constants of the trace."""
    current = translator().output.current_tx
    args = [plain_argument(site, item) for item in current.symbolic_locals[names[0]].unpack_var_sequence(current)]
    table = current.symbolic_locals[names[1]].realize().items
    return args, {key.vt.as_python_constant(): plain_argument(site, item) for key, item in table.items()}


def plain_argument(site: str, variable: Any) -> Any:
    """The constant behind Dynamo's variable; refuses the site for other variables."""
    variable = variable.realize()
    if hasattr(variable, "sym_num"):
        from ..capture.identity_guard import decided_by_data

        if decided_by_data(variable) or not hasattr(variable, "evaluate_expr"):
            try_constants()
            refuse(site, "its arguments depend on data")
        return fixed_size(site, variable.evaluate_expr(translator().output))
    try:
        value = as_constant(variable)
    except Exception:
        refuse(site, "its arguments are no constants")
    if not is_plain(value):
        refuse(site, "its arguments are no plain numbers and texts")
    return value


def try_constants() -> None:
    """End a trace with open numbers of the data: constants may be arguments of a call in front of the graph."""
    trace = trace_state.local.trace
    assert trace is not None
    numbers = assumptions.numbers_of(trace)
    if trace.whole and not numbers.fixed:
        assumptions.note_numbers(trace)
        raise trace_state.SiteRefused("the arguments of a call in front of the graph depend on data")


sizes_by_site: dict[str, set[int]] = {}  # by site: tensor sizes among its arguments, each with a graph of its own


def fixed_size(site: str, number: int) -> int:
    """A dynamic size fixed to its present value, because the external call takes the size as argument."""
    known_sizes = sizes_by_site.setdefault(site, set())
    known_sizes.add(number)
    if len(known_sizes) > MAX_SIZES:
        refuse(site, "its arguments are sizes that vary")
    return number


def guard(variable: Any, function: Any) -> None:
    """Guard the graph on the identity of an external function."""
    from ..base.torch_names import GuardBuilder, install_guard

    source, output = variable.source, translator().output
    if source is None:
        return
    if output.resolve_source_value(source) is not output.resolve_source_value(source):
        source = getattr(source, "base", source)  # a bound method is a new object at each access
    install_guard(source.make_guard(GuardBuilder.ID_MATCH))


@constant
def call_for_real(site: str, part: str, deferred: bool, is_row: bool, is_table: bool) -> str:
    """Make the external call of the calling frame, and repeat the call in front of each run of the graph.

    The frame's variable `value` becomes a constant, an input of the graph, or the number of the value among the values
    of the site. Returns the form of the value, for `external_value`.
    """
    output = translator().output
    variable = variable_of("function")
    function = real(variable)
    fact = impure_functions.fact_of(function)
    assert fact is not None
    if fact.kind == PURE and not part and is_called_behind(output.current_tx.symbolic_locals):
        prepare(output.current_tx, site)
        return "behind"
    args, kwargs = constants(site, ("args", "kwargs"))
    many = fact.kind == ORDER and (is_table or (is_row and outcomes_of(function, args, kwargs) > MAX_VALUES))
    if fact.kind == ORDER:
        args = sequence(function, args, kwargs, site, many)
    if deferred and fact.kind not in (PURE, CLOCK, *OF_GENERATORS):
        refuse(site, "what is deferred until after the call comes before it")
    guard(variable, function)
    if fact.kind == PURE:
        value = make_call(site, function, args, kwargs, part)
        set_variable(constant_of(site, value))
        return "constant"
    if fact.kind == CLOCK and is_behind(output):
        return read_later(site, args, kwargs)
    graph_notes = notes()
    graph_notes.add(site, is_clock=fact.kind == CLOCK)
    if fact.kind in OF_GENERATORS:
        save_generator(graph_notes, fact, function, site)
    value = make_call(site, function, args, kwargs, part)
    if fact.kind == SEED:
        return seed(Setting(function, args, kwargs))
    place = None if many or fact.kind in (DRAW, CLOCK) else functools.partial(place_of, site)
    return hand_in(site, value, Reading(function, args, kwargs, part, place))


def is_called_behind(names: dict[str, Any]) -> bool:
    """Whether the arguments of the pure call in the calling frame exist only behind the graph."""
    args, kwargs = names["args"].realize(), names["kwargs"].realize()
    return can_wait([*args.items, *kwargs.items.values()])


def is_behind(output: Any) -> bool:
    """Whether a clock cannot be read in front of the graph: an earlier reading or an operation stands before the
    reading.
    """
    assert trace_state.local.trace is not None
    graph_notes = notes_of(trace_state.local.trace, output)
    has_earlier = graph_notes is not None and graph_notes.clocks > 0
    return has_earlier or any(node.op.startswith("call") for node in output.graph.nodes)


def read_later(site: str, args: list[Any], kwargs: dict[str, Any]) -> str:
    """Defer a clock reading until after the graph, for use in deferred effects."""
    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    if note_clock(trace, output) or trace.open or args or kwargs:
        refuse(site, "a clock can be read at one point before the graph and behind it, not in between")
    note_reading(trace, site)
    undo_log.watch(trace, output)
    return "later"


def make_call(site: str, function: Any, args: list[Any], kwargs: dict[str, Any], part: str) -> Any:
    """The value of an external call, made now; refuses the site if the call raises."""
    try:
        return call_now(function, args, kwargs, part)
    except Exception as error:
        refuse(site, f"it raises {type(error).__name__}")


def sequence(function: Any, args: list[Any], kwargs: dict[str, Any], site: str, many: bool) -> list[Any]:
    """The arguments of a draw, with places in place of the sequence."""
    count, *rest = args
    if not 0 < outcomes_of(function, args, kwargs) or not (many or outcomes_of(function, args, kwargs) <= MAX_VALUES):
        refuse(site, "it draws from none or from too many possibilities")
    return [list(range(count)) if function.__name__ == "shuffle" else range(count), *rest]


def outcomes_of(function: Any, args: list[Any], kwargs: dict[str, Any]) -> int:
    """The number of possible results of a draw."""
    count, *rest = args
    picks = kwargs.get("k", {"shuffle": count, "sample": rest[0] if rest else 1}.get(function.__name__, 1))
    return count**picks if function.__name__ == "choices" else math.perm(count, picks)


def save_generator(graph_notes: Notes, fact: Fact, function: Any, site: str) -> None:
    """Save the state of a generator now and before each run of the graph, after the checks on its other uses."""
    generator = impure_functions.generator_of(function)
    if graph_notes.hosted is not None and impure_functions.is_numpy(generator):
        refuse(site, "a function draws random numbers before, which happens in the graph")
    if generator is None:
        refuse_late_seed(graph_notes.output, site)
    remember_once(graph_notes, generator, function)


def remember_once(graph_notes: Notes, generator: Any, function: Any) -> None:
    """Save the state of the generator behind a function before its first use."""
    if graph_notes.save(id(generator), function):
        if generator is not impure_functions.SHARED:  # the wrapper saves the shared generator
            graph_notes.output.random_calls.append((remember, (function,), {}))


def refuse_late_seed(output: Any, site: str) -> None:
    """Refuse a seed behind random numbers of the graph: the prologue would set the seed in front of them."""
    from ..analysis import node_facts

    if any(node_facts.draws(node) for node in output.graph.nodes):
        refuse(site, "random numbers are drawn before the seed is set")


def seed(setting: Setting) -> str:
    """Add the call that seeds a generator to the prologue."""
    translator().output.random_calls.append((setting, (), {}))
    assert trace_state.local.trace is not None
    shadow = shadow_of(trace_state.local.trace)
    if shadow is not None:
        shadow.set_generators()
    return "nothing"


def hand_in(site: str, value: Any, reading: Reading) -> str:
    """Add an external call to the prologue, and give the calling frame the variable for its value."""
    if reading.place is not None:
        if not is_plain(value):
            refuse(site, f"it gives an object of type {type(value).__name__}")
        if place_of(site, value) < 0:
            if len(values_of(site)) == MAX_VALUES:
                refuse(site, "it gives too many different values")
            values_of(site).append(value)
    try:
        tensor = reading.tensor(value)
    except Exception:  # an array of objects
        tensor = None
    if tensor is None:
        refuse(site, f"it gives an object of type {type(value).__name__}")
    reading.like = tensor
    set_variable(graph_input(reading, tensor, type(value).__name__ == "ndarray"))
    if reading.place is not None:
        return "choice"
    return {"ndarray": "array", "list": "numbers"}.get(type(value).__name__, "number")


def set_variable(variable: Any, name: str = "value") -> None:
    """Set a variable of the calling frame."""
    translator().output.current_tx.symbolic_locals[name] = variable


def constant_of(site: str, value: Any) -> Any:
    """Dynamo's variable for a new object equal to a value."""
    from ..base.torch_names import SourcelessBuilder

    if not is_plain(value):
        refuse(site, f"it gives an object of type {type(value).__name__}")
    return SourcelessBuilder.create(translator().output.current_tx, value)


@constant
def settle(site: str, place: int) -> bool:
    """Set the frame's `value` to the site's value with this number."""
    set_variable(constant_of(site, values_of(site)[place]))
    return True


def graph_input(reading: Reading, tensor: torch.Tensor, is_array: bool) -> Any:
    """Dynamo's variable for a new input of the graph, filled by the prologue."""
    from ..base.torch_names import GraphArg, NumpyNdarrayVariable, RandomValueSource, wrap_fx_proxy

    output = translator().output
    source = RandomValueSource(len(output.random_calls))
    output.random_calls.append((reading, (), {}))
    with output.fake_mode:
        fake = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    name = f"outside_{source.random_call_index}"
    proxy = output.root_tracer.create_graph_input(name, torch.Tensor, fake, source=source)
    proxy.node.meta["grapharg"] = GraphArg(source, tensor, False, fake, example_strong_ref=tensor)
    if is_array:
        return NumpyNdarrayVariable.create(output.current_tx, proxy, example_value=fake)
    return wrap_fx_proxy(output.current_tx, proxy, example_value=fake)
