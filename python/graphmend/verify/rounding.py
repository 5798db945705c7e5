"""The spread of results by rounding alone, measured by runs of the program with different rounding.

Compiled code and eager Python round in different places: in fused operators, in intermediate results of a finer type,
in sums of a different order. The program decides how much of the rounding reaches a loss or a parameter: Adam turns a
last digit of a gradient into a step of full length. Above the tolerance, the program therefore runs again in eager
Python, and each operator rounds by chance: a result moves by up to one unit of the result's type, as in the Monte Carlo
arithmetic of D. S. Parker (1997). A mean in float32 of bfloat16 numbers moves by little then; a move of the mean by a
unit of bfloat16 would hide a wrong mean. The *spread* of a value is the effect of these moves.

Backward runs outside of compiled callables, so gradients move at the end of backward, by a few units of the coarsest
type of all results.
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
        """Call an operator, and move the numbers in the result."""
        if types:  # a subclass goes first, and calls operators on its parts
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

        Whole numbers stay: masks, counts and fills are exact in all precisions.
        """
        if tensor.layout == torch.strided and tensor.numel():
            numbers = tensor.detach().cpu().double()
            tensor.copy_(self.moved(numbers, torch.where(numbers == numbers.round(), 0.0, numbers * step)))

    def move_gradients(self, gradients: Iterable[torch.Tensor]) -> None:
        """Move gradients in place, hidden from autograd; a small element moves as far as one of mean size."""
        for gradient in gradients:
            if gradient.dtype in UNITS and gradient.layout == torch.strided and gradient.numel():
                data = gradient.data  # whose changes autograd does not count
                numbers = data.cpu().double()
                finite = numbers[numbers.isfinite()].abs()
                mean = finite.mean() if finite.numel() else numbers.new_zeros(())
                step = GRADIENTS * max(self.unit, UNITS[gradient.dtype])
                data.copy_(self.moved(numbers, torch.maximum(numbers.abs(), mean) * step))

    def moved(self, numbers: torch.Tensor, reach: torch.Tensor) -> torch.Tensor:
        """Numbers in float64, each moved by chance by up to its reach; those that are not finite stay."""
        noise = torch.rand(numbers.shape, generator=self.generator, dtype=torch.float64) * 2 - 1
        return torch.where(numbers.isfinite(), numbers + noise * reach, numbers)
