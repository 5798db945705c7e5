import planted
import torch

planted.plant("gate", planted.hang)


@torch.compile(backend="eager")
def gate(x):
    return x + 1


gate(torch.ones(4))
