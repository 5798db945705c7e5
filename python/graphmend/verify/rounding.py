"""The spread of results by rounding alone, measured by runs of the program with different rounding.

Compiled code and eager Python round in different places: fused operators, intermediate results of another precision,
another order of sums. The program decides how much of the rounding reaches a loss or a parameter: Adam turns a last
digit of a gradient into a step of full length. Above the tolerance, the program therefore runs once more in eager
Python, and each operator rounds by chance: a result moves by up to one unit of its own type, as in the Monte Carlo
arithmetic of D. S. Parker (1997). A mean of bfloat16 numbers that is taken in float32 so moves by little, where a
move of the mean itself would have to be one of bfloat16. The *spread* of a value is the effect of these moves.

Backward runs outside of compiled callables, so gradients move when backward has ended, by a few units of the coarsest
type in which an operator has computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from graphmend.runtime.base.torch_names import TorchDispatchMode

from .values import tensors_in

# The unit in the last place of 1.0, by the type in which numbers are computed.
UNITS = {
    torch.float64: 2.0**-52,
    torch.float32: 2.0**-23,
    torch.float16: 2.0**-10,
    torch.bfloat16: 2.0**-7,
}
SEED = 0x5EED
GRADIENTS = 4  # units: backward adds over many operators, and what it adds cancels out


class Rounding(TorchDispatchMode):
    """A mode under which operators round by chance, with a private generator: the draws of the program stay the same.

    Arguments:
        number: the number of the run; each run rounds in its own way.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.unit = 0.0  # the coarsest in which an operator has computed so far
        self.generator = torch.Generator().manual_seed(SEED + number)

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call an operator, and move the numbers that it has computed from others."""
        if types:  # a subclass goes first; what it makes of its parts comes back here
            return NotImplemented
        result = operator(*args, **(kwargs or {}))
        if any(tensor.is_floating_point() for tensor in tensors_in((args, kwargs))):
            results = result if isinstance(result, (list, tuple)) else [result]
            for stated, tensor in zip(operator._schema.returns, results):
                is_view = stated.alias_info is not None and not stated.alias_info.is_write
                if not is_view and type(tensor) is torch.Tensor and tensor.dtype in UNITS:
                    self.unit = max(self.unit, UNITS[tensor.dtype])
                    self.move(tensor, UNITS[tensor.dtype])
        return result

    def move(self, tensor: torch.Tensor, step: float) -> None:
        """Move the elements of a tensor in place by up to `step` times their size.

        Whole numbers stay: masks, counts and fills are exact, however they are computed.
        """
        if tensor.layout == torch.strided and tensor.numel():
            numbers = tensor.detach().cpu().double()
            moves = torch.rand(numbers.shape, generator=self.generator, dtype=torch.float64) * 2 - 1
            stays = ~numbers.isfinite() | (numbers == numbers.round())
            tensor.copy_(torch.where(stays, numbers, numbers + moves * numbers * step))

    def move_gradients(self, gradients: Iterable[torch.Tensor]) -> None:
        """Move gradients in place, hidden from autograd; a small element moves as far as one of mean size."""
        for gradient in gradients:
            step = GRADIENTS * max(self.unit, UNITS.get(gradient.dtype, 0.0))
            if gradient.dtype not in UNITS or gradient.numel() == 0 or gradient.layout != torch.strided:
                continue
            data = gradient.data  # whose changes autograd does not count
            noise = torch.rand(data.shape, generator=self.generator, dtype=torch.float64) * 2 - 1
            size = data.abs().double().cpu()
            finite = size[size.isfinite()]
            scale = torch.maximum(size, finite.mean() if finite.numel() else size.new_zeros(()))
            data.copy_(torch.where(size.isfinite(), data.cpu().double() + noise * scale * step, data.cpu().double()))
