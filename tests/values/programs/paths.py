# ruff: noqa
"""Values follow the statements on the way."""

from typing import Optional, Union

import torch


def assigned(x: torch.Tensor, flag: bool):
    y = 1
    y  #: y -> not int constant
    if flag:
        y = x * 2
        y  #: y -> tensor
    y  #: y -> maybe
    y = x.shape
    y  #: y -> not size
    y = None
    if flag:
        y = x
    y  #: y -> maybe tensor optional
    y.sum()  #: y.sum() -> tensor scalar


def loops(x: torch.Tensor, n: int):
    total = 0
    for i in range(n):
        i  #: i -> not int
        total = total + x[i]
    total  #: total -> maybe
    count = 0
    for row, (key, value) in zip(x, {}.items()):
        row  #: row -> tensor
        count += 1
    count  #: count -> not int
    while count < n:
        count = count * 2
    count  #: count -> not
    for i, row in enumerate(x):
        i  #: i -> not int
        row  #: row -> tensor
    state = x
    for _ in range(3):
        state = torch.tanh(state)
    state  #: state -> tensor
    for part in torch.chunk(x, 3):
        part  #: part -> tensor
    for number in x.tolist():
        number  #: number -> not from-data


def returns_early(x: torch.Tensor):
    y = x
    if x.dim() == 2:
        y = 3
        return y
    y  #: y -> tensor


def handlers(x: torch.Tensor):
    y = None
    try:
        y = x.sum()
        y = 3
    except ValueError as error:
        error  #: error -> not
        y  #: y -> maybe
    return y


def annotations(
    a: torch.Tensor,
    b: Optional[torch.Tensor],
    c: "torch.Tensor",
    d: Union[torch.Tensor, None],
    e: int,
    f: Optional[int],
    g: "int",
    h: Union[int, torch.Tensor],
    i: torch.LongTensor = None,
    j: list[torch.Tensor] = (),
    k: "torch.Tensor | None" = None,
    flag=True,
    scale=1.0,
    name="x",
    odd: torch.Tensor = False,
):
    a  #: a -> tensor input by-annotation
    b  #: b -> maybe tensor optional
    c  #: c -> tensor
    d  #: d -> maybe optional
    e  #: e -> not int
    f  #: f -> not
    g  #: g -> not int
    h  #: h -> unknown
    i  #: i -> maybe optional
    j  #: j -> not tensors
    j[0]  #: j[0] -> tensor
    k  #: k -> maybe optional
    flag  #: flag -> not bool
    scale  #: scale -> unknown
    name  #: name -> not any
    odd  #: odd -> unknown
    b + 1  #: b + 1 -> tensor


def used(x, y, z, n, w):
    x.unsqueeze(0)
    x  #: x -> maybe by-use
    torch.exp(y)
    y  #: y -> maybe by-use
    z.frobnicate()
    z  #: z -> unknown
    for _ in range(n):
        pass
    n  #: n -> unknown
    w.to("cpu")
    w  #: w -> unknown
    x.sum() > 0  #: x.sum() > 0 -> maybe


def fresh(x: torch.Tensor, other: list):
    a = x + 1
    a[a > 0] = 0
    a  #: a -> tensor fresh
    b = x + 1
    other.append(b)
    b  #: b -> tensor !fresh
    c = x + 1
    d = c.view(-1)
    c  #: c -> tensor !fresh
    d  #: d -> tensor !fresh
    e = x
    e  #: e -> tensor !fresh
    g = h = x + 1
    g  #: g -> tensor !fresh
    i = (j := x + 1)
    i  #: i -> tensor !fresh
    j  #: j -> tensor !fresh
    k = torch.zeros(3, requires_grad=True)
    k  #: k -> tensor !fresh
    f = x + 1
    f += 1
    f.sum()
    f  #: f -> tensor fresh


def nested(x: torch.Tensor):
    scale = 3

    def inner(z):
        scale  #: scale -> not int
        x  #: x -> tensor !input

    return (lambda q: x)(inner)  #: x -> tensor


def helper(x: torch.Tensor):
    return x.sum()


def helper_pair(x: torch.Tensor):
    return x.sum(), x.shape[0]


def plain_helper(n):
    return 3


def calls(x: torch.Tensor):
    helper(x)  #: helper(x) -> tensor
    plain_helper(x)  #: plain_helper(x) -> not int
    helper_pair(x)[1]  #: helper_pair(x)[1] -> unknown


LIMIT = 3
THRESHOLD = torch.tensor(0.5)


def globals_(x):
    LIMIT  #: LIMIT -> not int
    THRESHOLD  #: THRESHOLD -> tensor


def asked(x, y):
    x = x if isinstance(x, torch.Tensor) else torch.tensor(x)
    x  #: x -> tensor
    y = y if isinstance(x, torch.Tensor) else torch.tensor(y)
    y  #: y -> maybe


def recursive(x):
    y = recursive(x)
    y  #: y -> unknown
    return y
