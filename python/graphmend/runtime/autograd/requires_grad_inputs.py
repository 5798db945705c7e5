"""Parameters that a call freezes or thaws: `requires_grad` of input tensors.

    self.head.weight.requires_grad_(False)     # in front of the graph: weight.requires_grad_(False)
    y = self.head(x)                           # the graph, with `weight` frozen
    self.head.weight.requires_grad_(True)      # behind the graph: weight.requires_grad_(True)

A graph has one flag for each input. Where every use of a tensor stands between the same two changes, the wrapper sets
the flag of that stretch in front of the graph, and the last flag behind the graph. Where the call is undone, the tensor
gets its first flag back.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Callable, Iterator, Sequence

import torch
from torch.fx import GraphModule, Node

from ..analysis.marker_regions import fake_of, node_at
from ..base import marker_ops, torch_names, trace_state
from ..base.dynamo_values import inline
from ..base.interruptions import is_interruption
from ..base.marker_ops import kind_of
from ..base.owned_state import OwnedState

# An option of Dynamo. torch before 2.12 skips the guard on a parameter's flag while the dictionary of the parameter
# stays the same, and a call that changes a flag leaves the dictionary the same.
SKIPS_GUARDS = "skip_tensor_guards_with_matching_dict_tags"
Flags = list[tuple[int, bool, bool]]  # position of an input, its flag while the graph runs and at the end


@dataclasses.dataclass
class Switches:
    """The changes of `requires_grad` in one trace."""

    any_input: bool = False  # `requires_grad` of an input changes


SWITCHES = OwnedState(__name__, Switches)


def switch(trace: trace_state.Trace, tx: Any, variable: Any, wanted: bool) -> Any:
    """Change `requires_grad` of an input, given as a variable of Dynamo, from this point of the trace on."""
    from ..base.torch_names import ConstantVariable

    setattr(torch_names.dynamo_config, SKIPS_GUARDS, False)
    node = variable.as_proxy().node
    value = node.meta["example_value"]
    if bool(value.requires_grad) is wanted:
        return variable
    if node.op != "placeholder" or type(value) not in (torch_names.FakeTensor, torch.nn.Parameter):
        raise trace_state.SiteRefused("`requires_grad` of a tensor is changed that is no plain input")
    if trace.open or tx.output.current_tracer.parent is not None:
        raise trace_state.SiteRefused(
            "`requires_grad` of a tensor is changed inside a branch or a higher-order operator"
        )
    SWITCHES.of(trace).any_input = True
    arguments = [ConstantVariable.create(f"#{int(wanted)}"), variable]
    inline(tx, mark, arguments, {})
    value.requires_grad_(wanted)
    variable.requires_grad = wanted
    return variable


def mark(key: str, tensor: torch.Tensor) -> None:
    """Mark the change of an input's flag in the graph."""
    marker_ops.switch(key, tensor)


def settle(module: GraphModule, trace: trace_state.Trace) -> Flags:
    """Remove the marks from a graph; returns the flags of the inputs that change."""
    if not SWITCHES.of(trace).any_input:
        return []
    changed: dict[Node, list[bool]] = {}
    used: dict[Node, set[bool]] = {}
    marks = [node for node in module.graph.nodes if kind_of(node) == "switch"]
    for mark in marks:
        changed.setdefault(node_at(mark, 1), [mark.args[0] == "#0"])
    for node in module.graph.nodes:
        if kind_of(node) == "switch":
            changed[node.args[1]].append(node.args[0] == "#1")
            continue
        for source in changed.keys() & set(node.all_input_nodes):
            used.setdefault(source, set()).add(changed[source][-1])
    for mark in marks:
        module.graph.erase_node(mark)
    flags: Flags = []
    for position, node in enumerate(module.graph.find_nodes(op="placeholder")):
        if node not in changed:
            continue
        if len(used.get(node, ())) > 1:
            raise trace_state.SiteRefused("a tensor is used before and after its `requires_grad` changes")
        (flag,) = used.get(node, {changed[node][-1]})
        flags.append((position, flag, changed[node][-1]))
        fake_of(node).requires_grad_(flag)
    return flags


@contextlib.contextmanager
def flags_held(inputs: Sequence[Any], flags: Flags) -> Iterator[None]:
    """Give the inputs the flags of the graph inside the block, for the compiler."""
    before = [(inputs[position], inputs[position].requires_grad) for position, _, _ in flags]
    try:
        for (tensor, _), (_, flag_in_graph, _) in zip(before, flags):
            tensor.requires_grad_(flag_in_graph)
        yield
    finally:
        for tensor, flag in before:
            tensor.requires_grad_(flag)


def with_flags(run: Callable[..., Any], flags: Flags) -> Callable[..., Any]:
    """A graph whose inputs have the graph's flags during the run, and the flags of the call's end afterwards."""
    local = trace_state.local

    def running(*inputs: Any) -> Any:
        tensors = [inputs[position] for position, _, _ in flags]
        before = [tensor.requires_grad for tensor in tensors]
        if not all(tensor.is_leaf for tensor in tensors):
            raise trace_state.GuardFailed(None)

        def put_back() -> bool:
            """Restore the flags from before the call."""
            for tensor, flag in zip(tensors, before):
                tensor.requires_grad_(flag)
            return True

        try:
            for tensor, (_, flag_in_graph, _) in zip(tensors, flags):
                tensor.requires_grad_(flag_in_graph)
            outputs = run(*inputs)
            for tensor, (_, _, last) in zip(tensors, flags):
                tensor.requires_grad_(last)
        except trace_state.GuardFailed as failed:
            failed.restore = undo_both(failed.restore, put_back)
            raise
        except Exception as error:
            if is_interruption(error):
                put_back()
                raise
            raise trace_state.GuardFailed(put_back) from None
        except BaseException:
            put_back()
            raise
        if local.pending is not None:
            local.pending = undo_both(local.pending, put_back)
        return outputs

    return running


def undo_both(first: Any, second: Callable[[], bool]) -> Callable[[], bool]:
    """One undo step out of two; the first may be None."""

    def restore() -> bool:
        return (first is None or first() is not False) & second()

    return restore
