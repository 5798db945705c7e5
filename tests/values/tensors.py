# ruff: noqa
"""A program with many kinds of values. `run()` goes everywhere; test_claims.py looks at every expression while it runs."""

import copy
import logging
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

logger = logging.getLogger(__name__)
LIMIT = 3
SCALES = [1.0, 2.0]


class Attention(nn.Module):
    def __init__(self, width: int, heads=2, dropout=0.0, mask: bool = True):
        super().__init__()
        self.width = width
        self.heads = heads
        self.rate = dropout
        self.use_mask = mask
        self.query = nn.Linear(width, width)
        self.both = nn.Linear(width, 2 * width, bias=False)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.table = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Identity()})
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.gain = nn.Parameter(torch.tensor(1.5))
        self.register_buffer("seen", torch.zeros(width))
        self.register_buffer("cache", None, persistent=False)
        self.steps = 0
        self.state = None
        self.names = ["a", "b"]

    @property
    def size(self):
        return self.width // self.heads

    def split(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        return x.view(batch, length, self.heads, self.size).transpose(1, 2)

    def pair(self, x):
        return self.both(x).chunk(2, dim=-1)

    def forward(self, x: Tensor, mask: Tensor | None = None, scale=None):
        self.steps += 1
        q = self.split(self.query(x))
        k, v = (self.split(part) for part in self.pair(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.size)
        if scale is not None:
            scores = scores * scale
        if mask is not None and self.use_mask:
            scores = scores.masked_fill(mask[:, None, None] == 0, torch.finfo(scores.dtype).min)
        weights = F.dropout(scores.softmax(-1), self.rate, self.training)
        y = (weights @ v).transpose(1, 2).reshape(x.shape)
        for i, layer in enumerate(self.layers):
            y = layer(y) + i
        for name, layer in self.table.items():
            y = layer(y) if name != "c" else y
        y, hidden = self.rnn(y)
        if self.state is None:
            self.state = hidden.detach()
        else:
            self.state = self.state + hidden.mean()
        if y.abs().max() > 100 or not torch.isfinite(y).all():
            y = y.clamp(-100, 100)
        self.seen += y.detach().mean((0, 1))
        flag = self.seen.sum() > 0
        count = int(flag) + len(self.names)
        logger.debug("count %d", count)
        return self.norm(x + y) * self.gain, weights, count


def reductions(x: Tensor, dim: int = 0):
    values, indices = x.max(dim=-1)
    best = x.max(dim).values
    total, count = x.sum(), x.numel()
    mean = total / count
    both = torch.max(x, -x)
    lowest = min(x.min(), both.min())
    ranks = torch.topk(x, 2).indices
    std = x.std().item()
    any_, all_ = x.any(), (x > 0).all(-1)
    parts = torch.stack([part.mean() for part in x])
    norm = torch.linalg.norm(x)
    spread = (values - best.mean()).pow(2).mean().sqrt()
    return total, mean, both, lowest, ranks, std, any_, all_, parts, norm, spread, indices


def choices(x: Tensor, limit=None, mode="sum"):
    y = None
    if limit is not None:
        y = x.clamp(max=limit)
    z = x if y is None else y
    if mode == "sum":
        result = z.sum()
    elif mode == "first":
        result = z[0]
    else:
        result = 0
    w = y if isinstance(y, torch.Tensor) else torch.tensor(0.0)
    flags = [bool(row.sum() > 0) for row in z]
    chosen = result if any(flags) else -1
    while LIMIT > 5:
        result = result + 1
    try:
        number = float(result)
    except (RuntimeError, ValueError) as error:
        number = str(error)
    return chosen, number, w, flags


def containers(x: Tensor):
    pieces = list(x.unbind(0))
    pieces.append(x.mean(0))
    first, *rest = pieces
    named = {"a": x, "b": 3}
    for key, value in named.items():
        got = value
    pairs = [(i, piece * 2) for i, piece in enumerate(pieces)]
    for i, (j, piece) in enumerate(pairs):
        last = piece + i + j
    a, (b, c) = x, (x.shape, x.dtype)
    joined = torch.cat([first[None], *(p[None] for p in rest)])
    rows = x.tolist()
    for row in rows:
        for number in row:
            big = number > 0
    copied = copy.deepcopy(x)
    scaled = [x * s for s in SCALES]
    both = sum(scaled)
    lengths = x.new_tensor([len(rows)]).long()
    for p, q in zip(x, rows):
        last = p * len(q)
    return got, last, joined, big, copied, both, lengths, a, b, c


def in_place(x: Tensor, index: Tensor):
    y = x + 1
    y[y > 0] = 0
    y += x
    y.mul_(2)
    z = y.index_select(0, index)
    z[..., 0] = 1
    picked = y[index]
    masked = y[y < 0]
    found = torch.nonzero(y)
    where = torch.where(y > 0)
    selected = torch.where(y > 0, y, 0)
    order = torch.argsort(y, dim=-1)
    return z, picked, masked, found, where, selected, order.float(), y.to(torch.float64), y.bool() & (x > 0)


def closures(x: Tensor, factor=2):
    offset = x.mean()

    def inner(z):
        nonlocal factor
        factor = factor + 1
        return z * factor + offset

    twice = lambda t: inner(inner(t))
    if (biggest := x.max()) > 0:
        x = x / biggest
    return twice(x), biggest, [inner(row) for row in x if row.sum() > 0]


def run():
    torch.manual_seed(0)
    x = torch.randn(2, 4, 8)
    model = Attention(8)
    for train in (True, False):
        model.train(train)
        model(x)
        model(x, torch.ones(2, 4))
        model(x, torch.ones(2, 4), 0.5)
        model(x, None, torch.tensor(0.5))
    flat = x.flatten(0, 1)
    reductions(flat)
    reductions(flat, 1)
    for mode in ("sum", "first", "none"):
        choices(flat, None, mode)
        choices(flat, 0.5, mode)
        choices(flat - 100, torch.tensor(0.5), mode)
    containers(flat)
    in_place(flat, torch.tensor([0, 1]))
    closures(flat)
    closures(flat - 100)
