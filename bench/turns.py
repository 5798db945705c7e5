"""What the measurements under bench share: variants that take turns, the ratios of their times, and how they end."""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
import torch._dynamo

TURN = 5  # calls of a variant in a row; the first of them find the caches of the processor cold
Function = Callable[..., Any]
Times = dict[str, list[float]]


def used() -> float:
    """Seconds of the processor that this process and those it has started have taken."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def answer(command: list[str], cache: str, limit: float, cwd: str | None = None) -> dict[str, Any]:
    """What a process says in the last line of its output: one thread, no kernels kept, graphmend's cache in a folder.

    Raises RuntimeError with the last line of its errors, and TimeoutExpired.
    """
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS"), "1")
    caches = {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "GRAPHMEND_CACHE_DIR": cache}
    environment = {**os.environ, **one_thread, **caches}
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=limit)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it has ended"])[-1])
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def load(name: str, path: Path) -> types.ModuleType:
    """The functions of a file under a name of their own; mended if graphmend is installed by now."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Counting:
    """A backend that counts the graphs which it hands to another one."""

    def __init__(self, backend: str) -> None:
        self.graphs = 0
        self.inner = torch._dynamo.lookup_backend(backend)

    def __call__(self, graph: torch.fx.GraphModule, inputs: Any) -> Any:
        self.graphs += 1
        return self.inner(graph, inputs)


def fastest(function: Function, args: Iterable[Any] = ()) -> int:
    """Nanoseconds of the fastest call of one turn."""
    best = sys.maxsize
    for _ in range(TURN):
        started = time.perf_counter_ns()
        function(*args)
        best = min(best, time.perf_counter_ns() - started)
    return best


def measure(turns: dict[str, Callable[[], int]], groups: int, rounds: int) -> Times:
    """Seconds of the fastest call in each group of rounds, by variant; whoever goes first changes every round.

    A turn returns the nanoseconds of its fastest call.
    """
    names = list(turns)
    seconds: Times = {name: [] for name in names}
    gc.collect()
    gc.disable()
    try:
        for group in range(groups):
            best = dict.fromkeys(names, sys.maxsize)
            for number in range(group * rounds, (group + 1) * rounds):
                for i in range(len(names)):
                    name = names[(number + i) % len(names)]
                    best[name] = min(best[name], turns[name]())
            for name in names:
                seconds[name].append(best[name] / 1e9)
    finally:
        gc.enable()
    return seconds


def quartiles(values: list[float]) -> dict[str, float]:
    """Median and quartiles."""
    low, median, high = statistics.quantiles(values, n=4)
    return {"median": median, "low": low, "high": high}


def ratio(seconds: Times, name: str, other: str) -> dict[str, float]:
    """Median and quartiles of the ratio of two variants over the groups."""
    return quartiles([a / b for a, b in zip(seconds[name], seconds[other])])


def longer(seconds: Times, name: str, other: str) -> float:
    """Microseconds by which one variant takes longer than another, median over the groups."""
    return statistics.median(a - b for a, b in zip(seconds[name], seconds[other])) * 1e6


def spread(value: dict[str, float]) -> str:
    return f"{value['median']:.3f} ({value['low']:.2f}-{value['high']:.2f})"


def parser(description: str | None, groups: int, rounds: int) -> argparse.ArgumentParser:
    """The options that all measurements have."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--json", help="file for the numbers")
    made.add_argument("--groups", type=int, default=groups, help="the median of so many groups counts")
    made.add_argument("--rounds", type=int, default=rounds, help="rounds in a group, of which the fastest call counts")
    return made


def keep(result: dict[str, Any], path: str | None) -> None:
    """Write the numbers to a file, if they are wanted in one."""
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(json.dumps(result, indent=1), encoding="utf-8")


def finish(result: dict[str, Any], path: str | None, broken: list[str]) -> int:
    """Keep the numbers and name the promises that are not kept; the exit status."""
    keep(result, path)
    for text in broken:
        print(f"bench: {text}", file=sys.stderr)
    return int(bool(broken))
