"""Prompt tuning of a causal language model."""

import torch
from peft import PromptTuningConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

FAMILY = "peft"


def model():
    net = GPT2LMHeadModel(GPT2Config(vocab_size=30, n_embd=16, n_layer=1, n_head=2, n_positions=24))
    return get_peft_model(net, PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3)).train()


def calls():
    found = []
    for n in (5, 5, 7):
        tokens = torch.randint(0, 30, (2, n))
        found.append({"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": tokens})
    return found
