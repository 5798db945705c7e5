"""The spread of results by rounding alone, measured by a run of the program with different rounding.

Compiled code and eager Python round in different places: fused operators, intermediate results of another precision,
another order of sums. The program decides how much of the rounding reaches a loss or a parameter: Adam turns a last
digit of a gradient into a step of full length. Above the tolerance, the program therefore runs once more in eager
Python, and each floating point result of a compiled callable, and each gradient, moves by chance by a few units of the
precision of its computation. The *spread* of a value is the effect of these moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

# The unit in the last place of 1.0, by the type in which numbers are computed.
UNITS = {
    torch.float64: 2.0**-52,
    torch.float32: 2.0**-23,
    torch.float16: 2.0**-10,
    torch.bfloat16: 2.0**-7,
}
SEED = 0x5EED
RESULTS, GRADIENTS = 2, 4  # units: backward adds over more operators, and what it adds cancels out


class Rounding:
    """Moves of values by one unit, with a private generator: the draws of the program stay the same."""

    def __init__(self) -> None:
        self.unit = 0.0  # the coarsest that the program has computed in so far
        self.generator = torch.Generator().manual_seed(SEED)

    def meet(self, dtype: Any) -> None:
        """Record a type of computations: of a tensor, or of autocast."""
        self.unit = max(self.unit, UNITS.get(dtype, 0.0))

    def meet_all(self, tensors: Iterable[torch.Tensor]) -> None:
        """Record the types of tensors, and the current type of autocast."""
        for tensor in tensors:
            self.meet(tensor.dtype)
            if torch.is_autocast_enabled(tensor.device.type):
                self.meet(torch.get_autocast_dtype(tensor.device.type))

    def move(self, tensors: Iterable[torch.Tensor], units: int) -> None:
        """Move the elements of tensors in place by `units`, hidden from autograd."""
        for tensor in tensors:
            step = units * max(self.unit, UNITS.get(tensor.dtype, 0.0))
            if tensor.dtype not in UNITS or tensor.numel() == 0 or tensor.layout != torch.strided:
                continue
            data = tensor.data  # whose changes autograd does not count: what it saved has moved, too
            noise = torch.rand(data.shape, generator=self.generator, dtype=torch.float64) * 2 - 1
            size = data.abs().double().cpu()
            finite = size[size.isfinite()]
            scale = torch.maximum(size, finite.mean() if finite.numel() else size.new_zeros(()))
            data.copy_(torch.where(size.isfinite(), data.cpu().double() + noise * scale * step, data.cpu().double()))


def watch_autocast(rounding: Rounding) -> None:
    """Record the precision of each entered `autocast`, also inside of compiled code."""
    kind: Any = torch.amp.autocast_mode.autocast
    enter = kind.__enter__

    def entered(self: Any) -> Any:
        if self._enabled:
            rounding.meet(self.fast_dtype)
        return enter(self)

    kind.__enter__ = entered
