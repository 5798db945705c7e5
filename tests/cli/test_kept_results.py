"""Results that are kept: told again byte for byte, and never when something has changed that they depend on."""

from __future__ import annotations

import os
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from siphash import siphash

BREAKS = (
    "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x)\n"
    "    if x.sum() > 0:\n        x = x * 2\n    return x\n"
)


def packs(cli) -> list[Path]:
    return sorted(Path(f"{cli.folder}-cache").glob("check/*"))


def only_pack(cli) -> Path:
    (path,) = packs(cli)
    return path


def version(path: Path) -> tuple[int, int]:
    return path.stat().st_ino, path.stat().st_mtime_ns


def test_the_hash_is_the_published_one() -> None:
    assert siphash(b"").hex() == "a3817f04ba25a8e66df67214c7550293"


@pytest.mark.parametrize("name", ["full", "concise", "json", "json-lines", "github", "gitlab", "sarif", "junit"])
def test_the_same_bytes_again(cli, name) -> None:
    for index in range(9):
        cli.write(f"a{index}.py", BREAKS * (index % 3))
    arguments = ("check", "--output-format", name, ".")
    first = cli(*arguments)
    kept = version(only_pack(cli))
    assert all(cli(*arguments, "--threads", str(count)) == first for count in (1, 2, 4, 8))
    assert version(only_pack(cli)) == kept
    assert cli("check", "--no-cache", "--output-format", name, ".") == first


FIRST = "# graphmend: ignore[GM101]\nimport torch\n"  # of which the finding is at the first byte


@pytest.mark.parametrize(
    ("program", "words", "others"),
    [
        (BREAKS, "`print` ends the graph", "`print` ends the world"),
        (FIRST, "nothing to silence here", "nothing to say here too"),
        (f"\n{FIRST}", "nothing to silence here", "nothing to say here too"),
    ],
    ids=["breaks", "the first byte", "the second byte"],
)
def test_what_is_kept_is_what_is_told(cli, program: str, words: str, others: str) -> None:
    """A pack with other words in it and the right hash behind: so the second run did not look at the file again."""
    cli.write("a.py", program)
    first = cli("check", "--all", "a.py")
    assert words in first.out
    pack = only_pack(cli)
    data = pack.read_bytes()
    assert data[-16:] == siphash(data[:-16])
    changed = data[:-16].replace(words.encode(), others.encode())
    pack.write_bytes(changed + siphash(changed))
    assert cli("check", "--all", "a.py").out == first.out.replace(words, others)
    assert cli("check", "--all", "--no-cache", "a.py") == first


def test_whatever_changes_is_looked_at_anew(cli) -> None:
    cli.write("a.py", BREAKS)
    usual = cli("check", "--output-format", "concise", "a.py")

    def differs(*arguments: str) -> None:
        fresh = cli("check", "--no-cache", *arguments)
        for _ in range(2):
            assert cli("check", *arguments) == fresh
        assert cli("check", "--output-format", "concise", "a.py") == usual

    concise = ("--output-format", "concise")
    differs(*concise, "--select", "GM1", "a.py")
    differs(*concise, "--ignore", "GM1", "a.py")
    differs(*concise, "--all", "a.py")
    differs(*concise, "./a.py")
    differs(*concise, str(cli.folder / "a.py"))
    differs("a.py")
    differs("--color", "always", "a.py")
    differs("--statistics", "a.py")
    cli.write("pyproject.toml", "[tool.graphmend]\nselect = ['GM3']\n")
    assert cli("check", *concise, "a.py").out.count("\n") == 1
    cli.write("pyproject.toml", "[tool.graphmend.per-file-ignores]\n'*.py' = ['GM3', 'GM1']\n")
    assert cli("check", *concise, "a.py").status == 0
    (cli.folder / "pyproject.toml").unlink()
    path = cli.write("a.py", BREAKS.replace("    print(x)\n", ""))
    os.utime(path, (1, 1))
    assert cli("check", *concise, "a.py").out.count("\n") == 1
    path.write_text(BREAKS)
    os.utime(path, (1, 1))
    assert cli("check", *concise, "a.py") == usual


def test_another_program_starts_anew(cli, tmp_path_factory) -> None:
    cli.write("a.py", BREAKS)
    usual = cli("check", "a.py")
    kept = version(only_pack(cli))
    other = tmp_path_factory.mktemp("program") / "graphmend"
    shutil.copy2(cli.executable, other)
    with open(other, "ab") as stream:
        stream.write(b"\0")
    cli.executable = str(other)
    assert cli("check", "a.py") == usual
    assert version(only_pack(cli)) != kept


