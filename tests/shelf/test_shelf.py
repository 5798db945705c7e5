"""The wheel as a user meets it: installed in a fresh environment, with no compiler on PATH.

The commands of README.md and of the documents are typed there as they are printed. One with a transcript prints that;
any other has to be understood. `make shelf` builds the wheel and names it in GRAPHMEND_SHELF; it takes minutes.
Torch is that of the tests, reached by a line in a .pth file.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEEL = os.environ.get("GRAPHMEND_SHELF")
README = ROOT / "README.md"
GUARD, VERIFY, DIALECT = (ROOT / "docs" / f"{name}.md" for name in ("guard", "verify", "source-dialect"))
TRANSCRIPT = re.compile(r"(?<=```console\n)\$ (.*)\n((?:.*\n)*?)(?=```\n)")
IN_A_TABLE = re.compile(r"^\| `(graphmend [^`]+)` \|", re.MULTILINE)
IN_A_BLOCK = re.compile(r"^    ((?:graphmend|pytest) (?:(?!   | #).)+)", re.MULTILINE)
TOOLS = ("sh", "git", "uname", "cat", "ls", "rm")  # all that is on PATH beside the environment

MODEL = """import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = self.linear(x)
        if y.sum() > 0:
            y = y * 2
        return y


def inputs():
    return [torch.ones(2, 4), -torch.ones(2, 4)]
"""
TRAIN = """import argparse

import torch

from package.model import Net

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-3)
lr = parser.parse_args().lr
torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=lr)
compiled = torch.compile(net, backend="eager")
for _ in range(3):
    compiled(torch.ones(2, 4)).sum().backward()
    optimizer.step()
"""
TEST = """import pytest, torch
from package.model import Net


@pytest.mark.no_graph_breaks
def test_net():
    torch.compile(Net(), backend="eager")(torch.ones(2, 4))
"""

pytestmark = pytest.mark.skipif(
    not WHEEL, reason="ALOUD: tests/shelf: `make shelf` builds the wheel and runs these tests"
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> "dict[str, str]":
    """The variables of a shell in which the wheel is installed, and nothing that compiles."""
    folder = tmp_path_factory.mktemp("shelf")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    programs = folder / "env" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python")]
    install = [*pip, "install", "--quiet", "--no-index", "--no-deps", str(WHEEL)]
    subprocess.run(install, check=True, env={"PATH": str(programs), "HOME": str(folder)})
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    behind = {sysconfig.get_paths()["purelib"], *filter(lambda path: path.endswith("site-packages"), sys.path)}
    (site / "zz_behind.pth").write_text("\n".join(sorted(behind)) + "\n", encoding="utf-8")
    (programs / "pytest").write_text(f"#!{programs}/python\nimport pytest\nraise SystemExit(pytest.main())\n")
    (programs / "pytest").chmod(0o755)
    (folder / "tools").mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            (folder / "tools" / tool).symlink_to(found)
    path = f"{programs}:{folder / 'tools'}"
    assert all(shutil.which(compiler, path=path) is None for compiler in ("cc", "gcc", "clang", "g++", "c++"))
    return {"PATH": path, "HOME": str(folder), "NO_COLOR": "1", "GRAPHMEND_CACHE_DIR": str(folder / "cache")}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the transcripts name."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the names that the documents use for a user's own files."""
    folder = tmp_path_factory.mktemp("project")
    for place in ("model.py", "src/model.py", "package/model.py"):
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text(MODEL, encoding="utf-8")
    for place in ("train.py", "package/train.py"):
        (folder / place).write_text(TRAIN, encoding="utf-8")
    (folder / "test_net.py").write_text(TEST, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def type_in(command: str, folder: Path, environment: "dict[str, str]") -> "subprocess.CompletedProcess[str]":
    """What a shell prints for a command, errors below output."""
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def test_the_package_is_that_of_the_wheel(environment: "dict[str, str]", clone: Path) -> None:
    done = type_in("python -c 'import graphmend; print(graphmend.__file__)'", clone, environment)
    assert done.stdout.startswith(environment["HOME"]), done
    assert type_in("command -v graphmend", clone, environment).stdout.startswith(environment["HOME"])


SHOWN = [match.groups() for page in (README, ROOT / "docs/check.md") for match in TRANSCRIPT.finditer(page.read_text())]


@pytest.mark.parametrize(("command", "printed"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_transcript(environment: "dict[str, str]", clone: Path, command: str, printed: str) -> None:
    done = type_in(command, clone, environment)
    assert done.stdout + done.stderr == printed


def commands(page: Path) -> "list[str]":
    """The commands of a page, in its order, without the transcripts and those that stand for others (`FILE`)."""
    text = page.read_text(encoding="utf-8")
    found = [match for form in (IN_A_TABLE, IN_A_BLOCK) for match in form.finditer(text)]
    typed = [match.group(1).strip() for match in sorted(found, key=lambda match: match.start())]
    return [each for each in typed if not re.search(r"\b[A-Z]{4,}\b|: ", each) and each != "graphmend server"]


TYPED = [(page, command) for page in (README, VERIFY, GUARD, DIALECT) for command in commands(page)]


@pytest.mark.parametrize(("page", "command"), TYPED, ids=[f"{page.stem}: {command}" for page, command in TYPED])
def test_a_command(environment: "dict[str, str]", project: Path, page: Path, command: str) -> None:
    """`check` ends with 1 where it finds something. All others end with 0, and none with 2: not understood."""
    done = type_in(command, project, environment)
    finds = shlex.split(command)[1] == "check"
    assert done.returncode in ((0, 1) if finds else (0,)), done.stdout + done.stderr
    assert "Traceback" not in done.stderr and "usage" not in done.stderr.lower()
