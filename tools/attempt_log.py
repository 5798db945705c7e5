"""Log each trace of a program that failed: what was refused, and what was tried next.

usage: graphmend run tools/attempt_log.py PROGRAM [ROUNDS]

PROGRAM has the form of the kit's cases: `model()` and `calls()`. For each trace that failed there are the CPU seconds,
the strategy of the next trace, the refused sites with reasons, and the beginning of the error; for each call the CPU
seconds and the graphs that were compiled. Settings of the environment: BACKEND names another backend than `eager`,
LONG=1 asks for the whole error, GUARDS=1 for the guards that no graph passes, SEED for other random numbers.
"""

from __future__ import annotations

import importlib
import logging
import os
import pathlib
import random
import sys
import time
from typing import Any

import torch
from torch._dynamo.backends.registry import lookup_backend
from torch.utils._pytree import tree_map

from graphmend.runtime.driver import retry_policy
from graphmend.runtime.driver.callback import Callback


def loaded(path: pathlib.Path) -> Any:
    """The module of a program, imported by its name as any module is."""
    sys.path.insert(0, str(path.parent))
    return importlib.import_module(path.stem)


def log_failures() -> None:
    """Print a line for each attempt that fails."""
    take, attempt = retry_policy.Course.take, Callback.attempt
    spent = [0.0]

    def timed(self: Callback, *arguments: Any) -> Any:
        begin = time.process_time()
        if os.environ.get("GUARDS"):
            log_guards(arguments[1])
        try:
            return attempt(self, *arguments)
        finally:
            spent[0] = time.process_time() - begin

    def logged(self: retry_policy.Course, strategy: retry_policy.Strategy, failed: retry_policy.Attempt) -> None:
        what = "call" if self.whole else "part"
        print(f"  {what}: {spent[0]:.2f} s, {strategy.name}", file=sys.stderr)
        for site, reason in failed.trace.refusals.items():
            print(f"    {site}: {reason}", file=sys.stderr)
        if failed.error is not None:
            lines = [line.strip() for line in str(failed.error).splitlines() if line.strip()]
            print("    " + " | ".join(lines[: 40 if os.environ.get("LONG") else 4])[:1500], file=sys.stderr)
            for place in (getattr(failed.error, "real_stack", None) or ())[-4:]:
                print(f"      at {place.filename}:{place.lineno} {place.line}", file=sys.stderr)
        take(self, strategy, failed)

    Callback.attempt = timed  # type: ignore[method-assign]
    retry_policy.Course.take = logged  # type: ignore[method-assign]


def log_guards(frame: Any) -> None:
    """Print why no graph of a frame serves the call."""
    from torch._dynamo.eval_frame import _debug_get_cache_entry_list

    for entry in _debug_get_cache_entry_list(frame.f_code):
        failed = entry.guard_manager.check_verbose(frame.f_locals)
        path = getattr(getattr(entry, "backend", None), "path", None)
        print(f"    variant {path}: {str(failed.verbose_code_parts)[:300]}", file=sys.stderr)


def seed(number: int) -> None:
    random.seed(number)
    torch.manual_seed(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number)


def require_gradient(value: Any) -> None:
    """Have a floating tensor among the arguments require a gradient, as in the kit."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        value.requires_grad_()


class GraphCount:
    """A backend that counts the graphs it compiles."""

    def __init__(self, name: str) -> None:
        self.compile, self.graphs = lookup_backend(name), 0

    def __call__(self, graph: Any, inputs: Any) -> Any:
        self.graphs += 1
        return self.compile(graph, inputs)


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    path, rounds = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2
    program = loaded(path)
    log_failures()
    number = int(os.environ.get("SEED", "0"))
    seed(number)
    backend = GraphCount(os.environ.get("BACKEND", "eager"))
    compiled = torch.compile(program.model(), backend=backend)
    if getattr(program, "TRAIN", None) is not None and isinstance(compiled, torch.nn.Module):
        compiled.train(program.TRAIN)
    for turn in range(rounds):
        seed(number + 1)
        grad = getattr(program, "GRAD", True) is not False
        for place, call in enumerate(program.calls()):
            if grad:
                tree_map(require_gradient, call)
            begin, backend.graphs = time.process_time(), 0
            with torch.set_grad_enabled(grad):
                try:
                    compiled(**call) if isinstance(call, dict) else compiled(*call)
                except Exception as error:
                    print(f"  {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
            spent = time.process_time() - begin
            print(f"round {turn}, call {place}: {spent:.2f} s, {backend.graphs} graphs", file=sys.stderr)


main()
