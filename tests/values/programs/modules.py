# ruff: noqa
"""What attributes of self hold."""

import logging

import torch
from pydantic import BaseModel
from torch import nn

logger = logging.getLogger(__name__)


class Inner(nn.Module):
    def forward(self, x):
        return torch.relu(x)


class Block(nn.Module):
    limit = 3

    def __init__(self, config, size: int, eps=1e-5):
        super().__init__()
        self.config = config
        self.size = size
        self.linear = nn.Linear(size, size)
        self.norm = nn.LayerNorm(size)
        self.rnn = nn.LSTM(size, size)
        self.layers = nn.ModuleList([nn.Linear(size, size) for _ in range(3)])
        self.blocks = nn.ModuleList([Inner(), Inner()])
        self.mixed = nn.ModuleList([Inner(), nn.Linear(1, 1)])
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("mask", torch.ones(3, 3))
        self.register_buffer("cache", None)
        self.enabled = True
        self.state = None
        self.log = logger
        self.table = torch.zeros(3)

    @property
    def width(self) -> int:
        return self.size

    def helper(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def untyped(self, x: torch.Tensor):
        return x.relu()

    def forward(self, x):
        self  #: self -> not module
        self.config  #: self.config -> not
        self.config.hidden  #: self.config.hidden -> not
        self.size  #: self.size -> not int
        self.limit  #: self.limit -> not int
        self.training  #: self.training -> not bool
        self.linear  #: self.linear -> not module
        self.linear(x)  #: self.linear(x) -> tensor
        self.linear.weight  #: self.linear.weight -> maybe parameter
        self.rnn(x)  #: self.rnn(x) -> not tuple
        self.scale  #: self.scale -> tensor parameter
        self.mask  #: self.mask -> tensor buffer
        self.cache  #: self.cache -> unknown
        self.enabled  #: self.enabled -> not bool
        self.state  #: self.state -> unknown
        self.table  #: self.table -> tensor !fresh
        self.width  #: self.width -> not int
        self.helper(x)  #: self.helper(x) -> tensor
        self.untyped(x)  #: self.untyped(x) -> tensor
        self.missing  #: self.missing -> unknown
        self.log  #: self.log -> not logger
        logger  #: logger -> not logger
        for layer in self.layers:
            layer  #: layer -> not module
            layer(x)  #: layer(x) -> tensor
        for i, layer_ in enumerate(self.blocks[1:]):
            layer_(x)  #: layer_(x) -> tensor
        self.layers[0](x)  #: self.layers[0](x) -> tensor
        self.mixed[0](x)  #: self.mixed[0](x) -> unknown
        self.forward  #: self.forward -> not function
        x  #: x -> maybe by-use
        if self.linear(x).mean() > 0:  # ? tensor
            pass
        if self.training and self.enabled:  # ? not
            pass
        if self.config.use_cache:  # ? not
            pass
        if x.sum() > 0:  # ? maybe
            pass
        if x is not None:  # ? not
            pass
        if x.shape[0] > 3:  # ? not
            pass
        if not x.bool().any():  # ? maybe
            pass
        if self.mask.sum().item() > 3:  # ? tensor
            pass
        if self.training and self.mask.all():  # ? maybe
            pass
        if self.missing:  # ? unknown
            pass
        return x


class Child(Block):
    def forward(self, x: torch.Tensor):
        self.linear(x)  #: self.linear(x) -> tensor
        self.mask  #: self.mask -> tensor buffer
        if isinstance(x, list) or len(x) > 3:  # ? not
            return x
        return super().forward(x)


class Record(BaseModel):
    def forward(self, x):
        self  #: self -> not any


class Plain:
    def __init__(self, rate: float):
        self.rate = rate
        self.other = self.rate * 2

    def step(self):
        self.rate  #: self.rate -> not float
        self.other  #: self.other -> not float
