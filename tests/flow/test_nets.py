"""The nets under the passes catch: graphs, lists of edits and places in notebooks that are damaged in one place."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PROGRAM = (
    "def f(a, b):\n    for c in a:\n        if b:\n            d = c\n        else:\n            d = b\n    return d\n"
)
NO_STEPS = "a block has steps that do not exist"
NOT_OWNED = "a step belongs to no block or to two"
NO_HANDLER = "a handler does not exist"
NOT_ITS_EDGE = "an edge is not one of its block"
NOT_EMPTY = "an end of the graph is not empty"
OTHER_ORDER = "the order is not one of the blocks"
NOT_FITTING = "the mends do not fit into the notebook, please report this"
SAID = {
    "nothing": "fine",
    "a step too many": NOT_OWNED,
    "a step too few": NOT_OWNED,
    "steps behind the last": NO_STEPS,
    "steps before": "fine",
    "the last block as handler": "fine",
    "a handler behind the last block": NO_HANDLER,
    "a handler in front of the first block": NO_HANDLER,
    "an edge of another block": NOT_ITS_EDGE,
    "an edge to nowhere": NOT_ITS_EDGE,
    "an unreachable successor": "a successor of a reachable block is unreachable",
    "a predecessor of another block": "a predecessor is not one of its block",
    "a step at the return": NOT_EMPTY,
    "a step at the raise": NOT_EMPTY,
    "an edge from the return": NOT_EMPTY,
    "a gap in the accesses": "the accesses of the steps have gaps",
    "an access too many": "the accesses of the steps have gaps",
    "blocks in another order": OTHER_ORDER,
    "the last block in another order": OTHER_ORDER,
    "0-3 3-10": "fine",
    "0-3 2-10": "wrong",
    "0-0 0-0": "fine",
    "3-2 4-5": "wrong",
    "0-3 5-4": "wrong",
    "0-3 4-11": "wrong",
    "0-3 10-10": "fine",
    "0-3 11-11": "wrong",
    "4-5 0-3": "wrong",
    "9-10 10-10": "fine",
    "both cells": "written",
    "no cell": "written",
    "another place": NOT_FITTING,
    "the place of both": NOT_FITTING,
    "a bracket too much": NOT_FITTING,
    "a cell too few": NOT_FITTING,
}


def test_nets(executable: str, tmp_path: Path) -> None:
    program = Path(executable).with_name("gm-nets")
    if not program.exists():
        pytest.skip("ALOUD: tests/flow/test_nets.py: the test programs are not built, `make test` builds them")
    (tmp_path / "a.py").write_text(PROGRAM)
    done = subprocess.run([program, "a.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert dict(line.split(": ") for line in done.stdout.splitlines()) == SAID
