"""Wheels for every platform, from one machine: `make wheels`.

A wheel has the Python package, the library of the core and the executable. Nothing in it depends on a version of
Python, so that a platform needs one wheel: `graphmend-0.1.0-py3-none-manylinux_2_28_aarch64.whl`. The compiler is
`zig cc`, which brings the headers and libraries of each platform; the oldest C library that has `getentropy` and is in
use is glibc 2.28.

Each wheel is checked:

* the machine that the library and the executable are for is read from their headers (ELF or Mach-O);
* `auditwheel` reads from the symbols which glibc a wheel needs, and the tag must promise no older one;
* a wheel for musl, whose symbols have no versions, must need no library but musl's;
* where the machine can run the executable, itself or by `qemu`, the executable checks a file; otherwise a line says
  SKIPPED;
* the wheel of this machine is installed in an empty environment whose path has no compiler.

usage: wheels.py [--only NAME] [--folder dist]
"""

from __future__ import annotations

import argparse
import io
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "import torch\n\n\n@torch.compile\ndef f(x):\n    if x.sum() > 0:\n        return x\n    return -x\n"
FOUND = "GM102"  # the rule for a return that data decides


@dataclass(frozen=True)
class Platform:
    """A platform: the target in zig's words, the system in CMake's, the machine, and the tag of a wheel."""

    name: str
    target: str
    system: str
    machine: str
    tag: str

    def linux(self) -> bool:
        return self.system == "Linux"


PLATFORMS = [
    Platform("linux-x86_64", "x86_64-linux-gnu.2.28", "Linux", "x86_64", "manylinux_2_28_x86_64"),
    Platform("linux-aarch64", "aarch64-linux-gnu.2.28", "Linux", "aarch64", "manylinux_2_28_aarch64"),
    Platform("musl-x86_64", "x86_64-linux-musl", "Linux", "x86_64", "musllinux_1_2_x86_64"),
    Platform("musl-aarch64", "aarch64-linux-musl", "Linux", "aarch64", "musllinux_1_2_aarch64"),
    Platform("macos-x86_64", "x86_64-macos.12.0", "Darwin", "x86_64", "macosx_12_0_x86_64"),
    Platform("macos-arm64", "aarch64-macos.12.0", "Darwin", "aarch64", "macosx_12_0_arm64"),
]

ELF_MACHINES = {62: "x86_64", 183: "aarch64"}
MACHO_MACHINES = {0x01000007: "x86_64", 0x0100000C: "aarch64"}


class WheelError(Exception):
    """A wheel that cannot be built, or is not what its name says."""


def machine_of(data: bytes) -> tuple[str, str]:
    """The system and the machine of a library or an executable, by its first bytes; 64 bits, little-endian."""
    if data[:6] == b"\x7fELF\x02\x01":
        return "Linux", ELF_MACHINES.get(struct.unpack_from("<H", data, 18)[0], "unknown")
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return "Darwin", MACHO_MACHINES.get(struct.unpack_from("<I", data, 4)[0], "unknown")
    return "unknown", "unknown"


def run(*command: object, **options: object) -> str:
    """The output of a command; what it printed is the error of one that fails."""
    ended = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if ended.returncode != 0:
        raise WheelError(
            f"{Path(str(command[0])).name} ended with status {ended.returncode}:\n{ended.stdout}{ended.stderr}"
        )
    return str(ended.stdout)


def write_compiler(folder: Path, target: str) -> Path:
    """A program that is `zig cc` for a target: CMake wants one path."""
    path = folder / "cc"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang cc -target {target} "$@"\n')
    path.chmod(0o755)
    return path


def build(wanted: Platform, folder: Path) -> Path:
    """Build the wheel of a platform into a folder; return its path."""
    work = ROOT / "build" / "wheels" / wanted.name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    settings = {
        "CMAKE_C_COMPILER": write_compiler(work, wanted.target),
        "CMAKE_SYSTEM_NAME": wanted.system,
        "CMAKE_SYSTEM_PROCESSOR": wanted.machine,
        "CMAKE_SHARED_LINKER_FLAGS": "-s",
        "CMAKE_EXE_LINKER_FLAGS": "-s",
    }
    options = [f"--config-setting=cmake.define.{name}={value}" for name, value in settings.items()]
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check"]
    options += [f"--config-setting=build-dir={work / 'build'}", "--config-setting=install.strip=false"]
    run(*command, "--outdir", work / "made", *options, ROOT)
    (made,) = (work / "made").glob("*.whl")
    name = run(sys.executable, "-m", "wheel", "tags", "--platform-tag", wanted.tag, made).split()[-1]
    folder.mkdir(exist_ok=True)
    return Path(shutil.copy(work / "made" / name, folder))


