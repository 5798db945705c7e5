"""Text generated with a cache, as `generate` does it."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

FAMILY = "transformers"
GRAD = False


class Decode(torch.nn.Module):
    def __init__(self):
        super().__init__()
        shape = GPT2Config(
            vocab_size=12,
            n_embd=16,
            n_layer=1,
            n_head=2,
            n_positions=32,
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=1,
        )
        self.net = GPT2LMHeadModel(shape).eval()

    def forward(self, tokens, mask):
        return self.net.generate(tokens, attention_mask=mask, max_new_tokens=4, do_sample=False)


def model():
    return Decode().eval()


def calls():
    return [(torch.randint(2, 12, (2, 3)), torch.ones(2, 3, dtype=torch.long)) for _ in range(3)]
