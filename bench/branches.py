"""What mended branches cost, against one graph written by hand: the functions of branch_functions.py under inductor.

All variants of a function run in this process and take turns: plain as it is (torch.compile breaks its graph), mended,
and by hand. The time of a variant is its fastest call in a group of rounds; a ratio is the median over the groups,
beside its quartiles. That leaves out what other programs on the machine take. The version by hand is there twice, which
shows what a ratio is worth. One thread, float32, no gradients.
Exits with status 1 when a mended function breaks, or does something else than in eager Python.

usage: branches.py [--json FILE.json] [--groups N] [--rounds N]
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch._dynamo.utils import counters
from turns import TURN, Counting, Function, fastest, finish, load, longer, measure, parser, ratio, spread

import graphmend

FUNCTIONS = Path(__file__).with_name("branch_functions.py")
WITHIN = 1.02


class Variant:
    """A compiled function and what torch.compile made of it."""

    def __init__(self, make: Callable[[Function], Function], backend: str = "inductor") -> None:
        self.breaks = 0
        self.backend = Counting(backend)
        self.function = make(lambda function: torch.compile(function, backend=self.backend))

    @property
    def graphs(self) -> int:
        return self.backend.graphs

    def turn(self, args: tuple[torch.Tensor, ...]) -> Callable[[], int]:
        """What makes one turn of calls, and says how long the fastest took."""
        return lambda: fastest(self.function, args)

    def outcomes(self, calls: list[tuple[torch.Tensor, ...]]) -> list[Any]:
        """What the calls give; the breaks on the way are counted."""
        counters.clear()
        found = [outcome(self.function, args) for args in calls]
        self.breaks += sum(counters["unimplemented"].values())
        return found


def outcome(function: Function, args: tuple[torch.Tensor, ...]) -> Any:
    """What a call returns or raises."""
    try:
        return function(*args)
    except ValueError as error:
        return type(error).__name__, str(error)


def agreement(found: list[Any], expected: list[Any]) -> str:
    """How outcomes compare with those of eager Python."""
    errors = [(one, other) for one, other in zip(found, expected) if not isinstance(other, torch.Tensor)]
    tensors = [(one, other) for one, other in zip(found, expected) if isinstance(other, torch.Tensor)]
    if any(one != other for one, other in errors) or not all(isinstance(one, torch.Tensor) for one, _ in tensors):
        return "different"
    if all(torch.equal(one.nan_to_num(), other.nan_to_num()) for one, other in tensors):
        return "bit for bit"
    close = all(torch.allclose(one, other, rtol=1e-4, atol=1e-5, equal_nan=True) for one, other in tensors)
    return "within 1e-4" if close else "different"


def compare(plain: Any, mended: Any, variants: dict[str, Variant], options: argparse.Namespace) -> dict[str, Any]:
    """One function: its outcomes, breaks and graphs, and times."""
    calls = [plain.usual, *plain.others, plain.usual]
    expected = [outcome(plain.written, args) for args in calls]
    equal = {name: agreement(variant.outcomes(calls), expected) for name, variant in variants.items()}
    turns = {name: variant.turn(plain.usual) for name, variant in variants.items()}
    seconds = measure(turns, options.groups, options.rounds)
    # Only now, because Dynamo looks through all that has been compiled of a code object, for every backend.
    as_captured = Variant(lambda make: make(mended.written), "eager")
    return {
        "title": plain.title,
        "equal": {**equal, "as captured": agreement(as_captured.outcomes(calls), expected)},
        "breaks": {name: variant.breaks for name, variant in variants.items()},
        "graphs": {name: variant.graphs for name, variant in variants.items()},
        "seconds": {name: statistics.median(values) for name, values in seconds.items()},
        "mended/by hand": ratio(seconds, "mended", "by hand"),
        "by hand/by hand": ratio(seconds, "again", "by hand"),
        "mended/plain": ratio(seconds, "mended", "plain"),
    }


def overhead(variants: dict[str, Variant], options: argparse.Namespace) -> dict[str, float]:
    """Microseconds a call around a graph that does next to nothing."""
    args = (torch.ones(16),)
    for variant in variants.values():
        variant.outcomes([args, args])
    turns = {name: variant.turn(args) for name, variant in variants.items()}
    seconds = measure(turns, options.groups, options.rounds * 10)
    return {
        "call": statistics.median(seconds["plain"]) * 1e6,
        "wrapper": longer(seconds, "wrapped", "plain"),
        "guard": longer(seconds, "guarded", "wrapped"),
        "guard by hand": longer(seconds, "by hand", "plain"),
    }


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Everything; what is made before graphmend is installed knows nothing of it."""
    before, again = load("branch_functions_plain", FUNCTIONS), load("branch_functions_again", FUNCTIONS)
    pairs = before.pairs()
    variants = [
        {
            "plain": Variant(before.one_graph(pair.written)),
            "by hand": Variant(pair.by_hand),
            "again": Variant(other.by_hand),
        }
        for pair, other in zip(pairs, again.pairs())
    ]
    small = {
        "plain": Variant(before.one_graph(before.tiny)),
        "by hand": Variant(before.with_flag(before.tiny_and_flag, before.MESSAGE)),
    }
    graphmend.install()
    after = load("branch_functions_mended", FUNCTIONS)
    small["wrapped"] = Variant(after.one_graph(after.tiny))
    small["guarded"] = Variant(after.one_graph(after.tiny_guard))
    rows = []
    for pair, mended, made in zip(pairs, after.pairs(), variants):
        print(f"measuring: {pair.title} ...", flush=True)
        made["mended"] = Variant(after.one_graph(mended.written))
        rows.append(compare(pair, mended, made, options))
    return {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "groups": options.groups,
        "calls": options.groups * options.rounds * TURN,
        "functions": rows,
        "overhead": overhead(small, options),
    }


