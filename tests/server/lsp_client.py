"""A client of `graphmend server`: it speaks the protocol over the standard streams of the real executable."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

PATIENCE = 120.0  # until a test that waits gives up; nothing is asserted of the time
Message = dict[str, Any]


def frame(message: Any) -> bytes:
    body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read_frames(stream: BinaryIO) -> Iterator[Message]:
    """The messages of a stream, up to its end."""
    while header := stream.readline():
        name, _, value = header.partition(b": ")
        assert name == b"Content-Length" and value.endswith(b"\r\n"), header
        assert stream.readline() == b"\r\n"
        message = json.loads(stream.read(int(value)).decode("utf-8"))
        assert message["jsonrpc"] == "2.0"
        yield message


class Client:
    """One server process. What it sends is kept in `seen`, in order."""

    def __init__(self, executable: str, folder: Path, *, initialize: bool = True, **capabilities: Any) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [executable, "server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
        )
        self.seen: list[Message] = []
        self.last_id = 0
        self._arrived: queue.Queue[Message | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.versions: dict[str, int] = {}
        if initialize:
            self.capabilities = self.initialize(**capabilities)["capabilities"]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for message in read_frames(self.process.stdout):
            self._arrived.put(message)
        self._arrived.put(None)

    # Messages

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        self.send_bytes(frame(message))

    def notify(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method: str, params: Any) -> int:
        """Send a request without waiting; its id."""
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        return self.last_id

    def wait(self, wanted: Callable[[Message], bool]) -> Message:
        """The next message that is `wanted`."""
        while True:
            message = self._arrived.get(timeout=PATIENCE)
            assert message is not None, f"the server has ended: {self.process.wait()} {self.errors()}"
            self.seen.append(message)
            if wanted(message):
                return message

    def answer(self, number: int | str | None) -> Message:
        return self.wait(lambda message: "method" not in message and message["id"] == number)

    def request(self, method: str, params: Any) -> Any:
        answer = self.answer(self.start(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def fails(self, method: str, params: Any) -> int:
        """The error code of a request."""
        answer = self.answer(self.start(method, params))
        return int(answer["error"]["code"])

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode(errors="replace")

    # Life

    def initialize(self, *, folders: list[Path] | None = None, options: Any = None, **capabilities: Any) -> Any:
        named = [self.folder] if folders is None else folders
        result = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": capabilities,
                "initializationOptions": options,
                "workspaceFolders": [{"uri": path.as_uri(), "name": path.name} for path in named],
            },
        )
        self.notify("initialized", {})
        return result

    def alive(self) -> None:
        """The server still answers."""
        assert self.fails("graphmend/noSuchMethod", None) == -32601

    def end(self) -> int:
        """shutdown and exit; the exit status."""
        assert self.request("shutdown", None) is None
        self.notify("exit", None)
        return self.close()

    def close(self) -> int:
        """The end of standard input; the exit status. Nothing may be on standard error."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self.errors() == ""
        return status

    # Documents

    def uri(self, name: str) -> str:
        return name if ":" in name else (self.folder / name).as_uri()

    def open(self, name: str, text: str, language: str = "python") -> str:
        uri = self.uri(name)
        self.versions[uri] = 1
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}},
        )
        return uri

    def change(self, uri: str, *changes: Message) -> int:
        self.versions[uri] += 1
        version = self.versions[uri]
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
        )
        return version

    def diagnostics(self, uri: str, version: int | None = None) -> list[Message]:
        """What is published for a document in this version, the newest without one."""
        version = self.versions[uri] if version is None else version

        def wanted(message: Message) -> bool:
            params = message.get("params") or {}
            published = message.get("method") == "textDocument/publishDiagnostics"
            return published and params["uri"] == uri and params.get("version") == version

        return list(self.wait(wanted)["params"]["diagnostics"])

    def pull(self, uri: str) -> list[Message]:
        return list(self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"])


def check(executable: str, name: str, text: str, folder: Path, *options: str) -> list[Message]:
    """What `graphmend check` finds in a text of this name, as JSON, in order of position."""
    done = subprocess.run(
        [executable, "check", "--no-cache", "--output-format", "json", "--stdin-filename", name, *options, "-"],
        input=text.encode("utf-8"),
        capture_output=True,
        cwd=folder,
        timeout=PATIENCE,
    )
    assert done.returncode in (0, 1), done.stderr
    (report,) = json.loads(done.stdout) or [{"diagnostics": [], "findings": []}]
    return [*report["diagnostics"], *report["findings"], *report.get("notices", [])]


def same_findings(diagnostics: list[Message], found: list[Message]) -> bool:
    """Whether diagnostics, whose data are those of the JSON report, are what `check` found."""
    return [diagnostic["data"] for diagnostic in diagnostics] == found
