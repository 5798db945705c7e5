"""Packages of several files: what is said does not depend on threads, order, caches or where one stands.

The packages are random: functions and classes of other files are called, inherited, passed on and decorated. What is
said of them stands in `stated`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from stated_texts import hold

MODULES = [
    "pack/__init__.py",
    "pack/a.py",
    "pack/b.py",
    "pack/inner/__init__.py",
    "pack/inner/c.py",
    "pack/inner/d.py",
    "main.py",
]
BREAKS = [
    "print(x)",
    "if x.sum() > 0:\n        x = x + 1",
    "x = x + x.mean().item()",
    "assert x.any(), 'a'",
    "pass",
    "pass",
]


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class Writer:
    """Writes one package."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.functions: dict[str, list[str]] = {}
        self.classes: dict[str, list[str]] = {}

    def imported(self, path: str, other: str, name: str) -> tuple[str, str]:
        """An import of a name of another file, and how the name is spelled behind it."""
        module, own = dotted(other), dotted(path).split(".")
        ways = [(f"from {module} import {name}", name), (f"from {module} import {name} as _{name}", f"_{name}")]
        ways += [(f"import {module}", f"{module}.{name}"), (f"import {module} as m_{name}", f"m_{name}.{name}")]
        ways += [(f"from {module} import *", name)]
        if path.startswith("pack/inner/") and other.startswith("pack/inner/"):
            last = module.rpartition(".")[2]
            ways += [(f"from .{'' if last == 'inner' else last} import {name}", name)]
        if path.startswith("pack/inner/") and own[0] == "pack" and not other.startswith("pack/inner"):
            ways += [(f"from ..{module.partition('.')[2]} import {name}", name)]
        return self.chance.choice(ways)

    def of_others(self, path: str, known: dict[str, list[str]]) -> tuple[str, str]:
        others = [(other, name) for other, names in known.items() for name in names]
        if not others:
            return "", ""
        other, name = self.chance.choice(others)
        return ("", name) if other == path else self.imported(path, other, name)

    def body(self, call: str) -> str:
        lines = [self.chance.choice(BREAKS), f"x = {call}(x)" if call else "x = x * 2"]
        self.chance.shuffle(lines)
        if self.chance.random() < 0.3:
            lines.insert(1, f"if x.shape[0] > 1:\n        return {call or 'torch.relu'}(x)")
        if self.chance.random() < 0.2:
            lines.append(f"x = torch.utils.checkpoint.checkpoint({call or 'torch.relu'}, x)")
        return "\n    ".join([*lines, "return x"])

    def function(self, path: str, name: str) -> str:
        line, call = self.of_others(path, self.functions)
        self.functions.setdefault(path, []).append(name)
        head = self.chance.choice(["", "", "", "@torch.compile\n", "@torch.compiler.disable\n", "@torch.no_grad()\n"])
        hint = self.chance.choice([": torch.Tensor", ""])
        return f"{line}\n\n\n{head}def {name}(x{hint}):\n    {self.body(call)}\n"

    def class_(self, path: str, name: str) -> str:
        line, base = self.of_others(path, self.classes)
        more, call = self.of_others(path, self.functions)
        self.classes.setdefault(path, []).append(name)
        method = self.chance.choice(["forward", "forward", "step", "helper"])
        inner = self.chance.choice(["self.helper", "super().helper" if base else "self.step", call, "self.layer"])
        body = self.body(inner).replace("\n    ", "\n        ")
        return (
            f"{line}\n{more}\n\n\nclass {name}({base or 'torch.nn.Module'}):\n    def __init__(self):\n"
            f"        super().__init__()\n        self.layer = torch.nn.Linear(2, 2)\n\n"
            f"    def {method}(self, x):\n        {body}\n"
        )

    def package(self) -> dict[str, str]:
        files = {}
        for path in MODULES:
            parts = []
            for number in range(self.chance.randint(1, 3)):
                name = f"{Path(path).parent.name}{Path(path).stem.strip('_')}{number}".replace("/", "")
                part = self.class_ if self.chance.random() < 0.4 else self.function
                parts.append(part(path, f"{'C' if part == self.class_ else 'f'}_{name}"))
            files[path] = "import torch\nimport torch.utils.checkpoint\n" + "\n".join(parts)
        line, call = self.of_others("main.py", self.functions)
        more, made = self.of_others("main.py", self.classes)
        files["main.py"] += f"\n{line}\n{more}\nrun = torch.compile({call or 'torch.relu'})\n"
        files["main.py"] += f"model = torch.compile({made}())\n" if made else ""
        return files


@pytest.mark.parametrize("seed", range(1, 25))
def test_packages(cli, seed: int) -> None:
    files = Writer(seed).package()
    for name, text in files.items():
        compile(text, name, "exec")
        cli.write(name, text)
    options = ["check", "--output-format", "concise", "--all"]
    first = cli(*options, "--no-cache", "--threads", "1", ".")
    for more in (
        ["--threads", "4", "--no-cache", "."],
        ["."],
        ["."],
        ["pack", "main.py"],
        [*reversed(MODULES)],
        ["main.py", "."],
    ):
        ended = cli(*options, *more)
        assert sorted(ended.out.splitlines()) == sorted(first.out.splitlines()), more
    other = cli(*options, "--no-cache", str(cli.folder))
    assert sorted(other.out.replace(f"{cli.folder}/", "").splitlines()) == sorted(first.out.splitlines())
    changed = cli.folder / "pack" / "a.py"
    changed.write_text(changed.read_text().replace("print(x)", "pass"))
    again, fresh = cli(*options, "."), cli(*options, "--no-cache", ".")
    assert again.out == fresh.out
    stated = Path(__file__).parent / "stated" / "packages"
    stated.mkdir(exist_ok=True)
    hold(stated / f"{seed}.txt", f"{first.out}---\n{fresh.out}{first.err}")
