"""What `graphmend server` takes: diagnostics of a long file, first and after a keystroke; memory of a workspace.

A client of its own opens a file of about 3,000 lines and types in the middle of it, twice: a file of the package, and
one that is made and has 375 findings. The time is from the last byte that is sent to the last one that comes. For
memory, every Python file of a package is opened, looked at and left open. The budgets are 30 ms for the first
diagnostics, 10 ms after a keystroke and 100 MB for transformers. Nothing is asserted.

usage: server.py [--json FILE.json] [--lines N] [--keys N] [--package transformers]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SAMPLE = """import torch


class Layer{number}(torch.nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(size, size)
        self.register_buffer("scale", torch.ones(size))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        y = self.linear(x) * self.scale
        total = y.float().sum()
        if total > {number}:
            z = total + 1.0
        else:
            z = total - 1.0
        for step in range(3):
            y = torch.relu(y) + step
            if mask.any():
                y = y.masked_fill(mask, 0.0)
        print("layer", {number})
        return y * z


"""


class Client:
    """As much of the protocol as is measured."""

    def __init__(self, folder: Path) -> None:
        program = Path(sys.executable).with_name("graphmend")
        found = str(program) if program.exists() else shutil.which("graphmend")
        assert found, "graphmend is not installed: run `make build`"
        self.process = subprocess.Popen([found, "server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        self.send({"id": 1, "method": "initialize", "params": {"capabilities": {}, "workspaceFolders": folders}})
        self.read()

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def read_bytes(self) -> bytes:
        stream = self.process.stdout
        assert stream is not None
        size = int(stream.readline().partition(b": ")[2])
        stream.readline()
        return stream.read(size)

    def read(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.read_bytes())
        return message

    def diagnostics(self, method: str, params: dict[str, Any]) -> tuple[float, int]:
        """Milliseconds until the diagnostics that a notification leads to, and how many they are."""
        body = {"method": method, "params": params}
        started = time.perf_counter()
        self.send(body)
        answer = self.read_bytes()
        milliseconds = (time.perf_counter() - started) * 1000
        message = json.loads(answer)
        assert message["method"] == "textDocument/publishDiagnostics", message
        return milliseconds, len(message["params"]["diagnostics"])

    def open(self, uri: str, text: str) -> tuple[float, int]:
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        return self.diagnostics("textDocument/didOpen", {"textDocument": document})

    def type(self, uri: str, version: int, line: int, character: int, text: str) -> tuple[float, int]:
        place = {"line": line, "character": character}
        return self.diagnostics(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": {"start": place, "end": place}, "text": text}],
            },
        )

    def processor(self) -> float:
        """Milliseconds that the process has run, where the system tells."""
        known = Path(f"/proc/{self.process.pid}/schedstat")
        return int(known.read_text().split()[0]) / 1e6 if known.exists() else float("nan")

    def megabytes(self) -> float:
        """Memory that the process has now; NaN where the system does not tell."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return float("nan")
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        return int(lines["VmRSS"].split()[0]) * 1024 / 1e6

    def end(self) -> None:
        self.send({"id": 2, "method": "shutdown"})
        while self.read().get("id") != 2:
            pass
        self.send({"method": "exit"})
        self.process.wait()


def long_file(lines: int) -> str:
    blocks = []
    while sum(block.count("\n") for block in blocks) < lines:
        blocks.append(SAMPLE.format(number=len(blocks)))
    return "".join(blocks)


def similar_file(package: str, lines: int) -> str:
    """The text of the package whose number of lines is closest."""
    texts = (path.read_text(encoding="utf-8") for path in sources(package))
    return min(texts, key=lambda text: abs(text.count("\n") - lines))


def measure_typing(text: str, keys: int) -> dict[str, Any]:
    first, ran = [], []
    for _ in range(5):
        client = Client(Path.cwd())
        before = client.processor()
        milliseconds, found = client.open("file:///bench.py", text)
        first.append(milliseconds)
        ran.append(client.processor() - before)
        if len(first) < 5:
            client.end()
    middle = text.count("\n", 0, text.index("\nclass ", len(text) // 2)) + 1
    client.type("file:///bench.py", 2, middle, 0, "# \n")
    typed = []
    before = client.processor()
    for key in range(keys):
        milliseconds, found = client.type("file:///bench.py", 3 + key, middle, 2, "x")
        typed.append(milliseconds)
    key_processor = (client.processor() - before) / keys
    client.end()
    return {
        "lines": text.count("\n"),
        "findings": found,
        "first_ms": min(first),
        "first_processor_ms": min(ran),
        "key_processor_ms": key_processor,
        "first_median_ms": statistics.median(first),
        "key_ms": min(typed),
        "key_median_ms": statistics.median(typed),
        "key_p95_ms": sorted(typed)[int(len(typed) * 0.95)],
    }


def sources(package: str) -> Iterator[Path]:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed in this environment")
    yield from sorted(Path(spec.submodule_search_locations[0]).rglob("*.py"))


def measure_memory(package: str) -> dict[str, Any]:
    client = Client(Path.cwd())
    count = size = 0
    started = time.perf_counter()
    for path in sources(package):
        text = path.read_text(encoding="utf-8")
        client.open(path.as_uri(), text)
        count, size = count + 1, size + len(text.encode())
    row = {
        "package": package,
        "files": count,
        "text_megabytes": size / 1e6,
        "megabytes": client.megabytes(),
        "seconds": time.perf_counter() - started,
    }
    client.end()
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--lines", type=int, default=3000)
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--package", default="transformers")
    asked = parser.parse_args()
    texts = {asked.package: similar_file(asked.package, asked.lines), "made": long_file(asked.lines)}
    typing = {name: measure_typing(text, asked.keys) for name, text in texts.items()}
    memory = measure_memory(asked.package)
    for name, row in typing.items():
        print(
            f"{name}, {row['lines']} lines, {row['findings']} findings: first diagnostics {row['first_ms']:.1f} ms "
            f"(median {row['first_median_ms']:.1f}, processor {row['first_processor_ms']:.1f}), after a key "
            f"{row['key_ms']:.1f} ms (median {row['key_median_ms']:.1f}, 95 of 100 below {row['key_p95_ms']:.1f}, "
            f"processor {row['key_processor_ms']:.1f})"
        )
    print(
        f"{memory['package']}, {memory['files']} files open, {memory['text_megabytes']:.0f} MB of text: "
        f"{memory['megabytes']:.0f} MB of memory"
    )
    if asked.json:
        Path(asked.json).write_text(json.dumps({"typing": typing, "memory": memory}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
