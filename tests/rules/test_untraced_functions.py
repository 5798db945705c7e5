"""Functions that a program keeps from the tracer: `check` is silent on their bodies, as Dynamo does not trace them."""

from __future__ import annotations

import importlib
import json
import subprocess
from pathlib import Path

import pytest
import torch

HEAD = "import torch\n"
BODY = "    print('here')\n    return x + 1\n"
DECORATED = {
    "torch.compiler.disable": False,
    "torch.compiler.disable()": False,
    "torch._dynamo.disable(recursive=True)": False,
    "torch._dynamo.allow_in_graph": False,
    "torch.compiler.allow_in_graph": False,
    "torch._dynamo.nonstrict_trace": False,
    "torch.no_grad()": True,
    "torch.jit.ignore": True,
    "torch.fx.wrap": True,
}
PROGRAMS = {
    **{name: (f"@{name}\ndef g(x):\n{BODY}", traced) for name, traced in DECORATED.items()},
    "a constant": ("@torch.compiler.assume_constant_result\ndef g(x):\n    print('here')\n    return 1\n", False),
    "assigned": (f"def g(x):\n{BODY}g = torch.compiler.disable(g)\n", False),
    "assigned and bound again": (f"def g(x):\n{BODY}h = torch.compiler.disable(g)\n", True),
    "imported": (f"from torch.compiler import disable as d\n@d\ndef g(x):\n{BODY}", False),
}
END = "\n@torch.compile(backend='eager')\ndef f(x):\n    return x * 2 + g(x)\n"


@pytest.fixture(scope="module")
def told(executable: str, tmp_path_factory: pytest.TempPathFactory) -> "dict[str, bool]":
    """Whether `check` tells the print, by program."""
    folder = tmp_path_factory.mktemp("untraced")
    for number, (text, _) in enumerate(PROGRAMS.values()):
        (folder / f"{number}.py").write_text(HEAD + text + END)
    command = [executable, "check", "--no-cache", "--output-format", "json", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    lines = {Path(file["path"]).stem: file["findings"] for file in json.loads(done.stdout)}
    return {
        name: any(found["code"] == "GM301" for found in lines.get(str(number), []))
        for number, name in enumerate(PROGRAMS)
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_check_tells_what_is_traced(told: "dict[str, bool]", name: str) -> None:
    assert told[name] == PROGRAMS[name][1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_traces_what_is_said(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dynamo gives `print` as a reason for a break where it reads the body."""
    text, traced = PROGRAMS[name]
    module = f"untraced_{list(PROGRAMS).index(name)}"
    (tmp_path / f"{module}.py").write_text(HEAD + text + END)
    monkeypatch.syspath_prepend(str(tmp_path))
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    try:
        importlib.import_module(module).f(torch.ones(2))
        reasons = list(torch._dynamo.utils.counters["graph_break"])
    finally:
        torch._dynamo.reset()
    assert any("print" in reason for reason in reasons) == traced
    assert "here" in capsys.readouterr().out


def test_custom_operators(executable: str, tmp_path: Path) -> None:
    text = "@torch.library.custom_op('graphmend_test::g', mutates_args=())\ndef g(x: torch.Tensor) -> torch.Tensor:\n"
    (tmp_path / "a.py").write_text(HEAD + text + BODY + END)
    done = subprocess.run([executable, "check", "--no-cache", "a.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith("no findings")


def test_methods_and_other_files(executable: str, tmp_path: Path) -> None:
    """A method that is kept out; a function of another file that an assignment keeps out."""
    (tmp_path / "a.py").write_text(
        "import torch\n"
        "from b import g\n"
        "class M(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        return self.look(g(x))\n"
        "    @torch.compiler.disable\n"
        "    def look(self, x):\n"
        "        print(x)\n"
        "        return x\n"
    )
    (tmp_path / "b.py").write_text(f"import torch\ndef g(x):\n{BODY}g = torch.compiler.disable(g)\n")
    done = subprocess.run([executable, "check", "--no-cache", "."], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith("no findings")
