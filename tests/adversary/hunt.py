"""Many random programs in several processes: `hunt.py --programs 2000 --seed 3 --jobs 2`."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import subprocess
import sys
import time
from typing import Any

import torch
from generator import program
from judge import judge
from reduce import reduced

CHUNK = 50
PATIENCE = 1800  # seconds for a chunk


def run_here(seed: int, first: int, count: int, seconds: float) -> None:
    """Judge a range of programs; one line of JSON each."""
    torch.set_num_threads(1)
    known: set[str] = set()
    for number in range(first, first + count):
        print(json.dumps({"start": number}), flush=True)
        try:
            verdict = judge(program(seed, number, True))
            line: dict[str, Any] = {key: getattr(verdict, key) for key in ("mended", "whole", "sites", "excused")}
            if verdict.found:
                line["signature"] = verdict.signature()
                if seconds and line["signature"] not in known:
                    verdict = reduced(verdict, seconds)
                known.add(line["signature"])
                line["text"] = verdict.describe()
        except Exception as error:
            line = {
                "signature": f"crash: {type(error).__name__}",
                "text": f"{error}\n{program(seed, number, True).text}",
            }
        print(json.dumps({"number": number, **line}), flush=True)


def run_there(seed: int, first: int, count: int, seconds: float) -> list[dict[str, Any]]:
    """Judge a range of programs in a process of its own; one that dies or hangs is a finding."""
    numbers = ["--first", str(first), "--programs", str(count), "--seed", str(seed), "--reduce", str(seconds)]
    command = [sys.executable, __file__, "--here", *numbers]
    try:
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PATIENCE)
        out, status = ended.stdout, f"status {ended.returncode}"
    except subprocess.TimeoutExpired as expired:
        out, status = expired.stdout or b"", "no end"
    lines = [json.loads(line) for line in out.splitlines() if line.startswith(b"{") and line.endswith(b"}")]
    results = [line for line in lines if "number" in line]
    started = [line["start"] for line in lines if "start" in line]
    if len(started) > len(results):
        number = started[-1]
        results.append({"number": number, "signature": f"process: {status}", "text": program(seed, number, True).text})
        if number + 1 < first + count:
            results += run_there(seed, number + 1, first + count - number - 1, seconds)
    return results


def summary(results: list[dict[str, Any]]) -> str:
    """One line of numbers."""
    count = {key: sum(bool(item.get(key)) for item in results) for key in ("sites", "mended", "whole", "excused")}
    return (
        f"{len(results)} programs: {count['sites']} with sites, {count['mended']} mended, "
        f"{count['whole']} whole, {sum('signature' in item for item in results)} differ, "
        f"{count['excused']} with differences of the compiler itself"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("programs", 2000), ("seed", 1), ("jobs", 2), ("first", 0), ("reduce", 90)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--here", action="store_true", help="in this process, as JSON")
    parser.add_argument("--json", help="where to write what was found")
    given = parser.parse_args()
    if given.here:
        run_here(given.seed, given.first, given.programs, given.reduce)
        return 0
    start, end = time.monotonic(), given.first + given.programs
    ranges = [(first, min(CHUNK, end - first)) for first in range(given.first, end, CHUNK)]
    results: list[dict[str, Any]] = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        tasks = [pool.submit(run_there, given.seed, *numbers, given.reduce) for numbers in ranges]
        for task in concurrent.futures.as_completed(tasks):
            results += task.result()
            print(f"{time.monotonic() - start:.0f} s, {summary(results)}", flush=True)
    found = [item for item in sorted(results, key=lambda item: item["number"]) if "signature" in item]
    for signature, count in collections.Counter(item["signature"] for item in found).most_common():
        shortest = min((item for item in found if item["signature"] == signature), key=lambda item: len(item["text"]))
        print(f"\n==== {count} x {signature}, such as program {shortest['number']}\n{shortest['text']}")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as stream:
            json.dump({"seed": given.seed, "summary": summary(results), "found": found}, stream)
    print(summary(results))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
