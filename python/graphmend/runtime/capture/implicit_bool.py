"""Implicit `bool()` of tensors in code without mended source: `a or b`, comparisons of lists, code of libraries.

    scale = x.max() or 1.0          # Python asks the tensor for its truth value
    if losses == previous: ...      # Python asks the result of each comparison of two items

Dynamo breaks the graph at such a question. In the graph of a whole call the question is a decision, as with `_gm.taken`
in `dialect.py`: the graph follows the answer of the call, and the test becomes an output of the graph.

An assertion on another object, such as `assert self.layers`, asks the object itself.
"""

from __future__ import annotations

import functools
import linecache
from typing import Any, Callable, Iterator, Optional

import torch

from ..base import call_stack, hooks, marker_ops, torch_names, trace_state
from ..base.dynamo_values import inline, kind_of_break, truth_of
from . import hoisted_tests
from .dialect import taken
from .identity_guard import decided_by_data
from .trace_time import answer, new_key, on_hoisted_path, on_path

FEATURE = hooks.Feature(__name__, hooks.GAIN, "truth that Python asks of tensors")

RULE = "GM105"
SILENCED = "graphmend: ignore"
RAISING = (("LOAD_ASSERTION_ERROR", None), ("LOAD_COMMON_CONSTANT", AssertionError))
Handler = Callable[[Any, Any], Any]


@FEATURE.hook("item.compare", needed=False)
def compare_item(compare: Any, trace: trace_state.Trace, tx: Any, *args: Any) -> Any:
    """Decide on the comparison of two items where the comparison gives a tensor."""
    result = compare(tx, *args)
    return truth_of(tx, result) if result.is_tensor() else result


