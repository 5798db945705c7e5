"""Fifty calls with changing shapes: the time of the processor plain and mended, and whether all results are eager's.

A program is a line of a zoo file or a file in the form of the kit's cases. It has a process plain and one under
`graphmend run` with an empty cache, and makes the same calls in both, each with data of its own. The calls of a case
are those that it lists, again and again. The inputs of a model change their sizes from call to call: one, two and three
times the batch, and texts that are one or two tokens shorter, as far as the model takes them in eager mode.
What counts is the time of the processor of all calls, compiling included, and that of calls 20 to 50 alone. One thread.
Results count up to the first plain one that is not eager's, as training goes another way from there.
Programs that do not break plain are left out. The exit status is 1 where a mended result is not eager's.

usage: fifty_calls.py [--zoo ZOO.jsonl] [--cases PYTHON=FOLDER ...] [--only NAMES] [--json FILE.json] [--backend NAME]
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import model_specs
import torch
from paper_check import collected_breaks
from rich.console import Console
from rich.table import Table
from turns import Counting, answer, finish, keep, load, used

CALLS, LATER = 50, 20
COMMANDS = {"plain": [], "mended": ["-m", "graphmend", "run"]}
Call = tuple[tuple[Any, ...], dict[str, Any]]


def shorter(value: Any, length: int, cut: int) -> Any:
    """An input whose texts of `length` tokens, the ones with a mask or positions too, end `cut` tokens earlier."""
    is_text = isinstance(value, torch.Tensor) and value.dim() == 2 and not value.is_floating_point()
    return value[:, : length - cut] if is_text and value.shape[1] == length else value


def sizes(call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The call in other sizes; not every model takes all of them."""
    ids = next((value for name, value in call.items() if name.endswith("input_ids")), None)
    length = ids.shape[1] if isinstance(ids, torch.Tensor) and ids.dim() == 2 else 0
    for batch, cut in ((1, 0), (2, 0), (3, 0), (1, 1), (2, 2)):
        if cut < length or not cut:
            cutting = {name: shorter(value, length, cut) for name, value in call.items()}
            yield {name: model_specs.moved(value, "cpu", None, batch) for name, value in cutting.items()}


def calls_of_model(spec: dict[str, Any], model: torch.nn.Module) -> list[Call]:
    """The calls of a model, in the sizes that it takes."""
    taken = []
    for number, call in enumerate(sizes(model_specs.build_calls(spec, 1)[0])):
        with contextlib.suppress(Exception):
            copy.deepcopy(model)(**copy.deepcopy(call))
            taken.append(number)
    plain = model_specs.build_calls(spec, CALLS)
    return [((), list(sizes(call))[(taken or [0])[number % max(len(taken), 1)]]) for number, call in enumerate(plain)]


def calls_of_case(listed: Callable[[], list[Any]]) -> list[Call]:
    """The calls that a case lists, each time with other random data."""
    found: list[Call] = []
    while len(found) < CALLS:
        model_specs.seed_all(22 + len(found))
        for call in listed():
            found.append(((), call) if isinstance(call, dict) else (call if isinstance(call, tuple) else (call,), {}))
    return found[:CALLS]


def subject(path: Path) -> tuple[Callable[[], Any], Callable[[Any], list[Call]], bool]:
    """How a model and its calls are made, and whether autograd records them."""
    if path.suffix == ".json":
        spec = json.loads(path.read_text(encoding="utf-8"))
        return (lambda: model_specs.build_model(spec)), (lambda model: calls_of_model(spec, model)), spec.get("train")
    sys.path.insert(0, str(path.parent))
    case = load(path.stem, path)

    def make() -> Any:
        model_specs.seed_all(11)
        model = case.model()
        return model.train(case.TRAIN) if hasattr(case, "TRAIN") else model

    return make, (lambda model: calls_of_case(case.calls)), True


def outcome(function: Any, call: Call, number: int) -> Any:
    """The tensors that a call returns, or the type of its exception."""
    model_specs.seed_all(1000 + number)
    try:
        return [value.clone() for value in model_specs.tensors(function(*call[0], **call[1]))]
    except Exception as error:
        return type(error).__name__


def equal(first: Any, second: Any) -> bool:
    """Whether two outcomes are the same but for rounding."""
    if isinstance(first, str) or isinstance(second, str):
        return isinstance(first, str) and first == second
    return len(first) == len(second) and all(
        a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True)
        for a, b in zip(first, second)
    )


