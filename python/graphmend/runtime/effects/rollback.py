"""Rollback: a compiled call whose guard fails leaves random generators and tensors unchanged.

    self.count.add_(1)              # the graph has written to the buffer
    y = self.dropout(x)             # and drawn random numbers
    if y.sum() > 0: ...             # the answer belongs to another path: undo, and run again

A guarded graph saves its mutated inputs and the generators before its run. After the run, flags among the outputs tell
whether each guard held and each decision had the expected answer. `GuardFailed` carries the function to restore the
saved state.
"""

from __future__ import annotations

import random
from typing import Any, Callable, Optional, Sequence

import torch

from ..base import torch_names
from ..base.interruptions import is_interruption
from ..base.trace_state import GuardFailed, local
from .undo_log import nothing_to_undo


def save_generators(devices: Sequence[torch.device]) -> Callable[[], None]:
    """Save the states of the CPU generator and of the generators of these devices; returns the function to restore the
    states.
    """
    cpu = torch.get_rng_state()
    states = [(device, torch.get_device_module(device).get_rng_state(device)) for device in devices]

    def restore() -> None:
        torch.set_rng_state(cpu)
        for device, state in states:
            torch.get_device_module(device).set_rng_state(state, device)

    return restore


def has_place(tensor: torch.Tensor) -> bool:
    """Whether a tensor has a strided layout, and so one memory with a place for each element."""
    return tensor.layout == torch.strided


