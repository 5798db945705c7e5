"""A text classifier with its loss and padded batches."""

import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification

FAMILY = "transformers"


def model():
    shape = DistilBertConfig(
        vocab_size=40, dim=16, n_layers=2, n_heads=2, hidden_dim=32, max_position_embeddings=32, num_labels=3
    )
    return DistilBertForSequenceClassification(shape).train()


def calls():
    batches = []
    for n in (6, 6, 9):
        mask = torch.ones(2, n, dtype=torch.long)
        mask[1, n - 2 :] = 0
        batches.append(
            dict(input_ids=torch.randint(0, 40, (2, n)), attention_mask=mask, labels=torch.randint(0, 3, (2,)))
        )
    return batches