def binaries(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """The library and the executable in a wheel: name and content."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if Path(name).name in ("libgraphmend.so", "libgraphmend.dylib", "graphmend"):
                yield name, archive.read(name)


def check_binaries(wheel: Path, wanted: Platform) -> Path:
    """Check for which machine the binaries of a wheel are; return the path of the executable, unpacked."""
    found = dict(binaries(wheel))
    for name, data in found.items():
        if machine_of(data) != (wanted.system, wanted.machine):
            raise WheelError(f"{wheel.name}: {name} is for {' '.join(machine_of(data))}")
    library = "libgraphmend.so" if wanted.linux() else "libgraphmend.dylib"
    executable = next((name for name in found if name.endswith("/scripts/graphmend")), None)
    if f"graphmend/{library}" not in found or executable is None:
        raise WheelError(f"{wheel.name} has no {library} or no executable")
    path = ROOT / "build" / "wheels" / wanted.name / "graphmend"
    path.write_bytes(found[executable])
    path.chmod(0o755)
    return path


def release_of(tag: str) -> tuple[str, int, int]:
    """The C library in the tag of a Linux wheel, and its oldest release: ("manylinux", 2, 28)."""
    found = re.search(r"(manylinux|musllinux)_(\d+)_(\d+)_", tag)
    if found is None:
        raise WheelError(f"{tag} names no C library of Linux")
    return found[1], int(found[2]), int(found[3])


def check_libraries(wheel: Path) -> None:
    """Check that a wheel for musl needs no library but musl's: `auditwheel` reads such wheels on musl alone."""
    from elftools.elf.elffile import ELFFile

    for name, data in binaries(wheel):
        dynamic = ELFFile(io.BytesIO(data)).get_section_by_name(".dynamic")
        tags = dynamic.iter_tags("DT_NEEDED") if dynamic is not None else ()
        foreign = {tag.needed for tag in tags} - {"libc.so"}
        if foreign:
            raise WheelError(f"{wheel.name}: {name} needs {', '.join(sorted(foreign))}")


def check_symbols(wheel: Path, wanted: Platform) -> None:
    """Let `auditwheel` read which glibc a wheel needs: no newer one than its tag promises."""
    said = " ".join(run(sys.executable, "-m", "auditwheel", "show", wheel).split())
    found = re.search(
        r'constrains the platform tag to "(\w+)"|consistent with the following platform tag: "(\w+)"', said
    )
    needed = release_of(found[1] or found[2]) if found else ("nothing that was read", 0, 0)
    promised = release_of(wanted.tag)
    if needed[0] != promised[0] or needed > promised:
        raise WheelError(f"{wheel.name} needs {needed}: {said}")


def emulator(wanted: Platform, executable: Path) -> Optional[list[str]]:
    """The words before an executable of a platform; None where this machine cannot run it."""
    if platform.system() != wanted.system:
        return None
    if platform.machine() == wanted.machine:
        return []
    qemu = shutil.which(f"qemu-{wanted.machine}") or shutil.which(f"qemu-{wanted.machine}-static")
    system = Path(f"/usr/{wanted.machine}-linux-gnu")
    if qemu is None:
        return None
    if b"/ld-linux" not in executable.read_bytes():
        return [qemu]  # without a dynamic linker nothing else is needed
    return [qemu, "-L", str(system)] if system.exists() else None


def check_executable(wanted: Platform, executable: Path) -> str:
    """Let the executable find the branch in a program; return what is to be said."""
    before = emulator(wanted, executable)
    if before is None:
        return "SKIPPED the executable: this machine cannot run it"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(PROGRAM)
        ended = subprocess.run(
            [*before, executable, "check", "--isolated", "--no-cache", path], capture_output=True, text=True
        )
    if ended.returncode != 1 or FOUND not in ended.stdout:
        raise WheelError(f"{wanted.name}: `check` ended with status {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return "the executable checks a file" + (" under qemu" if before else "")


def check_installed(wheel: Path) -> str:
    """Install a wheel where there is no compiler, and mend a program with it; return what is to be said."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        bin_folder = Path(folder) / "bin"
        environment = {"PATH": str(bin_folder), "HOME": folder}
        run(bin_folder / "python", "-m", "pip", "install", "--quiet", "--no-index", wheel, env=environment)
        path = Path(folder) / "program.py"
        path.write_text(PROGRAM)
        code = (
            "import sys; from graphmend import core; path = sys.argv[1]; "
            "print(core.mend_source(path, open(path, 'rb').read())['mended'])"
        )
        if run(bin_folder / "python", "-c", code, path, env=environment).strip() != "True":
            raise WheelError(f"{wheel.name}: the installed library mends nothing")
        run(bin_folder / "graphmend", "--version", env=environment)
    return "installed without a compiler, the library mends"


def is_native(wanted: Platform) -> bool:
    """Whether Python of this machine takes wheels of a platform."""
    musl = not platform.libc_ver()[0]
    return (
        platform.system() == wanted.system and platform.machine() == wanted.machine and ("musl" in wanted.name) == musl
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Wheels for every platform, built and checked here.")
    parser.add_argument("--only", default="")
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(ROOT / "build" / "wheels" / "zig"))
    failed = 0
    for wanted in PLATFORMS:
        if options.only not in wanted.name:
            continue
        try:
            wheel = build(wanted, options.folder)
            executable = check_binaries(wheel, wanted)
            if wanted.tag.startswith("musllinux"):
                check_libraries(wheel)
            elif wanted.linux():
                check_symbols(wheel, wanted)
            said = [check_executable(wanted, executable)]
            if is_native(wanted):
                said.append(check_installed(wheel))
            print(f"{wheel.name}: {'; '.join(said)}", flush=True)
        except WheelError as error:
            failed += 1
            print(f"{wanted.name}: FAILED {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
