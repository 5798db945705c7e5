"""Low-rank adapters on a small network."""

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
    torch.manual_seed(0)
    return get_peft_model(Network(), LoraConfig(r=2, lora_dropout=0.1, target_modules=["first", "second"])).train()


def calls():
    return [(torch.randn(n, 4),) for n in (3, 3, 5)]
