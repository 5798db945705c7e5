"""The loss of a `Trainer` with label smoothing, and its training step."""

import torch
from transformers import BertConfig, BertForSequenceClassification
from transformers.trainer_pt_utils import LabelSmoother

FAMILY = "transformers"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        config = BertConfig(
            vocab_size=30,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            num_labels=3,
        )
        self.net = BertForSequenceClassification(config)
        self.smooth = LabelSmoother(epsilon=0.1)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.seen = 0

    def forward(self, tokens, mask, labels):
        outputs = self.net(input_ids=tokens, attention_mask=mask, labels=labels)
        loss = self.smooth({"logits": outputs.logits}, labels)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.seen += int(mask.sum())
        return loss.detach(), norm.item()


def model():
    return Step().train()


def calls():
    found = []
    for n in (6, 6, 5):
        mask = torch.ones(2, n, dtype=torch.long)
        mask[1, 3:] = 0
        found.append((torch.randint(0, 30, (2, n)), mask, torch.randint(0, 3, (2,))))
    return found
