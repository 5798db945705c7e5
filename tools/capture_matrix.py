"""Which programs are captured rightly, before and after `graphmend fix --unsafe`, by each way to make a graph.

usage: capture_matrix.py [--cases DIR] [--only PATTERN] [--jobs N] [--timeout SECONDS] [--json FILE.json]

The programs are the modules of bench/demo_functions.py and, with --cases, the cases of an evaluation kit. A program
is captured with its first call and then called with all of them; what it does is compared with what the program as it
was does in eager Python: results, inputs and state afterwards, exceptions, and what is printed and logged.

right    all of it is the same
silent   all but what is printed and logged
WRONG    something else, without any complaint
refused  it is not captured as one graph, or an exception is raised where eager Python has none, or another one

Every capture runs in a process of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import dataclasses
import fnmatch
import importlib
import importlib.metadata
import importlib.util
import inspect
import io
import json
import logging
import multiprocessing
import multiprocessing.connection
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Optional

import torch
import torch.utils._pytree as pytree

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "bench" / "demo_functions.py"
RIGHT, SILENT, WRONG, REFUSED = "right", "silent", "WRONG", "refused"
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
Call = tuple[tuple[Any, ...], dict[str, Any]]


class Refused(Exception):
    """The program was not captured as one graph."""


# ---- Programs


@dataclasses.dataclass
class Program:
    """A fresh model and its calls."""

    model: Any
    calls: list[Call]


def load(path: str, name: str) -> Program:
    """The program of this name in a file: a module of the demo, or a case."""
    stem = Path(path).stem
    specification = importlib.util.spec_from_file_location(stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[stem] = module
    specification.loader.exec_module(module)
    torch.manual_seed(0)
    if hasattr(module, "model"):
        model, given = module.model(), module.calls()
        if hasattr(module, "TRAIN") and isinstance(model, torch.nn.Module):
            model.train(module.TRAIN)
    else:
        model, given = getattr(module, name)(), module.calls()[name]
    return Program(model, [((), dict(one)) if isinstance(one, dict) else (tuple(one), {}) for one in given])


def names_in(path: Path) -> list[str]:
    """The names of the programs in a file."""
    if path == DEMO:
        specification = importlib.util.spec_from_file_location(path.stem, path)
        assert specification is not None and specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return list(module.calls())
    return [path.stem]


# ---- What a program does


@dataclasses.dataclass
class Seen:
    """What one call did."""

    result: Any = None
    inputs: Any = None
    error: Optional[tuple[str, str]] = None
    output: str = ""


class Records(logging.Handler):
    """The log records of programs, in line with what they print; torch's own are not theirs."""

    def __init__(self, stream: io.StringIO) -> None:
        super().__init__()
        self.stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith(("torch", "onnx", "jax")):
            self.stream.write(f"{record.levelname} {record.getMessage()}\n")


@contextlib.contextmanager
def listening() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = Records(stream)
    logging.root.addHandler(handler)
    try:
        with contextlib.redirect_stdout(stream), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield stream
    finally:
        logging.root.removeHandler(handler)


def see(function: Callable[..., Any], calls: list[Call]) -> list[Seen]:
    """What a function does in each call."""
    found = []
    for args, kwargs in copy.deepcopy(calls):
        one = Seen()
        torch.manual_seed(1)
        with listening() as stream:
            try:
                result = function(*args, **kwargs)
                one.result = copy.deepcopy(pytree.tree_map(detached, result))
            except Refused:
                raise
            except Exception as error:
                one.error = (type(error).__name__, str(error))
        one.inputs, one.output = pytree.tree_map(detached, (args, kwargs)), stream.getvalue()
        found.append(one)
    return found


def detached(value: Any) -> Any:
    return value.detach().cpu().clone() if isinstance(value, torch.Tensor) else value


def same(left: Any, right: Any) -> bool:
    """Whether two results are the same, however they are nested: some graphs have only lists."""
    one, other = pytree.tree_leaves(left), pytree.tree_leaves(right)
    return len(one) == len(other) and all(map(same_leaf, one, other))


