"""Every form in every setting, in several processes: `all_forms.py --jobs 2 [--only 'dropout'] [--inductor]`.

A process that dies is a finding, and the next one goes on behind it.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import logging
import re
import subprocess
import sys
import time
from typing import Any

import torch
from forms import candidates, form_of
from settings import SETTINGS, difference

import graphmend.runtime as runtime

CHUNK = 120
PATIENCE = 3600  # seconds for a chunk


def chosen(pattern: str) -> list[Any]:
    """The candidates whose names match, each name once."""
    found = {candidate.name: candidate for candidate in reversed(candidates()) if re.search(pattern, candidate.name)}
    return [found[name] for name in sorted(found)]


def run_here(first: int, count: int, pattern: str, backend: str) -> None:
    """Compare a range of forms; one line of JSON each."""
    torch.set_num_threads(1)
    logging.getLogger("torch").setLevel(logging.CRITICAL)
    runtime.install_compile()
    runtime.add_sites(1)
    for number, candidate in enumerate(chosen(pattern)[first : first + count], first):
        print(json.dumps({"start": number, "name": candidate.name}), flush=True)
        form = form_of(candidate)
        found: list[str] = []
        for setting in SETTINGS if form is not None else ():
            for differentiated in (False, True):
                try:
                    text = difference(form, setting, differentiated, backend)  # type: ignore[arg-type]
                except Exception as error:
                    text = f"{form.name} | {form.text} | {setting} | {type(error).__name__}: {error}"[:600]  # type: ignore
                found += [text] if text is not None else []
        print(json.dumps({"number": number, "called": form is not None, "found": found}), flush=True)


def run_there(first: int, count: int, pattern: str, backend: str) -> list[dict]:
    """Compare a range of forms in a process of its own."""
    if count <= 0:
        return []
    command = [sys.executable, __file__, "--here", str(first), str(count), "--only", pattern, "--backend", backend]
    try:
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PATIENCE)
        out, status = ended.stdout, f"status {ended.returncode}"
    except subprocess.TimeoutExpired as expired:
        out, status = expired.stdout or b"", "no end"
    lines = [json.loads(line) for line in out.splitlines() if line.startswith(b"{") and line.endswith(b"}")]
    results = [line for line in lines if "number" in line]
    started = [line for line in lines if "start" in line]
    if len(started) > len(results):
        last = started[-1]["start"]
        results.append(
            {"number": last, "called": True, "found": [f"{started[-1]['name']}: the process ended, {status}"]}
        )
        results += run_there(last + 1, first + count - last - 1, pattern, backend)
    return results


def main() -> int:
    """Compare all, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="a regular expression that names have to contain")
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--json")
    parser.add_argument("--here", nargs=2, type=int)
    options = parser.parse_args()
    if options.here:
        run_here(*options.here, options.only, options.backend)
        return 0
    began, total = time.time(), len(chosen(options.only))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        parts = [
            pool.submit(run_there, first, min(CHUNK, total - first), options.only, options.backend)
            for first in range(0, total, CHUNK)
        ]
        results = [line for part in parts for line in part.result()]
    found = [text for line in results for text in line["found"]]
    print(*found, sep="\n")
    called = sum(line["called"] for line in results)
    summary = {"candidates": total, "called": called, "programs": called * len(SETTINGS) * 2, "differences": len(found)}
    summary["seconds"] = round(time.time() - began)
    print(", ".join(f"{value} {name}" for name, value in summary.items()))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({**summary, "found": found, "torch": torch.__version__}, file, indent=1)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
