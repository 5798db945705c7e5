import planted
import torch

planted.lose_effects()


@torch.compile(backend="eager")
def gate(x):
    print("sum", x.shape)
    return x + 1


print("start")
for _ in range(2):
    gate(torch.ones(4))
print("end")
