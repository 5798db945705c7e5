"""Functions with passes of their own, by every way to derive from torch's class, and what is none."""

import torch
import torch.autograd.function
from torch import autograd
from torch.autograd import Function
from torch.autograd import Function as Base
from torch.autograd.function import Function as Other


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        print(x)
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


class Named(Base):
    @staticmethod
    def forward(ctx, x):
        print(x)
        return x.sum()


class Dotted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(x)
        return x > 0


class Longer(torch.autograd.function.Function):
    @staticmethod
    def forward(ctx, x):
        print(x)
        return x.long(), x


class Short(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(x)
        return x.item()


class Again(Other):
    @staticmethod
    def forward(ctx, x):
        print(x)
        return x.tolist()


class Derived(Scale):
    pass


class Twice(Derived):
    @staticmethod
    def forward(ctx, x, factor):
        print(x)
        return Scale.forward(ctx, x, factor).mean()


class Mixed(dict, Named):
    pass


class Plain:
    @staticmethod
    def forward(ctx, x):
        print(x)
        return x * 2

    @classmethod
    def apply(cls, x):
        return x.shape


class Far(Plain):
    pass


class Itself(Plain, object):
    def forward(self, x):
        print(x)
        return x


class Outer:
    class Inner(Function):
        @staticmethod
        def forward(ctx, x):
            print(x)
            return x.int()


class FromInner(Outer.Inner):
    pass


ALIAS = Scale


@torch.compile
def run(x: torch.Tensor, plain: Plain):
    a = Scale.apply(x, 2)
    b = Named.apply(x)
    c = Dotted.apply(x)
    d = Longer.apply(x)
    e = Short.apply(x)
    f = Again.apply(x)
    g = Derived.apply(x, 3)
    h = Twice.apply(x, 3)
    i = Mixed.apply(x)
    j = Plain.apply(x)
    k = Far.apply(x)
    m = Itself.apply(x)
    n = Outer.Inner.apply(x)
    o = FromInner.apply(x)
    p = ALIAS.apply(x, 2)
    q = plain.apply(x)
    r = Scale.forward(None, x, 2)
    apply = Scale.apply
    s = apply(x, 2)
    t = Scale().apply(x, 2)
    first, second = Longer.apply(x)
    if a.sum() > 0:
        a = b + 1
    if e > 0:
        a = b + 2
    if j:
        a = a * 2
    if o.any():
        a = a + g + h + i + n + p + s + t + r + first
    return a, b, c, d, e, f, k, m, o, q, second
