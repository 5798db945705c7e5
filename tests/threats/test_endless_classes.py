"""Classes are resolved with memory: few bytes cannot ask for more steps than they have bases."""

from __future__ import annotations

from pathlib import Path

import pytest
from threat_limits import run

FORWARD = "    def forward(self, x):\n        return self.missing(x)\n"
REPEATED = "import torch\nclass A(" + ", ".join(["A"] * 40) + "):\n" + FORWARD
LATTICE = "import torch\n" + "".join(
    f"class C{i}({', '.join(f'C{j}' for j in range(max(0, i - 10), i)) or 'torch.nn.Module'}):\n{FORWARD}"
    for i in range(300)
)


@pytest.mark.parametrize("text", [REPEATED, LATTICE])
@pytest.mark.parametrize("command", [["check"], ["fix", "--diff"]])
def test_one_file(executable: str, tmp_path: Path, text: str, command: list[str]) -> None:
    """A class that names itself many times, and a lattice of mixins."""
    (tmp_path / "a.py").write_text(text)
    assert run([executable, *command, "a.py"], folder=tmp_path).returncode in (0, 1)


def test_many_files(executable: str, tmp_path: Path) -> None:
    """Sixty files whose classes each have twenty of the others as bases."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "__init__.py").write_text("")
    for i in range(60):
        names = [(i + k + 1) % 60 for k in range(20)]
        imports = "".join(f"from p.m{j} import M{j}\n" for j in names)
        bases = ", ".join(f"M{j}" for j in names)
        (tmp_path / "p" / f"m{i}.py").write_text(f"import torch\n{imports}class M{i}({bases}):\n{FORWARD}")
    assert run([executable, "check", "p"], folder=tmp_path).returncode in (0, 1)


def test_the_meaning_of_a_class(executable: str, tmp_path: Path) -> None:
    """The same classes as types of a typed call."""
    bases = ", ".join(["A"] * 40)
    (tmp_path / "a.py").write_text(f"class A({bases}):\n    x: int\n")
    assert run([executable, "meaning", "a.py", "A"], folder=tmp_path).returncode in (0, 1, 2)
