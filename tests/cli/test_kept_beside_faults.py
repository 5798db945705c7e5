"""Each system call of `check` fails once: the report stays or it is told, and nothing is kept that is another thing."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

TEXT = "import torch\n\n\n@torch.compile\ndef f(x):\n    print(x)\n    return x\n"
FAULTS = [("open", errno.EACCES), ("open", errno.EMFILE), ("open", errno.ENOENT), ("close", errno.EIO)]
FAULTS += [("read", errno.EIO), ("read", errno.EINTR), ("read", "short"), ("fstat", errno.EIO)]
FAULTS += [("write", errno.ENOSPC), ("write", "short")]


class Checks:
    """Runs of a program in which a system call fails."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder, self.count = program, folder, 0
        self.fired = folder / "fired"
        (folder / "a.py").write_text(TEXT)

    def run(self, fault: str) -> tuple[str, str, list[bytes]]:
        """What is told on both streams, and what is kept."""
        self.count += 1
        cache = self.folder / f"cache{self.count}"
        self.fired.unlink(missing_ok=True)
        given = {"GM_FAULT": fault, "GM_FAULT_FIRED": str(self.fired), "GRAPHMEND_CACHE_DIR": str(cache)}
        command = [str(self.program), "check", "--isolated", "--threads", "1", "a.py"]
        done = subprocess.run(command, cwd=self.folder, env={**os.environ, **given}, capture_output=True, text=True)
        assert done.returncode in (1, 2), done
        return done.stdout, done.stderr, [path.read_bytes() for path in cache.rglob("*") if path.is_file()]


@pytest.mark.parametrize(("call", "number"), FAULTS)
def test_a_call_fails(executable: str, tmp_path: Path, call: str, number: object) -> None:
    program = Path(executable).with_name("gm-faulty")
    if not program.exists():
        pytest.skip("the test programs are not built, `make test` builds them")
    checks = Checks(program, tmp_path)
    report, silence, kept = checks.run("")
    assert silence == "" and len(kept) == 1
    for index in range(1, 100):
        told, errors, left = checks.run(f"{call}:{index}:{number}")
        assert told == report or errors, (index, told)
        assert left in ([], kept), (index, errors)
        if number in (errno.EINTR, "short"):
            assert (told, errors, left) == (report, "", kept), index
        if not checks.fired.exists():
            break
    assert index > 1 and (told, errors, left) == (report, "", kept)
