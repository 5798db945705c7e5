"""One variant of a model for models.py, in a process of its own: it makes calls when it is told to.

usage: model_worker.py SPEC.json --reference FILE --variant eager|compiled|hand [--backend inductor] [--device cpu]
       [--dtype float16] [--batch 1]

Reads commands from the standard input, a line each, and answers with a line of JSON: `first` makes the first calls,
`turn` a turn of calls, `device` counts the kernels that a call launches, and the times that it waits for them. What
eager returns goes to the reference; the others compare with it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from typing import Any

import by_hand
import model_specs
import torch
import torch._dynamo
from paper_check import collected_breaks  # model_specs says where it is
from turns import Counting, fastest

CALLS = 3  # first ones, two with arguments of their own
LAUNCHES = ("cudaLaunchKernel", "cuLaunchKernel", "cudaGraphLaunch", "hipLaunchKernel", "hipModuleLaunchKernel")
WAITS = ("cudaStreamSynchronize", "hipStreamSynchronize")  # of a number that is read; a call's end waits for the device
TOLERANCE = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 5e-2}


def difference(found: list[torch.Tensor], expected: list[torch.Tensor]) -> float:
    """The largest difference beside the largest magnitude of a tensor (0: bit for bit, infinite: other tensors)."""
    if len(found) != len(expected):
        return float("inf")
    largest = 0.0
    for one, other in zip(found, expected):
        if one.shape != other.shape or one.dtype != other.dtype:
            return float("inf")
        if one.numel() and not torch.equal(one, other):
            one, other = (torch.view_as_real(x) if x.is_complex() else x for x in (one, other))
            one, other = one.double(), other.double()
            alike = one.eq(other) | (one.isnan() & other.isnan())  # infinities are equal, their difference is none
            gap = torch.where(alike, 0.0, (one - other).abs()).max().item()
            scale = max(1.0, other[other.isfinite()].abs().max().item() if other.isfinite().any() else 1.0)
            largest = max(largest, gap / scale if gap == gap else float("inf"))
    return largest


class Subject:
    """The model and what is done with it."""

    def __init__(self, options: argparse.Namespace, spec: model_specs.Spec) -> None:
        self.options = options
        self.cuda = options.device.startswith("cuda")
        self.dtype = options.dtype or spec.get("dtype", "float32")
        hand = spec["by_hand"] if options.variant == "hand" else {}
        for path, changes in hand.get("edits", {}).items():
            by_hand.edit(path, changes)
        forced = getattr(torch, options.dtype) if options.dtype else None
        self.model = model_specs.build_model({**spec, "dtype": self.dtype}).to(options.device)
        calls = model_specs.build_calls(spec, CALLS - 1)
        self.calls = [model_specs.moved(call, options.device, forced, options.batch) for call in [*calls, calls[0]]]
        self.backend = Counting(options.backend)
        self.breaks = collected_breaks()
        compiled = options.variant != "eager"
        if compiled:  # so that the first call does not pay for what the compiler imports
            torch.compile(lambda x: x + 1, backend=options.backend)(torch.ones(2, device=options.device))
            torch._dynamo.reset()
        self.function = torch.compile(self.model, backend=self.backend) if compiled else self.model
        if "lists" in hand:
            self.function = by_hand.with_lists(self.function, hand["lists"])

    def wait(self) -> None:
        if self.cuda:
            torch.cuda.synchronize()

    def call(self) -> None:
        """A call with the arguments of the first one, to its end."""
        self.function(**self.calls[0])
        self.wait()

    def first(self) -> dict[str, Any]:
        """The first calls: how long the first took, what they compiled, and how their results compare with eager."""
        seconds, graphs, outputs = [], [], []
        for call in self.calls:
            model_specs.seed_all(33)
            started = time.perf_counter()
            output = self.function(**call)
            self.wait()
            seconds.append(time.perf_counter() - started)
            graphs.append(self.backend.graphs)
            outputs.append([tensor.cpu().clone() for tensor in model_specs.tensors(output)])
        record = {"first": seconds[0], "graphs": graphs[-1], "recompilations": graphs[-1] - graphs[0]}
        record["breaks"] = len(self.breaks.buffer)
        if self.options.variant == "eager":
            torch.save(outputs, self.options.reference)
            return record
        expected = torch.load(self.options.reference)
        found = max(difference(one, other) for one, other in zip(outputs, expected))
        within = "bit for bit" if found == 0 else f"within {TOLERANCE[self.dtype]:.0e}"
        record["equal"] = within if found <= TOLERANCE[self.dtype] else "different"
        record["difference"] = min(found, sys.float_info.max)
        return record

    def turn(self) -> dict[str, Any]:
        return {"ns": fastest(self.call)}

    def device(self) -> dict[str, Any]:
        """Kernels that a call launches, and waits of the host inside it; none where there is no accelerator."""
        if not self.cuda:
            return {"launches": None, "waits": None}
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities) as profile:
            self.call()
        rows = profile.key_averages()
        kinds = {"launches": LAUNCHES, "waits": WAITS}
        return {kind: sum(row.count for row in rows if row.key.startswith(names)) for kind, names in kinds.items()}


def serve(subject: Subject, answers: Any) -> None:
    """Answer commands until there are no more."""
    for line in sys.stdin:
        answers.write(json.dumps(getattr(subject, line.strip())()) + "\n")
        answers.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec")
    parser.add_argument("--reference", required=True)
    parser.add_argument("--variant", choices=["eager", "compiled", "hand"], required=True)
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype")
    parser.add_argument("--batch", type=int, default=1)
    options = parser.parse_args()
    # What the model prints is not an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    torch.set_num_threads(1)
    with open(options.spec, encoding="utf-8") as stream:
        spec = json.load(stream)
    grad = contextlib.nullcontext() if spec.get("train") else torch.no_grad()
    with grad:
        serve(Subject(options, spec), answers)


if __name__ == "__main__":
    main()
