"""The report as data: what `--json` writes (docs/verify.md)."""

from __future__ import annotations

import json
import platform
from typing import Any, Optional

import graphmend
from graphmend import files

from . import figures, verdict
from .equality import Equality
from .options import Options
from .processes import ENDED
from .reading import Seen
from .settings import ROUNDINGS
from .sites import Sites

VERSION = 1


def run_data(name: str, seen: Seen) -> dict[str, Any]:
    """How one run went."""
    ended = seen.ended
    own_end = ended.outcome == ENDED
    begun = seen.begun
    error = seen.error()
    return {
        "name": name,
        "outcome": ended.outcome,
        "exit_status": ended.exit_status,
        "signal": ended.signal,
        "seconds": ended.seconds,
        "exception": None if error is None else {"type": error["type"], "text": error["text"]},
        "where": None
        if own_end
        else {
            "callable": None if begun is None else begun[0][0],
            "call": None if begun is None else begun[1],
            "stack": ended.stack(),
        },
        "stderr": [] if own_end and ended.exit_status == 0 else ended.last_lines(),
        "peak_memory": (seen.end or {}).get("memory", {"host": None, "device": None}),
    }


def empty() -> dict[str, Any]:
    """The parts that only a full set of runs can fill."""
    zero = {"breaks": 0, "graphs": 0, "operations": 0, "skipped_frames": 0, "recompiles": 0}
    equality: dict[str, Any] = {
        "equal": None,
        "word": None,
        "rounding": None,
        "calls": 0,
        "compared": 0,
        "tolerance": None,
    }
    equality.update(aspects=[], differences=[])
    return {
        "totals": {"plain": dict(zero), "mended": dict(zero)},
        "callables": [],
        "sites": [],
        "files": [],
        "equality": equality,
        "worse": [],
    }


def evidence(runs: dict[str, Seen], first_calls: bool) -> dict[str, Any]:
    """The evidence of the runs, side by side; `first_calls` is whether first calls are timed."""
    eager, plain, mended = runs["eager"], runs["plain"], runs["mended"]
    rounded = [runs[name] for name in ROUNDINGS if name in runs]
    sites = Sites(plain, mended)
    full: list[Optional[Seen]] = [runs.get("plain fullgraph"), runs.get("mended fullgraph")]
    callables = figures.callables(plain, mended, full, sites)
    for side in (item[name] for item in callables for name in ("plain", "mended")):
        side["first_call"] = side["first_call"] if first_calls else None
    return {
        "totals": {"plain": figures.count(plain, None), "mended": figures.count(mended, None)},
        "callables": callables,
        "sites": sites.as_data(),
        "files": sites.files(),
        "equality": Equality(eager, plain, mended, *rounded).as_data(),
        "worse": figures.worse(callables),
    }


def make(options: Options, runs: dict[str, Seen]) -> dict[str, Any]:
    """The whole report."""
    start = next((seen.start for seen in runs.values() if seen.start), {})
    impossible = verdict.cannot_be_verified(runs)
    mended = runs.get("mended")
    complete = impossible is None and mended is not None and mended.ended.outcome == ENDED
    data = evidence(runs, first_calls=options.kernels is None) if complete else empty()
    word, sentences = verdict.of(runs, data, impossible)
    return {
        "version": VERSION,
        "graphmend": graphmend.__version__,
        "torch": start.get("torch"),
        "mode": ((mended.report() if mended is not None else {}).get("mode") or {}).get("name"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": start.get("device"),
        "threads": start.get("threads"),
        "target": {"kind": options.kind, "name": options.name, "arguments": options.arguments},
        "options": {
            "backend": options.backend,
            "calls": options.calls,
            "seed": options.seed,
            "timeout": options.timeout,
            "fullgraph": options.fullgraph,
        },
        "verdict": word,
        "status": verdict.STATUS[word],
        "summary": sentences,
        "runs": [run_data(name, seen) for name, seen in runs.items()],
        **data,
    }


def save(data: dict[str, Any], path: str) -> None:
    """Write a report, in one step."""
    files.replace(path, json.dumps(data, indent=1) + "\n")
