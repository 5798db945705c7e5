import planted
import torch

planted.plant("gate", planted.other_value)


@torch.compile(backend="eager")
def gate(x):
    if x.sum() > 0:
        x = x + 1
    return x


for number in range(3):
    gate(torch.ones(4) * (number - 1))
