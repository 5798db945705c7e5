# ruff: noqa
"""A program of declarations, classes and bindings. `run()` goes everywhere; test_claims.py looks at every expression while it runs."""

import typing
from dataclasses import dataclass, field
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

Pair = Tuple[Tensor, Tensor]
COUNT = 4
RATE = 0.5
NAME = "mean"
SHAPE = (2, 3)


@dataclass
class Config:
    width: int = 3
    rate: float = 0.1
    name: str = "relu"
    bias: bool = True
    sizes: List[int] = field(default_factory=lambda: [1, 2])
    mask: Optional[Tensor] = None


class Output(NamedTuple):
    hidden: Tensor
    loss: Optional[Tensor] = None
    count: int = 0


class Base(nn.Module):
    scale: float = 2.0
    names: List[str] = ["a", "b"]

    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.width = config.width
        self.weight = nn.Parameter(torch.ones(config.width, config.width))
        self.register_buffer("steps", torch.zeros(1, dtype=torch.long))
        self.register_parameter("bias", nn.Parameter(torch.zeros(config.width)) if config.bias else None)
        self.act = nn.ReLU() if config.name == "relu" else nn.GELU()
        self.blocks = nn.Sequential(nn.Linear(config.width, config.width), nn.Tanh())
        self.heads = nn.ModuleList(nn.Linear(config.width, 2) for _ in range(2))
        self.log = []
        self.last: Optional[Tensor] = None
        self.memory: Dict[str, Tensor] = {}

    @property
    def ratio(self) -> float:
        return self.width / 2

    @property
    def table(self):
        return self.weight * 2

    @staticmethod
    def halve(x: Tensor) -> Tensor:
        return x / 2

    @classmethod
    def make(cls, width: int = 3) -> "Base":
        return cls(Config(width))

    def helper(self, x: Tensor, *rest: Tensor, flag: bool = False, **options: int) -> Pair:
        if flag:
            x = x + options.get("extra", 1)
        for one in rest:
            x = x + one
        return x, x.sum()

    def forward(self, x: Tensor, mask: Optional[Tensor] = None, scale: Union[int, float] = 1) -> Output:
        y, total = self.helper(x, x, flag=True, extra=2)
        if self.bias is not None:
            y = y @ self.weight + self.bias
        if mask is not None:
            y = y.masked_fill(mask, 0.0)
        y = self.act(self.blocks(y)) * self.scale * scale
        self.steps += 1
        self.last = y.detach()
        self.memory["y"] = self.last
        heads = [head(y) for head in self.heads]
        first, *others = heads
        joined = torch.cat([first, *others], dim=-1)
        return Output(joined, total, len(heads))


class Child(Base):
    def __init__(self, config: Config, extra: int = 1):
        super().__init__(config)
        self.extra = extra
        self.inner = Base(config)

    def forward(self, x: Tensor, **options) -> Output:
        out = super().forward(x, **options)
        inner = self.inner(x)
        return out._replace(hidden=out.hidden + inner.hidden * self.extra, count=self.extra)


def annotated(
    a: Tensor,
    b: "Tensor",
    c: torch.Tensor,
    d: Optional[torch.Tensor],
    e: int,
    f: float,
    g: bool,
    h: str,
    i: List[Tensor],
    j: Dict[str, Tensor],
    k: Tuple[int, ...],
    l: Sequence[int],
    m: Any,
    n: torch.dtype,
    o: torch.device,
    p: nn.Module,
    q: torch.Size,
    r: Union[Tensor, None],
    s: typing.Optional[int],
    t: Config,
):
    first = a + b * c
    second = d if d is not None else a
    third = first[e] * f if g else second.sum()
    fourth = i[0] + j["a"] + k[0] + l[0]
    fifth = fourth.to(n).to(o)
    sixth = p(fifth) if h == "x" else fifth
    seventh = sixth.view(q) if r is None else r
    eighth = (s or 1) * seventh * t.rate
    ninth = m
    both: Pair = (first, second)
    left, right = both
    number: int = int(e)
    text: str = h + "y"
    maybe: Optional[Tensor] = None
    if number > 0:
        maybe = third
    return eighth, left - right, text, maybe, ninth