def same_leaf(left: Any, right: Any) -> bool:
    if not isinstance(left, torch.Tensor) or not isinstance(right, torch.Tensor):
        return type(left) is type(right) and bool(left == right or left != left)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    inexact = left.is_floating_point() or left.is_complex()
    return torch.allclose(left, right, equal_nan=True, **TOLERANCE) if inexact else torch.equal(left, right)


def state_of(model: Any) -> Any:
    return (
        {name: detached(value) for name, value in model.state_dict().items()}
        if isinstance(model, torch.nn.Module)
        else {}
    )


def compare(expected: list[Seen], found: list[Seen]) -> tuple[str, str]:
    """The outcome, and why."""
    for index, (eager, one) in enumerate(zip(expected, found)):
        if one.error is not None and one.error != eager.error:
            return REFUSED, f"call {index}: {one.error[0]}: {first_line(one.error[1])}"
    for index, (eager, one) in enumerate(zip(expected, found)):
        if eager.error != one.error:
            return WRONG, f"call {index}: {eager.error[0] if eager.error else 'an exception'} is not raised"
        if not same(eager.result, one.result):
            return WRONG, f"call {index}: another result"
        if not same(eager.inputs, one.inputs):
            return WRONG, f"call {index}: other inputs afterwards"
    lost = next((index for index, (eager, one) in enumerate(zip(expected, found)) if eager.output != one.output), None)
    return (RIGHT, "") if lost is None else (SILENT, f"call {lost}: other output")


def first_line(text: str) -> str:
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return lines[0][:160] if lines else ""


# ---- Ways to make a graph


