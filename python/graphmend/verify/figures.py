"""Counts and times of each callable, plain and mended, and what became worse."""

from __future__ import annotations

import statistics
from typing import Any, Optional

from .reading import Call, Key, Seen

TIMELINE = 200


def count(seen: Seen, key: Optional[Key]) -> dict[str, int]:
    """The counts of one callable; of all callables for None."""
    lines = [line for owner, _, line in seen.dynamo if owner is not None and key in (None, owner)]
    kinds = [line["kind"] for line in lines]
    return {
        "breaks": kinds.count("break"),
        "graphs": kinds.count("graph"),
        "operations": sum(line["operations"] for line in lines if line["kind"] == "graph"),
        "skipped_frames": kinds.count("skipped"),
        "recompiles": kinds.count("recompile"),
    }


def compiling_calls(seen: Seen, key: Key) -> set[Optional[int]]:
    """The calls with compilation."""
    return {call for owner, call, _ in seen.dynamo if owner == key}


def spread(seconds: list[float]) -> Optional[dict[str, Any]]:
    """Median and quartiles."""
    if not seconds:
        return None
    low, middle, high = statistics.quantiles(seconds, n=4, method="inclusive") if len(seconds) > 1 else seconds * 3
    return {"calls": len(seconds), "median": middle, "low": low, "high": high}


def steady(seen: Seen, key: Key, calls: list[Call]) -> Optional[dict[str, Any]]:
    """The steady time of a call: the second half of the calls, without calls that compile."""
    busy = compiling_calls(seen, key)
    half = calls[max(1, len(calls) // 2) :]
    return spread([call.members["seconds"] for call in half if call.number not in busy])


def backward(calls: list[Call]) -> Optional[dict[str, Any]]:
    """The time of backward behind the calls of the second half."""
    runs = [[run["seconds"] for run in call.backwards] for call in calls[max(1, len(calls) // 2) :]]
    return spread([sum(run) for run in runs if run])


def fullgraph(seen: Optional[Seen], key: Key) -> Optional[dict[str, Any]]:
    """Whether each call was one graph under `fullgraph=True`."""
    if seen is None or not seen.calls.get(key):
        return None
    reasons = [line["reason"] for owner, _, line in seen.dynamo if owner == key and line["kind"] == "refused"]
    return {"whole": not reasons, "reason": reasons[0] if reasons else None}


def timeline(seen: Seen, key: Key, sites: Any) -> list[dict[str, Any]]:
    """What compilation met, in order."""
    found = []
    for owner, call, line in seen.dynamo:
        if owner == key and line["kind"] in ("graph", "break", "skipped"):
            entry = {"kind": line["kind"], "call": call, **line}
            if line["kind"] == "break":
                entry["site"] = sites.number_of(line)
            found.append(entry)
    return found[:TIMELINE]


def side(seen: Seen, full: Optional[Seen], key: Key, sites: Any) -> dict[str, Any]:
    """The figures of one callable in one run."""
    calls = seen.calls.get(key, [])
    return {
        **count(seen, key),
        "fullgraph": fullgraph(full, key),
        "first_call": calls[0].members["seconds"] if calls else None,
        "steady": steady(seen, key, calls),
        "backward": backward(calls),
        "timeline": timeline(seen, key, sites),
    }


def runtime_of(seen: Seen, key: Key) -> dict[str, Any]:
    """The report of the runtime on a callable; of several callables at one place, the worst report."""
    order = ("whole", "unused", "waiting", "partial", "plain")
    found = [item for item in seen.report()["callables"] if (item["name"], item["file"], item["line"]) == key]
    if not found:
        return {"mode": None, "reason": None, "paths": None, "eager_calls": None}
    worst = max(found, key=lambda item: order.index(item["mode"]))
    return {
        "mode": worst["mode"],
        "reason": worst["reason"],
        "paths": max(item["paths"] for item in found),
        "eager_calls": sum(item["replays"] for item in found),
    }


def callables(plain: Seen, mended: Seen, full: list[Optional[Seen]], sites: Any) -> list[dict[str, Any]]:
    """All callables that were called, with their figures."""
    found = []
    for key in plain.callables:
        name, file, line = key
        sides = {"plain": side(plain, full[0], key, sites), "mended": side(mended, full[1], key, sites)}
        sides["mended"].update(runtime_of(mended, key))
        found.append({"name": name, "file": file, "line": line, "calls": len(plain.calls[key]), **sides})
    return found


def breaks(side: dict[str, Any]) -> bool:
    """Whether a callable is not captured as a whole: no single sign tells all of it."""
    refused = side["fullgraph"] is not None and not side["fullgraph"]["whole"]
    return bool(side["breaks"] or side["skipped_frames"] or refused or side["graphs"] == 0)


def times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def worse(callables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Counts that are worse in the mended program than in the plain program, times aside."""
    found = []
    for number, item in enumerate(callables):
        plain, mended = item["plain"], item["mended"]

        def add(kind: str, text: str, number: int = number) -> None:
            found.append({"kind": kind, "callable": number, "text": text})

        for kind, name in (("breaks", "breaks"), ("skipped", "skipped_frames")):
            traced_less = plain["graphs"] == 0 and mended["graphs"] > 0
            if mended[name] > plain[name] and not traced_less:
                before = f"{times(plain[name])} without graphmend" if plain[name] else "not at all without graphmend"
                verb = "breaks" if kind == "breaks" else "loses a frame"
                add(kind, f"{item['name']} {verb} {times(mended[name])}, {before}")
        if mended["graphs"] == 0 and plain["graphs"] > 0:
            add("graphs", f"{item['name']} has no graph, {plain['graphs']} without graphmend")
        if mended["recompiles"] > plain["recompiles"] and not breaks(plain):
            add(
                "recompiles",
                f"{item['name']} compiles again {times(mended['recompiles'])}, without graphmend {plain['recompiles']}",
            )
        ways = plain["fullgraph"], mended["fullgraph"]
        if ways[0] is not None and ways[1] is not None and ways[0]["whole"] and not ways[1]["whole"]:
            add("fullgraph", f"{item['name']} is no longer one graph: {ways[1]['reason']}")
    return found
