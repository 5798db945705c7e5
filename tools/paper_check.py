"""Twenty calls of each of five models of the GraphMend paper: log lines, recompilations and results against eager.

usage: paper_check.py [--json FILE]     (with the Python of an environment that has transformers 4.52.4)
       paper_check.py --worker MODEL --mode eager|compiled --out FILE.json

Each model runs in processes of its own: eager as it is, compiled plain, and compiled under `graphmend run`. A row is
right when the mended run breaks nowhere, compiles nothing after the second call, logs in every call what eager logs in
that call, and returns the same bits (the graphs are executed as captured, so that no compiler's rounding hides a
difference).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import logging.handlers
import os
import subprocess
import sys
import tempfile
from typing import Any

CALLS = 20
HEADINGS = ("model", "breaks plain", "mended", "late graphs", "log lines as eager", "bits as eager", "right")
COMMON = {"vocab_size": 128, "max_position_embeddings": 64}
SEQ2SEQ = {
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 128,
    "decoder_ffn_dim": 128,
}
# Model class, configuration class, configuration, whether the model takes decoder tokens.
MODELS: dict[str, tuple[str, str, dict[str, int], bool]] = {
    "T5": (
        "T5ForConditionalGeneration",
        "T5Config",
        {"vocab_size": 128, "d_model": 64, "d_ff": 128, "num_layers": 2, "num_heads": 2, "d_kv": 32},
        True,
    ),
    "BioGPT": (
        "BioGptForCausalLM",
        "BioGptConfig",
        {
            **COMMON,
            "hidden_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": 128,
        },
        False,
    ),
    "Blenderbot": ("BlenderbotForConditionalGeneration", "BlenderbotConfig", {**COMMON, **SEQ2SEQ}, True),
    "Marian": (
        "MarianMTModel",
        "MarianConfig",
        {**COMMON, **SEQ2SEQ, "decoder_start_token_id": 2, "pad_token_id": 1},
        True,
    ),
    "Pegasus": (
        "PegasusForCausalLM",
        "PegasusConfig",
        {**COMMON, "d_model": 64, "decoder_layers": 2, "decoder_attention_heads": 2, "decoder_ffn_dim": 128},
        False,
    ),
}


class LineCollector(logging.Handler):
    """Keeps the formatted records of the current call."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname}:{record.name}:{record.filename}:{record.lineno}:{record.getMessage()}")

    def take(self) -> list[str]:
        taken, self.lines = self.lines, []
        return taken


def build(name: str) -> tuple[Any, dict[str, Any]]:
    """The model with random weights and its arguments."""
    import torch
    import transformers

    model_class, config_class, settings, has_decoder = MODELS[name]
    torch.manual_seed(0)
    model = getattr(transformers, model_class)(getattr(transformers, config_class)(**settings)).eval()
    generator = torch.Generator().manual_seed(1)
    inputs = {"input_ids": torch.randint(3, 128, (1, 8), generator=generator)}
    if has_decoder:
        inputs["decoder_input_ids"] = torch.randint(3, 128, (1, 8), generator=generator)
    return model, inputs


def digest(output: Any) -> str:
    """Hash of the bits of all tensors of a model's output."""
    import torch
    from torch.utils import _pytree

    total = hashlib.sha256()
    for leaf in _pytree.tree_leaves(output.to_tuple()):
        if isinstance(leaf, torch.Tensor):
            total.update(leaf.contiguous().numpy().tobytes())
    return total.hexdigest()


def collected_breaks() -> logging.handlers.BufferingHandler:
    """A handler with a record for each graph break that torch.compile logs from now on."""
    import torch
    import torch._dynamo  # makes the loggers

    torch._logging.set_logs(graph_breaks=True)
    collector = logging.handlers.BufferingHandler(sys.maxsize)
    for name in list(logging.root.manager.loggerDict):
        if name.endswith(".__graph_breaks"):
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = [collector], False
    return collector


def work(name: str, mode: str) -> dict[str, Any]:
    """Make the calls and record what each of them did."""
    import torch

    torch.set_num_threads(1)
    graphs: list[int] = []

    def backend(graph: Any, inputs: Any) -> Any:
        graphs.append(len(graph.graph.nodes))
        return graph.forward

    breaks = collected_breaks()
    model, inputs = build(name)
    collector = LineCollector()
    logging.getLogger("transformers").addHandler(collector)
    function = torch.compile(model, backend=backend) if mode == "compiled" else model
    calls = []
    with torch.no_grad():
        for _ in range(CALLS):
            bits = digest(function(**inputs))
            calls.append({"bits": bits, "lines": collector.take(), "graphs": len(graphs)})
    return {"calls": calls, "breaks": len(breaks.buffer)}


def run(command: list[str], name: str, mode: str) -> dict[str, Any]:
    """The record of a worker process."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "record.json")
        arguments = [os.path.abspath(__file__), "--worker", name, "--mode", mode, "--out", out]
        subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as stream:
            return json.load(stream)


def judge(name: str, mend: list[str]) -> tuple[bool, list[str]]:
    """Whether the row is right, and its cells."""
    eager = run([sys.executable], name, "eager")
    plain = run([sys.executable], name, "compiled")
    mended = run(mend, name, "compiled")
    pairs = list(zip(eager["calls"], mended["calls"]))
    bits = sum(a["bits"] == b["bits"] for a, b in pairs)
    lines = sum(a["lines"] == b["lines"] for a, b in pairs)
    late = mended["calls"][-1]["graphs"] - mended["calls"][1]["graphs"]
    logged = sum(len(call["lines"]) for call in eager["calls"])
    right = bits == lines == CALLS and late == 0 and mended["breaks"] == 0
    cells = [
        name,
        str(plain["breaks"]),
        str(mended["breaks"]),
        str(late),
        f"{lines}/{CALLS} ({logged} lines)",
        f"{bits}/{CALLS}",
        "yes" if right else "NO",
    ]
    return right, cells


def main() -> int:
    from rich.console import Console
    from rich.table import Table

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", choices=list(MODELS))
    parser.add_argument("--mode", choices=["eager", "compiled"], default="eager")
    parser.add_argument("--out")
    parser.add_argument("--only", choices=list(MODELS), action="append", help="these models instead of all")
    parser.add_argument("--json", help="file for the table")
    options = parser.parse_args()
    if options.worker:
        with open(options.out, "w", encoding="utf-8") as stream:
            json.dump(work(options.worker, options.mode), stream)
        return 0
    mend = [os.path.join(os.path.dirname(sys.executable), "graphmend"), "run"]
    table = Table(title=f"{CALLS} calls of the paper's models, graphs executed as captured")
    for heading in HEADINGS:
        table.add_column(heading)
    verdicts, rows = [], []
    for name in options.only or MODELS:
        right, cells = judge(name, mend)
        verdicts.append(right)
        rows.append(cells)
        table.add_row(*cells)
    Console(width=120).print(table)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump({"headings": HEADINGS, "rows": rows}, stream)
    return int(not all(verdicts))


if __name__ == "__main__":
    sys.exit(main())