def test_a_pack_that_is_broken_does_no_harm(cli) -> None:
    for index in range(3):
        cli.write(f"a{index}.py", BREAKS)
    usual = cli("check", ".")
    pack = only_pack(cli)
    whole = pack.read_bytes()
    dice = random.Random(1)
    lengths = [dice.randrange(len(whole)) for _ in range(20)]
    flips = [dice.randrange(len(whole)) for _ in range(20)]
    broken = [whole[:length] for length in (0, 1, 8, 12, 27, 28, *lengths)]
    broken += [whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :] for at in flips]
    counts = [whole[:8] + count.to_bytes(4, "little") + whole[12:-16] for count in (0, 1, 4, 1 << 20, (1 << 32) - 1)]
    broken += [data + siphash(data) for data in counts[:3]]
    for data in (*broken, b"GMCACHE1" * 9):
        pack.write_bytes(data)
        assert cli("check", ".") == usual
    for data in counts[3:]:
        pack.write_bytes(data + siphash(data))
        assert cli("check", ".") == usual


def test_programs_that_write_at_once(cli) -> None:
    """Programs that begin without a cache, each with files of its own, make the folder and write the pack together."""
    for index in range(8):
        cli.write(f"a{index}.py", BREAKS * (index % 3) + f"# {index}\n")
    asked = [(".",), ("a1.py", "a2.py"), (".",), ("a5.py",)]
    usual = [cli("check", "--no-cache", *names) for names in asked]
    for _ in range(3):
        shutil.rmtree(f"{cli.folder}-cache", ignore_errors=True)
        with ThreadPoolExecutor(len(asked)) as pool:
            assert list(pool.map(lambda names: cli("check", *names), asked)) == usual
        assert all(path.name.count(".") == 0 for path in packs(cli))
        assert [cli("check", *names) for names in asked] == usual


def test_no_place_for_it_is_no_error(cli, tmp_path) -> None:
    cli.write("a.py", BREAKS)
    usual = cli("check", "--no-cache", "a.py")
    assert packs(cli) == []
    blocked = cli.write("blocked", "")
    assert cli("check", "a.py", GRAPHMEND_CACHE_DIR=str(blocked)) == usual
    assert cli("check", "a.py", GRAPHMEND_CACHE_DIR="", XDG_CACHE_HOME="", HOME="") == usual
    assert cli("check", "a.py", GRAPHMEND_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path / "x")) == usual
    assert len(list((tmp_path / "x" / "graphmend" / "check").iterdir())) == 1


def test_what_cannot_be_read_is_not_kept(cli) -> None:
    path = cli.write("a.py", BREAKS)
    path.unlink()
    assert cli("check", "a.py").status == 2
    path.write_text(BREAKS)
    assert cli("check", "a.py").status == 1


def test_old_results_go(cli) -> None:
    path = cli.write("a.py", BREAKS)
    sizes = []
    for index in range(60):
        path.write_text(f"# {index}\n" + BREAKS)
        cli("check", "a.py")
        sizes.append(only_pack(cli).stat().st_size)
    assert sizes[-1] == sizes[-10] > sizes[5] > sizes[0]


LINKED = {
    "base.py": "from torch import nn\n\n\nclass Base(nn.Module):\n    def size(self, x):\n        return x.item()\n",
    "helpers.py": "def longest(x):\n    return inner(x) + inner(x)\n\n\ndef inner(x):\n    return x.item()\n",
    "tables.py": "from helpers import longest\n\n\ndef first(x):\n    return x.item()\n\n\nLOSSES = [first, longest]\n",
    "model.py": (
        "import torch\nfrom base import Base\nfrom helpers import longest\nfrom tables import LOSSES\n\n\n"
        "class Model(Base):\n    def forward(self, x: torch.Tensor):\n"
        "        return self.size(x) + longest(x) + LOSSES[0](x)\n"
    ),
}


@pytest.mark.parametrize("names", [["base.py", "model.py"], ["helpers.py", "model.py"], [*LINKED]], ids=len)
def test_calls_between_files_are_kept(cli, names: list[str]) -> None:
    """What a file calls, holds and takes over is kept with its findings: the next run keeps nothing anew."""
    for name in names:
        cli.write(name, LINKED[name])
    first = cli("check", ".")
    kept = version(only_pack(cli))
    assert cli("check", ".") == first and version(only_pack(cli)) == kept
    assert cli("check", "--no-cache", ".") == first and first.status == 1


ENDS = {
    "a return": "    x = x.float()\n    if x.mean() > 0:\n        return x * 2\n    return x * 3",
    "a branch": "    x = x.float()\n    if x.mean() > 0:\n        x = x * 2\n    else:\n        x = x * 3",
    "an expression": "    x = x.float().detach()\n    return x * 2 if x.mean() > 0 else x * 3",
    "a line end": "    x = x.float().detach()\n    return x * 2 if x.mean() > 0 else x * 3\n",
    "a call": "    print(x)",
    "a comment": "    print(x)  # words",
    "a wrong comment": "    return x  # graphmend: ignore[GM301]",
}


@pytest.mark.parametrize("name", ENDS)
def test_what_stands_at_the_end_is_kept(cli, name: str) -> None:
    """A finding or a mend that reaches the last byte of a file."""
    cli.write("a.py", f"import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n{ENDS[name]}")
    arguments = ("check", "--unsafe", "--output-format", "sarif", ".")
    first = cli(*arguments)
    assert '"ruleId"' in first.out
    kept = version(only_pack(cli))
    assert cli(*arguments) == first and version(only_pack(cli)) == kept