def show(result: dict[str, Any]) -> None:
    console = Console()
    rows = result["functions"]
    table = Table(title=f"Under inductor, one thread, float32 (torch {result['torch']}), ms")
    for heading in ("function", "plain", "mended", "by hand", "mended/by hand", "twice"):
        table.add_column(heading, justify="left" if heading == "function" else "right", no_wrap=True)
    for row in rows:
        times = [f"{row['seconds'][name] * 1e3:.3f}" for name in ("plain", "mended", "by hand")]
        table.add_row(row["title"], *times, spread(row["mended/by hand"]), f"{row['by hand/by hand']['median']:.3f}")
    console.print(table)
    table = Table(title="Plain and mended")
    for heading in ("function", "breaks", "graphs", "mended/plain", "equal to eager"):
        table.add_column(heading, justify="left" if heading == "function" else "right", no_wrap=True)
    for row in rows:
        counts = [f"{row[kind]['plain']} -> {row[kind]['mended']}" for kind in ("breaks", "graphs")]
        table.add_row(row["title"], *counts, spread(row["mended/plain"]), row["equal"]["mended"])
    console.print(table)
    within = sum(row["mended/by hand"]["median"] <= WITHIN for row in rows)
    print(f"{within} of {len(rows)} within {100 * (WITHIN - 1):.0f} % of the version by hand")
    print("microseconds a call: " + ", ".join(f"{name} {value:.1f}" for name, value in result["overhead"].items()))


def failures(result: dict[str, Any]) -> list[str]:
    """Promises that a mended function does not keep."""
    found = []
    for row in result["functions"]:
        if row["breaks"]["mended"] or row["graphs"]["mended"] != 1:
            found.append(f"{row['title']}: {row['breaks']['mended']} breaks, {row['graphs']['mended']} graphs")
        if row["equal"]["as captured"] != "bit for bit" or "different" in row["equal"].values():
            found.append(f"{row['title']}: what it does differs from eager Python: {row['equal']}")
    return found


def main() -> int:
    options = parser(__doc__, groups=15, rounds=40).parse_args()
    torch.set_num_threads(1)
    with torch.no_grad():
        result = run(options)
    show(result)
    return finish(result, options.json, failures(result))


if __name__ == "__main__":
    sys.exit(main())
