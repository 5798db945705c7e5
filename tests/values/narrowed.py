# ruff: noqa
"""Questions of type, annotations of every form, items of every container, and comparisons; `run` calls all of them."""

from __future__ import annotations

import typing
from typing import Annotated, Any, ClassVar, Final, Iterable, List, Optional, Sequence, Tuple, Union

import torch


class Float:
    def __class_getitem__(cls, item):
        return cls


Int = Bool = Num = Shaped = Float


class Other:
    limit: ClassVar[int] = 3
    x: Final[torch.Tensor] = torch.ones(2)
    both: Optional[torch.Tensor] = None


def asked(v):
    if isinstance(v, torch.Tensor):
        a = v
        return a
    if isinstance(v, (int, torch.Tensor)):
        b = v
    elif isinstance(v, (torch.Tensor, list)):
        b = v
    elif isinstance(v, (str, bytes)):
        b = v
    elif isinstance(v, (tuple, Other)):
        b = v
    elif isinstance(v, Other):
        b = v
    elif isinstance(v, ()):
        b = v
    else:
        b = v
    return b


def asked_first(v):
    if isinstance(v, int):
        return v + 1
    if isinstance(v, (list, tuple)):
        return v[0]
    if not isinstance(v, (str, float)):
        return v
    if isinstance(v, float) and v > 0:
        return v * 2
    return v if isinstance(v, str) else -v


def asked_types(v, w):
    if isinstance(v, (int, float)) or isinstance(w, (int, str)):
        c = v
    else:
        c = w
    if isinstance(v, torch.Tensor) and isinstance(w, torch.Tensor):
        c = v + w
    d = v if torch.is_tensor(v) else w
    if not torch.is_tensor(w):
        e = w
    else:
        e = w
    while isinstance(e, (list, dict)):
        e = e[0]
    assert not isinstance(v, (str, torch.Size))
    f = [u for u in (v, w) if isinstance(u, torch.Tensor)]
    g = [u for u in (v, w) if not isinstance(u, (torch.Tensor, type(None)))]
    return c, d, e, f, g


def asked_none(v, w=None):
    if v is None:
        return w
    if w is not None and v is not None:
        return v
    w = v if w is None else w
    h = None if v is None else v * 2
    if not v is None:
        h = v
    return h, w


def optional(a: Optional[torch.Tensor], b: Union[torch.Tensor, int], c: torch.Tensor | None, d: "torch.Tensor | int"):
    k = a
    l = b
    m = c
    n = d
    if a is not None and c is not None:
        o = a + c
    return k, l, m, n


def annotated(
    a: Annotated[torch.Tensor, "n"],
    b: Annotated[int, "n"],
    c: Float[torch.Tensor, "n m"],
    d: Final[float],
    e: List[torch.Tensor],
    f: list[int],
    g: Tuple[torch.Tensor, torch.Tensor],
    h: Tuple[torch.Tensor, int],
    i: Sequence[torch.Tensor],
    j: Iterable[torch.Tensor],
    k: dict[str, torch.Tensor],
    l: Any,
    m: typing.Union[int, float],
    n: torch.Size,
    o: torch.dtype,
    p: torch.device,
    q: "torch.Tensor",
    r: Other,
    s: Int[torch.Tensor, ""],
    t: Float[int, "n"],
    u: torch.nn.Module,
    v: type[int],
    w: typing.Callable[[int], torch.Tensor],
    x: bool,
    y: complex,
    z: None,
):
    x1 = (a + 1, b + 1, c + 1, d + 1)
    x2 = (e[0], f[0], g[0], h[0], h[1], i[0], k["k"])
    x3 = [one for one in j]
    x4 = l, m + 1, n[0], n[1:], o, p, q + 1, r.limit, r.x, r.both, s, t, u(a), v(3), w(1), x and a.sum() > 0, y + 1, z
    x5 = [one for one in e] + [one for one in g]
    x6 = {key: value for key, value in k.items()}
    for at, one in enumerate(e):
        x7 = at + 1, one * 2
    for one, other in zip(e, f):
        x8 = one * other
    first, *rest = e
    left, right = g
    return x1, x2, x3, x4, x5, x6, first, rest, left, right


def items(x: torch.Tensor, n: int, word: str):
    pair = (x, x * 2)
    numbers = [1, 2.5, n]
    table = {"a": x, "b": n}
    shape = x.shape
    layers = torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)])
    several = x.unbind(0)
    both = x.max(0)
    a = pair[0], pair[-1], pair[:1], pair[0][0], pair[n]
    b = numbers[0], numbers[1:], numbers[n], numbers[-1] * 2
    c = table["a"], table.get("b"), table["a"] + 1, list(table), table.values()
    d = shape[0], shape[-1], shape[1:], shape[0] * 2, len(shape), shape == (2, 2), shape[0] > 1
    e = layers[0], layers[0](x), layers[:1], layers[-1].weight, len(layers)
    f = several[0], several[0] + several[1], len(several), several[:1]
    g = both[0], both.values, both.indices, both[1]
    h = word[0], word[1:], word.upper(), word * 2, word[0] == "a", word.split()[0]
    i = x[0], x[:, 0], x[..., 0], x[None], x[x > 0], x[(x > 0) & (x < 3)], x[0, 0], x[0][0].item()
    j = range(n)[0], list(range(n)), [y for y in range(n)], sorted(numbers[:1]), sum(numbers), min(1, n), max(x.shape)
    k = {1, 2}, {1: 2}[1], (), [], {}, (n,)[0], [x][0], [[x]][0][0], {"k": [x]}["k"][0]
    return a, b, c, d, e, f, g, h, i, j, k


