"""`graphmend verify` finds what was planted, blames who is to blame, and says how a program fails."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from verifying import ROOT, Verified


@pytest.mark.verifies("wrong result")
def test_a_wrong_result(verified: Verified) -> None:
    assert verified.status == 1 and verified.data["verdict"] == "different"
    assert verified.ours().keys() == {"values", "aliases"}  # a result that was the input is none any more
    assert "gate" in verified.ours()["values"][0]["place"]
    assert "something else: values" in verified.out


@pytest.mark.verifies("lost print")
def test_a_lost_print(verified: Verified) -> None:
    assert verified.status == 1 and verified.data["verdict"] == "different"
    assert verified.ours().keys() == {"output"}
    assert "sum torch.Size([4])" in verified.ours()["output"][0]["eager"]
    assert verified.data["equality"]["aspects"][0]["mended"] == 0


@pytest.mark.verifies("changed exception")
def test_a_changed_exception(verified: Verified) -> None:
    assert verified.status == 1 and verified.data["verdict"] == "different"
    (found,) = verified.ours()["exceptions"]
    assert "ValueError" in found["mended"] and "RuntimeError" in found["mended"] and "call 1" in found["place"]


@pytest.mark.verifies("every aspect")
def test_every_aspect(verified: Verified) -> None:
    assert verified.status == 1
    ours = verified.ours()
    assert ours.keys() == {aspect["name"] for aspect in verified.data["equality"]["aspects"]} - {"output"}
    of = {aspect: " ".join(found["place"] for found in entries) for aspect, entries in ours.items()}
    assert "gradient" in of["gradients"] and "detached" in of["values"]
    assert "swallowed" in of["exceptions"] and "mutation" in of["mutation"] and "identity" in of["aliases"]
    assert "number 2: self.seen" in of["state"] and " self.seen" not in of["state"].replace("number 2: self.seen", "")
    assert not any("right" in of[aspect] for aspect in ("values", "aliases", "gradients", "mutation", "exceptions"))


@pytest.mark.verifies("hanging when mended")
def test_a_program_that_hangs_when_mended(verified: Verified) -> None:
    assert verified.status == 1 and verified.data["verdict"] == "failed"
    run = {run["name"]: run for run in verified.data["runs"]}["mended"]
    assert run["outcome"] == "timeout" and run["where"]["callable"] == "gate" and run["where"]["call"] == 0
    assert any("planted.py" in line and "hang" in line for line in run["where"]["stack"])
    assert "hangs" in verified.out and "in call 0 of gate" in verified.out


@pytest.mark.verifies("crashing when mended")
def test_a_program_that_crashes_when_mended(verified: Verified) -> None:
    assert verified.status == 1 and verified.data["verdict"] == "failed"
    run = {run["name"]: run for run in verified.data["runs"]}["mended"]
    assert (run["outcome"], run["signal"], run["where"]["callable"]) == ("signal", "SIGSEGV", "gate")
    assert "crashes with SIGSEGV" in verified.out


@pytest.mark.verifies("of torch")
def test_what_torch_changes_itself_is_not_blamed_on_the_mends(verified: Verified) -> None:
    assert verified.status == 0 and verified.data["verdict"] == "whole"
    whose = {difference["aspect"]: difference["whose"] for difference in verified.data["equality"]["differences"]}
    assert whose == {"values": "torch", "aliases": "torch", "output": "unsettled"}
    aspects = {aspect["name"]: aspect for aspect in verified.data["equality"]["aspects"]}
    assert aspects["values"]["torch"] == 3 and aspects["values"]["mended"] == 0


@pytest.mark.verifies("inductor")
def test_a_function_under_inductor(verified: Verified) -> None:
    assert verified.status == 0, verified.out
    assert verified.data["verdict"] == "whole" and verified.data["options"]["backend"] is None
    assert verified.data["target"] == {"kind": "callable", "name": "model.py:gated", "arguments": []}
    assert verified.data["equality"]["tolerance"]["relative"] == 1e-3
    gated = verified.callable("gated")
    assert gated["calls"] == 8 and gated["plain"]["breaks"] == 1 and gated["mended"]["breaks"] == 0
    assert gated["mended"]["mode"] == "whole" and gated["mended"]["first_call"] > gated["mended"]["steady"]["median"]


@pytest.mark.verifies("module")
def test_a_module_made_by_a_factory(verified: Verified) -> None:
    assert verified.status == 0, verified.out
    data = verified.data
    assert data["verdict"] == "whole" and data["target"]["kind"] == "callable"
    net = verified.callable("Net")
    assert net["calls"] == 6 and net["plain"]["breaks"] > 0 == net["mended"]["breaks"]
    assert net["mended"]["backward"] is not None
    aspects = {aspect["name"]: aspect for aspect in data["equality"]["aspects"]}
    assert aspects["gradients"]["compared"] >= 12 and aspects["state"]["compared"] >= 6 and data["equality"]["equal"]
    assert all(run["peak_memory"]["host"] > 1 << 20 for run in data["runs"])


@pytest.mark.verifies("demo")
def test_the_demo(verified: Verified) -> None:
    assert verified.status == 0, verified.out
    data = verified.data
    assert data["verdict"] == "whole" and data["totals"]["mended"]["breaks"] == 0 < data["totals"]["plain"]["breaks"]
    broke = [site for site in data["sites"] if site["observed"]["plain"]["breaks"] and "modeling_bart" in site["file"]]
    assert broke and all(site["mended"] and site["predicted"] for site in broke)
    assert data["files"] and all(file["source"] and file["mended"] and file["lines"] for file in data["files"])


def merge(a: Any, b: Any) -> Any:
    """The members of two objects together."""
    if isinstance(a, dict) and isinstance(b, dict):
        return {name: merge(a.get(name), b.get(name)) for name in {**a, **b}}
    if isinstance(a, list) and isinstance(b, list):
        return [merge(a[0], b[0])]
    return a if b is None else b


def shape(value: Any) -> Any:
    """The members of an object, all the way down; a list has the members of all its entries."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [functools.reduce(merge, map(shape, value), None)]
    return None


