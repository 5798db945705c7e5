"""Models under inductor, plain and mended: those of the GraphMend paper, Pixtral, and models of a zoo file.

A model has four processes: eager, plain (torch.compile breaks its graphs), plain once more, and mended (`graphmend
run`). They are there at the same time and take turns, so that what else the machine does hits all alike; only one of
them computes at a time. The time of a variant is its fastest call in a group of rounds; a ratio is the median over the
groups, beside its quartiles. The plain model is there twice, which shows what a ratio is worth; the second process
loads what the first has compiled. First calls are measured with an empty compiler cache and a compiler that has been
used. One thread; forward passes, with gradients recorded where a spec says that the model is trained. On a GPU, where
there is one, in float16 and bfloat16, with batches of 1 and 32, and the kernels that a call launches are counted.
Five models have a version by hand as well, from by_hand.py. Exits with status 1 when a mended model returns something
else than eager and the plain one does not, when only the mended one cannot be run, or when a version by hand is not one
graph that returns what eager does.

usage: models.py [--json FILE.json] [--groups N] [--rounds N] [--only IDS] [--zoo FILE.jsonl [--count N] [--seed N]]
                 [--size small|base] [--dtypes float16] [--batches 1,32] [--lock FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import functools
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import model_specs
import torch
from rich.console import Console
from rich.table import Table
from turns import Times, finish, keep, measure, parser, quartiles, ratio, spread

WORKER = str(Path(__file__).with_name("model_worker.py"))
GROUP_SECONDS = 2.0  # a group of a slow model has fewer rounds
COMMANDS = {"eager": [], "plain": [], "again": [], "mended": ["-m", "graphmend", "run"], "hand": []}


class Worker:
    """A process that makes calls when it is told to, and that is ended when its time is over."""

    def __init__(self, name: str, arguments: list[str], folder: str, limit: float) -> None:
        # The second plain one finds what the first has compiled; nobody asks for its first call.
        cache = os.path.join(folder, "cache-" + ("plain" if name == "again" else name))
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS"), "1")
        variant = name if name in ("eager", "hand") else "compiled"
        self.errors = os.path.join(folder, f"{name}.txt")
        with open(self.errors, "w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                [sys.executable, *COMMANDS[name], WORKER, *arguments, "--variant", variant],
                env={**os.environ, **one_thread, "TORCHINDUCTOR_CACHE_DIR": cache},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.timer = threading.Timer(limit, self.process.kill)
        self.timer.daemon = True
        self.timer.start()

    def ask(self, command: str) -> dict[str, Any]:
        """The answer to a command; what went wrong, where there is none."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            if not self.timer.is_alive():
                raise RuntimeError("took too long")
            lines = Path(self.errors).read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise RuntimeError(lines[-1] if lines else "no answer")
        return json.loads(line)

    def turn(self) -> int:
        return self.ask("turn")["ns"]

    def stop(self) -> None:
        self.timer.cancel()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def alone(lock: str | None) -> Iterator[None]:
    """Wait until no other measurement with the same lock file takes turns; they may compile meanwhile."""
    if lock is None:
        yield
        return
    with open(lock, "a", encoding="utf-8") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def record_of(
    names: list[str], workers: dict[str, Worker], start: Callable[[str], Worker], options: argparse.Namespace
) -> dict[str, Any]:
    """What the variants of a model do; one starts when the one before it has made its first calls."""
    first = {}
    for name in names:
        workers[name] = start(name)
        first[name] = workers[name].ask("first")
    turns = {name: worker.turn for name, worker in workers.items()}
    round_seconds = sum(turn() for turn in turns.values()) / 1e9
    rounds = max(1, min(options.rounds, int(GROUP_SECONDS / round_seconds)))
    with alone(options.lock):
        seconds: Times = measure(turns, options.groups, rounds)
    counts = {name: worker.ask("device") for name, worker in workers.items()}
    record = {
        kind: {name: first[name][kind] for name in names if name != "eager"}
        for kind in ("first", "graphs", "breaks", "recompilations", "equal", "difference")
    }
    return {
        **record,
        "rounds": rounds,
        "steady": {name: quartiles(values) for name, values in seconds.items()},
        **{kind: {name: counts[name][kind] for name in names} for kind in ("launches", "waits")},
        "mended/plain": ratio(seconds, "mended", "plain"),
        "again/plain": ratio(seconds, "again", "plain"),
        "plain/eager": ratio(seconds, "plain", "eager"),
        **({"mended/hand": ratio(seconds, "mended", "hand")} if "hand" in names else {}),
        "mended/plain, first call": first["mended"]["first"] / first["plain"]["first"],
    }


