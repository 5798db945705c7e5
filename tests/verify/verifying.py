"""How the tests run `graphmend verify`, and what they look at."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional

PROGRAMS = Path(__file__).with_name("programs")
DEMO = Path(__file__).resolve().parents[2] / "examples" / "bart_half.py"
ROOT = Path(__file__).resolve().parents[2]
QUICK = ("--no-fullgraph",)
# What is verified, by the name that tests know it by.
COMMANDS: dict[str, tuple[str, ...]] = {
    "wrong result": (*QUICK, "wrong_result.py"),
    "lost print": (*QUICK, "lost_print.py"),
    "changed exception": (*QUICK, "changed_exception.py"),
    "every aspect": (*QUICK, "every_aspect.py"),
    "hanging when mended": (*QUICK, "--timeout", "20", "hanging.py"),
    "crashing when mended": (*QUICK, "crashing.py"),
    "counted": ("counted.py", "naive.json"),
    "of torch": (*QUICK, "of_torch.py"),
    "inductor": (*QUICK, "--calls", "8", "--inputs", "gated_inputs", "model.py:gated"),
    "module": (*QUICK, "--backend", "aot_eager", "--calls", "4", "model:make_net"),
    "demo": (*QUICK, "--backend", "eager", "--calls", "2", "small_demo.py:make"),
}


@dataclasses.dataclass
class Verified:
    """What came of one command."""

    status: int
    out: str
    err: str
    data: Optional[dict[str, Any]]
    folder: Path

    def callable(self, name: str) -> dict[str, Any]:
        assert self.data is not None
        (found,) = [item for item in self.data["callables"] if item["name"] == name]
        return found

    def ours(self) -> dict[str, list[dict[str, Any]]]:
        """The differences that graphmend is blamed for, by aspect."""
        assert self.data is not None
        found: dict[str, list[dict[str, Any]]] = {}
        for difference in self.data["equality"]["differences"]:
            if difference["whose"] == "mended":
                found.setdefault(difference["aspect"], []).append(difference)
        return found


def verify(executable: str, folder: Path, arguments: tuple[str, ...], environment: dict[str, str]) -> Verified:
    """Run one command in a folder that holds the programs."""
    shutil.copytree(PROGRAMS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(DEMO, folder)
    environment = {**environment, "GRAPHMEND_CACHE_DIR": f"{folder}-cache", "NO_COLOR": "1"}
    command = [executable, "verify", "--json", "report.json", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=500)
    report = folder / "report.json"
    data = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None
    return Verified(done.returncode, done.stdout, done.stderr, data, folder)
