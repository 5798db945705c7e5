"""A report as docs/verify.md describes it, with everything in it that a page has to get right.

Two callables, calls that compile again, a function that is given up, places that are not mended, differences, a crash,
hostile names, missing figures.
"""

from __future__ import annotations

import copy
from typing import Any

SOURCE = """import torch


class Gate(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if torch.isnan(x).any():
            raise ValueError("NaN & more <in> the input")
        y = torch.relu(x)
        y = y * 2
        y = y + 1
        y = y - 3
        y = y * 0.125
        y = y + 0.5
        y = y * 4
        y = y - 1
        if y.sum() > 10:
            y = y * 0.5
        print("mean", y.mean())
        return y
"""
MENDED = SOURCE.replace(
    "        if torch.isnan(x).any():",
    '        if _gm.on("gate.py:6:9:GM401"):\n            _gm.check(torch.isnan(x).any())\n'
    "        elif torch.isnan(x).any():",
).replace('        print("mean", y.mean())', "        _gm.defer(_gm_sink__1, y.mean())")
LINES = [*range(1, 6), 6, 6, 6, *range(7, 20)]
FILE = "/project/gate.py"
OTHER = "/project/<b>&amp;/ünï.py"


def side(breaks: int, graphs: int, **more: Any) -> dict[str, Any]:
    figures = {"breaks": breaks, "graphs": graphs, "operations": 3 * graphs, "skipped_frames": 0, "recompiles": 0}
    fullgraph = {"whole": breaks == 0, "reason": None if breaks == 0 else "Unsupported: Data-dependent branching"}
    times = {"first_call": 9.8125, "steady": {"calls": 10, "median": 0.000214, "low": 0.000201, "high": 0.000256}}
    return {**figures, "fullgraph": fullgraph, **times, "backward": None, "timeline": [], **more}


def graph(call: int, operations: int, first: int, last: int) -> dict[str, Any]:
    lines = [{"file": FILE, "first": first, "last": last}]
    return {"kind": "graph", "call": call, "operations": operations, "lines": lines}


def gap(call: int, site: int | None, line: int) -> dict[str, Any]:
    told = {"break_id": "GB0170", "reason": "Data-dependent branching"}
    return {"kind": "break", "call": call, "site": site, "file": FILE, "line": line, **told}


def skipped(call: int) -> dict[str, Any]:
    reason = "an error was suppressed during compilation"
    return {"kind": "skipped", "call": call, "name": "<lambda>", "file": OTHER, "line": 20, "reason": reason}


def site(file: str, line: int, code: str | None, mended: bool, **more: Any) -> dict[str, Any]:
    text = SOURCE.splitlines()[line - 1] if file == FILE else "    return x if x.sum() > 0 else '</script><b>'"
    observed = {
        "plain": {"breaks": 1, "reasons": ["Data-dependent branching"]},
        "mended": {"breaks": int(not mended), "reasons": []},
    }
    told = {"name": None, "message": None, "because": None, "advice": None, "level": None}
    return {
        "file": file,
        "line": line,
        "end_line": line,
        "column": 9,
        "code": code,
        "break_id": "GB0170",
        **told,
        "source": text,
        "predicted": code is not None,
        "observed": observed,
        "mended": mended,
        "why_not": None,
        **more,
    }


def run(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "outcome": "ended",
        "exit_status": 0,
        "signal": None,
        "seconds": 14.9,
        "exception": None,
        "where": None,
        "stderr": [],
        "peak_memory": {"host": 702115840, "device": None},
        **more,
    }