def bindings(x: Tensor, items: list):
    a = b = x.sum()
    (c, d), [e, *f] = (x.size(0), x.shape), x.split(1)
    g, h = x.max(dim=-1)
    values, indices = torch.topk(x, 2)
    i, j, k = 1, 2.0, "three"
    i, j = j, i
    for index, (name, item) in enumerate(items):
        last = item * index
    for key, value in {"p": x, "q": 2 * x}.items():
        kept = value + 1
    while c > 1:
        c -= 1
    with torch.no_grad() as nothing, torch.enable_grad():
        inside = x * 2
    try:
        risky = x.view(-1)
    except RuntimeError as error:
        risky = error
    else:
        risky = risky + 1
    finally:
        done = True
    if (n := len(items)) > 1 and (total := x.mean()) is not None:
        both = n + total
    else:
        both = None
    pairs = [(u, v) for u, v in zip(items, range(3)) if v >= 0]
    table = {name: item.sum() for name, item in items}
    sums = {float(item.sum()) for _, item in items}
    x += 1
    x[0] = 0
    x[x > 2] = 1
    del d
    return (
        a,
        b,
        e,
        f,
        g,
        h,
        values,
        indices,
        i,
        j,
        k,
        last,
        kept,
        inside,
        risky,
        done,
        both,
        pairs,
        table,
        sums,
        nothing,
    )


def arithmetic(x: Tensor, n: int):
    integers = torch.arange(6).view(2, 3)
    flags = integers > 2
    halves = integers / 2
    floors = integers // 2
    powers = integers**2
    shifted = (integers << 1) | 1
    negated = ~flags
    chosen = torch.where(flags, x, halves)
    counted = flags.sum()
    averaged = flags.float().mean()
    ordered = torch.argsort(x, dim=-1)
    hit = flags.any() and not flags.all()
    same = x is x
    inside = n in (1, 2, 3)
    text = f"{n}:{averaged}"
    ratio = n / 2
    number = averaged.item()
    count = counted.item()
    listed = ordered.tolist()
    size = x.numel() + x.dim()
    complex_ = torch.fft.fft(x)
    doubled = x.double() if n > 1 else x.half()
    device = x.device
    dtype = x.dtype if x.is_floating_point() else torch.float32
    empty = x.new_zeros(0)
    made = torch.full((2,), n)
    linear = F.linear(x, torch.ones(4, 3))
    return (
        integers,
        flags,
        halves,
        floors,
        powers,
        shifted,
        negated,
        chosen,
        counted,
        averaged,
        ordered,
        hit,
        same,
        inside,
        text,
        ratio,
        number,
        count,
        listed,
        size,
        complex_,
        doubled,
        device,
        dtype,
        empty,
        made,
        linear,
    )


def closures(x: Tensor):
    factor = x.mean()
    counter = 0

    def inner(y: Tensor, power=2) -> Tensor:
        nonlocal counter
        counter += 1
        return y**power * factor

    double = lambda y, k=2: y * k
    results = list(map(double, [x, inner(x)]))
    best = max(results, key=lambda y: float(y.sum()))
    return best, counter, sorted([3, 1, 2]), any(float(y.sum()) > 0 for y in results)


def generator(x: Tensor):
    for row in x:
        received = yield row
        if received is not None:
            yield received


def run():
    torch.manual_seed(0)
    x = torch.randn(2, 3)
    child = Child(Config())
    child(x)
    child(x, mask=x > 0, scale=2)
    Base(Config(bias=False, name="gelu"))(x)
    base = Base.make()
    base.halve(x), base.ratio, base.table
    arguments = (
        x,
        x,
        x,
        None,
        0,
        2.0,
        True,
        "x",
        [x],
        {"a": x},
        (1, 2),
        [1],
        object(),
        torch.float64,
        torch.device("cpu"),
    )
    annotated(*arguments, nn.Identity(), x.shape, None, None, Config())
    annotated(*arguments[:6], False, "z", *arguments[8:], nn.Identity(), x.shape, x, 2, Config())
    bindings(x.clone(), [("a", x), ("b", x)])
    arithmetic(x, 2)
    arithmetic(x, 1)
    closures(x)
    list(generator(x))
