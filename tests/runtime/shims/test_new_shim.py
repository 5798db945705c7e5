"""tools/new_shim.py: the shim that it writes makes calls whole, and its test says so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PARTS = ("python/graphmend", "tests/runtime", "tools")
WANTED = ["checksums", "--call", "binascii.crc_hqx", "--args", 'b"abc", 0']
# Runs pytest on the copy: the finder of an editable install would lead to the project itself.
RUN = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
sys.path[:0] = ["python", "tests/runtime"]
import pytest, graphmend
assert graphmend.__file__.startswith(sys.argv[1]), graphmend.__file__
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


def new_shim(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "tools/new_shim.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The parts of the project that the tool reads and the test of a shim needs."""
    root = tmp_path / "project"
    for name in PARTS:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return root


def run_test(python: str, root: Path, test: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-c", RUN, str(root), test]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)


def test_the_shim_makes_calls_whole(copy: Path, warm_python: str) -> None:
    done = new_shim(copy, *WANTED)
    assert (done.returncode, done.stderr) == (0, "")
    test = "tests/runtime/shims/test_checksums.py"
    ran = run_test(warm_python, copy, test)
    assert ran.returncode == 0 and "3 passed" in ran.stdout, ran.stdout + ran.stderr
    order = copy / "python/graphmend/runtime/driver/features.py"
    order.write_text(order.read_text().replace('    "shims.checksums",\n', ""))
    ran = run_test(warm_python, copy, test)
    assert ran.returncode == 1 and "2 failed, 1 passed" in ran.stdout, "the test passes without the shim"


def test_what_is_written_is_formatted(copy: Path) -> None:
    done = new_shim(copy, *WANTED)
    assert done.returncode == 0
    files = [path for path in copy.rglob("*checksums.py")]
    assert len(files) == 2
    ruff = Path(sys.executable).with_name("ruff")
    for command in (["format", "--check"], ["check"]):
        ran = subprocess.run([ruff, *command, "--config", str(ROOT / "pyproject.toml"), *files], capture_output=True)
        assert ran.returncode == 0, ran.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["sorting", *WANTED[1:]], "`sorting` is taken by python/graphmend/runtime/shims/sorting.py"),
        (["flush", *WANTED[1:]], "`flush` is taken by python/graphmend/runtime/effects/flush.py"),
        (["New-Name", *WANTED[1:]], "`New-Name` is no name of a module"),
        (["checksums", "--call", "crc_hqx", *WANTED[3:]], "`crc_hqx` is no qualified name"),
        (["checksums", "--call", "binascii.crc_none", *WANTED[3:]], "there is no function `binascii.crc_none` here"),
        ([*WANTED[:4], "x + 1"], "`x + 1` are no constants"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_wrong_arguments_write_nothing(copy: Path, arguments: list[str], text: str) -> None:
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    done = new_shim(copy, *arguments)
    assert done.returncode == 1 and done.stderr.startswith(f"new_shim: {text}")
    assert {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()} == before
