"""What deferred effects cost under inductor: the functions of event_functions.py.

Of every function there are the graph without its effect, the function mended, the effect written by hand behind the
graph, the function as it is (torch.compile breaks its graph, or compiles it again and again), and an operator that the
compiler takes for one with effects. All variants run in this process and take turns, as in branches.py; a difference is
the median over the groups, of the fastest calls. One thread, 16 numbers, no gradients.
Exits with status 1 when a mended function breaks or is compiled more than once.

usage: events.py [--json FILE.json] [--groups N] [--rounds N]
"""

from __future__ import annotations

import argparse
import logging
import platform
import statistics
import sys
import types
from pathlib import Path
from typing import Any

import torch
from branches import Variant
from rich.console import Console
from rich.table import Table
from turns import Function, finish, load, longer, measure, parser

import graphmend

FUNCTIONS = Path(__file__).with_name("event_functions.py")
MADE: list[torch.library.Library] = []
COLUMNS = ("mended", "by hand", "plain", "effect op")


def effect_op(function: Function) -> Function:
    """An operator that does what a function does, and that the compiler neither drops nor moves."""
    from torch._higher_order_ops.effects import _EffectType, _register_effectful_op

    library = torch.library.Library("graphmend_bench", "FRAGMENT")
    MADE.append(library)
    name = f"{function.__name__}_{len(MADE)}"
    library.define(f"{name}(Tensor x) -> ()")
    library.impl(name, function, "CompositeExplicitAutograd")
    torch.library.register_fake(f"graphmend_bench::{name}", lambda x: None, lib=library)
    op = getattr(torch.ops.graphmend_bench, name).default
    _register_effectful_op(op, _EffectType.ORDERED)
    return op


def variants(before: types.ModuleType) -> list[dict[str, Variant]]:
    """What is made of the functions as they stand."""
    return [
        {
            "plain": Variant(lambda compile, effect=effect: compile(effect.written)),
            "effect op": Variant(lambda compile, effect=effect: compile(effect.as_op)),
        }
        for effect in before.effects(effect_op)
    ]


def compare(effect: Any, made: dict[str, Variant], options: argparse.Namespace) -> dict[str, Any]:
    """One function: its breaks and graphs, and what its effect adds to a call."""
    args = (torch.ones(16),)
    for variant in made.values():
        variant.outcomes([args] * 12)
    turns = {name: variant.turn(args) for name, variant in made.items()}
    seconds = measure(turns, options.groups, options.rounds)
    return {
        "title": effect.title,
        "events": effect.events,
        "breaks": {name: variant.breaks for name, variant in made.items()},
        "graphs": {name: variant.graphs for name, variant in made.items()},
        "call": statistics.median(seconds["without"]) * 1e6,
        "more": {name: longer(seconds, name, "without") for name in COLUMNS},
        "overhead": longer(seconds, "mended", "by hand"),
    }


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Everything; what is made before graphmend is installed knows nothing of it."""
    plain = variants(load("event_functions_plain", FUNCTIONS))
    graphmend.install()
    after = load("event_functions_mended", FUNCTIONS)
    rows = []
    for effect, made in zip(after.effects(effect_op), plain):
        print(f"measuring: {effect.title} ...", flush=True)
        made["without"] = Variant(lambda compile, effect=effect: compile(effect.without))
        made["by hand"] = Variant(lambda compile, effect=effect: effect.by_hand(compile(effect.without)))
        made["mended"] = Variant(lambda compile, effect=effect: compile(effect.written))
        rows.append(compare(effect, made, options))
    one, eight = (next(row for row in rows if row["title"] == title) for title in ("disabled log", "8 disabled logs"))
    return {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "groups": options.groups,
        "effects": rows,
        "each more": {name: (eight["more"][name] - one["more"][name]) / 7 for name in COLUMNS},
    }


def show(result: dict[str, Any]) -> None:
    table = Table(title=f"Microseconds that an effect adds to a call (torch {result['torch']})")
    for heading in ("effect", "call without", *COLUMNS, "mended - by hand", "graphs plain, mended"):
        table.add_column(heading, justify="left" if heading == "effect" else "right")
    for row in result["effects"]:
        numbers = [row["call"], *(row["more"][name] for name in COLUMNS), row["overhead"]]
        graphs = f"{row['graphs']['plain']}, {row['graphs']['mended']}"
        table.add_row(row["title"], *(f"{number:.2f}" for number in numbers), graphs)
    table.add_row("each further log", "", *(f"{result['each more'][name]:.2f}" for name in COLUMNS), "", "")
    Console().print(table)


def failures(result: dict[str, Any]) -> list[str]:
    """Promises that a mended function does not keep."""
    return [
        f"{row['title']}: {row['breaks']['mended']} breaks, {row['graphs']['mended']} graphs"
        for row in result["effects"]
        if row["breaks"]["mended"] or row["graphs"]["mended"] != 1
    ]


def main() -> int:
    options = parser(__doc__, groups=15, rounds=400).parse_args()
    torch.set_num_threads(1)
    logging.getLogger("torch").setLevel(logging.ERROR)
    with torch.no_grad():
        result = run(options)
    show(result)
    return finish(result, options.json, failures(result))


if __name__ == "__main__":
    sys.exit(main())
