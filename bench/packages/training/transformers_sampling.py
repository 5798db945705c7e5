"""Sampling of tokens with processors of scores, until each sequence has ended."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.generation.logits_process import (
    LogitsProcessorList,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

FAMILY = "transformers"
GRAD = False


class Sampler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = GPT2LMHeadModel(GPT2Config(vocab_size=12, n_embd=16, n_layer=1, n_head=2, n_positions=16))
        self.change = LogitsProcessorList(
            [
                RepetitionPenaltyLogitsProcessor(1.2),
                TemperatureLogitsWarper(0.7),
                TopKLogitsWarper(5),
                TopPLogitsWarper(0.9),
            ]
        )

    @torch.no_grad()
    def forward(self, tokens):
        ended = torch.zeros(len(tokens), dtype=torch.bool)
        for _ in range(4):
            scores = self.change(tokens, self.net(input_ids=tokens).logits[:, -1])
            drawn = torch.multinomial(scores.softmax(-1), 1).squeeze(1)
            drawn = torch.where(ended, 0, drawn)
            tokens = torch.cat([tokens, drawn[:, None]], 1)
            ended |= drawn == 0
            if ended.all():
                break
        return tokens


def model():
    return Sampler().eval()


def calls():
    return [(torch.randint(1, 12, (2, 4)),) for _ in range(3)]
