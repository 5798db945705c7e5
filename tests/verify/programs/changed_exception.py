import planted
import torch

planted.plant("gate", planted.other_exception)


@torch.compile(backend="eager")
def gate(x):
    if x.sum() > 0:
        raise ValueError("too large")
    return x


gate(-torch.ones(4))
try:
    gate(torch.ones(4))
except (ValueError, RuntimeError):
    pass
gate(-torch.ones(4))
