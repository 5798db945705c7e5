"""A training step of a causal language model."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

FAMILY = "transformers"
GRAD = False
IGNORE_STATE = ["optimizer", "schedule"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_embd=16, n_layer=1, n_head=2, n_positions=16))
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.schedule = torch.optim.lr_scheduler.LinearLR(self.optimizer, 0.1, total_iters=10)

    def forward(self, tokens):
        loss = self.net(input_ids=tokens, labels=tokens).loss
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        self.optimizer.zero_grad()
        return loss.detach(), norm, self.schedule.get_last_lr()[0]


def model():
    return Step().train()


def calls():
    return [(torch.randint(0, 40, (2, 8)),) for _ in range(4)]