class Wrapped(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def as_module(model: Any) -> torch.nn.Module:
    return model if isinstance(model, torch.nn.Module) else Wrapped(model)


def jit_trace(program: Program) -> Callable[..., Any]:
    args, kwargs = copy.deepcopy(program.calls[0])
    if kwargs:
        return torch.jit.trace(program.model, example_kwarg_inputs=kwargs, check_trace=False)
    return torch.jit.trace(program.model, args, check_trace=False)


def jit_script(program: Program) -> Callable[..., Any]:
    return torch.jit.script(program.model)


def fx_trace(program: Program) -> Callable[..., Any]:
    return torch.fx.symbolic_trace(program.model)


def export(program: Program) -> Callable[..., Any]:
    args, kwargs = copy.deepcopy(program.calls[0])
    return torch.export.export(as_module(program.model), args, kwargs).module()


def fullgraph(program: Program) -> Callable[..., Any]:
    from torch._dynamo.exc import TorchDynamoException

    compiled = torch.compile(program.model, fullgraph=True, backend="eager")

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return compiled(*args, **kwargs)
        except TorchDynamoException as error:
            raise Refused(f"{type(error).__name__}: {first_line(str(error))}") from error

    return call


def onnx(program: Program) -> Callable[..., Any]:
    args, kwargs = copy.deepcopy(program.calls[0])
    made = torch.onnx.export(as_module(program.model), args, kwargs=kwargs, dynamo=True, verbose=False)
    assert made is not None

    def call(*args: Any, **kwargs: Any) -> Any:
        results = made(*args, **kwargs)
        return results[0] if len(results) == 1 else tuple(results)

    return call


def lazy(program: Program) -> Callable[..., Any]:
    """Operations are collected until somebody asks for a value; asking in the middle of a call cuts its graph."""
    from torch._lazy import mark_step, metrics, ts_backend

    ts_backend.init()
    model = program.model.to("lazy") if isinstance(program.model, torch.nn.Module) else program.model

    def call(*args: Any, **kwargs: Any) -> Any:
        there = pytree.tree_map(lambda one: one.to("lazy") if isinstance(one, torch.Tensor) else one, (args, kwargs))
        mark_step()
        metrics.reset()
        result = model(*there[0], **there[1])
        names = set(metrics.counter_names())
        if {"UncachedCompile", "CachedCompile"} & names:
            cutting = ", ".join(sorted(name for name in names if name.startswith("aten::")))
            raise Refused(f"the graph is cut by {cutting or 'a value that is asked for'}")
        for given, after in zip(pytree.tree_leaves((args, kwargs)), pytree.tree_leaves(there)):
            if isinstance(given, torch.Tensor):
                given.data.copy_(after.cpu())
        return pytree.tree_map(detached, result)

    return call


def jax(program: Program) -> Callable[..., Any]:
    import torchax
    import torchax.interop

    torchax.enable_globally()
    model = program.model.to("jax") if isinstance(program.model, torch.nn.Module) else program.model
    compiled = torchax.interop.jax_jit(model)

    def call(*args: Any, **kwargs: Any) -> Any:
        there = pytree.tree_map(lambda one: one.to("jax") if isinstance(one, torch.Tensor) else one, (args, kwargs))
        return pytree.tree_map(detached, compiled(*there[0], **there[1]))

    return call


CAPTURES: dict[str, Callable[[Program], Callable[..., Any]]] = {
    "jit.trace": jit_trace,
    "jit.script": jit_script,
    "fx.symbolic_trace": fx_trace,
    "export": export,
    "compile, fullgraph": fullgraph,
    "ONNX": onnx,
    "lazy tensors": lazy,
    "JAX": jax,
}


def lacking(name: str) -> Optional[str]:
    """Why a way cannot be tried here; None where it can."""
    try:
        if name == "ONNX":
            import onnxruntime  # noqa: F401
            import onnxscript  # noqa: F401
        elif name == "JAX":
            import torchax  # noqa: F401
        elif name == "lazy tensors":
            from torch._lazy import ts_backend  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed"
    except Exception as error:
        return f"{type(error).__name__}: {first_line(str(error))}"
    return None


# ---- One capture


def judge(original: str, path: str, name: str, capture: str) -> tuple[str, str]:
    """Capture the program in a file and compare it with the original in eager Python."""
    plain = load(original, name)
    expected = see(plain.model, plain.calls)
    program = load(path, name)
    try:
        with listening():
            captured = CAPTURES[capture](program)
        found = see(captured, program.calls)
    except Exception as error:
        return REFUSED, reason_of(error)
    outcome, why = compare(expected, found)
    if outcome in (RIGHT, SILENT) and capture not in ("ONNX", "JAX"):  # these hold no state of the module
        holder = captured if isinstance(captured, torch.nn.Module) else program.model
        before, after = state_of(plain.model), state_of(holder)
        if any(not same_leaf(value, after[key]) for key, value in before.items() if key in after):
            return WRONG, "another state of the module"
    return outcome, why


def reason_of(error: BaseException) -> str:
    """Why there is no graph, by the exception that was first."""
    while error.__cause__ is not None and not isinstance(error, Refused):
        error = error.__cause__
    return first_line(str(error)) if isinstance(error, Refused) else f"{type(error).__name__}: {first_line(str(error))}"


def child(connection: Any, task: tuple[str, str, str, str]) -> None:
    torch.set_num_threads(1)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 2)
        try:
            result = judge(*task)
        except Exception as error:
            result = ("failed", f"{type(error).__name__}: {first_line(str(error))}")
    connection.send(result)
    connection.close()


@dataclasses.dataclass
class Running:
    """A process, and when it has to have ended."""

    key: int
    process: Any
    end: float


def warm() -> None:
    """Import once what every process would import."""
    torch.set_num_threads(1)
    for name in ("torch._dynamo", "torch.export", "torch.onnx._internal.exporter._core", "onnxscript", "onnxruntime"):
        with contextlib.suppress(ImportError), open(os.devnull, "w") as nothing, contextlib.redirect_stderr(nothing):
            importlib.import_module(name)


