"""What torch.compile itself changes, and what changes from run to run."""

import time

import torch


@torch.compile(backend="eager")
def asks(x):
    if torch.compiler.is_compiling():
        return x + 1
    return x


@torch.compile(backend="eager")
def gate(x):
    if x.sum() > 0:
        x = x + 1
    return x


for _ in range(3):
    asks(torch.ones(4))
    gate(torch.ones(4))
print("at", time.time_ns())
print("done")
