"""What one run finds out about a compiled callable, the next one knows; and nothing but time rests on it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

REFUSED = """
import sys
import torch
import torch._dynamo.utils


@torch.compile(backend="eager")
def f(x):
    y = x + 1
    if x.sum() > 0:
        y = torch.nn.functional.dropout(y, 0.5)
    else:
        y = y * 2
    print("mean", y.mean().item())
    return y


torch.manual_seed(0)
for scale in (1.0, 2.0, -1.0):
    print(f(torch.ones(3) * scale).tolist())
print(torch._dynamo.utils.counters["frames"]["total"], file=sys.stderr)
"""

VARIED = """
import sys
import torch
import torch._dynamo.utils

GRAPHS = []


def count(module, inputs):
    GRAPHS.append(module)
    return module.forward


@torch.compile(backend=count)
def f(x, sizes):
    return torch.cat([x[:size] * size for size in sizes.tolist()]).sum()


for seed in range(6):
    torch.manual_seed(seed)
    print(f(torch.ones(64), torch.randint(2, 60, (40,))))
print(len(GRAPHS), file=sys.stderr)
"""


STEADY = """
import sys
import torch

GRAPHS = []


def count(module, inputs):
    GRAPHS.append(module)
    return module.forward


@torch.compile(backend=count)
def f(x, n):
    chosen = x[x < n].reshape(-1, 1)
    return chosen.sum() + torch.nn.functional.batch_norm(chosen, None, None, training=True).sum()  # not of one row


for number in range(10):
    print(f(torch.arange(64.0), torch.tensor(5 + number * (sys.argv[1] == "others"))))
print(len(GRAPHS), file=sys.stderr)
"""


def run(programs: Any, name: str) -> Any:
    return programs.mended(name, GRAPHMEND_SUMMARY="full")


@pytest.fixture
def programs(warm_programs):
    return warm_programs


def number(ended: Any) -> int:
    """What the program itself has counted."""
    assert ended.status == 0, ended.err
    return next(int(line) for line in ended.err.splitlines() if line.isdigit())


def kept(programs: Any) -> Path:
    """The one file of evidence."""
    (found,) = programs.cache.glob("*/*.json")
    return found


def test_a_site_that_could_not_be_proved_is_not_tried_again(programs: Any) -> None:
    programs.write("program.py", REFUSED)
    plain, first, second = programs.plain("program.py"), run(programs, "program.py"), run(programs, "program.py")
    assert plain.out == first.out == second.out
    assert number(second) < number(first)
    reason = "`dropout` draws random numbers on one side"
    assert reason in first.err and reason in second.err
    anew = programs.mended("program.py", GRAPHMEND_EVIDENCE="0")
    assert number(anew) == number(first)


def test_calls_go_in_parts_where_an_earlier_run_had_to_give_up(programs: Any) -> None:
    programs.write("program.py", VARIED)
    plain, first, second = programs.plain("program.py"), run(programs, "program.py"), run(programs, "program.py")
    assert plain.out == first.out == second.out
    assert number(second) < number(first)
    assert "cannot be left open\n" in first.err
    assert "cannot be left open, as an earlier run has shown\n" in second.err


def test_another_text_is_another_program(programs: Any) -> None:
    programs.write("program.py", REFUSED)
    run(programs, "program.py")
    programs.write("program.py", REFUSED.replace("torch.nn.functional.dropout(y, 0.5)", "torch.nn.functional.gelu(y)"))
    changed = run(programs, "program.py")
    assert programs.plain("program.py").out == changed.out
    assert "GM101" in changed.err and "random numbers" not in changed.err


def test_evidence_that_is_wrong_is_forgotten(programs: Any) -> None:
    path = programs.write("program.py", REFUSED)
    first = run(programs, "program.py")
    content = json.loads(kept(programs).read_text())
    line = 1 + REFUSED[: REFUSED.index("    print(")].count("\n")
    (site,) = content["known"]["off"]
    content["known"]["off"] = {site.replace(site.split(":")[1], str(line)).replace(":4:GM101", ":4:GM301"): "wrong"}
    kept(programs).write_text(json.dumps(content))
    again = run(programs, path.name)
    assert again.out == first.out
    assert "GM301" in again.err and "breaks" not in again.err
    assert json.loads(kept(programs).read_text())["known"]["off"] == {
        site: "`dropout` draws random numbers on one side"
    }


def test_evidence_that_is_old_or_damaged_counts_as_none(programs: Any) -> None:
    programs.write("program.py", REFUSED)
    first = run(programs, "program.py")
    path = kept(programs)
    whole = path.read_text()
    for text in ("", "[]", "{}", '{"known": {"off": []}, "files": {}}', '{"known": {"more": 1}, "files": {}}'):
        path.write_text(text)
        again = run(programs, "program.py")
        assert again.out == first.out and number(again) == number(first)
        assert path.read_text() == whole
    weeks_ago = time.time() - 20 * 24 * 3600
    os.utime(path, (weeks_ago, weeks_ago))
    assert number(run(programs, "program.py")) == number(first)
    assert time.time() - path.stat().st_mtime < 24 * 3600


def test_layers_without_shapes_are_no_hindrance(programs: Any) -> None:
    text = """
import torch

model = torch.nn.Sequential(torch.nn.LazyLinear(3), torch.nn.ReLU())
compiled = torch.compile(model, backend="eager")
torch.manual_seed(0)
for _ in range(3):
    print(compiled(torch.ones(2, 4)).tolist())
"""
    programs.write("program.py", text)
    plain, mended = programs.plain("program.py"), run(programs, "program.py")
    assert plain.out == mended.out and mended.status == 0 and "warning" not in mended.err


def test_numbers_that_have_been_the_same_are_constants_of_the_next_run(programs: Any) -> None:
    """Of a run with others they are so until it finds others; then they are open from the beginning."""
    programs.write("program.py", STEADY)
    graphs, known = [], []
    for numbers in ("same", "same", "others", "others"):
        ended = programs.mended("program.py", numbers, GRAPHMEND_SUMMARY="full")
        assert ended.out == programs.plain("program.py", numbers).out, ended.err
        graphs.append(number(ended))
        content = json.loads(kept(programs).read_text())["known"]
        known.append((content["fixed"], content["symbolic"]))
    assert graphs == [1, 1, 2, 1]
    assert known == [(True, False), (True, False), (False, True), (False, True)]
