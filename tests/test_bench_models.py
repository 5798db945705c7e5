"""bench/models.py: variants of a model take turns, and what they do is counted and compared."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[1]
MODELS = '''
import sys
import torch


class Clamp(torch.nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x, pair):
        y = self.linear(x) + pair["more"][0]
        if y.abs().max() > self.limit:
            y = y.clamp(-self.limit, self.limit)
        return {"y": y * 2, "plain": pair["name"]}


class Uncut(Clamp):
    """Cuts by numbers of a tensor."""

    def forward(self, x, pair, sizes):
        y = x[:, : int(sizes[0])]
        if y.sum() > 0:
            y = y * 2
        return y


class Odd(Clamp):
    """Something else under graphmend."""

    def forward(self, x, pair):
        return x + float("graphmend.launch" in sys.modules)


class Broken(Clamp):
    def forward(self, x, pair):
        raise ValueError("no such model")
'''
RANDOM = {"shape": [2, 4], "dtype": "float32", "fill": "randn", "scale": 2.0}
INPUTS = [{"name": "x", **RANDOM}, {"name": "pair", "dict": {"more": {"tuple": [RANDOM]}, "name": {"literal": "n"}}}]


def spec(name: str, model: str) -> dict[str, Any]:
    return {"id": name, "model_class": f"tiny_models.{model}", "model_kwargs": {"limit": 0.5}, "inputs": INPUTS}


POSITIVE = ["if y.sum() > 0:", "y = torch.where(y.sum() > 0, y, y / 2)\n    if True:"]
SIZES = {"name": "sizes", "shape": [1], "dtype": "int64", "value": [3]}


def by_hand(name: str, change: list[str]) -> dict[str, Any]:
    """The model that cuts, with a version by hand."""
    hand = {"edits": {"tiny_models.Uncut.forward": [change]}, "lists": ["sizes"]}
    return {**spec(name, "Uncut"), "inputs": [*INPUTS, SIZES], "by_hand": hand}


def measure(folder: Path, python: str, specs: list[dict[str, Any]]) -> tuple[int, str, dict[str, Any]]:
    """Exit status, errors and numbers of a quick run that executes graphs as they are captured."""
    (folder / "tiny_models.py").write_text(MODELS)
    (folder / "zoo.jsonl").write_text("".join(json.dumps(spec) + "\n" for spec in specs))
    command = [python, str(ROOT / "bench/models.py"), "--zoo", str(folder / "zoo.jsonl"), "--device", "cpu"]
    command += ["--only", ",".join(spec["id"] for spec in specs), "--groups", "2", "--rounds", "1"]
    command += ["--backend", "eager", "--json", str(folder / "numbers.json")]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200", "WARM_CHILDREN": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    assert (folder / "numbers.json").exists(), done.stderr
    return done.returncode, done.stderr, json.loads((folder / "numbers.json").read_text(encoding="utf-8"))


def test_a_model_plain_and_mended(tmp_path: Path, warm_python: str) -> None:
    status, errors, numbers = measure(tmp_path, warm_python, [spec("clamp", "Clamp")])
    assert status == 0, errors
    (row,) = numbers["models"]
    assert row["model"] == "clamp" and row["dtype"] == "float32" and row["batch"] == 1
    assert row["breaks"]["plain"] == row["breaks"]["again"] >= 1 and row["breaks"]["mended"] == 0
    assert row["graphs"]["plain"] == row["graphs"]["again"] >= 2 and row["graphs"]["mended"] == 1
    assert row["recompilations"]["mended"] == 0
    assert set(row["equal"].values()) == {"bit for bit"} and set(row["difference"].values()) == {0.0}
    assert set(row["steady"]) == {"eager", "plain", "again", "mended"}
    assert all(row[name]["median"] > 0 for name in ("mended/plain", "again/plain", "plain/eager"))
    assert set(row["launches"].values()) == {None}


def test_a_version_by_hand_takes_turns_with_the_others(tmp_path: Path, warm_python: str) -> None:
    """It is compared with eager as well; where it breaks, or is another function, that is said."""
    status, errors, numbers = measure(tmp_path, warm_python, [by_hand("cut", POSITIVE)])
    assert status == 0, errors
    (row,) = numbers["models"]
    assert row["graphs"]["hand"] == 1 and row["breaks"]["hand"] == 0 < row["breaks"]["plain"]
    assert row["equal"]["hand"] == row["equal"]["mended"] == "bit for bit"
    assert set(row["steady"]) == {"eager", "plain", "again", "mended", "hand"} and row["mended/hand"]["median"] > 0


@pytest.mark.parametrize("hand", [(2, "bit for bit"), (1, "different")])
def test_a_version_by_hand_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, hand: tuple[int, str]) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    alike = {"plain": "bit for bit", "mended": "bit for bit"}
    rows = [
        {"model": "plain", "equal": alike, "graphs": {"plain": 2, "mended": 1}},
        {"model": "good", "equal": {**alike, "hand": "within 1e-04"}, "graphs": {"plain": 2, "hand": 1}},
        {"model": "cut", "equal": {**alike, "hand": hand[1]}, "graphs": {"plain": 2, "mended": 1, "hand": hand[0]}},
        {"model": "lost", "failed": "hand: RuntimeError: by hand: f has 0 times a text"},
    ]
    cut, lost = importlib.import_module("models").failures({"models": rows})
    assert cut == "cut: the version by hand is not one graph, or differs from eager"
    assert lost == "lost: hand: RuntimeError: by hand: f has 0 times a text"


def test_a_text_that_is_not_there_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    with pytest.raises(RuntimeError, match="Formatter.format has 0 times no such text"):
        importlib.import_module("by_hand").edit("logging.Formatter.format", [["no such text", ""]])


def test_what_differs_and_what_fails_is_named(tmp_path: Path, warm_python: str) -> None:
    status, errors, numbers = measure(tmp_path, warm_python, [spec("odd", "Odd"), spec("broken", "Broken")])
    odd, broken = numbers["models"]
    assert status == 1 and "bench: odd: the mended one differs from eager by " in errors
    assert odd["equal"]["plain"] == "bit for bit" and odd["equal"]["mended"] == "different"
    assert broken["failed"] == "eager: ValueError: no such model" and "broken" not in errors


def test_the_model_that_cuts_images_by_tensors(
    tmp_path: Path, warm_python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is among those that are measured without a zoo, and breaks."""
    pytest.importorskip("transformers")
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    specs = importlib.import_module("model_specs").paper_specs()
    (pixtral,) = [one for one in specs if one["id"] == "pixtral-vision"]
    (tmp_path / "spec.json").write_text(json.dumps(pixtral))
    for variant in ("eager", "compiled"):
        command = [warm_python, str(ROOT / "bench/model_worker.py"), "spec.json", "--reference", "reference.pt"]
        command += ["--backend", "eager", "--variant", variant]
        done = subprocess.run(command, input="first\n", capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)
    assert first["equal"] == "bit for bit" and first["breaks"] >= 1


def test_a_worker_with_a_dtype_and_a_batch(tmp_path: Path, warm_python: str) -> None:
    (tmp_path / "tiny_models.py").write_text(MODELS)
    (tmp_path / "spec.json").write_text(json.dumps(spec("clamp", "Clamp")))
    command = [warm_python, str(ROOT / "bench/model_worker.py"), "spec.json", "--reference", "reference.pt"]
    command += ["--dtype", "bfloat16", "--batch", "3", "--backend", "eager", "--variant"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    answers = {}
    for variant in ("eager", "compiled"):
        done = subprocess.run(
            [*command, variant], input="first\nturn\n", capture_output=True, text=True, env=environment, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        answers[variant] = [json.loads(line) for line in done.stdout.splitlines()]
    assert [output.shape for call in torch.load(tmp_path / "reference.pt") for output in call] == [(6, 4)] * 3
    assert {output.dtype for call in torch.load(tmp_path / "reference.pt") for output in call} == {torch.bfloat16}
    first, turn = answers["compiled"]
    assert first["equal"] == "bit for bit" and first["breaks"] >= 1 and turn["ns"] > 0
