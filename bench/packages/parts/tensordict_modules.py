"""Modules that read and write the keys of a tensor dictionary."""

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential

FAMILY = "tensordict"


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        encode = TensorDictModule(torch.nn.Linear(4, 8), in_keys=["observation"], out_keys=["hidden"])
        act = TensorDictModule(torch.nn.Linear(8, 2), in_keys=["hidden"], out_keys=["action"])
        self.both = TensorDictSequential(encode, act)

    def forward(self, x):
        data = TensorDict({"observation": x}, batch_size=[x.shape[0]])
        data = self.both(data)
        if data["action"].abs().max() > 1:
            data["action"] = data["action"].clamp(-1, 1)
        return data["action"], data["hidden"]


def model():
    return Network()


def calls():
    return [(scale * torch.randn(n, 4),) for n, scale in ((3, 0.01), (3, 9.0), (5, 9.0))]
