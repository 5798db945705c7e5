"""What each gain of the table of hooks is worth: the cases of a kit that are no longer whole without it.

usage: worth.py --json FILE --kit DIR [--only PATTERN] [--jobs N]

A first pass over the cases notes which features act (`hooks_that_act.py`). Then each gain is left out by the switch
that the modes use, `GRAPHMEND_WITHOUT`, and the cases in which it acts, and which are whole with it, run again. A gain
that frees nothing here and in no model is a row that the next release of torch need not have.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent


def scored(options: argparse.Namespace, cases: pathlib.Path, mend: str, more: dict[str, str]) -> dict[str, str]:
    """The verdict of each case of a folder."""
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        command = [sys.executable, f"{options.kit}/score.py", "--cases", str(cases), "--fork", "--mend", mend]
        command += ["--cache", str(ROOT / "build" / "score-cache-fork"), "--timeout", "600", "--json", result.name]
        command += ["--jobs", str(options.jobs), "--only", options.only]
        alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # what is forked has one thread
        subprocess.run(command, env={**os.environ, **alone, **more}, stdout=subprocess.DEVNULL, check=False)
        return {item["name"]: item["verdict"] for item in json.loads(pathlib.Path(result.name).read_text())}


def gains() -> dict[str, str]:
    """The gains of the runtime, with what they do."""
    from graphmend.runtime.base import hooks
    from graphmend.runtime.driver import features

    features.load()
    return {name: feature.summary for name, feature in hooks.features.items() if feature.kind == hooks.GAIN}


def acting(lines: list[str]) -> dict[str, set[str]]:
    """The cases in which each feature acts."""
    found: dict[str, set[str]] = collections.defaultdict(set)
    for line in lines:
        case, _, feature = line.partition(" ")
        found[feature].add(case.removesuffix(".py"))
    return found


def measured(options: argparse.Namespace) -> dict[str, Any]:
    """For each gain: what it does, in how many cases it acts, and those that are lost without it."""
    every = pathlib.Path(options.kit, "cases_dev")
    run = f"{sys.executable} {ROOT / 'tools' / 'hooks_that_act.py'}"
    with tempfile.TemporaryDirectory() as folder:
        acted = pathlib.Path(folder, "acted")
        verdicts = scored(options, every, run, {"ACTED": str(acted)})
        cases_of = acting(acted.read_text(encoding="utf-8").splitlines() if acted.exists() else [])
        found = {}
        for name, summary in gains().items():
            cases = {case for case in cases_of[name] if verdicts.get(case) == "whole"}
            chosen = pathlib.Path(folder, name)
            chosen.mkdir()
            for case in cases:
                chosen.joinpath(f"{case}.py").symlink_to((every / f"{case}.py").resolve())
            without = (
                scored(options, chosen, f"{sys.executable} -m graphmend run", {"GRAPHMEND_WITHOUT": name})
                if cases
                else {}
            )
            lost = {case: verdict for case, verdict in sorted(without.items()) if verdict != "whole"}
            found[name] = {"does": summary, "acts": len(cases_of[name]), "lost": lost}
            print(f"{name}: acts in {len(cases_of[name])}, {len(lost)} lost {' '.join(lost)}", flush=True)
    return {"cases": len(verdicts), "gains": found}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True)
    parser.add_argument("--kit", required=True)
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    results = measured(options)
    pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
