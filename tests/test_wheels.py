"""The checks of `make wheels`: a wheel for another machine, and one that needs a newer C library, are refused."""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def wheels() -> ModuleType:
    """`tools/wheels.py`, which is no package."""
    spec = importlib.util.spec_from_file_location("wheels", Path(__file__).parents[1] / "tools" / "wheels.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["wheels"] = module  # dataclasses look up their module
    spec.loader.exec_module(module)
    return module


def elf(machine: int) -> bytes:
    return b"\x7fELF\x02\x01\x01" + bytes(9) + (3).to_bytes(2, "little") + machine.to_bytes(2, "little")


def macho(machine: int) -> bytes:
    return b"\xcf\xfa\xed\xfe" + machine.to_bytes(4, "little")


def make_wheel(folder: Path, library: str, first: bytes, second: bytes) -> Path:
    path = folder / "graphmend-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"graphmend/{library}", first)
        archive.writestr("graphmend-0.1.0.data/scripts/graphmend", second)
    return path


def find_platform(wheels: ModuleType, name: str) -> object:
    return next(each for each in wheels.PLATFORMS if each.name == name)


def test_the_machine_of_a_binary(wheels: ModuleType, executable: str) -> None:
    assert wheels.machine_of(elf(62)) == ("Linux", "x86_64")
    assert wheels.machine_of(elf(183)) == ("Linux", "aarch64")
    assert wheels.machine_of(elf(40)) == ("Linux", "unknown")
    assert wheels.machine_of(macho(0x01000007)) == ("Darwin", "x86_64")
    assert wheels.machine_of(macho(0x0100000C)) == ("Darwin", "aarch64")
    assert wheels.machine_of(b"#!/bin/sh") == ("unknown", "unknown")
    if sys.platform == "linux":
        assert wheels.machine_of(Path(executable).read_bytes())[0] == "Linux"


def test_a_wheel_for_another_machine(wheels: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "ROOT", tmp_path)
    (tmp_path / "build" / "wheels" / "linux-aarch64").mkdir(parents=True)
    wanted = find_platform(wheels, "linux-aarch64")
    path = wheels.check_binaries(make_wheel(tmp_path, "libgraphmend.so", elf(183), elf(183)), wanted)
    assert path.read_bytes() == elf(183) and path.stat().st_mode & 0o111
    with pytest.raises(wheels.WheelError, match="graphmend is for Linux x86_64"):
        wheels.check_binaries(make_wheel(tmp_path, "libgraphmend.so", elf(183), elf(62)), wanted)
    with pytest.raises(wheels.WheelError, match="has no libgraphmend.so or no executable"):
        wheels.check_binaries(make_wheel(tmp_path, "libgraphmend.dylib", elf(183), elf(183)), wanted)


@pytest.mark.parametrize(
    "said, refused",
    [
        ('This constrains the platform tag to "manylinux_2_26_x86_64".', False),
        ('is consistent with the\nfollowing platform tag: "manylinux_2_28_x86_64".', False),
        ('This constrains the platform\ntag to "manylinux_2_34_x86_64".', True),
        ('This constrains the platform tag to "linux_x86_64".', True),
        ("nothing of the kind", True),
    ],
)
def test_the_c_library_that_a_wheel_needs(
    wheels: ModuleType, monkeypatch: pytest.MonkeyPatch, said: str, refused: bool
) -> None:
    monkeypatch.setattr(wheels, "run", lambda *_: said)
    wanted = find_platform(wheels, "linux-x86_64")
    if refused:
        with pytest.raises(wheels.WheelError):
            wheels.check_symbols(Path("a.whl"), wanted)
    else:
        wheels.check_symbols(Path("a.whl"), wanted)


def test_tags_of_platforms_differ(wheels: ModuleType) -> None:
    assert len({each.tag for each in wheels.PLATFORMS}) == len({each.name for each in wheels.PLATFORMS}) == 6
