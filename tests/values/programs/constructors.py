# ruff: noqa
"""What makes tensors, and what reads them."""

import math

import torch
import torch.nn.functional as F


def functions(n):
    a = torch.zeros(3, 4)
    a  #: a -> tensor floating !fresh
    b = torch.arange(n, dtype=torch.int64)
    b  #: b -> tensor integer fresh
    c = torch.relu(a)
    c  #: c -> tensor floating
    d = F.softmax(c, dim=-1)
    d  #: d -> tensor !scalar
    e = torch.tensor(1.5)
    e  #: e -> tensor scalar
    torch.nonzero(a)  #: torch.nonzero(a) -> tensor integer dynamic-shape
    torch.isnan(a)  #: torch.isnan(a) -> tensor bool
    torch.allclose(a, c)  #: torch.allclose(a, c) -> not bool from-data
    torch.split(a, 2)  #: torch.split(a, 2) -> not tensors
    torch.finfo(a.dtype).min  #: torch.finfo(a.dtype).min -> not
    torch.float32  #: torch.float32 -> not dtype
    torch.device("cpu")  #: torch.device("cpu") -> not device
    torch.randn  #: torch.randn -> not function


def reductions(x: torch.Tensor, i: int):
    x.sum()  #: x.sum() -> tensor scalar
    x.sum(-1)  #: x.sum(-1) -> tensor !scalar
    x.sum(dim=0)  #: x.sum(dim=0) -> tensor !scalar
    x.any()  #: x.any() -> tensor bool scalar
    x.mean().sqrt()  #: x.mean().sqrt() -> tensor scalar
    x.max()  #: x.max() -> tensor scalar
    x.max(0)  #: x.max(0) -> not tensors
    x.max(dim=1).values  #: x.max(dim=1).values -> tensor
    x.max(dim=1)  #: x.max(dim=1) -> not tensors
    x.max(i)  #: x.max(i) -> not tensors
    torch.max(x, x)  #: torch.max(x, x) -> tensor !scalar
    F.mse_loss(x, x)  #: F.mse_loss(x, x) -> tensor scalar
    F.mse_loss(x, x, reduction="none")  #: F.mse_loss(x, x, reduction="none") -> tensor !scalar
    values, indices = x.max(dim=1)
    values  #: values -> tensor
    indices  #: indices -> tensor
    values, indices = torch.topk(x, 2)
    values  #: values -> tensor


def python_values(x: torch.Tensor, k: int):
    x.shape  #: x.shape -> not size from-shape
    x.shape[0]  #: x.shape[0] -> not int from-shape
    x.size()  #: x.size() -> not size
    x.size(1)  #: x.size(1) -> not int from-shape
    x.dim()  #: x.dim() -> not int
    x.numel()  #: x.numel() -> not int
    x.dtype  #: x.dtype -> not dtype
    x.device  #: x.device -> not device
    x.requires_grad  #: x.requires_grad -> not bool
    len(x)  #: len(x) -> not int from-shape !from-data
    x.item()  #: x.item() -> not number from-data
    x.tolist()  #: x.tolist() -> not list from-data
    x.tolist()[0]  #: x.tolist()[0] -> not from-data
    int(x)  #: int(x) -> not int from-data
    float(x.sum())  #: float(x.sum()) -> not float from-data
    bool(k)  #: bool(k) -> not bool !from-data
    math.sqrt(x.item())  #: math.sqrt(x.item()) -> not number from-data
    x.shape[0] * k + 1  #: x.shape[0] * k + 1 -> not int from-shape
    x is None  #: x is None -> not bool
    isinstance(x, torch.Tensor)  #: isinstance(x, torch.Tensor) -> not bool
    b, t = x.shape
    b  #: b -> not int from-shape
    f"{x}"  #: f"{x}" -> not string
    "%s" % x  #: "%s" % x -> not string
    any(v > 0 for v in x)  #: any(v > 0 for v in x) -> not bool from-data
    max(k, 3)  #: max(k, 3) -> not int
    x.shape[0] > unknown  # noqa: F821  #: x.shape[0] > unknown -> unknown
    x if torch.jit.is_tracing() else 3  #: x if torch.jit.is_tracing() else 3 -> not
    x == None  # noqa: E711  #: x == None -> not bool
    x.dtype == torch.float16  #: x.dtype == torch.float16 -> not bool


def operators(x: torch.Tensor, k: float):
    x + k  #: x + k -> tensor fresh
    k * x  #: k * x -> tensor fresh
    -x  #: -x -> tensor
    x @ x  #: x @ x -> tensor
    x > 0  #: x > 0 -> tensor bool fresh
    (x > 0) & (x < 1)  #: (x > 0) & (x < 1) -> tensor bool
    0 < x < 1  #: 0 < x < 1 -> tensor bool
    not x  #: not x -> not bool from-data
    x[0]  #: x[0] -> tensor !fresh
    x[(x > 0).to(x.device)]  #: x[(x > 0).to(x.device)] -> tensor dynamic-shape
    x[0, x > 0]  #: x[0, x > 0] -> tensor dynamic-shape
    x.repeat_interleave(2)  #: x.repeat_interleave(2) -> tensor !dynamic-shape
    x.repeat_interleave(x.long())  #: x.repeat_interleave(x.long()) -> tensor dynamic-shape
    rows, columns = torch.where(x > 0)
    rows  #: rows -> tensor dynamic-shape
    x[x > 0]  #: x[x > 0] -> tensor dynamic-shape
    x.T  #: x.T -> tensor !fresh
    k > 0 and x.sum() > 0  #: k > 0 and x.sum() > 0 -> maybe
    x if k > 0 else None  #: x if k > 0 else None -> maybe tensor optional
    (x, x.tolist())[0]  #: (x, x.tolist())[0] -> unknown
    (x.item(), int(x))[0]  #: (x.item(), int(x))[0] -> not from-data
    [part for part in reversed(x.split(2))]  #: [part for part in reversed(x.split(2))] -> not tensors
    (x, x)  #: (x, x) -> not tensors
    [x, 1]  #: [x, 1] -> not list
    [v + 1 for v in x]  #: [v + 1 for v in x] -> not tensors
    x.new_zeros(3)  #: x.new_zeros(3) -> tensor fresh
    x.to(torch.bool)  #: x.to(torch.bool) -> tensor bool !fresh
    x.float()  #: x.float() -> tensor floating !fresh
    torch.cat([x, x]).sum().item()  #: torch.cat([x, x]).sum().item() -> not from-data