def compare(spec: model_specs.Spec, setting: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """One model with one dtype and batch; why it could not be measured, if it could not."""
    dtype = setting["dtype"] or spec.get("dtype", "float32")
    row = {"model": spec["id"], "dtype": dtype, "batch": setting["batch"], "train": bool(spec.get("train"))}
    workers: dict[str, Worker] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spec.json")
        Path(path).write_text(json.dumps(spec), encoding="utf-8")
        arguments = [path, "--reference", os.path.join(folder, "reference.pt"), "--backend", options.backend]
        arguments += ["--device", options.device, "--batch", str(setting["batch"])]
        arguments += ["--dtype", setting["dtype"]] if setting["dtype"] else []
        start = functools.partial(Worker, arguments=arguments, folder=folder, limit=options.limit)
        try:
            names = [name for name in COMMANDS if name != "hand" or spec.get("by_hand")]
            row.update(record_of(names, workers, start, options))
        except RuntimeError as error:
            row["failed"] = f"{list(workers)[-1]}: {error}"
        finally:
            for worker in workers.values():
                worker.stop()
    return row


def settings(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The dtypes and batches that are measured on a device; None is the dtype of the spec."""
    if options.device == "cpu":
        return [{"dtype": None, "batch": 1}]
    dtypes, batches = options.dtypes.split(","), options.batches.split(",")
    return [{"dtype": dtype, "batch": int(batch)} for dtype in dtypes for batch in batches]


def run(options: argparse.Namespace) -> dict[str, Any]:
    names = [name for name in (options.only or "").split(",") if name]
    specs = [spec for spec in model_specs.paper_specs(options.size) if not names or spec["id"] in names]
    if options.zoo:
        of_paper = [spec["id"] for spec in specs]
        left = [name for name in names if name not in of_paper]
        specs += model_specs.zoo_specs(options.zoo, left, options.seed, options.count) if left or not names else []
    result: dict[str, Any] = {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "device": torch.cuda.get_device_name() if options.device != "cpu" else f"CPU, {platform.machine()}",
        "processors": os.cpu_count(),
        "load": [],
        "backend": options.backend,
        "size": options.size,
        "groups": options.groups,
        "models": [],
    }
    for number, spec in enumerate(specs, 1):
        for setting in settings(options):
            print(f"measuring {number} of {len(specs)}: {spec['id']} ...", flush=True)
            result["models"].append(compare(spec, setting, options))
            result["load"].append(os.getloadavg()[0])
            keep(result, options.json)  # what there is, should this be cut off
    return result


def show(result: dict[str, Any]) -> None:
    table = Table(title=f"Plain and mended, {result['backend']}, {result['device']} (torch {result['torch']})")
    headings = ("model", "dtype, batch", "breaks", "graphs", "recompiled", "first, s", "steady, ms")
    for heading in (*headings, "mended/plain", "mended/by hand", "plain twice", "equal to eager"):
        table.add_column(heading, justify="left" if heading == "model" else "right")
    for row in result["models"]:
        cells = [row["model"], f"{row['dtype']}, {row['batch']}"]
        if "failed" in row:
            table.add_row(*cells, f"failed: {row['failed'][:60]}")
            continue
        for kind in ("breaks", "graphs", "recompilations"):
            cells.append(f"{row[kind]['plain']} -> {row[kind]['mended']}")
        cells.append(" -> ".join(f"{row['first'][name]:.1f}" for name in ("plain", "mended")))
        cells.append(" -> ".join(f"{row['steady'][name]['median'] * 1e3:.2f}" for name in ("plain", "mended")))
        ratios = ("mended/plain", "mended/hand", "again/plain")
        cells += [spread(row[name]) if name in row else "" for name in ratios]
        table.add_row(*cells, row["equal"]["mended"])
    Console(width=190).print(table)
    if result["load"]:
        low, high = min(result["load"]), max(result["load"])
        print(f"load of the machine: {low:.1f} to {high:.1f}, {result['processors']} processors")


def failures(result: dict[str, Any]) -> list[str]:
    """Mended models that do something else, or cannot be run, where the plain ones do as eager does."""
    found = []
    for row in result["models"]:
        if row.get("failed", "").startswith(("mended", "hand")):
            found.append(f"{row['model']}: {row['failed']}")
        elif "failed" not in row and row["equal"]["mended"] == "different" != row["equal"]["plain"]:
            found.append(f"{row['model']}: the mended one differs from eager by {row['difference']['mended']:.1e}")
        elif row.get("graphs", {}).get("hand", 1) != 1 or row.get("equal", {}).get("hand") == "different":
            found.append(f"{row['model']}: the version by hand is not one graph, or differs from eager")
    return found


def main() -> int:
    arguments = parser(__doc__, groups=15, rounds=40)
    arguments.add_argument("--only", help="ids of models, with commas between them")
    arguments.add_argument("--zoo", help="file with a spec on each line")
    arguments.add_argument("--count", type=int, default=20, help="so many models of the zoo, unless --only names them")
    arguments.add_argument("--seed", type=int, default=1, help="for the choice among the models of the zoo")
    arguments.add_argument("--limit", type=float, default=1800, help="seconds that a process of a model may take")
    arguments.add_argument("--backend", default="inductor")
    arguments.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    arguments.add_argument("--dtypes", default="float16,bfloat16", help="on a GPU, with commas between them")
    arguments.add_argument("--batches", default="1,32", help="on a GPU, with commas between them")
    arguments.add_argument(
        "--lock", help="file that measurements side by side share, so that one at a time takes turns"
    )
    arguments.add_argument("--size", choices=["small", "base"], default="small", help="of the models of the paper")
    options = arguments.parse_args()
    result = run(options)
    show(result)
    return finish(result, options.json, failures(result))


if __name__ == "__main__":
    sys.exit(main())