def work(path: Path, backend: str) -> dict[str, Any]:
    """Make the calls of one program in this process, eager and compiled."""
    torch.set_num_threads(1)
    breaks = collected_breaks()
    make, calls_of, grad = subject(path)
    with contextlib.nullcontext() if grad else torch.no_grad():
        eager = make()
        calls = calls_of(eager)
        expected = [outcome(eager, copy.deepcopy(call), number) for number, call in enumerate(calls)]
        torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))  # loads the compiler
        torch._dynamo.reset()
        breaks.buffer.clear()
        counting = Counting(backend)
        compiled = torch.compile(make(), backend=counting)
        seconds, differ = [], []
        for number, call in enumerate(calls):
            started = used()
            found = outcome(compiled, call, number)
            seconds.append(used() - started)
            if not equal(found, expected[number]):
                differ.append(number)
    return {"seconds": seconds, "differ": differ, "breaks": len(breaks.buffer), "graphs": counting.graphs}


def run(kind: str, python: str, path: Path, options: argparse.Namespace, folder: str) -> dict[str, Any]:
    """What a process says of its calls."""
    command = [python, *COMMANDS[kind], __file__, "--worker", str(path), "--backend", options.backend]
    return answer(command, os.path.join(folder, "cache"), options.limit, folder)


def compare(name: str, python: str, path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """One program; only the plain process if nothing breaks there."""
    row: dict[str, Any] = {"program": name}
    for kind in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                row[kind] = run(kind, python, path, options, folder)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                row["refused"] = f"{kind}: {error}"[:200]
                break
        if not row["plain"]["breaks"]:
            break
    return row


def total(row: dict[str, Any], kind: str, first: int = 0) -> float:
    return sum(row[kind]["seconds"][first:])


def ratio(row: dict[str, Any], first: int = 0) -> float:
    return total(row, "mended", first) / max(total(row, "plain", first), 1e-9)


def measured(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The programs that break and ran in both ways, those that cost most beside plain first."""
    return sorted((row for row in rows if "mended" in row), key=lambda row: -ratio(row))


def wrong(rows: list[dict[str, Any]]) -> list[str]:
    """The programs with a mended result that is not eager's, before a plain one is not."""
    return [row["program"] for row in measured(rows) if first_other(row, "mended") < first_other(row, "plain")]


def first_other(row: dict[str, Any], kind: str) -> int:
    """The first call whose result is not eager's; the number of calls if there is none."""
    return min(row[kind]["differ"], default=CALLS)


def show(result: dict[str, Any]) -> None:
    title = f"{CALLS} calls with changing shapes, {result['backend']}: seconds of the processor"
    table = Table("program", "plain", "mended", "ratio", f"calls {LATER} to {CALLS}", "graphs", title=title)
    rows = measured(result["programs"])
    for row in rows:
        times = [f"{total(row, kind):.2f}" for kind in COMMANDS]
        ratios = [f"{ratio(row, first):.2f}" for first in (0, LATER)]
        table.add_row(row["program"], *times, *ratios, " -> ".join(str(row[kind]["graphs"]) for kind in COMMANDS))
    Console().print(table)
    if rows:
        print(f"{len(rows)} programs, median {statistics.median(map(ratio, rows)):.2f}")
    for row in result["programs"]:
        if "refused" in row:
            print(f"{row['program']}: {row['refused']}")


def programs(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Name, Python and file of each program; a model's file holds its spec."""
    lines = Path(options.zoo).read_text(encoding="utf-8").splitlines() if options.zoo else []
    for spec in map(json.loads, lines):
        path = folder / f"{spec['id']}.json"
        path.write_text(json.dumps(spec), encoding="utf-8")
        yield spec["id"], sys.executable, path
    for python, _, cases in (text.partition("=") for text in options.cases):
        for path in sorted(Path(cases).resolve().glob("*.py")):
            yield path.stem, os.path.abspath(python), path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zoo", help="file with a spec on each line")
    parser.add_argument("--cases", nargs="*", default=[], help="PYTHON=FOLDER, in which the cases lie")
    parser.add_argument("--json", help="file for the numbers; programs that it has are not measured again")
    parser.add_argument("--only", help="names of programs, with commas between them")
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--limit", type=float, default=1200, help="seconds that a process may take")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print("\n" + json.dumps(work(options.worker, options.backend)))
        return 0
    result = {"torch": torch.__version__, "python": platform.python_version(), "backend": options.backend}
    kept = Path(options.json) if options.json else None
    before = json.loads(kept.read_text(encoding="utf-8"))["programs"] if kept and kept.exists() else []
    names = options.only.split(",") if options.only else None
    rows = {row["program"]: row for row in before if not names or row["program"] not in names}
    with tempfile.TemporaryDirectory() as folder:
        for name, python, path in programs(options, Path(folder)):
            if name not in rows and (not names or name in names):
                print(f"measuring {name} ...", flush=True)
                rows[name] = compare(name, python, path, options)
                keep({**result, "programs": list(rows.values())}, options.json)
    result = {**result, "programs": list(rows.values())}
    show(result)
    return finish(result, options.json, [f"{name}: a result is not eager's" for name in wrong(list(rows.values()))])


if __name__ == "__main__":
    sys.exit(main())