def run_all(tasks: list[tuple[str, str, str, str]], jobs: int, timeout: float) -> list[tuple[str, str]]:
    """The outcomes of all tasks, each in a process of its own."""
    warm()
    context = multiprocessing.get_context("fork")
    results: list[tuple[str, str]] = [("", "")] * len(tasks)
    waiting, running = list(range(len(tasks)))[::-1], {}
    while waiting or running:
        while waiting and len(running) < jobs:
            receiver, sender = context.Pipe(duplex=False)
            key = waiting.pop()
            process = context.Process(target=child, args=(sender, tasks[key]))
            process.start()
            sender.close()
            running[receiver] = Running(key, process, time.monotonic() + timeout)
        ready = set(multiprocessing.connection.wait(list(running), timeout=1.0))
        for receiver in [one for one in running if one in ready or running[one].end < time.monotonic()]:
            one = running.pop(receiver)
            results[one.key] = finish(receiver, one, receiver in ready)
            if sys.stderr.isatty():
                print(f"\r{len(tasks) - len(waiting) - len(running)}/{len(tasks)}", end="", file=sys.stderr, flush=True)
    return results


def finish(receiver: Any, one: Running, ready: bool) -> tuple[str, str]:
    result = (REFUSED, "no answer in time")
    if ready:
        try:
            result = receiver.recv()
        except EOFError:
            result = (REFUSED, "the process crashed")
    else:
        one.process.terminate()
    one.process.join()
    return result


# ---- All of them


def find_graphmend() -> str:
    beside = Path(sys.executable).with_name("graphmend")
    found = str(beside) if beside.exists() else shutil.which("graphmend")
    assert found, "graphmend is not installed: run `make build`"
    return found


def fixed_copy(path: Path, folder: Path) -> Path:
    """The file as `graphmend fix --unsafe` writes it."""
    target = folder / path.name
    shutil.copy(path, target)
    done = subprocess.run(
        [find_graphmend(), "fix", "--unsafe", "--isolated", str(target)], capture_output=True, text=True
    )
    if done.returncode == 2:
        raise SystemExit(f"capture_matrix.py: {done.stderr}")
    return target


def measure(files: list[Path], pattern: str, jobs: int, timeout: float) -> list[dict[str, Any]]:
    """A row for each program: its outcomes before and after."""
    ways = [name for name in CAPTURES if lacking(name) is None]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows: list[dict[str, Any]] = []
        tasks: dict[tuple[str, str, str, str], None] = {}
        for path in files:
            fixed = fixed_copy(path, folder)
            changed = fixed.read_bytes() != path.read_bytes()
            for program in filter(lambda one: fnmatch.fnmatch(one, pattern), names_in(path)):
                sources = {"before": str(path), "after": str(fixed if changed else path)}
                rows.append({"program": program, "demo": path == DEMO, "changed": changed, "sources": sources})
                tasks.update(((str(path), source, program, way), None) for source in sources.values() for way in ways)
        outcomes = dict(zip(tasks, run_all(list(tasks), jobs, timeout)))
    for row in rows:
        sources = row.pop("sources")
        for side, source in sources.items():
            row[side] = {way: outcomes[sources["before"], source, row["program"], way] for way in ways}
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=inspect.cleandoc(__doc__ or ""), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    files = [DEMO, *(sorted(options.cases.glob("*.py")) if options.cases else [])]
    rows = measure(files, options.only, options.jobs, options.timeout)
    missing = {name: why for name in CAPTURES if (why := lacking(name)) is not None}
    packages = ("torch", "onnx", "onnxruntime", "onnxscript", "jax", "torchax")
    versions = {name: version for name in packages if (version := version_of(name)) is not None}
    if options.json:
        options.json.write_text(
            json.dumps({"rows": rows, "missing": missing, "versions": versions}, indent=1) + "\n", encoding="utf-8"
        )
    for row in rows:
        for side in ("before", "after"):
            print(
                f"{row['program']:28} {side:7}",
                *(f"{way}: {outcome}" for way, (outcome, _) in row[side].items()),
                sep="  ",
            )
    for name, why in missing.items():
        print(f"{name}: SKIPPED, {why}")


def version_of(package: str) -> Optional[str]:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
