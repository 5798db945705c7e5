"""Undoing a compiled call: the random generators and the tensors that its graph changed."""

from __future__ import annotations

import random
from typing import Any, Callable, Optional, Sequence

import torch

from ..base import torch_names
from ..base.trace_state import GuardFailed, NotWhole, local
from .undo_log import nothing


def save_generators(devices: Sequence[torch.device]) -> Callable[[], None]:
    """Remember the generators of the CPU and of the devices of a graph; returns what restores them."""
    cpu = torch.get_rng_state()
    others = [(device, torch.get_device_module(device).get_rng_state(device)) for device in devices]

    def restore() -> None:
        torch.set_rng_state(cpu)
        for device, state in others:
            torch.get_device_module(device).set_rng_state(state, device)

    return restore


def has_place(tensor: torch.Tensor) -> bool:
    """Whether a tensor has its elements at places of one memory."""
    return tensor.layout == torch.strided


def save_tensors(tensors: Sequence[torch.Tensor]) -> Callable[[], None]:
    """Remember the values of tensors, and how often they were written to; returns what puts both back."""
    copies = [tensor.detach().clone() for tensor in tensors]
    sizes = [(item.storage_offset(), item.size(), item.stride()) if has_place(item) else () for item in tensors]
    counted = tuple(tensor for tensor in tensors if not tensor.is_inference())
    versions = tuple(tensor._version for tensor in counted)

    def restore() -> None:
        with torch.no_grad():
            for tensor, copy, size in zip(tensors, copies, sizes):
                if size and tensor.shape != copy.shape:  # a result that did not fit in was given the memory
                    tensor.set_(tensor.untyped_storage(), *size)
                tensor.detach().copy_(copy)
        torch_names._unsafe_set_version_counter(counted, versions)

    return restore


def save(
    tensors: Sequence[torch.Tensor],
    draws: bool,
    devices: Sequence[torch.device],
    generator: Any,
    undo: Sequence[Callable[[], None]],
) -> Optional[Callable[[], bool]]:
    """Remember what a graph is about to change; None if it changes nothing.

    `generator` is the state that Python's `random` had before the call: what a graph needs of it is drawn in front.
    `undo` undoes what else was done in front of the graph.
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


def compiled_backward(outputs: Sequence[Any]) -> bool:
    """Whether gradients of the outputs go through a compiled graph."""
    tensors = [value for value in outputs if isinstance(value, torch.Tensor) and value.grad_fn is not None]
    return any(type(value.grad_fn).__name__.startswith("CompiledFunction") for value in tensors)


def memory_of(tensor: torch.Tensor) -> int:
    """The address of the memory behind a tensor; one that nothing else has if there is none."""
    try:
        return tensor.untyped_storage().data_ptr() or id(tensor)
    except (RuntimeError, NotImplementedError):
        return id(tensor)


class GuardedGraph:
    """A compiled graph that signals when its call has to be run again.

    The flags that it adds to its outputs have to come out as `expected`: no guard has fired, and every decision goes
    the way that the graph follows.
    """

    def __init__(self, compiled: Any, plan: Any) -> None:
        self.compiled = compiled
        self.expected = plan.expected
        self.defers = plan.defers
        self.mutated = tuple(plan.mutated)
        self.draws = plan.draws
        self.calls_random = plan.calls_random
        self.devices = plan.devices
        self.numbers = plan.carried
        self.route = plan.route
        self.facts = plan.facts
        self.ahead = plan.ahead
        self.fresh = plan.fresh
        self.hopeless = plan.crowded  # until it has held for a call

    def __call__(self, *inputs: Any) -> Any:
        """Run the graph, and make sure that it can be undone."""
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
        except Exception:
            others = self.facts is not None or len(self.expected) > 1
            raise GuardFailed(restore, () if others else None, self.route, hopeless=self.hopeless) from None
        if flags != self.expected:
            raise GuardFailed(restore, self.answers(flags), self.route)
        if not holds:
            raise GuardFailed(restore, (), self.route, hopeless=self.hopeless)
        if self.numbers and compiled_backward(outputs):
            # Inductor can lose numbers on their way from the forward to the backward graph, which would show when the
            # program asks for gradients, too late to do anything about it.
            if restore is not None:
                restore()
            raise NotWhole
        self.numbers = self.hopeless = False
        if self.defers or self.calls_random:
            local.pending = restore or nothing
        if self.fresh:
            outputs = self.separate(outputs, inputs)
        return outputs[:-1] if self.expected else outputs

    def separate(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """The outputs, those of them copied that have to be memory of their own and are not.

        Compilers take `zeros + x` for `x` itself once nothing is in between any more. Only the first run tells.
        """
        given = {memory_of(value) for value in inputs if isinstance(value, torch.Tensor)}
        self.fresh = [i for i in self.fresh if isinstance(outputs[i], torch.Tensor) and memory_of(outputs[i]) in given]
        return [value.clone() if i in self.fresh else value for i, value in enumerate(outputs)]

    def look_ahead(self, inputs: Sequence[Any], restore: Optional[Callable[[], None]]) -> None:
        """Raise what the graph would raise where its inputs tell as much."""
        known = self.ahead.answers(inputs)
        if known is not None:
            local.spared += 1
            raise GuardFailed(restore, known, self.route)

    def flags(self, outputs: Sequence[Any]) -> list[bool]:
        """The flags that a call gives: none, a single one as it is, or several in one tensor."""
        if len(self.expected) == 1:
            return [outputs[-1].item()]
        return outputs[-1].tolist() if self.expected else self.expected

    def answers(self, flags: list[bool]) -> Optional[tuple[bool, ...]]:
        """The answers up to where the call leaves the path; None if it stays on it, and a guard has fired."""
        for i in range(1, len(flags)):
            if flags[i] is not self.expected[i]:
                return tuple(flags[1 : i + 1])
        return None


# ---- Most graphs have nothing to undo, and one flag or only deferred work. There every step would count. ----


def guarded(compiled: Callable[..., Any], plan: Any) -> Callable[..., Any]:
    """A compiled graph that signals when its call has to be run again."""
    compiled = without_switch(compiled)
    graph = GuardedGraph(compiled, plan)
    if plan.facts or plan.mutated or plan.draws or plan.calls_random or plan.carried or plan.ahead or plan.flags:
        return graph
    if plan.defers and not plan.expected:
        return only_postponing(graph, compiled)
    return graph if len(plan.expected) != 1 else only_looking(graph, compiled)


def without_switch(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """A compiled graph without the wrapper that switches Dynamo off, as Dynamo does around ours, too."""
    if getattr(compiled, "_torchdynamo_disable", False):
        return torch_names.innermost_fn(compiled)
    return compiled


def only_looking(graph: GuardedGraph, compiled: Callable[..., Any]) -> Callable[..., Any]:
    """A graph with one flag to look at."""

    def run(*inputs: Any) -> Any:
        try:
            outputs = compiled(*inputs)
            if not outputs[-1]:
                return graph.separate(outputs[:-1], inputs) if graph.fresh else outputs[:-1]
        except Exception:
            pass
        raise GuardFailed(None, None, graph.route)

    return run


def only_postponing(graph: GuardedGraph, compiled: Callable[..., Any]) -> Callable[..., Any]:
    """A graph with deferred work and nothing else. What it raises is told from the code that runs it (`settle`)."""

    def run(*inputs: Any) -> Any:
        return graph.separate(compiled(*inputs), inputs) if graph.fresh else compiled(*inputs)

    return run if graph.fresh else compiled
