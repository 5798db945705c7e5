"""Tensors drawn from a `torch.Generator` of the program.

    def forward(self, x):
        return x + torch.randn(3, generator=self.generator)     # a graph break in Dynamo

No graph can hold such a generator, and no other operator of the graph draws from the generator. The prologue draws the
tensor in front of each run, in program order, and the tensor is an input of the graph (`external_calls.py`).
"""

from __future__ import annotations

import functools
from typing import Any, Optional

import torch

from ..base import call_stack, trace_state
from ..base.dynamo_values import translator
from ..base.marker_ops import kind_of
from ..capture.trace_time import refuse, site_on
from . import external_calls
from .prologue import Reading, notes

OPTIONS = frozenset(["dtype", "size", "device", "low", "high", "n", "layout"])  # tensors are strided, or the draw fails

OF_TORCH = (torch.dtype, torch.device, torch.layout)


def draw_in_prologue(trace: trace_state.Trace, function: Any, tx: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable for a drawn tensor; None for a generator made by the call."""
    from ..base.torch_names import _disable_current_modes

    options = {key: item.realize() for key, item in kwargs.items()}
    variable = options.pop("generator")
    generator = getattr(variable, "value", None)
    site = call_stack.site_at(tx, "GM501", 1)
    if type(generator) is not torch.Generator or variable.source is None or not site_on(site):
        return None
    if generator is torch.default_generator:
        refuse(site, "the graph draws from the same generator")
    if trace.open or not options.keys() <= OPTIONS or generator.device.type != "cpu":
        refuse(site, "a tensor of random numbers cannot be drawn in front of the graph")
    if any(kind_of(node) == "event" for node in translator().output.graph.nodes):
        refuse(site, "what is deferred until after the call comes before it")
    draw_args = [constant(site, tx, item) for item in args]
    draw_kwargs = {key: constant(site, tx, item) for key, item in options.items()}
    draw = functools.partial(function, generator=generator)
    external_calls.guard(variable, generator)
    graph_notes = notes()
    graph_notes.add(site)
    with _disable_current_modes():
        external_calls.remember_once(graph_notes, generator, draw)
        value = external_calls.make_call(site, draw, draw_args, draw_kwargs, "")
    reading = Reading(draw, draw_args, draw_kwargs, "", None)
    reading.like = value
    return external_calls.graph_input(reading, value, False)


def constant(site: str, tx: Any, item: Any) -> Any:
    """A constant argument of a draw."""
    item = item.realize()
    if item.python_type() in (tuple, list, torch.Size):
        return [external_calls.plain_argument(site, part) for part in item.unpack_var_sequence(tx)]
    value = item.as_python_constant() if item.is_python_constant() else None
    return value if isinstance(value, OF_TORCH) else external_calls.plain_argument(site, item)