def report() -> dict[str, Any]:
    """A mended program that does something else."""
    crash = {"type": "RuntimeError", "text": "</script><script>alert(1)</script>"}
    where = {"callable": "Gate", "call": 3, "stack": ["gate.py:12 in forward", "torch/nn/module.py:1 in __call__"]}
    first = [gap(0, 0, 6), graph(0, 2, 6, 6), gap(0, 1, 16), graph(0, 14, 8, 15), gap(0, 2, 18), graph(0, 1, 18, 19)]
    again = [graph(4, 2, 6, 6), gap(4, None, 16), skipped(4)]
    mended = {"mode": "partial", "reason": "its graph has a hole", "paths": 2, "eager_calls": 1}
    return {
        "version": 1,
        "graphmend": "0.1.0",
        "torch": "2.13.0+cpu",
        "python": "3.11.7",
        "platform": "Linux-x86_64",
        "device": "cpu",
        "threads": 4,
        "target": {"kind": "script", "name": 'gate <&> "co".py', "arguments": ["--lr", "<3e-4>"]},
        "options": {"backend": None, "calls": None, "seed": 0, "timeout": 3600.0, "fullgraph": True},
        "verdict": "different",
        "status": 1,
        "summary": ["4 breaks in 1,234 graphs became 1 in 2", "values differ in 1 of 20 calls"],
        "runs": [
            run("eager", seconds=3.21),
            run("plain"),
            run("mended", seconds=11.25, peak_memory={"host": 698204160, "device": 4096}),
            run(
                "mended fullgraph",
                outcome="signal",
                signal="SIGSEGV",
                exit_status=None,
                exception=crash,
                where=where,
                stderr=["line one", "line <two>"],
                peak_memory={"host": None, "device": None},
            ),
        ],
        "totals": {
            "plain": {"breaks": 4, "graphs": 1234, "operations": 21, "skipped_frames": 1, "recompiles": 1},
            "mended": {"breaks": 1, "graphs": 2, "operations": 23, "skipped_frames": 0, "recompiles": 0},
        },
        "callables": [
            {
                "name": "Gate",
                "file": FILE,
                "line": 4,
                "calls": 20,
                "plain": side(3, 4, skipped_frames=1, timeline=first + again),
                "mended": side(0, 1, first_call=6.125, timeline=[graph(0, 20, 6, 19)], **mended),
            },
            {
                "name": "step <&>",
                "file": OTHER,
                "line": 7,
                "calls": 0,
                "plain": side(
                    1,
                    2,
                    first_call=None,
                    steady=None,
                    fullgraph=None,
                    timeline=[graph(call, call % 70, 1, 1) for call in range(30)],
                ),
                "mended": side(1, 2, backward={"calls": 3, "median": 0.125, "low": 0.1, "high": 1.5}, **mended),
            },
        ],
        "sites": [
            site(
                FILE,
                6,
                "GM401",
                True,
                message="exception decided by the value of a tensor",
                because="`x` is a tensor",
                advice="check the data before the compiled part",
                name="data-dependent-raise",
                level="safe",
            ),
            site(
                FILE,
                16,
                "GM101",
                False,
                message="branch on the value of a tensor",
                why_not="the sides differ in <shape>",
            ),
            site(FILE, 18, "GM301", True, message="`print` ends the graph"),
            site(OTHER, 3, None, False),
        ],
        "files": [{"file": FILE, "source": SOURCE, "mended": MENDED, "lines": LINES}],
        "equality": {
            "equal": False,
            "calls": 20,
            "compared": 19,
            "tolerance": {"relative": 0.001, "absolute": 0.0001},
            "aspects": [
                {"name": "values", "compared": 20, "exact": 18, "rounded": 0, "mended": 1, "torch": 1, "unsettled": 0},
                {"name": "gradients", "compared": 0, "exact": 0, "rounded": 0, "mended": 0, "torch": 0, "unsettled": 0},
            ],
            "differences": [
                {
                    "aspect": "values",
                    "place": "call 3 of Gate: output[0]",
                    "whose": "mended",
                    "eager": "tensor float32 [8]",
                    "plain": None,
                    "mended": "values differ: 0.25 became <0.5>",
                },
            ],
        },
        "worse": [{"kind": "breaks", "callable": 0, "text": "Gate breaks 2 times, 1 time without graphmend"}],
    }


def bare_report() -> dict[str, Any]:
    """A program that could not be run: nothing but the members that are always there."""
    data = copy.deepcopy(report())
    data.update(verdict="not run", status=2, summary=[], callables=[], sites=[], files=[], equality=None, worse=[])
    data["runs"] = [
        run("eager", outcome="timeout", exit_status=None, seconds=3600.0, peak_memory={"host": None, "device": None})
    ]
    data["totals"] = {"plain": None, "mended": None}
    return data
