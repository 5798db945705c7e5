"""Adapters with magnitudes of their own (DoRA), and rank-stabilised ones."""

import torch
from peft import LoraConfig, get_peft_model

FAMILY = "peft"
IGNORE_STATE = ["peft_config"]  # its text shows a set of names, in an order that each process has for itself


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 8), torch.nn.Linear(8, 3)

    def forward(self, x):
        return self.second(self.first(x).relu())


def model():
    shape = LoraConfig(r=2, use_dora=True, use_rslora=True, target_modules=["first", "second"])
    return get_peft_model(Network(), shape).train()


def calls():
    return [(torch.randn(n, 4),) for n in (3, 3, 5)]
