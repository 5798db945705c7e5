"""Tests in front of operators that may end the process on a device.

    if ids.max() >= len(table): raise ValueError("...")     # the graph tells the test behind the call
    return table[ids]                                       # and has used the bad index by then

On the processor the operator raises, and the call is undone. A kernel on a device asserts, and the process has lost the
device. So every tensor of indices behind a test is gated: `ids.masked_fill(failed, 0)`, where `failed` says that a
guard has fired, or that a decision has another answer than the graph. The results of such a call are thrown away. Tests
in front of an operator that cannot be gated are refused.
"""

from __future__ import annotations

import dataclasses
from typing import Optional, Union

import torch
from torch.fx import Graph, GraphModule, Node

from ..analysis import branch_proofs, device_facts, node_facts
from ..analysis.marker_regions import Check, Decision, Marks, fake_of, tensor_of
from ..base.marker_ops import site_of
from ..base.trace_state import Trace

SAFE_DEVICES = ("cpu", "meta")  # errors of their kernels are exceptions


@dataclasses.dataclass
class Gate:
    """An input of a node to be replaced by zeros where one of the first `tests` tests of the graph has failed."""

    node: Node
    source: Node
    tests: int


def ends_process(device: torch.device) -> bool:
    """Whether a kernel that fails on data takes the device from the process."""
    return device.type not in SAFE_DEVICES


def ordered_tests(module: GraphModule, marks: Marks) -> list[Union[Check, Decision]]:
    """The tests in the order of the graph."""
    by_marker = {test.marker: test for test in marks.tests()}
    return [by_marker[node] for node in module.graph.nodes if node in by_marker]


def plan_gates(module: GraphModule, marks: Marks, trace: Trace) -> list[Gate]:
    """The gates behind all tests; refuses the tests in front of an operator that may assert and cannot be gated."""
    gates: list[Gate] = []
    tests = ordered_tests(module, marks)
    markers = {test.marker for test in tests}
    passed = refused = 0
    for node in module.graph.nodes:
        passed += node in markers
        if passed == refused:
            continue
        sources = sources_to_gate(node)
        if sources is None:
            reason = f"`{branch_proofs.name_of(node)}` behind it may fail on the device"
            for test in tests[refused:passed]:
                trace.refuse(site_of(test.key), reason)
            refused = passed
        else:
            gates += [Gate(node, source, passed) for source in sources]
    return gates


def sources_to_gate(node: Node) -> Optional[list[Node]]:
    """The inputs of a node that its kernels may assert about; None where they are unknown or cannot be gated."""
    if not branch_proofs.computes_values(node):
        return []
    args, kwargs = node_facts.traced_arguments(node)
    tensors = node_facts.tensors_in((args, kwargs))
    if not any(ends_process(tensor.device) for tensor in [*tensors, *node_facts.tensors_in(tensor_of(node))]):
        return []
    if branch_proofs.is_opaque(node):
        return None
    try:
        recorded, storages = node_facts.call_on_stand_ins(node, args, kwargs, tensors)
    except Exception:
        return None
    sources: list[Node] = []
    for overload, call_args, call_kwargs, _ in recorded:
        operands = node_facts.tensors_in((call_args, call_kwargs))
        if overload.namespace == "prim" or not any(ends_process(tensor.device) for tensor in operands):
            continue  # without data of the device there is nothing to assert about
        if not device_facts.asserts(overload, call_args):
            continue
        indices = device_facts.indices_of(overload, call_args, call_kwargs)
        if not indices:
            return None
        for index in indices:
            holders = [tensors[i] for i, storage in enumerate(storages) if storage == node_facts.storage_of(index)]
            found = [one for one in node.all_input_nodes if any(tensor_of(one) is holder for holder in holders)]
            if not found or (device_facts.keeps_layout(overload) and not all(map(is_dense, found))):
                return None
            sources += found
    sources = list(dict.fromkeys(sources))
    written = node_facts.writes_of(node)
    return None if any(node_facts.storages_of(source) & written for source in sources) else sources


def is_dense(source: Node) -> bool:
    """Whether a copy with zeros is laid out as the tensor is."""
    value = fake_of(source)
    return value.layout == torch.strided and torch.empty_like(value, device="meta").stride() == value.stride()


def place_gates(module: GraphModule, marks: Marks, gates: list[Gate]) -> None:
    """Put the gates into the graph."""
    if not gates:
        return
    graph, tests = module.graph, ordered_tests(module, marks)
    device = fake_of(tests[0].predicate).device
    failed: list[Node] = []  # whether one of the first tests has failed, for each number of tests
    for test in tests:
        with graph.inserting_before(test.marker):
            condition = failed_condition(graph, test)
            if fake_of(test.predicate).device != device:
                condition = graph.call_method("to", (condition, device))
            failed.append(graph.call_method("logical_or", (failed[-1], condition)) if failed else condition)
    for gate in gates:
        failed_before, place = failed[gate.tests - 1], fake_of(gate.source).device
        with graph.inserting_before(gate.node):
            if place != device:
                failed_before = graph.call_method("to", (failed_before, place))
            gated = graph.call_method("masked_fill", (gate.source, failed_before, 0))
        gated.meta = {key: gate.source.meta[key] for key in ("example_value",) if key in gate.source.meta}
        gate.node.replace_input_with(gate.source, gated)


def failed_condition(graph: Graph, test: Union[Check, Decision]) -> Node:
    """Whether a test has failed: a guard has fired, or a decision has the other answer."""
    if isinstance(test, Check):
        return fired_condition(graph, test)
    if test.answer:
        return graph.call_method("logical_not", (test.predicate,))
    return test.predicate


def fired_condition(graph: Graph, check: Check) -> Node:
    """Whether a guard has fired: its predicate, where the sides around the guard were taken."""
    condition = check.predicate
    for region, side in check.outer:
        taken = region.predicate
        if side == 1:
            taken = graph.call_method("logical_not", (taken,))
        condition = graph.call_method("logical_and", (condition, taken))
    return condition