def compared(x: torch.Tensor, n: int, word: str, other):
    a = x == None, x != None, x is None, x is not None, x is x
    b = x == word, x != word, word == x
    c = x == n, n == x, x > n, n < x, x >= 1.5, x < True
    d = x.dtype == torch.float32, x.dtype != torch.int64, x.device == torch.device("cpu"), x.device.type == "cpu"
    e = x.shape == (2, 2), x.shape[0] == n, x.shape == x.shape, x.size() == [2, 2], x.dim() > 1, x.ndim == 2
    f = n in [1, 2], word in ("a", "b"), n not in {1: 2}, x.shape in [(2, 2)], word in {"a"}
    g = 0 < n < 3, 0 < x.sum() < 3, n == 1 == True, (x > 0).any() and n > 0, n > 0 or (x > 0).any()
    h = (
        not x.any(),
        not n,
        not word,
        not None,
        bool(x.any()),
        bool(n),
        x.any() or None,
        None or x,
        n and x,
        x.sum() and n,
    )
    i = x == {}, x == Other, other == x, other == None, other is None, other == word, other > n
    j = (x > 0) & (x < 2), (x > 0) | True, ~(x > 0), (x > 0) ^ (x < 1), -x, +x, abs(x), n & 1, n | 2, ~n, -n, not -n
    return a, b, c, d, e, f, g, h, i, j


def reckoned(x: torch.Tensor, n: int, y: float, z: complex, flag: bool, k: torch.LongTensor):
    a = n + n, n - 1, n * 2, n / 2, n // 2, n % 2, n**2, n << 1, n >> 1, flag + 1, flag & True, flag + flag, -flag
    b = y + n, y * y, y / n, y // 1, y % 2, y**2, n + y, abs(y), round(y), round(y, 1), int(y), float(n), divmod(n, 2)
    c = z + n, z * y, abs(z), -z, z.real, z / 2
    d = (
        x + n,
        n + x,
        x * y,
        y * x,
        x / n,
        x // n,
        x % n,
        x**2,
        2**x,
        x + z,
        x @ x,
        x + k,
        k + n,
        k / n,
        k // n,
        k * y,
        k + flag,
    )
    e = x.item() if x.numel() == 1 else 0, x.sum().item(), int(x.sum()), float(x.sum()), bool(x.sum() > 0), x.tolist()
    f = (
        x.sum().item() + 1,
        x.sum().item() * x,
        int(x.sum()) // 2,
        x.tolist()[0],
        x.tolist()[0][0] + 1,
        str(x.sum().item())[0],
    )
    g = (
        x if flag else n,
        x if flag else x * 2,
        n if flag else y,
        (x, n)[flag],
        n if flag else None,
        word_of(flag),
        [x, n][0],
    )
    h = (
        x.float(),
        x.long(),
        x.bool(),
        x.half(),
        x.double(),
        x.to(torch.int32),
        x.to(k.dtype),
        x.type_as(k),
        k.float(),
        x.int(),
    )
    i = (
        x.argmax(),
        x.max(),
        x.nonzero(),
        x.mean(),
        x.any(),
        x.isnan(),
        x.numel(),
        x.stride(),
        x.is_floating_point(),
        x.real,
    )
    j = f"{x}", f"{n}", "ab", "%d" % n, "a" + "b", b"a", "ab"[n - 1], ..., lambda: x, (yes := n), yes + 1
    x += 1
    n += 1
    y -= n
    x = x[:1]
    return a, b, c, d, e, f, g, h, i, j, x, n, y


def word_of(flag):
    if flag:
        return "yes"
    return "no"


def joined(x: torch.Tensor, n: int, v):
    if n > 0:
        a = x
        b = n
        c = x
    elif n < -5:
        a = x * 2
        b = 1.5
        c = None
    else:
        a = x.sum()
        b = True
        c = "c"
    for d in range(n):
        a = a + d
    else:
        d = x
    try:
        e = int(v)
    except (TypeError, ValueError) as error:
        e = error
    finally:
        f = x
    with torch.no_grad() as g:
        h = x * 2
    while n > 0:
        j = x
        x = x * 2
        n -= 1
    del b
    return a, c, d, e, f, g, h, x


def run():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    k = torch.tensor([[1, 2], [3, 4]])
    values = [x, 1, 2.5, "a", b"a", [x], (x,), None, {}, Other(), True, -1.0, x.shape]
    for v in values:
        asked(v), asked_none(v, x)
        if not isinstance(v, (dict, Other)):
            asked_none(v)
        joined(x, 2, v), joined(x, -1, v), joined(x, -9, v)
        if not isinstance(v, (bytes, type(None), dict, Other)) and v != "a":
            asked_first(v)
    for v, w in [(x, x), (x, 1), (1, x), (1.5, "a"), (None, [x]), ([x], [1])]:
        asked_types(v, w)
    optional(x, 1, None, x), optional(None, x, x, 1), optional(x, x, x, x)
    layer = torch.nn.Linear(2, 2)
    annotated(
        x, 1, x, 1.5, [x, x], [1, 2], (x, x), (x, 1), [x, x], (one for one in [x]), {"k": x}, x, 1, x.shape, x.dtype,
        x.device, x, Other(), k, 2, layer, int, lambda n: x, True, 1j, None,
    )  # fmt: skip
    items(x, 1, "ab"), compared(x, 1, "ab", 3), reckoned(x, 1, 2.5, 1j, True, k)
