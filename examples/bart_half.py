"""Summarise with a small BART in half precision: an ordinary program that breaks its graph.

In float16 every encoder layer of BART looks at its activations (`if ... not torch.isfinite(hidden_states).all()`) and
clamps them when they overflow. torch.compile cannot decide that test while it captures, so the graph breaks in every
layer. The weights are random and the model is small; the class is the one users load.

usage: bart_half.py [--backend inductor] [--calls 20] [--record FILE.json [--turns]]
"""

from __future__ import annotations

import argparse
import json
import logging
import logging.handlers
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
import transformers


def build_model(layers: int = 2) -> torch.nn.Module:
    """A BART with `layers` encoder and decoder layers, in evaluation mode and half precision."""
    torch.manual_seed(0)
    config = transformers.BartConfig(
        vocab_size=512,
        d_model=128,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=256,
        decoder_ffn_dim=256,
        max_position_embeddings=128,
    )
    return transformers.BartForConditionalGeneration(config).half().eval()


def build_inputs() -> dict[str, torch.Tensor]:
    """A batch of two sentences of 16 tokens, and the first token of the summary."""
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(3, 500, (2, 16), generator=generator)
    return {
        "input_ids": tokens,
        "attention_mask": torch.ones_like(tokens),
        "decoder_input_ids": torch.full((2, 1), 2),
    }


def count_records() -> logging.handlers.BufferingHandler:
    """A handler that collects one record for each graph break that torch.compile logs."""
    torch._logging.set_logs(graph_breaks=True)
    collector = logging.handlers.BufferingHandler(sys.maxsize)
    for name in list(logging.root.manager.loggerDict):
        if name.endswith(".__graph_breaks"):
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = [collector], False
    return collector


class GraphCounter:
    """A torch.compile backend that counts the graphs handed to another backend."""

    def __init__(self, backend: str) -> None:
        self.graphs = 0
        self.compile: Callable[..., Any] = torch._dynamo.lookup_backend(backend)

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
        self.graphs += 1
        return self.compile(graph, inputs)


@torch.no_grad()
def take_turns(call: Callable[[], Any]) -> None:
    """Whenever a line comes on standard input, print the seconds of the fastest of five calls."""
    for _ in sys.stdin:
        fastest = float("inf")
        for _ in range(5):
            started = time.perf_counter()
            call()
            fastest = min(fastest, time.perf_counter() - started)
        print(fastest, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="inductor", help="the torch.compile backend")
    parser.add_argument("--calls", type=int, default=20, help="how often the model is called")
    parser.add_argument("--record", help="file for what was measured, as JSON")
    parser.add_argument("--turns", action="store_true", help="then time a few calls more for each line of the input")
    options = parser.parse_args()

    torch.set_num_threads(1)
    model, inputs = build_model(), build_inputs()
    breaks, backend = count_records(), GraphCounter(options.backend)
    compiled = torch.compile(model, backend=backend)
    seconds, graphs = [], []
    with torch.no_grad():
        expected = model(**inputs).logits
        for _ in range(options.calls):
            started = time.perf_counter()
            logits = compiled(**inputs).logits
            seconds.append(time.perf_counter() - started)
            graphs.append(backend.graphs)

    difference = (logits.float() - expected.float()).abs().max().item()
    if options.record:
        record = {
            "breaks": len(breaks.buffer),
            "graphs": graphs,
            "seconds": seconds,
            "logits": logits.float().flatten().tolist(),
            "eager": expected.float().flatten().tolist(),
        }
        with open(options.record, "w", encoding="utf-8") as stream:
            json.dump(record, stream)
    print(
        f"{options.calls} calls, {len(breaks.buffer)} graph breaks, {graphs[-1]} graphs, difference {difference:g}",
        flush=True,
    )
    if options.turns:
        take_turns(lambda: compiled(**inputs))


if __name__ == "__main__":
    main()
