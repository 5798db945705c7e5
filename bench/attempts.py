"""What traces that are thrown away cost: a transformer of small layers, by what each layer does with data.

    nothing   the layers of a GPT alone
    guard     `if torch.isnan(x).any(): raise ValueError`
    branch    `if gate(x).mean() > 0: x = x * 1.1`, both sides cheap
    print     `print("mean", x.mean().item())`
    costly    `if gate(x).mean() > 0:` with a side too dear to run for nothing, so that a graph follows one path

The calls have other data each, with backward, so that in the last column nearly every call takes a path of its own. A
row has three processes, one after the other: plain, mended with an empty cache, and mended once more with what the
first run has found out. What counts is the processor's time of all calls, the first one included. One thread.

usage: attempts.py [--json FILE.json] [--layers 4 16] [--kinds nothing guard branch print costly]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import nn
from torch.nn import functional
from turns import used

WIDTH, WORDS, CALLS = 16, 50, 7
COMMANDS = {"plain": [], "mended": ["-m", "graphmend", "run"], "again": ["-m", "graphmend", "run"]}


class Block(nn.Module):
    """A layer of a GPT."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.mixed, self.joined = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.gate, self.big = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        parts = self.mixed(self.before(x)).split(WIDTH, -1)
        q, k, v = (part.view(batch, length, 2, WIDTH // 2).transpose(1, 2) for part in parts)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.joined(mixed.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.narrow(functional.gelu(self.wide(self.between(x))))


class Guard(Block):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if torch.isnan(x).any():
            raise ValueError("not a number")
        return super().forward(x)


class Branch(Block):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = super().forward(x)
        if self.gate(x).mean() > 0:
            x = x * 1.1
        else:
            x = x - 0.1
        return x


class Print(Block):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = super().forward(x)
        print("mean", x.mean().item())
        return x


class Costly(Block):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = super().forward(x)
        if self.gate(x).mean() > 0:
            for _ in range(2):
                x = x + self.big(x) @ self.big.weight @ self.big.weight
        return x


KINDS: dict[str, type[Block]] = {"nothing": Block, "guard": Guard, "branch": Branch, "print": Print, "costly": Costly}


class Model(nn.Module):
    def __init__(self, kind: type[Block], layers: int) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)
        self.blocks = nn.ModuleList(kind() for _ in range(layers))

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.words(words)
        for block in self.blocks:
            x = block(x)
        return self.head(x)  # type: ignore[no-any-return]


def work(kind: str, layers: int) -> None:
    """Make the calls in this process; the last line on stderr that begins so has their seconds."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    compiled = torch.compile(Model(KINDS[kind], layers), backend="eager")
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))  # loads the compiler
    torch._dynamo.reset()
    seconds = []
    for number in range(CALLS):
        words = torch.randint(0, WORDS, (2, 8), generator=torch.Generator().manual_seed(number))
        started = used()
        compiled(words).sum().backward()
        seconds.append(used() - started)
    print("seconds", json.dumps(seconds), file=sys.stderr)


def measure(kind: str, layers: int) -> dict[str, Any]:
    """The seconds of all calls, by command."""
    found: dict[str, Any] = {"kind": kind, "layers": layers}
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "GRAPHMEND_CACHE_DIR": cache}
        for name, options in COMMANDS.items():
            command = [sys.executable, *options, __file__, "--work", kind, str(layers)]
            run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
            line = next(line for line in run.stderr.splitlines() if line.startswith("seconds "))
            found[name] = sum(json.loads(line.partition(" ")[2]))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--layers", type=int, nargs="+", default=[4, 16])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work[0], int(options.work[1]))
        return 0
    rows = [measure(kind, layers) for layers in options.layers for kind in options.kinds]
    table = Table("layers", "kind", *COMMANDS, title="seconds of the processor for seven calls")
    for row in rows:
        table.add_row(str(row["layers"]), row["kind"], *(f"{row[name]:.2f}" for name in COMMANDS))
    Console().print(table)
    if options.json:
        Path(options.json).write_text(json.dumps({"calls": CALLS, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
