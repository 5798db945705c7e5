"""transformers' own server with a model that is made on the spot: small, random, and soon at its end.

usage: tiny_model.py FOLDER PORT
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.cli.serve import Serve

WORDS = ["<end>", "<user>", "<assistant>", *(f"word{number}" for number in range(61))]
TEMPLATE = "{% for message in messages %}<{{ message.role }}> {{ message.content }} {% endfor %}<assistant>"


def write(folder: Path) -> None:
    """A tokenizer of words and a model of two layers; every fourth word ends an answer."""
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="word0"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()  # type: ignore[assignment]
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<end>", unk_token="word0")
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(3)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(WORDS), **sizes, eos_token_id=0, initializer_range=1.0))
    model.generation_config.eos_token_id = [0, *range(3, len(WORDS), 4)]
    model.generation_config.max_new_tokens = 400
    model.generation_config.do_sample = False
    model.save_pretrained(folder)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
    torch.set_num_threads(1)
    Serve(force_model=sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]), device="cpu")