def undocumented(found: Any, told: Any, path: str = "") -> list[str]:
    """Members that a report has and the documentation does not."""
    if isinstance(found, list) and isinstance(told, list):
        return undocumented(found[0], told[0], path)
    if not isinstance(found, dict) or not isinstance(told, dict):
        return []
    missing = [f"{path}.{name}" for name in found if name not in told]
    return missing + [
        text for name in found if name in told for text in undocumented(found[name], told[name], f"{path}.{name}")
    ]


@pytest.mark.verifies("every aspect")
def test_the_documentation_names_every_member(verified: Verified) -> None:
    page = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    told, found = shape(json.loads(example)), shape(verified.data)
    assert undocumented(found, told) == [] and told.keys() == found.keys()
    assert [a["name"] for a in verified.data["equality"]["aspects"]] == [
        aspect["name"] for aspect in json.loads(example)["equality"]["aspects"]
    ]


def test_a_program_that_hangs_by_itself(run_verify: Any, tmp_path: Path) -> None:
    program = tmp_path / "sleeps.py"
    program.write_text("import time\ntime.sleep(600)\n", encoding="utf-8")
    ended = run_verify("--timeout", "2", str(program))
    assert ended.status == 2 and ended.data["verdict"] == "not run"
    (run,) = ended.data["runs"]
    assert run["outcome"] == "timeout" and "sleeps.py" in run["where"]["stack"][0] and "hangs" in ended.out


def test_a_program_that_crashes_by_itself(run_verify: Any, tmp_path: Path) -> None:
    program = tmp_path / "crashes.py"
    program.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGABRT)\n", encoding="utf-8")
    ended = run_verify(str(program))
    assert ended.status == 2 and "crashes with SIGABRT" in ended.out
    assert "crashes.py" in ended.data["runs"][0]["where"]["stack"][0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("raise ValueError('early')\n", "ends with ValueError: early"),
        ("def f(:\n", "status 1"),
        ("print('nothing')\n", "compiles nothing"),
        ("import sys\nsys.exit(5)\n", "status 5"),
    ],
)
def test_a_program_that_gives_nothing_to_verify(run_verify: Any, tmp_path: Path, text: str, says: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(text, encoding="utf-8")
    ended = run_verify(str(program))
    assert ended.status == 2 and ended.data["verdict"] == "not run" and says in ended.out


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("model.py:Missing", "has no `Missing`"),
        ("no_such_module:Net", "No module named 'no_such_module'"),
    ],
)
def test_a_callable_that_is_not_there(run_verify: Any, name: str, says: str) -> None:
    ended = run_verify("--no-fullgraph", name)
    assert ended.status == 2 and ended.data["verdict"] == "not run" and says in ended.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "no script"),
        (("-m",), "no module"),
        (("missing.py",), "cannot read `missing.py`"),
        (("--calls", "0", "model.py"), "`--calls` takes a whole number"),
        (("--timeout", "soon", "model.py"), "`--timeout` takes seconds"),
        (("--color", "pink", "model.py"), "`--color` takes"),
        (("--what", "model.py"), "unknown option `--what`"),
        (("model.py:Net", "x"), "takes no arguments"),
    ],
)
def test_what_is_asked_for_wrongly(run_verify: Any, arguments: tuple[str, ...], says: str) -> None:
    ended = run_verify(*arguments)
    assert ended.status == 2 and says in ended.err and ended.data is None


def test_the_program_keeps_its_own_options(executable: str) -> None:
    from graphmend.verify import options

    found = options.read(["--calls=5", "--no-fullgraph", "train.py", "--calls", "7", "-h"])
    assert (found.name, found.arguments, found.calls, found.fullgraph) == ("train.py", ["--calls", "7", "-h"], 5, False)
    found = options.read(["-m", "package.train", "--json", "x"])
    assert (found.kind, found.name, found.arguments, found.json) == ("module", "package.train", ["--json", "x"], None)
    assert options.read(["model.py:Net"]).kind == options.read(["a.b:c.d"]).kind == "callable"