@FEATURE.hook("function.call")
def call_taken(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Return constant tests directly, without a trace of `taken`: most mended tests are tests of constants."""
    if getattr(self, "fn", None) is taken and type(args[1].realize()) in plain_kinds():
        return args[1]
    return hooks.DECLINED


@FEATURE.scope
def decide_jumps(trace: trace_state.Trace) -> Iterator[None]:
    """Make conditional jumps of Dynamo's translator decide on tensors."""
    tables = list(handlers())
    originals = [list(table) for table in tables]
    for table in tables:
        for opcode, jump in jumps():
            handle = table[opcode]
            if handle is not None:
                table[opcode] = deciding(handle, jump)
    try:
        yield
    finally:
        for table, original in zip(tables, originals):
            table[:] = original


@functools.lru_cache(maxsize=None)
def plain_kinds() -> tuple[type, ...]:
    """Dynamo's classes of variables for values that data do not decide, whatever their content."""
    from ..base.torch_names import ConstantVariable, ConstDictVariable, ListVariable, TupleVariable

    return ConstantVariable, ListVariable, TupleVariable, ConstDictVariable


def handlers() -> Iterator[list[Optional[Handler]]]:
    """The tables of handlers of Dynamo's translators, indexed by the number of the instruction."""
    from ..base.torch_names import InstructionTranslatorBase

    kinds = [InstructionTranslatorBase]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        yield kind.dispatch_table


def jumps() -> Iterator[tuple[int, str]]:
    """The number and the name of each conditional jump."""
    import dis

    for name, opcode in dis.opmap.items():
        if "JUMP" in name and not {"TRUE", "FALSE"}.isdisjoint(name.split("_")):
            yield opcode, name


def deciding(handle: Handler, name: str) -> Handler:
    """A handler of a jump that decides where Dynamo's handler breaks the graph."""
    jumps_if = "TRUE" in name.split("_")
    keeps = name.endswith("_OR_POP")

    def jump(tx: Any, instruction: Any) -> Any:
        value = tx.stack[-1]
        if asserts(tx) and is_object(value):
            return without_assertions(handle, tx, instruction)
        try:
            return handle(tx, instruction)
        except torch_names.Unsupported as error:
            answer = decide(tx, value) if kind_of_break(error) == "Data-dependent branching" else None
            if answer is None:
                raise
        except (torch_names.GuardOnDataDependentSymNode, torch_names.UserError):
            answer = decide_number(tx, value)
            if answer is None:
                raise
        if answer is jumps_if:
            if keeps:
                tx.push(value)
            tx.jump(instruction)
        return None

    return jump


def asserts(tx: Any) -> bool:
    """Whether an assertion raises its exception behind the present instruction."""
    place = tx.instruction_pointer
    following = tx.instructions[place] if place is not None and place < len(tx.instructions) else None
    return following is not None and (following.opname, following.argval) in RAISING


def is_object(value: Any) -> bool:
    """Whether Dynamo's variable stands neither for a tensor, nor for a number of the graph, nor for a constant."""
    from ..base.torch_names import SymNodeVariable

    value = value.realize()
    return not value.is_tensor() and not isinstance(value, SymNodeVariable) and not value.is_python_constant()


def without_assertions(handle: Handler, tx: Any, instruction: Any) -> Any:
    """Jump as Python does in `assert self.layers`: Dynamo asserts a tensor, made of any object but a constant."""
    with torch_names.dynamo_config.patch(rewrite_assert_with_torch_assert=False):
        return handle(tx, instruction)


def decide(tx: Any, value: Any) -> Optional[bool]:
    """Whether a tensor is true in the call; None if the graph cannot follow one path here."""
    example = value.as_proxy().node.meta.get("example_value") if value.is_tensor() else None
    if value.python_type() in (torch.Tensor, torch.nn.Parameter):
        refuse_several(tx, example)
    if example is None or example.layout != torch.strided or example.numel() != 1 or example.is_complex():
        return None
    site = site_at(tx)
    is_inside_function = site is not None and on_hoisted_path(site)
    if site is None or not (is_inside_function or on_path(site)):
        return None
    test = as_tensor(tx, value).call_method(tx, "detach", [], {}).call_method(tx, "reshape", [constant(())], {})
    if example.dtype != torch.bool:
        test = test.call_method(tx, "ne", [constant(0)], {})
    node = test.as_proxy().node
    return follow_inside(tx, site, node) if is_inside_function else follow(tx, site, node)


def decide_number(tx: Any, value: Any) -> Optional[bool]:
    """Whether a number that data decide is true in the call; None if the graph cannot follow one path here."""
    from ..base.torch_names import VariableTracker

    site = site_at(tx) if decided_by_data(value) else None
    if site is None or not on_path(site):
        return None
    answer = inline(tx, taken, [VariableTracker.build(tx, site), value], {})
    return answer.as_python_constant() if answer.is_python_constant() else None


def follow_inside(tx: Any, site: str, test: Any) -> Optional[bool]:
    """The answer to a test inside an autograd function; None where the outermost graph cannot compute the test."""
    node = hoisted_tests.hoisted(tx, test)
    if node is None:
        return None
    with hoisted_tests.at_top(tx.output):
        return follow(tx, site, node)


def follow(tx: Any, site: str, test: Any) -> bool:
    """The answer to a test; the graph checks the answer in every call."""
    key = new_key(site)
    is_taken = answer(key, test)
    proxy = torch.fx.Proxy(test, tx.output.current_tracer)
    tx.output.create_proxy("call_function", marker_ops.decide, (key, proxy, is_taken), {})
    return is_taken


def truth_value(tx: Any, test: Any) -> Any:
    """Dynamo's variable for the truth value of a tensor: a number of the graph, or a constant in an
    autograd function.
    """
    answer = decide(tx, test) if hoisted_tests.is_inside(tx.output.current_tracer) else None
    return test.call_method(tx, "item", [], {}) if answer is None else constant(answer)


def refuse_several(tx: Any, example: Any) -> None:
    """Raise Python's exception for the truth value of a tensor with no value or with several values."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    from ..base.torch_names import raise_observed_exception

    count = example.numel() if example is not None and example.layout == torch.strided else 1
    if statically_known_true(count > 1):  # dynamic sizes are symbols here
        text = "Boolean value of Tensor with more than one value is ambiguous"
    elif statically_known_true(count == 0):
        text = "Boolean value of Tensor with no values is ambiguous"
    else:
        return
    raise_observed_exception(RuntimeError, tx, args=[text])


def as_tensor(tx: Any, value: Any) -> Any:
    """Dynamo's variable of a tensor; the variable of a NumPy array becomes the variable of the array's tensor."""
    from ..base.torch_names import NumpyNdarrayVariable, VariableTracker

    if not isinstance(value, NumpyNdarrayVariable):
        return value
    return VariableTracker.build(tx, torch.as_tensor).call_function(tx, [value], {})


def truth_answer(tx: Any, test: Any) -> bool:
    """Whether the variable of a test is true in the call; the graph follows the answer."""
    from ..base.torch_names import guard_if_dyn

    if not test.is_python_constant():
        test = truth_of(tx, test)
    number = guard_if_dyn(test)
    assert isinstance(number, (bool, int))
    return bool(number)


def site_at(tx: Any) -> Optional[str]:
    """The name of the decision at the traced line; None if a comment of the user forbids mends there."""
    if SILENCED in linecache.getline(tx.f_code.co_filename, tx.lineno):
        return None
    return call_stack.site_at(tx, RULE, call_stack.column_at(tx))


def constant(value: Any) -> Any:
    """Dynamo's variable of a constant."""
    from ..base.torch_names import ConstantVariable, TupleVariable

    return TupleVariable([]) if value == () else ConstantVariable.create(value)