def without_repeats(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor over the same memory without the repeats of `expand`, to which no operator can write."""
    tensor = tensor.detach()
    if not has_place(tensor) or 0 not in tensor.stride():
        return tensor
    size = [1 if stride == 0 and length > 1 else length for length, stride in zip(tensor.shape, tensor.stride())]
    return tensor.as_strided(size, tensor.stride())


def save_tensors(tensors: Sequence[torch.Tensor]) -> Callable[[], None]:
    """Save values and version counters of tensors; returns the function to restore both."""
    copies = [without_repeats(tensor).clone() for tensor in tensors]
    shapes = [tensor.shape for tensor in tensors]
    sizes = [(item.storage_offset(), item.size(), item.stride()) if has_place(item) else () for item in tensors]
    versioned = tuple(tensor for tensor in tensors if not tensor.is_inference())
    versions = tuple(tensor._version for tensor in versioned)

    def restore() -> None:
        with torch.no_grad():
            for tensor, copy, size, shape in zip(tensors, copies, sizes, shapes):
                if size and tensor.shape != shape:  # `out=` has resized the tensor
                    tensor.set_(tensor.untyped_storage(), *size)
                without_repeats(tensor).copy_(copy)
        torch_names._unsafe_set_version_counter(versioned, versions)

    return restore


def save(
    tensors: Sequence[torch.Tensor],
    draws: bool,
    devices: Sequence[torch.device],
    generator: Any,
    undo: Sequence[Callable[[], None]],
) -> Optional[Callable[[], bool]]:
    """Save the state that a graph may change; returns the function to restore the state, or None if the graph changes
    nothing.

    `generator` is the state of Python's `random` before the call: the prologue draws the numbers for the graph. `undo`
    has the functions to undo other calls of the prologue.
    """
    parts: list[Callable[[], None]] = []
    if generator is not None:
        parts.append(lambda: random.setstate(generator))
    if draws:
        parts.append(save_generators(devices))
    if tensors:
        parts.append(save_tensors(tensors))
    parts += undo  # last: a seed was set before the graph drew
    if not parts:
        return None

    def restore() -> bool:
        for part in parts:
            part()
        return True

    return restore


def memory_of(tensor: torch.Tensor) -> int:
    """The address of a tensor's memory; a unique number for tensors without memory."""
    try:
        return tensor.untyped_storage().data_ptr() or id(tensor)
    except (RuntimeError, NotImplementedError):
        return id(tensor)


class GuardedGraph:
    """A compiled graph, which raises `GuardFailed` when the call has to run again.

    The flags among the graph's outputs must equal `expected`: no guard fired, and each decision had the path's answer.
    """

    def __init__(self, compiled: Any, plan: Any) -> None:
        self.compiled = compiled
        self.expected: list[bool] = plan.expected
        self.defers = plan.defers
        self.mutated = tuple(plan.mutated)
        self.draws = plan.draws
        self.calls_random = plan.calls_random
        self.devices = plan.devices
        self.route = plan.route
        self.facts = plan.facts
        self.ahead = plan.ahead
        self.fresh = plan.fresh
        self.hopeless = plan.crowded  # until the assumptions have held for a call

    def __call__(self, *inputs: Any) -> Any:
        """Run the graph, after saving all state that the graph may change."""
        restore: Optional[Callable[[], bool]] = None
        if self.mutated or self.draws or self.calls_random:
            tensors = [inputs[item] if isinstance(item, int) else item for item in self.mutated]
            generator, undo = (local.generator, local.undo[:]) if self.calls_random else (None, ())
            local.undo.clear()
            restore = save(tensors, self.draws, self.devices, generator, undo)
        if self.ahead is not None:
            self.look_ahead(inputs, restore)
        try:
            outputs = self.compiled(*inputs)
            holds = self.facts is None or self.facts.hold(outputs[-1], inputs)
            outputs = outputs if self.facts is None else outputs[:-1]
            flags = self.flags(outputs)
        except Exception as error:
            if is_interruption(error):
                raise
            others = self.facts is not None or len(self.expected) > 1
            raise GuardFailed(restore, () if others else None, self.route, hopeless=self.hopeless) from None
        if flags != self.expected:
            raise GuardFailed(restore, self.answers(flags), self.route)
        if not holds:
            raise GuardFailed(restore, (), self.route, hopeless=self.hopeless)
        self.hopeless = False
        if self.defers or self.calls_random:
            local.pending = restore or nothing_to_undo
        if self.fresh:
            outputs = self.separate(outputs, inputs)
        return outputs[:-1] if self.expected else outputs

    def separate(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """The outputs, with copies of outputs that alias an input where eager Python returns new memory.

        Compilers replace `zeros + x` by `x`. The first run shows the aliases.
        """
        input_memory = {memory_of(value) for value in inputs if isinstance(value, torch.Tensor)}
        self.fresh = [
            i for i in self.fresh if isinstance(outputs[i], torch.Tensor) and memory_of(outputs[i]) in input_memory
        ]
        return [value.clone() if i in self.fresh else value for i, value in enumerate(outputs)]

    def look_ahead(self, inputs: Sequence[Any], restore: Optional[Callable[[], bool]]) -> None:
        """Raise `GuardFailed` before the graph runs where the inputs alone show another path."""
        known = self.ahead.answers(inputs)
        if known is not None:
            local.spared += 1
            raise GuardFailed(restore, known, self.route)

    def flags(self, outputs: Sequence[Any]) -> list[bool]:
        """The flags of a call: no flag, one flag as a tensor of its own, or several flags in one tensor."""
        if len(self.expected) == 1:
            return [outputs[-1].item()]
        if not self.expected:
            return self.expected
        flags: list[bool] = outputs[-1].tolist()
        return flags

    def answers(self, flags: list[bool]) -> Optional[tuple[bool, ...]]:
        """The answers up to the decision at which the call leaves the path; None if a guard fired instead."""
        for i in range(1, len(flags)):
            if flags[i] is not self.expected[i]:
                return tuple(flags[1 : i + 1])
        return None


# ---- Fast forms: most graphs have nothing to undo, and either one flag or only deferred effects ----


def guarded(compiled: Callable[..., Any], plan: Any) -> Callable[..., Any]:
    """The compiled graph with guards, in the fastest form that its plan allows."""
    compiled = without_switch(compiled)
    graph = GuardedGraph(compiled, plan)
    if plan.facts or plan.mutated or plan.draws or plan.calls_random or plan.ahead or plan.flags:
        return graph
    if plan.defers and not plan.expected:
        return only_postponing(graph, compiled)
    return graph if len(plan.expected) != 1 else only_looking(graph, compiled)


def without_switch(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled graph without the wrapper that turns Dynamo off; Dynamo puts such a wrapper around
    graphmend's, too.
    """
    if getattr(compiled, "_torchdynamo_disable", False):
        compiled = torch_names.innermost_fn(compiled)
    return compiled


def only_looking(graph: GuardedGraph, compiled: Callable[..., Any]) -> Callable[..., Any]:
    """The form for a graph with a single flag and nothing to undo."""

    def run(*inputs: Any) -> Any:
        try:
            outputs = compiled(*inputs)
            if not outputs[-1]:
                return graph.separate(outputs[:-1], inputs) if graph.fresh else outputs[:-1]
        except Exception as error:
            if is_interruption(error):
                raise
        raise GuardFailed(None, None, graph.route)

    return run


def only_postponing(graph: GuardedGraph, compiled: Callable[..., Any]) -> Callable[..., Any]:
    """The form for a graph with deferred effects only; `settle` in the driver handles its exceptions."""

    def run(*inputs: Any) -> Any:
        return graph.separate(compiled(*inputs), inputs) if graph.fresh else compiled(*inputs)

    return run if graph.fresh else compiled
