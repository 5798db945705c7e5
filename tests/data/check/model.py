"""A layer that breaks its graph in several ways."""
import logging
import warnings

import torch
from torch import nn

logger = logging.getLogger(__name__)


class Layer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.calls = 0

    def forward(self, x: torch.Tensor, größe: torch.Tensor) -> torch.Tensor:
        if torch.isnan(x).any():
            raise ValueError("NaN in the input")
        y = self.linear(x)
        if y.sum() > 0:
            y = y * 2
        else:
            y = y - größe
        print("mean", y.mean())
        logger.info("shape %s", y.shape)
        warnings.warn("slow path")
        ü = y if "größe" and größe.max() > 1 else -y
	# a tab before a comment
        if y.min() < 0:
            open("log.txt", "a").write("negative")
        print("silenced")  # graphmend: ignore
        logger.info("silenced too")  # noqa: GM302
        if y.max() > 10:
            return y.clamp(max=10)
        return ü


def helper(x):
    print(x)  # nothing compiles this


model = torch.compile(Layer(8))
