"""`verify --baseline`, `--write-baseline` and `--html`."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any

import page_report
import pytest

from graphmend.verify.known import Baseline, BaselineError

HAS_TORCH = importlib.util.find_spec("torch") is not None
PROGRAM = """import torch

def step(x):
    values = x.mul(2).detach().numpy().tobytes()
    return x + len(values)

torch.compile(step)(torch.ones(3))
"""


@pytest.fixture
def data(tmp_path: Path) -> dict[str, Any]:
    """A report about files that are there, and whose mended program breaks at two places."""
    made = page_report.report()
    path = tmp_path / "gate.py"
    path.write_text(page_report.SOURCE, encoding="utf-8")
    for site in made["sites"]:
        site["file"] = str(path)
    return made


def test_what_is_listed_is_known(data, tmp_path, capsys) -> None:
    path = str(tmp_path / "breaks.json")
    assert Baseline(None, path).judge(data, 0) == 0
    sites = json.loads(Path(path).read_text(encoding="utf-8"))["sites"]
    assert [(site["function"], site["code"], site["text"]) for site in sites] == [
        ("<module>", "GB0170", ""),
        ("Gate.forward", "GB0170", "if y.sum() > 10:"),
    ]
    assert Baseline(path, None).judge(data, 0) == 0
    source = Path(tmp_path / "gate.py")
    source.write_text("# moved\n\n" + page_report.SOURCE, encoding="utf-8")
    for site in data["sites"]:
        site["line"] += 2
    capsys.readouterr()
    assert Baseline(path, None).judge(data, 0) == 0
    assert capsys.readouterr() == ("", "")


def test_what_is_new_fails_and_what_is_gone_does_not(data, tmp_path, capsys) -> None:
    path = str(tmp_path / "breaks.json")
    Baseline(None, path).judge(data, 0)
    data["sites"][0]["observed"]["mended"]["breaks"] = 2
    data["sites"][1]["observed"]["mended"]["breaks"] = 0
    capsys.readouterr()
    assert Baseline(path, None).judge(data, 0) == 1
    out, err = capsys.readouterr()
    assert "gate.py Gate.forward: GB0170 `if torch.isnan(x).any():`" in out and "sum" not in out
    assert "no longer seen" in err and "`if y.sum() > 10:`" in err and "isnan" not in err
    assert Baseline(path, None).judge(data, 2) == 2


def test_a_program_that_was_not_seen_tells_nothing(tmp_path) -> None:
    path = tmp_path / "breaks.json"
    assert Baseline(None, str(path)).judge(page_report.bare_report(), 2) == 2 and not path.exists()


def test_what_cannot_be_used_is_said_at_once(tmp_path) -> None:
    (tmp_path / "breaks.json").write_text('{"baseline": 1, "of": "check", "sites": []}', encoding="utf-8")
    for name in ("breaks.json", "none.json"):
        with pytest.raises(BaselineError):
            Baseline(str(tmp_path / name), None)


@pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed")
def test_command(executable: str, verifying: dict[str, str], tmp_path: Path) -> None:
    environment = {**verifying, "GRAPHMEND_CACHE_DIR": str(tmp_path / "cache")}

    def verify(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [executable, "verify", "--no-fullgraph", "--backend", "eager", *arguments, "step.py"]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    (tmp_path / "step.py").write_text(PROGRAM, encoding="utf-8")
    missing = verify("--baseline", "breaks.json")
    assert missing.returncode == 2 and "breaks.json" in missing.stderr
    first = verify("--write-baseline", "breaks.json", "--json", "report.json", "--html", "page.html")
    assert first.returncode == 0, first.stdout + first.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "step.py" in page
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    left = sum(1 for site in data["sites"] if site["observed"]["mended"]["breaks"])
    assert left > 0 and f"{left} break" in first.stdout
    (tmp_path / "step.py").write_text(
        PROGRAM.replace("    return", "    open('/dev/null').close()\n    return"), encoding="utf-8"
    )
    second = verify("--baseline", "breaks.json")
    assert second.returncode == 1 and "open('/dev/null').close()" in second.stdout
    assert "numpy" not in second.stdout.partition("breaks that are not in")[2]
